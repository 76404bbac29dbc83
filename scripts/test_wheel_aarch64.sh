#!/usr/bin/env bash
# Runs a wheel for 64-bit ARM under qemu, with the ARM build of the same Python from Debian's packages: hashes, builds,
# proves.
#
#   test_wheel_aarch64.sh WHEEL
#
# Needs qemu-user and apt-get; no root. The folder build/aarch64-python is kept for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(readlink -f "$1")
root=$PWD/build/aarch64-python
version=$(basename "$wheel" | sed -nE 's/.*-cp3([0-9]+)-.*/3.\1/p')
if [ ! -x "$root/usr/bin/python$version" ]; then
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
    apt() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$root/apt/lists" \
            -o Dir::State::status=/dev/null -o Dir::Cache="$root/apt" -o Debug::NoLocking=1 "$@"
    }
    apt update >&2
    (cd "$root/apt" && apt download "python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib" \
        libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8 libssl3 libbz2-1.0 liblzma5 >&2)
    for package in "$root/apt"/*.deb; do dpkg-deb -x "$package" "$root"; done
    rm -rf "$root/apt"
fi
site=$root/site
rm -rf "$site"
python -m pip install -q --target "$site" --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux2014_aarch64 --python-version "$version" --only-binary=:all: "$wheel"
PYTHONHOME=$root/usr PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 qemu-aarch64 -L "$root" "$root/usr/bin/python$version" - <<'END'
import tempfile

import numpy as np

import merklize

assert merklize.devices()[0].isa == "neon", merklize.devices()[0].isa
assert merklize.hash(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
leaves = np.arange(32 * 1000, dtype=np.uint8).reshape(1000, 32)
tree = merklize.MerkleTree(leaves)
assert merklize.verify(tree.prove(999), tree.root)
assert not merklize.verify(tree.prove(999), merklize.hash(b"another root"))
with tempfile.NamedTemporaryFile() as file:
    file.write(leaves.tobytes())
    file.flush()
    assert merklize.hash_file(file.name) == merklize.hash(leaves.tobytes())
print("the wheel hashes, builds and proves on", merklize.devices()[0].isa)
END
