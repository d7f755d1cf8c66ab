"""The README's examples run as they stand: Python as doctests, commands in a shell, `...` for what differs."""

import doctest
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the sample in it, and `deciban` on the path."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_the_commands(folder):
    shown = ""
    for block in blocks("console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=folder)
            got = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines()) + "\n"
            pattern = re.escape(expected).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, got), f"$ {command}\n{got}"
            shown += got
    assert "accuracy" in shown


def test_the_python(folder):
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the tour opens a file without ceremony
        for number, block in enumerate(blocks("python")):
            test = parser.get_doctest(block, names, f"README, block {number}", "README.md", 0)
            runner.run(test, clear_globs=False)
            names = test.globs
    assert runner.summarize().attempted > 15
    assert runner.summarize().failed == 0


def test_the_pictures_are_what_is_shown_today(folder):
    pictures = [ROOT / "docs" / name for name in ("explanation.svg", "learning.svg", "network.svg")]
    before = [picture.read_text(encoding="utf-8") for picture in pictures]
    subprocess.run([sys.executable, ROOT / "docs" / "picture.py"], check=True)
    assert [picture.read_text(encoding="utf-8") for picture in pictures] == before


def test_the_files_that_it_links_to_are_there():
    links = [link for link in re.findall(r"\]\(([^)\s]+?)\)", README) if "://" not in link and "_(" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert len(links) >= 4
