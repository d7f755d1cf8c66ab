"""What tests share: real data where it is at hand, the sample, a profile for hypothesis."""

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("house", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("DECIBAN_DATA", ROOT.parent / "shared" / "data"))


def pytest_addoption(parser):
    parser.addoption("--all-texts", action="store_true", help="read real data sets whole")


@pytest.fixture(scope="session")
def data():
    """A reader of the real data sets; skips where they are not at hand."""

    def read(name, split=None, limit=None):
        path = DATA / f"{name}.jsonl.gz"
        if not path.exists():
            pytest.skip(f"no data set {name}: neither DECIBAN_DATA nor ../shared/data holds it")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if split in (None, row["split"])]
        rows = rows[:: max(len(rows) // limit, 1)] if limit else rows
        several = "+".join  # of several labels, one name
        return [row["text"] for row in rows], [row.get("label") or several(row["labels"]) or "none" for row in rows]

    return read


@pytest.fixture(scope="session")
def tickets_model(tickets, tmp_path_factory):
    """The file of a model of the sample."""
    import deciban

    path = tmp_path_factory.mktemp("model") / "tickets.deciban"
    deciban.train(*tickets, words=(1, 2), alpha=0.3).save(path)
    return path


@pytest.fixture(scope="session")
def tickets():
    """The sample of the repository."""
    import csv

    with open(ROOT / "samples" / "tickets.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]
