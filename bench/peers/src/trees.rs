//! Trees by a loop over a package's merge of two digests.

use crate::official;
use crate::report::{hex, measure, Row, Runs, Times};

/// Times all parents of the leaves, in memory that is there already. Returns the root and the seconds.
fn time<D: Copy>(leaves: &[D], merge: impl Fn(&[D; 2]) -> D, repeats: usize) -> (D, Times) {
    let mut nodes = [leaves, leaves].concat();
    let build = |()| {
        for i in (1..leaves.len()).rev() {
            nodes[i] = merge(&[nodes[2 * i], nodes[2 * i + 1]]);
        }
    };
    let seconds = measure(repeats, || (), build);
    (nodes[1], seconds)
}

/// Times a tree and prints its row. `leaf` makes a digest of 32 bytes, `bytes` the bytes of one.
pub fn run<D: Copy>(
    (peer, version, job): (&str, &str, &str),
    log2_leaves: u32,
    runs: Runs,
    (leaf, bytes): (impl Fn([u8; 32]) -> D, impl Fn(&D) -> [u8; 32]),
    merge: impl Fn(&[D; 2]) -> D,
) {
    let given = official::output("leaves", 32 << log2_leaves);
    let leaves: Vec<D> = given
        .chunks_exact(32)
        .map(|bytes| leaf(bytes.try_into().unwrap()))
        .collect();
    let (root, seconds) = time(&leaves, merge, runs.repeats);
    Row::of_job(peer, version, job, 1 << log2_leaves, runs)
        .text("root", &hex(&bytes(&root)))
        .seconds(&seconds)
        .print();
}
