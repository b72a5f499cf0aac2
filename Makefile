.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
FROM ?= examples
TO ?= local:./error-hub
LICENSE ?= CC-BY-4.0
TEXT ?= the handoff lost a condition that the receiver needed
EXAMPLES := $(filter examples,$(FROM))
WORKSPACE ?= .errorhub$(if $(EXAMPLES),-examples)
REVIEW ?= $(if $(EXAMPLES),auto,human)
LOGS = $(if $(EXAMPLES),$(WORKSPACE)/logs,$(FROM))
ROWS ?= $(WORKSPACE)/rows
VIEW ?= diagnosis_compact
RECIPE ?= tiny
STUDENT ?= $(WORKSPACE)/student
ERRORHUB := $(BIN)/errorhub
PACKAGES := hub scrubber evidence cards induction views training examples

.PHONY: help setup check test demo publish pull similar rows train evaluate bench bench-scrub clean format typings golden wheel

help: ## show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/errorhub: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]' && touch $@

setup: $(BIN)/errorhub ## make .venv with everything tests and checks need

check: setup ## format, lint, types, layers and all tests, as CI does
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy --strict -p errorhub
	$(MAKE) test

test: setup ## run all tests in parallel, with coverage
	$(BIN)/pytest -n auto --durations=20 --cov --cov-report=term $(ARGS)

demo: setup ## tour the whole way on packaged examples
	$(ERRORHUB) demo

publish: setup ## share FROM=logs TO=SPEC; without them the packaged examples to local:./error-hub
	$(if $(EXAMPLES),$(BIN)/python -m errorhub.examples $(LOGS))
	$(ERRORHUB) --workspace $(WORKSPACE) share $(LOGS) --to $(TO) --license $(LICENSE) --policy-review $(REVIEW)

pull: setup ## pull TO into the workspace, verified
	$(ERRORHUB) pull $(TO)

similar: setup ## look for past cases like TEXT
	$(ERRORHUB) similar --text '$(TEXT)'

rows: setup $(if $(EXAMPLES),publish) ## turn the hub TO into training rows
	$(ERRORHUB) --workspace $(WORKSPACE) views build $(VIEW) --from $(TO) --out $(ROWS) --splits 50/15/35

train: rows ## train a student by RECIPE on those rows
	rm -rf $(STUDENT) && $(ERRORHUB) train $(RECIPE) --rows $(ROWS)/$(VIEW) --out $(STUDENT)

evaluate: setup ## score that student on held-out tasks beside baselines
	$(ERRORHUB) predict --student $(STUDENT) --rows $(ROWS)/$(VIEW)/test/rows.parquet --out $(STUDENT).jsonl
	$(ERRORHUB) evaluate --gold $(ROWS)/$(VIEW)/test/gold.jsonl --predictions $(STUDENT).jsonl --rows $(ROWS)/$(VIEW)/test/rows.parquet

bench: setup ## measure retrieval, induction, importers and hubs beside baselines and peers
	for name in retrieval induction import hub; do $(BIN)/python bench/$$name.py $(ARGS) || exit 1; done

bench-scrub: setup ## measure the scrubber beside its peers; pip install -e '.[bench]' for all of them
	-$(BIN)/python bench/scrub.py --figure docs/img/scrub.svg
	$(BIN)/python bench/utility.py

format: setup ## format and fix what can be fixed
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

golden: setup ## rewrite golden files; review the diff
	$(BIN)/python tests/hub/importers/regolden.py && $(BIN)/python tests/regolden.py

typings: ## recreate the links that type checkers follow
	rm -rf typings/errorhub && mkdir -p typings/errorhub
	cd typings/errorhub && ln -s $(addprefix ../../,$(PACKAGES)) . && ln -s ../../src/errorhub/* .

wheel: clean setup ## build sdist and wheel
	$(BIN)/python -m build

clean: ## remove what builds and tests leave behind
	rm -rf build dist *.egg-info src/*.egg-info .coverage* .pytest_cache .mypy_cache .ruff_cache
