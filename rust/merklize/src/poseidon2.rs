use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Result};
use crate::hash::Hash;
use crate::types::{Poseidon, Poseidon2};

impl Hash {
    /// Makes a hash of a prover's own constants, which works wherever a hash does, on every device. Rows go through
    /// Plonky3's `PaddingFreeSponge<width, rate, digest>`, pairs through `TruncatedPermutation<2, digest, width>`.
    ///
    /// `quad` is another permutation over the same field, for commitments of arity 4: their merges are
    /// `TruncatedPermutation<4, digest, w>` with w = 16 over Goldilocks and 32 over the others, which is its width and
    /// its rate. Without it arity 4 is refused.
    ///
    /// The same constants always give the same `Hash`, which is valid until the process ends. Its name is `poseidon2:`
    /// and a digest of the constants, those of `quad` included. A process must make the hash before it opens files or
    /// proofs with this name; otherwise they are refused.
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
    /// An unsupported width, rate or number of rounds; a wrong number of words (the text has the right one); a word
    /// that is not below the modulus, with its index; a quad over another field or of another width; more than 127 sets
    /// of constants in one process.
    pub fn poseidon2(rows: &Poseidon2<'_>, quad: Option<&Poseidon2<'_>>) -> Result<Self> {
        let (rows, quad) = (rows.to_c(), quad.map(|quad| quad.to_c()));
        let mut hash = 0;
        // SAFETY: the words outlive the call, which copies them; `quad` is null or a permutation.
        check("Hash::poseidon2", || unsafe {
            sys::merklize_hash_poseidon2(&rows, quad.as_ref().map_or(ptr::null(), ptr::from_ref), &mut hash)
        })?;
        Ok(Self::from_c(hash))
    }

    /// Makes a hash of a prover's own constants and matrix of Poseidon, version 1, as [`poseidon2`](Self::poseidon2)
    /// does of Poseidon2's. Its name is `poseidon:` and a digest of the constants. It has no merge of four: commitments
    /// of arity 4 are refused.
    ///
    /// # Errors
    /// Those of [`poseidon2`](Self::poseidon2); a matrix of another size, or without an inverse; or one without an
    /// inverse when its first row and column are left out, which no MDS matrix is.
    pub fn poseidon(rows: &Poseidon<'_>) -> Result<Self> {
        let (rows, mut hash) = (rows.to_c(), 0);
        // SAFETY: the words outlive the call, which copies them.
        check("Hash::poseidon", || unsafe { sys::merklize_hash_poseidon(&rows, &mut hash) })?;
        Ok(Self::from_c(hash))
    }
}
