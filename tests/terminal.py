"""A terminal for commands that look at whether they have one."""

import os
import pty
import subprocess
import sys


def on_a_terminal(*command):
    """What a command shows on standard error where that is a terminal; it must succeed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "deciban", *map(str, command)], stderr=theirs, stdout=subprocess.PIPE
    ) as child:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # how Linux says that the other side has closed
            os.close(ours)
    assert child.returncode == 0
    return shown
