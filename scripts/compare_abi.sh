#!/usr/bin/env bash
# Compares the binary interface of libmerklize.so with that of another commit, by abidiff (Debian's package
# abigail-tools).
#
#     compare_abi.sh [BASE]    BASE: a commit; without it the newest release
#
# Fails if an exported function went, or if a function or a public struct changed, unless MERKLIZE_ABI_VERSION differs.
# Functions that were added are allowed. Builds both libraries without optimization, in build/abi: four minutes on two
# cores.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-$(git tag --list 'v*' --sort=-v:refname | head -1)}
[ -n "$base" ] || { echo "no release so far: name a commit to compare with, as in make test-abi BASE=HEAD~1"; exit; }

build() { # build SOURCE FOLDER: the shared library with the facts for debuggers, which abidiff reads
    cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON -DMERKLIZE_BUILD_TESTS=OFF \
        -DMERKLIZE_BUILD_COMMAND=OFF --log-level=WARNING
    cmake --build "$2" -- --quiet
}
rm -rf build/abi/source
mkdir -p build/abi/source
git archive "$base" | tar x -C build/abi/source
build build/abi/source build/abi/base
build . build/abi/head
if abidiff --no-added-syms --headers-dir1 build/abi/source/include --headers-dir2 include \
    build/abi/base/src/libmerklize.so build/abi/head/src/libmerklize.so; then
    echo "the binary interface of $base is kept"
elif diff <(grep -h 'define MERKLIZE_ABI_VERSION' build/abi/source/include/merklize/version.h) \
    <(grep -h 'define MERKLIZE_ABI_VERSION' include/merklize/version.h) >/dev/null; then
    echo "$0: the binary interface of $base changed, and MERKLIZE_ABI_VERSION did not: raise it" >&2
    exit 1
fi
