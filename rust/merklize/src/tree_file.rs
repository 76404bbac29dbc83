use core::ffi::CStr;
use core::fmt;
use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::error::{c_path, check, Result};
use crate::handle::handle;
use crate::hash::{as_c, as_c_mut, Digest};
use crate::options::{Mode, Options};
use crate::proof::Proof;
use crate::tree::{equal_counts, Form};
use crate::types::{TreeInfo, WrongNode};
use crate::verdict::Findings;

/// How the bytes of a file become leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leaves {
    /// A leaf is the digest of a block of so many bytes; the last block may be shorter.
    Blocks(u64),
    /// A leaf is the digest of a row of so many bytes; every row must be complete.
    Rows(u64),
    /// The file holds the leaves, 32 bytes each.
    Digests,
}

impl Leaves {
    /// The struct of C for an input, which is valid as long as the path.
    pub(crate) fn of(self, path: &CStr) -> sys::merklize_input {
        let (kind, leaf_bytes) = match self {
            Leaves::Blocks(bytes) => (sys::MERKLIZE_INPUT_BLOCKS, bytes),
            Leaves::Rows(bytes) => (sys::MERKLIZE_INPUT_ROWS, bytes),
            Leaves::Digests => (sys::MERKLIZE_INPUT_LEAVES, 32),
        };
        sys::merklize_input { path: path.as_ptr(), leaf_bytes, kind, ..Default::default() }
    }
}

handle! {
    /// A tree in a file (.mkl). The nodes stay in the file, and a proof reads only those that it needs.
    /// docs/file-format.md defines the bytes.
    ///
    /// ```
    /// use merklize::{Expect, Hash, Leaves, Mode, Options, TreeFile};
    ///
    /// let folder = std::env::temp_dir().join(format!("merklize-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder).unwrap();
    /// let (data, tree) = (folder.join("data"), folder.join("data.mkl"));
    /// std::fs::write(&data, vec![7; 100_000]).unwrap();
    ///
    /// let info = TreeFile::build(&data, Leaves::Blocks(4096), &tree, Hash::BLAKE3, &Options::new())?;
    /// let file = TreeFile::open(&tree)?;
    /// file.prove(3)?.verify(&info.root, Expect::new().index(3).n_leaves(25), Mode::Plain)?;
    /// file.check(10, &Options::new())?.require_none()?;
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), merklize::Error>(())
    /// ```
    TreeFile: merklize_tree_file, merklize_tree_file_free
}
// SAFETY: merklize.h, "Threads": any number of threads may use one by functions that take it as const; the others are
// &mut here.
unsafe impl Send for TreeFile {}
unsafe impl Sync for TreeFile {}

impl TreeFile {
    /// Builds the tree over a file or a pipe in the file `output`, in little memory. `output` appears only when it is
    /// complete.
    ///
    /// # Errors
    /// `Io`: a file that cannot be read, a disk that is too small. `InvalidArgument`. `Cancelled`.
    pub fn build<'a>(
        input: impl AsRef<Path>,
        leaves: Leaves,
        output: impl AsRef<Path>,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<TreeInfo> {
        let (input, output) = (c_path(input.as_ref())?, c_path(output.as_ref())?);
        let input = leaves.of(&input);
        let mut info = sys::merklize_tree_info::default();
        form.into().with_c(|form| {
            // SAFETY: structs that know their sizes, and paths.
            options.run("TreeFile::build", |options| unsafe {
                sys::merklize_build_tree_file(&input, output.as_ptr(), form, 0, &mut info, options)
            })
        })?;
        Ok(TreeInfo::from_c(&info))
    }

    /// Opens a tree file.
    ///
    /// # Errors
    /// `Io`: it cannot be opened or read, or it is damaged, truncated, too long, or of a newer version; the text says
    /// which.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        // SAFETY: a path and a place for the handle.
        Self::make("TreeFile::open", |out| unsafe { sys::merklize_tree_file_open(path.as_ptr(), out) })
    }

    /// Gives the key or context of a keyed tree, which is not in the file. Checks, changes and, with the rule pad,
    /// proofs need it.
    ///
    /// # Errors
    /// A mode that is not the tree's.
    pub fn set_mode(&mut self, mode: Mode<'_>) -> Result<()> {
        let mode = mode.to_c();
        // SAFETY: this value has the handle alone.
        check("TreeFile::set_mode", || unsafe { sys::merklize_tree_file_set_mode(self.as_c(), &mode) })
    }

    /// Facts of the tree.
    pub fn info(&self) -> Result<TreeInfo> {
        let mut info = sys::merklize_tree_info::default();
        // SAFETY: a live handle and a struct.
        check("TreeFile::info", || unsafe { sys::merklize_tree_file_get_info(self.as_c(), &mut info) })?;
        Ok(TreeInfo::from_c(&info))
    }

    /// The root.
    ///
    /// # Errors
    /// `Io`.
    pub fn root(&self) -> Result<Digest> {
        let mut root = Digest::default().to_c();
        // SAFETY: a live handle and a place for the root.
        check("TreeFile::root", || unsafe { sys::merklize_tree_file_root(self.as_c(), &mut root) })?;
        Ok(Digest::from_c(root))
    }

    /// Reads nodes `first .. first + count` of a level; level 0 is the leaves.
    ///
    /// # Errors
    /// `Io`; nodes outside the level.
    pub fn read(&self, level: u32, first: u64, count: usize) -> Result<Vec<Digest>> {
        let known = self.info()?.n_leaves;
        if count as u64 > known {
            let rule = format!("TreeFile::read: a tree of {known} leaves has no level of {count} nodes");
            return Err(crate::Error::invalid_argument(rule));
        }
        let mut nodes = vec![Digest::default(); count];
        // SAFETY: as many places as nodes.
        let out = as_c_mut(&mut nodes);
        check("TreeFile::read", || unsafe { sys::merklize_tree_file_read(self.as_c(), level, first, out, count) })?;
        Ok(nodes)
    }

    /// Proof of one leaf.
    ///
    /// # Errors
    /// `Io`; an index that is not below the number of leaves.
    pub fn prove(&self, index: u64) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("TreeFile::prove", |out| unsafe { sys::merklize_tree_file_prove(self.as_c(), index, out) })
    }

    /// One proof of several leaves.
    ///
    /// # Errors
    /// `Io`; no index, an index twice, an index that is not below the number of leaves.
    pub fn prove_together(&self, indices: &[u64]) -> Result<Proof> {
        // SAFETY: the indices are read for the call.
        Proof::make("TreeFile::prove_together", |out| unsafe {
            sys::merklize_tree_file_prove_together(self.as_c(), indices.as_ptr(), indices.len(), out)
        })
    }

    /// One proof of the leaves of a range.
    ///
    /// # Errors
    /// `Io`; an empty range, or one beyond the leaves.
    pub fn prove_range(&self, range: core::ops::Range<u64>) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("TreeFile::prove_range", |out| unsafe {
            sys::merklize_tree_file_prove_range(self.as_c(), range.start, range.end, out)
        })
    }

    /// A proof that the first `old_leaves` leaves are those of an older tree. Only for the rule left_full.
    ///
    /// # Errors
    /// `Io`; another rule; more leaves than there are.
    pub fn prove_consistency(&self, old_leaves: u64) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("TreeFile::prove_consistency", |out| unsafe {
            sys::merklize_tree_file_prove_consistency(self.as_c(), old_leaves, out)
        })
    }

    /// Checks every node against its children; reads the file once. Returns the first wrong nodes, at most `limit`;
    /// none: the file is sound.
    ///
    /// # Errors
    /// `Io`; `Cancelled`; a limit of 0; a keyed tree without its mode.
    pub fn check(&self, limit: usize, options: &Options<'_>) -> Result<Findings<WrongNode>> {
        if limit == 0 {
            return Err(crate::Error::invalid_argument("TreeFile::check: limit must be >= 1, got 0"));
        }
        // At most as many places as nodes. Pages that are not needed are never touched.
        let nodes = usize::try_from(self.info()?.n_leaves).unwrap_or(usize::MAX).saturating_mul(2).max(1);
        let (mut wrong, limit, mut count) = (Vec::<sys::merklize_wrong_node>::new(), limit.min(nodes), 0);
        let no_memory = |_| crate::Error::out_of_memory("TreeFile::check", limit, "give a lower limit");
        wrong.try_reserve_exact(limit).map_err(no_memory)?;
        // SAFETY: as many places as the limit.
        options.run("TreeFile::check", |options| unsafe {
            sys::merklize_tree_file_check(self.as_c(), wrong.as_mut_ptr(), limit, ptr::from_mut(&mut count), options)
        })?;
        // SAFETY: so many were written.
        unsafe { wrong.set_len(count) };
        let wrong = wrong.iter().map(WrongNode::from_c);
        Ok(Findings::new(wrong.collect()))
    }

    /// Replaces leaves. After an error the file is as before.
    ///
    /// # Errors
    /// `Io`, also if a node that the change reads is damaged, or if a tree of another form, leaf size or data has
    /// replaced the file; those of [`MerkleTree::update`](crate::MerkleTree::update).
    pub fn update(&mut self, indices: &[u64], leaves: &[Digest], options: &Options<'_>) -> Result<()> {
        equal_counts("TreeFile::update", indices, leaves)?;
        // SAFETY: equal counts; this value has the handle alone.
        options.run("TreeFile::update", |options| unsafe {
            sys::merklize_tree_file_update(self.as_c(), indices.as_ptr(), as_c(leaves), indices.len(), options)
        })
    }

    /// Adds leaves at the end. Only for the rule left_full. After an error the file is as before.
    ///
    /// # Errors
    /// `Io`, as [`TreeFile::update`]; another rule.
    pub fn append(&mut self, leaves: &[Digest], options: &Options<'_>) -> Result<()> {
        // SAFETY: this value has the handle alone.
        options.run("TreeFile::append", |options| unsafe {
            sys::merklize_tree_file_append(self.as_c(), as_c(leaves), leaves.len() as u64, options)
        })
    }
}

impl fmt::Debug for TreeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}
