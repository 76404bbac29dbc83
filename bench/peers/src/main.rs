//! Measures the published packages that merklize's benchmarks compare with. README.md says what each job is.

mod args;
#[cfg(feature = "formats")]
mod byte_hashes;
#[cfg(feature = "miden")]
mod miden;
mod official;
#[cfg(feature = "formats")]
mod plonky3;
mod report;
#[cfg(any(feature = "formats", feature = "miden"))]
mod trees;
mod winterfell;

use std::process::ExitCode;

use args::Args;
use report::{Row, Runs};

const USAGE: &str = "\
usage: peers JOB [--repeats R] [--threads T]
  digest          --bytes N
  hash-many-tree  --log2-leaves K
  winterfell-tree --hash blake3|rp64_256 --log2-leaves K
  rp64-merge      --variant v1|v3 [--merges M]
  versions
with the feature formats:
  openssl-tree, keccak-tree                          --log2-leaves K
  plonky3-permutations, plonky3-tree, plonky3-rows   --hash poseidon2_... --log2-leaves K
  plonky3-keccak                                     --log2-leaves K
with the feature miden:
  rescue-tree     --hash rpo256|rpx256 --log2-leaves K
prints one JSON object a line; R is 10 and T is 1 unless given";

fn versions() {
    Row::new()
        .text("blake3", env!("PEER_BLAKE3"))
        .text("winter-crypto", env!("PEER_WINTER"))
        .text("winter-crypto v1", env!("PEER_WINTER_V1"))
        .text("rayon", env!("PEER_RAYON"))
        .text("rustc", env!("PEER_RUSTC"))
        .text("target_cpu", env!("PEER_TARGET_CPU"))
        .text("simd", &official::instruction_set())
        .whole("simd_degree", official::simd_degree())
        .print();
}

fn run() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let job = words.next().ok_or(USAGE)?;
    if job == "--help" || job == "-h" {
        println!("{USAGE}");
        return Ok(());
    }
    let mut args = Args::parse(words)?;
    if job == "versions" {
        args.finish()?;
        versions();
        return Ok(());
    }

    let shares = ["digest", "hash-many-tree", "winterfell-tree"].contains(&job.as_str());
    let threads_allowed = if shares { 1024 } else { 1 };
    let runs = Runs {
        repeats: args.number("repeats", Some(10), 1, 1_000_000)?,
        threads: args.number("threads", Some(1), 1, threads_allowed)?,
    };
    official::self_check()?;
    winterfell::self_check()?;

    match job.as_str() {
        "digest" => {
            let bytes = args.number("bytes", None, 0, 1 << 40)?;
            args.finish()?;
            official::digest(bytes, runs)
        }
        "hash-many-tree" => {
            let log2_leaves = args.number("log2-leaves", None, 1, 32)? as u32;
            args.finish()?;
            official::hash_many_tree(log2_leaves, runs)
        }
        "winterfell-tree" => {
            let hash = args.choice("hash", &["blake3", "rp64_256"])?;
            let log2_leaves = args.number("log2-leaves", None, 1, 32)? as u32;
            args.finish()?;
            winterfell::tree(&hash, log2_leaves, runs)
        }
        "rp64-merge" => {
            let variant = args.choice("variant", &["v1", "v3"])?;
            let merges = args.number("merges", Some(20_000), 1, 1 << 28)?;
            args.finish()?;
            winterfell::merges(&variant, merges, runs);
            Ok(())
        }
        #[cfg(feature = "formats")]
        "openssl-tree" | "keccak-tree" => {
            let log2_leaves = args.number("log2-leaves", None, 1, 32)? as u32;
            args.finish()?;
            byte_hashes::tree(&job, log2_leaves, runs);
            Ok(())
        }
        #[cfg(feature = "formats")]
        "plonky3-permutations" | "plonky3-tree" | "plonky3-rows" => {
            let hash = args.choice("hash", &plonky3::HASHES)?;
            let log2_leaves = args.number("log2-leaves", None, 4, 32)?;
            args.finish()?;
            plonky3::run(&job, &hash, 1 << log2_leaves, runs);
            Ok(())
        }
        #[cfg(feature = "formats")]
        "plonky3-keccak" => {
            let log2_leaves = args.number("log2-leaves", None, 4, 32)?;
            args.finish()?;
            plonky3::keccak(1 << log2_leaves, runs);
            Ok(())
        }
        #[cfg(feature = "miden")]
        "rescue-tree" => {
            let hash = args.choice("hash", &["rpo256", "rpx256"])?;
            let log2_leaves = args.number("log2-leaves", None, 1, 32)? as u32;
            args.finish()?;
            miden::tree(&hash, log2_leaves, runs);
            Ok(())
        }
        _ => Err(format!("unknown job '{job}'\n{USAGE}")),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("peers: {message}");
            ExitCode::FAILURE
        }
    }
}
