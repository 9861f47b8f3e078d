#!/bin/sh
# Check the code and run the tests, with the tools of .venv.
#
#   sh tools/check.sh lint          the checks alone
#   sh tools/check.sh test [ARGS]   the checks, then every test; ARGS go to pytest
#   sh tools/check.sh vm [ARGS]     the tests that boot a guest, and how long they took
#
# Each check runs even if an earlier one failed; the exit code tells whether any did.
set -u

cd -- "$(dirname -- "$0")/.." || exit 2
PATH=$PWD/.venv/bin:$PATH
export PATH
failed=

check() {
  printf 'check: %s\n' "$*"
  "$@" || failed="$failed
  $*"
}

lint() {
  check ruff check --quiet
  check ruff format --check --quiet
  check mypy
  check lint-imports
  check python -m tools.build_notebooks --check
  check python -m tools.build_data_dictionary --check
  check nbstripout --verify notebooks/*.ipynb
  check python -m tools.check_docstrings
}

run_tests() {
  TMPDIR=$(mktemp -d) # pytest would leave its last folders behind
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
  trap 'exit 130' INT TERM
  check python -m pytest "$@"
}

run_guest_tests() {
  began=$(date +%s)
  run_tests -m vm --durations=10 tests/vm "$@"
  took=$(($(date +%s) - began))
  printf 'check: the tests in the guest took %d min %02d s\n' $((took / 60)) $((took % 60))
}

mode=${1:-}
case $mode in
  lint) lint ;;
  test)
    shift
    lint
    run_tests "$@"
    ;;
  vm)
    shift
    run_guest_tests "$@"
    ;;
  *)
    echo 'usage: sh tools/check.sh lint | test [ARGS] | vm [ARGS]' >&2
    exit 2
    ;;
esac

if [ -n "$failed" ]; then
  printf 'check: FAILED:%s\n' "$failed" >&2
  exit 1
fi
echo 'check: everything passed'
