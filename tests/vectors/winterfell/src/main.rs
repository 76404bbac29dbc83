//! Writes tests/vectors/winterfell_proofs.json to standard output: batch proofs that winter-crypto makes and serialises.
//!
//! Word i of all the leaves of a tree, counted from 0, is (i + 1) * 0x9e3779b97f4a7c15 modulo 2^64 and then modulo the field's
//! 2^64 - 2^32 + 1; a leaf is four words, little endian, for both hashes.

use winter_crypto::hashers::{Blake3_256, Rp64_256};
use winter_crypto::{BatchMerkleProof, Digest, Hasher, MerkleTree};
use winter_math::{fields::f64::BaseElement, StarkField};
use winter_utils::{Deserializable, Serializable};

type Blake3 = Blake3_256<BaseElement>;

fn leaf(k: u64) -> [u64; 4] {
    core::array::from_fn(|j| (4 * k + j as u64 + 1).wrapping_mul(0x9e3779b97f4a7c15) % BaseElement::MODULUS)
}

fn blake3_leaf(words: [u64; 4]) -> <Blake3 as Hasher>::Digest {
    let mut bytes = [0; 32];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    <Blake3 as Hasher>::Digest::new(bytes)
}

fn rp64_leaf(words: [u64; 4]) -> <Rp64_256 as Hasher>::Digest {
    <Rp64_256 as Hasher>::Digest::new(words.map(BaseElement::new))
}

/// Indices: one leaf, neighbours, some anywhere in no order, a range with odd bounds, all.
fn index_sets(n: usize) -> Vec<Vec<usize>> {
    let mut anywhere: Vec<usize> = Vec::new();
    let mut state: u64 = n as u64;
    while anywhere.len() < (n / 4).clamp(1, 9) {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let index = (state >> 33) as usize % n;
        if !anywhere.contains(&index) {
            anywhere.push(index);
        }
    }
    let mut sets = vec![
        vec![0],
        vec![n - 1],
        vec![n / 2 - 1, n / 2],
        vec![n - 1, 0],
        anywhere,
        (n / 3..n - n / 4).collect(),
        (0..n).collect(),
    ];
    sets.sort();
    sets.dedup();
    sets
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cases<H: Hasher>(name: &str, leaf_of: fn([u64; 4]) -> H::Digest, out: &mut Vec<String>) {
    for depth in 1..=8u32 {
        let n = 1usize << depth;
        let leaves: Vec<H::Digest> = (0..n as u64).map(|k| leaf_of(leaf(k))).collect();
        let tree = MerkleTree::<H>::new(leaves).unwrap();
        for indices in index_sets(n) {
            let (leaves, proof) = tree.prove_batch(&indices).unwrap();
            let bytes = proof.to_bytes();
            let back = BatchMerkleProof::<H>::read_from_bytes(&bytes).unwrap();
            MerkleTree::<H>::verify_batch(tree.root(), &indices, &leaves, &back).unwrap();
            out.push(format!(
                "{{\"hash\": \"{name}\", \"n_leaves\": {n}, \"indices\": {indices:?},\n   \"root\": \"{}\",\n   \"bytes\": \"{}\"}}",
                hex(&tree.root().as_bytes()),
                hex(&bytes)
            ));
        }
    }
}

fn main() {
    let mut out = Vec::new();
    cases::<Blake3>("blake3", blake3_leaf, &mut out);
    cases::<Rp64_256>("rp64_256_v3", rp64_leaf, &mut out);
    println!(
        "{{\"source\": \"winter-crypto 0.13.1 by tests/vectors/winterfell\", \"proofs\": [\n  {}\n]}}",
        out.join(",\n  ")
    );
}
