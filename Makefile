# Every target except `help` and `clean` first builds .venv if it is missing or older than a file in INSTALLED. `demo`
# and `site` install torch and the tool; the other targets also install the packages for development and tests. PYTHON
# must be Python 3.11 or newer.
PYTHON ?= python3
TORCH ?= torch==2.13.0

VENV := .venv
BIN := $(VENV)/bin
TOOL := $(VENV)/tool
STAMP := $(VENV)/stamp
FIXTURE := fixtures/transformer_lm

# With this variable set, every process would compile all modules that it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo check unit test test-spawned test-matrix torture lint fixtures docs operators bench site release clean

help:
	@echo "make demo      annotate a small transformer language model: the diff and the verdict, nothing written"
	@echo "make check     the lint and the unit tests, in less than a minute"
	@echo "make test      run all tests; COVERAGE=1 measures the lines and branches that they reach, in children, too"
	@echo "make test-spawned  run the child and cli tests without os.fork, except the tests that need it"
	@echo "make test-matrix  run the compiler's tests on pairs of Python and torch; PAIRS=3.12:2.6.0 runs one pair, USE=PAIR=DIR uses an existing environment, ONLY=GROUPS runs some groups"
	@echo "make torture   attack the tool for ten minutes: hostile modules, kills, mutated inputs; TORTURE=long for an hour, CLASS=name for one class"
	@echo "make lint      ruff, mypy, and a check that docs/ and the table of torch's operators are fresh"
	@echo "make fixtures  rewrite fixtures/*/expected.* and the generated parts of README.md and docs/"
	@echo "make docs      rewrite the generated parts of README.md and docs/, and record the session"
	@echo "make operators rewrite the table of torch's operators from torch's schemas"
	@echo "make bench     measure the cost of a run, compared with other ways of scripting and as projects grow; N=9 repeats each measurement nine times; CORPUS=DIR adds packages"
	@echo "make site      build docs/ as a static site in build/site"
	@echo "make release   build the release, check it, and install it in a clean environment; publishes nothing"
	@echo "make clean     remove .venv"

# torch is installed first and alone, so that pip's configuration selects the build (for example a CPU-only wheel).
# pip shows its progress, because a silent download of several minutes looks like a hang.
define install
	$(PYTHON) -m venv $(VENV)
	@echo "Installing $(TORCH) and pdt-annotate$(1) into $(VENV). This happens once and may take some minutes."
	$(BIN)/python -m pip install "$(TORCH)"
	$(BIN)/python -m pip install --editable ".$(1)"
endef

INSTALLED := pyproject.toml setup.py pdt_annotate_overlay.pth

$(TOOL): $(INSTALLED)
	$(call install)
	touch $@

$(STAMP): $(INSTALLED)
	$(call install,[dev])
	touch $(TOOL) $@

demo: $(TOOL)
	cd $(FIXTURE) && "$(CURDIR)/$(BIN)/pdt-annotate" "$$(cat target)" --inputs spec.py --root . --diff

# One worker per core runs whole files, so that the tests of a file share expensive fixtures. Files run in the order of
# the folders: the tests in `unit` are short and run last, so no worker is idle at the end.
PYTEST := $(BIN)/$(if $(COVERAGE),coverage run,python) -m pytest --quiet
PARALLEL := --numprocesses logical --dist loadfile --no-loadscope-reorder

# lint and unit run in parallel, because mypy uses only one core.
check: $(STAMP)
	$(MAKE) --jobs 2 --output-sync lint unit

unit: $(STAMP)
	$(PYTEST) $(PARALLEL) tests/unit

# This Python lacks the functions that a platform without os.fork lacks. `make test` repeats the tests that are marked
# `spawned` in it.
WITHOUT_FORK := PYTHONPATH="$(CURDIR)/tests/helpers/without_fork$(if $(PYTHONPATH),:$(PYTHONPATH))"

test: $(STAMP)
	$(if $(COVERAGE),$(BIN)/coverage erase)
	$(PYTEST) $(PARALLEL)
	$(WITHOUT_FORK) $(PYTEST) -m spawned $$(grep -rl --include='*.py' mark.spawned tests/child tests/cli)
	$(if $(COVERAGE),$(BIN)/coverage combine --quiet && $(BIN)/coverage report)

test-spawned: $(STAMP)
	$(WITHOUT_FORK) $(PYTEST) $(PARALLEL) tests/child tests/cli

test-matrix: $(STAMP)
	$(BIN)/python tools/matrix.py --pairs "$(PAIRS)" --use "$(USE)" --only "$(ONLY)" $(if $(CASES),--cases "$(CASES)")

# SEED=n generates other attacks.
torture: $(STAMP)
	$(BIN)/python tests/torture $(if $(SEED),--seed $(SEED)) $(if $(filter long,$(TORTURE)),--factor 6) $(CLASS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/fresh.py

fixtures: $(STAMP)
	$(BIN)/python tools/golden.py; status=$$?; $(BIN)/python tools/pages.py && exit $$status

docs: $(STAMP)
	$(BIN)/python tools/findings_page.py
	$(BIN)/python tools/mends_page.py
	$(BIN)/python tools/strings_page.py
	$(BIN)/python tools/pages.py
	$(BIN)/python tools/line_links.py
	$(BIN)/python tools/programs.py
	$(BIN)/python tools/session.py
	$(BIN)/python tools/graph_picture.py

operators: $(STAMP)
	$(BIN)/python tools/torch_operators.py

bench: $(STAMP)
	$(BIN)/python benchmarks/bench.py --repeat $(or $(N),5)
	$(if $(CORPUS),$(BIN)/python benchmarks/corpus.py "$(CORPUS)" $(if $(CORPUS_PATH),--path "$(CORPUS_PATH)"))

site: $(TOOL)
	$(BIN)/python -m pip install --editable ".[site]"
	$(BIN)/python -m mkdocs build --strict

release: $(STAMP)
	$(BIN)/python tools/release.py

clean:
	rm -rf $(VENV)
