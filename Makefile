# make demo    set up and run the demonstration (LANGUAGE=de for German)
# make test    set up and run all tests
# make check   format, lint, types, layers
PYTHON ?= python3
VENV ?= .venv
LANGUAGE ?= zh
BIN := $(VENV)/bin

.PHONY: demo test check format setup clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# //p' Makefile

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $@

demo: setup
	$(BIN)/ferryman demo --language $(LANGUAGE)

test: setup
	$(BIN)/python -m pytest -n 2

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
