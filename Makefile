# Needs Python 3.11 or newer with venv and pip, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_OUT ?= build/demo
WORKERS ?= 2
# Bytecode is made when a module is first imported: most of what is installed never is.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile

# So it is kept, whatever the caller's environment says: without it each process would compile every module again.
export PYTHONDONTWRITEBYTECODE :=

# What compiles the kernels, and the entries and features that the demo needs
HOOK := ["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
COMPILER = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))$(HOOK)["compiler"])')
BUILD := $(BIN)/python src/supple/native/alone.py build
DEMO_ENTRIES := radau_run history motion_history accelerate
DEMO_FEATURES := "elastic bodies"

# A first run, which leaves the bytecode of what a run imports: later ones find it, also where none is written
FIRST_RUN := made=$$(mktemp -d) && { $(BIN)/supple new $$made/a.yaml && $(BIN)/supple run $$made/a.yaml; } >$$made/log; \
	code=$$?; [ $$code = 0 ] || cat $$made/log; rm -r $$made; exit $$code

# One thread for each worker: the machine's cores go to the workers, and results do not
# depend on how a library splits its sums.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help venv tools wheel demo docs gallery test quick lint test-slow test-browser test-native bench nojit warmup clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(VENV)/.with-package ## .venv with the package in it

tools: $(VENV)/.with-tests ## .venv with the package, all kernels and the test tools

# Stamps: an environment is installed again only when pyproject.toml has changed.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Supple needs Python 3.11 or newer; try make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.with-compiler: pyproject.toml | $(BIN)/python
	@echo "installing the compiler of the kernels into $(VENV)"
	@$(PIP) $(COMPILER)
	@touch $@

# The kernels are compiled while the rest is installed; they need nothing of it.
$(VENV)/.with-package: pyproject.toml | $(VENV)/.with-compiler
	@echo "installing supple into $(VENV); meanwhile its kernels are compiled"
	@$(BUILD) $(DEMO_ENTRIES) --features $(DEMO_FEATURES) & build=$$!; $(PIP) --editable . || { kill $$build; exit 1; }; wait $$build
	@touch $@

$(VENV)/.with-tests: pyproject.toml | $(VENV)/.with-compiler
	@echo "installing supple and its test tools into $(VENV); meanwhile its kernels are compiled"
	@$(ONE_THREAD) $(BUILD) & build=$$!; $(PIP) --editable '.[test]' || { kill $$build; exit 1; }; wait $$build
	@$(FIRST_RUN)
	@touch $@ $(VENV)/.with-package

$(VENV)/.with-browser: pyproject.toml | $(VENV)/.with-tests
	@$(PIP) --editable '.[browser]'
	@touch $@

$(VENV)/.with-wheels: pyproject.toml | $(VENV)/.with-package
	@$(PIP) --editable '.[wheels]'
	@touch $@

$(VENV)/.with-bench: pyproject.toml | $(VENV)/.with-compiler
	@echo "installing supple and the programs it is measured against into $(VENV)"
	@$(PIP) --editable '.[bench]'
	@touch $@ $(VENV)/.with-package

demo: $(VENV)/.with-package ## simulate a two-link arm, check its energy, draw and animate it
	@$(BIN)/supple demo --out $(DEMO_OUT)

# The tests build it too, so that a link that leads nowhere is found.
docs: $(VENV)/.with-tests ## the documentation as a site that needs no network, in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict && echo "build/site/index.html"

gallery: $(VENV)/.with-tests ## run the scripts of the gallery and draw its pictures again
	@$(ONE_THREAD) $(BIN)/python website/gallery.py

# Linked for an old C library, so that it runs on other machines than this one and package indexes take it. The copy is
# for Pythons that do not take extension modules of the limited API, as free-threaded ones; others prefer the first.
wheel: $(VENV)/.with-wheels ## wheels for package indexes, in dist
	@SUPPLE_GLIBC=2.17 $(BIN)/hatchling build --target wheel --directory dist
	@if [ "$$(uname)" = Linux ]; then $(BIN)/auditwheel show dist/supple-*-abi3-*.whl; fi
	@$(BIN)/abi3audit --strict --report dist/supple-*-abi3-*.whl
	@$(BIN)/python -m wheel tags --python-tag py3 --abi-tag none dist/supple-*-abi3-*.whl

# Before tests and benchmarks, so that these do not wait for the compiler.
warmup: $(VENV)/.with-package ## compile all kernels into the cache
	@$(ONE_THREAD) $(BIN)/supple warmup

lint: $(VENV)/.with-tests ## style, types, import contracts
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

test: $(VENV)/.with-tests warmup ## lint, all quick tests, the no-JIT run
	@$(MAKE) --no-print-directory -j $(WORKERS) lint nojit
	@$(MAKE) --no-print-directory quick

# The list of the slowest shows what has come to take more than 3 s, and is marked slow then.
quick: $(VENV)/.with-tests warmup ## all quick tests, and the list of the twenty slowest
	@$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --durations 20

test-slow: $(VENV)/.with-tests warmup ## the long studies
	@$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) -m "slow or hypothesis" --hypothesis-profile=full
	@NUMBA_DISABLE_JIT=1 $(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) tests/nojit -m slow

test-browser: $(VENV)/.with-browser warmup ## pages in a headless Chromium, if there is one
	@$(ONE_THREAD) $(BIN)/python -m pytest tests/visualization/test_viewer.py -m slow -rs

test-native: $(VENV)/.with-tests warmup ## crafted images, FMUs and calls of the launcher, with sanitizers
	@{ command -v cc || command -v gcc || command -v clang; } >/dev/null || { echo "make test-native needs a C compiler, e.g. gcc, with its sanitizers"; exit 1; }
	@$(ONE_THREAD) $(BIN)/python -m pytest tests/native/test_native_safety.py tests/native/test_trust.py -m "slow or not slow" -rs

nojit: $(VENV)/.with-tests ## the kernels as plain Python: errors that compiled code hides
	@NUMBA_DISABLE_JIT=1 $(ONE_THREAD) $(BIN)/python -m pytest tests/nojit

bench: $(VENV)/.with-bench warmup ## speed against other programs; nothing else should be running
	@$(ONE_THREAD) $(BIN)/python benchmarks/report.py

clean: ## remove the environment, builds and caches
	@rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
