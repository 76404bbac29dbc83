//! Winterfell's winter-crypto: Merkle trees, and the merge of its Rescue Prime in two releases.

use winter_crypto::hashers::{Blake3_256, Rp64_256};
use winter_crypto::{Digest, Hasher, MerkleTree};
use winter_math::fields::f64::BaseElement;

use winter_crypto_03::hashers::Rp64_256 as Rp64_256V1;
use winter_crypto_03::{Digest as DigestV1, Hasher as HasherV1};
use winter_math_03::fields::f64::BaseElement as BaseElementV1;

use crate::official;
use crate::report::{hex, measure, Row, Runs, Times};

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = 0xffff_ffff_0000_0001;

/// First word of merge([0, 1, 2, 3], [4, 5, 6, 7]).
const KNOWN_V1: u64 = 17817756578466965241;
const KNOWN_V3: u64 = 2688511591005434316;

/// Four field elements from each 32 bytes: little-endian words, reduced.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u64; 4]> + '_ {
    bytes.chunks_exact(32).map(|digest| {
        std::array::from_fn(|i| {
            u64::from_le_bytes(digest[8 * i..8 * i + 8].try_into().unwrap()) % MODULUS
        })
    })
}

type DigestV3Of = <Rp64_256 as Hasher>::Digest;
type DigestV1Of = <Rp64_256V1 as HasherV1>::Digest;

fn digest_v3(words: [u64; 4]) -> DigestV3Of {
    DigestV3Of::new(words.map(BaseElement::new))
}

fn digest_v1(words: [u64; 4]) -> DigestV1Of {
    DigestV1Of::new(words.map(BaseElementV1::new))
}

fn first_word(bytes: [u8; 32]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

/// Checks one merge of each release, so that a row cannot name the wrong variant.
pub fn self_check() -> Result<(), String> {
    let (left, right) = ([0, 1, 2, 3], [4, 5, 6, 7]);
    let v1 = first_word(Rp64_256V1::merge(&[digest_v1(left), digest_v1(right)]).as_bytes());
    let v3 = first_word(Rp64_256::merge(&[digest_v3(left), digest_v3(right)]).as_bytes());
    for (name, known, got) in [("v1", KNOWN_V1, v1), ("v3", KNOWN_V3, v3)] {
        if got != known {
            return Err(format!(
                "Rp64_256 {name}: the merge must begin with {known}, got {got}"
            ));
        }
    }
    Ok(())
}

/// Times `MerkleTree::new` over copies of `leaves` made off the clock. Returns the root and the seconds.
fn time_tree<H: Hasher>(leaves: Vec<H::Digest>, runs: Runs) -> Result<(String, Times), String> {
    let mut root = H::Digest::default();
    let build = |leaves| {
        let tree = MerkleTree::<H>::new(leaves).expect("2^k leaves, k >= 1");
        root = *tree.root();
        tree
    };
    let seconds = runs.in_pool(|| measure(runs.repeats, || leaves.clone(), build))?;
    Ok((hex(&root.as_bytes()), seconds))
}

pub fn tree(hash: &str, log2_leaves: u32, runs: Runs) -> Result<(), String> {
    let bytes = official::output("leaves", 32 << log2_leaves);
    let (root, seconds) = if hash == "blake3" {
        type Blake3 = Blake3_256<BaseElement>;
        let leaf = |leaf: &[u8]| <Blake3 as Hasher>::Digest::new(leaf.try_into().unwrap());
        time_tree::<Blake3>(bytes.chunks_exact(32).map(leaf).collect(), runs)?
    } else {
        time_tree::<Rp64_256>(words(&bytes).map(digest_v3).collect(), runs)?
    };
    if hash == "blake3" {
        official::check_root(log2_leaves, &root)?;
    }
    Row::of_job(
        "winter-crypto",
        env!("PEER_WINTER"),
        "winterfell-tree",
        1 << log2_leaves,
        runs,
    )
    .text("hash", hash)
    .text("root", &root)
    .seconds(&seconds)
    .print();
    Ok(())
}

/// Times `merge` over every pair; no merge waits for the result of another.
fn time_merges<D: Copy>(pairs: &[[D; 2]], merge: impl Fn(&[D; 2]) -> D, runs: Runs) -> Times {
    let mut merged: Vec<D> = pairs.iter().map(|pair| pair[0]).collect();
    measure(
        runs.repeats,
        || (),
        |()| {
            for (out, pair) in merged.iter_mut().zip(pairs) {
                *out = merge(std::hint::black_box(pair));
            }
            std::hint::black_box(&mut merged);
        },
    )
}

pub fn merges(variant: &str, count: usize, runs: Runs) {
    let bytes = official::output("leaves", 64 * count);
    let words: Vec<[u64; 4]> = words(&bytes).collect();
    let pairs = words.chunks_exact(2);
    let (version, seconds) = if variant == "v1" {
        let pairs: Vec<_> = pairs
            .map(|pair| [digest_v1(pair[0]), digest_v1(pair[1])])
            .collect();
        (
            env!("PEER_WINTER_V1"),
            time_merges(&pairs, Rp64_256V1::merge, runs),
        )
    } else {
        let pairs: Vec<_> = pairs
            .map(|pair| [digest_v3(pair[0]), digest_v3(pair[1])])
            .collect();
        (
            env!("PEER_WINTER"),
            time_merges(&pairs, Rp64_256::merge, runs),
        )
    };
    let rates: Vec<f64> = seconds.clock.iter().map(|s| count as f64 / s).collect();
    Row::of_job("winter-crypto", version, "rp64-merge", count, runs)
        .text("variant", variant)
        .seconds(&seconds)
        .list("merges_per_s", &rates, 0)
        .print();
}
