//! A computation of 16 columns: the next row has cell[i]^3 + cell[i + 1]. It stands for the AIRs of real provers: as
//! wide, and of degree 3.

use std::marker::PhantomData;
use std::sync::Arc;

use merklize_winterfell::{
    or_raise, Device, DeviceHasher, MerklizeConstraintCommitment, MerklizeTraceLde, MerklizeTree,
};
use winterfell::crypto::DefaultRandomCoin;
use winterfell::math::fields::f64::BaseElement;
use winterfell::math::{FieldElement, ToElements};
use winterfell::matrix::ColMatrix;
use winterfell::{
    Air, AirContext, Assertion, AuxRandElements, CompositionPoly, CompositionPolyTrace,
    ConstraintCompositionCoefficients, DefaultConstraintEvaluator, EvaluationFrame, PartitionOptions, ProofOptions,
    Prover, StarkDomain, Trace, TraceInfo, TracePolyTable, TraceTable, TransitionConstraintDegree,
};

pub const COLUMNS: usize = 16;

/// What the verifier knows: the first cell of the first row and of the last one.
#[derive(Clone, Copy)]
pub struct Ends(pub [BaseElement; 2]);

impl ToElements<BaseElement> for Ends {
    fn to_elements(&self) -> Vec<BaseElement> {
        self.0.to_vec()
    }
}

pub struct CubesAir {
    context: AirContext<BaseElement>,
    ends: Ends,
}

impl Air for CubesAir {
    type BaseField = BaseElement;
    type PublicInputs = Ends;

    fn new(trace_info: TraceInfo, ends: Ends, options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::new(3); COLUMNS];
        Self { context: AirContext::new(trace_info, degrees, 2, options), ends }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _periodic: &[E],
        result: &mut [E],
    ) {
        let (current, next) = (frame.current(), frame.next());
        for (i, result) in result.iter_mut().enumerate() {
            *result = next[i] - (current[i].cube() + current[(i + 1) % COLUMNS]);
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last = self.trace_length() - 1;
        vec![Assertion::single(0, 0, self.ends.0[0]), Assertion::single(0, last, self.ends.0[1])]
    }
}

/// The trace of so many rows, a power of two.
pub fn cubes_trace(rows: usize) -> TraceTable<BaseElement> {
    let mut trace = TraceTable::new(COLUMNS, rows);
    trace.fill(
        |row| {
            for (i, cell) in row.iter_mut().enumerate() {
                *cell = BaseElement::new(i as u64 + 3);
            }
        },
        |_, row| {
            let first = row[0];
            for i in 0..COLUMNS {
                let beside = if i + 1 < COLUMNS { row[i + 1] } else { first };
                row[i] = row[i].cube() + beside;
            }
        },
    );
    trace
}

pub fn ends_of(trace: &TraceTable<BaseElement>) -> Ends {
    Ends([trace.get(0, 0), trace.get(0, trace.length() - 1)])
}

/// The prover with commitments by the library. Three of its types and two of its functions differ from a stock
/// prover's.
pub struct CubesProver<H> {
    pub options: ProofOptions,
    pub device: Option<Arc<Device>>,
    pub drop_levels: u32,
    pub hasher: PhantomData<H>,
}

impl<H: DeviceHasher<BaseField = BaseElement> + Send + Sync> Prover for CubesProver<H> {
    type BaseField = BaseElement;
    type Air = CubesAir;
    type Trace = TraceTable<BaseElement>;
    type HashFn = H;
    type VC = MerklizeTree<H>;
    type RandomCoin = DefaultRandomCoin<H>;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = MerklizeTraceLde<E, H>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, CubesAir, E>;
    type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> = MerklizeConstraintCommitment<E, H>;

    fn get_pub_inputs(&self, trace: &Self::Trace) -> Ends {
        ends_of(trace)
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace_info: &TraceInfo,
        main_trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        let (drop_levels, device) = (self.drop_levels, self.device.clone());
        or_raise(MerklizeTraceLde::with_drop_levels(trace_info, main_trace, domain, partitions, drop_levels, device))
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a CubesAir,
        aux_rand_elements: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, aux_rand_elements, coefficients)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: CompositionPolyTrace<E>,
        num_columns: usize,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        let (drop_levels, device) = (self.drop_levels, self.device.clone());
        or_raise(MerklizeConstraintCommitment::with_drop_levels(
            trace,
            num_columns,
            domain,
            partitions,
            drop_levels,
            device,
        ))
    }
}
