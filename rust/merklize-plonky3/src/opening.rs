//! Openings whose passes over the matrices are made where the matrices lie. The steps are those of
//! `TwoAdicFriPcs::open`, and so are the proofs.

use core::marker::PhantomData;
use std::collections::BTreeMap;

use merklize::{or_raise, weighted_sums, Buffer, Error, ErrorKind, Matrix as Words, Options, SumOver};
use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{ExtensionMmcs, OpenedValues, OpeningRequest};
use p3_field::{batch_multiplicative_inverse, dot_product, ExtensionField, PackedFieldExtension};
use p3_fri::prover::prove_fri;
use p3_fri::{FriParameters, FriProverError, PcsProverTranscript, PcsShape, TwoAdicFriFolding};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use crate::dft::{extended, TwoAdicElement};
use crate::folding::ParallelFolding;
use crate::mmcs::DeviceMmcs;
use crate::points::{reversed, Points};
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

/// A point z, 1 / (z - x) for each x at which what is folded is computed, and x / (z - x) for each x of the low coset
/// of the tallest matrix opened at z. In bit-reversed order, so a lower matrix uses a prefix.
struct AtPoint<F, EF> {
    z: EF,
    inverses: Vec<EF>,
    /// The words of each.
    weights: Vec<F>,
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
            let height = opened.dimensions.height;
            let is_of_coset = |&z: &EF| {
                let log_height = height.ilog2() as usize;
                z.exp_power_of_2(log_height) == EF::from(F::GENERATOR.exp_power_of_2(log_height))
            };
            fits(height) && !opened.points.iter().any(|z| z.is_zero() || is_of_coset(z))
        };
        self.all().any(|opened| opened.resident.is_some()) && self.all().all(is_stock)
    }

    pub(crate) fn prove<C>(&self, challenger: &mut C) -> Result<Proved<F, EF, M>, FriProverError>
    where
        M: DeviceMmcs<F, MultiProof: Sync, Error: Sync>,
        C: FieldChallenger<F> + CanObserve<M::Commitment> + GrindingChallenger<Witness = F>,
    {
        let points = info_span!("invert").in_scope(|| self.points());
        let evaluated = |opened: &OpenedOf<'a, F, EF, M>| {
            let values = opened.points.iter().map(|&z| self.evaluated(opened, find(&points, z)));
            values.collect()
        };
        let evaluated = || self.matrices.iter().map(|matrices| matrices.iter().map(evaluated).collect()).collect();
        let values: OpenedValues<EF> = info_span!("evaluate at points").in_scope(evaluated);

        let shape = PcsShape::from_opened_values(self.fri, &values);
        let mut transcript = PcsProverTranscript::<C, F, EF>::new(challenger, shape);
        transcript.claimed_openings(&values);
        let (alpha, witness) = transcript.batch_phase();
        let reduced = info_span!("reduce").in_scope(|| self.reduced(&points, &values, alpha));
        let log_tallest = self.log_tallest();
        let folding: ParallelFolding<F, M> = ParallelFolding(TwoAdicFriFolding(PhantomData));
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

    /// Rows at which the sum that is folded is computed, from which the others follow: the sum is a polynomial of a
    /// lower degree than the matrix has rows before its extension. Of matrices that somebody else may have extended:
    /// all.
    fn rows_of_sum(&self, height: usize) -> usize {
        let mut of_height = self.all().filter(|opened| opened.dimensions.height == height);
        match of_height.all(|opened| opened.resident.is_some()) {
            true => height >> self.fri.log_blowup,
            false => height,
        }
    }

    /// Each point once.
    fn points(&self) -> Vec<AtPoint<F, EF>> {
        // With the rows of inverses and of weights.
        let mut rows: Vec<(EF, usize, usize)> = vec![];
        for opened in self.all() {
            let height = opened.dimensions.height;
            let (of_sum, low) = (self.rows_of_sum(height), height >> self.fri.log_blowup);
            for &z in opened.points {
                match rows.iter_mut().find(|(other, ..)| *other == z) {
                    Some((_, most_of_sum, most_low)) => {
                        (*most_of_sum, *most_low) = (of_sum.max(*most_of_sum), low.max(*most_low));
                    }
                    None => rows.push((z, of_sum, low)),
                }
            }
        }
        let log_tallest = self.log_tallest();
        let xs = Points::new(F::GENERATOR, F::two_adic_generator(log_tallest), 1 << log_tallest);
        let at = |(z, of_sum, low): (EF, usize, usize)| {
            let mut inverses = EF::zero_vec(of_sum);
            xs.for_each_piece(&mut inverses, 1, |_, xs, inverses| {
                let differences: Vec<EF> = xs.iter().map(|&x| z - x).collect();
                inverses.copy_from_slice(&batch_multiplicative_inverse(&differences));
            });
            let mut weights = EF::zero_vec(low);
            xs.for_each_piece(&mut weights, 1, |first, xs, weights| {
                let of_xs = xs.iter().zip(&inverses[first..]);
                weights.iter_mut().zip(of_xs).for_each(|(weight, (&x, &inverse))| *weight = inverse * x);
            });
            AtPoint { z, inverses, weights: EF::flatten_to_base(weights) }
        };
        rows.into_iter().map(at).collect()
    }

    /// The values of all columns at a point z, by their values on the low coset, of n points g h^i:
    /// f(z) = (z^n - g^n) / (n g^n) times the sum of f(x) x / (z - x).
    fn evaluated(&self, opened: &OpenedOf<'a, F, EF, M>, at: &AtPoint<F, EF>) -> Vec<EF> {
        let rows = opened.dimensions.height >> self.fri.log_blowup;
        let log_rows = rows.ilog2() as usize;
        let weights = &at.weights[..rows * EF::DIMENSION];
        let mut values = self.sums(opened, rows, SumOver::Rows, weights).unwrap_or_else(|| {
            let weights = EF::reconstitute_from_base(weights.to_vec());
            self.matrix(opened).split_rows(rows).0.columnwise_dot_product(&weights)
        });
        let of_shift = F::GENERATOR.exp_power_of_2(log_rows);
        let scale = (at.z.exp_power_of_2(log_rows) - of_shift) * of_shift.mul_2exp_u64(log_rows as u64).inverse();
        values.iter_mut().for_each(|value| *value *= scale);
        values
    }

    /// For each height, the tallest first: for all columns f and their points z in turn, the sum of alpha^i (f(z) -
    /// f(x)) / (z - x).
    fn reduced(&self, points: &[AtPoint<F, EF>], values: &OpenedValues<EF>, alpha: EF) -> Vec<Vec<EF>> {
        // With the number of terms so far.
        let mut of_heights: BTreeMap<usize, (Vec<EF>, u64)> = BTreeMap::new();
        for (opened, values) in self.all().zip(values.iter().flatten()) {
            let Dimensions { width, height } = opened.dimensions;
            let rows = self.rows_of_sum(height);
            let (sums, n_terms) = of_heights.entry(height).or_insert_with(|| (EF::zero_vec(rows), 0));
            if opened.points.is_empty() {
                continue;
            }
            let powers = EF::flatten_to_base(alpha.powers().take(width).collect());
            let at_x = self.sums(opened, rows, SumOver::Columns, &powers).unwrap_or_else(|| {
                let powers: Vec<_> = EF::ExtensionPacking::packed_ext_powers_capped(alpha, width).collect();
                self.matrix(opened).split_rows(rows).0.rowwise_packed_dot_product::<EF>(&powers).collect()
            });
            for (&z, values) in opened.points.iter().zip(values) {
                let scale = alpha.exp_u64(*n_terms);
                let at_z = scale * dot_product::<EF, _, _>(alpha.powers(), values.iter().copied());
                let inverses = &find(points, z).inverses[..rows];
                sums.par_iter_mut().zip(&at_x).zip(inverses).for_each(|((sum, &at_x), &inverse)| {
                    *sum += (at_z - scale * at_x) * inverse;
                });
                *n_terms += width as u64;
            }
        }
        of_heights.into_iter().rev().map(|(height, (sums, _))| self.at_all_points(sums, height)).collect()
    }

    /// The values of a polynomial at all of its points, by those at its first ones: on the low coset, if not all are
    /// given.
    fn at_all_points(&self, values: Vec<EF>, height: usize) -> Vec<EF> {
        let rows = values.len();
        if rows == height {
            return values;
        }
        let in_order: Vec<EF> = (0..rows).into_par_iter().map(|point| values[reversed(point, rows)]).collect();
        let low = RowMajorMatrix::new(EF::flatten_to_base(in_order), EF::DIMENSION);
        let device = self.mmcs.device().expect("a matrix of this height lies there");
        // The polynomial in x / g, where g is the generator, is given and wanted on groups.
        let all = extended(&low, self.fri.log_blowup, F::ONE, device);
        EF::reconstitute_from_base(or_raise(all))
    }

    /// Sums over the first rows of a matrix, where it lies on a device. None: it does not, or the device has no memory
    /// left for them, so the host adds up its own copy.
    fn sums(&self, opened: &OpenedOf<'a, F, EF, M>, rows: usize, over: SumOver, weights: &[F]) -> Option<Vec<EF>> {
        let (words, device) = (opened.resident?, self.mmcs.device()?);
        let sums = || -> Result<_, Error> {
            let (weights, elements) = F::in_memory(weights, true).expect("an element of these fields is a word");
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

fn find<F, EF: PartialEq>(points: &[AtPoint<F, EF>], z: EF) -> &AtPoint<F, EF> {
    points.iter().find(|at| at.z == z).expect("all points are there")
}
