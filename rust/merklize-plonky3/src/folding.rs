//! Plonky3's folding, whose factors all threads make. Plonky3 makes them by one thread where fields are wider than 32
//! bits, and where it has no vectors.

use p3_commit::Mmcs;
use p3_field::{ExtensionField, PackedValue};
use p3_fri::{BatchMultiOpening, FriFoldingStrategy, TwoAdicFriFoldingForMmcs};
use p3_matrix::Matrix;

use crate::dft::TwoAdicElement;
use crate::points::Points;

pub(crate) struct ParallelFolding<F: TwoAdicElement, M: Mmcs<F>>(pub TwoAdicFriFoldingForMmcs<F, M>);

impl<F, EF, M> FriFoldingStrategy<F, EF> for ParallelFolding<F, M>
where
    F: TwoAdicElement,
    EF: ExtensionField<F>,
    M: Mmcs<F, MultiProof: Sync, Error: Sync>,
{
    type InputProof = Vec<BatchMultiOpening<F, M>>;
    type InputError = M::Error;

    fn extra_query_index_bits(&self) -> usize {
        FriFoldingStrategy::<F, EF>::extra_query_index_bits(&self.0)
    }

    fn fold_row(
        &self,
        index: usize,
        log_height: usize,
        log_arity: usize,
        beta: EF,
        values: impl Iterator<Item = EF>,
    ) -> EF {
        self.0.fold_row(index, log_height, log_arity, beta, values)
    }

    /// Row i has the values at x = g^i and -x, and gives (f(x) + f(-x)) / 2 + beta (f(x) - f(-x)) / (2 x). Rows are in
    /// bit-reversed order.
    fn fold_matrix<T: Matrix<EF>>(&self, beta: EF, log_arity: usize, matrix: T) -> Vec<EF> {
        if log_arity != 1 || (F::bits() <= 32 && F::Packing::WIDTH > 1) {
            return self.0.fold_matrix(beta, log_arity, matrix);
        }
        let height = matrix.height();
        let inverse = F::two_adic_generator(height.ilog2() as usize + 1).inverse();
        let mut folded = EF::zero_vec(height);
        Points::new(F::ONE.halve(), inverse, height).for_each_piece(&mut folded, 1, |first, factors, folded| {
            for (i, (value, &factor)) in folded.iter_mut().zip(factors).enumerate() {
                let row = matrix.row_slice(first + i).expect("the row is below the height");
                *value = (row[0] + row[1]).halve() + (row[0] - row[1]) * beta * factor;
            }
        });
        folded
    }
}
