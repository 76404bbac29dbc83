//! `cargo run > ../blake3_parent.json`: inner nodes by the crate blake3's module hazmat.
//!
//! Byte i of a record is i mod 251. A message of n pieces is such a record of 2,048 n - 1,000 bytes; its leaves are the
//! chaining values of its pieces of 2,048 bytes, the last one shorter. `root` is their tree without the flag ROOT,
//! `digest` the tree with it.

use blake3::hazmat::{merge_subtrees_non_root, merge_subtrees_root, ChainingValue, HasherExt, Mode};
use blake3::Hasher;

const PIECE: usize = 2048;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn record(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 251) as u8).collect()
}

/// The place where the subtrees below the root of `n` values part: the greatest power of two below n.
fn left_of(n: usize) -> usize {
    n.next_power_of_two() / 2
}

fn value(values: &[ChainingValue]) -> ChainingValue {
    if let [one] = values {
        return *one;
    }
    let (left, right) = values.split_at(left_of(values.len()));
    merge_subtrees_non_root(&value(left), &value(right), Mode::Hash)
}

fn main() {
    let (mut merges, mut leaves, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..12u8 {
        let of = |side: u8| -> ChainingValue { *blake3::hash(&[i, side]).as_bytes() };
        let (left, right) = match i {
            0 => ([0; 32], [0; 32]),
            1 => ([255; 32], [255; 32]),
            _ => (of(0), of(1)),
        };
        let (node, root) =
            (merge_subtrees_non_root(&left, &right, Mode::Hash), merge_subtrees_root(&left, &right, Mode::Hash));
        merges.push(format!(
            "{{\"left\": \"{}\", \"right\": \"{}\", \"digest\": \"{}\", \"as_root\": \"{}\"}}",
            hex(&left),
            hex(&right),
            hex(&node),
            hex(root.as_bytes())
        ));
    }
    for bytes in [0, 1, 31, 32, 63, 64, 65, 128, 1023, 1024, 1025, 2048, 3000, 5000] {
        let data = record(bytes);
        leaves.push(format!(
            "{{\"record\": \"{}\", \"digest\": \"{}\"}}",
            hex(&data),
            hex(blake3::hash(&data).as_bytes())
        ));
    }
    for n in [2, 3, 4, 5, 7, 8, 13, 16, 33] {
        let message = record(PIECE * n - 1000);
        let values: Vec<ChainingValue> = message
            .chunks(PIECE)
            .enumerate()
            .map(|(i, piece)| Hasher::new().set_input_offset((PIECE * i) as u64).update(piece).finalize_non_root())
            .collect();
        let (left, right) = values.split_at(left_of(n));
        let digest = merge_subtrees_root(&value(left), &value(right), Mode::Hash);
        assert_eq!(digest, blake3::hash(&message));
        let listed: Vec<String> = values.iter().map(|value| format!("\"{}\"", hex(value))).collect();
        roots.push(format!(
            "{{\"leaves\": [{}], \"root\": \"{}\", \"digest\": \"{}\"}}",
            listed.join(", "),
            hex(&value(&values)),
            hex(digest.as_bytes())
        ));
    }
    let lines = |all: &[String]| all.join(",\n  ");
    println!(
        "{{\n \"source\": \"hazmat of the crate blake3 1.8.7; cargo run in tests/vectors/blake3_parent; its main.rs defines records and \
         leaves of roots\",\n \"merges\": [\n  {}\n ],\n \"leaves\": [\n  {}\n ],\n \"roots\": [\n  {}\n ]\n}}",
        lines(&merges), lines(&leaves), lines(&roots)
    );
}
