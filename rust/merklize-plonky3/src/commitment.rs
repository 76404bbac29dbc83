use merklize::{fill_rows, Device, Error, Hash, Matrix as Words, MatrixCommitment, Options};
use p3_matrix::Matrix;

use crate::elements::{write_row, DeviceElement};

/// Commits to matrices on a device.
pub(crate) fn commit<T: DeviceElement, M: Matrix<T>>(
    matrices: &[M],
    hash: Hash,
    arity: usize,
    cap_height: usize,
    device: &Device,
) -> Result<MatrixCommitment, Error> {
    let is_field_hash = hash.info().modulus.is_some();
    let words: Vec<Vec<T::Word>> = matrices
        .iter()
        .map(|matrix| {
            let width = matrix.width();
            fill_rows(matrix.height(), width, |first, piece| {
                for (i, words) in piece.chunks_exact_mut(width).enumerate() {
                    let row = matrix.row_slice(first + i).expect("the row is below the height");
                    write_row(is_field_hash, &row, words);
                }
            })
        })
        .collect();
    let views = words.iter().zip(matrices).map(|(words, matrix)| Words::new(words, matrix.width()));
    let views = views.collect::<Result<Vec<_>, _>>()?;
    MatrixCommitment::new(&views, hash, arity as u32, cap_height as u32, &Options::new().device(device))
}
