//! Openings whose passes over the matrices are made where the matrices lie. The steps are those of
//! `TwoAdicFriPcs::open`, and so are the proofs.

use core::marker::PhantomData;
use std::collections::BTreeMap;

use merklize::{or_raise, weighted_sums, Buffer, Error, ErrorKind, Matrix as Words, Options, SumOver};
use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{ExtensionMmcs, OpenedValues, OpeningRequest};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{batch_multiplicative_inverse, dot_product, ExtensionField, PackedFieldExtension};
use p3_fri::prover::prove_fri;
use p3_fri::{
    FriParameters, FriProverError, PcsProverTranscript, PcsShape, TwoAdicFriFolding, TwoAdicFriFoldingForMmcs,
};
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_maybe_rayon::prelude::*;

use crate::dft::TwoAdicElement;
use crate::mmcs::DeviceMmcs;
use crate::stock::StockProof;

type Requests<'a, F, EF, M> = [OpeningRequest<'a, <M as p3_commit::Mmcs<F>>::ProverData<RowMajorMatrix<F>>, EF>];

type OpenedOf<'a, F, EF, M> = Opened<'a, <M as p3_commit::Mmcs<F>>::ProverData<RowMajorMatrix<F>>, EF>;

type Proved<F, EF, M> = (OpenedValues<EF>, StockProof<F, EF, M>);

/// A committed matrix, and the points at which it is opened.
struct Opened<'a, D, EF> {
    dimensions: Dimensions,
    /// The commitment to it, and its number there.
    data: &'a D,
    number: usize,
    /// Its words in the memory of the device, if they are there.
    resident: Option<&'a Buffer>,
    points: &'a [EF],
}

/// A point z and, for each x of the tallest coset opened at z, 1 / (z - x) and x / (z - x). In bit-reversed order, so a
/// lower matrix uses a prefix.
struct AtPoint<EF> {
    z: EF,
    inverses: Vec<EF>,
    weights: Vec<EF>,
}

pub(crate) struct Opening<'a, F: TwoAdicElement, EF, M: DeviceMmcs<F>> {
    mmcs: &'a M,
    fri: &'a FriParameters<ExtensionMmcs<F, EF, M>>,
    requests: &'a Requests<'a, F, EF, M>,
    /// Of each request.
    matrices: Vec<Vec<OpenedOf<'a, F, EF, M>>>,
}

impl<'a, F: TwoAdicElement, EF: ExtensionField<F>, M: DeviceMmcs<F>> Opening<'a, F, EF, M> {
    pub(crate) fn new(
        mmcs: &'a M,
        fri: &'a FriParameters<ExtensionMmcs<F, EF, M>>,
        requests: &'a Requests<'a, F, EF, M>,
    ) -> Self {
        let of_request = |request: &'a OpeningRequest<'a, M::ProverData<RowMajorMatrix<F>>, EF>| {
            let resident = mmcs.resident(request.prover_data);
            let data = request.prover_data;
            let matrices = mmcs.dimensions(data).into_iter().zip(&request.points).enumerate();
            let opened = |(number, (dimensions, points)): (usize, (_, &'a Vec<EF>))| Opened {
                dimensions,
                data,
                number,
                resident: resident.get(number),
                points,
            };
            matrices.map(opened).collect()
        };
        Self { mmcs, fri, requests, matrices: requests.iter().map(of_request).collect() }
    }

    fn all(&self) -> impl Iterator<Item = &OpenedOf<'a, F, EF, M>> {
        self.matrices.iter().flatten()
    }

    /// Whether a matrix lies on the device, and the stock scheme would refuse neither the heights nor the points: then
    /// the stock code says what is wrong.
    pub(crate) fn is_for_device(&self) -> bool {
        let FriParameters { log_blowup, log_final_poly_len, .. } = *self.fri;
        let fits = |height: usize| {
            let is_high = || height.ilog2() as usize > log_final_poly_len.saturating_add(log_blowup);
            height.is_power_of_two() && (log_final_poly_len == 0 || is_high())
        };
        let is_stock = |opened: &OpenedOf<'a, F, EF, M>| {
            fits(opened.dimensions.height) && opened.points.iter().all(|point| !point.is_zero())
        };
        self.all().any(|opened| opened.resident.is_some()) && self.all().all(is_stock)
    }

    pub(crate) fn prove<C>(&self, challenger: &mut C) -> Result<Proved<F, EF, M>, FriProverError>
    where
        M: DeviceMmcs<F, MultiProof: Sync, Error: Sync>,
        C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F>,
    {
        let points = self.points();
        let evaluated = |opened: &OpenedOf<'a, F, EF, M>| {
            let values = opened.points.iter().map(|&z| self.evaluated(opened, find(&points, z)));
            values.collect()
        };
        let values: OpenedValues<EF> =
            self.matrices.iter().map(|matrices| matrices.iter().map(evaluated).collect()).collect();

        let shape = PcsShape::from_opened_values(self.fri, &values);
        let mut transcript = PcsProverTranscript::<C, F, EF>::new(challenger, shape);
        transcript.claimed_openings(&values);
        let (alpha, witness) = transcript.batch_phase();
        let reduced = self.reduced(&points, &values, alpha);
        let log_tallest = self.log_tallest();
        let folding: TwoAdicFriFoldingForMmcs<F, M> = TwoAdicFriFolding(PhantomData);
        let proof = transcript.delegate(|challenger| {
            let witness = witness.unwrap_or(F::ZERO);
            prove_fri(&folding, self.fri, reduced, challenger, log_tallest, self.requests, self.mmcs, witness)
        });
        match &proof {
            Ok(_) => transcript.finish(),
            Err(_) => transcript.abort(),
        }
        Ok((values, proof?))
    }

    /// The matrix on the host, to which it comes if it is not there yet.
    fn matrix(&self, opened: &OpenedOf<'a, F, EF, M>) -> &'a RowMajorMatrix<F> {
        self.mmcs.get_matrices(opened.data)[opened.number]
    }

    fn log_tallest(&self) -> usize {
        self.all().map(|opened| opened.dimensions.height).max().map_or(0, |height| height.ilog2() as usize)
    }

    /// Each point once.
    fn points(&self) -> Vec<AtPoint<EF>> {
        let mut heights: Vec<(EF, usize)> = vec![];
        for opened in self.all() {
            for &z in opened.points {
                match heights.iter_mut().find(|(other, _)| *other == z) {
                    Some((_, height)) => *height = opened.dimensions.height.max(*height),
                    None => heights.push((z, opened.dimensions.height)),
                }
            }
        }
        let coset = TwoAdicMultiplicativeCoset::new(F::GENERATOR, self.log_tallest());
        let coset = coset.expect("extensions of this height were made").iter().collect();
        let xs = RowMajorMatrix::new_col(coset).bit_reverse_rows().to_row_major_matrix().values;
        let at = |(z, height): (EF, usize)| {
            let differences: Vec<EF> = xs[..height].par_iter().map(|&x| z - x).collect();
            let inverses = batch_multiplicative_inverse(&differences);
            let low = &inverses[..height >> self.fri.log_blowup];
            let weights = low.par_iter().zip(&xs[..low.len()]).map(|(&inverse, &x)| inverse * x).collect();
            AtPoint { z, inverses, weights }
        };
        heights.into_iter().map(at).collect()
    }

    /// The values of all columns at a point z, by their values on the low coset, of n points g h^i:
    /// f(z) = (z^n - g^n) / (n g^n) times the sum of f(x) x / (z - x).
    fn evaluated(&self, opened: &OpenedOf<'a, F, EF, M>, at: &AtPoint<EF>) -> Vec<EF> {
        let rows = opened.dimensions.height >> self.fri.log_blowup;
        let log_rows = rows.ilog2() as usize;
        let weights = &at.weights[..rows];
        let sums = self.sums(opened, rows, SumOver::Rows, weights);
        let mut values = sums.unwrap_or_else(|| self.matrix(opened).split_rows(rows).0.columnwise_dot_product(weights));
        let of_shift = F::GENERATOR.exp_power_of_2(log_rows);
        let scale = (at.z.exp_power_of_2(log_rows) - of_shift) * of_shift.mul_2exp_u64(log_rows as u64).inverse();
        values.iter_mut().for_each(|value| *value *= scale);
        values
    }

    /// For each height, the tallest first: for all columns f and their points z in turn, the sum of alpha^i (f(z) -
    /// f(x)) / (z - x).
    fn reduced(&self, points: &[AtPoint<EF>], values: &OpenedValues<EF>, alpha: EF) -> Vec<Vec<EF>> {
        // With the number of terms so far.
        let mut of_heights: BTreeMap<usize, (Vec<EF>, u64)> = BTreeMap::new();
        for (opened, values) in self.all().zip(values.iter().flatten()) {
            let (height, width) = (opened.dimensions.height, opened.dimensions.width);
            let (sums, n_terms) = of_heights.entry(height).or_insert_with(|| (EF::zero_vec(height), 0));
            if opened.points.is_empty() {
                continue;
            }
            let powers: Vec<EF> = alpha.powers().take(width).collect();
            let at_x = self.sums(opened, height, SumOver::Columns, &powers).unwrap_or_else(|| {
                let powers: Vec<_> = EF::ExtensionPacking::packed_ext_powers_capped(alpha, width).collect();
                self.matrix(opened).rowwise_packed_dot_product::<EF>(&powers).collect()
            });
            for (&z, values) in opened.points.iter().zip(values) {
                let scale = alpha.exp_u64(*n_terms);
                let at_z = scale * dot_product::<EF, _, _>(alpha.powers(), values.iter().copied());
                let inverses = &find(points, z).inverses[..height];
                sums.par_iter_mut().zip(&at_x).zip(inverses).for_each(|((sum, &at_x), &inverse)| {
                    *sum += (at_z - scale * at_x) * inverse;
                });
                *n_terms += width as u64;
            }
        }
        of_heights.into_values().rev().map(|(sums, _)| sums).collect()
    }

    /// Sums over the first rows of a matrix, where it lies on a device. None: it does not, or the device has no memory
    /// left for them, so the host adds up its own copy.
    fn sums(&self, opened: &OpenedOf<'a, F, EF, M>, rows: usize, over: SumOver, weights: &[EF]) -> Option<Vec<EF>> {
        let (words, device) = (opened.resident?, self.mmcs.device()?);
        let weights = EF::flatten_to_base(weights.to_vec());
        let sums = || -> Result<_, Error> {
            let (weights, elements) = F::in_memory(&weights, true).expect("an element of these fields is a word");
            let matrix = Words::on_device(words, opened.dimensions.width)?.first_rows(rows)?.elements(elements);
            let options = Options::new().device(device);
            weighted_sums(matrix, F::FIELD, over, weights, EF::DIMENSION, &options)
        };
        match sums() {
            Err(error) if error.kind() == ErrorKind::OutOfMemory => None,
            sums => Some(EF::reconstitute_from_base(F::from_words(or_raise(sums)))),
        }
    }
}

fn find<EF: PartialEq>(points: &[AtPoint<EF>], z: EF) -> &AtPoint<EF> {
    points.iter().find(|at| at.z == z).expect("all points are there")
}
