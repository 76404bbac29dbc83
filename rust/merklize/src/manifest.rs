//! Manifests of weights: the digests of tensors and files under one root. docs/manifest-format.md defines the text.
//!
//! ```
//! use merklize::manifest::{CheckOptions, CreateOptions, Manifest};
//! use merklize::Options;
//!
//! # let folder = std::env::temp_dir().join(format!("merklize-manifest-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # std::fs::write(folder.join("config.json"), "{}").unwrap();
//! let known = Manifest::create(&folder, &CreateOptions::default(), &Options::new())?;
//! std::fs::write(folder.join("config.json"), "[]").unwrap();
//! let found = known.check(&folder, &CheckOptions::default(), &Options::new())?;
//! assert_eq!(found[0].to_string(), "file 'config.json': bytes 0 to 2 differ (of 2)");
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), merklize::Error>(())
//! ```

use core::ffi::{c_char, CStr};
use core::fmt;
use core::ops::Range;
use core::ptr;
use std::ffi::CString;
use std::path::{Path, PathBuf};

use merklize_sys as sys;

use crate::error::{c_path, c_text, check, Result};
use crate::handle::handle;
use crate::hash::{as_c_mut, Digest};
use crate::options::Options;
use crate::verdict::Findings;

/// How a manifest is made.
#[derive(Debug, Clone)]
pub struct CreateOptions {
    /// Size of the pieces whose digests are recorded, so that a check can name the piece that differs: a power of two,
    /// at least 256 KiB; 0: no pieces.
    pub piece_size: u64,
    /// In a folder: patterns of names that are left out (`*.lock`), as in a shell.
    pub ignore: Vec<String>,
    /// In a folder: a path that is left out, such as the manifest's own.
    pub exclude: Option<PathBuf>,
    /// Take symbolic links to files for the files; otherwise they are an error.
    pub follow_links: bool,
    /// Digests of tensors by tiles, which are the same however a tensor is sharded (docs/tiles-format.md), on the CPU;
    /// otherwise of their bytes.
    pub tiles: bool,
}

impl Default for CreateOptions {
    fn default() -> Self {
        Self { piece_size: 1 << 20, ignore: Vec::new(), exclude: None, follow_links: false, tiles: false }
    }
}

/// The parts that a check covers.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Patterns of tensors, files or shards, as in a shell; nothing else is read. None: all.
    pub only: Vec<String>,
    /// As in [`CreateOptions`].
    pub exclude: Option<PathBuf>,
    /// As in [`CreateOptions`].
    pub follow_links: bool,
}

/// The files that a refresh hashes.
#[derive(Debug, Clone, Default)]
pub struct RefreshOptions {
    /// All files, not only those whose size, time of the last write or inode changed.
    pub everything: bool,
    /// As in [`CreateOptions`].
    pub exclude: Option<PathBuf>,
    /// As in [`CreateOptions`].
    pub follow_links: bool,
}

/// One difference from the manifest. As text, it is a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// `missing`, `unexpected`, `dtype`, `shape`, `bytes`, `size`, `header` or `unreadable`.
    pub kind: String,
    /// `tensor`, `file` or `shard`.
    pub what: String,
    /// Its name.
    pub name: String,
    /// The file that a tensor lies in.
    pub shard: Option<String>,
    /// Of `bytes`: the first piece that differs. Otherwise empty.
    pub piece: Range<u64>,
    sentence: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

handle! {
    /// A manifest.
    Manifest: merklize_manifest, merklize_manifest_free
}
// SAFETY: a manifest never changes.
unsafe impl Send for Manifest {}
unsafe impl Sync for Manifest {}

handle! {
    #[doc(hidden)]
    Differences: merklize_differences, merklize_differences_free
}

// Memory that the options of C point to during a call.
struct Kept {
    patterns: Vec<CString>,
    pointers: Vec<*const c_char>,
    exclude: Option<CString>,
}

impl Kept {
    fn new(patterns: &[String], exclude: Option<&PathBuf>) -> Result<Self> {
        let patterns =
            patterns.iter().map(|pattern| c_text("pattern", pattern.as_str())).collect::<Result<Vec<_>>>()?;
        let pointers = patterns.iter().map(|pattern| pattern.as_ptr()).collect();
        Ok(Self { patterns, pointers, exclude: exclude.map(|path| c_path(path)).transpose()? })
    }

    fn to_c(&self, follow_links: bool) -> sys::merklize_manifest_options {
        sys::merklize_manifest_options {
            patterns: self.pointers.as_ptr(),
            pattern_count: self.patterns.len(),
            exclude: self.exclude.as_ref().map_or(ptr::null(), |path| path.as_ptr()),
            follow_links: follow_links.into(),
            ..Default::default()
        }
    }
}

impl Manifest {
    /// Hashes a safetensors file, an index of shards (`*.index.json`), or a folder. Safetensors files are hashed tensor
    /// by tensor, all other files whole. Every byte is read once, by all threads. A folder in which a shard of an index
    /// is missing is no error: see [`missing`](Self::missing).
    ///
    /// # Errors
    /// `InvalidArgument`: options, a header that breaks safetensors' rules, names that no manifest holds, links. `Io`.
    /// `Cancelled`.
    pub fn create(path: impl AsRef<Path>, options: &CreateOptions, run: &Options<'_>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        let kept = Kept::new(&options.ignore, options.exclude.as_ref())?;
        let mut options_c = kept.to_c(options.follow_links);
        options_c.piece_size = if options.piece_size == 0 { u64::MAX } else { options.piece_size };
        options_c.tiles = options.tiles.into();
        let mut handle = ptr::null_mut();
        // SAFETY: paths and patterns live as long as the call.
        run.run("Manifest::create", |run| unsafe {
            sys::merklize_manifest_create(path.as_ptr(), &options_c, run, &mut handle)
        })?;
        Ok(Self::own(handle))
    }

    /// Reads the text of a manifest.
    ///
    /// # Errors
    /// `InvalidArgument`: a text that [`to_json`](Self::to_json) cannot have written; a root other than that of the
    /// entries.
    pub fn parse(text: &str) -> Result<Self> {
        // SAFETY: a text and its length.
        Self::make("Manifest::parse", |out| unsafe {
            sys::merklize_manifest_parse(text.as_ptr().cast(), text.len(), out)
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and `Io`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        // SAFETY: a path and a place for the handle.
        Self::make("Manifest::load", |out| unsafe { sys::merklize_manifest_load(path.as_ptr(), out) })
    }

    /// The root over all tensors and files.
    pub fn root(&self) -> Result<Digest> {
        let mut root = Digest::default();
        // SAFETY: a live handle and a place for a digest.
        check("Manifest::root", || unsafe {
            sys::merklize_manifest_root(self.as_c(), as_c_mut(core::slice::from_mut(&mut root)))
        })?;
        Ok(root)
    }

    /// Files that an index of shards in the folder names, but that were not there when the manifest was made: a
    /// download may have been broken off, and the root is that of a part of the model. They are not in the text.
    pub fn missing(&self) -> Result<Vec<String>> {
        // SAFETY: a live handle.
        let count = unsafe { sys::merklize_manifest_missing_count(self.as_c()) };
        // SAFETY: a live handle, and an index below the count.
        names("Manifest::missing", count, |index, out| unsafe {
            sys::merklize_manifest_missing_get(self.as_c(), index, out)
        })
    }

    /// The text. Without the times and inodes of files, which [`refresh`](Self::refresh) compares, it is the same on
    /// all machines.
    pub fn to_json(&self, with_seen: bool) -> Result<String> {
        let mut length = 0;
        // SAFETY: no room, which asks for the length alone.
        check("Manifest::to_json", || unsafe {
            sys::merklize_manifest_to_json(self.as_c(), with_seen.into(), ptr::null_mut(), 0, &mut length)
        })?;
        let mut text = vec![0u8; length + 1];
        let to = text.as_mut_ptr().cast();
        // SAFETY: `text` has that many bytes.
        check("Manifest::to_json", || unsafe {
            sys::merklize_manifest_to_json(self.as_c(), with_seen.into(), to, length + 1, ptr::null_mut())
        })?;
        text.truncate(length);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Hashes again and returns the differences from the manifest. A file that cannot be read is a difference. A shard
    /// that an index alone names is none: see [`Findings::missing`].
    ///
    /// `path`: the file, index or folder of the manifest, under any name; or the folder that holds the file or the
    /// index.
    ///
    /// # Errors
    /// `InvalidArgument`: a pattern that nothing in the manifest has. `Io`: a folder that cannot be read. `Cancelled`.
    pub fn check(
        &self,
        path: impl AsRef<Path>,
        options: &CheckOptions,
        run: &Options<'_>,
    ) -> Result<Findings<Difference>> {
        let path = c_path(path.as_ref())?;
        let kept = Kept::new(&options.only, options.exclude.as_ref())?;
        let options_c = kept.to_c(options.follow_links);
        let mut found = ptr::null_mut();
        // SAFETY: a live handle; paths and patterns live as long as the call.
        run.run("Manifest::check", |run| unsafe {
            sys::merklize_manifest_check(self.as_c(), path.as_ptr(), &options_c, run, &mut found)
        })?;
        Differences::own(found).all("Manifest::check")
    }

    /// How `other` differs from this manifest: tensors and files, by name.
    pub fn diff(&self, other: &Self) -> Result<Findings<Difference>> {
        // SAFETY: two live handles.
        Differences::make("Manifest::diff", |out| unsafe {
            sys::merklize_manifest_diff(self.as_c(), other.as_c(), out)
        })?
        .all("Manifest::diff")
    }

    /// Makes a manifest of the files as they are now. It misses a write that kept size, time and inode;
    /// [`check`](Self::check) finds it.
    ///
    /// # Errors
    /// As [`create`](Self::create), and `InvalidArgument`: a manifest of tensors in memory.
    pub fn refresh(&self, path: impl AsRef<Path>, options: &RefreshOptions, run: &Options<'_>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        let kept = Kept::new(&[], options.exclude.as_ref())?;
        let mut options_c = kept.to_c(options.follow_links);
        options_c.everything = options.everything.into();
        let mut handle = ptr::null_mut();
        // SAFETY: a live handle; the paths live as long as the call.
        run.run("Manifest::refresh", |run| unsafe {
            sys::merklize_manifest_refresh(self.as_c(), path.as_ptr(), &options_c, run, &mut handle)
        })?;
        Ok(Self::own(handle))
    }
}

impl Findings<Difference> {
    /// The same as [`Manifest::missing`] of what a check found, without the files of the manifest: those are
    /// differences.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.missing
    }
}

// Texts that the library gives one by one.
fn names(
    called: &str,
    count: usize,
    get: impl Fn(usize, *mut *const c_char) -> sys::merklize_status,
) -> Result<Vec<String>> {
    let name_at = |index| {
        let mut name = ptr::null();
        check(called, || get(index, &mut name))?;
        // SAFETY: a text that ends with a 0 and lives as long as the handle.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    };
    (0..count).map(name_at).collect()
}

impl Differences {
    fn all(&self, called: &str) -> Result<Findings<Difference>> {
        // SAFETY: a live handle.
        let count = unsafe { sys::merklize_differences_count(self.as_c()) };
        let difference_at = |index| {
            let mut difference = sys::merklize_difference::default();
            // SAFETY: a live handle and a struct.
            check(called, || unsafe { sys::merklize_differences_get(self.as_c(), index, &mut difference) })?;
            // SAFETY: texts that end with a 0 and live as long as the handle.
            let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
            Ok(Difference {
                kind: text(difference.kind),
                what: text(difference.what),
                name: text(difference.name),
                shard: (!difference.shard.is_null()).then(|| text(difference.shard)),
                piece: difference.begin..difference.end,
                sentence: text(difference.sentence),
            })
        };
        let mut found = Findings::new((0..count).map(difference_at).collect::<Result<_>>()?);
        // SAFETY: a live handle.
        let missing = unsafe { sys::merklize_differences_missing_count(self.as_c()) };
        // SAFETY: a live handle, and an index below the count.
        found.missing = names(called, missing, |index, out| unsafe {
            sys::merklize_differences_missing_get(self.as_c(), index, out)
        })?;
        Ok(found)
    }
}
