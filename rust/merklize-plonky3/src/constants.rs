use merklize::{Error, Field, Hash, Poseidon, Poseidon2};
use p3_baby_bear::{BabyBear, GenericPoseidon2LinearLayersBabyBear};
use p3_field::PrimeField64;
use p3_goldilocks::{GenericPoseidon2LinearLayersGoldilocks, Goldilocks};
use p3_koala_bear::{GenericPoseidon2LinearLayersKoalaBear, KoalaBear};
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon2::{poseidon2_round_numbers_128, ExternalLayerConstants, GenericPoseidon2LinearLayers};
use rand::distr::{Distribution, StandardUniform};
use rand::{Rng, RngExt};

/// A field over which both Plonky3 and the library have Poseidon2 of this width.
pub trait Poseidon2Width<const WIDTH: usize>: PrimeField64 {
    /// The library's name of the field.
    const FIELD: Field;
    /// The S-box is x^`ALPHA`.
    const ALPHA: u64;

    /// Plonky3's linear layer of an internal round.
    fn internal_layer(state: &mut [Self; WIDTH]);
}

macro_rules! widths {
    ($field:ident, $alpha:literal, $layers:ty, $($width:literal)*) => {$(
        impl Poseidon2Width<$width> for $field {
            const FIELD: Field = Field::$field;
            const ALPHA: u64 = $alpha;
            fn internal_layer(state: &mut [Self; $width]) {
                <$layers>::internal_linear_layer(state);
            }
        }
    )*};
}
widths!(Goldilocks, 7, GenericPoseidon2LinearLayersGoldilocks, 8 12 16);
widths!(BabyBear, 7, GenericPoseidon2LinearLayersBabyBear, 16 24 32);
widths!(KoalaBear, 3, GenericPoseidon2LinearLayersKoalaBear, 16 24 32);

/// Round constants of a Poseidon2 permutation of Plonky3. A permutation does not give its constants away, so the
/// library's hash is made from the same source: these constants, or the same random numbers.
///
/// ```
/// use merklize_plonky3::Poseidon2Constants;
/// use p3_koala_bear::{KoalaBear, Poseidon2KoalaBear};
/// use rand::{rngs::SmallRng, SeedableRng};
///
/// let mut rng = SmallRng::seed_from_u64(1);
/// let constants = Poseidon2Constants::<KoalaBear, 16>::from_rng_128(&mut rng.clone());
/// let permutation = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng);
/// // Of `PaddingFreeSponge<_, 16, 8, 8>` and `TruncatedPermutation<_, 2, 8, 16>` of the permutation
/// let hash = constants.hash(8)?;
/// # Ok::<(), merklize_plonky3::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Poseidon2Constants<F, const WIDTH: usize> {
    /// The constants of the external rounds, before and after the internal ones.
    pub external: ExternalLayerConstants<F, WIDTH>,
    /// The constants of the internal rounds.
    pub internal: Vec<F>,
}

impl<F: Poseidon2Width<WIDTH>, const WIDTH: usize> Poseidon2Constants<F, WIDTH> {
    /// The constants that the permutation's `new_from_rng_128` draws from a generator in the same state.
    pub fn from_rng_128<R: Rng>(rng: &mut R) -> Self
    where
        StandardUniform: Distribution<F> + Distribution<[F; WIDTH]>,
    {
        let (external_rounds, internal_rounds) =
            poseidon2_round_numbers_128::<F>(WIDTH, F::ALPHA).expect("Plonky3 has round numbers for these widths");
        let external = ExternalLayerConstants::new_from_rng(external_rounds, rng);
        Self { external, internal: rng.sample_iter(StandardUniform).take(internal_rounds).collect() }
    }

    /// The library's hash with these constants and with Plonky3's diagonal for this field and width. It hashes rows as
    /// `PaddingFreeSponge<_, WIDTH, rate, _>` and pairs as `TruncatedPermutation<_, 2, _, WIDTH>`. See
    /// [`Hash::poseidon2`].
    ///
    /// # Errors
    /// The rate is not below the width, or the library does not take these numbers of rounds; at least one round must
    /// be internal.
    pub fn hash(&self, rate: usize) -> Result<Hash, Error> {
        Hash::poseidon2(&self.words().instance(rate), None)
    }

    /// The same hash for commitments of arity 4: it merges four nodes as `TruncatedPermutation<_, 4, _, QUAD>` of a
    /// second permutation, whose width is 16 over Goldilocks and 32 over the other fields.
    ///
    /// # Errors
    /// Those of [`hash`](Self::hash), and a second permutation of another width.
    pub fn hash_with_quad<const QUAD: usize>(
        &self,
        rate: usize,
        quad: &Poseidon2Constants<F, QUAD>,
    ) -> Result<Hash, Error>
    where
        F: Poseidon2Width<QUAD>,
    {
        Hash::poseidon2(&self.words().instance(rate), Some(&quad.words().instance(QUAD)))
    }

    fn words(&self) -> Words {
        let (initial, terminal) = (self.external.get_initial_constants(), self.external.get_terminal_constants());
        let constants = initial.as_flattened().iter().chain(&self.internal).chain(terminal.as_flattened());
        // The layer makes cell i = sum of all cells + diagonal[i] * cell i. If cell i is 1 and all others are 0, cell i
        // becomes 1 + diagonal[i].
        let diagonal = (0..WIDTH).map(|i| {
            let mut state = [F::ZERO; WIDTH];
            state[i] = F::ONE;
            <F as Poseidon2Width<WIDTH>>::internal_layer(&mut state);
            (state[i] - F::ONE).as_canonical_u64()
        });
        Words {
            field: <F as Poseidon2Width<WIDTH>>::FIELD,
            external_rounds: initial.len() + terminal.len(),
            internal_rounds: self.internal.len(),
            constants: constants.map(|word| word.as_canonical_u64()).collect(),
            diagonal: diagonal.collect(),
        }
    }
}

/// The library's hash with these constants of Plonky3's Poseidon, version 1, of 8 or 12 cells over Goldilocks, 16 or 24
/// over the other fields. It hashes rows as `PaddingFreeSponge<_, WIDTH, rate, _>` and pairs as
/// `TruncatedPermutation<_, 2, _, WIDTH>` of `Poseidon1::new(constants)`. See [`Hash::poseidon`].
///
/// # Errors
/// The rate is not below the width, or the library does not take this width, these numbers of rounds or this matrix.
///
/// ```
/// use merklize_plonky3::poseidon_hash;
/// use p3_goldilocks::{poseidon1::GOLDILOCKS_POSEIDON1_RC_8, MATRIX_CIRC_MDS_8_COL};
/// use p3_poseidon1::Poseidon1Constants;
///
/// let constants = Poseidon1Constants {
///     rounds_f: 8,
///     rounds_p: 22,
///     mds_circ_col: MATRIX_CIRC_MDS_8_COL,
///     round_constants: GOLDILOCKS_POSEIDON1_RC_8.to_vec(),
/// };
/// assert!(poseidon_hash(&constants, 4)?.name().starts_with("poseidon:"));
/// # Ok::<(), merklize_plonky3::Error>(())
/// ```
pub fn poseidon_hash<F: Poseidon2Width<WIDTH>, const WIDTH: usize>(
    of: &Poseidon1Constants<F, WIDTH>,
    rate: usize,
) -> Result<Hash, Error> {
    let constants: Vec<u64> = of.round_constants.as_flattened().iter().map(PrimeField64::as_canonical_u64).collect();
    // The first row of a circulant matrix has the words of its first column, from the last to the second, behind the
    // first.
    let matrix = (0..WIDTH).map(|i| F::from_i64(of.mds_circ_col[(WIDTH - i) % WIDTH]).as_canonical_u64());
    Hash::poseidon(&Poseidon {
        field: F::FIELD,
        width: WIDTH as u32,
        rate: number(rate),
        full_rounds: number(of.rounds_f),
        partial_rounds: number(of.rounds_p),
        constants: &constants,
        matrix: &matrix.collect::<Vec<_>>(),
    })
}

/// The library refuses `u32::MAX`.
fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A permutation, whose constants are canonical words.
struct Words {
    field: Field,
    external_rounds: usize,
    internal_rounds: usize,
    constants: Vec<u64>,
    diagonal: Vec<u64>,
}

impl Words {
    fn instance(&self, rate: usize) -> Poseidon2<'_> {
        Poseidon2 {
            field: self.field,
            width: self.diagonal.len() as u32,
            rate: number(rate),
            external_rounds: number(self.external_rounds),
            internal_rounds: number(self.internal_rounds),
            constants: &self.constants,
            diagonal: &self.diagonal,
        }
    }
}
