use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Result};
use crate::extend::Field;
use crate::hash::Hash;

/// An instance of Poseidon2: the parameters of a prover's hash. Words are below the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poseidon2<'a> {
    /// The field of all words.
    pub field: Field,
    /// Cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others.
    pub width: u32,
    /// Words of a row that one permutation takes: 1 to `width - 1`. Of a quad: `width`.
    pub rate: u32,
    /// Half of them before the internal rounds, half after: even, 2 to 64.
    pub external_rounds: u32,
    /// 1 to 256.
    pub internal_rounds: u32,
    /// In the order of use: `width` words for each of the first half of the external rounds, one for each internal round, `width` for each of the
    /// other half.
    pub constants: &'a [u64],
    /// `width` words: an internal round makes cell i = sum of all cells + `diagonal[i]` * cell i. Plonky3 calls it the diagonal minus one.
    pub diagonal: &'a [u64],
}

impl Poseidon2<'_> {
    fn to_c(self) -> sys::merklize_poseidon2 {
        sys::merklize_poseidon2 {
            field: self.field.to_c(),
            width: self.width,
            rate: self.rate,
            external_rounds: self.external_rounds,
            internal_rounds: self.internal_rounds,
            constants: self.constants.as_ptr(),
            constant_count: self.constants.len(),
            diagonal: self.diagonal.as_ptr(),
            diagonal_count: self.diagonal.len(),
        }
    }
}

/// An instance of Poseidon, version 1: the parameters of a prover's hash. Words are below the modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poseidon<'a> {
    /// The field of all words.
    pub field: Field,
    /// Cells: 8 or 12 over Goldilocks, 16 or 24 over the others.
    pub width: u32,
    /// Words of a row that one permutation takes: 1 to `width - 1`.
    pub rate: u32,
    /// Half of them before the partial rounds, half after: even, 2 to 64.
    pub full_rounds: u32,
    /// 1 to 256.
    pub partial_rounds: u32,
    /// `width` words for each round, in the order of use.
    pub constants: &'a [u64],
    /// The MDS matrix: `width * width` words, row after row, or `width` words, the first row of a circulant matrix, each of whose rows is the one
    /// above it moved right by a cell.
    pub matrix: &'a [u64],
}

impl Poseidon<'_> {
    fn to_c(self) -> sys::merklize_poseidon {
        sys::merklize_poseidon {
            field: self.field.to_c(),
            width: self.width,
            rate: self.rate,
            full_rounds: self.full_rounds,
            partial_rounds: self.partial_rounds,
            constants: self.constants.as_ptr(),
            constant_count: self.constants.len(),
            matrix: self.matrix.as_ptr(),
            matrix_count: self.matrix.len(),
        }
    }
}

impl Hash {
    /// Makes a hash of a prover's own constants, which works wherever a hash does, on every device. Rows go through Plonky3's
    /// `PaddingFreeSponge<width, rate, digest>`, pairs through `TruncatedPermutation<2, digest, width>`.
    ///
    /// `quad` is another permutation over the same field, for commitments of arity 4: their merges are `TruncatedPermutation<4, digest, w>` with w = 16
    /// over Goldilocks and 32 over the others, which is its width and its rate. Without it arity 4 is refused.
    ///
    /// The same constants always give the same `Hash`, which is valid until the process ends. Its name is `poseidon2:` and a digest of the constants,
    /// those of `quad` included. A process must make the hash before it opens files or proofs with this name; otherwise they are refused.
    ///
    /// It costs a digest of some thousand bytes. The constants are copied once and stay in memory.
    ///
    /// ```
    /// use merklize::{Expect, Hash, MerkleTree, Mode, Options, Poseidon2, Field};
    ///
    /// // An example only: nobody has shown that these constants are secure. A prover takes those of its permutation.
    /// let mut next = 1u64;
    /// let mut words = |n: usize| -> Vec<u64> {
    ///     (0..n).map(|_| { next = next.wrapping_mul(6364136223846793005).wrapping_add(1); next >> 34 }).collect()
    /// };
    /// let (initial, internal, terminal, diagonal) = (words(4 * 16), words(20), words(4 * 16), words(16));
    ///
    /// let hash = Hash::poseidon2(
    ///     &Poseidon2 {
    ///         field: Field::KoalaBear,
    ///         width: 16,
    ///         rate: 8,
    ///         external_rounds: 8,
    ///         internal_rounds: 20,
    ///         constants: &[initial, internal, terminal].concat(),
    ///         diagonal: &diagonal,
    ///     },
    ///     None,
    /// )?;
    /// assert!(hash.name().starts_with("poseidon2:"));
    ///
    /// let rows: Vec<u32> = (0..64 * 20).collect(); // 64 rows of 20 words
    /// let tree = MerkleTree::from_rows(&rows, 20, hash, &Options::new())?;
    /// tree.prove(5)?.verify(&tree.root(), Expect::new().index(5), Mode::Plain)?;
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// An unsupported width, rate or number of rounds; a wrong number of words (the text has the right one); a word that is not below the
    /// modulus, with its index; a quad over another field or of another width; more than 127 sets of constants in one process.
    pub fn poseidon2(rows: &Poseidon2<'_>, quad: Option<&Poseidon2<'_>>) -> Result<Self> {
        let (rows, quad) = (rows.to_c(), quad.map(|quad| quad.to_c()));
        let mut hash = 0;
        // SAFETY: the words outlive the call, which copies them; `quad` is null or a permutation.
        check(|| unsafe {
            sys::merklize_hash_poseidon2(&rows, quad.as_ref().map_or(ptr::null(), ptr::from_ref), &mut hash)
        })?;
        Ok(Self::from_c(hash))
    }

    /// Makes a hash of a prover's own constants and matrix of Poseidon, version 1, as [`poseidon2`](Self::poseidon2) does of Poseidon2's. Its name is
    /// `poseidon:` and a digest of the constants. It has no merge of four: commitments of arity 4 are refused.
    ///
    /// # Errors
    /// Those of [`poseidon2`](Self::poseidon2); a matrix of another size, or without an inverse; or one without an inverse when its first row and column
    /// are left out, which no MDS matrix is.
    pub fn poseidon(rows: &Poseidon<'_>) -> Result<Self> {
        let (rows, mut hash) = (rows.to_c(), 0);
        // SAFETY: the words outlive the call, which copies them.
        check(|| unsafe { sys::merklize_hash_poseidon(&rows, &mut hash) })?;
        Ok(Self::from_c(hash))
    }
}
