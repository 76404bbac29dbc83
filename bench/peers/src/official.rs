//! The official blake3 crate: one big digest, and a tree made with its `hash_many`.

use blake3::platform::{Platform, MAX_SIMD_DEGREE};
use blake3::IncrementCounter;
use rayon::prelude::*;

use crate::report::{hex, measure, Row, Runs};

const DIGEST: usize = 32;
const PAIR: usize = 2 * DIGEST;

/// Roots of the trees over 2^10 and 2^20 leaves of `output`.
const KNOWN_ROOTS: [(u32, &str); 2] = [
    (
        10,
        "a10cdf376affe2cf843d72b664faa33e37ed4e3d01e3dea214850fa7679879f4",
    ),
    (
        20,
        "ede5e0f06e7f756c19cc86c73599183cef05c130613a1ae1faf1d7c564ce2696",
    ),
];

/// The initial value and the flags of a hash whose input is one block (BLAKE3 paper, sections 2.1 to 2.3).
const IV: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const CHUNK_START: u8 = 1 << 0;
const CHUNK_END: u8 = 1 << 1;
const ROOT: u8 = 1 << 3;

/// A level with fewer parents than this a thread stays on one thread: sharing it would cost more than it saves.
const SHARED_PARENTS_A_THREAD: usize = 512;

/// Each thread gets its part of a level in this many pieces, so that a thread held up by the machine can be helped.
const PIECES_A_THREAD: usize = 4;

/// The first bytes of BLAKE3's extendable output for a text: that for "leaves" has the leaves of every tree here.
pub fn output(text: &str, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    blake3::Hasher::new()
        .update(text.as_bytes())
        .finalize_xof()
        .fill(&mut bytes);
    bytes
}

/// `count` bytes that differ from call to call and that nobody can compress or guess: SplitMix64 from a fresh seed.
fn random_bytes(count: usize) -> Vec<u8> {
    use std::hash::{BuildHasher, RandomState};
    let mut state = RandomState::new().hash_one(count);
    let mut bytes = vec![0; count];
    for word in bytes.chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        word.copy_from_slice(&mixed.to_le_bytes()[..word.len()]);
    }
    bytes
}

/// The instruction set that the crate has chosen on this machine.
pub fn instruction_set() -> String {
    format!("{:?}", Platform::detect())
}

pub fn simd_degree() -> usize {
    Platform::detect().simd_degree()
}

pub fn digest(count: usize, runs: Runs) -> Result<(), String> {
    let data = random_bytes(count);
    let seconds = if runs.threads == 1 {
        measure(runs.repeats, || (), |()| blake3::hash(&data))
    } else {
        let shared = |()| blake3::Hasher::new().update_rayon(&data).finalize();
        runs.in_pool(|| measure(runs.repeats, || (), shared))?
    };
    Row::of_job("blake3", env!("PEER_BLAKE3"), "digest", count, runs)
        .text("simd", &instruction_set())
        .seconds(&seconds)
        .print();
    Ok(())
}

/// Writes the parents of `children`: `parents[i] = hash(children[2 i] || children[2 i + 1])`, `simd_degree` at a time.
fn merge_level(platform: Platform, children: &[u8], parents: &mut [u8]) {
    let degree = platform.simd_degree();
    for (below, above) in children
        .chunks(PAIR * degree)
        .zip(parents.chunks_mut(DIGEST * degree))
    {
        let mut pairs = [&[0; PAIR]; MAX_SIMD_DEGREE];
        let mut count = 0;
        for pair in below.chunks_exact(PAIR) {
            pairs[count] = pair.try_into().unwrap();
            count += 1;
        }
        platform.hash_many(
            &pairs[..count],
            &IV,
            0,
            IncrementCounter::No,
            ROOT,
            CHUNK_START,
            CHUNK_END,
            above,
        );
    }
}

fn is_shared(width: usize, threads: usize) -> bool {
    threads > 1 && width >= SHARED_PARENTS_A_THREAD * threads
}

/// Fills nodes 1 to N - 1 of a heap-ordered tree (the root is node 1, the leaves are nodes N to 2 N - 1, node 0 is
/// unused), level by level.
fn build_tree(nodes: &mut [u8], threads: usize) {
    let platform = Platform::detect();
    let mut width = nodes.len() / DIGEST / 4;
    while width > 0 {
        let (above, below) = nodes[DIGEST * width..DIGEST * 4 * width].split_at_mut(DIGEST * width);
        if !is_shared(width, threads) {
            merge_level(platform, below, above);
        } else {
            let pieces = PIECES_A_THREAD * threads;
            let piece = width.div_ceil(pieces).next_multiple_of(MAX_SIMD_DEGREE);
            above
                .par_chunks_mut(DIGEST * piece)
                .zip(below.par_chunks(PAIR * piece))
                .for_each(|(parents, children)| merge_level(platform, children, parents));
        }
        width /= 2;
    }
}

/// A heap-ordered tree of 2^log2_leaves leaves whose parents are not yet made.
fn bare_tree(log2_leaves: u32) -> Vec<u8> {
    let leaves = output("leaves", DIGEST << log2_leaves);
    let mut nodes = vec![0; 2 * leaves.len()];
    nodes[leaves.len()..].copy_from_slice(&leaves);
    nodes
}

/// Checks a root against the known one, for the sizes where there is one.
pub fn check_root(log2_leaves: u32, root: &str) -> Result<(), String> {
    match KNOWN_ROOTS.iter().find(|(size, _)| *size == log2_leaves) {
        Some((_, known)) if *known != root => Err(format!(
            "tree of 2^{log2_leaves} leaves: the root must be {known}, got {root}"
        )),
        _ => Ok(()),
    }
}

/// Builds the smallest tree with a known root and compares.
pub fn self_check() -> Result<(), String> {
    let log2_leaves = KNOWN_ROOTS[0].0;
    let mut nodes = bare_tree(log2_leaves);
    build_tree(&mut nodes, 1);
    check_root(log2_leaves, &hex(&nodes[DIGEST..PAIR]))
}

pub fn hash_many_tree(log2_leaves: u32, runs: Runs) -> Result<(), String> {
    let mut nodes = bare_tree(log2_leaves);
    // The lowest parents are the widest level: if even they stay on one thread, the whole tree does.
    let shared = is_shared(1 << (log2_leaves - 1), runs.threads);
    let threads = if shared { runs.threads } else { 1 };
    let mut time = || measure(runs.repeats, || (), |()| build_tree(&mut nodes, threads));
    let seconds = if shared { runs.in_pool(time)? } else { time() };
    let root = hex(&nodes[DIGEST..PAIR]);
    check_root(log2_leaves, &root)?;
    Row::of_job(
        "blake3 hash_many",
        env!("PEER_BLAKE3"),
        "hash-many-tree",
        1 << log2_leaves,
        runs,
    )
    .text("simd", &instruction_set())
    .text("root", &root)
    .seconds(&seconds)
    .print();
    Ok(())
}
