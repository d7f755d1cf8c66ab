# `make` lists the targets. Every target sets up what it needs: its own .venv, the build of the core.

PYTHON ?= python3
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
.DEFAULT_GOAL := help
.PHONY: help setup demo test check rust lint types layers pytest browser mailers format picture bench scale labels hierarchy unlabelled feed accuracy table several calibration audit rivals filter solvers projection \
	selection properties curve drift fuzz data clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/installed  ## build everything into .venv

# An editable install: Python sources are used where they stand, the core is built again when it changes, quickly; benches
# have it built as users do.
.venv/installed: pyproject.toml $(RUST)
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[all,dev]'
	@touch $@

demo: setup  ## train, judge, classify and explain on the sample; writes out/report.html
	@BIN=$(BIN) samples/demo.sh

test: rust lint types layers pytest  ## all tests: Rust and Python, lint, types, layers, doctests, the README's examples
check: test  ## the same: exactly what CI runs

rust:
	cargo fmt --check
	cargo clippy --quiet --all-targets --locked -- --deny warnings
	cargo test --quiet --locked --package deciban-core

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports --no-cache

# Tests start hundreds of commands: Python may keep what it compiles.
pytest: setup
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist worksteal

browser:  ## install Chromium, in which a test looks at the report, where it is missing and we may
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium; } \
		|| echo "no chromium here: the test that looks at the report says so and is skipped"

mailers:  ## install the mail programs that the filter's recipes are tested with, and bogofilter, where they are missing and we may
	@(for mailer in procmail maildrop sieve-test bogofilter; do command -v $$mailer || exit 1; done) >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
		procmail maildrop dovecot-sieve bogofilter; } \
		|| echo "no procmail, maildrop, sieve-test or bogofilter here: tests that run them say so and are skipped"

format: setup  ## bring all sources into the house style
	cargo fmt
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

picture: setup  ## draw the README's pictures anew
	$(BIN)/python docs/picture.py

bench: .venv/bench  ## measure speed beside the rivals; writes benches/results/speed.md (BENCH=--quick for a trial)
	$(BIN)/python -m benches.speed $(BENCH)

scale: .venv/bench  ## measure cost against size, from 1 MB to 2 GB; writes benches/results/scale.md
	$(BIN)/python -m benches.scale $(BENCH)

labels: .venv/bench  ## measure very many labels against dense scoring; writes benches/results/labels.md
	$(BIN)/python -m benches.labels $(BENCH)

feed: .venv/bench  ## measure how well a feed ranks after 20 answers; writes benches/results/feed.md
	$(BIN)/python -m benches.feed $(BENCH)
hierarchy: .venv/bench  ## measure labels that are paths, flat and not; writes benches/results/hierarchy.md
	$(BIN)/python -m benches.hierarchy $(BENCH)

unlabelled: .venv/bench  ## measure what unlabelled texts add to a few labelled ones; writes benches/results/unlabelled.md
	$(BIN)/python -m benches.unlabelled $(BENCH)

accuracy: .venv/bench  ## measure how good the models are on real data sets; writes benches/results/accuracy.md
	$(BIN)/python -m benches.accuracy $(BENCH)

table: .venv/bench  ## measure fitted models beside the published table, and a committee; as part of accuracy.md
	$(BIN)/python -m benches.accuracy fitted later nbsvm committee $(BENCH)

properties: .venv/bench  ## measure what word properties are worth; writes benches/results/properties.md
	$(BIN)/python -m benches.properties $(BENCH)

curve: .venv/bench  ## measure how far a learning curve can be trusted; writes benches/results/learning.md
	$(BIN)/python -m benches.learning

projection: .venv/bench  ## measure models of projected rows, and trees on them; writes benches/results/projection.md
	$(BIN)/python -m benches.projection $(BENCH)

audit: .venv/bench  ## measure how well wrong labels are found, beside cleanlab; writes benches/results/audit.md
	$(BIN)/python -m benches.audit $(BENCH)

rivals: .venv/bench  ## measure accuracy beside fastText, scikit-learn and Vowpal Wabbit; writes benches/results/rivals.md
	$(BIN)/python -m benches.beside $(BENCH)

several: .venv/bench  ## measure texts of several labels beside scikit-learn; writes benches/results/several.md
	$(BIN)/python -m benches.several $(BENCH)

calibration: .venv/bench  ## measure whether probabilities come true, and sets of labels; writes benches/results/calibration.md
	$(BIN)/python -m benches.calibration $(BENCH)

decisions: .venv/bench  ## measure what decisions cost, and whether promised rates and recalls are kept; writes benches/results/decisions.md
	$(BIN)/python -m benches.decisions $(BENCH)

filter: .venv/bench  ## measure the mail filter beside bogofilter; writes benches/results/filter.md
	$(BIN)/python -m benches.filter $(BENCH)

solvers: .venv/bench  ## measure the solvers of fitted models beside LIBLINEAR; writes benches/results/solvers.md
	$(BIN)/python -m benches.solvers $(BENCH)

selection: .venv/bench  ## measure accuracy against number of terms, and how fast they are selected; writes benches/results/selection.md
	$(BIN)/python -m benches.selection $(BENCH)

.venv/bench: .venv/installed
	MATURIN_PEP517_ARGS='--profile release' $(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@

FUZZ_SECONDS ?= 60
fuzz:  ## fuzz the core, each target for FUZZ_SECONDS (installs cargo-fuzz)
	@command -v cargo-fuzz >/dev/null || cargo install --quiet cargo-fuzz
	@for target in terms properties counts rows buffers numbers models mails; do \
		cargo fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=512 -verbosity=0 || exit 1; \
	done

data: setup  ## compare counts with scikit-learn's and the oracle's on every text of the real data sets
	$(BIN)/python -m pytest tests/test_data.py --all-texts

clean:  ## remove all that was built
	rm -rf .venv target out python/deciban/*.so
