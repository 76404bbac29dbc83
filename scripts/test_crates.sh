#!/usr/bin/env bash
# The Rust crates as they would be published: packages all, unpacks merklize-sys and merklize into FOLDER and tests them
# there with their default features. So the C++ library is built from what is in the package, and linked as the package
# says. Then the cache of built libraries, the documentation, the programs of the READMEs, and the crates where the
# library does not run.
#
#     test_crates.sh FOLDER
#
# Needs cargo, cmake and a C++ compiler; CMAKE_CXX_COMPILER_LAUNCHER=ccache is honoured.
set -euo pipefail
folder=$(realpath -m "$1")
scripts=$(realpath "$(dirname "$0")")
cd "$scripts/../rust"
unset MERKLIZE_LIB_DIR
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}

rm -rf "$CARGO_TARGET_DIR/package" "$folder"
mkdir -p "$folder"
# What is tested is the package, not the optimizer, which would take most of the time.
export CMAKE_TOOLCHAIN_FILE=$folder/quick.cmake
cat >"$CMAKE_TOOLCHAIN_FILE" <<'END'
set(CMAKE_CXX_FLAGS_RELEASE -DNDEBUG CACHE STRING "")
set(MERKLIZE_LANES widest CACHE STRING "")
END
cargo package -q --no-verify --allow-dirty
for crate in merklize-sys merklize; do
    mkdir -p "$folder/$crate"
    # Not the times of the package: all of them are the same, and a changed source would look old.
    tar xzmf "$CARGO_TARGET_DIR/package/$crate"-[0-9]*.crate -C "$folder/$crate" --strip-components 1
done
cat >"$folder/Cargo.toml" <<END
[workspace]
resolver = "2"
members = ["merklize-sys", "merklize"]

[patch.crates-io]
merklize-sys = { path = "merklize-sys" }
END
cd "$folder"
# A sibling of the folders below: as seen from the build folders of all three the sources lie at the same place, so
# ccache serves the second build of the library.
programs=$CARGO_TARGET_DIR
export CARGO_TARGET_DIR=$folder/target
cargo test -q --release

# Two target folders and other RUSTFLAGS share one library where MERKLIZE_BUILD_CACHE is set.
cache=$folder/cache
rm -rf "$cache"
for target in first second; do
    MERKLIZE_BUILD_CACHE=$cache RUSTFLAGS="--cfg $target" CARGO_TARGET_DIR=$folder/$target cargo test -q --release -p merklize-sys
done
kept=$(find "$cache" -name '*.library')
[[ $kept == *.library && $kept != *$'\n'* ]] || { echo "not one library in the cache: $kept" >&2; exit 1; }
built=$(find {first,second}/release/build -name CMakeCache.txt)
[[ $built == first/*/CMakeCache.txt && $built != *$'\n'* ]] || { echo "not built once, in the first folder: $built" >&2; exit 1; }

# The feature `fatbins`: CMake asks for nvcc, or the library has machine code, here of one hash for one architecture. It
# is built in the folder of the first build, so that ccache has the same commands.
nvcc=${MERKLIZE_NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)}
if [ -z "$nvcc" ]; then
    said=$(CARGO_TARGET_DIR=$folder/fatbins cargo build -p merklize --features fatbins 2>&1) && { echo "built without nvcc" >&2; exit 1; }
    [[ $said == *"Could not find MERKLIZE_NVCC"* ]] || { echo "$said" >&2; exit 1; }
else
    touch begun
    MERKLIZE_NVCC=$nvcc MERKLIZE_FATBIN_ARCHITECTURES=90 MERKLIZE_FATBIN_HASHES=sha256 cargo test -q --release -p merklize --features fatbins
    library=$(find "$CARGO_TARGET_DIR/release/build" -path '*/lib/libmerklize.a' -newer begun)
    [[ $(nm "$library" 2>&1) == *" mkz_fatbin_0"$'\n'* ]] || { echo "no machine code in the library: $library" >&2; exit 1; }
fi

# As docs.rs makes the documentation: without network, and without the library.
DOCS_RS=1 CARGO_TARGET_DIR=$folder/docs cargo doc -q --offline --no-deps --features merklize/digest,merklize/serde
built=$(find docs -name libmerklize.a)
[ -z "$built" ] || { echo "the documentation has built the library: $built" >&2; exit 1; }

MERKLIZE_LIB_DIR=$(dirname "$(find "$CARGO_TARGET_DIR/release/build" -path '*/lib/libmerklize.a' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)") \
    CARGO_TARGET_DIR=$programs python3 "$scripts/test_crate_readmes.py" "$folder/readers"
CARGO_TARGET_DIR=$programs "$scripts/test_other_systems.sh"
