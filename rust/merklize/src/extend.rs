use merklize_sys as sys;

use crate::device::Buffer;
use crate::error::{Error, Result};
use crate::hash::{Hash, Word};
use crate::matrices::{commitment_form, Matrix, MatrixCommitment};
use crate::options::Options;
use crate::types::{Field, RowOrder, SumOver};

/// What an extension is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct ExtendForm {
    field: Field,
    added_bits: u32,
    shift: Option<u64>,
    order: RowOrder,
}

impl ExtendForm {
    /// 2^`added_bits` times the rows, on the coset of the field's generator, in natural order.
    pub fn new(field: Field, added_bits: u32) -> Self {
        Self { field, added_bits, shift: None, order: RowOrder::Natural }
    }

    /// The coset's shift, 1 to p - 1, in place of the generator.
    pub fn shift(self, shift: u64) -> Self {
        Self { shift: Some(shift), ..self }
    }

    /// The order of the rows.
    pub fn order(self, order: RowOrder) -> Self {
        Self { order, ..self }
    }

    /// C's shift of 0 is the generator.
    fn to_c(self, call: &str) -> Result<sys::merklize_extend_form> {
        if self.shift == Some(0) {
            let rule = "shift must be 1 to p - 1, or not given for the field's generator, got 0";
            return Err(Error::invalid_argument(format!("{call}: {rule}")));
        }
        Ok(sys::merklize_extend_form {
            field: self.field.to_c(),
            added_bits: self.added_bits,
            shift: self.shift.unwrap_or(0),
            order: self.order.to_c(),
        })
    }
}

/// The low-degree extension of each column of a matrix: the values of its polynomial on a coset, row after row. A
/// matrix of n rows, a power of two, has the values at the powers of the root of unity of order n. Generators and roots
/// are Plonky3's, and so is the result: its `coset_lde_batch`.
///
/// ```
/// use merklize::{extend, ExtendForm, Field, Matrix, Options, RowOrder};
///
/// let trace: Vec<u32> = (0..16 * 3).collect();
/// let form = ExtendForm::new(Field::KoalaBear, 1).order(RowOrder::BitReversed);
/// let extended = extend(Matrix::new(&trace, 3)?, form, &Options::new())?;
/// assert_eq!(extended.len(), 32 * 3);
///
/// // On the same points, nothing changes.
/// let same = ExtendForm::new(Field::KoalaBear, 0).shift(1);
/// assert_eq!(extend(Matrix::new(&trace, 3)?, same, &Options::new())?, trace);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// Words in Montgomery form ([`Elements`](crate::Elements)) give words in Montgomery form.
///
/// # Errors
/// A number of rows that is no power of two, or that the field has no root for; words of another size than the field's;
/// a word that is not below the modulus, with its row and column; `OutOfMemory`.
pub fn extend<W: Word>(matrix: Matrix<'_, W>, form: ExtendForm, options: &Options<'_>) -> Result<Vec<W>> {
    let (mut words, n_words) = room_for("extend", matrix, form)?;
    // SAFETY: the vector has room for these words. A call that succeeds has written all of them, and nothing reads them
    // before.
    unsafe {
        extend_at(matrix, form, words.as_mut_ptr(), n_words, options)?;
        words.set_len(n_words);
    }
    Ok(words)
}

/// A vector without words that has room for those of an extension, and their number.
fn room_for<W: Word>(call: &str, matrix: Matrix<'_, W>, form: ExtendForm) -> Result<(Vec<W>, usize)> {
    let scale = 1usize.checked_shl(form.added_bits);
    let n_words = scale.and_then(|scale| scale.checked_mul(matrix.rows() * matrix.columns())).unwrap_or(usize::MAX);
    let mut words: Vec<W> = Vec::new();
    words.try_reserve_exact(n_words).map_err(|_| Error::out_of_memory(call, n_words, "give fewer added bits"))?;
    Ok((words, n_words))
}

/// The same into memory of the caller.
///
/// # Errors
/// As [`extend`]; memory of another length than 2^`added_bits` times the matrix.
pub fn extend_into<W: Word>(
    matrix: Matrix<'_, W>,
    form: ExtendForm,
    out: &mut [W],
    options: &Options<'_>,
) -> Result<()> {
    // SAFETY: the words of the slice.
    unsafe { extend_at(matrix, form, out.as_mut_ptr(), out.len(), options) }
}

/// The same into a device's memory: `out` has the bytes of the words.
///
/// # Errors
/// As [`extend`]; a buffer of another size.
pub fn extend_on_device<W: Word>(
    matrix: Matrix<'_, W>,
    form: ExtendForm,
    out: &mut Buffer,
    options: &Options<'_>,
) -> Result<()> {
    let (matrix, form) = (matrix.to_c(), form.to_c("extend")?);
    // SAFETY: the matrix is read for the call; the buffer knows its size.
    options.run("extend", |options| unsafe { sys::merklize_extend(&matrix, &form, out.output(), options) })
}

/// # Safety
/// There is memory for these words, which need not be initialised.
unsafe fn extend_at<W: Word>(
    matrix: Matrix<'_, W>,
    form: ExtendForm,
    out: *mut W,
    n_words: usize,
    options: &Options<'_>,
) -> Result<()> {
    let (matrix, form) = (matrix.to_c(), form.to_c("extend")?);
    let out = sys::merklize_output { data: out.cast(), bytes: (n_words * size_of::<W>()) as u64, ..Default::default() };
    // SAFETY: the matrix is read for the call, and no more than the output's bytes are written.
    options.run("extend", |options| unsafe { sys::merklize_extend(&matrix, &form, out, options) })
}

/// Extensions of matrices and a commitment to them in one call: a device hashes the extensions where it makes them,
/// while they are copied to the host. The extensions are words, row after row, which openings need.
/// [`MatrixCommitment::with_drop_levels`] explains the other arguments.
///
/// ```
/// use merklize::{commit_extended, ExtendForm, Field, Hash, Matrix, MatrixCommitment, Options, RowOrder};
///
/// let trace: Vec<u64> = (0..16 * 3).collect();
/// let form = ExtendForm::new(Field::Goldilocks, 1).order(RowOrder::BitReversed);
/// let (hash, options) = (Hash::POSEIDON2_GOLDILOCKS_8, Options::new());
/// let (commitment, extensions) = commit_extended(&[(Matrix::new(&trace, 3)?, form)], hash, 2, 0, 0, &options)?;
/// let again = MatrixCommitment::new(&[Matrix::new(&extensions[0], 3)?], hash, 2, 0, &options)?;
/// assert_eq!(commitment.cap(), again.cap());
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// As of [`extend`] and of [`MatrixCommitment::with_drop_levels`].
pub fn commit_extended<W: Word>(
    matrices: &[(Matrix<'_, W>, ExtendForm)],
    hash: Hash,
    arity: u32,
    cap_height: u32,
    drop_levels: u32,
    options: &Options<'_>,
) -> Result<(MatrixCommitment, Vec<Vec<W>>)> {
    commit_extended_to(matrices, hash, arity, cap_height, drop_levels, None, true, options)
}

/// The same, but the extensions also stay in a device's memory, where [`weighted_sums`] finds them: each in its own
/// buffer, which has the bytes of its words. Without room for the rest on that device it is an error.
///
/// # Errors
/// As of [`commit_extended`]; another number of buffers than of matrices, or buffers of another size.
pub fn commit_extended_on_device<W: Word>(
    matrices: &[(Matrix<'_, W>, ExtendForm)],
    hash: Hash,
    arity: u32,
    cap_height: u32,
    drop_levels: u32,
    out: &mut [Buffer],
    options: &Options<'_>,
) -> Result<(MatrixCommitment, Vec<Vec<W>>)> {
    commit_extended_to(matrices, hash, arity, cap_height, drop_levels, Some(out), true, options)
}

/// The same without copies on the host: the extensions are in the buffers alone.
///
/// # Errors
/// As of [`commit_extended_on_device`].
pub fn commit_extended_in_buffers<W: Word>(
    matrices: &[(Matrix<'_, W>, ExtendForm)],
    hash: Hash,
    arity: u32,
    cap_height: u32,
    drop_levels: u32,
    out: &mut [Buffer],
    options: &Options<'_>,
) -> Result<MatrixCommitment> {
    let (commitment, _) =
        commit_extended_to(matrices, hash, arity, cap_height, drop_levels, Some(out), false, options)?;
    Ok(commitment)
}

#[allow(clippy::too_many_arguments)]
fn commit_extended_to<W: Word>(
    matrices: &[(Matrix<'_, W>, ExtendForm)],
    hash: Hash,
    arity: u32,
    cap_height: u32,
    drop_levels: u32,
    buffers: Option<&mut [Buffer]>,
    is_copied: bool,
    options: &Options<'_>,
) -> Result<(MatrixCommitment, Vec<Vec<W>>)> {
    const CALL: &str = "commit_extended";
    if let Some(wrong) = buffers.as_ref().map(|buffers| buffers.len()).filter(|&count| count != matrices.len()) {
        let rule = format!("{CALL}: out must have a buffer for each of {} matrices", matrices.len());
        return Err(Error::invalid_argument(format!("{rule}, got {wrong}")));
    }
    let form = sys::merklize_commitment_form { drop_levels, ..commitment_form(CALL, hash, arity, cap_height)? };
    let mut rooms = Vec::with_capacity(matrices.len());
    let mut extended = Vec::with_capacity(matrices.len());
    for (i, &(matrix, form)) in matrices.iter().enumerate() {
        let (mut words, n_words) = if is_copied { room_for(CALL, matrix, form)? } else { (vec![], 0) };
        extended.push(sys::merklize_extended_matrix {
            matrix: matrix.to_c(),
            form: form.to_c(CALL)?,
            out: if is_copied { words.as_mut_ptr().cast() } else { core::ptr::null_mut() },
            out_bytes: (n_words * size_of::<W>()) as u64,
            buffer: buffers.as_ref().map_or(core::ptr::null_mut(), |buffers| buffers[i].as_c()),
        });
        rooms.push((words, n_words));
    }
    let mut handle = core::ptr::null_mut();
    // SAFETY: the matrices are read for the call, and each vector has room for the words of its extension. Buffers know
    // their sizes.
    options.run(CALL, |options| unsafe {
        sys::merklize_commit_extended(extended.as_ptr(), extended.len(), &form, options, &mut handle)
    })?;
    let written = |(mut words, n_words): (Vec<W>, usize)| {
        // SAFETY: a call that succeeds has written all words.
        unsafe { words.set_len(n_words) };
        words
    };
    Ok((MatrixCommitment::own(handle), rooms.into_iter().map(written).collect()))
}

/// Sums of the words of a matrix along its rows or its columns, each word times the words of a weight: the product of
/// the matrix with `degree` vectors. A weight has `degree` words, 1 to 8, and so has a sum. With weights of an
/// extension field, a prover evaluates all columns at a point so, or folds them to one. A matrix in a device's memory
/// is read there.
///
/// ```
/// use merklize::{weighted_sums, Field, Matrix, Options, SumOver};
///
/// let words = [1u64, 2, 3, 4, 5, 6];
/// let (matrix, options) = (Matrix::new(&words, 3)?, Options::new());
/// let sums = weighted_sums(matrix, Field::Goldilocks, SumOver::Rows, &[1, 10, 100, 1000], 2, &options)?;
/// assert_eq!(sums, [401, 4010, 502, 5020, 603, 6030]);
/// let sums = weighted_sums(matrix, Field::Goldilocks, SumOver::Columns, &[1, 10, 100], 1, &options)?;
/// assert_eq!(sums, [321, 654]);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// Weights and sums have the form of the matrix's words ([`Elements`](crate::Elements)).
///
/// # Errors
/// Another number of weights than of rows or columns; a degree that is not 1 to 8; words of another size than the
/// field's; a word that is not below the modulus, with its row and column, or its weight; `OutOfMemory`.
pub fn weighted_sums<W: Word + Default>(
    matrix: Matrix<'_, W>,
    field: Field,
    over: SumOver,
    weights: &[W],
    degree: usize,
    options: &Options<'_>,
) -> Result<Vec<W>> {
    let sums = match over {
        SumOver::Rows => matrix.columns(),
        SumOver::Columns => matrix.rows(),
    };
    // The library refuses what is beyond 8.
    let (degree, matrix) = (degree.min(9), matrix.to_c());
    let form = sys::merklize_sum_form { field: field.to_c(), over: over.to_c(), degree: degree as u32 };
    let mut out = vec![W::default(); sums * degree];
    // SAFETY: the matrix and the weights are read for the call, and no more than the bytes of `out` are written.
    options.run("weighted_sums", |options| unsafe {
        let (given, bytes) = (weights.as_ptr().cast(), size_of_val(weights) as u64);
        let (to, room) = (out.as_mut_ptr().cast(), size_of_val(&out[..]) as u64);
        sys::merklize_weighted_sums(&matrix, given, bytes, &form, to, room, options)
    })?;
    Ok(out)
}
