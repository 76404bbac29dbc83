#!/usr/bin/env bash
# The Rust crates as they would be published: packages all, unpacks merklize-sys and merklize into FOLDER and tests them there with
# their default features. So the C++ library is built from what is in the package, and linked as the package says.
#
#     test_crates.sh FOLDER
#
# Needs cargo, cmake and a C++ compiler; CMAKE_CXX_COMPILER_LAUNCHER=ccache is honoured.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/../rust"
unset MERKLIZE_LIB_DIR
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}

rm -rf "$CARGO_TARGET_DIR/package" "$folder"
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
cargo test -q --release
