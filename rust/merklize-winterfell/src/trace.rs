use std::sync::Arc;

use merklize::Device;
use winter_prover::proof::Queries;
use winterfell::crypto::Hasher;
use winterfell::math::FieldElement;
use winterfell::matrix::{ColMatrix, RowMatrix};
use winterfell::{EvaluationFrame, PartitionOptions, StarkDomain, TraceInfo, TraceLde, TracePolyTable};

use crate::hashers::{DeviceField, DeviceHasher};
use crate::rows::CommittedRows;
use crate::tree::{or_raise, MerklizeTree, TreeError};

/// Number of columns of base elements that Winterfell evaluates together. Winterfell does not export it.
pub(crate) const SEGMENT_WIDTH: usize = 8;

/// Extends the columns of a segment and commits to the rows. Returns the columns' polynomials, too.
fn committed<E, H>(
    columns: &ColMatrix<E>,
    domain: &StarkDomain<E::BaseField>,
    partitions: PartitionOptions,
    drop_levels: u32,
    device: Option<&Device>,
) -> Result<(CommittedRows<E, H>, ColMatrix<E>), TreeError>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    let polys = columns.interpolate_columns();
    let evaluations = RowMatrix::evaluate_polys_over::<SEGMENT_WIDTH>(&polys, domain);
    Ok((CommittedRows::new(evaluations, partitions, drop_levels, device)?, polys))
}

/// Winterfell's trace over the extended domain. Each commitment is one job of the device: the rows are copied there
/// once, and only the nodes of proofs are copied back. It replaces `DefaultTraceLde`; proofs are the same.
///
/// The trait's functions cannot fail. An error of the device leaves them as a panic that [`catch`](crate::catch) turns
/// into a value again.
pub struct MerklizeTraceLde<E: FieldElement, H: Hasher> {
    main: CommittedRows<E::BaseField, H>,
    aux: Option<CommittedRows<E, H>>,
    blowup: usize,
    info: TraceInfo,
    partitions: PartitionOptions,
    drop_levels: u32,
    device: Option<Arc<Device>>,
}

impl<E, H> MerklizeTraceLde<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField>,
{
    /// Extends the main segment and commits to it: for `Prover::new_trace_lde`. Without a device (`None`) Winterfell
    /// commits.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(
        info: &TraceInfo,
        main_trace: &ColMatrix<E::BaseField>,
        domain: &StarkDomain<E::BaseField>,
        partitions: PartitionOptions,
        device: impl Into<Option<Arc<Device>>>,
    ) -> Result<(Self, TracePolyTable<E>), TreeError> {
        Self::with_drop_levels(info, main_trace, domain, partitions, 0, device)
    }

    /// The same, but the nodes of the `drop_levels` lowest layers of each segment are not kept: the others take
    /// 2^-`drop_levels` of the memory. A query makes them again, from the 2^`drop_levels` rows around each of its own;
    /// a hash of bytes needs a copy of all rows meanwhile, as the commitment does. Commitments and proofs are the same.
    /// All nodes are kept of rows in partitions.
    ///
    /// # Errors
    /// Those of the device.
    pub fn with_drop_levels(
        info: &TraceInfo,
        main_trace: &ColMatrix<E::BaseField>,
        domain: &StarkDomain<E::BaseField>,
        partitions: PartitionOptions,
        drop_levels: u32,
        device: impl Into<Option<Arc<Device>>>,
    ) -> Result<(Self, TracePolyTable<E>), TreeError> {
        let device = device.into();
        let (main, polys) = committed(main_trace, domain, partitions, drop_levels, device.as_deref())?;
        let blowup = domain.trace_to_lde_blowup();
        let lde = Self { main, aux: None, blowup, info: info.clone(), partitions, drop_levels, device };
        Ok((lde, TracePolyTable::new(polys)))
    }
}

impl<E, H> TraceLde<E> for MerklizeTraceLde<E, H>
where
    E: FieldElement<BaseField: DeviceField>,
    H: DeviceHasher<BaseField = E::BaseField> + Sync,
{
    type HashFn = H;
    type VC = MerklizeTree<H>;

    fn get_main_trace_commitment(&self) -> <H as Hasher>::Digest {
        self.main.commitment()
    }

    fn set_aux_trace(
        &mut self,
        aux_trace: &ColMatrix<E>,
        domain: &StarkDomain<E::BaseField>,
    ) -> (ColMatrix<E>, <H as Hasher>::Digest) {
        assert!(self.aux.is_none(), "the auxiliary trace has already been added");
        let (aux, polys) =
            or_raise(committed(aux_trace, domain, self.partitions, self.drop_levels, self.device.as_deref()));
        let (rows, expected) = (aux.evaluations.num_rows(), self.trace_len());
        assert_eq!(rows, expected, "both segments must have the same number of rows");
        let commitment = aux.commitment();
        self.aux = Some(aux);
        (polys, commitment)
    }

    fn read_main_trace_frame_into(&self, lde_step: usize, frame: &mut EvaluationFrame<E::BaseField>) {
        read_frame(&self.main.evaluations, lde_step, self.blowup, frame);
    }

    fn read_aux_trace_frame_into(&self, lde_step: usize, frame: &mut EvaluationFrame<E>) {
        let aux = self.aux.as_ref().expect("the trace has an auxiliary segment");
        read_frame(&aux.evaluations, lde_step, self.blowup, frame);
    }

    fn query(&self, positions: &[usize]) -> Vec<Queries> {
        let main = or_raise(self.main.query(positions));
        let aux = self.aux.iter().map(|aux| or_raise(aux.query(positions)));
        core::iter::once(main).chain(aux).collect()
    }

    fn trace_len(&self) -> usize {
        self.main.evaluations.num_rows()
    }

    fn blowup(&self) -> usize {
        self.blowup
    }

    fn trace_info(&self) -> &TraceInfo {
        &self.info
    }
}

/// The row of a step, and the row of the next step of the trace. The first step follows the last one.
fn read_frame<E: FieldElement>(evaluations: &RowMatrix<E>, step: usize, blowup: usize, frame: &mut EvaluationFrame<E>) {
    let next = (step + blowup) % evaluations.num_rows();
    frame.current_mut().copy_from_slice(evaluations.row(step));
    frame.next_mut().copy_from_slice(evaluations.row(next));
}
