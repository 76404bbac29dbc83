use core::fmt;
use core::ptr;

use merklize_sys as sys;

use crate::device::Buffer;
use crate::error::{check, Result};
use crate::handle::handle;
use crate::hash::{as_c_mut, view, Digest};
use crate::options::Options;
use crate::proof::Proof;
use crate::tree::{borrowed, Form};
use crate::types::ForestInfo;

handle! {
    /// Many small trees of one form and size, built by the same launches as one large tree.
    ///
    /// ```
    /// use merklize::{merkle_root, Digest, Hash, MerkleForest, Options};
    ///
    /// let leaves: Vec<Digest> = (0..32).map(|i| Digest([i; 32])).collect();
    /// let forest = MerkleForest::from_leaves(&leaves, 8, Hash::BLAKE3, &Options::new())?;
    /// assert_eq!(forest.roots()?[3], merkle_root(&leaves[24..], Hash::BLAKE3, &Options::new())?);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    MerkleForest: merklize_forest, merklize_forest_free
}
// SAFETY: merklize.h, "Threads": any number of threads may use one at once; nothing changes it.
unsafe impl Send for MerkleForest {}
unsafe impl Sync for MerkleForest {}

impl MerkleForest {
    fn built<'a>(
        called: &str,
        leaves: sys::merklize_view,
        n_leaves: u64,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        form.into().with_c(|form| {
            // SAFETY: the leaves are read for the call.
            options.run(called, |options| unsafe {
                sys::merklize_forest_from_leaves(leaves, n_leaves, form, options, &mut handle)
            })
        })?;
        Ok(Self::own(handle))
    }

    /// Builds the trees over leaves that lie tree after tree, `n_leaves` for each. The leaves are copied.
    ///
    /// # Errors
    /// A number of leaves that is not a power of two, or that does not divide the number of digests; words that are not
    /// below the modulus.
    pub fn from_leaves<'a>(
        leaves: &[Digest],
        n_leaves: u64,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        Self::built("MerkleForest::from_leaves", view(leaves), n_leaves, form, options)
    }

    /// The same for leaves in a device's memory, where the trees are built.
    ///
    /// # Errors
    /// As [`MerkleForest::from_leaves`].
    pub fn from_device_leaves<'a>(
        leaves: &Buffer,
        n_leaves: u64,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        Self::built("MerkleForest::from_device_leaves", leaves.view(), n_leaves, form, options)
    }

    /// Facts of the trees.
    pub fn info(&self) -> ForestInfo {
        let mut info = sys::merklize_forest_info::default();
        // SAFETY: a live handle and a struct: it cannot fail.
        let status = unsafe { sys::merklize_forest_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "a forest describes itself");
        ForestInfo::from_c(&info)
    }

    /// The root of each tree.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn roots(&self) -> Result<Vec<Digest>> {
        let mut roots = vec![Digest::default(); self.info().n_trees as usize];
        // SAFETY: as many places as trees.
        let out = as_c_mut(&mut roots);
        check("MerkleForest::roots", || unsafe {
            sys::merklize_forest_roots(self.as_c(), out, roots.len(), ptr::null_mut())
        })?;
        Ok(roots)
    }

    /// One level of all trees, tree after tree; level 0 is the leaves. If the nodes are on a device, the first call
    /// copies them to the host.
    ///
    /// # Errors
    /// A level above the roots; `OutOfMemory`.
    pub fn level(&self, level: u32) -> Result<&[Digest]> {
        let (mut nodes, mut count) = (ptr::null(), 0);
        // SAFETY: a live handle and places for the view.
        check("MerkleForest::level", || unsafe {
            sys::merklize_forest_level(self.as_c(), level, &mut nodes, &mut count)
        })?;
        // SAFETY: the view is valid until the forest is freed, which the borrow forbids. Digest has the layout of C's.
        Ok(unsafe { borrowed(nodes, count) })
    }

    /// Proof of one leaf of one tree, as that tree alone would give it.
    ///
    /// # Errors
    /// A tree or an index that does not exist.
    pub fn prove(&self, tree: u64, index: u64) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("MerkleForest::prove", |out| unsafe { sys::merklize_forest_prove(self.as_c(), tree, index, out) })
    }
}

impl fmt::Debug for MerkleForest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}
