use core::fmt;
use std::sync::Arc;

use merklize::{
    evaluate_constraints, or_raise, Buffer, ConstraintForm, Device, Elements, Error, ErrorKind, Matrix as Words,
    Options, RowOrder,
};
use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{
    CommitmentOpening, ExtensionMmcs, OpenedValues, OpeningRequest, Pcs, PeriodicLdeTable, PolynomialSpace,
    UnivariateStarkPcs,
};
use p3_dft::Radix2DitParallel;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::ExtensionField;
use p3_fri::{FriParameters, FriProverError, TwoAdicFriPcs};
use p3_matrix::bitrev::BitReversedMatrixView;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixCow};
use p3_matrix::Matrix;
use p3_maybe_rayon::prelude::*;

use crate::dft::{plonky3_extension, MerklizeDft, TwoAdicElement};
use crate::elements::bytes_of;
use crate::mmcs::DeviceMmcs;
use crate::opening::Opening;
use crate::prove::{ConstraintPcs, Folding};
use crate::stock::{retyped, StockOpening, StockPcs, StockProof};

/// Plonky3 picks SIMD at compile time. With it, Plonky3's extension is faster than ours on the CPU: ours takes 1.54
/// times as long over Goldilocks, 1.22 over KoalaBear. So are its commitments to folded vectors, whose elements ours
/// copies first.
pub(crate) const PLONKY3_HAS_VECTORS: bool = cfg!(any(target_feature = "avx2", target_arch = "aarch64"));

/// Bytes of a folded vector from which a device commits to it; the processors commit to smaller ones. A row of such a
/// vector has 32 bytes over all of these fields and takes two permutations of Poseidon2, of which 16 processors make
/// 0.4 x 10^8 a second over Goldilocks and 10^8 over fields of 31 bits: 50 and 20 ms for 2^20 rows. On an H200 with 16
/// cores one commitment by the device to 2 MiB (KoalaBear) made the folding 35 ms longer, and commitments to all
/// vectors of a chain, the first of 128 MiB (Goldilocks), made it 500 ms shorter. The border lies between.
const FOLDED_ON_DEVICE: usize = 32 << 20;

/// Plonky3's `TwoAdicFriPcs`, whose extensions and commitments are computed on the device of its Mmcs. Commitments,
/// opened values and opening proofs are of the types of [`StockPcs`] over the stock Mmcs, and of the same values, so
/// that one is the other's verifier. `F` is the field of traces, `EF` the challenges' extension of it.
///
/// `commit` takes the matrices once, extends them and commits to the extensions; `commit_quotient` does the same. On
/// the CPU, in a build for AVX2 or NEON, Plonky3's own code extends, because it is faster there. A device with memory
/// of its own keeps the extensions, if it has room, until the prover's data is dropped. `open` evaluates columns and
/// adds them up there, and only weights and sums go to and fro; what does not lie on a device Plonky3's own code
/// evaluates. Folding has the steps of Plonky3's. A device other than the CPU commits to large folded vectors. To
/// the others the processors commit, in a build for AVX2 or NEON by Plonky3's own code. `verify` is the stock scheme's.
/// The memory of large matrices is given back by another thread. With [`prove`](crate::prove) constraints are evaluated
/// on the device, too.
///
/// The commitments of the trait cannot fail by an error of a device, so it is a panic, and [`catch`](crate::catch)
/// turns it back into a value.
#[derive(Clone)]
pub struct MerklizePcs<F: TwoAdicElement, EF, M: DeviceMmcs<F>> {
    prover: TwoAdicFriPcs<F, MerklizeDft<F>, M, ExtensionMmcs<F, EF, M>>,
    stock: StockPcs<F, EF, M::Stock>,
    mmcs: M,
    fri: FriParameters<ExtensionMmcs<F, EF, M>>,
    /// Extends without a device, or if the device is the CPU and this is faster.
    plonky3_dft: Option<Radix2DitParallel<F>>,
    /// Whether extensions that a device keeps come to the host at once.
    is_copied: bool,
}

impl<F: TwoAdicElement, EF: ExtensionField<F>, M: DeviceMmcs<F>> MerklizePcs<F, EF, M> {
    /// mmcs   commits to the extensions and to the folded vectors
    /// stock  the parameters of the stock scheme, which verifies, with the Mmcs that
    /// [`MerklizeMmcs::stock`](crate::MerklizeMmcs::stock) gives
    pub fn new(mmcs: M, stock: FriParameters<ExtensionMmcs<F, EF, M::Stock>>) -> Self {
        Self::with_folding(mmcs, stock, FOLDED_ON_DEVICE)
    }

    /// The same with other bytes of a folded vector from which a device commits to it.
    #[doc(hidden)]
    pub fn with_folding(mmcs: M, stock: FriParameters<ExtensionMmcs<F, EF, M::Stock>>, least_bytes: usize) -> Self {
        let fri = FriParameters {
            log_blowup: stock.log_blowup,
            log_final_poly_len: stock.log_final_poly_len,
            max_log_arity: stock.max_log_arity,
            num_queries: stock.num_queries,
            batch_proof_of_work_bits: stock.batch_proof_of_work_bits,
            commit_proof_of_work_bits: stock.commit_proof_of_work_bits,
            query_proof_of_work_bits: stock.query_proof_of_work_bits,
            mmcs: ExtensionMmcs::new(mmcs.for_folding(least_bytes)),
        };
        let dft = MerklizeDft::new(mmcs.device().cloned());
        let prover = TwoAdicFriPcs::new(dft, mmcs.clone(), fri.clone());
        let stock = TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs.stock_mmcs().clone(), stock);
        let is_plonky3_faster = |device: &Arc<Device>| PLONKY3_HAS_VECTORS && device.info().backend == "cpu";
        let plonky3_dft = mmcs.device().is_none_or(is_plonky3_faster).then(Radix2DitParallel::default);
        Self { prover, stock, mmcs, fri, plonky3_dft, is_copied: true }
    }

    /// The stock scheme, which verifies.
    pub fn stock(&self) -> &StockPcs<F, EF, M::Stock> {
        &self.stock
    }
}

impl<F: TwoAdicElement, EF, M: DeviceMmcs<F>> fmt::Debug for MerklizePcs<F, EF, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FriParameters { log_blowup, num_queries, .. } = self.fri;
        let mut shown = f.debug_struct("MerklizePcs");
        shown.field("device", &self.mmcs.device()).field("log_blowup", &log_blowup).field("num_queries", &num_queries);
        shown.finish_non_exhaustive()
    }
}

impl<F, EF, M, C> Pcs<EF, C> for MerklizePcs<F, EF, M>
where
    F: TwoAdicElement,
    EF: ExtensionField<F>,
    M: DeviceMmcs<F, MultiProof: Sync, Error: Sync>,
    C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F>,
{
    type Domain = TwoAdicMultiplicativeCoset<F>;
    type Commitment = M::Commitment;
    type ProverData = M::ProverData<RowMajorMatrix<F>>;
    type Proof = StockProof<F, EF, M::Stock>;
    type Error = <StockPcs<F, EF, M::Stock> as Pcs<EF, C>>::Error;
    type ProverError = FriProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> Self::Domain {
        Pcs::<EF, C>::natural_domain_for_degree(&self.stock, degree)
    }

    fn commit(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<F>)>,
    ) -> Result<(Self::Commitment, Self::ProverData), FriProverError> {
        // Values on x H become those on shift x K, which the scheme wants to be the generator's coset.
        let shifted = |(domain, matrix): (Self::Domain, RowMajorMatrix<F>)| {
            assert_eq!(domain.size(), matrix.height(), "a matrix has a row for each point of its domain");
            (matrix, F::GENERATOR / domain.shift())
        };
        let matrices: Vec<_> = evaluations.into_iter().map(shifted).collect();
        // What cannot be extended is the library's error.
        let can_be_extended = |(matrix, _): &(RowMajorMatrix<F>, F)| {
            let height = matrix.height();
            height.is_power_of_two() && height.ilog2() as usize + self.fri.log_blowup <= F::TWO_ADICITY
        };
        match &self.plonky3_dft {
            Some(dft) if self.mmcs.device().is_none() || matrices.iter().all(can_be_extended) => {
                let extended = |(matrix, shift)| plonky3_extension(dft, matrix, self.fri.log_blowup, shift);
                Ok(self.mmcs.commit(matrices.into_iter().map(extended).collect()))
            }
            _ => Ok(self.mmcs.commit_extended(matrices, self.fri.log_blowup, self.is_copied)),
        }
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, EF>>,
        challenger: &mut C,
    ) -> Result<(OpenedValues<EF>, Self::Proof), FriProverError> {
        let opening = Opening::new(&self.mmcs, &self.fri, &requests);
        let (values, proof) = match opening.is_for_device() {
            true => opening.prove(challenger)?,
            false => Pcs::<EF, C>::open(&self.prover, requests, challenger)?,
        };
        Ok((values, retyped::<F, EF, M>(proof)))
    }

    fn verify(
        &self,
        claims: Vec<CommitmentOpening<EF, Self::Commitment, Self::Domain>>,
        proof: &Self::Proof,
        challenger: &mut C,
    ) -> Result<(), Self::Error> {
        self.stock.verify(claims, proof, challenger)
    }
}

impl<F: TwoAdicElement, EF: ExtensionField<F>, M: DeviceMmcs<F>> StockOpening for MerklizePcs<F, EF, M> {
    type Own = StockProof<F, EF, M::Stock>;
    type Stock = Self::Own;

    fn stock_opening(opening: Self::Own) -> Self::Stock {
        opening
    }
}

impl<F, EF, M, C> UnivariateStarkPcs<EF, C> for MerklizePcs<F, EF, M>
where
    F: TwoAdicElement,
    EF: ExtensionField<F>,
    M: DeviceMmcs<F, MultiProof: Sync, Error: Sync>,
    C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F>,
{
    type EvaluationsOnDomain<'a> = BitReversedMatrixView<RowMajorMatrixCow<'a, F>>;
    const ZK: bool = false;

    fn log_max_trace_height(&self) -> usize {
        UnivariateStarkPcs::<EF, C>::log_max_trace_height(&self.stock)
    }

    fn log_min_trace_height(&self) -> usize {
        UnivariateStarkPcs::<EF, C>::log_min_trace_height(&self.stock)
    }

    fn commit_quotient(
        &self,
        domain: Self::Domain,
        evaluations: RowMajorMatrix<F>,
        chunks: usize,
    ) -> Result<(Self::Commitment, Self::ProverData), FriProverError> {
        let matrices = (0..chunks).map(|chunk| every_nth(&evaluations, chunk, chunks));
        Pcs::<EF, C>::commit(self, domain.split_domains(chunks).into_iter().zip(matrices))
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<F>)>,
        chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<F>>, FriProverError> {
        UnivariateStarkPcs::<EF, C>::get_quotient_ldes(&self.prover, evaluations, chunks)
    }

    fn commit_ldes(&self, ldes: Vec<RowMajorMatrix<F>>) -> Result<(M::Commitment, Self::ProverData), FriProverError> {
        UnivariateStarkPcs::<EF, C>::commit_ldes(&self.prover, ldes)
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a Self::ProverData,
        index: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        UnivariateStarkPcs::<EF, C>::get_evaluations_on_domain(&self.prover, data, index, domain)
    }

    fn build_periodic_lde_table(
        &self,
        columns: &[Vec<F>],
        trace_domain: Self::Domain,
        quotient_domain: Self::Domain,
    ) -> PeriodicLdeTable<F> {
        UnivariateStarkPcs::<EF, C>::build_periodic_lde_table(&self.prover, columns, trace_domain, quotient_domain)
    }
}

impl<F: TwoAdicElement, EF: ExtensionField<F>, M: DeviceMmcs<F>> ConstraintPcs<M::ProverData<RowMajorMatrix<F>>, F, EF>
    for MerklizePcs<F, EF, M>
{
    fn without_copies(&self) -> Self {
        Self { is_copied: false, ..self.clone() }
    }

    fn rows(&self, data: &M::ProverData<RowMajorMatrix<F>>, rows: &[usize]) -> Vec<Vec<F>> {
        self.mmcs.rows(data, 0, rows)
    }

    /// On the CPU a program takes two to three times as long as Plonky3's folder, which is compiled code.
    fn has_device(&self) -> bool {
        self.mmcs.device().is_some_and(|device| device.info().backend != "cpu")
    }

    fn why_not_on_device(&self, data: &M::ProverData<RowMajorMatrix<F>>, points: usize) -> Option<&'static str> {
        if self.mmcs.resident(data).is_empty() {
            return Some("the device does not hold the extension");
        }
        (self.mmcs.dimensions(data)[0].height < points)
            .then_some("the quotient has more chunks than the extension holds")
    }

    fn folded(&self, request: Folding<'_, M::ProverData<RowMajorMatrix<F>>, F>) -> Result<Vec<EF>, Error> {
        let device = self.mmcs.device().expect("it holds the trace");
        let of_data = [Some(request.trace), request.preprocessed].into_iter().flatten();
        let of_data = of_data.map(|data| (&self.mmcs.resident(data)[0], self.mmcs.dimensions(data)[0].width));
        let matrices: Vec<_> = of_data.collect();
        let folded = || -> Result<_, Error> {
            let selectors = &request.selectors;
            let uploaded = || {
                let room = Buffer::new(device, size_of_val(&selectors.values[..]) as u64)?;
                room.upload(0, bytes_of(words_of(&selectors.values).0), None).map(|()| room)
            };
            let uploaded = (selectors.width() > 0).then(uploaded).transpose()?;
            let all = matrices.iter().copied().chain(uploaded.iter().map(|room| (room, selectors.width())));
            let on_device = all.map(|(words, width)| Words::on_device(words, width)?.first_rows(request.points));
            fold(device, on_device.collect::<Result<_, _>>()?, &request)
        };
        match folded() {
            // Preprocessed data may be on another device than the trace.
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::InvalidArgument) => Err(error),
            folded => Ok(or_raise(folded)),
        }
    }
}

/// A matrix of every nth row from the first on.
fn every_nth<F: TwoAdicElement>(matrix: &RowMajorMatrix<F>, first: usize, n: usize) -> RowMajorMatrix<F> {
    const ROWS: usize = 1 << 12;
    let width = matrix.width;
    let mut values = F::zero_vec(matrix.height() / n * width);
    values.par_chunks_mut(ROWS * width.max(1)).enumerate().for_each(|(piece, rows)| {
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            row.copy_from_slice(&matrix.values[((piece * ROWS + i) * n + first) * width..][..width]);
        }
    });
    RowMajorMatrix::new(values, width)
}

fn words_of<F: TwoAdicElement>(elements: &[F]) -> (&[F::Word], Elements) {
    F::in_memory(elements, true).expect("an element of these fields is a word")
}

/// Runs a program on matrices of words in the elements' own form.
pub(crate) fn fold<F: TwoAdicElement, EF: ExtensionField<F>, D>(
    device: &Device,
    matrices: Vec<Words<'_, F::Word>>,
    request: &Folding<'_, D, F>,
) -> Result<Vec<EF>, Error> {
    let (scalars, elements) = words_of(&request.program.scalars);
    let matrices: Vec<_> = matrices.into_iter().map(|matrix| matrix.elements(elements)).collect();
    let form = ConstraintForm {
        field: F::FIELD,
        order: RowOrder::BitReversed,
        next: request.next as u64,
        steps: &request.program.steps,
        scalars,
        weights: words_of(&request.weights).0,
        degree: EF::DIMENSION,
    };
    let words = evaluate_constraints(&matrices, &form, &Options::new().device(device))?;
    Ok(EF::reconstitute_from_base(F::from_words(words)))
}

/// The same on the processors, on the matrices of the host.
#[cfg(test)]
pub(crate) fn fold_on_host<F: TwoAdicElement, EF: ExtensionField<F>, M: DeviceMmcs<F>>(
    pcs: &MerklizePcs<F, EF, M>,
    request: Folding<'_, M::ProverData<RowMajorMatrix<F>>, F>,
) -> Vec<EF> {
    let of_data = [Some(request.trace), request.preprocessed].into_iter().flatten();
    let of_data = of_data.map(|data| pcs.mmcs.get_matrices(data)[0]);
    let of_host = (request.selectors.width() > 0).then_some(&request.selectors);
    let words = of_data.chain(of_host).map(|matrix| {
        Words::new(words_of(&matrix.values).0, matrix.width()).unwrap().first_rows(request.points).unwrap()
    });
    fold(pcs.mmcs.device().unwrap(), words.collect(), &request).unwrap()
}
