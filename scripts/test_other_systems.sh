#!/usr/bin/env bash
# The Rust crates where the library does not run: `cargo check` for macOS and Windows, for the targets that rustup has
# added; then, on this machine, the test of merklize's errors and those of the adapters, whose commitments and proofs
# are the provers' own.
#
#     test_other_systems.sh [--all]
#
# Of Plonky3's adapter those of commitments; with --all of openings and proofs, too, which take minutes to compile.
# Needs cargo and no C++ compiler.
set -euo pipefail
cd "$(dirname "$0")/../rust"
unset MERKLIZE_LIB_DIR
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}

# Cargo builds a build script for this machine, so it is a program of its own for the others.
script=$CARGO_TARGET_DIR/build-script
mkdir -p "$script/src"
cp merklize-sys/build_cache.rs "$script/src"
cp merklize-sys/build.rs "$script/src/main.rs"
cat >"$script/Cargo.toml" <<'END'
[package]
name = "build-script"
edition = "2021"
[workspace]
[features]
default = ["bundled", "fatbins"]
bundled = []
fatbins = []
system = []
[dependencies]
cmake = "0.1.50"
END
# The crate blake3 of the provers asks for the other systems' C compilers otherwise; `cargo check` links nothing.
export CARGO_FEATURE_PURE=1
crates=(-p merklize-sys -p merklize -p merklize-winterfell -p merklize-plonky3)
for target in x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-gnu; do
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
        cargo check -q --target "$target" --manifest-path "$script/Cargo.toml"
        cargo check -q --target "$target" "${crates[@]}" --features merklize/digest,merklize/serde
    else
        echo "skipped: rustup target add $target"
    fi
done

unset CARGO_FEATURE_PURE
export MERKLIZE_WITHOUT_LIBRARY=1
cargo test -q --release -p merklize --test without_library
cargo test -q --release -p merklize-winterfell --test stock
tests=(--test mmcs)
[ "${1:-}" != --all ] || tests+=(--test pcs --test extensions --test binary_pcs --test proofs)
cargo test -q --release -p merklize-plonky3 "${tests[@]}"
