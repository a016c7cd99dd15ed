# Everything runs in a virtual environment of its own; PYTHON makes it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CATALOG ?= build/vllm-0.28.0.json
VLLM_SHA256 := ac96dd0ec5be9c13f2aa4bfb50498c4727110406f6e4980b58a4097e4d18634a

.PHONY: setup catalog test check format lint types fixtures oracle bench differential clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# The catalog of a real release, and one of its records as a page.
catalog: setup
	mkdir -p $(dir $(CATALOG))
	$(BIN)/raisedex extract vllm==0.28.0 --sha256 $(VLLM_SHA256) -o $(CATALOG)
	$(BIN)/raisedex show $(CATALOG) vllm/config/compilation.py:1055
	@echo "The catalog is in $(CATALOG)"

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: setup lint types test

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Rewrites expected records of all cases; read every line that changes.
fixtures: setup
	$(BIN)/python -m tests.fixture_cases
	$(BIN)/python -m tests.diff_cases
	$(BIN)/python -m tests.guide

# Scores the records against exceptions that were really raised; CONTRIBUTING.md says what an oracle is.
oracle: setup
	$(BIN)/python -m tests.oracle '$(or $(ORACLE),$(error name the folder of an oracle, as in make oracle ORACLE=/path/to/oracle))'

# Times raisedex beside public tools on any tree, in turn; CONTRIBUTING.md has a table.
bench: setup
	$(BIN)/python -m tests.bench '$(or $(TREE),$(error name a folder with Python files, as in make bench TREE=/path/to/tree))'

# Compares the records of any tree with those of a scan that parses whole files; takes minutes.
differential: setup
	$(BIN)/python -m tests.differential '$(or $(TREE),$(error name a folder with Python files, as in make differential TREE=/path/to/tree))'

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache
