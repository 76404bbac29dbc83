use core::fmt;
use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Result};
use crate::handle::handle;
use crate::hash::{as_c, as_c_mut, Digest, Hash};
use crate::options::{Mode, Options};
use crate::tree::Rule;

/// What a proof shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProofKind {
    /// One leaf.
    Single,
    /// Several leaves.
    Multi,
    /// That a tree is the beginning of a newer one.
    Consistency,
}

/// What a proof claims. A verifier that knows what it should be must compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProofInfo {
    /// What it shows.
    pub kind: ProofKind,
    /// The tree's hash.
    pub hash: Hash,
    /// The tree's rule.
    pub rule: Rule,
    /// Leaves of the tree; of growth: of the newer one.
    pub n_leaves: u64,
    /// Of growth: leaves of the older tree; else 0.
    pub old_leaves: u64,
    /// Leaves in the proof.
    pub leaves: usize,
    /// Other nodes in the proof.
    pub siblings: usize,
}

handle! {
    /// A proof of one leaf, of several leaves, or of growth. Any number of threads may use one at once.
    Proof: merklize_proof, merklize_proof_free
}
// SAFETY: merklize.h, "Threads".
unsafe impl Send for Proof {}
unsafe impl Sync for Proof {}

impl Proof {
    /// What the proof claims.
    pub fn info(&self) -> ProofInfo {
        let mut info = sys::merklize_proof_info::default();
        // SAFETY: a live handle and a struct that knows its size: it cannot fail.
        let status = unsafe { sys::merklize_proof_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "a proof describes itself");
        ProofInfo {
            kind: match info.kind {
                sys::MERKLIZE_PROOF_SINGLE => ProofKind::Single,
                sys::MERKLIZE_PROOF_MULTI => ProofKind::Multi,
                _ => ProofKind::Consistency,
            },
            hash: Hash::from_c(info.hash),
            rule: Rule::from_c(info.rule),
            n_leaves: info.n_leaves,
            old_leaves: info.old_leaves,
            leaves: info.leaves as usize,
            siblings: info.siblings as usize,
        }
    }

    /// The proof's leaves with their indices, ascending.
    pub fn leaves(&self) -> Vec<(u64, Digest)> {
        let n = self.info().leaves;
        let (mut indices, mut leaves) = (vec![0; n], vec![Digest::default(); n]);
        // SAFETY: as many places as the proof has leaves.
        let status = unsafe {
            sys::merklize_proof_read(self.as_c(), indices.as_mut_ptr(), as_c_mut(&mut leaves), ptr::null_mut())
        };
        assert_eq!(status, sys::MERKLIZE_OK, "a proof says what it holds");
        indices.into_iter().zip(leaves).collect()
    }

    /// The nodes that the verifier cannot compute: of one leaf, from the leaf to the root; docs/layouts.md has the order of the others.
    pub fn siblings(&self) -> Vec<Digest> {
        let mut siblings = vec![Digest::default(); self.info().siblings];
        // SAFETY: as many places as the proof has siblings.
        let status =
            unsafe { sys::merklize_proof_read(self.as_c(), ptr::null_mut(), ptr::null_mut(), as_c_mut(&mut siblings)) };
        assert_eq!(status, sys::MERKLIZE_OK, "a proof says what it holds");
        siblings
    }

    /// True if the proof shows its leaves under this root. `mode` is that of a keyed tree.
    ///
    /// # Errors
    /// A proof of growth, which needs [`Proof::verify_growth`]; a mode that is not BLAKE3's.
    pub fn verify(&self, root: &Digest, mode: Mode<'_>) -> Result<bool> {
        self.verified(root, None, mode)
    }

    /// True if the proof shows that the older root's tree is the beginning of the newer one's.
    ///
    /// # Errors
    /// A proof of leaves.
    pub fn verify_growth(&self, root: &Digest, old_root: &Digest, mode: Mode<'_>) -> Result<bool> {
        self.verified(root, Some(old_root), mode)
    }

    fn verified(&self, root: &Digest, old_root: Option<&Digest>, mode: Mode<'_>) -> Result<bool> {
        let (root, old_root, mode, mut valid) = (root.to_c(), old_root.map(|root| root.to_c()), mode.to_c(), 0);
        let old_root = old_root.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: a live handle and values of this call.
        check(|| unsafe { sys::merklize_proof_verify(self.as_c(), &root, old_root, &mode, &mut valid) })?;
        Ok(valid != 0)
    }

    /// The bytes of docs/layouts.md.
    pub fn to_bytes(&self) -> Vec<u8> {
        // SAFETY: `bytes` with its capacity, or none.
        bytes_of(|bytes, capacity, length| unsafe {
            sys::merklize_proof_to_bytes(self.as_c(), bytes, capacity, length)
        })
        .expect("every proof has bytes")
    }

    /// The reverse, for bytes from anywhere.
    ///
    /// # Errors
    /// Bytes that [`Proof::to_bytes`] does not write.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        // SAFETY: `bytes` is read for the call.
        Self::make(|out| unsafe { sys::merklize_proof_from_bytes(bytes.as_ptr(), bytes.len(), out) })
    }

    /// The bytes of Winterfell's `BatchMerkleProof`, which hold neither leaves nor indices.
    ///
    /// # Errors
    /// Not a proof of several leaves of a perfect tree.
    pub fn to_winterfell(&self) -> Result<Vec<u8>> {
        // SAFETY: `bytes` with its capacity, or none.
        bytes_of(|bytes, capacity, length| unsafe {
            sys::merklize_proof_to_winterfell(self.as_c(), bytes, capacity, length)
        })
    }

    /// The reverse. Indices and leaves may be in any order, the same for both.
    ///
    /// # Errors
    /// Bytes that are not such a proof of these leaves; different counts.
    pub fn from_winterfell(bytes: &[u8], hash: Hash, indices: &[u64], leaves: &[Digest]) -> Result<Self> {
        if indices.len() != leaves.len() {
            let (n, m) = (indices.len(), leaves.len());
            let rule = format!("from_winterfell: indices and leaves must have equal counts, got {n} and {m}");
            return Err(crate::Error::invalid_argument(rule));
        }
        // SAFETY: equal counts; all are read for the call.
        Self::make(|out| unsafe {
            let (n, leaves) = (indices.len(), as_c(leaves));
            sys::merklize_proof_from_winterfell(
                bytes.as_ptr(),
                bytes.len(),
                hash.id(),
                indices.as_ptr(),
                leaves,
                n,
                out,
            )
        })
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}

/// Output that says its length first.
fn bytes_of(call: impl Fn(*mut u8, usize, *mut usize) -> sys::merklize_status) -> Result<Vec<u8>> {
    let mut length = 0;
    check(|| match call(ptr::null_mut(), 0, &mut length) {
        sys::MERKLIZE_TOO_SMALL => sys::MERKLIZE_OK,
        status => status,
    })?;
    let mut bytes = vec![0; length];
    check(|| call(bytes.as_mut_ptr(), bytes.len(), &mut length))?;
    Ok(bytes)
}

/// True if the bytes are a proof, of one leaf or of several, under this root. Malformed bytes are `false`.
///
/// # Errors
/// A mode that is not BLAKE3's.
pub fn verify(proof: &[u8], root: &Digest, mode: Mode<'_>) -> Result<bool> {
    let (root, mode, mut valid) = (root.to_c(), mode.to_c(), 0);
    // SAFETY: `proof` is read for the call.
    check(|| unsafe { sys::merklize_verify(proof.as_ptr(), proof.len(), &root, ptr::null(), &mode, &mut valid) })?;
    Ok(valid != 0)
}

/// Verifies proofs of one leaf each, all of one hash, against one root, side by side.
///
/// # Errors
/// A proof of several leaves or of growth; different hashes.
pub fn verify_each(proofs: &[Proof], root: &Digest, mode: Mode<'_>, options: &Options<'_>) -> Result<Vec<bool>> {
    let handles: Vec<*const sys::merklize_proof> = proofs.iter().map(|proof| proof.as_c().cast_const()).collect();
    let (root, mode, mut valid) = (root.to_c(), mode.to_c(), vec![0; proofs.len()]);
    // SAFETY: as many places as handles.
    options.run(|options| unsafe {
        sys::merklize_verify_each(handles.as_ptr(), handles.len(), &root, &mode, valid.as_mut_ptr(), options)
    })?;
    Ok(valid.into_iter().map(|valid| valid != 0).collect())
}
