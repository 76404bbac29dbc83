//! Commitments, openings and pruned paths against Plonky3's own scheme, value for value.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use merklize_plonky3::{
    catch, on_lanes, poseidon_hash, without_lanes, BabyBearMmcs, BabyBearPoseidonMmcs, Blake3Mmcs, Device,
    DeviceDigest, DeviceElement, ErrorKind, GoldilocksMmcs, GoldilocksPoseidonMmcs, Hash, Keccak256Mmcs, KeccakF64Mmcs,
    KeccakF64Sponge, KoalaBearMmcs, KoalaBearPoseidonMmcs, MerklizeMmcs, Poseidon2Constants, HAS_LIBRARY,
};
use p3_baby_bear::{
    default_babybear_poseidon1_16, default_babybear_poseidon1_24, default_babybear_poseidon2_16, BabyBear,
    MDSBabyBearData, Poseidon1BabyBear, Poseidon2BabyBear,
};
use p3_binary_field::{BinaryField128, BinaryField32, BinaryField64, Ghash128, Poly64};
use p3_blake3::Blake3;
use p3_commit::{BatchOpeningRef, Mmcs};
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_goldilocks::poseidon1::{default_goldilocks_poseidon1_12, default_goldilocks_poseidon1_8, Poseidon1Goldilocks};
use p3_goldilocks::{
    default_goldilocks_poseidon2_12, default_goldilocks_poseidon2_16, default_goldilocks_poseidon2_8, Goldilocks,
    Poseidon2Goldilocks, MATRIX_CIRC_MDS_12_COL, MATRIX_CIRC_MDS_8_COL,
};
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::{
    default_koalabear_poseidon1_16, default_koalabear_poseidon1_24, default_koalabear_poseidon2_16,
    default_koalabear_poseidon2_24, default_koalabear_poseidon2_32, KoalaBear, MDSKoalaBearData, Poseidon1KoalaBear,
    Poseidon2KoalaBear,
};
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction,
    SerializingHasher, TruncatedPermutation,
};
use rand::distr::StandardUniform;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

type Sponge<P, const W: usize, const R: usize, const D: usize> = PaddingFreeSponge<P, W, R, D>;
type Packed<F> = <F as Field>::Packing;

/// None where the library does not run: then Plonky3's own code commits.
fn cpu() -> Option<Arc<Device>> {
    HAS_LIBRARY.then(|| Arc::new(Device::open("cpu").unwrap()))
}

/// Values near 0, near the modulus, and in between.
fn matrix<T: DeviceElement>(seed: u64, height: usize, width: usize) -> RowMajorMatrix<T> {
    let value = |i: u64| match i % 5 {
        0 => T::from_u64(i / 5),
        1 => -T::from_u64(i / 5),
        _ => T::GENERATOR.exp_u64(i.wrapping_mul(0x9e37_79b9) ^ seed),
    };
    RowMajorMatrix::new((0..(height * width) as u64).map(|i| value(i + 977 * seed)).collect(), width)
}

/// Heights and widths of matrices that are committed together.
const SHAPES: &[&[(usize, usize)]] = &[
    &[(1, 1)],
    &[(2, 3)],
    &[(8, 5)],
    &[(32, 17)],
    &[(8, 2), (8, 9), (4, 3)],
    &[(4, 3), (16, 1), (1, 7), (16, 20)],
    &[(7, 2), (4, 5), (2, 1), (1, 3)],
    &[(5, 8), (3, 16), (5, 1)],
    &[(33, 4), (17, 2), (9, 33)],
    &[(32, 1), (2, 1)],
];

fn commitments_are_the_stock_ones<P, PW, H, C, const N: usize, const D: usize>(hasher: H, compressor: C, hash: Hash)
where
    P: PackedValue<Value: DeviceElement>,
    PW: PackedValue<Value: Eq + std::fmt::Debug>,
    H: CryptographicHasher<P::Value, [PW::Value; D]> + CryptographicHasher<P, [PW; D]> + Sync,
    C: PseudoCompressionFunction<[PW::Value; D], N> + PseudoCompressionFunction<[PW; D], N> + Sync,
    [PW::Value; D]: DeviceDigest + PartialEq + Serialize + for<'de> Deserialize<'de>,
{
    for (s, shapes) in SHAPES.iter().enumerate() {
        let caps = 0..if N == 2 { 3 } else { 1 };
        let without_device = [(None, 0)].into_iter();
        let ways: Vec<_> = without_device.chain([0, 1, 3].map(|drop_levels| (cpu(), drop_levels))).collect();
        for (cap_height, (device, drop_levels)) in
            caps.flat_map(|cap_height| ways.iter().map(move |way| (cap_height, way)))
        {
            let stock = MerkleTreeMmcs::<P, PW, H, C, N, D>::new(hasher.clone(), compressor.clone(), cap_height);
            let ours = MerklizeMmcs::<P, PW, H, C, N, D>::new(
                hasher.clone(),
                compressor.clone(),
                cap_height,
                hash,
                device.clone(),
            )
            .unwrap()
            .drop_levels(*drop_levels);
            let matrices: Vec<RowMajorMatrix<P::Value>> =
                shapes.iter().enumerate().map(|(m, &(h, w))| matrix((s + m) as u64, h, w)).collect();
            let dimensions: Vec<Dimensions> = matrices.iter().map(|matrix| matrix.dimensions()).collect();
            let n = dimensions.iter().map(|dims| dims.height).max().unwrap();
            let (cap, stock_data) = stock.commit(matrices.clone());
            let (our_cap, our_data) = ours.commit(matrices);
            assert_eq!(cap.roots(), our_cap.roots(), "{hash} {shapes:?} cap {cap_height} without {drop_levels}");
            assert_eq!(ours.get_matrix_heights(&our_data), stock.get_matrix_heights(&stock_data));
            for index in 0..n {
                let (values, proof) = ours.open_batch(index, &our_data).unpack();
                let (stock_values, stock_proof) = stock.open_batch(index, &stock_data).unpack();
                assert_eq!((&values, &proof), (&stock_values, &stock_proof));
                stock.verify_batch(&cap, &dimensions, index, BatchOpeningRef::new(&values, &proof)).unwrap();
                ours.verify_batch(&cap, &dimensions, index, BatchOpeningRef::new(&values, &proof)).unwrap();
                if let Some(first) = proof.first() {
                    let mut forged = proof.clone();
                    forged[0] = DeviceDigest::from_library(merklize::Digest([1; 32]));
                    assert_ne!(&forged[0], first);
                    let opening = BatchOpeningRef::new(&values, &forged);
                    assert!(ours.verify_batch(&cap, &dimensions, index, opening).is_err());
                    let short = proof[1..].to_vec();
                    let opening = BatchOpeningRef::new(&values, &short);
                    assert!(ours.verify_batch(&cap, &dimensions, index, opening).is_err());
                }
            }
            for indices in [vec![], vec![n - 1], vec![0, n / 2, n - 1, 0], (0..n).rev().collect::<Vec<_>>()] {
                let (values, paths) = ours.open_multi_batch(&indices, &our_data);
                let (stock_values, stock_paths) = stock.open_multi_batch(&indices, &stock_data);
                assert_eq!((&values, &paths.sibling_hashes), (&stock_values, &stock_paths.sibling_hashes));
                stock.verify_multi_batch(&cap, &dimensions, &indices, &values, &paths).unwrap();
                let mut forged = PrunedMerklePaths { sibling_hashes: paths.sibling_hashes.clone() };
                forged.sibling_hashes.push(DeviceDigest::from_library(merklize::Digest([1; 32])));
                assert!(ours.verify_multi_batch(&cap, &dimensions, &indices, &values, &forged).is_err());
            }
        }
    }
}

/// Plonky3's own tree, whose batches run on the library's lanes.
fn lanes_make_the_stock_tree<T, W, H, C, const D: usize>(hasher: H, compressor: C, hash: Hash)
where
    T: DeviceElement + PackedValue<Value = T>,
    W: PackedValue<Value = W> + Eq + std::fmt::Debug,
    H: CryptographicHasher<T, [W; D]> + Sync,
    C: PseudoCompressionFunction<[W; D], 2> + Sync,
    [W; D]: DeviceDigest + PartialEq + Serialize + for<'de> Deserialize<'de>,
{
    let stock = MerkleTreeMmcs::<T, W, H, C, 2, D>::new(hasher.clone(), compressor.clone(), 0);
    let (hasher, compressor) = match HAS_LIBRARY {
        true => on_lanes::<T, [W; D], _, _>(hasher, compressor, hash).unwrap(),
        false => without_lanes(hasher, compressor),
    };
    let lanes = MerkleTreeMmcs::<T, W, _, _, 2, D>::new(hasher, compressor, 0);
    for shapes in [&[(64, 5)][..], &[(100, 40), (100, 1), (25, 9)], &[(2048, 3)], &[(3, 2), (1, 1)]] {
        let matrices: Vec<_> = shapes.iter().map(|&(h, w)| matrix::<T>(3, h, w)).collect();
        assert_eq!(stock.commit(matrices.clone()).0, lanes.commit(matrices).0, "{hash} {shapes:?}");
    }
}

#[test]
fn goldilocks_poseidon2() {
    let perm = default_goldilocks_poseidon2_8();
    let (hasher, compressor) = (Sponge::<_, 8, 4, 4>::new(perm.clone()), TruncatedPermutation::<_, 2, 4, 8>::new(perm));
    let hash = Hash::POSEIDON2_GOLDILOCKS_8;
    type P = Packed<Goldilocks>;
    commitments_are_the_stock_ones::<P, P, _, _, 2, 4>(hasher.clone(), compressor.clone(), hash);
    lanes_make_the_stock_tree::<Goldilocks, Goldilocks, _, _, 4>(hasher, compressor.clone(), hash);
    // A permutation of width 12 for rows, one of width 8 for nodes.
    let hasher = Sponge::<_, 12, 8, 4>::new(default_goldilocks_poseidon2_12());
    commitments_are_the_stock_ones::<P, P, _, _, 2, 4>(hasher, compressor, Hash::POSEIDON2_GOLDILOCKS_12);
}

#[test]
fn goldilocks_poseidon() {
    let perm = default_goldilocks_poseidon1_8();
    let (hasher, compressor) = (Sponge::<_, 8, 4, 4>::new(perm.clone()), TruncatedPermutation::<_, 2, 4, 8>::new(perm));
    let hash = Hash::POSEIDON_GOLDILOCKS_8;
    type P = Packed<Goldilocks>;
    commitments_are_the_stock_ones::<P, P, _, _, 2, 4>(hasher.clone(), compressor.clone(), hash);
    lanes_make_the_stock_tree::<Goldilocks, Goldilocks, _, _, 4>(hasher, compressor.clone(), hash);
    let hasher = Sponge::<_, 12, 8, 4>::new(default_goldilocks_poseidon1_12());
    commitments_are_the_stock_ones::<P, P, _, _, 2, 4>(hasher, compressor, Hash::POSEIDON_GOLDILOCKS_12);
}

#[test]
fn fields_of_31_bits_poseidon2() {
    let perm = default_koalabear_poseidon2_16();
    let (hasher, compressor) =
        (Sponge::<_, 16, 8, 8>::new(perm.clone()), TruncatedPermutation::<_, 2, 8, 16>::new(perm.clone()));
    let hash = Hash::POSEIDON2_KOALABEAR_16;
    type K = Packed<KoalaBear>;
    commitments_are_the_stock_ones::<K, K, _, _, 2, 8>(hasher.clone(), compressor.clone(), hash);
    lanes_make_the_stock_tree::<KoalaBear, KoalaBear, _, _, 8>(hasher, compressor, hash);
    let perm = default_babybear_poseidon2_16();
    let (hasher, compressor) =
        (Sponge::<_, 16, 8, 8>::new(perm.clone()), TruncatedPermutation::<_, 2, 8, 16>::new(perm));
    type B = Packed<BabyBear>;
    commitments_are_the_stock_ones::<B, B, _, _, 2, 8>(hasher, compressor, Hash::POSEIDON2_BABYBEAR_16);
}

#[test]
fn fields_of_31_bits_poseidon() {
    macro_rules! commits {
        ($field:ty, $nodes:ident, $rows:ident, $hash:ident, $wide_hash:ident) => {{
            type P = Packed<$field>;
            let (hasher, compressor) =
                (Sponge::<_, 16, 8, 8>::new($nodes()), TruncatedPermutation::<_, 2, 8, 16>::new($nodes()));
            commitments_are_the_stock_ones::<P, P, _, _, 2, 8>(hasher.clone(), compressor.clone(), Hash::$hash);
            lanes_make_the_stock_tree::<$field, $field, _, _, 8>(hasher, compressor.clone(), Hash::$hash);
            let hasher = Sponge::<_, 24, 16, 8>::new($rows());
            commitments_are_the_stock_ones::<P, P, _, _, 2, 8>(hasher, compressor, Hash::$wide_hash);
        }};
    }
    commits!(
        BabyBear,
        default_babybear_poseidon1_16,
        default_babybear_poseidon1_24,
        POSEIDON_BABYBEAR_16,
        POSEIDON_BABYBEAR_24
    );
    commits!(
        KoalaBear,
        default_koalabear_poseidon1_16,
        default_koalabear_poseidon1_24,
        POSEIDON_KOALABEAR_16,
        POSEIDON_KOALABEAR_24
    );
}

#[test]
fn blake3() {
    type Compressor = CompressionFunctionFromHasher<Blake3, 2, 32>;
    let (hasher, compressor) = (SerializingHasher::new(Blake3 {}), Compressor::new(Blake3 {}));
    commitments_are_the_stock_ones::<BabyBear, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    commitments_are_the_stock_ones::<Goldilocks, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    lanes_make_the_stock_tree::<KoalaBear, u8, _, _, 32>(hasher, compressor, Hash::BLAKE3);
}

/// Digests of four words, which are no field elements.
#[test]
fn keccakf64() {
    type Compressor = CompressionFunctionFromHasher<KeccakF64Sponge, 2, 4>;
    type Words = [u64; VECTOR_LEN];
    let sponge = KeccakF64Sponge::new(KeccakF);
    let (hasher, compressor) = (SerializingHasher::new(sponge), Compressor::new(sponge));
    let hash = Hash::KECCAKF64;
    commitments_are_the_stock_ones::<[Goldilocks; VECTOR_LEN], Words, _, _, 2, 4>(hasher, compressor.clone(), hash);
    commitments_are_the_stock_ones::<[BabyBear; VECTOR_LEN], Words, _, _, 2, 4>(hasher, compressor.clone(), hash);
    commitments_are_the_stock_ones::<[KoalaBear; VECTOR_LEN], Words, _, _, 2, 4>(hasher, compressor.clone(), hash);
    lanes_make_the_stock_tree::<Goldilocks, u64, _, _, 4>(hasher, compressor.clone(), hash);
    lanes_make_the_stock_tree::<KoalaBear, u64, _, _, 4>(hasher, compressor, hash);
}

/// Elements of 4, 8 and 16 bytes in both bases, each a word in memory.
#[test]
fn binary_fields() {
    type Blake3Compressor = CompressionFunctionFromHasher<Blake3, 2, 32>;
    let (hasher, compressor) = (SerializingHasher::new(Blake3 {}), Blake3Compressor::new(Blake3 {}));
    commitments_are_the_stock_ones::<BinaryField32, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    commitments_are_the_stock_ones::<Poly64, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    commitments_are_the_stock_ones::<BinaryField128, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    commitments_are_the_stock_ones::<Ghash128, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::BLAKE3);
    lanes_make_the_stock_tree::<BinaryField128, u8, _, _, 32>(hasher, compressor, Hash::BLAKE3);

    type KeccakCompressor = CompressionFunctionFromHasher<Keccak256Hash, 2, 32>;
    let (hasher, compressor) = (SerializingHasher::new(Keccak256Hash), KeccakCompressor::new(Keccak256Hash));
    commitments_are_the_stock_ones::<BinaryField64, u8, _, _, 2, 32>(hasher, compressor.clone(), Hash::KECCAK256);
    commitments_are_the_stock_ones::<BinaryField128, u8, _, _, 2, 32>(hasher, compressor, Hash::KECCAK256);

    type WordCompressor = CompressionFunctionFromHasher<KeccakF64Sponge, 2, 4>;
    let sponge = KeccakF64Sponge::new(KeccakF);
    let (hasher, compressor) = (SerializingHasher::new(sponge), WordCompressor::new(sponge));
    let hash = Hash::KECCAKF64;
    commitments_are_the_stock_ones::<[BinaryField128; VECTOR_LEN], [u64; VECTOR_LEN], _, _, 2, 4>(
        hasher,
        compressor.clone(),
        hash,
    );
    lanes_make_the_stock_tree::<Ghash128, u64, _, _, 4>(hasher, compressor, hash);
}

/// A prover's round constants, from the generator of random numbers that made its permutation.
#[test]
fn constants_of_a_prover() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let mut rng = SmallRng::seed_from_u64(7);
    let rows = Poseidon2Constants::<KoalaBear, 16>::from_rng_128(&mut rng.clone());
    let of_rows = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng);
    let quad = Poseidon2Constants::<KoalaBear, 32>::from_rng_128(&mut rng.clone());
    let of_quad = Poseidon2KoalaBear::<32>::new_from_rng_128(&mut rng);
    let hash = rows.hash_with_quad(8, &quad).unwrap();
    let hasher = Sponge::<_, 16, 8, 8>::new(of_rows.clone());
    let pairs = TruncatedPermutation::<_, 2, 8, 16>::new(of_rows);
    let fours = TruncatedPermutation::<_, 4, 8, 32>::new(of_quad);
    type K = Packed<KoalaBear>;
    commitments_are_the_stock_ones::<K, K, _, _, 2, 8>(hasher.clone(), pairs.clone(), hash);
    commitments_are_the_stock_ones::<K, K, _, _, 4, 8>(hasher.clone(), fours, hash);
    lanes_make_the_stock_tree::<KoalaBear, KoalaBear, _, _, 8>(hasher.clone(), pairs.clone(), hash);
    let default = Hash::POSEIDON2_KOALABEAR_16;
    assert!(MerklizeMmcs::<K, K, _, _, 2, 8>::new(hasher, pairs, 0, default, cpu()).is_err());
    let error = rows.hash(16).unwrap_err();
    assert!(error.to_string().contains("rate"), "{error}");
}

/// Each width that both Plonky3 and the library have. Their diagonals and numbers of rounds differ.
#[test]
fn constants_of_every_width() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    macro_rules! commits {
        ($field:ident, $permutation:ident, $width:literal, $rate:literal, $digest:literal) => {{
            let mut rng = SmallRng::seed_from_u64($width);
            let hash = Poseidon2Constants::<$field, $width>::from_rng_128(&mut rng.clone()).hash($rate).unwrap();
            let permutation = $permutation::<$width>::new_from_rng_128(&mut rng);
            let hasher = Sponge::<_, $width, $rate, $digest>::new(permutation.clone());
            let compressor = TruncatedPermutation::<_, 2, $digest, $width>::new(permutation);
            type F = Packed<$field>;
            // new() compares the permutation with the hash.
            MerklizeMmcs::<F, F, _, _, 2, $digest>::new(hasher, compressor, 0, hash, cpu()).unwrap();
        }};
    }
    commits!(Goldilocks, Poseidon2Goldilocks, 8, 4, 4);
    commits!(Goldilocks, Poseidon2Goldilocks, 12, 8, 4);
    commits!(Goldilocks, Poseidon2Goldilocks, 16, 12, 4);
    commits!(BabyBear, Poseidon2BabyBear, 16, 8, 8);
    commits!(BabyBear, Poseidon2BabyBear, 24, 16, 8);
    commits!(BabyBear, Poseidon2BabyBear, 32, 24, 8);
    commits!(KoalaBear, Poseidon2KoalaBear, 24, 16, 8);
    commits!(KoalaBear, Poseidon2KoalaBear, 32, 24, 8);
}

/// Poseidon's, with Plonky3's matrices of each width that the library has.
#[test]
fn constants_of_poseidon() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    macro_rules! commits {
        ($field:ident, $permutation:ident, $column:expr, $width:literal, $rate:literal, $digest:literal) => {{
            let mut rng = SmallRng::seed_from_u64($width);
            let mut constants = Poseidon1Constants::<$field, $width> {
                rounds_f: 6,
                rounds_p: 11,
                mds_circ_col: $column,
                round_constants: (0..17).map(|_| core::array::from_fn(|_| rng.sample(StandardUniform))).collect(),
            };
            let permutation = $permutation::<$width>::new(&constants);
            let hasher = Sponge::<_, $width, $rate, $digest>::new(permutation.clone());
            let compressor = TruncatedPermutation::<_, 2, $digest, $width>::new(permutation);
            type F = Packed<$field>;
            let hash = poseidon_hash(&constants, $rate).unwrap();
            commitments_are_the_stock_ones::<F, F, _, _, 2, $digest>(hasher.clone(), compressor.clone(), hash);
            constants.round_constants[5][1] += $field::ONE;
            let other = poseidon_hash(&constants, $rate).unwrap();
            assert!(MerklizeMmcs::<F, F, _, _, 2, $digest>::new(hasher, compressor, 0, other, cpu()).is_err());
            let error = poseidon_hash(&constants, $width).unwrap_err();
            assert!(error.to_string().contains("rate must be 1 to width - 1"), "{error}");
        }};
    }
    commits!(Goldilocks, Poseidon1Goldilocks, MATRIX_CIRC_MDS_8_COL, 8, 4, 4);
    commits!(Goldilocks, Poseidon1Goldilocks, MATRIX_CIRC_MDS_12_COL, 12, 8, 4);
    commits!(BabyBear, Poseidon1BabyBear, MDSBabyBearData::MATRIX_CIRC_MDS_16_COL, 16, 8, 8);
    commits!(BabyBear, Poseidon1BabyBear, MDSBabyBearData::MATRIX_CIRC_MDS_24_COL, 24, 16, 8);
    commits!(KoalaBear, Poseidon1KoalaBear, MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL, 16, 8, 8);
    commits!(KoalaBear, Poseidon1KoalaBear, MDSKoalaBearData::MATRIX_CIRC_MDS_24_COL, 24, 16, 8);
}

/// The named configurations.
#[test]
fn usual_configurations() {
    macro_rules! commits {
        ($($mmcs:ty, $field:ty;)*) => {$({
            let ours = <$mmcs>::with_defaults(1, cpu()).unwrap();
            let matrices = vec![matrix::<$field>(1, 16, 5), matrix(2, 4, 3)];
            let (cap, data) = ours.commit(matrices.clone());
            assert_eq!(cap, ours.stock().commit(matrices).0, "{}", stringify!($mmcs));
            assert_eq!(data.clone().cap(), cap);
            assert!(!merklize_plonky3::HAS_LIBRARY || format!("{data:?}").contains("n_leaves: 16"));
        })*};
    }
    commits! {
        GoldilocksMmcs, Goldilocks;
        GoldilocksPoseidonMmcs, Goldilocks;
        BabyBearMmcs, BabyBear;
        BabyBearPoseidonMmcs, BabyBear;
        KoalaBearMmcs, KoalaBear;
        KoalaBearPoseidonMmcs, KoalaBear;
        Blake3Mmcs<Goldilocks>, Goldilocks;
        Keccak256Mmcs<BabyBear>, BabyBear;
        KeccakF64Mmcs<KoalaBear>, KoalaBear;
    }
}

/// Trees of arity 4, where the library's hash can merge four nodes.
#[test]
fn arity_four() {
    let hasher = Sponge::<_, 8, 4, 4>::new(default_goldilocks_poseidon2_8());
    let four = TruncatedPermutation::<_, 4, 4, 16>::new(default_goldilocks_poseidon2_16());
    type G = Packed<Goldilocks>;
    commitments_are_the_stock_ones::<G, G, _, _, 4, 4>(hasher, four, Hash::POSEIDON2_GOLDILOCKS_8);
    let hasher = Sponge::<_, 16, 8, 8>::new(default_koalabear_poseidon2_16());
    let four = TruncatedPermutation::<_, 4, 8, 32>::new(default_koalabear_poseidon2_32());
    type K = Packed<KoalaBear>;
    commitments_are_the_stock_ones::<K, K, _, _, 4, 8>(hasher, four, Hash::POSEIDON2_KOALABEAR_16);
    let four = CompressionFunctionFromHasher::<_, 4, 32>::new(Blake3);
    commitments_are_the_stock_ones::<BabyBear, u8, _, _, 4, 32>(SerializingHasher::new(Blake3), four, Hash::BLAKE3);
    let (hasher, four) = (SerializingHasher::new(Keccak256Hash), CompressionFunctionFromHasher::new(Keccak256Hash));
    commitments_are_the_stock_ones::<Goldilocks, u8, _, _, 4, 32>(hasher, four, Hash::KECCAK256);
    let sponge = KeccakF64Sponge::new(KeccakF);
    let (hasher, four) = (SerializingHasher::new(sponge), CompressionFunctionFromHasher::new(sponge));
    type Words = [u64; VECTOR_LEN];
    commitments_are_the_stock_ones::<[KoalaBear; VECTOR_LEN], Words, _, _, 4, 4>(hasher, four, Hash::KECCAKF64);
}

#[test]
fn caps_of_arity_four_are_refused() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let hasher = Sponge::<_, 8, 4, 4>::new(default_goldilocks_poseidon2_8());
    let four = TruncatedPermutation::<_, 4, 4, 16>::new(default_goldilocks_poseidon2_16());
    type G = Packed<Goldilocks>;
    let ours = MerklizeMmcs::<G, G, _, _, 4, 4>::new(hasher, four, 1, Hash::POSEIDON2_GOLDILOCKS_8, cpu()).unwrap();
    let Err(error) = catch(|| ours.commit(vec![matrix::<Goldilocks>(0, 64, 2)])) else { panic!() };
    assert!(error.to_string().contains("cap_height must be 0 for trees of arity 4, got 1"), "{error}");
}

/// The stock scheme of Plonky3 0.8 panics: 17 rows make layers of 18, 10, 6, 4, 2 nodes and the root.
#[test]
fn caps_that_are_no_power_of_two_are_refused() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let perm = default_goldilocks_poseidon2_8();
    let (hasher, compressor) = (Sponge::<_, 8, 4, 4>::new(perm.clone()), TruncatedPermutation::<_, 2, 4, 8>::new(perm));
    type G = Packed<Goldilocks>;
    let commit = |cap_height: usize, rows: usize| {
        let hash = Hash::POSEIDON2_GOLDILOCKS_8;
        let ours = MerklizeMmcs::<G, G, _, _, 2, 4>::new(hasher.clone(), compressor.clone(), cap_height, hash, cpu());
        catch(|| ours.unwrap().commit(vec![matrix::<Goldilocks>(0, rows, 2)]).0)
    };
    for (cap_height, nodes) in [(3, 6), (4, 10), (5, 18)] {
        let error = commit(cap_height, 17).unwrap_err().to_string();
        let rule = format!(
            "the layer of cap_height {cap_height} must have a power of two of nodes, but above 17 rows it has {nodes}"
        );
        assert!(error.contains(&rule), "{error}");
    }
    for (cap_height, rows) in [(0, 17), (2, 17), (3, 16), (3, 15), (9, 8)] {
        let stock = MerkleTreeMmcs::<G, G, _, _, 2, 4>::new(hasher.clone(), compressor.clone(), cap_height);
        assert_eq!(commit(cap_height, rows).unwrap(), stock.commit(vec![matrix(0, rows, 2)]).0, "{cap_height} {rows}");
    }
}

/// Views that compute their rows are copied, so their commitments keep all levels.
#[test]
fn dropped_levels_of_matrices_that_are_copied() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let ours = KoalaBearMmcs::with_defaults(0, cpu()).unwrap().drop_levels(2);
    let view = || matrix::<KoalaBear>(0, 16, 3).bit_reverse_rows();
    let (cap, data) = ours.commit(vec![view()]);
    let (_, stock_data) = ours.stock().commit(vec![view()]);
    let (values, proof) = ours.open_batch(5, &data).unpack();
    let stock = ours.stock().open_batch(5, &stock_data).unpack();
    assert_eq!((&values, &proof), (&stock.0, &stock.1));
    let dimensions = [Dimensions { width: 3, height: 16 }];
    ours.verify_batch(&cap, &dimensions, 5, BatchOpeningRef::new(&values, &proof)).unwrap();
    assert!(format!("{data:?}").contains("drop_levels: 0"));
    let (_, data) = ours.commit(vec![RowMajorMatrix::new(vec![KoalaBear::default(); 32], 2)]);
    assert!(format!("{data:?}").contains("drop_levels: 2"));
}

/// A matrix that counts the looks at its rows.
struct Counted {
    matrix: RowMajorMatrix<KoalaBear>,
    looks: Arc<AtomicUsize>,
}

impl Matrix<KoalaBear> for Counted {
    fn width(&self) -> usize {
        self.matrix.width
    }
    fn height(&self) -> usize {
        self.matrix.height()
    }
    unsafe fn row_subslice_unchecked(&self, r: usize, first: usize, end: usize) -> impl Deref<Target = [KoalaBear]> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        &self.matrix.values[r * self.matrix.width..][first..end]
    }
    // Plonky3 wants this one or that of whole rows from every matrix.
    unsafe fn row_subseq_unchecked(
        &self,
        r: usize,
        first: usize,
        end: usize,
    ) -> impl IntoIterator<Item = KoalaBear, IntoIter = impl Iterator<Item = KoalaBear> + Send + Sync> {
        unsafe { self.row_subslice_unchecked(r, first, end) }.to_vec()
    }
}

#[test]
fn an_opening_without_the_lowest_levels_looks_at_its_own_rows() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let looks = Arc::new(AtomicUsize::new(0));
    let ours = KoalaBearMmcs::with_defaults(0, cpu()).unwrap().drop_levels(3);
    let shapes = [(4096, 3), (256, 5)];
    let matrices = || shapes.iter().map(|&(height, width)| matrix::<KoalaBear>(1, height, width));
    let counted = matrices().map(|matrix| Counted { matrix, looks: looks.clone() }).collect();
    let (cap, data) = ours.commit(counted);
    let (stock_cap, stock_data) = ours.stock().commit(matrices().collect());
    assert_eq!(cap, stock_cap);
    assert!(format!("{:?}", ours.commit(matrices().collect()).1).contains("drop_levels: 3"));
    // A clone is of the same matrices.
    let data = [data.clone(), data];
    for (index, data) in [5, 4095, 0].into_iter().zip(data.iter().cycle()) {
        looks.store(0, Ordering::Relaxed);
        let opened = ours.open_batch(index, data).unpack();
        let n_looks = looks.load(Ordering::Relaxed);
        assert!(n_looks <= shapes.len(), "{n_looks} looks");
        let stock = ours.stock().open_batch(index, &stock_data).unpack();
        assert_eq!((opened.0, opened.1), (stock.0, stock.1));
    }
}

#[test]
fn another_hash_than_the_library_s_is_refused() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let perm = default_koalabear_poseidon2_16();
    let hasher = Sponge::<_, 16, 8, 8>::new(perm.clone());
    let compressor = TruncatedPermutation::<_, 2, 8, 16>::new(perm);
    let wide = TruncatedPermutation::<_, 2, 8, 24>::new(default_koalabear_poseidon2_24());
    type K = Packed<KoalaBear>;
    for hash in [Hash::POSEIDON2_KOALABEAR_24, Hash::POSEIDON2_BABYBEAR_16, Hash::BLAKE3] {
        let made = MerklizeMmcs::<K, K, _, _, 2, 8>::new(hasher.clone(), compressor.clone(), 0, hash, cpu());
        assert!(made.unwrap_err().to_string().contains(&hash.name()));
    }
    let hash = Hash::POSEIDON2_KOALABEAR_16;
    let made = MerklizeMmcs::<K, K, _, _, 2, 8>::new(hasher.clone(), wide, 0, hash, cpu());
    assert!(made.unwrap_err().to_string().contains("compressor"));
}

#[test]
fn wrong_calls_are_caught_as_errors() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let perm = default_koalabear_poseidon2_16();
    let (hasher, compressor) =
        (Sponge::<_, 16, 8, 8>::new(perm.clone()), TruncatedPermutation::<_, 2, 8, 16>::new(perm));
    type K = Packed<KoalaBear>;
    let hash = Hash::POSEIDON2_KOALABEAR_16;
    let ours = MerklizeMmcs::<K, K, _, _, 2, 8>::new(hasher, compressor, 0, hash, cpu()).unwrap();
    let commit = |heights: &[usize]| {
        let matrices: Vec<_> = heights.iter().map(|&height| matrix::<KoalaBear>(0, height, 2)).collect();
        catch(|| ours.commit(matrices))
    };
    for wrong in [&[][..], &[0], &[8, 3], &[8, 5], &[7, 3]] {
        let Err(error) = commit(wrong) else { panic!("{wrong:?}") };
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    let (_, data) = commit(&[8, 4]).unwrap();
    let Err(error) = catch(|| ours.open_batch(8, &data)) else { panic!() };
    assert!(error.to_string().contains("below 8, got 8"), "{error}");
    assert!(catch(|| ours.open_multi_batch(&[1, 9], &data)).is_err());
}
