//! `cargo run > ../p3_mmcs_binary128.json`: commitments by p3-merkle-tree to matrices over BinaryField128, by BLAKE3
//! and Keccak-256, and openings that its verifier accepts.
//!
//! The element of row r and column c of matrix m is (1 + 1000003 m + 1009 r + c) 0x9e3779b97f4a7c15f39cc0605cedc835
//! modulo 2^128, 16 bytes, little endian.

use p3_binary_field::{BinaryField128, TowerLevel};
use p3_blake3::Blake3;
use p3_commit::{BatchOpeningRef, Mmcs};
use p3_keccak::Keccak256Hash;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, CryptographicHasher, SerializingHasher};

type F = BinaryField128;

fn element(m: usize, r: usize, c: usize) -> F {
    let k = (1 + 1000003 * m + 1009 * r + c) as u128;
    F::from_le_byte_iter(k.wrapping_mul(0x9e3779b97f4a7c15f39cc0605cedc835).to_le_bytes().into_iter())
}

const SHAPES: &[&[(usize, usize)]] = &[
    &[(1, 5)],
    &[(2, 1)],
    &[(8, 3)],
    &[(5, 4)],
    &[(64, 9)],
    &[(16, 2), (16, 7)],
    &[(16, 1), (8, 2), (2, 4)],
    &[(13, 3), (7, 2), (4, 1), (1, 6)],
];

fn cases<H, const N: usize>(name: &str, hash: H, out: &mut Vec<String>)
where
    H: CryptographicHasher<u8, [u8; 32]> + Clone + Sync,
{
    let digest_of = |digest: &[u8; 32]| format!("{digest:?}");
    for shapes in SHAPES {
        for cap_height in [0, 1] {
            if cap_height == 1 && (N != 2 || shapes[0].0 == 1 || !shapes[0].0.is_power_of_two() || shapes.len() > 1) {
                continue;
            }
            let compress = CompressionFunctionFromHasher::<H, N, 32>::new(hash.clone());
            let mmcs =
                MerkleTreeMmcs::<F, u8, _, _, N, 32>::new(SerializingHasher::new(hash.clone()), compress, cap_height);
            let matrices: Vec<_> = shapes
                .iter()
                .enumerate()
                .map(|(m, &(rows, columns))| {
                    let values = (0..rows * columns).map(|i| element(m, i / columns, i % columns)).collect();
                    RowMajorMatrix::new(values, columns)
                })
                .collect();
            let dimensions: Vec<Dimensions> = matrices.iter().map(|matrix| matrix.dimensions()).collect();
            let (cap, data) = mmcs.commit(matrices);
            let tallest = shapes[0].0;
            let mut indices = vec![0, tallest / 2, tallest - 1];
            indices.dedup();
            let open = |index: usize| {
                let (rows, proof) = mmcs.open_batch(index, &data).unpack();
                mmcs.verify_batch(&cap, &dimensions, index, BatchOpeningRef::new(&rows, &proof)).unwrap();
                let siblings: Vec<String> = proof.iter().map(digest_of).collect();
                format!("{{\"index\": {index}, \"proof\": [{}]}}", siblings.join(", "))
            };
            let open: Vec<String> = indices.into_iter().map(open).collect();
            let dims: Vec<String> = shapes.iter().map(|(rows, columns)| format!("[{rows}, {columns}]")).collect();
            let roots: Vec<String> = cap.roots().iter().map(digest_of).collect();
            out.push(format!(
                "{{\"variant\": \"p3_mmcs_binary128_{name}\", \"op\": \"mmcs\", \"arity\": {N}, \"cap_height\": {cap_height}, \"dims\": [{}], \
                 \"matrices\": \"counter\", \"cap\": [{}], \"open\": [{}]}}",
                dims.join(", "),
                roots.join(", "),
                open.join(", ")
            ));
        }
    }
}

fn main() {
    let mut out = Vec::new();
    cases::<_, 2>("blake3", Blake3, &mut out);
    cases::<_, 4>("blake3", Blake3, &mut out);
    cases::<_, 2>("keccak256", Keccak256Hash, &mut out);
    println!("[\n{}\n]", out.join(",\n"));
}
