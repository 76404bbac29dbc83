//! Whole proofs. The steps are those of `p3_uni_stark::prove`, and so are the proofs; the constraints are evaluated
//! where the trace's extension lies.

use std::panic::resume_unwind;
use std::thread::{self, Scope};

use merklize::{or_raise, Error};
use p3_air::symbolic::{get_symbolic_constraints, AirLayout, ConstraintLayout, SymbolicAirBuilder};
#[cfg(debug_assertions)]
use p3_air::{check_constraints, DebugConstraintBuilder};
use p3_air::{Air, RowWindow};
use p3_challenger::GrindingChallenger;
use p3_commit::{LagrangeSelectors, Pcs, PeriodicLdeTable, PolynomialSpace, UnivariateStarkPcs};
use p3_field::{
    batch_multiplicative_inverse, BasedVectorSpace, Field, PackedFieldExtension, PackedValue, PrimeCharacteristicRing,
    PrimeField64,
};
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use p3_matrix::Matrix;
use p3_maybe_rayon::prelude::*;
use p3_uni_stark::{
    get_log_num_quotient_chunks, quotient_values, Com, Commitments, Domain, OpenedValues, PackedVal, PcsProverError,
    PreprocessedOpenedValues, PreprocessedProverData, Proof, ProverConstraintFolder, ProvingError, QuotientAir,
    StarkGenericConfig, StarkOpeningLayout, StarkProverTranscript, StarkShape, Val,
};
use tracing::{info, info_span};

use crate::lower::{lower, Program, Selector};
use crate::points::{reversed, Points};

/// Points of each proof whose values are compared.
const CHECKED: usize = 8;
/// Elements that a thread takes at a time, a power of two: fewer take less time than rayon's own work.
const LEAST: usize = 1 << 12;
/// Of the thread that evaluates an AIR's constraints symbolically. Deep expressions are given back by recursion, and
/// the caller's stack may be larger than that of a new thread.
const STACK_BYTES: usize = 1 << 28;

/// A scheme that holds extensions in the memory of a device, and evaluates constraints on them there:
/// [`MerklizePcs`](crate::MerklizePcs). `D` is its data of a commitment, `F` the field of traces, `EF` the challenges'
/// extension of it.
pub trait ConstraintPcs<D, F, EF>: Sized {
    /// The same scheme, whose extensions stay on the device until somebody asks for them on the host.
    #[doc(hidden)]
    #[must_use]
    fn without_copies(&self) -> Self;

    /// Rows of a commitment's first matrix.
    #[doc(hidden)]
    fn rows(&self, data: &D, rows: &[usize]) -> Vec<Vec<F>>;

    #[doc(hidden)]
    fn has_device(&self) -> bool;

    /// Why the device has no values of a commitment's first matrix on so many points.
    #[doc(hidden)]
    fn why_not_on_device(&self, data: &D, points: usize) -> Option<&'static str>;

    /// Only what [`why_not_on_device`](Self::why_not_on_device) allows. An error: the device has no room, or another
    /// device holds a part.
    #[doc(hidden)]
    fn folded(&self, request: Folding<'_, D, F>) -> Result<Vec<EF>, Error>;
}

/// What a device evaluates: on the points of the quotient's domain, in natural order, the constraints, folded by powers
/// of alpha.
#[doc(hidden)]
pub struct Folding<'a, D, F> {
    pub(crate) program: &'a Program<F>,
    pub(crate) trace: &'a D,
    pub(crate) preprocessed: Option<&'a D>,
    pub(crate) points: usize,
    /// Those of the program, with rows in bit-reversed order: one for each point.
    pub(crate) selectors: RowMajorMatrix<F>,
    /// Points from one to that of the next row.
    pub(crate) next: usize,
    /// Of each constraint, an element of the extension after another.
    pub(crate) weights: Vec<F>,
}

/// As `p3_uni_stark::prove`: the same arguments, and the same proof, byte for byte. A prover with a
/// [`MerklizePcs`](crate::MerklizePcs) imports this one instead.
///
/// Where a device holds the extension of the trace, it evaluates the constraints there. Eight rows of each proof are
/// compared with what Plonky3's own code computes. What does not fit the device Plonky3's own code evaluates, on the
/// processors of the host: a constraint that needs more than 64 values at a time even if values are computed again, and
/// those of an extension field. An event of `tracing` says how many constraints the device evaluates, or why none.
/// With the CPU as the device Plonky3's own code evaluates all of them, because it is faster there.
///
/// # Errors
/// As `p3_uni_stark::prove`. An error of the device is a panic, and [`catch`](crate::catch) turns it back into a value;
/// so is a difference in one of the eight rows.
pub fn prove<
    SC,
    #[cfg(debug_assertions)] A: for<'a> Air<DebugConstraintBuilder<'a, Val<SC>>>,
    #[cfg(not(debug_assertions))] A,
>(
    config: &SC,
    air: &A,
    trace: RowMajorMatrix<Val<SC>>,
    public_values: &[Val<SC>],
) -> Result<Proof<SC>, ProvingError<PcsProverError<SC>>>
where
    SC: StarkGenericConfig,
    SC::Pcs: ConstraintPcs<ProverData<SC>, Val<SC>, SC::Challenge>,
    SC::Challenger: GrindingChallenger<Witness = Val<SC>>,
    A: QuotientAir<SC>,
{
    prove_with_preprocessed(config, air, trace, public_values, None)
}

/// As `p3_uni_stark::prove_with_preprocessed`, in the way of [`prove`].
///
/// # Errors
/// As [`prove`].
pub fn prove_with_preprocessed<
    SC,
    #[cfg(debug_assertions)] A: for<'a> Air<DebugConstraintBuilder<'a, Val<SC>>>,
    #[cfg(not(debug_assertions))] A,
>(
    config: &SC,
    air: &A,
    trace: RowMajorMatrix<Val<SC>>,
    public_values: &[Val<SC>],
    preprocessed: Option<&PreprocessedProverData<SC>>,
) -> Result<Proof<SC>, ProvingError<PcsProverError<SC>>>
where
    SC: StarkGenericConfig,
    SC::Pcs: ConstraintPcs<ProverData<SC>, Val<SC>, SC::Challenge>,
    SC::Challenger: GrindingChallenger<Witness = Val<SC>>,
    A: QuotientAir<SC>,
{
    const { assert!(!SC::Pcs::ZK, "the scheme hides nothing") };
    assert!(
        air.public_boundary_io().is_empty(),
        "uni-stark does not support boundary-IO public values; bind them with AIR constraints"
    );
    #[cfg(debug_assertions)]
    check_constraints(air, &trace, public_values);

    let degree = trace.height();
    assert!(degree.is_power_of_two(), "Not a power of two");
    let log_degree = degree.ilog2() as usize;
    let preprocessed_width = match preprocessed {
        Some(preprocessed) => {
            assert_eq!(
                preprocessed.degree_bits, log_degree,
                "PreprocessedProverData degree_bits does not match trace degree_bits"
            );
            preprocessed.width
        }
        None => {
            let width = air.preprocessed_width();
            assert!(
                width == 0,
                "AIR defines preprocessed columns (width = {width}), but no PreprocessedProverData was provided. \
                 Call `setup_preprocessed` and pass it to `prove_with_preprocessed`."
            );
            0
        }
    };
    let layout = AirLayout {
        preprocessed_width,
        main_width: air.width(),
        num_public_values: air.num_public_values(),
        num_periodic_columns: air.num_periodic_columns(),
        ..Default::default()
    };
    debug_assert!(
        air.num_constraints().is_none_or(|n| n == get_symbolic_constraints(air, layout).len()),
        "num_constraints() differs from the number of symbolic constraints"
    );

    let failed = |phase| move |source| ProvingError::Pcs { phase, source };
    let pcs = &config.pcs().without_copies();
    let trace_domain = pcs.natural_domain_for_degree(degree);
    let mut challenger = config.initialise_challenger();
    let has_preprocessed = preprocessed.is_some();
    let count_chunks = || get_log_num_quotient_chunks::<Val<SC>, A>(air, layout, degree, 0);
    let lower =
        || info_span!("lower constraints").in_scope(|| Lowered::new(air, layout, has_preprocessed, public_values));
    let commit = || info_span!("commit to trace data").in_scope(|| pcs.commit([(trace_domain, trace)]));
    // Neither needs the trace, so both are made while a device is busy with the commitment.
    let (log_chunks, lowered, committed) = match pcs.has_device() {
        true => thread::scope(|scope| {
            let (log_chunks, lowered) = (beside(scope, count_chunks), beside(scope, lower));
            let committed = commit();
            info_span!("wait for the program").in_scope(|| (log_chunks(), Some(lowered()), committed))
        }),
        false => (count_chunks(), None, commit()),
    };
    let chunks = 1 << log_chunks;
    let (trace_commit, trace_data) = committed.map_err(failed("trace commitment"))?;
    let (preprocessed_commit, preprocessed_data) =
        preprocessed.map(|preprocessed| (preprocessed.commitment.clone(), &preprocessed.prover_data)).unzip();

    let shape = StarkShape::new::<Val<SC>, A>(
        air,
        preprocessed_width,
        log_degree,
        log_degree,
        chunks,
        false,
        config.ood_proof_of_work_bits(),
    );
    let mut transcript = StarkProverTranscript::<SC::Challenger, Val<SC>, SC::Challenge>::new(&mut challenger, shape);
    let alpha = transcript.constraint_phase::<Com<SC>>(
        trace_commit.clone(),
        preprocessed_commit.filter(|_| preprocessed_width > 0),
        public_values,
    );
    let constraints = Constraints {
        pcs,
        air,
        public_values,
        layout,
        trace_domain,
        quotient_domain: trace_domain.create_disjoint_domain(degree << log_chunks),
        trace_data: &trace_data,
        preprocessed_data,
        alpha,
    };
    let quotient = info_span!("evaluate constraints").in_scope(|| constraints.quotient(lowered));
    let quotient = RowMajorMatrix::new_col(quotient).flatten_to_base();
    let (quotient_commit, quotient_data) = info_span!("commit to quotient poly chunks")
        .in_scope(|| pcs.commit_quotient(constraints.quotient_domain, quotient, chunks))
        .inspect_err(|_| transcript.abort())
        .map_err(failed("quotient commitment"))?;

    let (zeta, witness) = transcript.ood_phase::<Com<SC>>(quotient_commit.clone(), None);
    let zeta_next = trace_domain.next_point(zeta).expect("a coset of a group has next points");
    let points = |has_next: bool| vec![if has_next { vec![zeta, zeta_next] } else { vec![zeta] }];
    let main_next = !air.main_next_row_columns().is_empty();
    let preprocessed_next = !air.preprocessed_next_row_columns().is_empty();
    let opening_layout = StarkOpeningLayout::new(false);
    let rounds = [(&trace_data, points(main_next)), (&quotient_data, vec![vec![zeta]; chunks])]
        .into_iter()
        .chain(preprocessed_data.map(|data| (data, points(preprocessed_next))))
        .map(Into::into)
        .collect();
    let opened = info_span!("open").in_scope(|| {
        transcript.delegate(|challenger| {
            let round = preprocessed_data.map(|_| opening_layout.preprocessed);
            pcs.open_with_preprocessing(rounds, challenger, round)
        })
    });
    let (values, opening_proof) = opened.inspect_err(|_| transcript.abort()).map_err(failed("opening"))?;
    transcript.finish();

    let of_round = |round: usize| &values[round][0];
    let opened_values = OpenedValues {
        trace_local: of_round(opening_layout.trace)[0].clone(),
        trace_next: main_next.then(|| of_round(opening_layout.trace)[1].clone()),
        preprocessed: (preprocessed_width > 0).then(|| PreprocessedOpenedValues {
            local: of_round(opening_layout.preprocessed)[0].clone(),
            next: preprocessed_next.then(|| of_round(opening_layout.preprocessed)[1].clone()),
        }),
        quotient_chunks: values[opening_layout.quotient].iter().map(|of_chunk| of_chunk[0].clone()).collect(),
        random: None,
    };
    Ok(Proof {
        commitments: Commitments { trace: trace_commit, quotient_chunks: quotient_commit, random: None },
        opened_values,
        opening_proof,
        degree_bits: log_degree,
        ood_pow_witness: witness.unwrap_or(Val::<SC>::ZERO),
    })
}

type ProverData<SC> = <<SC as StarkGenericConfig>::Pcs as Pcs<
    <SC as StarkGenericConfig>::Challenge,
    <SC as StarkGenericConfig>::Challenger,
>>::ProverData;

/// Begins work in another thread, and gives what waits for its result. If the system refuses a thread, that does the
/// work.
fn beside<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl Fn() -> T + Copy + Send + 'scope,
) -> impl FnOnce() -> T + 'scope {
    let begun = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
    move || match begun {
        Ok(begun) => begun.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => work(),
    }
}

/// The constraints of an AIR as a program, or why they are for the processors.
struct Lowered<F> {
    layout: ConstraintLayout,
    program: Result<Program<F>, &'static str>,
}

impl<F: PrimeField64> Lowered<F> {
    fn new(
        air: &impl Air<SymbolicAirBuilder<F>>,
        layout: AirLayout,
        has_preprocessed: bool,
        public_values: &[F],
    ) -> Self {
        let mut builder = SymbolicAirBuilder::new(layout);
        air.eval(&mut builder);
        let layout = builder.constraint_layout();
        let program = match layout.ext_indices.is_empty() {
            true => {
                let constraints = builder.base_constraints();
                let program = lower(&constraints, has_preprocessed, public_values);
                // The proof does not wait for the memory of expressions.
                let give_back = move || drop((constraints, builder));
                let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(give_back);
                program
            }
            false => Err("it has constraints of an extension field"),
        };
        Self { layout, program }
    }
}

/// The quotient of a proof: its constraints, folded by powers of alpha, over the polynomial that vanishes on the trace.
struct Constraints<'a, SC: StarkGenericConfig, A> {
    pcs: &'a SC::Pcs,
    air: &'a A,
    public_values: &'a [Val<SC>],
    layout: AirLayout,
    trace_domain: Domain<SC>,
    quotient_domain: Domain<SC>,
    trace_data: &'a ProverData<SC>,
    preprocessed_data: Option<&'a ProverData<SC>>,
    alpha: SC::Challenge,
}

impl<SC, A> Constraints<'_, SC, A>
where
    SC: StarkGenericConfig,
    SC::Pcs: ConstraintPcs<ProverData<SC>, Val<SC>, SC::Challenge>,
    A: QuotientAir<SC>,
{
    fn quotient(&self, lowered: Option<Lowered<Val<SC>>>) -> Vec<SC::Challenge> {
        let on_device = |lowered| {
            let values = self.on_device(&lowered);
            values.inspect_err(|why| info!("the processors evaluate the constraints of this AIR: {why}")).ok()
        };
        lowered.and_then(on_device).unwrap_or_else(|| self.by_stock())
    }

    fn by_stock(&self) -> Vec<SC::Challenge> {
        let on_domain = |data| self.pcs.get_evaluations_on_domain(data, 0, self.quotient_domain);
        let no_random = |data| self.pcs.get_evaluations_on_domain_no_random(data, 0, self.quotient_domain);
        quotient_values::<SC, A, _>(
            self.pcs,
            self.air,
            self.public_values,
            self.layout,
            self.trace_domain,
            self.quotient_domain,
            &on_domain(self.trace_data),
            self.preprocessed_data.map(no_random).as_ref(),
            self.alpha,
        )
    }

    /// Or why the constraints are for the processors.
    fn on_device(&self, lowered: &Lowered<Val<SC>>) -> Result<Vec<SC::Challenge>, String> {
        let points = self.quotient_domain.size();
        let mut data = [Some(self.trace_data), self.preprocessed_data].into_iter().flatten();
        match data.find_map(|data| self.pcs.why_not_on_device(data, points)) {
            Some(why) => Err(why.into()),
            None => self.folded(lowered, |folding| {
                let (n, n_steps) = (lowered.layout.total_constraints(), folding.program.steps.len());
                let values = self.pcs.folded(folding);
                values
                    .inspect(|_| info!("the device evaluates all {n} constraints of this AIR: {n_steps} steps a point"))
            }),
        }
    }

    /// The quotient by the constraints' program, which `fold` runs.
    fn folded(
        &self,
        lowered: &Lowered<Val<SC>>,
        fold: impl FnOnce(Folding<'_, ProverData<SC>, Val<SC>>) -> Result<Vec<SC::Challenge>, Error>,
    ) -> Result<Vec<SC::Challenge>, String> {
        let layout = &lowered.layout;
        let program = lowered.program.as_ref().map_err(|why| (*why).to_owned())?;
        let (weights, _) = layout.decompose_alpha::<Val<SC>, SC::Challenge>(self.alpha);
        let (points, next) = (self.quotient_domain.size(), self.quotient_domain.size() / self.trace_domain.size());
        let columns = self.air.periodic_columns();
        let periodic = self.pcs.build_periodic_lde_table(&columns, self.trace_domain, self.quotient_domain);
        // They repeat themselves.
        let vanishing = self.points().take(next).map(|x| self.trace_domain.vanishing_poly_at_point(x));
        let vanishing: Vec<_> = vanishing.collect();
        let selectors =
            info_span!("make selectors").in_scope(|| self.selectors(&program.selectors, &vanishing, &periodic));
        let folding = Folding {
            program,
            trace: self.trace_data,
            preprocessed: self.preprocessed_data,
            points,
            selectors,
            next,
            weights: (0..layout.base_indices.len())
                .flat_map(|i| weights.iter().map(move |of_word| of_word[i]))
                .collect(),
        };
        let mut quotient = info_span!("run program").in_scope(|| fold(folding)).map_err(|error| error.to_string())?;
        let inverses = batch_multiplicative_inverse(&vanishing);
        quotient.par_chunks_mut(next.max(LEAST)).for_each(|values| {
            values.iter_mut().zip(inverses.iter().cycle()).for_each(|(value, &inverse)| *value *= inverse);
        });
        or_raise(info_span!("compare points").in_scope(|| self.check(layout, &quotient, &periodic, next)));
        Ok(quotient)
    }

    /// The points of the quotient's domain: a coset.
    fn points(&self) -> impl Iterator<Item = Val<SC>> {
        let (first, generator) = self.coset();
        generator.shifted_powers(first)
    }

    /// Its first point, and the quotient of the next one and that.
    fn coset(&self) -> (Val<SC>, Val<SC>) {
        let first = self.quotient_domain.first_point();
        let next = self.quotient_domain.next_point(first).expect("a coset of a group has next points");
        (first, next / first)
    }

    /// What a program reads of selectors and periodic columns, with rows in bit-reversed order. `vanishing` is the
    /// polynomial that vanishes on the trace, on as many points as it differs at.
    fn selectors(
        &self,
        selectors: &[Selector],
        vanishing: &[Val<SC>],
        periodic: &PeriodicLdeTable<Val<SC>>,
    ) -> RowMajorMatrix<Val<SC>> {
        let (width, size) = (selectors.len(), self.quotient_domain.size());
        let mut rows = Val::<SC>::zero_vec(width * size);
        let (first, generator) = self.coset();
        let of_trace = self.trace_domain.next_point(Val::<SC>::ONE).expect("a coset of a group has next points");
        let last = of_trace.inverse();
        let inverses =
            |xs: &[Val<SC>], at: Val<SC>| batch_multiplicative_inverse(&xs.iter().map(|&x| x - at).collect::<Vec<_>>());
        Points::new(first, generator, size).for_each_piece(&mut rows, width.max(1), |first_row, xs, rows| {
            let point = |i| reversed(first_row + i, size);
            for (column, selector) in selectors.iter().enumerate() {
                let cells = rows[column..].iter_mut().step_by(width).enumerate();
                match *selector {
                    Selector::IsTransition => cells.for_each(|(i, cell)| *cell = xs[i] - last),
                    Selector::Periodic(k) => cells.for_each(|(i, cell)| *cell = *periodic.get(point(i), k)),
                    Selector::IsFirstRow | Selector::IsLastRow => {
                        let at = if *selector == Selector::IsFirstRow { Val::<SC>::ONE } else { last };
                        let inverses = inverses(xs, at);
                        cells.for_each(|(i, cell)| *cell = vanishing[point(i) % vanishing.len()] * inverses[i]);
                    }
                }
            }
        });
        RowMajorMatrix::new(rows, width)
    }

    /// Compares values at points that nobody knows before alpha with those that Plonky3's own code computes.
    fn check(
        &self,
        layout: &ConstraintLayout,
        quotient: &[SC::Challenge],
        periodic: &PeriodicLdeTable<Val<SC>>,
        next: usize,
    ) -> Result<(), Error> {
        let size = quotient.len();
        let first = self.alpha.as_basis_coefficients_slice()[0].as_canonical_u64() as usize % size;
        // Odd, so that no point comes twice where there are eight.
        let distance = (size / CHECKED) | 1;
        let points: Vec<usize> = (0..CHECKED).map(|k| (first + k * distance) % size).collect();
        let packed = |value: &dyn Fn(usize) -> Val<SC>| PackedVal::<SC>::from_fn(value);
        let (shift, generator) = self.coset();
        let (weights, ext_weights) = layout.decompose_alpha(self.alpha);
        for points in points.chunks(PackedVal::<SC>::WIDTH) {
            // The lanes beyond the last point repeat it.
            let point = |lane: usize| points[lane.min(points.len() - 1)];
            // Of the row of each point, then of the row after it.
            let words = |data| -> Vec<PackedVal<SC>> {
                let row_of = |step| move |&point: &usize| reversed((point + step) % size, size);
                let rows: Vec<_> = points.iter().map(row_of(0)).chain(points.iter().map(row_of(next))).collect();
                let rows = self.pcs.rows(data, &rows);
                let words = |rows: &[Vec<Val<SC>>]| -> Vec<_> {
                    let word = |column| packed(&|lane| rows[lane.min(rows.len() - 1)][column]);
                    (0..rows[0].len()).map(word).collect()
                };
                rows.chunks(points.len()).flat_map(words).collect()
            };
            let (main, preprocessed) = (words(self.trace_data), self.preprocessed_data.map(words).unwrap_or_default());
            let main = RowMajorMatrixView::new(&main, main.len() / 2);
            let preprocessed = RowMajorMatrixView::new(&preprocessed, preprocessed.len() / 2);
            let periodic: Vec<_> =
                (0..periodic.width()).map(|column| packed(&|lane| *periodic.get(point(lane), column))).collect();
            let at_point =
                |&point: &usize| self.trace_domain.selectors_at_point(shift * generator.exp_u64(point as u64));
            let selectors: Vec<_> = points.iter().map(at_point).collect();
            let selected = |of: fn(&LagrangeSelectors<Val<SC>>) -> Val<SC>| {
                packed(&|lane| of(&selectors[lane.min(selectors.len() - 1)]))
            };
            let mut folder = ProverConstraintFolder::<SC> {
                main,
                preprocessed,
                preprocessed_window: RowWindow::from_view(&preprocessed),
                periodic_values: &periodic,
                public_values: self.public_values,
                is_first_row: selected(|selectors| selectors.is_first_row),
                is_last_row: selected(|selectors| selectors.is_last_row),
                is_transition: selected(|selectors| selectors.is_transition),
                base_alpha_powers: &weights,
                ext_alpha_powers: &ext_weights,
                base_constraints: vec![],
                ext_constraints: vec![],
                constraint_index: 0,
                constraint_count: layout.total_constraints(),
            };
            self.air.eval(&mut folder);
            let values = folder.finalize_constraints() * selected(|selectors| selectors.inv_vanishing);
            for (lane, &point) in points.iter().enumerate() {
                if values.extract(lane) != quotient[point] {
                    return Err(Error::invalid_argument(format!(
                        "prove: the device's value of the constraints at point {point} of {size} differs from Plonky3's: \
                         the AIR must have the same constraints for all builders, or the device computes wrongly; \
                         p3_uni_stark::prove evaluates them on the host"
                    )));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "../tests/whole_proofs/random_air.rs"]
mod random_air;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use merklize::{catch, Device, HAS_LIBRARY};
    use p3_field::coset::TwoAdicMultiplicativeCoset;
    use p3_uni_stark::setup_preprocessed;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::random_air::RandomAir;
    use super::*;
    use crate::pcs::fold_on_host;

    /// The program of random constraints gives the quotient that Plonky3's own code gives.
    macro_rules! programs {
        ($($name:ident)*) => {$(
            #[test]
            fn $name() {
                use crate::configs::$name::*;
                if !HAS_LIBRARY {
                    return println!("skipped: the library does not run here");
                }
                let (hasher, compressor, challenger) = parts();
                let cpu = Arc::new(Device::open("cpu").unwrap());
                let ours = Ours::new(hasher, compressor, 0, hash(), cpu).unwrap();
                let config = crate::configs::device_config::<Val, DEGREE, _, _>(ours, challenger, 3);
                let pcs = config.pcs();
                let times = std::env::var("MERKLIZE_RANDOM_AIRS").map_or(1, |times| times.parse().unwrap());
                let mut n_compared = 0;
                for seed in 0..200 * times {
                    let air = RandomAir::<Val>::new(seed, seed as usize % 6, 3);
                    let log_height = air.height.ilog2() as usize;
                    let preprocessed = setup_preprocessed(&config, &air, log_height).unwrap().map(|(data, _)| data);
                    let layout = AirLayout::from_air(&air);
                    let domain = TwoAdicMultiplicativeCoset::new(Val::ONE, log_height).unwrap();
                    let log_chunks = get_log_num_quotient_chunks::<Val, _>(&air, layout, air.height, 0);
                    if log_chunks > 1 {
                        continue; // many factors of a selector: the extension is too low
                    }
                    let (_, data) = commit(&config, domain, air.trace());
                    let mut rng = SmallRng::seed_from_u64(seed);
                    let alpha = BasedVectorSpace::from_basis_coefficients_fn(|_| Val::from_u64(rng.random()));
                    let constraints = constraints(&config, Constraints {
                        pcs,
                        air: &air,
                        public_values: &air.public_values,
                        layout,
                        trace_domain: domain,
                        quotient_domain: domain.create_disjoint_domain(air.height << log_chunks),
                        trace_data: &data,
                        preprocessed_data: preprocessed.as_ref().map(|preprocessed| &preprocessed.prover_data),
                        alpha,
                    });
                    let lowered = Lowered::new(&air, layout, preprocessed.is_some(), &air.public_values);
                    let quotient = constraints.folded(&lowered, |folding| Ok(fold_on_host(pcs, folding))).unwrap();
                    assert!(quotient == constraints.by_stock(), "seed {seed}");

                    // What a device computes wrongly is an error: each of eight points, and of more all together.
                    let n = quotient.len();
                    let wrong: Vec<_> = if n <= CHECKED { (0..n).map(|k| k..k + 1).collect() } else { vec![0..n] };
                    for points in wrong.into_iter().filter(|_| seed < 60) {
                        let wrong = catch(|| {
                            constraints.folded(&lowered, |folding| {
                                let mut values = fold_on_host(pcs, folding);
                                values[points.clone()].iter_mut().for_each(|value| *value += Val::ONE);
                                Ok(values)
                            })
                        });
                        let error = wrong.unwrap_err().to_string();
                        assert!(error.contains("differs from Plonky3's"), "seed {seed}, {points:?}: {error}");
                    }
                    n_compared += 1;
                }
                println!("{n_compared} AIRs compared");
            }
        )*};
    }
    programs!(goldilocks blake3 koalabear);

    /// With the types of this configuration.
    fn constraints<'a, SC: StarkGenericConfig, A>(_: &SC, of: Constraints<'a, SC, A>) -> Constraints<'a, SC, A> {
        of
    }

    fn commit<SC: StarkGenericConfig>(
        config: &SC,
        domain: Domain<SC>,
        trace: RowMajorMatrix<Val<SC>>,
    ) -> (Com<SC>, ProverData<SC>) {
        config.pcs().commit([(domain, trace)]).unwrap_or_else(|_| panic!("no commitment"))
    }
}
