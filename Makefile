# Every target builds what it needs of .venv first, where that is missing or older than what says how it is installed: the
# tool with torch for `demo`, and what develops and tests it besides for the others. It takes Python 3.11 or newer.
PYTHON ?= python3
TORCH ?= torch==2.13.0

VENV := .venv
BIN := $(VENV)/bin
TOOL := $(VENV)/tool
STAMP := $(VENV)/stamp
FIXTURE := fixtures/transformer_lm

# Where the environment forbids bytecode files, every process would compile all that it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo check unit test test-spawned test-matrix torture lint fixtures docs operators bench site release clean

help:
	@echo "make demo      annotate a small transformer language model: the diff and the verdict, nothing written"
	@echo "make check     the lint and the unit tests, in less than a minute"
	@echo "make test      run all tests; COVERAGE=1 measures the lines and branches that they reach, in children, too"
	@echo "make test-spawned  run the tests as where there is no os.fork, all that are not about forks"
	@echo "make test-matrix  run what asks the compiler on pairs of Python and torch; PAIRS=3.12:2.6.0 is one, USE=PAIR=DIR where it is, ONLY=GROUPS"
	@echo "make torture   attack the tool for ten minutes: hostile modules, kills, mutated inputs; TORTURE=long for an hour, CLASS=name for one class"
	@echo "make lint      ruff, mypy, and whether docs/ and the table of torch's operators are fresh"
	@echo "make fixtures  write fixtures/*/expected.* and the generated parts of README.md anew"
	@echo "make docs      write the generated parts of README.md and docs/ anew, and record the session"
	@echo "make operators write the table of torch's operators anew, from torch's schemas"
	@echo "make bench     what a run costs, next to the other ways and as projects grow; N=9 repeats each nine times; CORPUS=DIR adds packages"
	@echo "make site      build/site: docs/ as a static site"
	@echo "make release   build what is published, check it, and install it in a clean environment; publishes nothing"
	@echo "make clean     remove .venv"

# torch comes first and alone, so that what pip is configured with (a CPU-only wheel, say) decides which build it is.
# pip tells how far it is: without a word, a download of minutes looks like a hang.
define install
	$(PYTHON) -m venv $(VENV)
	@echo "Installing $(TORCH) and pdt-annotate$(1) into $(VENV): once, and it may take some minutes."
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

# One worker a core, a file on one of them: what is expensive is made once for all tests of a file. They keep the order
# of the folders: those of `unit` are short, so no worker is idle at the end.
PYTEST := $(BIN)/$(if $(COVERAGE),coverage run,python) -m pytest --quiet
PARALLEL := --numprocesses logical --dist loadfile --no-loadscope-reorder

# Side by side: mypy takes one core.
check: $(STAMP)
	$(MAKE) --jobs 2 --output-sync lint unit

unit: $(STAMP)
	$(PYTEST) $(PARALLEL) tests/unit

# What a platform without os.fork lacks, Python lacks, too; a test that is marked `spawned` shows that it will do.
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

# SEED=n draws other attacks.
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
