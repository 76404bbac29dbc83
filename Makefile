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

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# ---- What newcomers run ----------------------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/package ## build, install into .venv and measure the main jobs
	@merklize demo

.PHONY: test
test: test-cpp test-python test-rust test-web ## check the build of this machine: C++, Python; Rust and JavaScript where cargo and node are found

.PHONY: test-all
test-all: test test-cpp-long test-more test-core test-crates ## `test`, other instruction sets and runtimes, stores, Ray, SYCL, crates: most of an hour

.PHONY: clean
clean: ## remove everything that was made here
	@rm -rf build $(VENV)

# ---- Set-up: a stamp file for each step, so that a second run starts at once -----------------------------------------

PACKAGE_SOURCES := pyproject.toml packaging/project.toml scripts/identity.py scripts/sbom.py CMakeLists.txt python/CMakeLists.txt \
	web/CMakeLists.txt docs/verify.html \
	$(shell find include src python/bindings python/merklize web/build.py web/js web/wasm -type f ! -name '*.pyc')

$(VENV)/made:
	@echo "== creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/cmake: $(VENV)/made
	@echo "== installing cmake and ninja"
	@# Older ones cannot pass settings to a build (23.0), or find no versions of s3fs and gcsfs that fit (24.3).
	@python -m pip install -q 'pip>=25.1' cmake ninja
	@touch $@

# What pyproject.toml names under build-system. It is installed here, so that pip builds in a tree that stays.
$(VENV)/build-tools: $(VENV)/cmake
	@python -m pip install -q 'scikit-build-core>=0.11' 'nanobind>=2.4'
	@touch $@

# The package and the tests are targets of one tree, so that the library is built once.
$(VENV)/package: $(VENV)/build-tools $(PACKAGE_SOURCES)
	@echo "== building and installing the Python package (the first time three to seven minutes on two cores)"
	@headers=$$(scripts/python_headers.sh $(BIN)/python build/python-headers); \
	if [ -n "$$headers" ]; then \
		export CPLUS_INCLUDE_PATH=$$headers:$$(dirname $$headers) CMAKE_ARGS="-DPython_INCLUDE_DIR=$$headers"; \
	fi; \
	python -m pip install -q --no-build-isolation -C build-dir=build/release \
		-C cmake.define.MERKLIZE_BUILD_TESTS=ON -C cmake.define.MERKLIZE_INSTALL=ON \
		-C cmake.define.MERKLIZE_BUILD_SYCL=$(if $(MERKLIZE_SYCL),ON,OFF) .
	@touch $@

# OpenCL and SYCL on processors, and NVIDIA's run-time compiler: the tests run the core through them, without a device.
DEVICE_COMPILERS := 'nvidia-cuda-nvrtc==13.0.*'
ifeq ($(shell uname -m),x86_64) # Intel's are there for it alone
DEVICE_COMPILERS += intel-opencl-rt==2026.0.0 intel-cmplr-lib-rt==2026.0.0 intel-sycl-rt==2026.0.0
INTEL_OPENCL := $(CURDIR)/$(VENV)/lib/libintelocl.so
endif
$(VENV)/runtimes: $(VENV)/made Makefile
	@echo "== installing OpenCL and SYCL on CPUs and NVIDIA's run-time compiler"
	@python -m pip install -q $(DEVICE_COMPILERS)
	@touch $@

include $(addprefix scripts/make/,tests.mk checks.mk web-and-docs.mk release.mk)
