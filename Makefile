PYTHON ?= python3
BIN := .venv/bin
TRAIN ?= CartPole-v1 --algo ppo --n-envs 8 --steps 60000 --seed 1

.DEFAULT_GOAL := help
.PHONY: help train test lint clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /	/'

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

train: .venv/ready  ## Set up everything and train PPO with a fresh sandbox per episode
	$(BIN)/rollout-sandbox train $(TRAIN)

test: .venv/ready  ## Set up everything and run all tests
	$(BIN)/pytest

lint: .venv/ready  ## Check style and types
	$(BIN)/ruff check core sb3_sandbox tests
	$(BIN)/mypy

clean:  ## Remove what was set up
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
