# Works on a machine that has git, make and Python 3.11 or newer; builds its own environment in .venv.
# Another interpreter: make test PYTHON=/path/to/python3.12

VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet

# Without PYTHON=..., the first of these that is new enough.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# Extra arguments for pytest, for example: make test PYTEST_ARGS="-k appdata -x"
PYTEST_ARGS ?= -q

# How many processes share the tests: auto is one for each core, as far as there is memory; 0 is none beside pytest.
PYTEST_WORKERS ?= auto
# Each process gets a run of neighbours, for which a module prepares things once.
PYTEST := -m pytest -n $(PYTEST_WORKERS) --dist worksteal
# Tests marked alone start and kill processes of their own: they come after the others, one by one.  All are in one folder,
# so that pytest need not look through the others again.  Its status 5 is that it found no test, which is a mistake only if
# both runs found none.
ALONE = $(if $(filter tests/%,$(PYTEST_ARGS)),,tests/unit/batch)
tests = @one=0; $(PY) $(PYTEST) -m '$(1) and not alone' $(PYTEST_ARGS) || one=$$?; \
	two=0; $(PY) -m pytest -m '$(1) and alone' $(ALONE) $(PYTEST_ARGS) || two=$$?; \
	case $$one$$two in 00|05|50) ;; *) exit 1 ;; esac

.DEFAULT_GOAL := help
.PHONY: help blender demo test test-slow lint format typecheck bench fuzz docs clean dev

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

$(VENV)/.runtime: pyproject.toml
	@for p in $(PYTHON); do \
	    if "$$p" -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then python="$$p"; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "maxsidecar needs Python 3.11 or newer (tried: $(PYTHON)); use: make PYTHON=/path/to/python" >&2; \
	    exit 1; \
	fi; \
	echo "Building $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv $(VENV) || { \
	    echo "Could not create $(VENV); on Debian and Ubuntu install the package python3-venv" >&2; \
	    exit 1; \
	}
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	@$(PIP) install --editable '.[dev]'
	@touch $@

dev: $(VENV)/.dev ## Build the development environment

# Khronos' glTF validator, for the tests; the module knows the version.
$(VENV)/.validator: $(VENV)/.dev tests/support/validator.py
	@$(PY) -m tests.support.validator
	@touch $@

# A real Blender for the slow tests: a Python module of nearly 1 GB that wants an environment of its own.
$(VENV)-blender/.ready: $(VENV)/.dev tests/support/blender.py
	@$(PY) -m tests.support.blender
	@touch $@

blender: $(VENV)-blender/.ready ## Build the environment with the Blender that slow tests use

demo: $(VENV)/.runtime ## Take the sample scene through extract, edit, apply and diff
	@$(PY) examples/demo.py

test: $(VENV)/.dev $(VENV)/.validator ## Run the tests that are not marked slow
	$(call tests,not slow)

test-slow: $(VENV)/.dev $(VENV)/.validator ## Run the tests that are marked slow
	$(call tests,slow)

lint: $(VENV)/.dev ## Check style, types and the direction of imports
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(BIN)/lint-imports

typecheck: $(VENV)/.dev ## Check types only
	@$(PY) -m mypy

format: $(VENV)/.dev ## Format the code and apply safe fixes
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: $(VENV)/.dev ## Print benchmark figures
	@for f in bench/bench_*.py; do echo "== $$f"; $(PY) "$$f" || exit 1; done

# How many damaged files; the acceptance figure is 200000.
FUZZ_CASES ?= 4000
fuzz: $(VENV)/.dev ## Use FUZZ_CASES damaged files, then run the property tests with many examples
	@$(PY) -m tests.fuzz.run --cases $(FUZZ_CASES)
	@$(PY) $(PYTEST) --hypothesis-profile=fuzz $(PYTEST_ARGS) $(wildcard tests/property tests/fuzz)

docs: $(VENV)/.runtime ## Write the references and the schema from the code
	@$(PY) docs/generate.py

clean: ## Remove what the build and the tools left
	rm -rf $(VENV) $(VENV)-blender .venv-ci .venv-ci-blender build dist demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	    .import_linter_cache
	find maxsidecar tests -name __pycache__ -type d -prune -exec rm -rf {} +
