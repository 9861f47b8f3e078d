#!/bin/sh
# Install what ssdlab needs: system packages, with sufficient privileges, then .venv.
#
#   sh tools/setup.sh check   list what is missing and how to install it; change nothing
#   sh tools/setup.sh run     install what measuring needs
#   sh tools/setup.sh test    the same, and what only the tests need
#   sh tools/setup.sh vm      as run, and what the tests in a guest need
#   sh tools/setup.sh lab     as run, and what the tests of a lab need
#
# It is idempotent: it does only what is left to do.
set -eu

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
VENV=$ROOT/.venv
MODE=${1:-run}
early= # the process that creates the environment meanwhile

say() { printf 'setup: %s\n' "$*"; }

# --- What is missing: one line per item, "name|purpose|package" ---------------

is_new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

has_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

# The first Python that can create an environment; otherwise the first new enough. One of
# the distribution goes first: compiled with profiles, it takes up to half the time of
# one that pyenv compiled.
find_python() {
  fallback=
  for name in python3.13 python3.12 python3.11 python3; do
    case :$PATH: in *:/usr/bin:*) candidates="/usr/bin/$name $name" ;; *) candidates=$name ;; esac
    for python in $candidates; do
      is_new_enough "$python" || continue
      if has_venv "$python"; then
        printf '%s\n' "$python"
        return
      fi
      fallback=${fallback:-$python}
    done
  done
  printf '%s\n' "$fallback"
}

has_plugin_header() {
  printf '#include <nbdkit-plugin.h>\n' | cc -E -DNBDKIT_API_VERSION=2 - >/dev/null 2>&1
}

has_c_library() { printf '#include <stdio.h>\n' | cc -E - >/dev/null 2>&1; }

has_browser() {
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && return
  done
  return 1
}

has_partitioner() { PATH=$PATH:/usr/sbin:/sbin command -v sfdisk >/dev/null 2>&1; }

python_packages() {
  if apt-cache show python3.11 2>/dev/null | grep -q '^Package:'; then
    echo 'python3.11 python3.11-venv'
  else
    echo 'python3 python3-venv'
  fi
}

missing_python() {
  python=$(find_python)
  if [ -z "$python" ]; then
    echo "Python 3.11 or newer|everything|$(python_packages)"
  elif ! has_venv "$python"; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "the venv module of $python|the environment .venv|python$version-venv"
  fi
}

missing_pieces() {
  missing_python
  fio --version >/dev/null 2>&1 || echo 'fio|every measurement|fio'
  nbdkit --version >/dev/null 2>&1 || echo 'nbdkit|the virtual SSD|nbdkit'
  if ! command -v cc >/dev/null 2>&1; then
    echo 'cc, a C compiler|building the virtual SSD|gcc libc6-dev'
    echo 'nbdkit-plugin.h|building the virtual SSD|nbdkit-plugin-dev'
    return
  fi
  has_c_library || echo 'stdio.h|building the virtual SSD|libc6-dev'
  has_plugin_header || echo 'nbdkit-plugin.h|building the virtual SSD|nbdkit-plugin-dev'
}

# Programs to boot the guest, and to create and erase devices in it: "program package".
GUEST_TOOLS='qemu-system-x86_64 qemu-system-x86
qemu-img qemu-utils
busybox busybox-static
cpio cpio
modprobe kmod
zstd zstd
setpriv util-linux
sudo sudo
setfacl acl
nvme nvme-cli
smartctl smartmontools
hdparm hdparm
sg_inq sg3-utils
sdparm sdparm
dmsetup dmsetup
mdadm mdadm
lvm lvm2
cryptsetup cryptsetup-bin
sgdisk gdisk
sfdisk fdisk
parted parted
make-bcache bcache-tools
multipath multipath-tools
mkfs.xfs xfsprogs
mkfs.btrfs btrfs-progs
udevadm udev'

# Programs of the engines that the tests of a lab start and kill: "program package".
SLURM_TOOLS='slurmctld slurmctld
slurmd slurmd
sbatch slurm-client
munged munge'
LAB_TOOLS="$SLURM_TOOLS
sshd openssh-server
rsync rsync
pg_ctlcluster postgresql"

missing_tools() {
  printf '%s\n' "$1" | while read -r program package; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null 2>&1 ||
      echo "$program|$2|$package"
  done
}

all_missing_pieces() {
  missing_pieces
  case $MODE in
    vm) missing_tools "$GUEST_TOOLS" 'the tests in a guest' ;;
    lab) missing_tools "$LAB_TOOLS" 'the tests of a lab' ;;
  esac
}

packages_of() { printf '%s\n' "$1" | cut -d '|' -f 3 | xargs; }

# --- Installing from the distribution -----------------------------------------

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  [ "$(id -u)" -eq 0 ] || sudo -n true >/dev/null 2>&1
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

# A first attempt may fail half-way although the second succeeds: try twice.
install_packages() {
  say "installing from the distribution: $*"
  apt install -y --no-install-recommends "$@" && return
  say 'installation failed; retrying'
  apt update && apt install -y --no-install-recommends "$@"
}

explain() {
  echo 'ssdlab needs programs that are missing on this machine:'
  printf '%s\n' "$1" | while IFS='|' read -r piece purpose package; do
    printf '  %-28s for %s (package %s)\n' "$piece" "$purpose" "$package"
  done
  echo 'On Debian or Ubuntu, install them with:'
  echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $(packages_of "$1")"
  echo 'On other systems, use their package manager.'
}

get_pieces() {
  pieces=$(all_missing_pieces)
  [ -n "$pieces" ] || return 0
  if [ "$MODE" != check ] && may_install; then
    begin_environment
    apt update || true # the name of the Python package depends on fresh lists
    pieces=$(all_missing_pieces)
    # shellcheck disable=SC2046 # one word per package
    install_packages $(packages_of "$pieces") || true
    pieces=$(all_missing_pieces)
    [ -n "$pieces" ] || return 0
  fi
  explain "$pieces" >&2
  exit 2
}

# What only tests need: they are skipped if it is missing and cannot be installed.
get_test_programs() {
  packages=
  has_browser || packages='chromium fonts-dejavu-core'
  has_partitioner || packages="$packages fdisk"
  # Daemons are not for everybody's machine: `make test-lab` installs them.
  if [ -n "${CI:-}" ]; then
    packages="$packages $(packages_of "$(missing_tools "$SLURM_TOOLS" tests)")"
  fi
  packages=$(echo "$packages" | xargs)
  [ -n "$packages" ] || return 0
  if may_install; then
    begin_environment
    apt update || true
    # shellcheck disable=SC2086 # one word per package
    install_packages $packages || true
  fi
  has_browser || skip_without Chromium chromium fonts-dejavu-core
  has_partitioner || skip_without sfdisk fdisk
}

skip_without() {
  say "$1 is missing: the tests that need it are skipped."
  shift
  say "To run them: sudo apt-get install -y $*"
}

# --- The environment ----------------------------------------------------------

venv_works() { is_new_enough "$VENV/bin/python"; }

pip() { "$VENV/bin/python" -m pip --disable-pip-version-check --no-cache-dir "$@"; }

is_stamped() { [ "$(cat "$VENV/$1" 2>/dev/null)" = "$2" ]; }

# uv takes seconds where pip takes most of a minute. It does not read pip's files of
# settings: pip does it where uv fails, for example behind an index of one's own.
install_lock() {
  awk '/^uv==/ { ours = 1 } ours { print } ours && !/\\$/ { exit }' \
    "$ROOT/requirements.lock" >"$VENV/uv.txt"
  set -- --quiet --no-deps --require-hashes -r
  if ! { pip install --no-compile "$@" "$VENV/uv.txt" &&
    run_uv "$@" "$ROOT/requirements.lock"; }; then
    say 'uv failed; installing with pip'
    pip install --no-compile "$@" "$ROOT/requirements.lock"
  fi
  rm -f "$VENV/uv.txt"
  # jsonschema would load its 35 grammars, of addresses that no notebook has, for a
  # second whenever Jupyter starts.
  rm -rf "$VENV"/lib/python*/site-packages/rfc3987_syntax
}

run_uv() {
  SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-}}
  UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-${PIP_INDEX_URL:-}}
  [ -z "$SSL_CERT_FILE" ] || export SSL_CERT_FILE
  [ -z "$UV_DEFAULT_INDEX" ] || export UV_DEFAULT_INDEX
  "$VENV/bin/python" -m uv pip install --no-cache --no-config \
    --python "$VENV/bin/python" "$@"
}

# The environment is recreated if the lock, the folder or the Python changed.
install_locked() {
  wanted="$ROOT|$("$1" -c 'import sys; print(sys.version.split()[0])')|$(cksum <"$ROOT/requirements.lock")"
  venv_works && is_stamped ssdlab-lock "$wanted" && return
  say "creating .venv with $1 from requirements.lock (a minute)"
  if [ -f "$VENV/ssdlab-lock" ] || ! venv_works; then
    "$1" -m venv --clear "$VENV"
  else
    "$1" -m venv "$VENV"
  fi
  rm -f "$VENV/ssdlab-lock" "$VENV/ssdlab-package"
  install_lock
  # Compiling on all processors is faster than pip. Tests of packages, packages that
  # are compiled already, and those of which little is used are skipped.
  rarely='/(tests|pip|mypyc?|debugpy|setuptools|sphinx|snowballstemmer|docutils|moto|lexers)/'
  "$VENV/bin/python" -m compileall -qq -j 0 -x "$rarely" "$VENV/lib" || :
  printf '%s\n' "$wanted" >"$VENV/ssdlab-lock"
}

# Creates the environment while the distribution installs packages, if it has Python.
begin_environment() {
  python=$(find_python)
  if [ -n "$early" ] || [ -z "$python" ] || ! has_venv "$python"; then return 0; fi
  install_locked "$python" &
  early=$!
  trap 'kill "$early" 2>/dev/null || :' EXIT
}

finish_environment() {
  if [ -n "$early" ]; then
    wait "$early"
    trap - EXIT
  fi
  install_locked "$(find_python)"
}

install_package() {
  wanted=$(cksum <"$ROOT/pyproject.toml")
  is_stamped ssdlab-package "$wanted" && return
  say 'installing ssdlab itself, as editable'
  pip install --quiet --no-deps --no-build-isolation -e "$ROOT"
  printf '%s\n' "$wanted" >"$VENV/ssdlab-package"
}

build_kernels() {
  "$VENV/bin/python" -m ssdlab.fio.kernels ||
    say 'the C scanners cannot be built here: fio logs are read by slower numpy code'
}

case $MODE in
  check)
    get_pieces
    say 'every program that ssdlab needs is installed'
    ;;
  run | test | vm | lab)
    get_pieces
    if [ "$MODE" = test ]; then get_test_programs; fi
    finish_environment
    install_package
    build_kernels
    say 'ready'
    ;;
  *)
    echo "usage: sh tools/setup.sh [check|run|test|vm|lab]" >&2
    exit 2
    ;;
esac
