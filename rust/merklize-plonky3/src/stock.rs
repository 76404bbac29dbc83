//! The stock scheme beside ours, and proofs under its types.

use p3_commit::{ExtensionMmcs, Pcs};
use p3_dft::Radix2DitParallel;
use p3_field::ExtensionField;
use p3_fri::{BatchMultiOpening, CommitPhaseMultiStep, FriProof, TwoAdicFriPcs};
use p3_uni_stark::{Com, Domain, PreprocessedVerifierKey, Proof, StarkGenericConfig};

use crate::dft::TwoAdicElement;
use crate::mmcs::DeviceMmcs;

/// Plonky3's scheme over an Mmcs that commits both to the matrices and to the folded vectors.
pub type StockPcs<F, EF, M> = TwoAdicFriPcs<F, Radix2DitParallel<F>, M, ExtensionMmcs<F, EF, M>>;

/// The opening proof of [`StockPcs`].
pub type StockProof<F, EF, M> = FriProof<EF, ExtensionMmcs<F, EF, M>, F, Vec<BatchMultiOpening<F, M>>>;

/// A scheme whose opening proofs are those of the stock scheme, perhaps under another type:
/// [`MerklizePcs`](crate::MerklizePcs), and `TwoAdicFriPcs` over a [`MerklizeMmcs`](crate::MerklizeMmcs).
pub trait StockOpening {
    /// The opening proof of this scheme.
    type Own;
    /// That of the stock scheme.
    type Stock;

    /// The same opening proof under the stock scheme's type.
    fn stock_opening(opening: Self::Own) -> Self::Stock;
}

impl<F, EF, M, Dft> StockOpening for TwoAdicFriPcs<F, Dft, M, ExtensionMmcs<F, EF, M>>
where
    F: TwoAdicElement,
    EF: ExtensionField<F>,
    M: DeviceMmcs<F>,
{
    type Own = StockProof<F, EF, M>;
    type Stock = StockProof<F, EF, M::Stock>;

    fn stock_opening(opening: Self::Own) -> Self::Stock {
        retyped::<F, EF, M>(opening)
    }
}

/// The same opening proof under the types of the stock Mmcs, which has the same commitments and openings.
pub(crate) fn retyped<F, EF, M>(proof: StockProof<F, EF, M>) -> StockProof<F, EF, M::Stock>
where
    F: TwoAdicElement,
    EF: ExtensionField<F>,
    M: DeviceMmcs<F>,
{
    let input = |opening: BatchMultiOpening<F, M>| BatchMultiOpening {
        opened_values: opening.opened_values,
        opening_proof: opening.opening_proof,
    };
    let step = |step: CommitPhaseMultiStep<EF, ExtensionMmcs<F, EF, M>>| CommitPhaseMultiStep {
        sibling_values: step.sibling_values,
        opening_proof: step.opening_proof,
    };
    FriProof {
        batch_pow_witness: proof.batch_pow_witness,
        commit_phase_commits: proof.commit_phase_commits,
        commit_pow_witnesses: proof.commit_pow_witnesses,
        input_openings: proof.input_openings.into_iter().map(input).collect(),
        commit_phase_openings: proof.commit_phase_openings.into_iter().map(step).collect(),
        final_poly: proof.final_poly,
        query_pow_witness: proof.query_pow_witness,
    }
}

/// The same proof as one of the verifier's configuration, which has the stock scheme and never needs this crate. `A` is
/// the prover's configuration, `B` the verifier's.
pub fn stock_proof<A, B>(proof: Proof<A>) -> Proof<B>
where
    A: StarkGenericConfig,
    A::Pcs: StockOpening<Own = <A::Pcs as Pcs<A::Challenge, A::Challenger>>::Proof>,
    B: StarkGenericConfig<Challenge = A::Challenge, Challenger = A::Challenger>,
    B::Pcs: Pcs<
        A::Challenge,
        A::Challenger,
        Domain = Domain<A>,
        Commitment = Com<A>,
        Proof = <A::Pcs as StockOpening>::Stock,
    >,
{
    let Proof { commitments, opened_values, opening_proof, degree_bits, ood_pow_witness } = proof;
    let opening_proof = A::Pcs::stock_opening(opening_proof);
    Proof { commitments, opened_values, opening_proof, degree_bits, ood_pow_witness }
}

/// The same key of preprocessed columns for the verifier's configuration. `A` is the prover's, `B` the verifier's.
pub fn stock_preprocessed<A, B>(key: PreprocessedVerifierKey<A>) -> PreprocessedVerifierKey<B>
where
    A: StarkGenericConfig,
    B: StarkGenericConfig,
    B::Pcs: Pcs<B::Challenge, B::Challenger, Commitment = Com<A>>,
{
    let PreprocessedVerifierKey { width, degree_bits, commitment } = key;
    PreprocessedVerifierKey { width, degree_bits, commitment }
}
