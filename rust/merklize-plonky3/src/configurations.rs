//! Names for the usual configurations of Plonky3's examples, so that a prover writes no type parameters.

use std::sync::Arc;

use merklize::{Device, Error, Hash};
use p3_baby_bear::{
    default_babybear_poseidon1_16, default_babybear_poseidon2_16, BabyBear, Poseidon1BabyBear, Poseidon2BabyBear,
};
use p3_blake3::Blake3;
use p3_field::Field;
use p3_goldilocks::poseidon1::{default_goldilocks_poseidon1_8, Poseidon1Goldilocks};
use p3_goldilocks::{default_goldilocks_poseidon2_8, Goldilocks, Poseidon2Goldilocks};
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::{
    default_koalabear_poseidon1_16, default_koalabear_poseidon2_16, KoalaBear, Poseidon1KoalaBear, Poseidon2KoalaBear,
};
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation};

use crate::elements::DeviceElement;
use crate::mmcs::MerklizeMmcs;

/// One permutation over a field hashes rows and pairs. Its constants are a value, not a type: [`MerklizeMmcs::new`]
/// takes any.
pub type PermutationMmcs<F, Permutation, const WIDTH: usize, const RATE: usize, const DIGEST: usize> = MerklizeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Permutation, WIDTH, RATE, DIGEST>,
    TruncatedPermutation<Permutation, 2, DIGEST, WIDTH>,
    2,
    DIGEST,
>;

/// Poseidon2 of width 8 over Goldilocks.
pub type GoldilocksMmcs = PermutationMmcs<Goldilocks, Poseidon2Goldilocks<8>, 8, 4, 4>;

/// Poseidon, version 1, of width 8 over Goldilocks.
pub type GoldilocksPoseidonMmcs = PermutationMmcs<Goldilocks, Poseidon1Goldilocks<8>, 8, 4, 4>;

/// Poseidon2 of width 16 over BabyBear.
pub type BabyBearMmcs = PermutationMmcs<BabyBear, Poseidon2BabyBear<16>, 16, 8, 8>;

/// Poseidon2 of width 16 over KoalaBear.
pub type KoalaBearMmcs = PermutationMmcs<KoalaBear, Poseidon2KoalaBear<16>, 16, 8, 8>;

/// Poseidon, version 1, of width 16 over BabyBear.
pub type BabyBearPoseidonMmcs = PermutationMmcs<BabyBear, Poseidon1BabyBear<16>, 16, 8, 8>;

/// Poseidon, version 1, of width 16 over KoalaBear.
pub type KoalaBearPoseidonMmcs = PermutationMmcs<KoalaBear, Poseidon1KoalaBear<16>, 16, 8, 8>;

/// A hash of bytes over rows of a field.
pub type ByteHashMmcs<F, H> = MerklizeMmcs<F, u8, SerializingHasher<H>, CompressionFunctionFromHasher<H, 2, 32>, 2, 32>;

/// BLAKE3 over rows of a field.
pub type Blake3Mmcs<F> = ByteHashMmcs<F, Blake3>;

/// Keccak-256 over rows of a field.
pub type Keccak256Mmcs<F> = ByteHashMmcs<F, Keccak256Hash>;

/// Plonky3's sponge of words over Keccak-f, whose digests are `[u64; 4]`.
pub type KeccakF64Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;

/// [`KeccakF64Sponge`] over rows of a field.
pub type KeccakF64Mmcs<F> = MerklizeMmcs<
    [F; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<KeccakF64Sponge>,
    CompressionFunctionFromHasher<KeccakF64Sponge, 2, 4>,
    2,
    4,
>;

macro_rules! of_permutations {
    ($($mmcs:ty, $permutation:ident, $hash:ident;)*) => {$(
        impl $mmcs {
            /// The scheme with Plonky3's default constants.
            ///
            /// - `device`: `None`: Plonky3's own code commits, as [`without_device`](Self::without_device).
            ///
            /// # Errors
            /// The CPU cannot be used; it checks that Plonky3's hash and the library's are the same.
            pub fn with_defaults(cap_height: usize, device: impl Into<Option<Arc<Device>>>) -> Result<Self, Error> {
                let permutation = $permutation();
                let (hasher, compressor) =
                    (PaddingFreeSponge::new(permutation.clone()), TruncatedPermutation::new(permutation));
                Self::new(hasher, compressor, cap_height, Hash::$hash, device)
            }
        }
    )*};
}
of_permutations! {
    GoldilocksMmcs, default_goldilocks_poseidon2_8, POSEIDON2_GOLDILOCKS_8;
    GoldilocksPoseidonMmcs, default_goldilocks_poseidon1_8, POSEIDON_GOLDILOCKS_8;
    BabyBearMmcs, default_babybear_poseidon2_16, POSEIDON2_BABYBEAR_16;
    KoalaBearMmcs, default_koalabear_poseidon2_16, POSEIDON2_KOALABEAR_16;
    BabyBearPoseidonMmcs, default_babybear_poseidon1_16, POSEIDON_BABYBEAR_16;
    KoalaBearPoseidonMmcs, default_koalabear_poseidon1_16, POSEIDON_KOALABEAR_16;
}

macro_rules! of_hashers {
    ($($mmcs:ident, $hasher:expr, $hash:ident;)*) => {$(
        impl<F: DeviceElement> $mmcs<F> {
            /// The scheme with this hash, which has no constants to choose.
            ///
            /// - `device`: `None`: Plonky3's own code commits, as [`without_device`](Self::without_device).
            ///
            /// # Errors
            /// The CPU cannot be used; it checks that Plonky3's hash and the library's are the same.
            pub fn with_defaults(cap_height: usize, device: impl Into<Option<Arc<Device>>>) -> Result<Self, Error> {
                let (hasher, compressor) =
                    (SerializingHasher::new($hasher), CompressionFunctionFromHasher::new($hasher));
                Self::new(hasher, compressor, cap_height, Hash::$hash, device)
            }
        }
    )*};
}
of_hashers! {
    Blake3Mmcs, Blake3, BLAKE3;
    Keccak256Mmcs, Keccak256Hash, KECCAK256;
    KeccakF64Mmcs, KeccakF64Sponge::new(KeccakF), KECCAKF64;
}
