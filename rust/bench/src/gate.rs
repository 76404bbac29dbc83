//! How fast a proof of Plonky3 could be with the extension, the rows, the tree and the opening of the trace on a
//! device: a commitment scheme that precomputes these four, but copies what would be copied. The trace goes up from
//! pinned memory, and the extended matrix comes back into pinned memory for the constraints. All else runs on the host
//! as in the stock scheme, or by merklize's Mmcs: constraints, the commitment to the quotient, and folding with its
//! commitments and queries. The first proof records what is precomputed, so all proofs must be of one trace. They are
//! the stock scheme's, and its verifier takes them.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::error::Error;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use merklize::{or_raise, Buffer, Device, Hash, MerkleTree, Options};
use merklize_plonky3::DeviceElement;
use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{CommitmentOpening, ExtensionMmcs, Mmcs, OpenedValues, OpeningRequest, UnivariateStarkPcs};
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{
    dot_product, ExtensionField, Field, PackedFieldExtension, PrimeCharacteristicRing, PrimeField64, TwoAdicField,
};
use p3_fri::prover::prove_fri;
use p3_fri::{FriParameters, FriProverError, PcsProverTranscript, PcsShape, TwoAdicFriFoldingForMmcs, TwoAdicFriPcs};
use p3_matrix::bitrev::{BitReversedMatrixView, BitReversibleMatrix};
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixCow};
use p3_matrix::Matrix;
use p3_maybe_rayon::prelude::*;
use p3_uni_stark::{Com, Domain, Proof, StarkConfig, StarkGenericConfig};

use crate::configs::{fri_parameters, Challenge};
use crate::pinned::HostMemory;

/// A proof of the scheme below as one of another configuration, whose commitments and opening proofs have the same
/// types.
pub fn retyped<A, B>(proof: Proof<A>) -> Proof<B>
where
    A: StarkGenericConfig,
    B: StarkGenericConfig<Challenge = A::Challenge, Challenger = A::Challenger>,
    B::Pcs: p3_commit::Pcs<
        A::Challenge,
        A::Challenger,
        Domain = Domain<A>,
        Commitment = Com<A>,
        Proof = <A::Pcs as p3_commit::Pcs<A::Challenge, A::Challenger>>::Proof,
    >,
{
    let Proof { commitments, opened_values, opening_proof, degree_bits, ood_pow_witness } = proof;
    Proof { commitments, opened_values, opening_proof, degree_bits, ood_pow_witness }
}

/// A trace with room behind it for the extension, as `generate_trace_rows` makes it.
pub fn fresh<F: Field>(trace: &RowMajorMatrix<F>) -> RowMajorMatrix<F> {
    const PIECE: usize = 1 << 16;
    let mut values = F::zero_vec(trace.values.len() * 2);
    values.truncate(trace.values.len());
    values.par_chunks_mut(PIECE).zip(trace.values.par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
    RowMajorMatrix::new(values, trace.width)
}

/// Memory of a device, or what stands for it on the CPU.
enum Memory {
    Device(Buffer),
    Host(Mutex<Vec<u8>>),
}

impl Memory {
    fn copy_of<F: DeviceElement>(elements: &[F], device: &Device) -> Result<Self, Box<dyn Error>> {
        let bytes = bytes_of(elements);
        Ok(match device.info().backend.as_str() {
            "cpu" => Self::Host(Mutex::new(bytes.to_vec())),
            _ => Self::Device(Buffer::from_slice(device, bytes)?),
        })
    }

    fn upload(&self, bytes: &[u8]) {
        match self {
            Self::Device(buffer) => or_raise(buffer.upload(0, bytes, None)),
            Self::Host(memory) => memory.lock().unwrap().copy_from_slice(bytes),
        }
    }

    fn download(&self, bytes: &mut [u8]) {
        match self {
            Self::Device(buffer) => or_raise(buffer.download(0, bytes, None)),
            Self::Host(memory) => bytes.copy_from_slice(&memory.lock().unwrap()),
        }
    }
}

fn seconds_of(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn bytes_of<F: DeviceElement>(elements: &[F]) -> &[u8] {
    const { assert!(size_of::<F>() == size_of::<F::Word>()) };
    // SAFETY: an element is a word in memory.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The copies of a proof over the link to a device, in the memory that they need.
pub struct Link<F> {
    trace: HostMemory<F>,
    trace_there: Memory,
    extended_there: Memory,
    /// Where the extended matrix comes back; a proof takes it and gives it back.
    extended: RefCell<Option<HostMemory<F>>>,
    rows: u64,
    hash: Hash,
    device: Arc<Device>,
    /// Whether the device hashes the rows and builds the tree as well, while the matrix comes back.
    pub hashes: Cell<bool>,
    /// Of all proofs: what was done, the bytes that were copied, and the seconds.
    seconds: RefCell<Vec<(&'static str, usize, f64)>>,
}

impl<F: DeviceElement + TwoAdicField + PrimeField64> Link<F> {
    pub fn new(device: &Arc<Device>, hash: Hash, trace: &RowMajorMatrix<F>) -> Result<Self, Box<dyn Error>> {
        let mut extended = Radix2DitParallel::default()
            .coset_lde_batch(fresh(trace), 1, F::GENERATOR)
            .bit_reverse_rows()
            .to_row_major_matrix();
        // The device hashes words below the modulus alone.
        extended.values.par_iter_mut().for_each(|element| *element = F::from_u64(element.as_canonical_u64()));
        let name = device.info().id;
        let link = Self {
            trace: HostMemory::copy_of(&trace.values, &name)?,
            trace_there: Memory::copy_of(&trace.values, device)?,
            extended_there: Memory::copy_of(&extended.values, device)?,
            extended: RefCell::new(Some(HostMemory::copy_of(&extended.values, &name)?)),
            rows: extended.height() as u64,
            hash,
            device: device.clone(),
            hashes: Cell::new(false),
            seconds: RefCell::default(),
        };
        // The copy that a prover's own memory would need, which is not pinned.
        for _ in 0..3 {
            link.timed("trace up, ordinary memory", trace.values.len(), || {
                link.trace_there.upload(bytes_of(&trace.values))
            });
        }
        Ok(link)
    }

    /// What was done, the bytes of each time, and the seconds of all times.
    pub fn parts(&self) -> Vec<(&'static str, usize, Vec<f64>)> {
        let mut kinds: Vec<(&str, usize, Vec<f64>)> = vec![];
        for &(what, bytes, seconds) in &*self.seconds.borrow() {
            match kinds.iter_mut().find(|kind| kind.0 == what) {
                Some(kind) => kind.2.push(seconds),
                None => kinds.push((what, bytes, vec![seconds])),
            }
        }
        kinds
    }

    fn timed(&self, what: &'static str, elements: usize, work: impl FnOnce()) {
        let seconds = seconds_of(work);
        self.seconds.borrow_mut().push((what, elements * size_of::<F>(), seconds));
    }

    /// The extended matrix. The memory of the prover's trace is given back meanwhile.
    fn copy(self: &Rc<Self>, spent: Vec<F>) -> Lent<F> {
        let mut extended = self.extended.take().expect("one proof at a time");
        std::thread::scope(|scope| {
            let freeing = scope.spawn(|| seconds_of(|| drop(spent)));
            self.timed("trace up", self.trace.len(), || self.trace_there.upload(bytes_of(&self.trace)));
            let hashing = match &self.extended_there {
                Memory::Device(rows) if self.hashes.get() => {
                    let (device, hash, n) = (&self.device, self.hash, self.rows);
                    Some(scope.spawn(move || {
                        let options = Options::new().device(device);
                        seconds_of(|| drop(or_raise(MerkleTree::from_device_rows(rows, n, hash, &options))))
                    }))
                }
                _ => None,
            };
            let what = if hashing.is_some() { "matrix back, while hashed" } else { "matrix back" };
            self.timed(what, extended.len(), || {
                // SAFETY: an element is a word in memory, and the device has words of elements.
                let bytes = unsafe {
                    std::slice::from_raw_parts_mut(extended.as_mut_ptr().cast::<u8>(), size_of_val::<[F]>(&extended))
                };
                self.extended_there.download(bytes);
            });
            let others = [("trace freed", Some(freeing)), ("rows and tree", hashing)];
            for (what, thread) in others.into_iter().filter_map(|(what, thread)| Some((what, thread?))) {
                self.seconds.borrow_mut().push((what, 0, thread.join().expect("no thread panics")));
            }
        });
        Lent { link: self.clone(), extended: Some(extended) }
    }
}

/// The extended matrix while a proof uses it.
pub struct Lent<F> {
    link: Rc<Link<F>>,
    extended: Option<HostMemory<F>>,
}

impl<F> Deref for Lent<F> {
    type Target = [F];
    fn deref(&self) -> &[F] {
        self.extended.as_ref().expect("it is given back by drop() alone")
    }
}

impl<F> Drop for Lent<F> {
    fn drop(&mut self) {
        self.link.extended.replace(self.extended.take());
    }
}

type Stock<F, const D: usize, M> = TwoAdicFriPcs<F, Radix2DitParallel<F>, M, ExtensionMmcs<F, Challenge<F, D>, M>>;
type Fri<F, const D: usize, M> = FriParameters<ExtensionMmcs<F, Challenge<F, D>, M>>;
type DataOf<F, M> = <M as Mmcs<F>>::ProverData<RowMajorMatrix<F>>;

pub struct Recorded<F: Field, const D: usize, M: Mmcs<F>> {
    stock: Stock<F, D, M>,
    fri: Fri<F, D, M>,
    mmcs: M,
    link: Rc<Link<F>>,
    trace: OnceCell<(M::Commitment, DataOf<F, M>)>,
    values: OnceCell<OpenedValues<Challenge<F, D>>>,
    /// The challenge, and the vector that is folded.
    reduced: OnceCell<(Challenge<F, D>, Vec<Challenge<F, D>>)>,
}

pub struct Pcs<F: Field, const D: usize, M: Mmcs<F>>(Rc<Recorded<F, D, M>>);

impl<F: Field, const D: usize, M: Mmcs<F>> Clone for Pcs<F, D, M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// A configuration whose `mmcs` commits to what is not precomputed.
pub fn config<F, const D: usize, M, C>(
    mmcs: M,
    challenger: C,
    link: &Rc<Link<F>>,
) -> StarkConfig<Pcs<F, D, M>, Challenge<F, D>, C>
where
    F: TwoAdicField,
    M: Mmcs<F>,
    C: Clone,
    Challenge<F, D>: Clone,
{
    let fri: Fri<F, D, M> = fri_parameters(mmcs.clone(), 100);
    let stock = TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs.clone(), fri.clone());
    let (trace, values, reduced) = Default::default();
    let recorded = Recorded { stock, fri, mmcs, link: link.clone(), trace, values, reduced };
    StarkConfig::new(Pcs(Rc::new(recorded)), challenger)
}

pub enum Data<F: Field, const D: usize, M: Mmcs<F>> {
    Trace(Rc<Recorded<F, D, M>>, Lent<F>),
    Quotient(DataOf<F, M>),
}

impl<F: Field, const D: usize, M: Mmcs<F>> Data<F, D, M> {
    fn of_mmcs(&self) -> &DataOf<F, M> {
        match self {
            Self::Trace(recorded, _) => &recorded.trace.get().expect("the trace is committed to").1,
            Self::Quotient(data) => data,
        }
    }
}

impl<F, const D: usize, M, C> p3_commit::Pcs<Challenge<F, D>, C> for Pcs<F, D, M>
where
    F: DeviceElement + TwoAdicField + PrimeField64,
    M: Mmcs<F, MultiProof: Sync, Error: Sync>,
    Challenge<F, D>: ExtensionField<F>,
    C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F> + Clone,
{
    type Domain = TwoAdicMultiplicativeCoset<F>;
    type Commitment = M::Commitment;
    type ProverData = Data<F, D, M>;
    type Proof = <Stock<F, D, M> as p3_commit::Pcs<Challenge<F, D>, C>>::Proof;
    type Error = <Stock<F, D, M> as p3_commit::Pcs<Challenge<F, D>, C>>::Error;
    type ProverError = FriProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> Self::Domain {
        p3_commit::Pcs::<Challenge<F, D>, C>::natural_domain_for_degree(&self.0.stock, degree)
    }

    fn commit(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<F>)>,
    ) -> Result<(Self::Commitment, Self::ProverData), FriProverError> {
        let mut evaluations: Vec<_> = evaluations.into_iter().collect();
        if self.0.trace.get().is_none() {
            let made = p3_commit::Pcs::<Challenge<F, D>, C>::commit(&self.0.stock, evaluations.clone())?;
            let _ = self.0.trace.set(made);
        }
        let (commitment, _) = self.0.trace.get().expect("it was set");
        let (_, spent) = evaluations.pop().expect("there is one trace");
        Ok((commitment.clone(), Data::Trace(self.0.clone(), self.0.link.copy(spent.values))))
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, Challenge<F, D>>>,
        challenger: &mut C,
    ) -> Result<(OpenedValues<Challenge<F, D>>, Self::Proof), FriProverError> {
        let Recorded { stock, fri, mmcs, .. } = &*self.0;
        let requests: Vec<_> = requests
            .into_iter()
            .map(|request| OpeningRequest { prover_data: request.prover_data.of_mmcs(), points: request.points })
            .collect();
        if self.0.values.get().is_none() {
            let (values, _) = p3_commit::Pcs::open(stock, requests.clone(), &mut challenger.clone())?;
            let _ = self.0.values.set(values);
        }
        let values = self.0.values.get().expect("it was set");

        let shape = PcsShape::from_opened_values(fri, values);
        let mut transcript = PcsProverTranscript::<C, F, Challenge<F, D>>::new(challenger, shape);
        transcript.claimed_openings(values);
        let (alpha, witness) = transcript.batch_phase();
        let (recorded_alpha, reduced) =
            self.0.reduced.get_or_init(|| (alpha, reduced_openings(mmcs, &requests, values, alpha)));
        assert!(alpha == *recorded_alpha, "all proofs must be of one trace");

        let folding: TwoAdicFriFoldingForMmcs<F, M> = p3_fri::TwoAdicFriFolding(PhantomData);
        let log_rows = reduced.len().ilog2() as usize;
        let folded = vec![reduced.clone()];
        let proof = transcript.delegate(|challenger| {
            let witness = witness.unwrap_or(F::ZERO);
            prove_fri(&folding, fri, folded, challenger, log_rows, &requests, mmcs, witness)
        });
        match &proof {
            Ok(_) => transcript.finish(),
            Err(_) => transcript.abort(),
        }
        Ok((values.clone(), proof?))
    }

    fn verify(
        &self,
        claims: Vec<CommitmentOpening<Challenge<F, D>, Self::Commitment, Self::Domain>>,
        proof: &Self::Proof,
        challenger: &mut C,
    ) -> Result<(), Self::Error> {
        self.0.stock.verify(claims, proof, challenger)
    }
}

/// The vector that is folded: with all columns f and their points z in turn, the sum of alpha^i (f(z) - f(x)) / (z -
/// x).
fn reduced_openings<F, const D: usize, M>(
    mmcs: &M,
    requests: &[OpeningRequest<'_, DataOf<F, M>, Challenge<F, D>>],
    values: &OpenedValues<Challenge<F, D>>,
    alpha: Challenge<F, D>,
) -> Vec<Challenge<F, D>>
where
    F: TwoAdicField,
    M: Mmcs<F>,
    Challenge<F, D>: ExtensionField<F>,
{
    let rows = mmcs.get_matrices(requests[0].prover_data)[0].height();
    let coset = TwoAdicMultiplicativeCoset::new(F::GENERATOR, rows.ilog2() as usize).expect("the prover has made it");
    let points_x = RowMajorMatrix::new_col(coset.iter().collect()).bit_reverse_rows().to_row_major_matrix().values;
    let mut sum = Challenge::<F, D>::zero_vec(rows);
    let mut weight = Challenge::<F, D>::ONE;
    for (request, values) in requests.iter().zip(values) {
        let matrices = mmcs.get_matrices(request.prover_data);
        for ((matrix, points), values) in matrices.into_iter().zip(&request.points).zip(values) {
            assert_eq!(matrix.height(), rows, "all matrices have the height of the extended trace");
            let powers: Vec<_> = <Challenge<F, D> as ExtensionField<F>>::ExtensionPacking::packed_ext_powers_capped(
                alpha,
                matrix.width(),
            )
            .collect();
            let at_x: Vec<Challenge<F, D>> = matrix.rowwise_packed_dot_product::<Challenge<F, D>>(&powers).collect();
            for (&z, values) in points.iter().zip(values) {
                let at_z: Challenge<F, D> = dot_product(alpha.powers(), values.iter().copied());
                sum.par_iter_mut().zip(at_x.par_iter()).zip(points_x.par_iter()).for_each(|((sum, &at_x), &x)| {
                    *sum += weight * (at_z - at_x) * (z - x).inverse();
                });
                weight *= alpha.exp_u64(matrix.width() as u64);
            }
        }
    }
    sum
}

impl<F, const D: usize, M, C> UnivariateStarkPcs<Challenge<F, D>, C> for Pcs<F, D, M>
where
    F: DeviceElement + TwoAdicField + PrimeField64,
    M: Mmcs<F, MultiProof: Sync, Error: Sync>,
    Challenge<F, D>: ExtensionField<F>,
    C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F> + Clone,
{
    type EvaluationsOnDomain<'a> = BitReversedMatrixView<RowMajorMatrixCow<'a, F>>;
    const ZK: bool = false;

    fn log_max_trace_height(&self) -> usize {
        UnivariateStarkPcs::<Challenge<F, D>, C>::log_max_trace_height(&self.0.stock)
    }

    fn log_min_trace_height(&self) -> usize {
        UnivariateStarkPcs::<Challenge<F, D>, C>::log_min_trace_height(&self.0.stock)
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<F>)>,
        chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<F>>, FriProverError> {
        UnivariateStarkPcs::<Challenge<F, D>, C>::get_quotient_ldes(&self.0.stock, evaluations, chunks)
    }

    fn commit_ldes(&self, ldes: Vec<RowMajorMatrix<F>>) -> Result<(M::Commitment, Self::ProverData), FriProverError> {
        let (commitment, data) = UnivariateStarkPcs::<Challenge<F, D>, C>::commit_ldes(&self.0.stock, ldes)?;
        Ok((commitment, Data::Quotient(data)))
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a Self::ProverData,
        _: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        let Data::Trace(recorded, extended) = data else { unreachable!("constraints are of the trace") };
        let width = recorded.mmcs.get_matrices(data.of_mmcs())[0].width();
        let elements = domain.size() * width;
        assert!(
            domain.shift() == F::GENERATOR && elements <= extended.len(),
            "the constraints take rows of the matrix"
        );
        RowMajorMatrixCow::new(Cow::Borrowed(&extended[..elements]), width).bit_reverse_rows()
    }
}
