"""The command line: one file a command, which parses, calls and prints.

A command's module has its `SUMMARY`, an `EXAMPLE`, `add_arguments` and `run`. What goes wrong is one line on standard
error. Exit status: 0; 1 for an error of the user's; 2 for wrong usage; 3 for a worry (`watch --fail`); 130 after
Ctrl-C. Nothing heavy is imported before a command runs, and no other command: it shall start quickly. So the arguments
are parsed by Python's own argparse: a parser that brings its own libraries takes longer to start than a model takes to
load and answer.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn, TextIO

from ..errors import DecibanError, one_line

COMMANDS = (
    *(
        "train",
        "predict",
        "rank",
        "explain",
        "words",
        "evaluate",
        "compare",
        "audit",
        "watch",
        "filter",
        "feed",
        "path",
        "info",
        "export",
        "sample",
        "graph",
    ),
    *(
        "learn",
        "forget",
        "merge",
        "drop-label",
        "keep-labels",
        "rename-label",
        "select",
        "freeze",
        "recalibrate",
        "set-threshold",
    ),
)
WIDTH = 80
INTERRUPTED = 130  # what shells say of a command that Ctrl-C ended


class UsageError(Exception):
    """A command line that cannot be understood."""


class Parser(ArgumentParser):
    """A parser whose errors are one line, and which takes no abbreviations that a later option could break."""

    def __init__(self, prog: str, description: str, example: str) -> None:
        # Only to check the arguments: to ask how wide the terminal is, for every one, argparse would import a lot.
        checking: Any = partial(RawDescriptionHelpFormatter, width=WIDTH)
        epilog = f"Example: {example}"
        super().__init__(prog, description=description, epilog=epilog, allow_abbrev=False, formatter_class=checking)
        self._is_mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Options may stand anywhere among the other arguments: `deciban predict MODEL --threads 1 FILE`."""
        if self._is_mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False

    def format_help(self) -> str:
        """Help as wide as the terminal."""
        self.formatter_class = RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Says where help is to be had."""
        raise UsageError(f"{message}; see {self.prog} --help")


def parser(names: Sequence[str] = COMMANDS) -> Parser:
    """The parser of all commands, or of some."""
    about = "A text classifier that shows its work: every answer is a sum of weights of evidence, word by word."
    top = Parser("deciban", about, _command(names[0]).EXAMPLE)
    top.add_argument("--version", action="store_true", help="show the version and exit")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)
    for name, module in zip(names, map(_command, names), strict=True):
        description = (module.__doc__ or "").partition(": ")[2]
        sentence = f"{description[:1].upper()}{description[1:].rstrip()}"
        prog = f"deciban {name}"
        command = commands.add_parser(
            name, help=module.SUMMARY, prog=prog, description=sentence, example=module.EXAMPLE
        )
        module.add_arguments(command)
    return top


def _command(name: str) -> ModuleType:
    return import_module(f".{name.replace('-', '_')}", __name__)


def run(arguments: list[str]) -> int:
    """Runs one command; returns its exit status."""
    top = parser([name for name in arguments[:1] if name in COMMANDS] or COMMANDS)
    try:
        given, others = top.parse_known_args(arguments)
    except SystemExit:  # argparse has shown the help
        return 0
    if others:
        command = f" {given.command}" if given.command else ""
        raise UsageError(f"unrecognized arguments: {' '.join(others)}; see deciban{command} --help")
    if given.version:
        from .. import __version__

        print(f"deciban {__version__}")
    elif given.command is None:
        top.print_help(sys.stderr)
        return 2
    else:
        return _command(given.command).run(given) or 0
    return 0


def main() -> NoReturn:
    """Runs the command line; no traceback reaches a user."""
    _mend_streams()
    try:
        line, status = "", run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        line, status = "interrupted", INTERRUPTED
    except SystemExit:
        raise
    except BaseException as error:  # a panic of the core is no Exception
        line, status = last_words(error)
    if line:
        with contextlib.suppress(OSError):
            print(f"deciban: {one_line(line)}", file=sys.stderr, flush=True)
    _let_go(sys.stdout)
    _let_go(sys.stderr)
    sys.exit(status)


def last_words(error: BaseException) -> tuple[str, int]:
    """The line for an error, and the exit status."""
    if isinstance(error, DecibanError):
        return str(error), 1
    if isinstance(error, UsageError):
        return str(error), 2
    if isinstance(error, BrokenPipeError):
        return "", 1
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: cannot write: {error.strerror or error}", 1
    if isinstance(error, MemoryError):
        return "out of memory: give it fewer or shorter n-grams, or a smaller file", 1
    if os.environ.get("DECIBAN_TRACEBACK"):
        raise error
    return f"unexpected {type(error).__name__}: {error} (DECIBAN_TRACEBACK=1 shows where; please report it)", 1


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
