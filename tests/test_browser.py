"""The report in a real browser: it fits a telephone, says nothing to the console, asks for nothing, runs nothing.

Screenshots are kept in out/, for people to look at.
"""

import shutil

import pytest

import deciban
from conftest import ROOT
from deciban.cli import run
from deciban.evaluation import Evaluation
from deciban.report import write

FLAGS = [
    *["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]
SCREENS = {"light": (1200, 900), "dark": (1200, 900), "phone": (360, 740), "phone-dark": (360, 740)}
HOSTILE = [
    "<script>document.title = 'owned'; alert(1)</script>",
    '"><img src=http://evil.example/x onerror="document.title=\'owned\'">',
    "'><svg onload=\"document.title='owned'\"><script>alert(1)</script></svg>",
    "</text></svg><iframe src=javascript:alert(1)></iframe>",
    "javascript:alert(1) {{ 7*7 }}",
]
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser():
    """Chromium, if it is installed; `make browser` does it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'deciban[dev]'")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium: make browser installs it where it may")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


def looked_at(browser, path, screen, picture=None):
    """The page as somebody sees it; and all that it did which it should not."""
    width, height = SCREENS[screen]
    scheme = "dark" if "dark" in screen else "light"
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page, told = context.new_page(), []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: told.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    found = {
        "told": told,
        "too_wide": page.evaluate(WIDE),
        "title": page.title(),
        "plots": page.locator("figure.plot svg").count(),
        "ink": page.evaluate("getComputedStyle(document.querySelector('figure.plot svg text')).fill"),
        "first": page.locator("h1").inner_text(),
        "opened": page.locator("details").count(),
    }
    if picture is not None:
        picture.parent.mkdir(exist_ok=True)
        page.screenshot(path=picture, full_page=True)
    context.close()
    return found


def test_the_demos_report(browser, tmp_path):
    tickets, model, report = str(ROOT / "samples" / "tickets.csv"), tmp_path / "t.deciban", tmp_path / "report.html"
    run(["train", tickets, "--words", "1-2", "--alpha", "0.3", "-o", str(model)])
    run(["evaluate", str(model), tickets, "--loo", "--report", str(report)])
    inks = {}
    for screen in SCREENS:
        found = looked_at(browser, report, screen, ROOT / "out" / f"report-{screen}.png")
        assert (found["told"], found["too_wide"], found["plots"]) == ([], 0, 5), screen
        assert found["first"].startswith("89.1%")
        inks[screen] = found["ink"]
    assert inks["light"] != inks["dark"]  # pictures follow the reader's colours
    assert inks["phone"] == inks["light"]


def test_hostile_texts_and_labels_do_nothing(browser, tmp_path):
    texts = [f"{hostile} word{i}" for i in range(6) for hostile in HOSTILE]
    labels = [hostile for _ in range(6) for hostile in HOSTILE]
    labels[0], labels[6] = labels[1], "a" * 300
    model = deciban.train(texts, labels, model="multinomial", tokens="whitespace")
    report = tmp_path / "hostile.html"
    write(report, model, Evaluation(model.leave_one_out()), texts, protocol=HOSTILE[0], command=HOSTILE[1])
    for screen in ("light", "phone"):
        found = looked_at(browser, report, screen)
        assert (found["told"], found["too_wide"]) == ([], 0)
        assert found["title"].startswith("deciban report: ")
