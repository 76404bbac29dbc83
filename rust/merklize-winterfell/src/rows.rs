use merklize::{fill_rows, Device, Elements, Matrix};
use winterfell::math::FieldElement;
use winterfell::matrix::RowMatrix;
use winterfell::PartitionOptions;

use crate::hashers::{DeviceField, DeviceHasher};
use crate::tree::{MerklizeTree, TreeError};

/// Commits to the rows of a matrix: rows and tree are one job of the device.
///
/// Rows in partitions, which few provers use, are hashed by Winterfell; then only the tree is made on the device.
///
/// # Errors
/// Those of the device.
pub fn commit_to_rows<E, H>(
    matrix: &RowMatrix<E>,
    partitions: PartitionOptions,
    device: &Device,
) -> Result<MerklizeTree<H>, TreeError>
where
    E: FieldElement,
    H: DeviceHasher<BaseField = E::BaseField>,
    E::BaseField: DeviceField,
{
    if partitions.partition_size::<E>(matrix.num_cols()) != matrix.num_cols() {
        return Ok(matrix.commit_to_rows::<H, MerklizeTree<H>>(partitions));
    }
    // In the matrix each row is followed by padding.
    let (n, elements) = (matrix.num_rows(), matrix.num_cols() * E::EXTENSION_DEGREE);
    let (padded, length) = (matrix.data().len() / n, elements * E::BaseField::WORDS);
    if let Some(words) = E::BaseField::montgomery_words(matrix.data()).filter(|_| H::HASH.info().modulus.is_some()) {
        let rows = Matrix::new(words, padded)?.first_columns(elements)?.elements(Elements::Montgomery);
        return MerklizeTree::from_matrix(rows, n, device);
    }
    let words: Vec<u64> = fill_rows(n, length, |first, words| {
        let rows = matrix.data()[first * padded..].chunks_exact(padded);
        for (words, row) in words.chunks_exact_mut(length).zip(rows) {
            E::BaseField::write_words(&row[..elements], words);
        }
    });
    MerklizeTree::from_rows(&words, length, device)
}
