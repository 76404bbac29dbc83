use core::ops::Deref;
use core::{ptr, slice};
use std::borrow::Cow;

use merklize::{fill_rows, Device, Elements, Error, Hash, Matrix as Words, MatrixCommitment, Options};
use p3_matrix::Matrix;

use crate::elements::{write_row, DeviceElement};

/// Commits to matrices on a device. Elements that lie together in memory, in a form that the library takes, are not copied on the host.
pub(crate) fn commit<T: DeviceElement, M: Matrix<T>>(
    matrices: &[M],
    hash: Hash,
    arity: usize,
    cap_height: usize,
    device: &Device,
) -> Result<MatrixCommitment, Error> {
    let is_field_hash = hash.info().modulus.is_some();
    let in_memory = T::in_memory(is_field_hash).and_then(|form| {
        let lying: Option<Vec<_>> =
            matrices.iter().map(words_in_memory).map(|words| words.map(Cow::Borrowed)).collect();
        Some((lying?, form))
    });
    let (words, form) = in_memory.unwrap_or_else(|| {
        let copies = matrices.iter().map(|matrix| Cow::Owned(words_of(matrix, is_field_hash)));
        (copies.collect(), Elements::Canonical)
    });
    let views = words.iter().zip(matrices).map(|(words, matrix)| Words::new(words, matrix.width()));
    let views = views.map(|view| Ok(view?.elements(form))).collect::<Result<Vec<_>, _>>()?;
    MatrixCommitment::new(&views, hash, arity as u32, cap_height as u32, &Options::new().device(device))
}

/// A copy in the form that a hash takes.
fn words_of<T: DeviceElement, M: Matrix<T>>(matrix: &M, is_field_hash: bool) -> Vec<T::Word> {
    let width = matrix.width();
    fill_rows(matrix.height(), width, |first, piece| {
        for (i, words) in piece.chunks_exact_mut(width).enumerate() {
            let row = matrix.row_slice(first + i).expect("the row is below the height");
            write_row(is_field_hash, &row, words);
        }
    })
}

/// The memory of all elements as words, if row follows row in it. Views that compute their rows have none.
fn words_in_memory<T: DeviceElement, M: Matrix<T>>(matrix: &M) -> Option<&[T::Word]> {
    let (height, width) = (matrix.height(), matrix.width());
    if width == 0 || size_of::<T>() != size_of::<T::Word>() || align_of::<T>() != align_of::<T::Word>() {
        return None;
    }
    let first = row_in_memory(&matrix.row_slice(0)?)?;
    for i in 1..height {
        if !ptr::eq(row_in_memory(&matrix.row_slice(i)?)?, first.wrapping_add(i * width)) {
            return None;
        }
    }
    // SAFETY: each row is borrowed from the matrix (row_in_memory), they follow each other, and an element has a word's size and alignment.
    Some(unsafe { slice::from_raw_parts(first.cast(), height * width) })
}

/// Where a row begins, if it is borrowed from its matrix: nothing happens when the value goes, so it owns no memory, and the row is not inside of it.
fn row_in_memory<T, R: Deref<Target = [T]>>(row: &R) -> Option<*const T> {
    let elements: *const T = row.as_ptr();
    let inside = ptr::from_ref(row).addr()..ptr::from_ref(row).addr() + size_of::<R>().max(1);
    (!core::mem::needs_drop::<R>() && !inside.contains(&elements.addr())).then_some(elements)
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;
    use p3_goldilocks::Goldilocks;
    use p3_koala_bear::KoalaBear;
    use p3_matrix::bitrev::BitReversibleMatrix;
    use p3_matrix::dense::RowMajorMatrix;
    use p3_matrix::stack::HorizontalPair;

    use super::*;

    #[test]
    fn dense_rows_are_not_copied() {
        let values: Vec<KoalaBear> = (0..24).map(KoalaBear::from_u32).collect();
        let matrix = RowMajorMatrix::new(values, 3);
        let words = words_in_memory(&matrix).unwrap();
        assert!(ptr::eq(words.as_ptr().cast(), matrix.values.as_ptr()) && words.len() == 24);
        assert_eq!(words_in_memory(&matrix.as_view()), Some(words));
        assert!(words_in_memory(&matrix.clone().bit_reverse_rows()).is_none());
        assert!(words_in_memory(&HorizontalPair::new(matrix.clone(), matrix)).is_none());
    }

    /// Word p + i stands for i.
    #[test]
    fn words_above_the_modulus_are_their_elements() {
        let cpu = Device::open("cpu").unwrap();
        let cap = |values: Vec<Goldilocks>| {
            let matrix = RowMajorMatrix::new(values, 5);
            commit(&[matrix], Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, &cpu).unwrap().cap()
        };
        let large = (0..20).map(|i| Goldilocks::new(Goldilocks::MODULUS + i)).collect();
        assert_eq!(cap(large), cap((0..20).map(Goldilocks::new).collect()));
    }
}
