"""The command line: `deciban`, and `python -m deciban`.

A mail that is delivered waits for `deciban filter` to start: it goes a quick way first, which imports next to nothing.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line."""
    if sys.argv[1:2] == ["filter"]:
        from .filtering import quick

        status = quick.run(sys.argv[2:])
        if status is not None:
            sys.exit(status)
    from .cli import main as any_command

    any_command()


if __name__ == "__main__":
    main()
