//! miden-crypto's Rescue Primes, whose permutation uses AVX2 or AVX-512 where the build allows it.

use miden_crypto::hash::rpo::Rpo256;
use miden_crypto::hash::rpx::Rpx256;
use miden_crypto::{Felt, Word};

use crate::report::Runs;
use crate::trees;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = 0xffff_ffff_0000_0001;

fn leaf(bytes: [u8; 32]) -> Word {
    let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
    Word::new(std::array::from_fn(|i| {
        Felt::new_unchecked(word(i) % MODULUS)
    }))
}

fn bytes(node: &Word) -> [u8; 32] {
    node.as_bytes()
}

pub fn tree(hash: &str, log2_leaves: u32, runs: Runs) {
    let merge = if hash == "rpo256" {
        Rpo256::merge
    } else {
        Rpx256::merge
    };
    let what = ("miden-crypto", env!("PEER_MIDEN"), "rescue-tree");
    trees::run(what, log2_leaves, runs, (leaf, bytes), merge);
}
