//! Writes to standard output what winter-crypto computes: `cargo run` tests/vectors/winterfell_proofs.json, the batch
//! proofs that it makes and serialises; `cargo run rpjive64_256` and `cargo run rpjive64_256_constants` the files of
//! these names.
//!
//! Word i of all the leaves of a tree, counted from 0, is (i + 1) * 0x9e3779b97f4a7c15 modulo 2^64 and then modulo the
//! field's 2^64 - 2^32 + 1; a leaf is four words, little endian, for every hash.

use winter_crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256};
use winter_crypto::{BatchMerkleProof, Digest, Hasher, MerkleTree};
use winter_math::{fields::f64::BaseElement, StarkField};
use winter_utils::{Deserializable, Serializable};

mod rpjive;

type Blake3 = Blake3_256<BaseElement>;

fn leaf(k: u64) -> [u64; 4] {
    core::array::from_fn(|j| (4 * k + j as u64 + 1).wrapping_mul(0x9e3779b97f4a7c15) % BaseElement::MODULUS)
}

/// The digest of which these words are the bytes.
fn of_words<H: Hasher>(words: [u64; 4]) -> H::Digest {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    H::Digest::read_from_bytes(&bytes).unwrap()
}

/// Indices: one leaf, neighbours, some anywhere in no order, a range with odd bounds, all.
fn index_sets(n: usize) -> Vec<Vec<usize>> {
    let mut anywhere: Vec<usize> = Vec::new();
    let mut state: u64 = n as u64;
    while anywhere.len() < (n / 4).clamp(1, 9) {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
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

fn cases<H: Hasher>(name: &str, out: &mut Vec<String>) {
    for depth in 1..=8u32 {
        let n = 1usize << depth;
        let leaves: Vec<H::Digest> = (0..n as u64).map(|k| of_words::<H>(leaf(k))).collect();
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
    match std::env::args().nth(1).as_deref() {
        None => proofs(),
        Some("rpjive64_256") => rpjive::answers(),
        Some("rpjive64_256_constants") => rpjive::constants(),
        Some(other) => panic!("no such file: {other}"),
    }
}

fn proofs() {
    let mut out = Vec::new();
    cases::<Blake3>("blake3", &mut out);
    cases::<Rp64_256>("rp64_256_v3", &mut out);
    cases::<RpJive64_256>("rpjive64_256", &mut out);
    println!(
        "{{\"source\": \"winter-crypto 0.13.1 by tests/vectors/winterfell\", \"proofs\": [\n  {}\n]}}",
        out.join(",\n  ")
    );
}
