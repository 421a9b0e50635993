PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help test lint clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /	/'

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

test: .venv/ready  ## Set up everything and run all tests
	$(BIN)/pytest

lint: .venv/ready  ## Check style and types
	$(BIN)/ruff check core tests
	$(BIN)/mypy

clean:  ## Remove what was set up
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
