#!/usr/bin/env bash
# The tests of merklize-plonky3 with another version of Plonky3 than its manifest names: the same sources, in a copy in
# FOLDER.
#
#     MERKLIZE_LIB_DIR=build/release/src scripts/test_plonky3.sh VERSION FOLDER
set -euo pipefail
version=$1 folder=$(realpath -m "$2")
cd "$(dirname "$0")/../rust"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}

rm -rf "$folder"
mkdir -p "$folder"
cp -r merklize-plonky3 "$folder"
# All of the workspace but its members.
sed "s/^members = .*/members = [\"merklize-plonky3\"]/; /^default-members/d; s#path = \"#path = \"$PWD/#
    /^\[profile.release.package.merklize-winterfell\]/,/^$/d; /^package.merklize-winterfell/d" Cargo.toml >"$folder/Cargo.toml"
sed -i -E "s/^(p3-[a-z0-9-]+ = (\{ version = )?)\"[^\"]*\"/\1\"$version\"/" "$folder/merklize-plonky3/Cargo.toml"
cd "$folder"
cargo test -q --release --no-default-features
