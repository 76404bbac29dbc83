#!/bin/sh
# Where Python.h lies, for machines with python3 but without its development package: fetches that package of the same
# distribution into a folder of ours, without root.
#
#   python_headers.sh PYTHON FOLDER
#
# Prints nothing if PYTHON has its headers; else the include folder to hand to the compiler and to CMake.
set -eu
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)

include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
[ -e "$include/Python.h" ] && exit 0
version=$(basename "$include") # python3.11
ours=$folder/usr/include/$version
if [ ! -e "$ours/Python.h" ]; then
    if ! command -v apt-get >/dev/null; then
        echo "Python.h is missing: install the development package of $version (python3-dev or python3-devel)" >&2
        exit 1
    fi
    echo "Python.h is missing: fetching lib$version-dev" >&2
    # Package lists and archives of our own, so that root is not needed and the system's stay as they are.
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    apt() {
        apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt" -o Debug::NoLocking=1 "$@"
    }
    apt update >&2
    (cd "$folder/apt" && apt download "lib$version-dev" >&2)
    for package in "$folder/apt"/*.deb; do dpkg-deb -x "$package" "$folder"; done
    rm -rf "$folder/apt"
fi
echo "$ours"
