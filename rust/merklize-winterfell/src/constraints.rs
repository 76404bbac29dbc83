use merklize::Device;
use winter_prover::proof::Queries;
use winter_prover::ConstraintCommitment;
use winterfell::crypto::{Hasher, VectorCommitment};
use winterfell::math::FieldElement;
use winterfell::matrix::RowMatrix;
use winterfell::{CompositionPoly, CompositionPolyTrace, PartitionOptions, StarkDomain};

use crate::hashers::{DeviceField, DeviceHasher};
use crate::rows::commit_to_rows;
use crate::trace::{query, SEGMENT_WIDTH};
use crate::tree::{or_raise, MerklizeTree, TreeError};

/// Winterfell's commitment to the evaluations of constraints. Rows and tree are one job of the device. It replaces `DefaultConstraintCommitment`; proofs are
/// the same. Errors of functions that cannot fail by their trait: as in [`MerklizeTraceLde`](crate::MerklizeTraceLde).
pub struct MerklizeConstraintCommitment<E: FieldElement, H> {
    evaluations: RowMatrix<E>,
    tree: MerklizeTree<H>,
}

impl<E, H> MerklizeConstraintCommitment<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    /// Evaluates the columns of the composition polynomial and commits to the rows: for `Prover::build_constraint_commitment`.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(
        composition_poly_trace: CompositionPolyTrace<E>,
        num_columns: usize,
        domain: &StarkDomain<E::BaseField>,
        partitions: PartitionOptions,
        device: &Device,
    ) -> Result<(Self, CompositionPoly<E>), TreeError> {
        let poly = CompositionPoly::new(composition_poly_trace, domain, num_columns);
        let evaluations = RowMatrix::evaluate_polys_over::<SEGMENT_WIDTH>(poly.data(), domain);
        let tree = commit_to_rows(&evaluations, partitions, device)?;
        Ok((Self { evaluations, tree }, poly))
    }
}

impl<E, H> ConstraintCommitment<E> for MerklizeConstraintCommitment<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField> + Sync,
{
    type HashFn = H;
    type VC = MerklizeTree<H>;

    fn commitment(&self) -> <H as Hasher>::Digest {
        self.tree.commitment()
    }

    fn query(self, positions: &[usize]) -> Queries {
        or_raise(query(&self.evaluations, &self.tree, positions))
    }
}
