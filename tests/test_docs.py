"""A page for each way in which what is seen of a text is chosen: parts in order, and a figure that a script made."""

import re

import pytest

from conftest import ROOT

PARTS = ["Idea", "Formula", "When", "When not", "Reference"]
PAGES = ["hierarchy", "path", "projection", "properties", "search", "selection", "weighting"]
DRAWN = (ROOT / "docs" / "picture.py").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_parts_and_a_figure_that_a_script_made(page):
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    heads = [head.partition(":")[0] for head in re.findall(r"^## (.*)$", text, re.MULTILINE)]
    assert [head for head in heads if head in PARTS] == PARTS
    figures = [ROOT / "docs" / link for link in re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", text)]
    assert figures
    for figure in figures:
        script = DRAWN if figure.parent.name == "docs" else (ROOT / "benches" / f"{figure.stem}.py").read_text("utf-8")
        assert figure.exists()
        assert figure.name in script


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_links_to_is_there(page):
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
