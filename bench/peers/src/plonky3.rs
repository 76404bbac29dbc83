//! Plonky3's Poseidon2 and Keccak-f: its packed permutations (AVX-512 or AVX2 in a native build), alone, and those of
//! Poseidon2 as its Merkle trees use them.

use p3_baby_bear::{default_babybear_poseidon2_16, default_babybear_poseidon2_24, BabyBear};
use p3_field::{PackedValue, PrimeField64};
use p3_goldilocks::{default_goldilocks_poseidon2_12, default_goldilocks_poseidon2_8, Goldilocks};
use p3_keccak::{KeccakF, VECTOR_LEN};
use p3_koala_bear::{default_koalabear_poseidon2_16, default_koalabear_poseidon2_24, KoalaBear};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::Matrix;
use p3_symmetric::{
    CryptographicHasher, CryptographicPermutation, PaddingFreeSponge, Permutation,
    PseudoCompressionFunction, TruncatedPermutation,
};

use crate::official;
use crate::report::{hex, measure, Row, Runs, Times};

pub const HASHES: [&str; 6] = [
    "poseidon2_goldilocks_8",
    "poseidon2_goldilocks_12",
    "poseidon2_babybear_16",
    "poseidon2_babybear_24",
    "poseidon2_koalabear_16",
    "poseidon2_koalabear_24",
];

/// Words of a row, as `merklize-bench rows` has them.
const COLUMNS: usize = 256;

fn word_bytes<F: PrimeField64>() -> usize {
    if F::ORDER_U64 >> 32 == 0 {
        4
    } else {
        8
    }
}

/// Field elements of little-endian words, reduced.
fn elements<F: PrimeField64>(text: &str, count: usize) -> Vec<F> {
    let size = word_bytes::<F>();
    let word = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(bytes);
        F::from_u64(u64::from_le_bytes(wide) % F::ORDER_U64)
    };
    let bytes = official::output(text, size * count);
    bytes.chunks_exact(size).map(word).collect()
}

fn hex_of<F: PrimeField64>(digest: &[F]) -> String {
    let size = word_bytes::<F>();
    let bytes = digest
        .iter()
        .flat_map(|word| word.as_canonical_u64().to_le_bytes()[..size].to_vec());
    hex(&bytes.collect::<Vec<u8>>())
}

/// Nodes are by a permutation of `N` words, rows by one of `W` that takes `R` at a time; digests have `D`.
struct Hash<Node, Row, const N: usize, const W: usize, const R: usize, const D: usize> {
    node: Node,
    row: Row,
}

/// Seconds of about `n` permutations, in a few packed states of `lanes` lanes that stay in the nearest cache; how many
/// they were.
fn permutations<State: Copy>(
    permutation: &impl Permutation<State>,
    zeros: State,
    lanes: usize,
    n: usize,
    runs: Runs,
) -> (usize, Times) {
    let mut states = [zeros; 8];
    let turns = n.div_ceil(states.len() * lanes);
    let body = |()| {
        for _ in 0..turns {
            for state in &mut states {
                permutation.permute_mut(state);
            }
        }
        std::hint::black_box(&mut states);
    };
    let seconds = measure(runs.repeats, || (), body);
    (turns * 8 * lanes, seconds)
}

/// About `n` permutations of Keccak-f[1600].
pub fn keccak(n: usize, runs: Runs) {
    let zeros = [[0; VECTOR_LEN]; 25];
    let (n, seconds) = permutations(&KeccakF, zeros, VECTOR_LEN, n, runs);
    Row::of_job("Plonky3", env!("PEER_PLONKY3"), "plonky3-keccak", n, runs)
        .whole("lanes", VECTOR_LEN)
        .seconds(&seconds)
        .print();
}

impl<Node: Clone, RowOf: Clone, const N: usize, const W: usize, const R: usize, const D: usize>
    Hash<Node, RowOf, N, W, R, D>
{
    /// All parents of `n` leaves, level by level.
    fn tree<F: PrimeField64>(&self, n: usize, runs: Runs) -> (String, Times)
    where
        Node: CryptographicPermutation<[F; N]> + CryptographicPermutation<[F::Packing; N]>,
    {
        let compression = TruncatedPermutation::<Node, 2, D, N>::new(self.node.clone());
        let words = elements::<F>("leaves", D * n);
        let leaves: Vec<[F; D]> = words
            .chunks_exact(D)
            .map(|leaf| leaf.try_into().unwrap())
            .collect();
        let mut nodes = [leaves.clone(), leaves].concat();
        let build = |()| {
            let mut width = n / 2;
            while width > 0 {
                let (above, below) = nodes[width..4 * width].split_at_mut(width);
                let lanes = F::Packing::WIDTH;
                let whole = width / lanes * lanes;
                let (packs, rest) = above.split_at_mut(whole);
                for (i, parents) in packs.chunks_exact_mut(lanes).enumerate() {
                    let child = |side| {
                        F::Packing::pack_columns_fn(|lane| below[2 * (lanes * i + lane) + side])
                    };
                    let packed: [F::Packing; D] = compression.compress([child(0), child(1)]);
                    F::Packing::unpack_into(&packed, parents);
                }
                for (i, parent) in rest.iter_mut().enumerate() {
                    let first = 2 * (whole + i);
                    *parent = compression.compress([below[first], below[first + 1]]);
                }
                width /= 2;
            }
        };
        let seconds = measure(runs.repeats, || (), build);
        (hex_of(&nodes[1]), seconds)
    }

    /// Digests of `n` rows of a row-major matrix; that of the last.
    fn rows<F: PrimeField64>(&self, n: usize, runs: Runs) -> (String, Times)
    where
        RowOf: CryptographicPermutation<[F; W]> + CryptographicPermutation<[F::Packing; W]>,
    {
        assert!(n.is_multiple_of(F::Packing::WIDTH));
        let sponge = PaddingFreeSponge::<RowOf, W, R, D>::new(self.row.clone());
        let matrix = RowMajorMatrix::new(elements::<F>("rows", COLUMNS * n), COLUMNS);
        let mut digests = vec![[F::ZERO; D]; n];
        let body = |()| {
            for (i, out) in digests.chunks_exact_mut(F::Packing::WIDTH).enumerate() {
                let packed: [F::Packing; D] =
                    sponge.hash_iter(matrix.vertically_packed_row(i * F::Packing::WIDTH));
                F::Packing::unpack_into(&packed, out);
            }
        };
        let seconds = measure(runs.repeats, || (), body);
        (hex_of(&digests[n - 1]), seconds)
    }

    fn run<F: PrimeField64>(&self, job: &str, hash: &str, n: usize, runs: Runs)
    where
        Node: CryptographicPermutation<[F; N]> + CryptographicPermutation<[F::Packing; N]>,
        RowOf: CryptographicPermutation<[F; W]> + CryptographicPermutation<[F::Packing; W]>,
    {
        let (n, root, seconds) = match job {
            "plonky3-permutations" => {
                let zeros = [F::Packing::default(); W];
                let (n, seconds) = permutations(&self.row, zeros, F::Packing::WIDTH, n, runs);
                (n, String::new(), seconds)
            }
            "plonky3-tree" => {
                let (root, seconds) = self.tree::<F>(n, runs);
                (n, root, seconds)
            }
            _ => {
                let (root, seconds) = self.rows::<F>(n, runs);
                (n, root, seconds)
            }
        };
        Row::of_job("Plonky3", env!("PEER_PLONKY3"), job, n, runs)
            .text("hash", hash)
            .whole("lanes", F::Packing::WIDTH)
            .text("root", &root)
            .seconds(&seconds)
            .print();
    }
}

/// `hash` is one of HASHES.
pub fn run(job: &str, hash: &str, n: usize, runs: Runs) {
    macro_rules! by {
        ($field:ty, $n:literal, $node:expr, $w:literal, $row:expr, $digest:literal) => {{
            let both = Hash::<_, _, $n, $w, { $w - $digest }, $digest> {
                node: $node,
                row: $row,
            };
            both.run::<$field>(job, hash, n, runs)
        }};
    }
    match hash {
        "poseidon2_goldilocks_8" => by!(
            Goldilocks,
            8,
            default_goldilocks_poseidon2_8(),
            8,
            default_goldilocks_poseidon2_8(),
            4
        ),
        "poseidon2_goldilocks_12" => by!(
            Goldilocks,
            8,
            default_goldilocks_poseidon2_8(),
            12,
            default_goldilocks_poseidon2_12(),
            4
        ),
        "poseidon2_babybear_16" => by!(
            BabyBear,
            16,
            default_babybear_poseidon2_16(),
            16,
            default_babybear_poseidon2_16(),
            8
        ),
        "poseidon2_babybear_24" => by!(
            BabyBear,
            16,
            default_babybear_poseidon2_16(),
            24,
            default_babybear_poseidon2_24(),
            8
        ),
        "poseidon2_koalabear_16" => by!(
            KoalaBear,
            16,
            default_koalabear_poseidon2_16(),
            16,
            default_koalabear_poseidon2_16(),
            8
        ),
        _ => by!(
            KoalaBear,
            16,
            default_koalabear_poseidon2_16(),
            24,
            default_koalabear_poseidon2_24(),
            8
        ),
    }
}
