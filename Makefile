# The two commands are `make run` and `make test`; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On a terminal they show how far they are.
QUIET := $(if $(MAKE_TERMOUT),,--quiet)
# Whoever has told pip of an index of their own means uv as well, which does not read pip's settings.
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
INSTALL := $(BIN)/uv pip install $(QUIET) --python $(BIN)/python
# What is fetched has a hash in a file of this repository, or is not installed.
HASHED := --require-hashes --no-deps --requirement
# For the oldest Python; versions stay what they are while pyproject.toml allows them.
RESOLVE := $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11
GROUPS := audit dist notebook packers page
EXTRA = $(BIN)/python -c "import tomllib; \
    print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], sep='\n')"
CARGO := cd sim && cargo
RING_MODEL := cd tests/ring_model && export CARGO_TARGET_DIR=../../build/ring-model
SIM_TESTS := --package intercore-sim-tests
SIM_FILES = $(shell find sim/src sim/python/src -type f) sim/Cargo.toml sim/Cargo.lock sim/python/Cargo.toml
# The compiler only recommends its C library.
BUILDERS := cmake:cmake cc:gcc make:make $(PYTHON):python3
ARM_GCC := arm-none-eabi-gcc:gcc-arm-none-eabi /usr/include/newlib/stdio.h:libnewlib-arm-none-eabi
SIM_TOOLS := $(ARM_GCC) qemu-system-arm:qemu-system-arm gdb-multiarch:gdb-multiarch
C_FILES = $(shell git ls-files 'firmware/*.c' 'firmware/*.cpp' 'firmware/*.h')
# What serves a serial port to other machines in a labgrid laboratory.
LAB_TOOLS := ser2net:ser2net
# Tests build image after image whose files are mostly the same; folders, which debugging information names, do not count.
COMPILER_CACHE := ccache:ccache
# It starts compilers for half of what make takes: a third of a build that the cache has all of.
NINJA := ninja:ninja-build
CACHED = CMAKE_GENERATOR=Ninja CMAKE_C_COMPILER_LAUNCHER="$$(command -v ccache)" CCACHE_DIR="$(CURDIR)/build/ccache" CCACHE_NOHASHDIR=1
FUZZ_SECONDS ?= 60
HOST_TRIPLE = $(shell rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz gives the compiler, without a sanitizer.
COVERAGE := --cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module $(addprefix -Cllvm-args=-sanitizer-coverage-, \
    level=4 inline-8bit-counters pc-table trace-compares)
# Of tests/firmware, for programs of microcontrollers.
CROSS_COMPILED := amp rp2040 rp2040_amp stm32h745
SANITIZED := test-address,undefined test-thread
LINTS := lint-python lint-c lint-rust
# Of a C function, that clang's analyser looks at in `make test`; in `make lint` and `make test-long` it is clang's own
# number, with which scripts/tidy.py takes 78 s of the processors in place of 30.
STATES := 20000
ALL_STATES := STATES=225000
# Of `make test`, in the order in which they begin as soon as what they need is there; four at a time keep two processors busy.
PARTS := $(addprefix timed-,setup test-simulator test-ring-model test-host test-tools test-desk $(LINTS) $(SANITIZED))
# Property tests meet the same cases in every `make test`; `make test-long` and whoever calls the tools by hand look for new
# ones, and for more of them (tests/conftest.py).
SAME_CASES := --hypothesis-seed=1 --hypothesis-profile=daily
# Six at a time keep two processors busy: many tests wait for a while. Files are kept whole for what their tests share,
# and in order: by default those with few tests, which are long ones, in tests/cli and tests/firmware/rp2040, would come
# last, and one processor would wait for the other. The longest one comes first (tests/conftest.py).
# Those of tests/firmware/host are left out there: their programs take processors for themselves, never two of them at a
# time, save with sanitizers, where they have no real-time priorities.
TOGETHER := -n 6 --dist loadfile --no-loadscope-reorder
# proptest's usual generator draws as well for cryptography, and takes more time than what is tested.
SAME_CASES_RUST := PROPTEST_RNG_ALGORITHM=xs PROPTEST_RNG_SEED=1
# Whose kernels OpenBLAS uses: each rounds in its own way, and any of these runs on every processor with AVX2.
OPENBLAS_CORES := Prescott Nehalem Haswell Zen
NUMERIC_TESTS := tests/benchmarks tests/campaign/test_schedule.py tests/comparison tests/statistics
# What hangs is told by name, long before whoever waits for the tests gives up.
SOON_OVER := --session-timeout=1800

# Some environments keep Python from storing byte code: each start of the tool would compile it again, for 0.4 s.
unexport PYTHONDONTWRITEBYTECODE
# numpy would start threads that nothing here has work for, at each start of the tool.
export OPENBLAS_NUM_THREADS := 1
# Here everything is built once; what makes the next build quicker makes this one slower.
export CARGO_INCREMENTAL := 0

.PHONY: help run packages test baseline test-packages test-tools test-simulator test-ring-model test-desk test-host test-page test-notebook $(SANITIZED) test-long lint lint-c lint-python lint-rust format constraints fuzz fuzz-console fuzz-image bench peers dist docs pictures clean setup

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

run: packages setup ## measure all that two cores cost and buy, on this machine and on a simulated Pico, write both to suite.html
	$(BIN)/intercore run host suite
	$(BIN)/intercore run pico-sim suite
	$(BIN)/intercore report host pico-sim --output suite.html

test: ## set up, check style and types, and pass every test, also with sanitizers
	@rm -f build/seconds-of-parts
	@scripts/timed test-packages $(MAKE) --no-print-directory test-packages
	@$(MAKE) --no-print-directory --jobs=4 --output-sync $(PARTS)
	@scripts/timed

$(addprefix timed-,lint-c lint-python lint-rust test-host test-tools $(SANITIZED)): timed-setup
timed-test-desk: timed-test-tools timed-test-host # whose programs take processors for themselves, as some of the desk's do
# What runs beside others shows what it prints when it has ended, save the longest ones.
timed-setup timed-test-desk: private SHOWN := --output-sync=none
timed-%:
	@scripts/timed $* $(MAKE) --no-print-directory $(SHOWN) $*

# All of Debian's packages at once, before parts run beside one another: only one may install at a time.
test-packages:
	@scripts/install-packages $(BUILDERS) $(SIM_TOOLS) $(LAB_TOOLS) $(COMPILER_CACHE) $(NINJA)
	@scripts/check-rust

test-tools: build/platformio/.installed

test-simulator:
	cd sim && INTERCORE_NO_SKIP=1 $(SAME_CASES_RUST) cargo test --locked --quiet $(SIM_TESTS)

test-ring-model:
	$(RING_MODEL) && cargo test --locked --quiet

test-desk:
	@# Each of those that run together would rewrite the assertions of all tests for itself, for 10 s.
	@$(BIN)/pytest -q --collect-only --ignore tests/firmware/host > /dev/null || : # what is wrong, the next line says
	INTERCORE_NO_SKIP=1 $(CACHED) $(BIN)/pytest -q $(TOGETHER) --ignore tests/firmware/host $(SAME_CASES) --session-timeout=3600

test-host:
	$(CACHED) $(BIN)/pytest -q tests/firmware/host $(SAME_CASES) $(SOON_OVER)

$(SANITIZED): test-%:
	@INTERCORE_SANITIZE=$* $(CACHED) $(BIN)/pytest -q tests/firmware/host $(SAME_CASES) $(SOON_OVER)

test-page: setup build/page/.installed ## the page in a real browser: on a desk and a telephone, light, dark, printed, and without a script
	scripts/install-packages chromium:chromium $(ARM_GCC)
	@$(INSTALL) $(HASHED) scripts/constraints/page.txt
	INTERCORE_BROWSER=1 $(BIN)/pytest -q tests/page/test_browser.py tests/page/test_pictures.py $(SOON_OVER)

test-notebook: setup ## the example notebook, run from its first cell to its last
	@$(INSTALL) $(HASHED) scripts/constraints/notebook.txt
	INTERCORE_NOTEBOOK=1 $(BIN)/pytest -q tests/test_notebook.py $(SOON_OVER)

test-long: setup build/platformio/.installed ## what is too long for every day: two million instructions against QEMU, a billion cycles twice, stress
	scripts/install-packages $(SIM_TOOLS) $(LAB_TOOLS)
	cd sim && INTERCORE_NO_SKIP=1 INTERCORE_RANDOM_INSTRUCTIONS=2000000 cargo test --locked --release $(SIM_TESTS) qemu::
	cd sim && PROPTEST_RNG_ALGORITHM=xs PROPTEST_CASES=100000 cargo test --locked --release $(SIM_TESTS) -- lockstep:: interleaving::
	cd sim && PROPTEST_RNG_ALGORITHM=xs PROPTEST_CASES=1000000 cargo test --locked --release $(SIM_TESTS) engines::
	$(MAKE) --no-print-directory fuzz-image
	$(RING_MODEL) && cargo test --locked --quiet -- --include-ignored
	INTERCORE_NO_SKIP=1 INTERCORE_SLOW=1 $(BIN)/pytest -q tests/sim $(addprefix tests/firmware/,$(CROSS_COMPILED)) tests/cli
	INTERCORE_SLOW=1 INTERCORE_SANITIZE=thread $(BIN)/pytest -q tests/firmware/host/test_transports.py tests/firmware/host/test_trace.py
	INTERCORE_SLOW=1 INTERCORE_SANITIZE=address,undefined $(BIN)/pytest -q tests/firmware/host/test_trace.py
	$(BIN)/pytest -q $(TOGETHER) $(addprefix --ignore tests/,cli sim test_contributing.py) \
	    $(addprefix --ignore tests/firmware/,host $(CROSS_COMPILED))
	$(MAKE) --no-print-directory lint-c $(ALL_STATES)
	$(MAKE) --no-print-directory test-page
	$(MAKE) --no-print-directory test-notebook
	$(MAKE) --no-print-directory docs
	INTERCORE_SLOW=1 $(BIN)/pytest -q tests/test_docs_site.py tests/test_docs_printed.py
	INTERCORE_SLOW=1 $(BIN)/pytest -q tests/test_contributing.py tests/firmware/esp32/test_component.py
	$(MAKE) --no-print-directory dist
	scripts/install-packages mmdebstrap:mmdebstrap
	INTERCORE_SLOW=1 $(BIN)/pytest -q tests/test_wheel.py
	for core in $(OPENBLAS_CORES); do OPENBLAS_CORETYPE=$$core $(BIN)/pytest -q $(TOGETHER) $(NUMERIC_TESTS) || exit; done

lint: setup ## check style, types, Rust and C code
	@$(MAKE) --no-print-directory --jobs=2 $(LINTS) $(ALL_STATES)

lint-python:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --cache-dir build/imports

lint-rust:
	$(CARGO) fmt --all --check
	@# In the profile in which setup has built the module, with it the macros of other people's crates.
	$(CARGO) clippy --locked --profile module --workspace --all-targets --quiet -- -D warnings
	$(RING_MODEL) && cargo fmt --check && cargo clippy --locked --all-targets --quiet -- -D warnings
	cargo fmt --check --manifest-path bench/sim/Cargo.toml

lint-c:
	@$(BIN)/clang-format --dry-run --Werror $(C_FILES)
	@! LC_ALL=C.UTF-8 grep -nE '.{121}' $(C_FILES) # comments, which clang-format leaves as they are
	scripts/install-packages $(ARM_GCC)
	$(BIN)/python scripts/tidy.py $(STATES)

format: setup ## bring the JSON schema up to date; put Python, Rust and C code into the project's style
	$(BIN)/python -m intercore.document.schema
	$(BIN)/python -m tests.finding_examples
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	$(CARGO) fmt --all
	$(RING_MODEL) && cargo fmt
	$(BIN)/clang-format -i $(C_FILES)

baseline: setup ## measure what baselines/ holds and write it anew; commit it with the change that moved it
	scripts/install-packages $(ARM_GCC)
	$(BIN)/intercore sweep baselines/pico-sim.toml --again --store build/baseline.db > build/baseline.log
	$(BIN)/intercore baseline save baselines/pico-sim.jsonl --store build/baseline.db
	$(BIN)/intercore run pico-sim suite --store build/baseline.db --report build/baseline.html >> build/baseline.log
	$(BIN)/intercore baseline save baselines/pico-sim-suite.jsonl --store build/baseline.db

constraints: setup ## write anew which versions of Python packages are fetched, and their hashes; UPGRADE=--upgrade takes newer ones
	$(RESOLVE) $(UPGRADE) pyproject.toml --extra dev --output-file constraints.txt
	$(call EXTRA,docs) | $(RESOLVE) $(UPGRADE) --constraint constraints.txt --output-file docs/constraints.txt -
	for group in $(GROUPS); do \
	    $(RESOLVE) $(UPGRADE) --group $$group --output-file scripts/constraints/$$group.txt || exit; done

fuzz: fuzz-console fuzz-image ## fuzz the target's console, then the simulator's loaders, each for FUZZ_SECONDS (60)

fuzz-console: setup
	@command -v clang > /dev/null || scripts/install-packages clang:clang
	cmake -S firmware/fuzz -B build/fuzz -DCMAKE_C_COMPILER=clang > build/fuzz.log || { cat build/fuzz.log; exit 1; }
	cmake --build build/fuzz
	mkdir -p build/corpus
	build/fuzz/console_fuzz -dict=firmware/fuzz/console.dict -max_len=600 -timeout=10 \
	    -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 build/corpus

# cargo-fuzz needs a nightly compiler for the sanitizers alone; coverage, which finds what panics, a stable one has, too.
fuzz-image:
	scripts/check-rust
	scripts/install-packages c++:g++ $(ARM_GCC)
	cd sim/fuzz && RUSTFLAGS="$(COVERAGE)" cargo build --locked --quiet --release --target $(HOST_TRIPLE) \
	    --target-dir ../../build/fuzz-image
	mkdir -p build/fuzz-image/corpus
	echo 'void _start(void) { for (;;) {} }' | arm-none-eabi-gcc -mcpu=cortex-m0plus -g -nostdlib -Wl,-Ttext=0x20000000 \
	    -x c - -o build/fuzz-image/corpus/small.elf
	cd build/fuzz-image && $(HOST_TRIPLE)/release/image -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
	    -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 corpus

bench: setup ## what Intercore itself costs: a time stamp, a start of the tool, the link, the store, the memory of a chip; our ring beside a message buffer; how fast its simulator is (Rust)
	$(BIN)/python bench/time_stamp.py
	$(BIN)/python bench/start_up.py
	$(BIN)/python bench/link.py
	scripts/install-packages $(ARM_GCC)
	$(BIN)/python bench/footprint.py
	$(BIN)/python bench/ring.py
	cargo run --quiet --release --manifest-path bench/sim/Cargo.toml
	$(BIN)/python bench/speedup.py
	$(MAKE) --no-print-directory peers

peers: setup ## our benchmarks beside other people's on this machine, by turns (cyclictest, core-to-core-latency)
	scripts/install-packages cyclictest:rt-tests
	[ -x build/peers/bin/core-to-core-latency ] || \
	    cargo install --quiet core-to-core-latency --version 1.2.0 --locked --root build/peers
	$(BIN)/python bench/peers.py

dist: setup ## build what is released, in dist/: wheel, sdist, Arduino library, the Pico's programs
	scripts/install-packages $(ARM_GCC)
	$(INSTALL) $(HASHED) scripts/constraints/dist.txt
	$(BIN)/python scripts/dist.py

docs: setup $(VENV)/.docs ## build the documentation as a site that is read without a network, in build/docs/html
	@rm -rf build/docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir build/docs/doctrees docs build/docs/html
	@echo "wrote build/docs/html/index.html"

pictures: setup ## make the pictures in docs/images anew
	scripts/install-packages chromium:chromium $(ARM_GCC)
	$(BIN)/python scripts/pictures.py

clean: ## remove what was built here; the environment and stored runs stay
	rm -rf build dist *suite.html sim/target bench/sim/target

# All that a run needs is asked for at once, before anything takes long.
packages:
	@scripts/install-packages $(BUILDERS) $(ARM_GCC)

setup: $(VENV)/.installed
	@mkdir -p build

# What builds the site is no part of what is tested every day.
$(VENV)/.docs: docs/constraints.txt | setup
	$(INSTALL) $(HASHED) docs/constraints.txt
	@touch $@

build/platformio/.installed: scripts/constraints/packers.txt | setup
	$(PYTHON) -m venv build/platformio
	$(BIN)/uv pip install --quiet --python build/platformio/bin/python $(HASHED) scripts/constraints/packers.txt
	@touch $@

# axe-core finds what makes a page hard to use for some: contrast, names, roles, order.
build/page/.installed: tests/page/package-lock.json
	scripts/install-packages npm:npm
	@mkdir -p build/page
	cp tests/page/package.json tests/page/package-lock.json build/page
	npm ci --silent --no-fund --no-audit --prefix build/page
	@touch $@

# The package is installed in place: Python code counts as it is, the simulated chip is built again when it has changed,
# and the first time beside the packages that are needed.
$(VENV)/.installed: $(VENV)/.complete $(SIM_FILES)
	$(BIN)/maturin build --quiet --interpreter $(BIN)/python --auditwheel skip & \
	    $(INSTALL) $(HASHED) constraints.txt; fetched=$$?; wait $$! && exit $$fetched
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INSTALL) --no-deps --no-build-isolation --editable .
	@$(BIN)/uv pip check --quiet --python $(BIN)/python
	@touch $@

$(VENV)/.complete: Makefile pyproject.toml constraints.txt scripts/install-packages scripts/check-rust
	@scripts/install-packages $(BUILDERS)
	scripts/check-rust
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Intercore needs Python 3.11 or newer, and $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2> /dev/null || scripts/install-packages :python3-venv
	@echo "setting up in $(VENV), once: Python packages (1 GB with all that tests need), and the simulator by cargo"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $(QUIET) --disable-pip-version-check $(HASHED) \
	    <(sed -nE '/^(uv|maturin)==/,/[^\]$$/p' constraints.txt)
	@touch $@
