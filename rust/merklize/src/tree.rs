use core::fmt;
use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::device::Buffer;
use crate::digests::Message;
use crate::error::{c_path, check, Result};
use crate::handle::handle;
use crate::hash::{as_c, rows_of, view, Digest, Hash, Word};
use crate::options::{Mode, Options};
use crate::proof::Proof;
use crate::tree_file::Leaves;
use crate::types::TreeInfo;

/// What happens to the last node of a level with an odd number of nodes; docs/layouts.md draws each rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// `Perfect` for field hashes, `LeftFull` for all others.
    #[default]
    Default,
    /// There is no such node: the number of leaves must be a power of two.
    Perfect,
    /// The node moves up unchanged, as in RFC 6962.
    LeftFull,
    /// The node is merged with this padding.
    Pad(Digest),
    /// The node is merged with itself, as in Bitcoin.
    DuplicateLast,
}

impl Rule {
    pub(crate) fn to_c(self) -> (sys::merklize_rule, sys::merklize_digest) {
        let plain = Digest::default().to_c();
        match self {
            Rule::Default => (sys::MERKLIZE_RULE_DEFAULT, plain),
            Rule::Perfect => (sys::MERKLIZE_RULE_PERFECT, plain),
            Rule::LeftFull => (sys::MERKLIZE_RULE_LEFT_FULL, plain),
            Rule::Pad(padding) => (sys::MERKLIZE_RULE_PAD, padding.to_c()),
            Rule::DuplicateLast => (sys::MERKLIZE_RULE_DUPLICATE_LAST, plain),
        }
    }

    /// The rule of a tree or a proof. They do not contain the padding, which is zero here.
    pub(crate) fn from_c(rule: sys::merklize_rule) -> Self {
        match rule {
            sys::MERKLIZE_RULE_PERFECT => Rule::Perfect,
            sys::MERKLIZE_RULE_LEFT_FULL => Rule::LeftFull,
            sys::MERKLIZE_RULE_PAD => Rule::Pad(Digest::default()),
            sys::MERKLIZE_RULE_DUPLICATE_LAST => Rule::DuplicateLast,
            _ => Rule::Default,
        }
    }
}

/// All that defines a tree besides its leaves.
#[derive(Clone, Copy)]
#[must_use]
pub struct Form<'a> {
    /// The hash of nodes, and of rows.
    pub hash: Hash,
    /// What an odd level does.
    pub rule: Rule,
    /// Merges under a key, or of key derivation: of `blake3` and `blake2s`.
    pub mode: Mode<'a>,
    /// Refuse leaves whose root another list has (CVE-2012-2459). Calls that do not look at nodes refuse it.
    pub unambiguous: bool,
}

impl<'a> Form<'a> {
    /// The form of a hash, with its own rule.
    pub fn new(hash: Hash) -> Self {
        Self { hash, rule: Rule::Default, mode: Mode::Plain, unambiguous: false }
    }

    /// The same with another rule.
    pub fn rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// The same in a mode of the hash.
    pub fn mode(self, mode: Mode<'a>) -> Self {
        Self { mode, ..self }
    }

    /// The same that refuses leaves whose root another list has, as the format "bitcoin" must.
    pub fn unambiguous(self, unambiguous: bool) -> Self {
        Self { unambiguous, ..self }
    }

    /// Runs `call` with the form of C.
    pub(crate) fn with_c<T>(&self, call: impl FnOnce(*const sys::merklize_form) -> T) -> T {
        let mode = self.mode.to_c();
        let (rule, padding) = self.rule.to_c();
        let unambiguous = self.unambiguous.into();
        call(&sys::merklize_form { hash: self.hash.id(), rule, mode: &mode, padding, unambiguous })
    }
}

impl From<Hash> for Form<'_> {
    fn from(hash: Hash) -> Self {
        Self::new(hash)
    }
}

/// The root of leaves, in 32 bytes a leaf of working memory.
///
/// # Errors
/// No leaves; a number of leaves that the rule does not allow; words that are not below the modulus.
pub fn merkle_root<'a>(leaves: &[Digest], form: impl Into<Form<'a>>, options: &Options<'_>) -> Result<Digest> {
    let mut root = Digest::default().to_c();
    form.into().with_c(|form| {
        // SAFETY: `leaves` is read for the call.
        options
            .run("merkle_root", |options| unsafe { sys::merklize_merkle_root(view(leaves), form, &mut root, options) })
    })?;
    Ok(Digest::from_c(root))
}

/// The root of leaves in several buffers, each with the leaves of one subtree. All devices work at once.
///
/// # Errors
/// A number of buffers, or of leaves in each, that is not a power of two, or not the same; options with a stream.
pub fn merkle_root_parts<'a>(parts: &[&Buffer], form: impl Into<Form<'a>>, options: &Options<'_>) -> Result<Digest> {
    let parts: Vec<_> = parts.iter().map(|part| part.as_c().cast_const()).collect();
    let mut root = Digest::default().to_c();
    form.into().with_c(|form| {
        // SAFETY: live handles, and a place for the root.
        options.run("merkle_root_parts", |options| unsafe {
            sys::merklize_merkle_root_parts(parts.as_ptr(), parts.len(), form, &mut root, options)
        })
    })?;
    Ok(Digest::from_c(root))
}

/// The root of the tree over a file or a pipe, in about 64 MiB of memory. `on_device` of the answer is `false`.
///
/// ```
/// use merklize::{hash, merkle_root, merkle_root_file, Hash, Leaves, Options};
///
/// let path = std::env::temp_dir().join("merklize-root-file");
/// std::fs::write(&path, b"abcdef").unwrap();
/// let info = merkle_root_file(&path, Leaves::Blocks(4), Hash::BLAKE3, &Options::new())?;
/// assert_eq!(info.root, merkle_root(&[hash(b"abcd")?, hash(b"ef")?], Hash::BLAKE3, &Options::new())?);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// `Io`: it cannot be opened or read, or it changed its size while it was read. Blocks of 0 bytes, and what the hash or
/// the rule does not take. `Cancelled`.
pub fn merkle_root_file<'a>(
    input: impl AsRef<Path>,
    leaves: Leaves,
    form: impl Into<Form<'a>>,
    options: &Options<'_>,
) -> Result<TreeInfo> {
    let (path, mut info) = (c_path(input.as_ref())?, sys::merklize_tree_info::default());
    let input = leaves.of(&path);
    form.into().with_c(|form| {
        // SAFETY: structs, and a path that lives for the call.
        options.run("merkle_root_file", |options| unsafe {
            sys::merklize_merkle_root_file(&input, form, &mut info, options)
        })
    })?;
    Ok(TreeInfo::from_c(&info))
}

handle! {
    /// A tree with its nodes. The nodes are in the memory of the device that built the tree, or on the host if that is
    /// the CPU or they do not fit.
    ///
    /// ```
    /// use merklize::{Expect, Hash, MerkleTree, Mode, Options};
    ///
    /// let rows: Vec<u64> = (0..1024 * 16).collect();
    /// let tree = MerkleTree::from_rows(&rows, 16, Hash::POSEIDON2_GOLDILOCKS_8, &Options::new())?;
    /// let proof = tree.prove_together(&[3, 500])?;
    /// proof.verify(&tree.root(), Expect::new().n_leaves(1024), Mode::Plain)?;
    /// # Ok::<(), merklize::Error>(())
    /// ```
    MerkleTree: merklize_tree, merklize_tree_free
}
// SAFETY: merklize.h, "Threads": any number of threads may use one by functions that take it as const; the others are
// &mut here.
unsafe impl Send for MerkleTree {}
unsafe impl Sync for MerkleTree {}

impl MerkleTree {
    fn built<'a>(
        called: &str,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
        call: impl FnOnce(
            *const sys::merklize_form,
            *const sys::merklize_run_options,
            *mut *mut sys::merklize_tree,
        ) -> sys::merklize_status,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        form.into().with_c(|form| options.run(called, |options| call(form, options, &mut handle)))?;
        Ok(Self::own(handle))
    }

    /// The tree of leaves, which are copied.
    ///
    /// # Errors
    /// As [`merkle_root`].
    pub fn from_leaves<'a>(leaves: &[Digest], form: impl Into<Form<'a>>, options: &Options<'_>) -> Result<Self> {
        // SAFETY: `leaves` is read for the call.
        Self::built("MerkleTree::from_leaves", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_leaves(view(leaves), form, 0, options, out)
        })
    }

    /// The tree of leaves in a device's memory, where it is built.
    ///
    /// # Errors
    /// As [`merkle_root`].
    pub fn from_device_leaves<'a>(leaves: &Buffer, form: impl Into<Form<'a>>, options: &Options<'_>) -> Result<Self> {
        // SAFETY: a live handle.
        Self::built("MerkleTree::from_device_leaves", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_leaves(leaves.view(), form, 0, options, out)
        })
    }

    /// The tree whose leaf k is the digest of message k, of any length, as [`hash_leaves`](crate::hash_leaves) gives
    /// it.
    ///
    /// ```
    /// use merklize::{hash, Hash, MerkleTree, Options};
    ///
    /// let tree = MerkleTree::from_messages(["abc", "", "a longer one"], Hash::BLAKE3, &Options::new())?;
    /// assert_eq!(tree.level(0)?, [hash(b"abc")?, hash(b"")?, hash(b"a longer one")?]);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`hash_each`](crate::hash_each) and [`merkle_root`]; of a field hash, a message that is not whole words.
    pub fn from_messages<'a, 'b>(
        messages: impl IntoIterator<Item: Into<Message<'a>>>,
        form: impl Into<Form<'b>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let messages: Vec<_> = messages.into_iter().map(|message| message.into().to_c()).collect();
        // SAFETY: the messages are read for the call.
        Self::built("MerkleTree::from_messages", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_messages(messages.as_ptr(), messages.len(), form, options, out)
        })
    }

    /// The tree over a regular file or block device, which is read once and not kept in memory.
    ///
    /// # Errors
    /// As [`merkle_root_file`]; `Io`: it can only be read in order, such as a pipe; `OutOfMemory`.
    pub fn from_file<'a>(
        input: impl AsRef<Path>,
        leaves: Leaves,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let path = c_path(input.as_ref())?;
        let input = leaves.of(&path);
        // SAFETY: a struct, and a path that lives for the call.
        Self::built("MerkleTree::from_file", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_file(&input, form, options, out)
        })
    }

    /// The tree whose leaf k is the digest of row k: rows are hashed and merged in one pass.
    ///
    /// # Errors
    /// As [`hash_leaves`](crate::hash_leaves) and [`merkle_root`].
    pub fn from_rows<'a, W: Word>(
        rows: &[W],
        row_length: usize,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let form = form.into();
        let rows = rows_of("MerkleTree::from_rows", form.hash, rows, row_length)?;
        // SAFETY: the rows are read for the call.
        Self::built("MerkleTree::from_rows", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_rows(rows.view, rows.count as u64, form, options, out)
        })
    }

    /// The same for `n` rows in a device's memory.
    ///
    /// # Errors
    /// As [`MerkleTree::from_rows`]; a number of rows that does not divide the buffer.
    pub fn from_device_rows<'a>(
        rows: &Buffer,
        n: u64,
        form: impl Into<Form<'a>>,
        options: &Options<'_>,
    ) -> Result<Self> {
        // SAFETY: a live handle.
        Self::built("MerkleTree::from_device_rows", form, options, |form, options, out| unsafe {
            sys::merklize_tree_from_rows(rows.view(), n, form, options, out)
        })
    }

    /// Facts of the tree.
    pub fn info(&self) -> TreeInfo {
        let mut info = sys::merklize_tree_info::default();
        // SAFETY: a live handle and a struct: it cannot fail.
        let status = unsafe { sys::merklize_tree_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "a tree describes itself");
        TreeInfo::from_c(&info)
    }

    /// The root.
    pub fn root(&self) -> Digest {
        self.info().root
    }

    /// All slots in heap order: root at 1, children of i at 2i and 2i + 1. If the tree is on a device, the first call
    /// copies them to the host.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn nodes(&self) -> Result<&[Digest]> {
        let (mut nodes, mut slots) = (ptr::null(), 0);
        // SAFETY: a live handle and places for the view.
        check("MerkleTree::nodes", || unsafe { sys::merklize_tree_nodes(self.as_c(), &mut nodes, &mut slots) })?;
        // SAFETY: the view is valid until the tree is changed or freed, which the borrow forbids. Digest has the layout
        // of C's.
        Ok(unsafe { borrowed(nodes, slots) })
    }

    /// The nodes of a level, left to right; level 0 is the leaves. As [`MerkleTree::nodes`].
    ///
    /// # Errors
    /// A level above the root; `OutOfMemory`.
    pub fn level(&self, level: u32) -> Result<&[Digest]> {
        let (mut nodes, mut count) = (ptr::null(), 0);
        // SAFETY: as in nodes().
        check("MerkleTree::level", || unsafe { sys::merklize_tree_level(self.as_c(), level, &mut nodes, &mut count) })?;
        Ok(unsafe { borrowed(nodes, count) })
    }

    /// The slots of [`MerkleTree::nodes`] in the memory of the device, for reading only: a call that writes them is an
    /// error. The memory lives as long as the buffer. After a change of the tree the buffer may hold the nodes of
    /// before.
    ///
    /// # Errors
    /// The nodes are on the host.
    pub fn device_nodes(&self) -> Result<Buffer> {
        // SAFETY: a live handle.
        Buffer::make("MerkleTree::device_nodes", |out| unsafe { sys::merklize_tree_device_nodes(self.as_c(), out) })
    }

    /// The same for the nodes of a level.
    ///
    /// # Errors
    /// As [`MerkleTree::device_nodes`]; a level above the root.
    pub fn device_level(&self, level: u32) -> Result<Buffer> {
        // SAFETY: a live handle.
        Buffer::make("MerkleTree::device_level", |out| unsafe {
            sys::merklize_tree_device_level(self.as_c(), level, out)
        })
    }

    /// The nodes `height` levels below the root, left to right. Only these nodes are copied from a device.
    ///
    /// # Errors
    /// A level below the leaves.
    pub fn cap(&self, height: u32) -> Result<Vec<Digest>> {
        let mut count = 0;
        // SAFETY: no place is needed to count.
        check("MerkleTree::cap", || {
            match unsafe { sys::merklize_tree_cap(self.as_c(), height, ptr::null_mut(), 0, &mut count) } {
                sys::MERKLIZE_TOO_SMALL => sys::MERKLIZE_OK,
                status => status,
            }
        })?;
        let mut nodes = vec![Digest::default(); count];
        // SAFETY: as many places as nodes.
        let out = crate::hash::as_c_mut(&mut nodes);
        check("MerkleTree::cap", || unsafe { sys::merklize_tree_cap(self.as_c(), height, out, count, &mut count) })?;
        Ok(nodes)
    }

    /// Proof of one leaf. It is made where the nodes are.
    ///
    /// # Errors
    /// An index that is not below the number of leaves.
    pub fn prove(&self, index: u64) -> Result<Proof> {
        // SAFETY: a live handle; no level is dropped.
        Proof::make("MerkleTree::prove", |out| unsafe {
            sys::merklize_tree_prove(self.as_c(), index, ptr::null(), 0, out)
        })
    }

    /// A proof of each index, in order; repeats are allowed.
    ///
    /// # Errors
    /// As [`MerkleTree::prove`].
    pub fn prove_each(&self, indices: &[u64]) -> Result<Vec<Proof>> {
        let mut proofs = vec![ptr::null_mut(); indices.len()];
        // SAFETY: as many places as indices.
        check("MerkleTree::prove_each", || unsafe {
            let (n, out) = (indices.len(), proofs.as_mut_ptr());
            sys::merklize_tree_prove_each(self.as_c(), indices.as_ptr(), n, ptr::null(), 0, out)
        })?;
        Ok(proofs.into_iter().map(Proof::own).collect())
    }

    /// One proof of several leaves.
    ///
    /// # Errors
    /// No index, an index twice, an index that is not below the number of leaves.
    pub fn prove_together(&self, indices: &[u64]) -> Result<Proof> {
        // SAFETY: the indices are read for the call.
        Proof::make("MerkleTree::prove_together", |out| unsafe {
            let n = indices.len();
            sys::merklize_tree_prove_together(self.as_c(), indices.as_ptr(), n, ptr::null(), 0, out)
        })
    }

    /// One proof of the leaves of a range.
    ///
    /// # Errors
    /// An empty range, or one beyond the leaves.
    pub fn prove_range(&self, range: core::ops::Range<u64>) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("MerkleTree::prove_range", |out| unsafe {
            sys::merklize_tree_prove_range(self.as_c(), range.start, range.end, ptr::null(), 0, out)
        })
    }

    /// A proof that the first `old_leaves` leaves are those of an older tree. Only for the rule left_full.
    ///
    /// # Errors
    /// Another rule; more leaves than there are.
    pub fn prove_consistency(&self, old_leaves: u64) -> Result<Proof> {
        // SAFETY: a live handle.
        Proof::make("MerkleTree::prove_consistency", |out| unsafe {
            sys::merklize_tree_prove_consistency(self.as_c(), old_leaves, out)
        })
    }

    /// Replaces leaves, and hashes the paths above them again on the tree's device.
    ///
    /// # Errors
    /// An index that is not below the number of leaves, an index twice, different counts, words that are not below the
    /// modulus. The tree is then as before.
    pub fn update(&mut self, indices: &[u64], leaves: &[Digest], options: &Options<'_>) -> Result<()> {
        equal_counts("MerkleTree::update", indices, leaves)?;
        // SAFETY: equal counts; this value has the tree alone.
        options.run("MerkleTree::update", |options| unsafe {
            sys::merklize_tree_update(self.as_c(), indices.as_ptr(), as_c(leaves), indices.len(), options)
        })
    }

    /// Adds leaves at the end. Only for the rule left_full.
    ///
    /// # Errors
    /// Another rule; `OutOfMemory`.
    pub fn append(&mut self, leaves: &[Digest], options: &Options<'_>) -> Result<()> {
        // SAFETY: this value has the tree alone.
        options.run("MerkleTree::append", |options| unsafe {
            sys::merklize_tree_append(self.as_c(), as_c(leaves), leaves.len() as u64, options)
        })
    }

    /// Writes the tree to a file (.mkl), whole or not at all.
    ///
    /// # Errors
    /// `Io`, for example a disk that is too small.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        // SAFETY: a live handle and a path.
        check("MerkleTree::save", || unsafe { sys::merklize_tree_save(self.as_c(), path.as_ptr()) })
    }
}

impl fmt::Debug for MerkleTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}

pub(crate) fn equal_counts(call: &str, indices: &[u64], leaves: &[Digest]) -> Result<()> {
    let (n, m) = (indices.len(), leaves.len());
    if n != m {
        let rule = format!("{call}: indices and leaves must have equal counts, got {n} and {m}");
        return Err(crate::Error::invalid_argument(rule));
    }
    Ok(())
}

/// # Safety
/// As many digests lie there for the lifetime.
pub(crate) unsafe fn borrowed<'a>(nodes: *const sys::merklize_digest, count: u64) -> &'a [Digest] {
    if count == 0 {
        return &[];
    }
    unsafe { core::slice::from_raw_parts(nodes.cast(), count as usize) }
}

handle! {
    /// The root of leaves that come in pieces, in little memory: one digest a level and a batch of leaves. One thread
    /// at a time uses it.
    ///
    /// ```
    /// use merklize::{merkle_root, Digest, Hash, Options, TreeBuilder};
    ///
    /// let leaves: Vec<Digest> = (0..100).map(|i| Digest([i; 32])).collect();
    /// let mut builder = TreeBuilder::new(Hash::BLAKE3, &Options::new())?;
    /// for piece in leaves.chunks(7) {
    ///     builder.append(piece)?;
    /// }
    /// assert_eq!(builder.root()?, merkle_root(&leaves, Hash::BLAKE3, &Options::new())?);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    TreeBuilder: merklize_tree_builder, merklize_tree_builder_free
}
// SAFETY: merklize.h, "Threads": one thread at a time, any thread. So it is not Sync.
unsafe impl Send for TreeBuilder {}

impl TreeBuilder {
    /// A builder without leaves. The options hold for all later calls.
    ///
    /// # Errors
    /// Options with `progress`, `timings` or a stream; an invalid form.
    pub fn new<'a>(form: impl Into<Form<'a>>, options: &Options<'_>) -> Result<Self> {
        let (mut handle, options) = (ptr::null_mut(), options.without_stream("TreeBuilder::new")?);
        form.into().with_c(|form| {
            // SAFETY: a form and a place for the handle.
            options.run("TreeBuilder::new", |options| unsafe {
                sys::merklize_tree_builder_create(form, options, &mut handle)
            })
        })?;
        Ok(Self::own(handle))
    }

    /// Takes more leaves. After an error the builder is as before.
    ///
    /// # Errors
    /// Words that are not below the modulus; those of the device.
    pub fn append(&mut self, leaves: &[Digest]) -> Result<()> {
        // SAFETY: this value has the builder alone.
        check("TreeBuilder::append", || unsafe { sys::merklize_tree_builder_append(self.as_c(), view(leaves)) })
    }

    /// Number of leaves so far.
    pub fn count(&self) -> u64 {
        // SAFETY: a live handle.
        unsafe { sys::merklize_tree_builder_count(self.as_c()) }
    }

    /// The root of the leaves so far. More may follow.
    ///
    /// # Errors
    /// No leaves; a number of leaves that the rule does not allow.
    pub fn root(&self) -> Result<Digest> {
        let mut root = Digest::default().to_c();
        // SAFETY: a live handle and a place for the root.
        check("TreeBuilder::root", || unsafe { sys::merklize_tree_builder_root(self.as_c(), &mut root) })?;
        Ok(Digest::from_c(root))
    }
}

impl fmt::Debug for TreeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeBuilder({} leaves)", self.count())
    }
}
