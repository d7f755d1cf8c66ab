"""The command line: `deciban`, and `python -m deciban`.

A mail that is delivered waits for `deciban filter` to start: it goes a quick way first, which imports next to nothing.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line."""
    if sys.argv[1:2] == ["filter"]:
        from .filtering import quick

        status = quick.run(sys.argv[2:])
        if status is not None:
            os._exit(status)  # all is written: to take Python apart would take longer than to judge a hundred mails
    from .cli import main as any_command

    any_command()


if __name__ == "__main__":
    main()
