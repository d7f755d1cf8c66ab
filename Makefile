# `make` lists the targets. Every target sets up what it needs: its own .venv, the build of the core.

PYTHON ?= python3
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
.DEFAULT_GOAL := help
.PHONY: help setup demo test check rust lint types layers pytest format picture clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/installed  ## build everything into .venv

# An editable install: Python sources are used where they stand, the core is built again when it changes.
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

pytest: setup
	$(BIN)/python -m pytest

format: setup  ## bring all sources into the house style
	cargo fmt
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

picture: setup  ## draw the README's picture of an explanation anew
	$(BIN)/python docs/picture.py

clean:  ## remove all that was built
	rm -rf .venv target out python/deciban/*.so
