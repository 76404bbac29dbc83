# The npm package, the page that verifies, and the documentation.

# clang++ with wasm-ld of the system, or zig from pip, which has both.
$(VENV)/wasm-tools: $(VENV)/made
	@python web/build.py --has-tools || { echo "== installing zig"; python -m pip install -q ziglang; }
	@touch $@

.PHONY: wasm
wasm: $(VENV)/wasm-tools ## the npm package, in build/web/merklize
	@echo "== WebAssembly"
	@python web/build.py

WEB_TEST_TOOLS := playwright-core@1.65.1 typescript@5.9.3 webpack@5.113.0 esbuild@0.28.2 vite@8.4.0

.PHONY: test-web
test-web: wasm $(VENV)/package ## tests of the npm package and the page, where node and Chromium are found
	@$(call needs,node,tests of the npm package are); \
	python web/test/library.py build/web/library.json; \
	npm install --prefix build/node-page --no-save --no-package-lock --no-audit --no-fund --silent $(WEB_TEST_TOOLS) || \
		echo "no npm packages: neither the page nor bundles are tested in a browser, nor the types"; \
	echo "== tests in Node and Chromium"; \
	MERKLIZE_NODE_MODULES=$(CURDIR)/build/node-page/node_modules \
		node --test --test-reporter=tap web/test/*.test.mjs >build/web/test.log || \
		{ grep -A 30 '^ *not ok' build/web/test.log; exit 1; }; \
	grep -E '^# (pass|fail|skipped)' build/web/test.log


DOCS_TOOLS := 'mkdocs-material==9.8.*' 'mkdocstrings==1.0.*' 'mkdocstrings-python==2.0.*' 'ruff==0.17.*'
$(VENV)/docs-tools: $(VENV)/made scripts/make/web-and-docs.mk
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
