# `make run` measures, `make test` checks. All files are written below this folder.

TARGET ?= virtual
PROFILE ?= demo
TESTS ?= iops,tp,lat,wsat
RUNS ?= data/runs
CAMPAIGN ?= build/campaign
PYTEST_ARGS ?=
LANE ?= pure
FUZZ_SECONDS ?= 600
LOCK_PYTHON ?= python3.11

BIN := .venv/bin
# Keeps files of Jupyter, IPython and caches out of the home folder.
STATE := $(CURDIR)/.venv/var
export IPYTHONDIR := $(STATE)/ipython
export JUPYTER_CONFIG_DIR := $(STATE)/jupyter/config
export JUPYTER_DATA_DIR := $(STATE)/jupyter/data
export JUPYTER_RUNTIME_DIR := $(STATE)/jupyter/runtime
export XDG_CACHE_HOME := $(STATE)/cache

.PHONY: help setup setup-test setup-vm setup-lab run campaign test quick lane test-vm test-lab lint same fuzz bench docs notebooks gallery \
  samples site wheel lab lock clean distclean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## install fio, nbdkit and a compiler, and create .venv from requirements.lock
	@sh tools/setup.sh run

setup-test:
	@sh tools/setup.sh test

setup-vm:
	@sh tools/setup.sh vm

setup-lab:
	@sh tools/setup.sh lab

run: setup ## run the PTS suite on the virtual SSD (TARGET, PROFILE, TESTS, RUNS)
	@echo "run: $(TESTS) on $(TARGET), profile $(PROFILE)"
	@$(BIN)/ssdlab run --target "$(TARGET)" --profile "$(PROFILE)" \
	  --tests "$(TESTS)" --runs "$(RUNS)"

campaign: setup ## run a campaign of five virtual SSDs in three hosts, to a fleet page (CAMPAIGN)
	@$(BIN)/python -m tools.demo_campaign "$(CAMPAIGN)"

test: setup-test ## check the code and run every test, lane by lane (PYTEST_ARGS)
	@$(BIN)/python -m tools.check test $(PYTEST_ARGS)

quick: setup ## check the changes since the main branch, in less than a minute
	@$(BIN)/python -m tools.check quick

lane: setup-test ## run one lane of tests: timed, fio, slurm, pages, pure, simulations (LANE)
	@$(BIN)/python -m tools.check lane $(LANE) $(PYTEST_ARGS)

test-vm: setup-vm ## run the tests on NVMe, ATA and SCSI drives of a guest (PYTEST_ARGS)
	@$(BIN)/python -m tools.check vm $(PYTEST_ARGS)

test-lab: setup-lab ## kill campaigns and their engines, Slurm among them (PYTEST_ARGS)
	@$(BIN)/python -m tools.check lab $(PYTEST_ARGS)

lint: setup ## check the code without running the tests
	@$(BIN)/python -m tools.check lint

same: setup-test ## compare the outputs for known runs with the accepted ones
	@$(BIN)/python -m tools.same

fuzz: setup-test ## fuzz the parsers (FUZZ_SECONDS)
	@$(BIN)/python -m pip install --quiet -e '.[fuzz]'
	@$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS)

bench: setup ## benchmark the parsers against their peers
	@$(BIN)/python -m pip install --quiet -e '.[bench]'
	@$(BIN)/python -m benchmarks.parse

site: setup ## build the documentation as a site, in build/site
	@$(BIN)/python -m tools.build_site

wheel: setup ## build the sdist and the wheels, pure and with libraries, into dist
	@$(BIN)/python -m tools.build_wheels

docs: setup ## rebuild docs/data-dictionary.md and docs/reference
	@$(BIN)/python -m tools.build_data_dictionary
	@$(BIN)/python -m tools.build_reference

notebooks: setup ## rebuild notebooks/*.ipynb from their scripts
	@$(BIN)/python -m tools.build_notebooks

gallery: setup ## build build/gallery.html, a page with every figure
	@$(BIN)/python -m tools.build_gallery

samples: setup ## record data/samples again; do not use the machine meanwhile
	@$(BIN)/python -m tools.make_samples

lab: setup ## open the notebooks in JupyterLab
	@$(BIN)/ssdlab lab notebooks

lock: ## update requirements.lock, on the oldest Python that ssdlab supports
	@$(LOCK_PYTHON) -m venv --clear build/lock
	@build/lock/bin/python -m pip install --quiet --no-cache-dir pip-tools==7.6.2
	@CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --upgrade \
	  --no-config --cache-dir build/lock/cache --generate-hashes --allow-unsafe \
	  --strip-extras --extra fleet --extra lab --extra ocp --extra postgresql \
	  --extra dashboard --extra dev --extra docs --no-emit-index-url \
	  --no-emit-trusted-host --no-emit-find-links \
	  --output-file requirements.lock pyproject.toml tools/lock.in
	@echo "lock: requirements.lock was updated; update environment.yml and run make test"

clean: ## delete build outputs; keep .venv and the measured runs
	@rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache \
	  .import_linter_cache .hypothesis .coverage
	@find . -path ./.venv -prune -o -path ./data -prune -o \
	  -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -exec rm -rf {} +

distclean: clean ## also delete .venv; keep the measured runs
	@rm -rf .venv
