use std::sync::Arc;

use merklize::Device;
use winter_prover::proof::Queries;
use winter_prover::ConstraintCommitment;
use winterfell::crypto::Hasher;
use winterfell::math::FieldElement;
use winterfell::matrix::RowMatrix;
use winterfell::{CompositionPoly, CompositionPolyTrace, PartitionOptions, StarkDomain};

use crate::hashers::{DeviceField, DeviceHasher};
use crate::rows::CommittedRows;
use crate::trace::SEGMENT_WIDTH;
use crate::tree::{or_raise, MerklizeTree, TreeError};

/// Winterfell's commitment to the evaluations of constraints. Rows and tree are one job of the device. It replaces
/// `DefaultConstraintCommitment`; proofs are the same. Errors of functions that cannot fail by their trait: as in
/// [`MerklizeTraceLde`](crate::MerklizeTraceLde).
pub struct MerklizeConstraintCommitment<E: FieldElement, H: Hasher> {
    rows: CommittedRows<E, H>,
}

impl<E, H> MerklizeConstraintCommitment<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    /// Evaluates the columns of the composition polynomial and commits to the rows: for
    /// `Prover::build_constraint_commitment`. Without a device (`None`) Winterfell commits.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(
        composition_poly_trace: CompositionPolyTrace<E>,
        num_columns: usize,
        domain: &StarkDomain<E::BaseField>,
        partitions: PartitionOptions,
        device: impl Into<Option<Arc<Device>>>,
    ) -> Result<(Self, CompositionPoly<E>), TreeError> {
        Self::with_drop_levels(composition_poly_trace, num_columns, domain, partitions, 0, device)
    }

    /// The same without the nodes of the `drop_levels` lowest layers: as
    /// [`MerklizeTraceLde::with_drop_levels`](crate::MerklizeTraceLde::with_drop_levels).
    ///
    /// # Errors
    /// Those of the device.
    pub fn with_drop_levels(
        composition_poly_trace: CompositionPolyTrace<E>,
        num_columns: usize,
        domain: &StarkDomain<E::BaseField>,
        partitions: PartitionOptions,
        drop_levels: u32,
        device: impl Into<Option<Arc<Device>>>,
    ) -> Result<(Self, CompositionPoly<E>), TreeError> {
        let poly = CompositionPoly::new(composition_poly_trace, domain, num_columns);
        let evaluations = RowMatrix::evaluate_polys_over::<SEGMENT_WIDTH>(poly.data(), domain);
        Ok((Self { rows: CommittedRows::new(evaluations, partitions, drop_levels, device.into().as_deref())? }, poly))
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
        self.rows.commitment()
    }

    fn query(self, positions: &[usize]) -> Queries {
        or_raise(self.rows.query(positions))
    }
}
