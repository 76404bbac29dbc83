//! Tells the program which package versions and which compiler it was built with.
//!
//! The packages export no version, so this reads the lock file that cargo has written by the time a build script runs.

use std::{env, fs, path::Path, process::Command};

/// Versions of `package` in the text of a lock file, in the file's order.
fn locked_versions<'a>(lock: &'a str, package: &str) -> Vec<&'a str> {
    let name_line = format!("name = \"{package}\"");
    let mut versions = Vec::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        if line == name_line {
            let version = lines.next().and_then(|l| l.strip_prefix("version = \""));
            versions.extend(version.and_then(|v| v.strip_suffix('"')));
        }
    }
    versions
}

/// Value of `-C target-cpu` among the flags that cargo hands to rustc.
fn target_cpu() -> String {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    flags
        .split('\u{1f}')
        .filter_map(|flag| flag.trim_start_matches("-C").strip_prefix("target-cpu="))
        .next_back()
        .unwrap_or("generic")
        .to_string()
}

fn main() {
    let lock_path = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("Cargo.lock");
    let lock = fs::read_to_string(&lock_path).expect("cargo writes Cargo.lock before it builds");

    let pick = |package: &str, prefix: &str| -> String {
        let all = locked_versions(&lock, package);
        let found = all.iter().find(|v| v.starts_with(prefix));
        found
            .unwrap_or_else(|| panic!("no {package} {prefix}* in Cargo.lock"))
            .to_string()
    };
    let rustc = Command::new(env::var("RUSTC").unwrap())
        .arg("--version")
        .output();
    let rustc = rustc.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());

    println!("cargo::rustc-env=PEER_BLAKE3={}", pick("blake3", "1."));
    println!("cargo::rustc-env=PEER_RAYON={}", pick("rayon", "1."));
    println!(
        "cargo::rustc-env=PEER_WINTER={}",
        pick("winter-crypto", "0.13.")
    );
    println!(
        "cargo::rustc-env=PEER_WINTER_V1={}",
        pick("winter-crypto", "0.3.")
    );
    println!(
        "cargo::rustc-env=PEER_PLONKY3={}",
        pick("p3-symmetric", "0.8.")
    );
    println!(
        "cargo::rustc-env=PEER_TINY_KECCAK={}",
        pick("tiny-keccak", "2.")
    );
    println!(
        "cargo::rustc-env=PEER_MIDEN={}",
        pick("miden-crypto", "0.36.")
    );
    println!(
        "cargo::rustc-env=PEER_RUSTC={}",
        rustc.unwrap_or_else(|_| "unknown".into())
    );
    println!("cargo::rustc-env=PEER_TARGET_CPU={}", target_cpu());
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
}
