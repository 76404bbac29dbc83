# What developers run beside the tests.

FUZZ_SECONDS ?= 10
DIFFERENTIAL_SECONDS ?= 10
# Pinned, because another version formats and finds otherwise.
LINTERS := 'clang-format==23.1.*' 'clang-tidy==23.1.*' 'ruff==0.17.*' 'mypy==2.4.*' 'pyright[nodejs]==1.1.414' \
	'reuse==6.2.*' 'zizmor==1.32.*' 'py-rattler-build==0.73.*'
CPP_SOURCES = $(shell git ls-files -co --exclude-standard \
	'include/*.h' 'include/*.hpp' '*.c' '*.cpp' 'src/*.h' 'tests/*.h' '*.hpp' '*.inc')

$(VENV)/linters: $(VENV)/made scripts/make/checks.mk
	@echo "== installing linters"
	@python -m pip install -q $(LINTERS)
	@! command -v go >/dev/null || GOBIN=$(BIN) go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 || echo "== without actionlint"
	@touch $@

.PHONY: lint
lint: $(VENV)/cmake $(VENV)/linters $(VENV)/package ## formats, clang-tidy, ruff, mypy, pyright, generated files
	@echo "== formats"
	@clang-format --dry-run -Werror $(CPP_SOURCES)
	@ruff check -q && ruff format -q --check
	@echo "== rooms of src"
	@python scripts/check_rooms.py
	@python scripts/check_imports.py
	@python scripts/check_calls.py
	@echo "== sentences"
	@python scripts/check_english.py
	@python scripts/check_words.py
	@echo "== generated files"
	@python scripts/identity.py --check
	@python scripts/generate_hash_constants.py --check
	@python bench/tables.py --check
	@python bench/pictures.py --check
	@python bench/result_files.py --check
	@python scripts/surface.py --check
	@python scripts/generate_rust_bindings.py --check
	@python scripts/check_abi.py
	@python scripts/surfaces.py
	@echo "== licences, workflows, conda's recipes"
	@reuse lint -q || reuse lint
	@zizmor --offline -q .github
	@[ ! -x $(BIN)/actionlint ] || actionlint
	@python scripts/check_conda.py
	@echo "== Rust"
	@$(call needs,cargo,lints of the Rust crates are); \
	cd rust; cargo fmt --check; \
	$(CARGO) clippy -q --release --workspace --all-targets $(RUST_FEATURES) -- -D warnings; \
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc -q --release --no-deps $(RUST_FEATURES)
	@echo "== mypy"
	@python -m mypy -p merklize
	@python -m mypy python/tests/typed_surface.py
	@echo "== pyright"
	@python -m pyright
	@echo "== clang-tidy"
	@cmake --preset release --log-level=WARNING
	@# Lanes are one text, of which one instruction set is enough.
	@python $(BIN)/run-clang-tidy.py -clang-tidy-binary $(BIN)/clang-tidy -config-file=src/.clang-tidy -p build/release -quiet -j $$(nproc) \
		'^$(CURDIR)/(build/release/src/(.*\.cxx|lanes/lanes_avx2_.*\.cpp)|(src|examples)/.*\.cpp)$$' >build/clang-tidy.log 2>&1 || \
		{ grep -v '^\[' build/clang-tidy.log; exit 1; }

.PHONY: format
format: $(VENV)/linters ## rewrite all sources in the project's format
	@clang-format -i $(CPP_SOURCES)
	@ruff check -q --fix && ruff format -q

# What has threads: suites, and the tests that run them.
TSAN_SUITES := bao,buffers,policies,concurrency,cancel,threads,forks,enqueue,async,memory_limit,scratch,files,$\
	input_file,byte_source,messages,hash_each,plugins,proof,commitment,several,tree_builder,tree_file,tree,tree_policies
.PHONY: sanitize
sanitize: $(VENV)/cmake ## C++ tests under the address, undefined-behaviour and thread sanitizers
	@$(call build,asan)
	@ctest --preset asan -j $$(nproc)
	@$(call build,tsan,-DMERKLIZE_TEST_SUITES=$(TSAN_SUITES),merklize-tests merklize-c-tests)
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
differential: $(VENV)/all-test-tools ## random jobs on OpenCL devices against the CPU, DIFFERENTIAL_SECONDS each
	@python tests/differential.py opencl:0 $(DIFFERENTIAL_SECONDS)
	@MERKLIZE_OPENCL_LIBRARY=$(CURDIR)/$(VENV)/lib/libintelocl.so python tests/differential.py opencl:0 $(DIFFERENTIAL_SECONDS)

# The gate has the known answers of every hash; a runner of 64-bit ARM has all tests, beside the gate. CROSS_ALL=1, each
# night: all that computes, and the program, which on this machine nothing else builds for another. The rest is the same
# code on every machine, and the emulator is slow.
CROSS_SUITES := vectors,blake3,blake3_rows,sha256,check,names
CROSS_TESTS := (blake3|sha256|vectors).neon|check|isa.auto
ifdef CROSS_ALL
CROSS_SUITES := $(CROSS_SUITES),rescue,merge,elements,poseidon2,poseidon,extend,weighted_sums,constraints,leaves,tree,tree_policies,proof,$\
	commitment,buffers,policies,messages,hash_each,formats,misuse,overlaps,extreme_sizes
CROSS_TESTS := $(CROSS_TESTS)|(buffers|elements|messages|rescue_prime|trees).neon|formats|misuse|proofs
endif
.PHONY: cross
cross: $(VENV)/cmake ## build for 64-bit ARM and run C++ tests under qemu (CROSS_ALL=1: all that compute)
	@$(call build,cross-aarch64,-DMERKLIZE_TEST_SUITES=$(CROSS_SUITES),merklize-tests $(if $(CROSS_ALL),merklize-command))
	@ctest --preset cross-aarch64 -j $$(nproc) -R '^($(CROSS_TESTS))$$'

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
