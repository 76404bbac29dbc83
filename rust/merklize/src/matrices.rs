use core::fmt;
use core::marker::PhantomData;
use core::ptr;

use merklize_sys as sys;

use crate::device::Buffer;
use crate::digests::How;
use crate::error::{check, Error, Result};
use crate::handle::handle;
use crate::hash::{as_c, as_c_mut, output, rows_of, Digest, Hash, Word};
use crate::options::Options;
use crate::types::{CommitmentInfo, Elements};

/// A matrix of words, row after row, that is only read.
#[derive(Clone, Copy)]
#[must_use]
pub struct Matrix<'a, W> {
    /// The address of the first word, if no buffer has it. No slice: rows that are borrowed one by one are no single
    /// one.
    first: usize,
    buffer: Option<&'a Buffer>,
    rows: usize,
    columns: usize,
    stride: usize,
    elements: Elements,
    words: PhantomData<&'a [W]>,
}

impl<'a, W: Word> Matrix<'a, W> {
    /// `columns` words make a row.
    ///
    /// # Errors
    /// Columns that do not divide the words.
    pub fn new(words: &'a [W], columns: usize) -> Result<Self> {
        if columns == 0 || !words.len().is_multiple_of(columns) {
            let n = words.len();
            let rule = format!("Matrix: columns must be >= 1 and divide {n} words, got {columns}");
            return Err(Error::invalid_argument(rule));
        }
        Ok(Self::at(words, words.len() / columns, columns))
    }

    /// Rows that lie one behind the other in memory, of one length; `None` if they do not. For containers that lend one
    /// row at a time.
    ///
    /// ```
    /// use merklize::Matrix;
    ///
    /// let words: Vec<u32> = (0..12).collect();
    /// assert_eq!(Matrix::from_rows(words.chunks(3)).unwrap().rows(), 4);
    /// assert!(Matrix::from_rows(words.chunks(3).rev()).is_none());
    /// ```
    pub fn from_rows(rows: impl IntoIterator<Item = &'a [W]>) -> Option<Self> {
        let mut rows = rows.into_iter();
        let row = rows.next().filter(|row| !row.is_empty())?;
        let mut matrix = Self::at(row, 1, row.len());
        for row in rows {
            let place = matrix.first + matrix.rows * matrix.columns * size_of::<W>();
            if row.len() != matrix.columns || row.as_ptr().expose_provenance() != place {
                return None;
            }
            matrix.rows += 1;
        }
        Some(matrix)
    }

    fn at(words: &'a [W], rows: usize, columns: usize) -> Self {
        Self {
            first: words.as_ptr().expose_provenance(),
            buffer: None,
            rows,
            columns,
            stride: columns,
            elements: Elements::Canonical,
            words: PhantomData,
        }
    }

    /// Rows in the memory of a device, where a call that gets them computes. All matrices of a call must be there, or
    /// none.
    ///
    /// # Errors
    /// Columns that do not divide the words.
    pub fn on_device(buffer: &'a Buffer, columns: usize) -> Result<Self> {
        let (bytes, row) = (buffer.len(), (columns as u64).saturating_mul(size_of::<W>() as u64));
        if columns == 0 || !bytes.is_multiple_of(row) {
            let rule = format!("Matrix: columns must be >= 1 and divide {bytes} bytes, got {columns}");
            return Err(Error::invalid_argument(rule));
        }
        Ok(Self { buffer: Some(buffer), rows: (bytes / row) as usize, ..Self::at(&[], 0, columns) })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The first word. The rows lie behind it in memory. No pointer to read where the memory is a device's.
    pub fn as_ptr(&self) -> *const W {
        ptr::with_exposed_provenance(self.first)
    }

    /// The first `columns` columns of the matrix.
    ///
    /// # Errors
    /// No columns, or more than it has.
    pub fn first_columns(self, columns: usize) -> Result<Self> {
        if columns == 0 || columns > self.columns {
            let rule = format!("Matrix: first_columns must be 1 to {}, got {columns}", self.columns);
            return Err(Error::invalid_argument(rule));
        }
        Ok(Self { columns, ..self })
    }

    /// The first `rows` rows of the matrix.
    ///
    /// # Errors
    /// No rows, or more than it has.
    pub fn first_rows(self, rows: usize) -> Result<Self> {
        if rows == 0 || rows > self.rows {
            let rule = format!("Matrix: first_rows must be 1 to {}, got {rows}", self.rows);
            return Err(Error::invalid_argument(rule));
        }
        Ok(Self { rows, ..self })
    }

    /// The same words, but in another form. All matrices of a call must have the same.
    pub fn elements(self, elements: Elements) -> Self {
        Self { elements, ..self }
    }

    pub(crate) fn to_c(self) -> sys::merklize_matrix {
        sys::merklize_matrix {
            words: if self.buffer.is_some() { ptr::null() } else { self.as_ptr().cast() },
            buffer: self.buffer.map_or(ptr::null(), |buffer| buffer.as_c().cast_const()),
            rows: self.rows as u64,
            columns: self.columns as u64,
            row_stride: self.stride as i64,
            column_stride: 1,
            word_bytes: size_of::<W>() as u32,
            elements: self.elements.to_c(),
            ..Default::default()
        }
    }
}

pub(crate) fn all_to_c<W: Word>(matrices: &[Matrix<'_, W>]) -> Vec<sys::merklize_matrix> {
    matrices.iter().map(|matrix| matrix.to_c()).collect()
}

/// Digests of the rows of matrices side by side: digest i is that of row i of the first, of the second and so on, as
/// one row.
///
/// ```
/// use merklize::{hash_leaves, hash_rows, Hash, Matrix, Options};
///
/// let padded: Vec<u64> = (0..4 * 8).collect();
/// let matrix = Matrix::new(&padded, 8)?.first_columns(5)?;
/// let digests = hash_rows(&[matrix], Hash::RP64_256, &Options::new())?;
/// assert_eq!(digests[1], hash_leaves(&padded[8..13], 5, Hash::RP64_256, &Options::new())?[0]);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// No matrix; matrices of different numbers of rows; a word that is not below the modulus, with its row and column.
pub fn hash_rows<'a, W: Word>(
    matrices: &[Matrix<'_, W>],
    how: impl Into<How<'a>>,
    options: &Options<'_>,
) -> Result<Vec<Digest>> {
    let mut digests = vec![Digest::default(); matrices.first().map_or(0, |matrix| matrix.rows)];
    let (matrices, (hash, mode)) = (all_to_c(matrices), how.into().to_c());
    // SAFETY: the matrices are read for the call, and `digests` has a place for each row.
    options.run("hash_rows", |options| unsafe {
        let (first, count, out) = (matrices.as_ptr(), matrices.len(), output(&mut digests));
        sys::merklize_hash_rows(first, count, hash, 0, &mode, out, options)
    })?;
    Ok(digests)
}

/// The same with digests in a device's memory: 32 bytes a row.
///
/// # Errors
/// As [`hash_rows`]; a buffer of another size.
pub fn hash_rows_on_device<'a, W: Word>(
    matrices: &[Matrix<'_, W>],
    how: impl Into<How<'a>>,
    out: &mut Buffer,
    options: &Options<'_>,
) -> Result<()> {
    let (matrices, (hash, mode)) = (all_to_c(matrices), how.into().to_c());
    // SAFETY: the matrices are read for the call; the buffer knows its size.
    options.run("hash_rows", |options| unsafe {
        let (first, count) = (matrices.as_ptr(), matrices.len());
        sys::merklize_hash_rows(first, count, hash, 0, &mode, out.output(), options)
    })
}

handle! {
    /// A Merkle tree over the rows of several matrices of different heights, by the rule `plonky3` (docs/formats.md).
    /// The rows of the tallest ones are the leaves; rows of a lower one are hashed into the layer that has about as
    /// many nodes. The nodes stay in the memory of the device that made them. Any number of threads may use one at
    /// once.
    ///
    /// ```
    /// use merklize::{Hash, Matrix, MatrixCommitment, Options};
    ///
    /// let (tall, low): (Vec<u64>, Vec<u64>) = ((0..8 * 3).collect(), (0..4 * 2).collect());
    /// let matrices = [Matrix::new(&tall, 3)?, Matrix::new(&low, 2)?];
    /// let commitment = MatrixCommitment::new(&matrices, Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, &Options::new())?;
    /// assert_eq!(commitment.cap().len(), 1);
    /// assert_eq!(commitment.siblings(&[5])?[0].len(), 3);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    MatrixCommitment: merklize_commitment, merklize_commitment_free
}
// SAFETY: merklize.h, "Threads": any number of threads may use a commitment at once, and nothing changes it.
unsafe impl Send for MatrixCommitment {}
unsafe impl Sync for MatrixCommitment {}

/// C's 0 stands for 2.
pub(crate) fn commitment_form(
    call: &str,
    hash: Hash,
    arity: u32,
    cap_height: u32,
) -> Result<sys::merklize_commitment_form> {
    if arity == 0 {
        return Err(Error::invalid_argument(format!("{call}: arity must be 2 or 4, got 0")));
    }
    Ok(sys::merklize_commitment_form { hash: hash.id(), arity, cap_height, ..Default::default() })
}

impl MatrixCommitment {
    /// Commits to matrices: with h rows of the tallest one, every height must be ceil(h / 2^k) for some k. A device
    /// gets the rows in pieces, while it hashes. Arity 2, or 4 for hashes that have a merge of four.
    ///
    /// # Errors
    /// Heights or sizes that do not fit; a cap below the leaves; a word that is not below the modulus, with its row and
    /// column; `OutOfMemory`.
    pub fn new<W: Word>(
        matrices: &[Matrix<'_, W>],
        hash: Hash,
        arity: u32,
        cap_height: u32,
        options: &Options<'_>,
    ) -> Result<Self> {
        Self::with_drop_levels(matrices, hash, arity, cap_height, 0, options)
    }

    /// The same, but the nodes of the `drop_levels` lowest layers are not kept: with arity 2 the nodes take
    /// 2^-`drop_levels` of the memory. Openings make theirs again by [`siblings_of`](Self::siblings_of), each from the
    /// 2^`drop_levels` rows around its own. Those rows are compared with the kept nodes, and no others: rows that have
    /// changed elsewhere, or that no opening proves, are not noticed. [`open_together`](Self::open_together) compares
    /// the rows that it gives, too.
    ///
    /// ```
    /// use merklize::{Hash, Matrix, MatrixCommitment, Options};
    ///
    /// let words: Vec<u64> = (0..64 * 3).collect();
    /// let (matrices, hash, options) = ([Matrix::new(&words, 3)?], Hash::POSEIDON2_GOLDILOCKS_8, Options::new());
    /// let whole = MatrixCommitment::new(&matrices, hash, 2, 0, &options)?;
    /// let small = MatrixCommitment::with_drop_levels(&matrices, hash, 2, 0, 4, &options)?;
    /// assert_eq!(small.cap(), whole.cap());
    /// assert_eq!(small.siblings_of(&matrices, &[5, 60])?, whole.siblings(&[5, 60])?);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`new`](Self::new); dropped layers above the cap.
    pub fn with_drop_levels<W: Word>(
        matrices: &[Matrix<'_, W>],
        hash: Hash,
        arity: u32,
        cap_height: u32,
        drop_levels: u32,
        options: &Options<'_>,
    ) -> Result<Self> {
        let matrices = all_to_c(matrices);
        let form = commitment_form("MatrixCommitment::new", hash, arity, cap_height)?;
        let form = sys::merklize_commitment_form { drop_levels, ..form };
        let mut handle = ptr::null_mut();
        // SAFETY: the matrices are read for the call.
        options.run("MatrixCommitment::new", |options| unsafe {
            sys::merklize_commitment_build(matrices.as_ptr(), matrices.len(), &form, options, &mut handle)
        })?;
        Ok(Self::own(handle))
    }

    /// Facts of the commitment.
    pub fn info(&self) -> CommitmentInfo {
        let mut info = sys::merklize_commitment_info::default();
        // SAFETY: a live handle and a struct: it cannot fail.
        let status = unsafe { sys::merklize_commitment_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "a commitment describes itself");
        CommitmentInfo::from_c(&info)
    }

    /// The commitment: the root alone for a cap height of 0.
    pub fn cap(&self) -> Vec<Digest> {
        let mut cap = vec![Digest::default(); self.info().cap_size];
        // SAFETY: as many places as the cap has digests.
        let status =
            unsafe { sys::merklize_commitment_cap(self.as_c(), as_c_mut(&mut cap), cap.len(), ptr::null_mut()) };
        assert_eq!(status, sys::MERKLIZE_OK, "a commitment has its cap");
        cap
    }

    /// For each index: the other children of the group in each layer below the cap, from the leaves on. All come from a
    /// device at once.
    ///
    /// # Errors
    /// An index that is not below the number of leaves; dropped levels, which need [`siblings_of`](Self::siblings_of).
    pub fn siblings(&self, indices: &[u64]) -> Result<Vec<Vec<Digest>>> {
        self.siblings_of::<u8>(&[], indices)
    }

    /// The digests that a verifier of several leaves cannot compute, layer by layer, left to right.
    ///
    /// # Errors
    /// No index, an index twice, an index that is not below the number of leaves; dropped levels, which need
    /// [`siblings_together_of`](Self::siblings_together_of).
    pub fn siblings_together(&self, indices: &[u64]) -> Result<Vec<Digest>> {
        self.siblings_together_of::<u8>(&[], indices)
    }

    /// The same as [`siblings`](Self::siblings), with the committed matrices, from which nodes of dropped levels are
    /// made again.
    ///
    /// # Errors
    /// As of [`siblings`](Self::siblings); matrices of another shape, or with rows that do not make the nodes above
    /// dropped ones.
    pub fn siblings_of<W: Word>(&self, matrices: &[Matrix<'_, W>], indices: &[u64]) -> Result<Vec<Vec<Digest>>> {
        let length = self.info().path_length;
        let mut siblings = vec![Digest::default(); indices.len() * length];
        let matrices = all_to_c(matrices);
        // SAFETY: as many places as siblings of all indices; the matrices are read for the call.
        check("MatrixCommitment::siblings_of", || unsafe {
            let (n, rows, out) = (indices.len(), ptr::null_mut(), as_c_mut(&mut siblings));
            let (indices, matrices, count) = (indices.as_ptr(), matrices.as_ptr(), matrices.len());
            sys::merklize_commitment_open(self.as_c(), indices, n, matrices, count, rows, out)
        })?;
        Ok((0..indices.len()).map(|i| siblings[i * length..(i + 1) * length].to_vec()).collect())
    }

    /// The same as [`siblings_together`](Self::siblings_together), with the committed matrices, from which nodes of
    /// dropped levels are made again.
    ///
    /// # Errors
    /// As of [`siblings_together`](Self::siblings_together); matrices of another shape, or with rows that do not make
    /// the nodes above dropped ones.
    pub fn siblings_together_of<W: Word>(&self, matrices: &[Matrix<'_, W>], indices: &[u64]) -> Result<Vec<Digest>> {
        let most = indices.len().saturating_mul(self.info().path_length);
        let (mut siblings, mut needed) = (vec![Digest::default(); most], 0);
        let matrices = all_to_c(matrices);
        // SAFETY: no opening has more siblings than those of all its indices; the matrices are read for the call.
        check("MatrixCommitment::siblings_together_of", || unsafe {
            let (n, rows, out) = (indices.len(), ptr::null_mut(), as_c_mut(&mut siblings));
            let (indices, matrices, count) = (indices.as_ptr(), matrices.as_ptr(), matrices.len());
            sys::merklize_commitment_open_together(
                self.as_c(),
                indices,
                n,
                matrices,
                count,
                rows,
                out,
                most,
                &mut needed,
            )
        })?;
        siblings.truncate(needed);
        Ok(siblings)
    }

    /// The opening of several leaves, of which none is there twice: their rows of the committed matrices, with
    /// [`siblings_together_of`](Self::siblings_together_of).
    ///
    /// # Errors
    /// As of [`siblings_together`](Self::siblings_together); matrices of another shape, or with other rows.
    pub fn open_together<W: Word>(&self, matrices: &[Matrix<'_, W>], indices: &[u64]) -> Result<Opening<W>> {
        let info = self.info();
        let mut indices = indices.to_vec();
        indices.sort_unstable();
        let n_words = info.row_bytes.div_ceil(size_of::<W>()).saturating_mul(indices.len());
        let most = indices.len().saturating_mul(info.path_length);
        let (mut rows, mut siblings, mut needed) = (Vec::<W>::with_capacity(n_words), vec![Digest::default(); most], 0);
        let matrices = all_to_c(matrices);
        // SAFETY: `rows` has room for the rows of all indices, and `siblings` for more than their siblings. A call that
        // succeeds has written all rows, which are whole words, as it takes only matrices of the words that were
        // committed.
        unsafe {
            check("MatrixCommitment::open_together", || {
                sys::merklize_commitment_open_together(
                    self.as_c(),
                    indices.as_ptr(),
                    indices.len(),
                    matrices.as_ptr(),
                    matrices.len(),
                    rows.as_mut_ptr().cast(),
                    as_c_mut(&mut siblings),
                    most,
                    &mut needed,
                )
            })?;
            rows.set_len(n_words);
        }
        siblings.truncate(needed);
        Ok(Opening { indices, rows, siblings })
    }
}

/// Rows of committed matrices and what shows that they are in the commitment, as a verifier gets them.
/// [`MatrixCommitment::open_together`] makes one. With the feature `serde` it goes into any format: a struct of three
/// lists.
///
/// ```
/// use merklize::{Hash, Matrix, MatrixCommitment, Opening, Options};
///
/// let (tall, low): (Vec<u64>, Vec<u64>) = ((0..8 * 3).collect(), (0..4 * 2).collect());
/// let (hash, arity, cap_height) = (Hash::POSEIDON2_GOLDILOCKS_8, 2, 0);
/// let matrices = [Matrix::new(&tall, 3)?, Matrix::new(&low, 2)?];
/// let commitment = MatrixCommitment::new(&matrices, hash, arity, cap_height, &Options::new())?;
///
/// // Row 5 of eight stands over row 2 of four.
/// let opening = commitment.open_together(&matrices, &[5])?;
/// assert_eq!(opening.rows, [&tall[15..18], &low[4..6]].concat());
/// opening.verify(&commitment.cap(), &[(8, 3), (4, 2)], hash, arity, cap_height)?;
/// let forged = Opening { indices: vec![4], ..opening };
/// assert!(forged.verify(&commitment.cap(), &[(8, 3), (4, 2)], hash, arity, cap_height).is_err());
/// # Ok::<(), merklize::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Opening<W> {
    /// Which rows of the tallest matrix: ascending and distinct.
    pub indices: Vec<u64>,
    /// Of each index the rows of all matrices, one after another, of words below the modulus. Of a matrix with fewer
    /// rows it is row `index >> (log2 of the tallest's rows - log2 of its own)`, both rounded up.
    pub rows: Vec<W>,
    /// Those of [`MatrixCommitment::siblings_together`]; of one index those of [`MatrixCommitment::siblings`] are the
    /// same.
    pub siblings: Vec<Digest>,
}

impl<W: Word> Opening<W> {
    /// Verifies that the rows are in the commitment. Needs no device.
    ///
    /// `dimensions` are rows and columns of each matrix, which the verifier knows, as the other parameters.
    ///
    /// # Errors
    /// [`NotValid`](crate::ErrorKind::NotValid): the rows are not in the commitment, or the opening is malformed:
    /// counts that do not fit, an index out of range, words and digests that are no field elements. `InvalidArgument`:
    /// dimensions or parameters that no commitment has; a matrix above the cap, where nothing shows its rows; words of
    /// another size than the hash's.
    pub fn verify(
        &self,
        cap: &[Digest],
        dimensions: &[(u64, u64)],
        hash: Hash,
        arity: u32,
        cap_height: u32,
    ) -> Result<()> {
        let is_field = hash.facts()?.modulus.is_some();
        // One row of all words: says what words the hash takes.
        rows_of("Opening::verify", hash, &self.rows, self.rows.len().max(1))?;
        let word_bytes = if is_field { 0 } else { size_of::<W>() as u32 };
        let form = sys::merklize_commitment_form {
            word_bytes,
            ..commitment_form("Opening::verify", hash, arity, cap_height)?
        };
        let dims = dimensions.iter().map(|&(rows, columns)| sys::merklize_matrix_dims { rows, columns });
        let (dims, mut valid): (Vec<_>, _) = (dims.collect(), 0);
        // SAFETY: everything is read for the call; words have no padding.
        check("Opening::verify", || unsafe {
            sys::merklize_verify_opening(
                self.indices.as_ptr(),
                self.indices.len(),
                self.rows.as_ptr().cast(),
                size_of_val(self.rows.as_slice()),
                as_c(&self.siblings),
                self.siblings.len(),
                as_c(cap),
                cap.len(),
                dims.as_ptr(),
                dims.len(),
                &form,
                &mut valid,
            )
        })?;
        if valid == 0 {
            let text = "Opening::verify: the opening does not show its rows in the commitment of this cap";
            return Err(Error::not_valid(text.into()));
        }
        Ok(())
    }
}

impl fmt::Debug for MatrixCommitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}
