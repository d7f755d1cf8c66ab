"""The command line: one file a command, which parses, calls and prints.

What goes wrong is one line on standard error. Exit status: 0; 1 for an error of the user's; 2 for wrong usage; 130
after Ctrl-C. Nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from ..errors import DecibanError
from . import evaluate, explain, info, predict, train

app = typer.Typer(
    name="deciban",
    help="A text classifier that shows its work: every answer is a sum of weights of evidence, word by word.",
    epilog="Example: deciban train samples/tickets.csv -o tickets.deciban",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (train.train, predict.predict, explain.explain, evaluate.evaluate, info.info):
    app.command(epilog=sys.modules[command.__module__].EPILOG)(command)


@app.callback(invoke_without_command=True)
def version(show: bool = typer.Option(False, "--version", help="Show the version and exit.")) -> None:
    """Whatever stands before a command."""
    if show:
        from .. import __version__

        print(f"deciban {__version__}")
        raise typer.Exit


def main() -> NoReturn:
    """Runs the command line; no traceback reaches a user."""
    try:
        sys.exit(app(standalone_mode=True))
    except DecibanError as error:
        _stop(str(error), 1)
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        _stop("out of memory: give it fewer or shorter n-grams, or a smaller file", 1)
    except Exception as error:
        if os.environ.get("DECIBAN_TRACEBACK"):
            raise
        _stop(f"unexpected {type(error).__name__}: {error} (DECIBAN_TRACEBACK=1 shows where; please report it)", 1)


def _stop(line: str, status: int) -> NoReturn:
    print(f"deciban: {line}", file=sys.stderr)
    sys.exit(status)
