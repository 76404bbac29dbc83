//! The configurations of Plonky3's keccak-air examples. They are generic over the commitment scheme, stock or ours.

use merklize_plonky3::{poseidon_hash, DeviceMmcs, Hash, MerklizePcs, TwoAdicElement};
use p3_baby_bear::{default_babybear_poseidon1_16, BabyBear, Poseidon1BabyBear};
use p3_blake3::Blake3;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32, SerializingChallenger64};
use p3_commit::{ExtensionMmcs, Mmcs};
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_field::Field;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::poseidon1::{default_goldilocks_poseidon1_8, Poseidon1Goldilocks};
use p3_goldilocks::{default_goldilocks_poseidon2_8, Goldilocks, Poseidon2Goldilocks};
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::{
    default_koalabear_poseidon1_16, default_koalabear_poseidon2_16, KoalaBear, MDSKoalaBearData, Poseidon1KoalaBear,
    Poseidon2KoalaBear,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation};
use p3_uni_stark::StarkConfig;
use rand::distr::StandardUniform;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Packed<F> = <F as Field>::Packing;
pub type Challenge<F, const D: usize> = BinomialExtensionField<F, D>;
pub type Config<F, const D: usize, M, C> =
    StarkConfig<TwoAdicFriPcs<F, Radix2DitParallel<F>, M, ExtensionMmcs<F, Challenge<F, D>, M>>, Challenge<F, D>, C>;

pub type DeviceConfig<F, const D: usize, M, C> = StarkConfig<MerklizePcs<F, Challenge<F, D>, M>, Challenge<F, D>, C>;

/// A configuration of a commitment scheme and a challenger.
pub fn config<F, const D: usize, M, C>(mmcs: M, challenger: C, queries: usize) -> Config<F, D, M, C>
where
    F: p3_field::TwoAdicField,
    Challenge<F, D>: p3_field::ExtensionField<F>,
    M: Mmcs<F>,
    C: Clone,
{
    let parameters = fri_parameters(mmcs.clone(), queries);
    StarkConfig::new(TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs, parameters), challenger)
}

/// The same whose extensions and commitments are computed on the device of the Mmcs.
pub fn device_config<F, const D: usize, M, C>(mmcs: M, challenger: C, queries: usize) -> DeviceConfig<F, D, M, C>
where
    F: TwoAdicElement,
    Challenge<F, D>: p3_field::ExtensionField<F>,
    M: DeviceMmcs<F>,
    C: Clone,
{
    let parameters = fri_parameters(mmcs.stock_mmcs().clone(), queries);
    StarkConfig::new(MerklizePcs::new(mmcs, parameters), challenger)
}

pub fn fri_parameters<F, const D: usize, M>(
    mmcs: M,
    queries: usize,
) -> FriParameters<ExtensionMmcs<F, Challenge<F, D>, M>> {
    let mut parameters = FriParameters::new_benchmark(ExtensionMmcs::new(mmcs));
    parameters.num_queries = queries;
    if queries < 50 {
        parameters.query_proof_of_work_bits = 1;
    }
    parameters
}

/// One permutation over the field hashes rows and pairs, and is the challenger's.
macro_rules! permutations {
    ($(
        $name:ident, $field:ty, $permutation:ty, $default:ident, $width:literal, $digest:literal,
        $ours:ident, $hash:expr, $degree:literal;
    )*) => {$(
        pub mod $name {
            use super::*;
            pub type Val = $field;
            pub type Perm = $permutation;
            pub type Hasher = PaddingFreeSponge<Perm, $width, $digest, $digest>;
            pub type Compressor = TruncatedPermutation<Perm, 2, $digest, $width>;
            pub type Stock = MerkleTreeMmcs<Packed<Val>, Packed<Val>, Hasher, Compressor, 2, $digest>;
            pub type Ours = merklize_plonky3::$ours;
            pub type Challenger = DuplexChallenger<Val, Perm, $width, $digest>;
            pub const DEGREE: usize = $degree;

            pub fn hash() -> Hash {
                $hash
            }

            pub fn parts() -> (Hasher, Compressor, Challenger) {
                let perm = $default();
                (Hasher::new(perm.clone()), Compressor::new(perm.clone()), Challenger::new(perm))
            }
        }
    )*};
}
permutations! {
    goldilocks, Goldilocks, Poseidon2Goldilocks<8>, default_goldilocks_poseidon2_8, 8, 4,
        GoldilocksMmcs, Hash::POSEIDON2_GOLDILOCKS_8, 2;
    poseidon_goldilocks, Goldilocks, Poseidon1Goldilocks<8>, default_goldilocks_poseidon1_8, 8, 4,
        GoldilocksPoseidonMmcs, Hash::POSEIDON_GOLDILOCKS_8, 2;
    koalabear, KoalaBear, Poseidon2KoalaBear<16>, default_koalabear_poseidon2_16, 16, 8,
        KoalaBearMmcs, Hash::POSEIDON2_KOALABEAR_16, 4;
    poseidon_babybear, BabyBear, Poseidon1BabyBear<16>, default_babybear_poseidon1_16, 16, 8,
        BabyBearPoseidonMmcs, Hash::POSEIDON_BABYBEAR_16, 4;
    poseidon_koalabear, KoalaBear, Poseidon1KoalaBear<16>, default_koalabear_poseidon1_16, 16, 8,
        KoalaBearPoseidonMmcs, Hash::POSEIDON_KOALABEAR_16, 4;
    own_poseidon_koalabear, KoalaBear, Poseidon1KoalaBear<16>, own_permutation, 16, 8,
        KoalaBearPoseidonMmcs, poseidon_hash(&own_constants(), 8).unwrap(), 4;
}

/// Round constants that nobody else has.
fn own_constants() -> Poseidon1Constants<KoalaBear, 16> {
    let mut rng = SmallRng::seed_from_u64(3);
    Poseidon1Constants {
        rounds_f: 10,
        rounds_p: 17,
        mds_circ_col: MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: (0..27).map(|_| core::array::from_fn(|_| rng.sample(StandardUniform))).collect(),
    }
}

fn own_permutation() -> Poseidon1KoalaBear<16> {
    Poseidon1KoalaBear::new(&own_constants())
}

pub mod blake3 {
    use super::*;
    pub type Val = BabyBear;
    pub type Hasher = SerializingHasher<Blake3>;
    pub type Compressor = CompressionFunctionFromHasher<Blake3, 2, 32>;
    pub type Stock = MerkleTreeMmcs<Val, u8, Hasher, Compressor, 2, 32>;
    pub type Ours = merklize_plonky3::Blake3Mmcs<Val>;
    pub type Challenger = SerializingChallenger32<Val, HashChallenger<u8, Blake3, 32>>;
    pub const DEGREE: usize = 4;

    pub fn hash() -> Hash {
        Hash::BLAKE3
    }

    pub fn parts() -> (Hasher, Compressor, Challenger) {
        (Hasher::new(Blake3 {}), Compressor::new(Blake3 {}), Challenger::from_hasher(vec![], Blake3 {}))
    }
}

/// Keccak-f on words of 64 bits, as in Plonky3's example.
macro_rules! keccakf64 {
    ($($name:ident, $field:ty, $degree:literal, $challenger:ident;)*) => {$(
        pub mod $name {
            use super::*;
            pub type Val = $field;
            pub type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
            pub type Hasher = SerializingHasher<Sponge>;
            pub type Compressor = CompressionFunctionFromHasher<Sponge, 2, 4>;
            pub type Stock = MerkleTreeMmcs<[Val; VECTOR_LEN], [u64; VECTOR_LEN], Hasher, Compressor, 2, 4>;
            pub type Ours = merklize_plonky3::KeccakF64Mmcs<Val>;
            pub type Challenger = $challenger<Val, HashChallenger<u8, Keccak256Hash, 32>>;
            pub const DEGREE: usize = $degree;

            pub fn hash() -> Hash {
                Hash::KECCAKF64
            }

            pub fn parts() -> (Hasher, Compressor, Challenger) {
                let sponge = Sponge::new(KeccakF);
                (Hasher::new(sponge), Compressor::new(sponge), Challenger::from_hasher(vec![], Keccak256Hash))
            }
        }
    )*};
}
keccakf64! {
    keccakf64_goldilocks, Goldilocks, 2, SerializingChallenger64;
    keccakf64_babybear, BabyBear, 4, SerializingChallenger32;
    keccakf64_koalabear, KoalaBear, 4, SerializingChallenger32;
}
