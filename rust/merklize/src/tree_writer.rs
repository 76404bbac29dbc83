use core::fmt;
use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::error::{c_path, check, Result};
use crate::handle::handle;
use crate::hash::{as_c, Digest};
use crate::options::Options;
use crate::tree::Form;

handle! {
    /// Builds a tree file of leaves that come in batches, in little memory. It writes PATH.partial, which becomes PATH
    /// when it is complete. One thread at a time uses it.
    ///
    /// ```
    /// use merklize::{merkle_root, Digest, Hash, Options, TreeFile, TreeWriter};
    ///
    /// let path = std::env::temp_dir().join(format!("merklize-writer-{}.mkl", std::process::id()));
    /// let leaves: Vec<Digest> = (0..100).map(|i| Digest([i; 32])).collect();
    /// let mut writer = TreeWriter::create(&path, 100, Hash::BLAKE3, false, &Options::new())?;
    /// for batch in leaves.chunks(7) {
    ///     writer.append(batch)?;
    /// }
    /// let root = writer.finish()?;
    /// assert_eq!(root, merkle_root(&leaves, Hash::BLAKE3, &Options::new())?);
    /// assert_eq!(root, TreeFile::open(&path)?.root()?);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), merklize::Error>(())
    /// ```
    TreeWriter: merklize_tree_writer, merklize_tree_writer_free
}
// SAFETY: merklize.h, "Threads": one thread at a time, any thread. So it is not Sync.
unsafe impl Send for TreeWriter {}

impl TreeWriter {
    /// Begins a file of `n_leaves` leaves; 0: unknown. With `resume` the leaves of PATH.partial are kept if it has this
    /// form and number; the caller must know that they are the first leaves of this tree. The options hold for all
    /// later calls.
    ///
    /// # Errors
    /// `Io`: a disk that is too small, a path that is no regular file, another build of it that is running. Options
    /// with `progress`, `timings` or a stream; a number of leaves that the rule does not allow.
    pub fn create<'a>(
        path: impl AsRef<Path>,
        n_leaves: u64,
        form: impl Into<Form<'a>>,
        resume: bool,
        options: &Options<'_>,
    ) -> Result<Self> {
        let (path, mut handle) = (c_path(path.as_ref())?, ptr::null_mut());
        let options = options.without_stream("TreeWriter::create")?;
        form.into().with_c(|form| {
            // SAFETY: a path, a form and a place for the handle.
            options.run("TreeWriter::create", |options| unsafe {
                let (path, resume) = (path.as_ptr(), resume.into());
                sys::merklize_tree_writer_create(path, n_leaves, form, 0, 0, resume, options, &mut handle)
            })
        })?;
        Ok(Self::own(handle))
    }

    /// Number of leaves so far, those of a resumed build included. It is the index of the next leaf.
    pub fn written(&self) -> u64 {
        // SAFETY: a live handle.
        unsafe { sys::merklize_tree_writer_written(self.as_c()) }
    }

    /// Takes more leaves. After an error [`written`](Self::written) gives the number of leaves that were taken.
    ///
    /// # Errors
    /// `Io`: a full disk, after which the work can be resumed. More leaves than there are to be; words that are not
    /// below the modulus.
    pub fn append(&mut self, leaves: &[Digest]) -> Result<()> {
        // SAFETY: the leaves are read for the call; this value has the writer alone.
        check("TreeWriter::append", || unsafe {
            sys::merklize_tree_writer_append(self.as_c(), as_c(leaves), leaves.len() as u64)
        })
    }

    /// Waits until all leaves so far are on the disk.
    ///
    /// # Errors
    /// `Io`.
    pub fn checkpoint(&mut self) -> Result<()> {
        // SAFETY: this value has the writer alone.
        check("TreeWriter::checkpoint", || unsafe { sys::merklize_tree_writer_checkpoint(self.as_c()) })
    }

    /// Writes the rest, gives the file its name, and returns the root. A writer that is dropped before leaves
    /// PATH.partial.
    ///
    /// # Errors
    /// `Io`; leaves that are missing; a number that the rule does not allow.
    pub fn finish(self) -> Result<Digest> {
        let mut root = Digest::default().to_c();
        // SAFETY: this value has the writer alone, and a place for the root.
        check("TreeWriter::finish", || unsafe { sys::merklize_tree_writer_finish(self.as_c(), 0, &mut root) })?;
        Ok(Digest::from_c(root))
    }
}

impl fmt::Debug for TreeWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeWriter({} leaves)", self.written())
    }
}
