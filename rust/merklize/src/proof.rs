use core::fmt;
use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Error, Result};
use crate::handle::handle;
use crate::hash::{as_c, as_c_mut, Digest, Hash};
use crate::options::{Mode, Options};
use crate::tree::Rule;
use crate::types::ProofInfo;
use crate::verdict::Verdicts;

/// The facts that a verifier knows of a tree and a leaf. A proof with other claims is not valid. The root alone does
/// not bind the claims of a proof (docs/layouts.md). A fact that is not set is not expected.
///
/// ```
/// use merklize::{hash, Expect, Hash, MerkleTree, Mode, Options};
///
/// let leaves: Vec<_> = (0..21u8).map(|i| hash(&[i])).collect::<Result<_, _>>()?;
/// let tree = MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &Options::new())?;
/// let (proof, root) = (tree.prove(17)?, tree.root());
/// proof.verify(&root, Expect::new().leaf(leaves[17]).index(17).n_leaves(21), Mode::Plain)?;
/// assert!(proof.verify(&root, Expect::new().index(16), Mode::Plain).is_err());
/// # Ok::<(), merklize::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct Expect {
    leaf: Option<Digest>,
    index: Option<u64>,
    n_leaves: Option<u64>,
    hash: Option<Hash>,
    rule: Option<Rule>,
}

impl Expect {
    /// Nothing is expected.
    pub fn new() -> Self {
        Self::default()
    }

    /// The leaf of a proof of one leaf. With this fact no proof of several leaves is valid; [`Proof::leaves`] has the
    /// leaves of such a proof.
    pub fn leaf(self, leaf: Digest) -> Self {
        Self { leaf: Some(leaf), ..self }
    }

    /// The index of that leaf, from 0. With this fact no proof of several leaves is valid.
    pub fn index(self, index: u64) -> Self {
        Self { index: Some(index), ..self }
    }

    /// The number of leaves of the tree.
    pub fn n_leaves(self, n_leaves: u64) -> Self {
        Self { n_leaves: Some(n_leaves), ..self }
    }

    /// The tree's hash.
    pub fn hash(self, hash: Hash) -> Self {
        Self { hash: Some(hash), ..self }
    }

    /// The tree's rule; the padding of [`Rule::Pad`] is not compared, because a proof does not contain it.
    /// [`Rule::Default`] is an error.
    pub fn rule(self, rule: Rule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    /// Runs `call` with the struct of C.
    fn with_c(&self, name: &str, call: impl FnOnce(&sys::merklize_expect) -> sys::merklize_status) -> Result<()> {
        if self.rule == Some(Rule::Default) {
            let rule = format!(
                "{name}: Expect::rule must be the rule of a tree, got Rule::Default; name it, such as Rule::LeftFull"
            );
            return Err(Error::invalid_argument(rule));
        }
        let (leaf, hash) = (self.leaf.map(Digest::to_c), self.hash.map(Hash::id));
        let expect = sys::merklize_expect {
            leaf: pointer(leaf.as_ref()),
            index: pointer(self.index.as_ref()),
            n_leaves: pointer(self.n_leaves.as_ref()),
            hash: pointer(hash.as_ref()),
            rule: self.rule.map_or(sys::MERKLIZE_RULE_DEFAULT, |rule| rule.to_c().0),
        };
        check(name, || call(&expect))
    }
}

fn pointer<T>(value: Option<&T>) -> *const T {
    value.map_or(ptr::null(), ptr::from_ref)
}

/// The roots of two trees, by names, so that they cannot be swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots<'a> {
    /// The root of the older tree.
    pub old_root: &'a Digest,
    /// The root of the newer tree.
    pub new_root: &'a Digest,
}

handle! {
    /// A proof of one leaf, of several leaves, or of consistency. Any number of threads may use one at once.
    Proof: merklize_proof, merklize_proof_free
}
// SAFETY: merklize.h, "Threads".
unsafe impl Send for Proof {}
unsafe impl Sync for Proof {}

impl Proof {
    /// The claims of the proof.
    pub fn info(&self) -> ProofInfo {
        let mut info = sys::merklize_proof_info::default();
        // SAFETY: a live handle and a struct: it cannot fail.
        let status = unsafe { sys::merklize_proof_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "a proof describes itself");
        ProofInfo::from_c(&info)
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

    /// The nodes that the verifier cannot compute: of one leaf, from the leaf to the root; docs/layouts.md has the
    /// order of the others.
    pub fn siblings(&self) -> Vec<Digest> {
        let mut siblings = vec![Digest::default(); self.info().siblings];
        // SAFETY: as many places as the proof has siblings.
        let status =
            unsafe { sys::merklize_proof_read(self.as_c(), ptr::null_mut(), ptr::null_mut(), as_c_mut(&mut siblings)) };
        assert_eq!(status, sys::MERKLIZE_OK, "a proof says what it holds");
        siblings
    }

    /// Verifies that the proof leads from its leaves to this root, and claims what is expected. `mode` is that of a
    /// keyed tree.
    ///
    /// # Errors
    /// [`NotValid`](crate::ErrorKind::NotValid): the proof does not hold, or claims anything else. `InvalidArgument`: a
    /// proof of consistency, which [`Proof::verify_consistency`] takes; [`Rule::Default`] as the expected rule; a mode
    /// that is not BLAKE3's.
    pub fn verify(&self, root: &Digest, expect: Expect, mode: Mode<'_>) -> Result<()> {
        let (root, mode, mut valid) = (root.to_c(), mode.to_c(), 0);
        // SAFETY: a live handle and values of this call.
        expect.with_c("Proof::verify", |expect| unsafe {
            sys::merklize_proof_verify(self.as_c(), &root, expect, &mode, &mut valid)
        })?;
        require("Proof::verify", LEAVES, valid != 0)
    }

    /// Verifies that the leaves under the old root are the first leaves under the new one.
    ///
    /// The proof claims both numbers of leaves: compare those of [`Proof::info`] with the numbers that the owner of the
    /// roots publishes.
    ///
    /// ```
    /// use merklize::{hash, Hash, MerkleTree, Mode, Options, Roots};
    ///
    /// let leaves: Vec<_> = (0..21u8).map(|i| hash(&[i])).collect::<Result<_, _>>()?;
    /// let mut tree = MerkleTree::from_leaves(&leaves[..13], Hash::BLAKE3, &Options::new())?;
    /// let old_root = tree.root();
    /// tree.append(&leaves[13..], &Options::new())?;
    /// let proof = tree.prove_consistency(13)?;
    /// proof.verify_consistency(Roots { old_root: &old_root, new_root: &tree.root() }, Mode::Plain)?;
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`NotValid`](crate::ErrorKind::NotValid): the proof does not hold. `InvalidArgument`: a proof of leaves, which
    /// [`Proof::verify`] takes; a mode that is not BLAKE3's.
    pub fn verify_consistency(&self, roots: Roots<'_>, mode: Mode<'_>) -> Result<()> {
        let (old, new, mode, mut valid) = (roots.old_root.to_c(), roots.new_root.to_c(), mode.to_c(), 0);
        // SAFETY: a live handle and values of this call.
        check("Proof::verify_consistency", || unsafe {
            sys::merklize_proof_verify_consistency(self.as_c(), &old, &new, &mode, &mut valid)
        })?;
        require("Proof::verify_consistency", CONSISTENCY, valid != 0)
    }

    /// The bytes of the proof, as docs/layouts.md defines them.
    pub fn to_bytes(&self) -> Vec<u8> {
        // SAFETY: `bytes` with its capacity, or none.
        bytes_of("Proof::to_bytes", |bytes, capacity, length| unsafe {
            sys::merklize_proof_to_bytes(self.as_c(), bytes, capacity, length)
        })
        .expect("every proof has bytes")
    }

    /// The reverse, for bytes from anywhere.
    ///
    /// # Errors
    /// Bytes that [`Proof::to_bytes`] cannot have written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        // SAFETY: `bytes` is read for the call.
        Self::make("Proof::from_bytes", |out| unsafe {
            sys::merklize_proof_from_bytes(bytes.as_ptr(), bytes.len(), out)
        })
    }

    /// The bytes of Winterfell's `BatchMerkleProof`, which hold neither leaves nor indices.
    ///
    /// # Errors
    /// Not a proof of several leaves of a perfect tree.
    pub fn to_winterfell(&self) -> Result<Vec<u8>> {
        // SAFETY: `bytes` with its capacity, or none.
        bytes_of("Proof::to_winterfell", |bytes, capacity, length| unsafe {
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
        Self::make("Proof::from_winterfell", |out| unsafe {
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

/// The output of a call that first tells its length.
fn bytes_of(called: &str, call: impl Fn(*mut u8, usize, *mut usize) -> sys::merklize_status) -> Result<Vec<u8>> {
    let mut length = 0;
    check(called, || match call(ptr::null_mut(), 0, &mut length) {
        sys::MERKLIZE_TOO_SMALL => sys::MERKLIZE_OK,
        status => status,
    })?;
    let mut bytes = vec![0; length];
    check(called, || call(bytes.as_mut_ptr(), bytes.len(), &mut length))?;
    Ok(bytes)
}

const LEAVES: &str = "the proof does not lead to this root, or does not claim what is expected";
const CONSISTENCY: &str = "the proof does not show that the tree of the new root begins with that of the old root";

/// An error unless a proof holds.
fn require(call: &str, rule: &str, valid: bool) -> Result<()> {
    if valid {
        Ok(())
    } else {
        Err(Error::not_valid(format!("{call}: {rule}")))
    }
}

/// Verifies that bytes from anywhere are a proof, of one leaf or of several, that leads to this root and claims what is
/// expected.
///
/// # Errors
/// [`NotValid`](crate::ErrorKind::NotValid): the proof does not hold, or claims anything else; bytes that are no such
/// proof. `InvalidArgument`: [`Rule::Default`] as the expected rule; a mode that is not BLAKE3's.
pub fn verify(proof: &[u8], root: &Digest, expect: Expect, mode: Mode<'_>) -> Result<()> {
    let (root, mode, mut valid) = (root.to_c(), mode.to_c(), 0);
    // SAFETY: `proof` is read for the call.
    expect.with_c("verify", |expect| unsafe {
        sys::merklize_verify(proof.as_ptr(), proof.len(), &root, expect, &mode, &mut valid)
    })?;
    require("verify", LEAVES, valid != 0)
}

/// Verifies that bytes from anywhere are a proof that the leaves under the old root are the first leaves under the new
/// one.
///
/// # Errors
/// [`NotValid`](crate::ErrorKind::NotValid): the proof does not hold; bytes that are no such proof. `InvalidArgument`:
/// a mode that is not BLAKE3's.
pub fn verify_consistency(proof: &[u8], roots: Roots<'_>, mode: Mode<'_>) -> Result<()> {
    let (old, new, mode, mut valid) = (roots.old_root.to_c(), roots.new_root.to_c(), mode.to_c(), 0);
    // SAFETY: `proof` is read for the call.
    check("verify_consistency", || unsafe {
        sys::merklize_verify_consistency(proof.as_ptr(), proof.len(), &old, &new, &mode, &mut valid)
    })?;
    require("verify_consistency", CONSISTENCY, valid != 0)
}

/// Verifies proofs of one leaf each, all of one hash, against one root, in one job. A proof that is not valid is no
/// error here: look at the verdicts, or call [`Verdicts::require_all`].
///
/// # Errors
/// A proof of several leaves or of consistency; different hashes.
pub fn verify_each(proofs: &[Proof], root: &Digest, mode: Mode<'_>, options: &Options<'_>) -> Result<Verdicts> {
    let handles: Vec<*const sys::merklize_proof> = proofs.iter().map(|proof| proof.as_c().cast_const()).collect();
    let (root, mode, mut valid) = (root.to_c(), mode.to_c(), vec![0; proofs.len()]);
    // SAFETY: as many places as handles.
    options.run("verify_each", |options| unsafe {
        sys::merklize_verify_each(handles.as_ptr(), handles.len(), &root, &mode, valid.as_mut_ptr(), options)
    })?;
    Ok(Verdicts::new(valid.into_iter().map(|valid| valid != 0).collect()))
}
