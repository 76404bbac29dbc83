//! RpJive64_256: its constants, and what it computes.

use winter_crypto::hashers::RpJive64_256;
use winter_crypto::{Digest, ElementHasher, Hasher, MerkleTree};
use winter_math::{fields::f64::BaseElement, StarkField};

use crate::{hex, leaf, of_words};

const SOURCE: &str = "winter-crypto 0.13.1 by tests/vectors/winterfell: RpJive64_256";

/// Elements of the field's ends, then those of `leaf`.
fn element(i: u64) -> u64 {
    let ends = [0, 1, BaseElement::MODULUS - 1, BaseElement::MODULUS - 2, 0xffff_ffff, 0x1_0000_0000];
    ends.get(i as usize).copied().unwrap_or_else(|| leaf(i / 4)[i as usize % 4])
}

fn text(words: &[u64]) -> String {
    words.iter().map(|word| hex(&word.to_le_bytes())).collect()
}

fn matrix(rows: &[[BaseElement; 8]]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{:?}", row.map(|word| word.as_int()))).collect();
    format!("[\n  {}\n ]", rows.join(",\n  "))
}

/// tests/vectors/rpjive64_256_constants.json
pub fn constants() {
    println!("{{\n \"source\": \"{SOURCE} (MIT)\",");
    println!(" \"MDS\": {},", matrix(&RpJive64_256::MDS));
    println!(" \"ARK1\": {},", matrix(&RpJive64_256::ARK1));
    println!(" \"ARK2\": {}\n}}", matrix(&RpJive64_256::ARK2));
}

/// tests/vectors/rpjive64_256.json
pub fn answers() {
    let digest = |words: &[u64]| of_words::<RpJive64_256>(words.try_into().unwrap());
    let shown = |digest: &<RpJive64_256 as Hasher>::Digest| hex(&digest.as_bytes());
    let pair = |words: [u64; 8]| {
        let (left, right) = words.split_at(4);
        let merged = RpJive64_256::merge(&[digest(left), digest(right)]);
        let (left, right) = (text(left), text(right));
        format!("{{\"left\": \"{left}\", \"right\": \"{right}\", \"digest\": \"{}\"}}", shown(&merged))
    };
    let mut merges = vec![pair([0; 8]), pair([0, 1, 2, 3, 4, 5, 6, 7]), pair([BaseElement::MODULUS - 1; 8])];
    merges.extend((0..8).map(|k| pair(core::array::from_fn(|i| element(8 * k + i as u64)))));
    let leaves = (0..=17).chain([32, 33]).map(|n: u64| {
        let words: Vec<u64> = (0..n).map(|i| element(i + n)).collect();
        let elements: Vec<BaseElement> = words.iter().copied().map(BaseElement::new).collect();
        let hashed = RpJive64_256::hash_elements(&elements);
        format!("{{\"record\": \"{}\", \"digest\": \"{}\"}}", text(&words), shown(&hashed))
    });
    let roots = (1..=5).map(|depth| {
        let words: Vec<[u64; 4]> = (0..1 << depth).map(leaf).collect();
        let tree = MerkleTree::<RpJive64_256>::new(words.iter().map(|words| digest(words)).collect()).unwrap();
        let leaves: Vec<String> = words.iter().map(|words| format!("\"{}\"", text(words))).collect();
        format!("{{\"leaves\": [{}], \"root\": \"{}\"}}", leaves.join(", "), shown(tree.root()))
    });
    let messages = (0..=64).chain([83, 84, 85, 1000]).map(|n| {
        let message: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
        format!("{{\"message\": \"{}\", \"digest\": \"{}\"}}", hex(&message), shown(&RpJive64_256::hash(&message)))
    });
    println!("{{\n \"source\": \"{SOURCE}; words little endian; byte i of a message is i mod 251\",");
    let lists = [
        ("merges", merges),
        ("leaves", leaves.collect()),
        ("roots", roots.collect()),
        ("messages", messages.collect()),
    ];
    let lists: Vec<String> = lists
        .iter()
        .map(|(name, items): &(_, Vec<String>)| format!(" \"{name}\": [\n  {}\n ]", items.join(",\n  ")))
        .collect();
    println!("{}\n}}", lists.join(",\n"));
}
