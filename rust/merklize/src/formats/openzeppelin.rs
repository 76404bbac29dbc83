//! Trees of OpenZeppelin.

use core::fmt;
use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Error, Result};
use crate::handle::handle;
use crate::hash::{as_c, as_c_mut, Digest};
use crate::options::Options;
use crate::tree::borrowed;

/// The leaf of a standard tree: Keccak-256 of Keccak-256 of these bytes, which are `abi.encode(value)`.
///
/// # Errors
/// None that a caller can make.
pub fn openzeppelin_leaf(abi_encoded: &[u8]) -> Result<Digest> {
    let mut leaf = Digest::default().to_c();
    // SAFETY: the bytes are read for the call.
    check("openzeppelin_leaf", || unsafe {
        sys::merklize_openzeppelin_leaf(abi_encoded.as_ptr().cast(), abi_encoded.len(), &mut leaf)
    })?;
    Ok(Digest::from_c(leaf))
}

/// The result of the package's `getMultiProof()`, for Solidity's `MerkleProof.multiProofVerify()`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenZeppelinMultiProof {
    /// The leaves, in the verifier's order.
    pub leaves: Vec<Digest>,
    /// The digests that the verifier cannot compute.
    pub proof: Vec<Digest>,
    /// `proofFlags`.
    pub flags: Vec<bool>,
}

handle! {
    /// A tree of `@openzeppelin/merkle-tree`, which Solidity's `MerkleProof` verifies. Leaves have the index of the
    /// order in which they were given.
    ///
    /// ```
    /// use merklize::formats::{openzeppelin_leaf, verify_openzeppelin, OpenZeppelinTree};
    /// use merklize::Options;
    ///
    /// let leaves = [openzeppelin_leaf(&[1; 32])?, openzeppelin_leaf(&[2; 32])?, openzeppelin_leaf(&[3; 32])?];
    /// let tree = OpenZeppelinTree::new(&leaves, &Options::new())?;
    /// let proof = tree.prove(2)?;
    /// verify_openzeppelin(&proof, &tree.root()?, &leaves[2])?;
    /// assert!(verify_openzeppelin(&proof, &tree.root()?, &leaves[1]).is_err());
    /// # Ok::<(), merklize::Error>(())
    /// ```
    OpenZeppelinTree: merklize_openzeppelin_tree, merklize_openzeppelin_tree_free
}
// SAFETY: merklize/c/openzeppelin.h: any number of threads may use it at once.
unsafe impl Send for OpenZeppelinTree {}
unsafe impl Sync for OpenZeppelinTree {}

impl OpenZeppelinTree {
    /// The tree of at least one leaf: [`openzeppelin_leaf`], or of a simple tree 32 bytes as they are. Leaves are
    /// sorted, as the package does by default.
    ///
    /// # Errors
    /// No leaves; options with timings.
    pub fn new(leaves: &[Digest], options: &Options<'_>) -> Result<Self> {
        Self::made("OpenZeppelinTree::new", leaves, ptr::null(), options)
    }

    /// The tree of a dump: `tree_indices` has `treeIndex` of each leaf. The dump is right if
    /// [`OpenZeppelinTree::nodes`] are its `tree`. `2n - 2 - i` for leaf i keeps the order.
    ///
    /// # Errors
    /// As [`OpenZeppelinTree::new`]; indices that are not n - 1 to 2n - 2, each once.
    pub fn with_indices(leaves: &[Digest], tree_indices: &[u64], options: &Options<'_>) -> Result<Self> {
        const CALL: &str = "OpenZeppelinTree::with_indices";
        let (n, m) = (leaves.len(), tree_indices.len());
        if n != m {
            let rule = format!("{CALL}: leaves and indices must have equal counts, got {n} and {m}");
            return Err(Error::invalid_argument(rule));
        }
        Self::made(CALL, leaves, tree_indices.as_ptr(), options)
    }

    fn made(called: &str, leaves: &[Digest], tree_indices: *const u64, options: &Options<'_>) -> Result<Self> {
        let mut handle = ptr::null_mut();
        // SAFETY: the leaves, and as many indices or none, are read for the call.
        options.run(called, |options| unsafe {
            let (leaves, n) = (as_c(leaves), leaves.len());
            sys::merklize_openzeppelin_tree_create(leaves, n, tree_indices, options, &mut handle)
        })?;
        Ok(Self::own(handle))
    }

    /// All 2n - 1 nodes in the package's order, the root first.
    ///
    /// # Errors
    /// None that a caller can make.
    pub fn nodes(&self) -> Result<&[Digest]> {
        let (mut nodes, mut count) = (ptr::null(), 0);
        // SAFETY: a live handle and places for the view.
        check("OpenZeppelinTree::nodes", || unsafe {
            sys::merklize_openzeppelin_tree_nodes(self.as_c(), &mut nodes, &mut count)
        })?;
        // SAFETY: the view is valid until the tree is freed, which the borrow forbids.
        Ok(unsafe { borrowed(nodes, count) })
    }

    /// The root.
    ///
    /// # Errors
    /// None that a caller can make.
    pub fn root(&self) -> Result<Digest> {
        Ok(self.nodes()?[0])
    }

    /// Where a leaf is among the nodes: `treeIndex` of a dump.
    ///
    /// # Errors
    /// An index that is not below the number of leaves.
    pub fn tree_index(&self, index: u64) -> Result<u64> {
        let mut tree_index = 0;
        // SAFETY: a live handle and a place for the answer.
        check("OpenZeppelinTree::tree_index", || unsafe {
            sys::merklize_openzeppelin_tree_index(self.as_c(), index, &mut tree_index)
        })?;
        Ok(tree_index)
    }

    /// Siblings from the leaf up, as `getProof()` gives them.
    ///
    /// # Errors
    /// As [`OpenZeppelinTree::tree_index`].
    pub fn prove(&self, index: u64) -> Result<Vec<Digest>> {
        let (mut proof, mut length) = (vec![Digest::default(); 64], 0);
        // SAFETY: a live handle, and more places than a tree has levels.
        check("OpenZeppelinTree::prove", || unsafe {
            let (out, room) = (as_c_mut(&mut proof), proof.len());
            sys::merklize_openzeppelin_tree_prove(self.as_c(), index, out, room, &mut length)
        })?;
        proof.truncate(length);
        Ok(proof)
    }

    /// One proof of several leaves.
    ///
    /// # Errors
    /// As [`OpenZeppelinTree::tree_index`]; an index twice.
    pub fn prove_together(&self, indices: &[u64]) -> Result<OpenZeppelinMultiProof> {
        let n = indices.len();
        let mut length = 0;
        // SAFETY: a live handle; a null proof asks for the length alone.
        check("OpenZeppelinTree::prove_together", || unsafe {
            let (tree, from, none) = (self.as_c(), indices.as_ptr(), ptr::null_mut());
            sys::merklize_openzeppelin_tree_prove_together(tree, from, n, none, none, 0, &mut length, ptr::null_mut())
        })?;
        let (mut leaves, mut proof) = (vec![Digest::default(); n], vec![Digest::default(); length]);
        let mut flags = vec![0; (n + length).saturating_sub(1)];
        // SAFETY: as many places as the call needs.
        check("OpenZeppelinTree::prove_together", || unsafe {
            let (tree, from, flags) = (self.as_c(), indices.as_ptr(), flags.as_mut_ptr());
            let (ordered, out) = (as_c_mut(&mut leaves), as_c_mut(&mut proof));
            sys::merklize_openzeppelin_tree_prove_together(tree, from, n, ordered, out, length, &mut length, flags)
        })?;
        Ok(OpenZeppelinMultiProof { leaves, proof, flags: flags.into_iter().map(|flag: u8| flag != 0).collect() })
    }
}

impl fmt::Debug for OpenZeppelinTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenZeppelinTree")
    }
}

/// Verifies that the proof leads from the leaf to the root, in the order of Solidity's `MerkleProof.verify()`.
///
/// # Errors
/// [`NotValid`](crate::ErrorKind::NotValid): it does not.
pub fn verify_openzeppelin(proof: &[Digest], root: &Digest, leaf: &Digest) -> Result<()> {
    let (root, leaf, mut valid) = (root.to_c(), leaf.to_c(), 0);
    // SAFETY: the proof and the digests are read for the call.
    check("verify_openzeppelin", || unsafe {
        sys::merklize_verify_openzeppelin(as_c(proof), proof.len(), &root, &leaf, &mut valid)
    })?;
    if valid == 0 {
        let text = "verify_openzeppelin: the proof does not lead from this leaf to this root";
        return Err(Error::not_valid(text.into()));
    }
    Ok(())
}
