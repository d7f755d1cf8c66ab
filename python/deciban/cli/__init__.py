"""The command line: one file a command, which parses, calls and prints.

What goes wrong is one line on standard error. Exit status: 0; 1 for an error of the user's; 2 for wrong usage; 130
after Ctrl-C. Nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any, NoReturn, TextIO

import typer

from ..errors import DecibanError, one_line
from . import evaluate, explain, info, predict, train

INTERRUPTED = 130  # what shells say of a command that Ctrl-C ended

app = typer.Typer(
    name="deciban",
    help="A text classifier that shows its work: every answer is a sum of weights of evidence, word by word.",
    epilog="Example: deciban train samples/tickets.csv -o tickets.deciban",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (train.train, predict.predict, explain.explain, evaluate.evaluate, info.info):
    app.command(epilog=sys.modules[command.__module__].EPILOG)(command)


@app.callback(invoke_without_command=True)
def version(
    context: typer.Context,
    show: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    """Whatever stands before a command."""
    if show:
        from .. import __version__

        print(f"deciban {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(2)


def main() -> NoReturn:
    """Runs the command line; no traceback reaches a user."""
    _mend_streams()
    try:
        status = app(prog_name="deciban", standalone_mode=False) or 0
        sys.stdout.flush()
        line = "interrupted" if status == INTERRUPTED else ""
    except Exception as error:
        line, status = _last_words(error)
    except KeyboardInterrupt:
        line, status = "interrupted", INTERRUPTED
    if line:
        with contextlib.suppress(OSError):
            print(f"deciban: {one_line(line)}", file=sys.stderr, flush=True)
    _let_go(sys.stdout)
    _let_go(sys.stderr)
    sys.exit(status)


def _last_words(error: Exception) -> tuple[str, int]:
    """The line for an error, and the exit status."""
    if isinstance(error, DecibanError):
        return str(error), 1
    if isinstance(error, typer.Abort):
        return "interrupted", INTERRUPTED
    if hasattr(error, "format_message"):  # wrong usage, whichever of its libraries Typer brings along
        return _about_usage(error), 2
    if isinstance(error, BrokenPipeError):
        return "", 1
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: cannot write: {error.strerror or error}", 1
    if isinstance(error, MemoryError):
        return "out of memory: give it fewer or shorter n-grams, or a smaller file", 1
    if os.environ.get("DECIBAN_TRACEBACK"):
        raise error
    return f"unexpected {type(error).__name__}: {error} (DECIBAN_TRACEBACK=1 shows where; please report it)", 1


def _about_usage(error: Any) -> str:
    message = error.format_message().removesuffix(".")
    command = error.ctx.command_path if error.ctx else "deciban"
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"


def _mend_streams() -> None:
    """Streams that were closed hold nothing and take everything; what a terminal cannot show is escaped."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _let_go(stream: TextIO) -> None:
    """Drops what a stream did not take, so that Python does not try again when it ends, and complain."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
