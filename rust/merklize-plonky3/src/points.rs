//! The points of a coset, where rows are in bit-reversed order.

use p3_field::Field;
use p3_maybe_rayon::prelude::*;

/// Rows of a piece, of which a thread makes one at a time: fewer than take longer than rayon's own work for a piece.
const LOG_PIECE: u32 = 10;

/// first generator^i, i = 0 to 2^k - 1, in bit-reversed order. In each piece they are the same powers, times another
/// point.
pub(crate) struct Points<F> {
    first: F,
    generator: F,
    n_pieces: usize,
    powers: Vec<F>,
}

impl<F: Field> Points<F> {
    /// `size` is a power of two.
    pub(crate) fn new(first: F, generator: F, size: usize) -> Self {
        let piece = size.min(1 << LOG_PIECE);
        let n_pieces = size / piece;
        let powers: Vec<F> = generator.exp_u64(n_pieces as u64).powers().take(piece).collect();
        let powers = (0..piece).map(|row| powers[reversed(row, piece)]).collect();
        Self { first, generator, n_pieces, powers }
    }

    /// Calls `work` for each piece of a matrix of these points' first rows, with the number of its first row, its
    /// points and its elements. Threads share the pieces.
    pub(crate) fn for_each_piece<T: Send>(
        &self,
        matrix: &mut [T],
        width: usize,
        work: impl Fn(usize, &[F], &mut [T]) + Send + Sync,
    ) {
        let piece = self.powers.len();
        matrix.par_chunks_mut(width * piece).enumerate().for_each(|(k, rows)| {
            let start = self.first * self.generator.exp_u64(reversed(k, self.n_pieces) as u64);
            let points: Vec<F> = self.powers[..rows.len() / width].iter().map(|&power| start * power).collect();
            work(k * piece, &points, rows);
        });
    }
}

/// The row of a point, of `size` ones, where rows are in bit-reversed order.
pub(crate) fn reversed(point: usize, size: usize) -> usize {
    // Twice, because no number is shifted by all of its bits.
    point.reverse_bits() >> 1 >> (usize::BITS - 1 - size.ilog2())
}

#[cfg(test)]
mod tests {
    use p3_field::coset::TwoAdicMultiplicativeCoset;
    use p3_field::PrimeCharacteristicRing;
    use p3_goldilocks::Goldilocks;

    use super::*;

    #[test]
    fn points_are_those_of_the_coset() {
        for log_size in [0, 1, 5, LOG_PIECE as usize, LOG_PIECE as usize + 3] {
            let size = 1 << log_size;
            let coset = TwoAdicMultiplicativeCoset::new(Goldilocks::GENERATOR, log_size).unwrap();
            let all: Vec<Goldilocks> = coset.iter().collect();
            let points = Points::new(coset.shift(), coset.subgroup_generator(), size);
            for rows in [size, size / 4] {
                let mut made = vec![[Goldilocks::ZERO; 2]; rows];
                points.for_each_piece(made.as_flattened_mut(), 2, |first, points, rows| {
                    for (i, (&x, row)) in points.iter().zip(rows.chunks_exact_mut(2)).enumerate() {
                        row.copy_from_slice(&[x, Goldilocks::from_usize(first + i)]);
                    }
                });
                let expected = |row| [all[reversed(row, size)], Goldilocks::from_usize(row)];
                assert_eq!(made, (0..rows).map(expected).collect::<Vec<_>>());
            }
        }
    }
}
