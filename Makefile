# The two commands are `make run` and `make test`; `make help` lists the rest. scripts/checks.py has the parts of `make test`
# and `make test-long`, and the order in which they run; `make -n test` prints their commands.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 60
# States of a C function that clang's analyser visits, in 30 s of processor time; all of them, in `make lint`, take 78 s.
STATES := 20000

# Each package has its hash in a file of this repository, or is not installed.
HASHED := --require-hashes --no-deps --requirement
INSTALL := $(BIN)/uv pip install $(if $(MAKE_TERMOUT),,--quiet) --python $(BIN)/python
ifdef PIP_INDEX_URL # which uv does not read
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
# `make -n` calls the script, too, which then prints its commands.
CHECKS := +$(PYTHON) scripts/checks.py $(if $(findstring n,$(firstword -$(MAKEFLAGS))),--dry-run)
RING_MODEL := cd tests/ring_model && export CARGO_TARGET_DIR=../../build/ring-model
C_FILES = git ls-files -z 'firmware/*.c' 'firmware/*.cpp' 'firmware/*.h' 'sim/examples/*.c' 'sim/examples/*.h'
SIM_FILES = $(shell find sim/src sim/python/src -type f) sim/Cargo.toml sim/Cargo.lock sim/python/Cargo.toml

# Without byte code, each start of the tool takes 0.4 s more.
unexport PYTHONDONTWRITEBYTECODE
export OPENBLAS_NUM_THREADS := 1
# Everything is built once here.
export CARGO_INCREMENTAL := 0

LINTS := lint-python lint-c lint-rust
PARTS := test-packages test-simulator test-ring-model test-python test-host test-address,undefined test-thread
.PHONY: help run packages test baseline test-tools test-page test-notebook test-long lint lint-systems $(LINTS) $(PARTS) format \
    constraints fuzz fuzz-console fuzz-image fuzz-registers bench peers dist docs pictures clean setup

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

run: packages setup ## measure the costs and gains of two cores, on this machine and on a simulated Pico; write suite.html
	$(BIN)/intercore run host suite
	$(BIN)/intercore run pico-sim suite
	$(BIN)/intercore report host pico-sim --output suite.html

test: ## set up, check style and types, and pass every test, also with sanitizers
	@scripts/install-packages $(PYTHON):python3
	@$(CHECKS) test

$(PARTS):
	@$(CHECKS) $@

test-tools: build/platformio/.installed

test-page: setup build/page/.installed ## the page in a browser: large and small screen, light, dark, printed, without a script
	scripts/install-packages chromium:chromium arm
	@$(INSTALL) $(HASHED) scripts/constraints/page.txt
	@$(CHECKS) $@

test-notebook: setup ## the example notebook, run from its first cell to its last
	@$(INSTALL) $(HASHED) scripts/constraints/notebook.txt
	@$(CHECKS) $@

test-long: setup test-tools ## tests too long for every day: millions of instructions against QEMU, stress, the page, the wheel
	@$(CHECKS) $@

lint: setup ## check style, types, Rust and C code
	@$(MAKE) --no-print-directory --jobs=2 $(LINTS) lint-systems STATES=225000

lint-python:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --cache-dir build/imports

lint-systems: # types on macOS and Windows: 33 s at first, so not in `make test`
	for system in darwin win32; do $(BIN)/mypy --platform $$system --cache-dir build/mypy-$$system || exit; done

lint-rust:
	cd sim && cargo fmt --all --check
	@# In the profile in which setup has built the module, and the macros of its crates.
	cd sim && cargo clippy --locked --profile module --workspace --all-targets --quiet -- -D warnings
	$(RING_MODEL) && cargo fmt --check && cargo clippy --locked --all-targets --quiet -- -D warnings
	cargo fmt --check --manifest-path bench/sim/Cargo.toml

lint-c:
	$(C_FILES) | xargs -0 $(BIN)/clang-format --dry-run --Werror
	@# clang-format leaves comments as they are.
	! $(C_FILES) | LC_ALL=C.UTF-8 xargs -0 grep -nE '.{121}'
	scripts/install-packages arm
	$(BIN)/python scripts/tidy.py $(STATES)

format: setup ## bring the JSON schema up to date; put Python, Rust and C code into the project's style
	$(BIN)/python -m intercore.document.schema
	$(BIN)/python -m tests.finding_examples
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	cd sim && cargo fmt --all
	$(RING_MODEL) && cargo fmt
	$(C_FILES) | xargs -0 $(BIN)/clang-format -i

baseline: setup ## measure and write baselines/ again; commit it with the change that moved it
	scripts/install-packages arm
	$(BIN)/intercore sweep baselines/pico-sim.toml --again --store build/baseline.db > build/baseline.log
	$(BIN)/intercore baseline save baselines/pico-sim.jsonl --store build/baseline.db
	$(BIN)/intercore run pico-sim suite --store build/baseline.db --report build/baseline.html >> build/baseline.log
	$(BIN)/intercore baseline save baselines/pico-sim-suite.jsonl --store build/baseline.db

constraints: setup ## write the versions and hashes of Python packages again; UPGRADE=--upgrade takes newer versions
	scripts/resolve $(UPGRADE)

fuzz: fuzz-console fuzz-image fuzz-registers ## fuzz the target's console, the simulator's loaders and registers, each for FUZZ_SECONDS (60)

fuzz-console: setup
	scripts/fuzz console $(FUZZ_SECONDS)

fuzz-image fuzz-registers: fuzz-%:
	scripts/fuzz $* $(FUZZ_SECONDS)

bench: setup ## the costs of Intercore itself: timestamp, start, link, store, memory of a chip, ring buffer, simulator
	scripts/install-packages arm
	for one in time_stamp start_up link footprint ring; do $(BIN)/python bench/$$one.py || exit; done
	cargo run --quiet --release --manifest-path bench/sim/Cargo.toml
	$(BIN)/python bench/speedup.py
	$(MAKE) --no-print-directory peers

peers: setup ## our benchmarks and those of others on this machine, in turns (cyclictest, core-to-core-latency)
	scripts/install-packages cyclictest:rt-tests
	[ -x build/peers/bin/core-to-core-latency ] || \
	    cargo install --quiet core-to-core-latency --version 1.2.0 --locked --root build/peers
	$(BIN)/python bench/peers.py

dist: setup ## build a release in dist/: wheel, sdist, Arduino library, the Pico's programs
	scripts/install-packages arm
	$(INSTALL) $(HASHED) scripts/constraints/dist.txt
	$(BIN)/python scripts/dist.py

docs: setup $(VENV)/.docs ## build the documentation as a site that needs no network, in build/docs/html
	@rm -rf build/docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir build/docs/doctrees docs build/docs/html
	@echo "wrote build/docs/html/index.html"

pictures: setup ## make the pictures in docs/images again
	scripts/install-packages chromium:chromium arm
	$(BIN)/python scripts/pictures.py

clean: ## remove what was built here; the environment and stored runs stay
	rm -rf build dist *suite.html sim/target bench/sim/target

packages:
	@scripts/install-packages build $(PYTHON):python3 arm riscv

setup: $(VENV)/.installed
	@mkdir -p build

$(VENV)/.docs: docs/constraints.txt | setup
	$(INSTALL) $(HASHED) docs/constraints.txt
	@touch $@

# PlatformIO needs another pyserial than labgrid brings.
build/platformio/.installed: scripts/constraints/packers.txt | setup
	$(PYTHON) -m venv build/platformio
	$(BIN)/uv pip install --quiet --python build/platformio/bin/python $(HASHED) scripts/constraints/packers.txt
	@touch $@

# axe-core finds barriers of a page: contrast, names, roles, order; speedscope has the schema of its files.
build/page/.installed: tests/page/package-lock.json
	scripts/install-packages npm:npm
	@mkdir -p build/page
	cp tests/page/package.json tests/page/package-lock.json build/page
	npm ci --silent --no-fund --no-audit --prefix build/page
	@touch $@

# The package is installed in place. The simulated chip is built again when it has changed.
$(VENV)/.installed: $(VENV)/.complete $(SIM_FILES)
	$(BIN)/maturin build --quiet --interpreter $(BIN)/python --auditwheel skip & \
	    $(INSTALL) $(HASHED) constraints.txt; fetched=$$?; wait $$! && exit $$fetched
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INSTALL) --no-deps --no-build-isolation --editable .
	@$(BIN)/uv pip check --quiet --python $(BIN)/python
	@touch $@

$(VENV)/.complete: pyproject.toml constraints.txt scripts/install-packages scripts/check-rust scripts/make-venv
	PYTHON=$(PYTHON) scripts/make-venv $(VENV)
	@touch $@
