//! Loops over OpenSSL's SHA-256, which uses the processor's SHA instructions, and tiny-keccak's Keccak-256.

use tiny_keccak::{Hasher, Keccak};

use crate::report::Runs;
use crate::trees;

type Node = [u8; 32];

fn sha256(pair: &[Node; 2]) -> Node {
    let mut hasher = openssl::sha::Sha256::new(); // without the look-ups of EVP
    hasher.update(pair.as_flattened());
    hasher.finish()
}

fn keccak256(pair: &[Node; 2]) -> Node {
    let mut node = Node::default();
    let mut hasher = Keccak::v256();
    hasher.update(pair.as_flattened());
    hasher.finalize(&mut node);
    node
}

pub fn tree(job: &str, log2_leaves: u32, runs: Runs) {
    let same = (|leaf| leaf, |node: &Node| *node);
    if job == "openssl-tree" {
        let version = openssl::version::version(); // "OpenSSL 3.0.19 27 Jan 2026"
        let version = version.split(' ').nth(1).unwrap_or(version);
        trees::run(("OpenSSL", version, job), log2_leaves, runs, same, sha256);
    } else {
        let version = env!("PEER_TINY_KECCAK");
        trees::run(
            ("tiny-keccak", version, job),
            log2_leaves,
            runs,
            same,
            keccak256,
        );
    }
}
