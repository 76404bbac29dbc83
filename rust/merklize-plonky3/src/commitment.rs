use core::any::Any;
use core::mem::{needs_drop, take, transmute};
use core::ops::Deref;
use core::ptr;
use std::sync::{Arc, OnceLock};

use merklize::{
    fill_rows, or_on_cpu, or_raise, Buffer, Device, Elements, Error, ErrorKind, Hash, Matrix as Words,
    MatrixCommitment, Options, Word,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};

use crate::dft::{extend_form, TwoAdicElement};
use crate::elements::{bytes_of_mut, write_row, DeviceElement};
use crate::elsewhere::drop_matrices;

/// A copy from a device takes some 10 microseconds however small it is; that many bytes of a large one take as long.
const BYTES_IN_TIME_OF_A_COPY: usize = 64 << 10;

/// How a commitment is made, besides its matrices.
pub(crate) struct Form {
    pub hash: Hash,
    pub arity: usize,
    pub cap_height: usize,
    /// Used only where no matrix is copied, because each opening would copy them again.
    pub drop_levels: usize,
}

/// Matrices of a commitment, and views of their words, which are looked for once: that takes a look at each row.
pub(crate) struct Committed<M> {
    matrices: Vec<M>,
    /// A `Vec<Words<'static, T::Word>>` of the matrices' own memory.
    words: Option<Box<dyn Any + Send + Sync>>,
    /// Drops the matrices, if these are extensions; else they are dropped here.
    drop: Option<fn(Vec<M>)>,
}

impl<M> Drop for Committed<M> {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            drop(take(&mut self.matrices));
        }
    }
}

impl<M> Committed<M> {
    pub(crate) fn new<T: DeviceElement>(matrices: Vec<M>, hash: Hash) -> Self
    where
        M: Matrix<T>,
    {
        Self::with(matrices, |matrices| lying(matrices, hash))
    }

    fn with<W: Word + 'static>(matrices: Vec<M>, words: impl FnOnce(&[M]) -> Option<Vec<Words<'_, W>>>) -> Self {
        let words = words(&matrices).map(|words| -> Box<dyn Any + Send + Sync> {
            // SAFETY: the matrices stay where they are, in the memory of a vector that nobody changes, as long as these
            // views live; and `words()` lends the views for no longer than the matrices are borrowed.
            Box::new(unsafe { transmute::<Vec<Words<'_, W>>, Vec<Words<'static, W>>>(words) })
        });
        Self { matrices, words, drop: None }
    }

    pub(crate) fn matrices(&self) -> &[M] {
        &self.matrices
    }

    /// Views of all matrices in their own memory, if the library takes their elements as they are.
    pub(crate) fn words<T: DeviceElement>(&self) -> Option<&[Words<'_, T::Word>]> {
        let words: &Vec<Words<'static, T::Word>> = self.words.as_ref()?.downcast_ref()?;
        Some(words)
    }
}

/// Matrices of a commitment, which may lie on a device until somebody wants all of them.
pub(crate) struct Late<M> {
    made: OnceLock<Committed<M>>,
    there: Option<There<M>>,
}

/// Matrices on a device.
struct There<M> {
    dimensions: Vec<Dimensions>,
    fetch: Box<dyn Fn() -> Committed<M> + Send + Sync>,
    rows: Box<RowsOf>,
}

/// Rows of a matrix: a `Vec` of elements each, all in a `Vec`.
type RowsOf = dyn Fn(usize, &[usize]) -> Box<dyn Any> + Send + Sync;

impl<M> From<Committed<M>> for Late<M> {
    fn from(committed: Committed<M>) -> Self {
        Self { made: OnceLock::from(committed), there: None }
    }
}

impl<F: TwoAdicElement> Late<RowMajorMatrix<F>> {
    /// The matrices in buffers, as elements of their own form.
    fn on_device(resident: Arc<Vec<Buffer>>, dimensions: Vec<Dimensions>, hash: Hash) -> Self {
        let read = |buffer: &Buffer, first: usize, count: usize| {
            let mut words = vec![F::Word::default(); count];
            let at = (first * size_of::<F>()) as u64;
            or_raise(buffer.download(at, bytes_of_mut(&mut words), None));
            F::from_words(words)
        };
        let (all, shapes) = (resident.clone(), dimensions.clone());
        let fetch = move || {
            let matrix = |(buffer, shape): (&_, &Dimensions)| {
                RowMajorMatrix::new(read(buffer, 0, shape.height * shape.width), shape.width)
            };
            Committed::dense(all.iter().zip(&shapes).map(matrix).collect(), hash)
        };
        let shapes = dimensions.clone();
        let rows = move |matrix: usize, rows: &[usize]| -> Box<dyn Any> {
            let (buffer, Dimensions { width, height }) = (&resident[matrix], shapes[matrix]);
            let all = (height * width * size_of::<F>() <= rows.len() * BYTES_IN_TIME_OF_A_COPY)
                .then(|| read(buffer, 0, height * width));
            let row = |&row: &usize| match &all {
                Some(all) => all[row * width..][..width].to_vec(),
                None => read(buffer, row * width, width),
            };
            Box::new(rows.iter().map(row).collect::<Vec<_>>())
        };
        let there = Some(There { dimensions, fetch: Box::new(fetch), rows: Box::new(rows) });
        Self { made: OnceLock::new(), there }
    }
}

impl<M> Late<M> {
    /// The matrices on the host, if they are there.
    pub(crate) fn made(&self) -> Option<&Committed<M>> {
        self.made.get()
    }

    /// The matrices on the host.
    pub(crate) fn get(&self) -> &Committed<M> {
        self.made.get_or_init(|| (self.there.as_ref().expect("on the host or on a device").fetch)())
    }

    pub(crate) fn dimensions<T: Send + Sync + Clone>(&self) -> Vec<Dimensions>
    where
        M: Matrix<T>,
    {
        match (&self.there, self.made()) {
            (Some(there), None) => there.dimensions.clone(),
            _ => self.get().matrices().iter().map(|matrix| matrix.dimensions()).collect(),
        }
    }

    pub(crate) fn rows<T: Send + Sync + Clone + 'static>(&self, matrix: usize, rows: &[usize]) -> Vec<Vec<T>>
    where
        M: Matrix<T>,
    {
        match (&self.there, self.made()) {
            (Some(there), None) => *(there.rows)(matrix, rows).downcast().expect("elements of the matrix"),
            _ => {
                let matrix = &self.get().matrices()[matrix];
                rows.iter().map(|&row| matrix.row_slice(row).expect("heights were checked").to_vec()).collect()
            }
        }
    }
}

impl<T: DeviceElement> Committed<RowMajorMatrix<T>> {
    /// The same of extensions, without a look at the rows.
    fn dense(matrices: Vec<RowMajorMatrix<T>>, hash: Hash) -> Self {
        let is_field_hash = hash.info().modulus.is_some();
        let mut committed = Self::with(matrices, |matrices| {
            let words = matrices.iter().map(|matrix| {
                let (words, elements) = T::in_memory(&matrix.values, is_field_hash)?;
                Some(Words::new(words, matrix.width).ok()?.elements(elements))
            });
            words.collect()
        });
        committed.drop = Some(drop_matrices);
        committed
    }
}

/// Commits to matrices on a device. Nothing is copied on the host if each matrix is contiguous in memory and the
/// library takes its elements as they are.
pub(crate) fn commit<T: DeviceElement, M: Matrix<T>>(
    committed: &Committed<M>,
    form: &Form,
    device: &Device,
) -> Result<MatrixCommitment, Error> {
    let copies: Vec<_>;
    let views: Vec<_>;
    let (words, drop_levels) = match committed.words::<T>() {
        Some(words) => (words, form.drop_levels),
        None => {
            let is_field_hash = form.hash.info().modulus.is_some();
            let matrices = committed.matrices();
            copies = matrices.iter().map(|matrix| words_of(matrix, is_field_hash)).collect();
            let all = copies.iter().zip(matrices);
            views = all.map(|(words, matrix)| Words::new(words, matrix.width())).collect::<Result<_, _>>()?;
            (&views[..], 0)
        }
    };
    commit_words(words, form, drop_levels, device)
}

/// The same of words.
pub(crate) fn commit_words<W: Word>(
    words: &[Words<'_, W>],
    form: &Form,
    drop_levels: usize,
    device: &Device,
) -> Result<MatrixCommitment, Error> {
    let (arity, cap_height, drop_levels) = (form.arity as u32, form.cap_height as u32, drop_levels as u32);
    or_on_cpu(device, |device| {
        let options = Options::new().device(device);
        MatrixCommitment::with_drop_levels(words, form.hash, arity, cap_height, drop_levels, &options)
    })
}

/// A commitment to the extensions of matrices.
pub(crate) struct Extended<F> {
    pub committed: Late<RowMajorMatrix<F>>,
    pub commitment: MatrixCommitment,
    /// The extensions in the memory of the device, in the elements' own form; none if it has no memory of its own, or
    /// too little.
    pub resident: Arc<Vec<Buffer>>,
}

/// Commits to the extensions of matrices, each on the coset of its own shift, with rows in bit-reversed order, and
/// gives the extensions. A device hashes them where it makes them, while they are copied to the host.
/// is_copied  false: extensions that a device keeps are not copied before somebody wants all of them, if no levels are
///            dropped
pub(crate) fn commit_extended<F: TwoAdicElement>(
    matrices: &[(RowMajorMatrix<F>, F)],
    added_bits: usize,
    form: &Form,
    is_copied: bool,
    device: &Device,
) -> Result<Extended<F>, Error> {
    let is_field_hash = form.hash.info().modulus.is_some();
    let lying = matrices.iter().map(|(matrix, _)| F::in_memory(&matrix.values, is_field_hash));
    let copies: Vec<_>;
    // Dropped levels are made again from the words that were committed, so a copied matrix keeps all levels. Words for
    // a hash of bytes count as canonical, also in Montgomery form: an extension is linear, so it has that form, too.
    let (words, drop_levels) = match lying.collect::<Option<Vec<_>>>() {
        Some(words) => (words, form.drop_levels),
        None => {
            copies = matrices.iter().map(|(matrix, _)| words_of(matrix, is_field_hash)).collect();
            (copies.iter().map(|words: &Vec<F::Word>| (&words[..], Elements::Canonical)).collect(), 0)
        }
    };
    let given = words.into_iter().zip(matrices).map(|((words, elements), (matrix, shift))| {
        Ok((Words::new(words, matrix.width)?.elements(elements), extend_form(added_bits, *shift)))
    });
    let given = given.collect::<Result<Vec<_>, Error>>()?;
    let (hash, arity, cap_height, drop_levels) =
        (form.hash, form.arity as u32, form.cap_height as u32, drop_levels as u32);
    let bytes = |matrix: &RowMajorMatrix<F>| (size_of_val(&matrix.values[..]) as u64) << added_bits.min(F::TWO_ADICITY);
    // A device without room keeps nothing. What else is wrong is an error below.
    let room: Option<Vec<_>> = matrices.iter().map(|(matrix, _)| Buffer::new(device, bytes(matrix)).ok()).collect();
    let mut resident = room.unwrap_or_default();
    let kept = match resident.is_empty() {
        true => None,
        false => {
            let options = Options::new().device(device);
            let (out, given) = (&mut resident[..], &given[..]);
            let made = match is_copied || drop_levels > 0 {
                true => merklize::commit_extended_on_device(given, hash, arity, cap_height, drop_levels, out, &options)
                    .map(|(commitment, extensions)| (commitment, Some(extensions))),
                false => merklize::commit_extended_in_buffers(given, hash, arity, cap_height, 0, out, &options)
                    .map(|commitment| (commitment, None)),
            };
            match made {
                Err(error) if error.kind() == ErrorKind::OutOfMemory => None,
                made => Some(made?),
            }
        }
    };
    let (commitment, extensions) = match kept {
        Some(kept) => kept,
        None => {
            resident.clear();
            or_on_cpu(device, |device| {
                let options = Options::new().device(device);
                merklize::commit_extended(&given, hash, arity, cap_height, drop_levels, &options)
                    .map(|(commitment, extensions)| (commitment, Some(extensions)))
            })?
        }
    };
    let resident = Arc::new(resident);
    let Some(extensions) = extensions else {
        let extended = |(matrix, _): &(RowMajorMatrix<F>, F)| Dimensions {
            width: matrix.width,
            height: matrix.height() << added_bits,
        };
        let dimensions = matrices.iter().map(extended).collect();
        let committed = Late::on_device(resident.clone(), dimensions, form.hash);
        return Ok(Extended { committed, commitment, resident });
    };
    let extended = |(words, (matrix, _)): (Vec<F::Word>, &(RowMajorMatrix<F>, F))| {
        RowMajorMatrix::new(F::from_words(words), matrix.width)
    };
    let matrices: Vec<_> = extensions.into_iter().zip(matrices).map(extended).collect();
    Ok(Extended { committed: Committed::dense(matrices, form.hash).into(), commitment, resident })
}

/// Views of all matrices in their own memory, if the library takes their elements as they are.
fn lying<T: DeviceElement, M: Matrix<T>>(matrices: &[M], hash: Hash) -> Option<Vec<Words<'_, T::Word>>> {
    let is_field_hash = hash.info().modulus.is_some();
    let (_, form) = T::in_memory(&[], is_field_hash)?;
    let words = |matrix| words_in_memory(matrix, |row| T::in_memory(row, is_field_hash).map(|(words, _)| words));
    matrices.iter().map(|matrix| Some(words(matrix)?.elements(form))).collect()
}

/// A copy of a matrix, in the form that the hash takes.
fn words_of<T: DeviceElement, M: Matrix<T>>(matrix: &M, is_field_hash: bool) -> Vec<T::Word> {
    let width = matrix.width();
    fill_rows(matrix.height(), width, |first, piece| {
        for (i, words) in piece.chunks_exact_mut(width).enumerate() {
            let row = matrix.row_slice(first + i).expect("the row is below the height");
            write_row(is_field_hash, &row, words);
        }
    })
}

/// A view of a matrix's words in its own memory, if its rows are contiguous there. A matrix that computes its rows
/// gives `None`.
fn words_in_memory<T: Clone + Send + Sync + 'static, W: Word, M: Matrix<T>>(
    matrix: &M,
    words_of: impl Fn(&[T]) -> Option<&[W]>,
) -> Option<Words<'_, W>> {
    let (height, width) = (matrix.height(), matrix.width());
    let row = |i| borrowed(matrix.row_slice(i)?, &words_of).filter(|words| words.len() == width);
    Words::from_rows((0..height).map_while(row)).filter(|words| words.rows() == height)
}

/// The words of a row that is borrowed from its matrix. The value `row` owns no memory, because it has no destructor,
/// and the words are not inside of it.
fn borrowed<'a, T, W, R: Deref<Target = [T]> + 'a>(row: R, words_of: impl Fn(&[T]) -> Option<&[W]>) -> Option<&'a [W]> {
    let words = words_of(&row)?;
    let inside = ptr::from_ref(&row).addr()..ptr::from_ref(&row).addr() + size_of::<R>().max(1);
    if needs_drop::<R>() || inside.contains(&words.as_ptr().addr()) {
        return None;
    }
    // SAFETY: the words are in memory that the row borrows, and that memory outlives the row.
    Some(unsafe { &*ptr::from_ref(words) })
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;
    use p3_goldilocks::Goldilocks;
    use p3_koala_bear::KoalaBear;
    use p3_matrix::bitrev::BitReversibleMatrix;
    use p3_matrix::stack::HorizontalPair;

    use super::*;

    /// A view of the rows of a matrix of numbers, in its own memory.
    fn rows_lying<M: Matrix<u32>>(matrix: &M) -> Option<Words<'_, u32>> {
        words_in_memory(matrix, |row| Some(row))
    }

    #[test]
    fn dense_rows_are_not_copied() {
        let values: Vec<KoalaBear> = (0..24).map(KoalaBear::from_u32).collect();
        let matrix = RowMajorMatrix::new(values, 3);
        fn words_of(row: &[KoalaBear]) -> Option<&[u32]> {
            KoalaBear::in_memory(row, true).map(|(words, _)| words)
        }
        let words = words_in_memory(&matrix, words_of).unwrap();
        assert_eq!((words.rows(), words.as_ptr()), (8, matrix.values.as_ptr().cast()));
        let read = |i| unsafe { words.as_ptr().add(i).read() };
        assert!((0..24).all(|i| read(i) == words_of(&matrix.values).unwrap()[i]), "all rows by one pointer");
        assert_eq!(words_in_memory(&matrix.as_view(), words_of).unwrap().as_ptr(), words.as_ptr());
        assert!(words_in_memory(&matrix.clone().bit_reverse_rows(), words_of).is_none());
        assert!(words_in_memory(&HorizontalPair::new(matrix.clone(), matrix), words_of).is_none());
    }

    /// A matrix whose rows have any lengths and any addresses.
    struct Odd<'a> {
        width: usize,
        rows: Vec<&'a [u32]>,
    }
    impl Matrix<u32> for Odd<'_> {
        fn width(&self) -> usize {
            self.width
        }
        fn height(&self) -> usize {
            self.rows.len()
        }
        unsafe fn row_subslice_unchecked(&self, r: usize, _: usize, _: usize) -> impl Deref<Target = [u32]> {
            self.rows[r]
        }
    }

    #[test]
    fn rows_of_another_shape_are_not_read_beyond() {
        let numbers: Vec<u32> = (0..12).collect();
        let rows = |lengths: &[usize]| {
            let mut rest = &numbers[..];
            let mut next = |n| rest.split_off(..n).unwrap();
            lengths.iter().map(|&n| next(n)).collect()
        };
        assert_eq!(rows_lying(&Odd { width: 3, rows: rows(&[3, 3, 3]) }).unwrap().rows(), 3);
        for lengths in [&[3, 3, 2][..], &[2, 3, 3], &[2, 2, 2], &[4, 4, 4], &[0, 0]] {
            assert!(rows_lying(&Odd { width: 3, rows: rows(lengths) }).is_none(), "{lengths:?}");
        }
        assert!(rows_lying(&Odd { width: 0, rows: rows(&[0, 0]) }).is_none());
        assert!(rows_lying(&Odd { width: 3, rows: vec![] }).is_none());
    }

    /// The word p + i represents the element i.
    #[test]
    fn words_above_the_modulus_are_their_elements() {
        let cpu = Device::open("cpu").unwrap();
        let cap = |values: Vec<Goldilocks>| {
            let matrix = RowMajorMatrix::new(values, 5);
            let form = Form { hash: Hash::POSEIDON2_GOLDILOCKS_8, arity: 2, cap_height: 0, drop_levels: 0 };
            commit(&Committed::new(vec![matrix], form.hash), &form, &cpu).unwrap().cap()
        };
        let large = (0..20).map(|i| Goldilocks::new(Goldilocks::MODULUS + i)).collect();
        assert_eq!(cap(large), cap((0..20).map(Goldilocks::new).collect()));
    }

    #[test]
    fn a_device_commits_to_the_same_extensions() {
        let Ok(device) = Device::open("opencl:0") else {
            return println!("skipped: there is no device but the CPU");
        };
        let of = |height: u32, width: u32| {
            let values = (0..height * width).map(|i| KoalaBear::from_u32(i * i)).collect();
            (RowMajorMatrix::new(values, width as usize), KoalaBear::from_u32(height))
        };
        let matrices = [of(1 << 10, 33), of(4, 5)];
        for hash in [Hash::POSEIDON2_KOALABEAR_16, Hash::BLAKE3] {
            let form = Form { hash, arity: 2, cap_height: 1, drop_levels: 2 };
            let made = commit_extended(&matrices, 1, &form, true, &device).unwrap();
            assert_eq!(made.commitment.info().drop_levels, 2);
            assert_eq!(made.resident.len(), 2);
            let cpu = Device::open("cpu").unwrap();
            let by_cpu = commit_extended(&matrices, 1, &form, true, &cpu).unwrap();
            assert!(by_cpu.resident.is_empty());
            assert_eq!(made.committed.get().matrices(), by_cpu.committed.get().matrices());
            let cap = made.commitment.cap();
            assert_eq!(cap, by_cpu.commitment.cap());
            assert_eq!(cap, commit(made.committed.get(), &form, &cpu).unwrap().cap());

            let form = Form { drop_levels: 0, ..form };
            let late = commit_extended(&matrices, 1, &form, false, &device).unwrap();
            assert_eq!(late.commitment.cap(), cap);
            let committed = &late.committed;
            assert_eq!(committed.dimensions(), by_cpu.committed.dimensions());
            // Those of the high matrix come one by one, those of the low one with the whole of it.
            for matrix in [0, 1] {
                let rows: Vec<Vec<KoalaBear>> = committed.rows(matrix, &[6, 1, 6]);
                assert_eq!(rows, by_cpu.committed.rows(matrix, &[6, 1, 6]));
            }
            assert!(committed.made().is_none(), "nothing wanted the matrices");
            assert_eq!(committed.get().matrices(), by_cpu.committed.get().matrices());
        }
    }
}
