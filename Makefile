# Everything a person or CI starts. Each target does the set-up it needs and says what it does.
#   make demo                      the bot with a Slack of its own on this machine; no account, no key
#   make test                      the whole suite (ARGS="-k guard" narrows it)
# Settings: PYTHON=python3.13 chooses the interpreter, VENV=folder the environment, WORKERS=n the test processes.

PYTHON ?=
VENV ?= .venv
WORKERS ?= 2
KILLS ?= 50
ARGS ?=
BIN := $(VENV)/bin

.PHONY: help install demo test soak lint bench lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done

install: ## make .venv and install everything pinned in requirements.lock
	@PYTHON="$(PYTHON)" VENV="$(VENV)" ./.ci/setup

demo: install ## start the bot on demo data and open its page
	@echo "footnote demo: starting; stop it with Ctrl-C"
	@$(BIN)/footnote demo $(ARGS)

test: install ## run the tests
	@echo "footnote test: $$($(BIN)/python --version), $(WORKERS) processes"
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

soak: install ## kill the bot, its turns, its approvals and its changes of data KILLS=50 times each (FOOTNOTE_KILL_SEED repeats a run)
	@FOOTNOTE_KILLS=$(KILLS) $(BIN)/python -m pytest -n 0 -s $(ARGS) tests/acceptance/test_kill.py tests/acceptance/test_kill_changes.py tests/integration/durable/test_kill.py tests/integration/updates/test_killed.py

lint: install ## style, types, import contracts, dependencies, spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --warnings
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry .
	$(BIN)/codespell

bench: install ## print the speed ratios and their bars (run it on an idle machine)
	@$(BIN)/python -m tests.bench $(ARGS)

lock: install ## pin all packages anew: newest versions that pyproject.toml allows (ARGS= keeps the pinned ones)
	@$(BIN)/python .ci/lock $(or $(ARGS),--upgrade)

clean: ## remove the environment and the caches
	rm -rf $(VENV) .cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
