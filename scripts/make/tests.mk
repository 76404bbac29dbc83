# The tests, by language. `make test` runs what `-LE 'more|long|night'` and `-m 'not more'` leave; `make test-all` all
# but what compiles kernels for so long that it runs at night.

# $(call build,PRESET,OPTIONS,TARGETS)
define build
echo "== building: $(1)"; \
cmake --preset $(1) --log-level=WARNING $(2); \
cmake --build --preset $(1) $(if $(3),--target $(3)) -- --quiet
endef

# $(call ctest,OPTIONS OF CTEST)
define ctest
MERKLIZE_NVRTC_LIBRARY=$$(find $(CURDIR)/$(VENV) -name 'libnvrtc.so.*' | head -1) ctest --preset release -j $$(nproc) $(1)
endef

# $(call pytest,FILES AND OPTIONS)
define pytest
[ ! -d build/node/node_modules ] || export MERKLIZE_NODE_MODULES=$(CURDIR)/build/node/node_modules; \
MERKLIZE_PLUGINS_DIR=$(CURDIR)/build/release/plugins MERKLIZE_TEST_DEVICES=cpu python -m pytest -q -n $$(nproc) --dist loadgroup $(1)
endef

$(VENV)/test-tools: $(VENV)/package pyproject.toml
	@echo "== installing what the tests need"
	@python -m pip install -q 'merklize[test]'
	@touch $@

$(VENV)/all-test-tools: $(VENV)/test-tools $(VENV)/runtimes
	@echo "== installing what all tests need: stores, Ray, runtimes of devices"
	@python -m pip install -q 'merklize[test-all]'
	@touch $@

.PHONY: test-cpp
test-cpp: $(VENV)/package ## C++ tests and examples by the widest instruction set, and on an OpenCL runtime of the system
	@$(call build,release); $(call ctest,-LE 'more|long|night')

.PHONY: test-python
test-python: $(VENV)/test-tools ## tests of the Python package and the command line
	@# Judges of formats that are no Python packages: what is not there is skipped.
	@! python python/tests/judges.py npm || \
		npm install --prefix build/node --no-save --no-package-lock --no-audit --no-fund --silent @openzeppelin/merkle-tree@1.0.8 || \
		echo "no npm packages: tests without @openzeppelin/merkle-tree"
	@echo "== Python tests"
	@$(call pytest,-m 'not more' python/tests)
	@for example in examples/*.py; do \
		echo "== $$example"; \
		python $$example; \
	done

# Ray's nodes are many processes of somebody else's code: if one takes the interpreter with it, that is seen as Ray's
# end, not ours.
.PHONY: test-more
test-more: $(VENV)/all-test-tools ## the other instruction sets and OpenCL runtimes, stores, Ray
	@$(call build,release,-DMERKLIZE_INTEL_OPENCL=$(INTEL_OPENCL)); $(call ctest,-L more -LE long)
	@echo "== Python tests of stores, signatures and other runtimes"
	@$(call pytest,-m 'more and not ray' python/tests)
	@echo "== Python tests of Ray"
	@python scripts/test_ray.py build/ray.log python/tests/test_ray.py

# PyTorch comes with libraries of 5 GB, so its tests run at night.
.PHONY: test-torch
test-torch: $(VENV)/test-tools ## tests with tensors and processes of PyTorch
	@python -m pip install -q 'torch>=2.8'
	@echo "== Python tests with PyTorch"
	@$(call pytest,python/tests/test_sharded_torch.py python/tests/test_manifest.py)

# What builds the library once more, or needs SYCL's.
.PHONY: test-cpp-long
test-cpp-long: $(VENV)/package $(VENV)/runtimes ## SYCL, and the install test with a library by Clang 14
	@$(call build,release,-DMERKLIZE_INTEL_OPENCL=$(INTEL_OPENCL) -DMERKLIZE_BUILD_SYCL=ON -DMERKLIZE_SYCL_ROOT=$(CURDIR)/$(VENV)); \
	$(call ctest,-L long)

.PHONY: test-night
test-night: $(VENV)/package $(VENV)/all-test-tools ## a hash added by the guide; what PoCL, SYCL and NVRTC for other GPUs compile for long
	@$(call build,release,-DMERKLIZE_INTEL_OPENCL=$(INTEL_OPENCL) -DMERKLIZE_BUILD_SYCL=ON -DMERKLIZE_SYCL_ROOT=$(CURDIR)/$(VENV)); \
	$(call ctest,-L night)
	@python -m pytest -q -n $$(nproc) --dist loadgroup -m night tests/core

.PHONY: test-core
test-core: $(VENV)/all-test-tools ## the portable core through device compilers (NVRTC, OpenCL)
	@echo "== portable core through device compilers"
	@python -m pytest -q -n $$(nproc) --dist loadgroup -m 'not night' tests/core

# One folder and one profile for tests, lints and documentation, so that nothing is compiled twice. The crates link the
# library that test-cpp builds; RustCrypto's and serde's traits are tested, too.
RUST_FEATURES := --no-default-features --features merklize/digest,merklize/serde
CARGO := CARGO_TARGET_DIR=$(CURDIR)/build/cargo MERKLIZE_LIB_DIR=$(CURDIR)/build/release/src cargo

# $(call needs,PROGRAM,WHAT): where the program is not there in a version that will do, the line ends: with success, or
# with an error in CI, which has MERKLIZE_REQUIRE_RUNTIMES.
define needs
if ! python python/tests/judges.py $(1); then \
	[ -z "$${MERKLIZE_REQUIRE_RUNTIMES:-}" ] || exit 1; \
	echo "$(2) skipped"; \
	exit 0; \
fi
endef

.PHONY: test-rust
test-rust: $(VENV)/test-tools ## tests of the Rust crates, where cargo is found
	@$(call build,release,,merklize)
	@echo "== Rust tests"
	@$(call needs,cargo,tests of the Rust crates are); cd rust; $(CARGO) test -q --release $(RUST_FEATURES)
	@echo "== Beside the crates bao and bao-tree"
	@$(call needs,cargo,tests beside bao are); \
	$(CARGO) build -q --release --manifest-path tests/bao_crates/Cargo.toml; \
	MERKLIZE_BAO_CRATES=$(CURDIR)/build/cargo/release/bao-crates python -m pytest -q python/tests/test_bao_crates.py

# Apart from `make test`, since it builds the whole library once more: four minutes on two cores, less than one from
# ccache.
.PHONY: test-crates
test-crates: $(VENV)/cmake ## the Rust crates as they are packaged, with the C++ library that they build themselves
	@echo "== Packaged Rust crates"
	@$(call needs,cargo,tests of the packaged Rust crates are); \
	cd rust; CARGO_TARGET_DIR=$(CURDIR)/build/cargo ../scripts/test_crates.sh ../build/crate

# By rustup. Without tests, whose crates need newer ones, and without merklize-plonky3, for which Plonky3 decides.
.PHONY: test-msrv
test-msrv: ## the Rust crates with the oldest Rust that they name
	@version=$$(sed -n 's/^rust-version = "\(.*\)"/\1.0/p' rust/Cargo.toml); \
	echo "== Rust $$version"; \
	rustup toolchain install $$version --profile minimal >/dev/null 2>&1; \
	cd rust; DOCS_RS=1 CARGO_TARGET_DIR=$(CURDIR)/build/msrv cargo +$$version check -q --no-default-features \
		--features merklize/digest,merklize/serde -p merklize-sys -p merklize -p merklize-winterfell

PLONKY3 ?= 0.9.0-rc.2
.PHONY: test-plonky3
test-plonky3: $(VENV)/package ## merklize-plonky3 with another Plonky3 (PLONKY3=0.9.0-rc.2)
	@$(call build,release,,merklize)
	@echo "== merklize-plonky3 with Plonky3 $(PLONKY3)"
	@$(call needs,cargo,tests with Plonky3 $(PLONKY3) are); \
	cd rust; CARGO_TARGET_DIR=$(CURDIR)/build/cargo MERKLIZE_LIB_DIR=$(CURDIR)/build/release/src \
		../scripts/test_plonky3.sh $(PLONKY3) ../build/plonky3
