# Every target sets up what it needs on a machine that has Python 3.11 or newer, and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
RUN := $(VENV)/bin/python
DATA ?= ../shared/data
WORKERS ?= 2

.PHONY: demo test lint format bench soak lock clean

demo: $(VENV)/installed
	@$(RUN) examples/demo.py

test: $(VENV)/installed lint
	$(RUN) -m pytest -n $(WORKERS) -m "not soak"

soak: $(VENV)/installed
	$(RUN) -m pytest -m soak --timeout 3600 -rA --show-capture=no

lint: $(VENV)/installed
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy

format: $(VENV)/installed
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format

bench: $(VENV)/installed
	$(RUN) -m bench --data $(DATA)

lock: $(VENV)/installed
	$(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --group dev -o requirements.lock pyproject.toml

$(VENV)/installed: requirements.lock pyproject.toml
	@echo "Setting up $(VENV) (once, about a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
