# make demo    set up and run the demonstration (LANGUAGE=de for German)
# make test    set up and run all tests
# make check   format, lint, types, layers
# make guide   run the guide's experiments anew and check every number in it (GUIDE=04: one chapter)
# make stress  kill training at random and fill its disk, for some minutes
PYTHON ?= python3
VENV ?= .venv
LANGUAGE ?= zh
BIN := $(VENV)/bin

.PHONY: demo test guide stress check format setup clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# //p' Makefile

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

setup: $(VENV)/.installed-dev

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[fast,plot,serve]"
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) ".[dev]"
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/ferryman demo --language $(LANGUAGE)

test: setup
	$(BIN)/python -m pytest -n 2

guide: setup
	$(BIN)/python docs/guide/make.py $(GUIDE)

stress: setup
	$(BIN)/python benchmarks/stress.py --kills 40
	$(BIN)/python benchmarks/full_disk.py

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python docs/guide/make.py --links

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
