use core::fmt;
use std::path::Path;

use merklize_sys as sys;

use crate::device::Buffer;
use crate::error::{c_path, check, text, Error, Result};
use crate::handle::handle;
use crate::hash::{output, rows_of, view, Digest, Hash, Word};
use crate::options::{Mode, Options};

/// BLAKE3 digest of bytes, by the device `auto`.
///
/// ```
/// let digest = merklize::hash(b"abc")?;
/// assert_eq!(digest.to_string(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// Those of the device.
pub fn hash<'a>(data: impl Into<Message<'a>>) -> Result<Digest> {
    hash_with(data, Mode::Plain, &Options::new())
}

/// How messages are hashed: by a [`Hash`](struct@Hash), or by BLAKE3 or BLAKE2s in a [`Mode`]. Both convert into this
/// type.
#[derive(Clone, Copy)]
pub struct How<'a> {
    pub(crate) hash: Hash,
    mode: Mode<'a>,
}

impl From<Hash> for How<'_> {
    fn from(hash: Hash) -> Self {
        Self { hash, mode: Mode::Plain }
    }
}

impl<'a> From<Mode<'a>> for How<'a> {
    fn from(mode: Mode<'a>) -> Self {
        let hash = if let Mode::KeyedBlake2s(_) = mode { Hash::BLAKE2S } else { Hash::BLAKE3 };
        Self { hash, mode }
    }
}

impl How<'_> {
    pub(crate) fn to_c(self) -> (sys::merklize_hash_id, sys::merklize_mode) {
        (self.hash.id(), self.mode.to_c())
    }
}

/// A message of any length, in the memory where it lies.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Message<'a> {
    /// Memory of the host.
    Host(&'a [u8]),
    /// All bytes of a device's memory.
    Device(&'a Buffer),
}

impl Message<'_> {
    pub(crate) fn to_c(self) -> sys::merklize_view {
        match self {
            Self::Host(bytes) => view(bytes),
            Self::Device(buffer) => buffer.view(),
        }
    }
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Message<'a> {
    fn from(bytes: &'a T) -> Self {
        Self::Host(bytes.as_ref())
    }
}

impl<'a> From<&'a Buffer> for Message<'a> {
    fn from(buffer: &'a Buffer) -> Self {
        Self::Device(buffer)
    }
}

/// Digest of one message by any hash of bytes. BLAKE3 runs on all threads, or on the device.
///
/// ```
/// use merklize::{hash_with, Hash, Mode, Options};
///
/// let sha = hash_with(b"abc", Hash::SHA256, &Options::new())?;
/// assert_eq!(sha.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// let keyed = hash_with(b"abc", Mode::Keyed(&[7; 32]), &Options::new())?;
/// assert_ne!(keyed, merklize::hash(b"abc")?);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// A hash of field elements; `sha256_rfc6962`, which puts a prefix before leaves; `keccakf64`, which binds no length;
/// `Unavailable`, `Cancelled`.
pub fn hash_with<'a, 'b>(
    data: impl Into<Message<'a>>,
    how: impl Into<How<'b>>,
    options: &Options<'_>,
) -> Result<Digest> {
    let mut digest = Digest::default();
    hash_into(data, how, 0, &mut digest.0, options)?;
    Ok(digest)
}

/// Bytes `seek ..` of BLAKE3's extendable output; or the digest of another hash, which has 32 bytes, of `blake2s` 1 to
/// 32.
///
/// # Errors
/// As [`hash_with`]; output beyond byte 2^64 - 1; of another hash, another length or `seek`.
pub fn hash_into<'a, 'b>(
    data: impl Into<Message<'a>>,
    how: impl Into<How<'b>>,
    seek: u64,
    out: &mut [u8],
    options: &Options<'_>,
) -> Result<()> {
    let (data, (hash, mode)) = (data.into().to_c(), how.into().to_c());
    // SAFETY: `data` is read and `out` is written for the call.
    options.run("hash", |options| unsafe {
        sys::merklize_hash(data, hash, &mode, seek, out.as_mut_ptr(), out.len(), options)
    })
}

/// Digest of a file or of anything else that can be opened and read, by any hash of bytes.
///
/// # Errors
/// As [`hash_with`]; `Io`: it cannot be opened or read, or it changed its size while it was read.
pub fn hash_file<'a>(path: impl AsRef<Path>, how: impl Into<How<'a>>, options: &Options<'_>) -> Result<Digest> {
    let (path, (hash, mode), mut digest) = (c_path(path.as_ref())?, how.into().to_c(), Digest::default());
    // SAFETY: a path, and a place for 32 bytes.
    options.run("hash_file", |options| unsafe {
        sys::merklize_hash_file(path.as_ptr(), hash, &mode, 0, digest.0.as_mut_ptr(), 32, options)
    })?;
    Ok(digest)
}

handle! {
    /// The digests or errors of files.
    FileDigests: merklize_file_digests, merklize_file_digests_free
}

/// Digests of many files, several at once. A file that fails has an error in its place, and does not stop the others.
///
/// ```
/// use merklize::{hash, hash_files, ErrorKind, Mode, Options};
///
/// let path = std::env::temp_dir().join("merklize-hash-files");
/// std::fs::write(&path, b"abc").unwrap();
/// let digests = hash_files([path.as_path(), "/nowhere/file".as_ref()], Mode::Plain, &Options::new())?;
/// assert_eq!(digests[0].as_ref().unwrap(), &hash(b"abc")?);
/// assert_eq!(digests[1].as_ref().unwrap_err().kind(), ErrorKind::Io);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// As [`hash_with`].
pub fn hash_files<'a>(
    paths: impl IntoIterator<Item: AsRef<Path>>,
    how: impl Into<How<'a>>,
    options: &Options<'_>,
) -> Result<Vec<Result<Digest>>> {
    let (paths, (hash, mode)) = (paths.into_iter().collect::<Vec<_>>(), how.into().to_c());
    let in_c = paths.iter().map(|path| c_path(path.as_ref())).collect::<Result<Vec<_>>>()?;
    let pointers: Vec<_> = in_c.iter().map(|path| path.as_ptr()).collect();
    let mut handle = core::ptr::null_mut();
    // SAFETY: the paths are read for the call.
    options.run("hash_files", |options| unsafe {
        let n = pointers.len();
        sys::merklize_hash_files(pointers.as_ptr(), n, hash, &mode, 0, 32, options, &mut handle)
    })?;
    let digests = FileDigests::own(handle);
    let digest_of = |(index, path): (usize, &_)| {
        let mut digest = sys::merklize_file_digest::default();
        // SAFETY: a live handle, and a place for the answer.
        check("hash_files", || unsafe { sys::merklize_file_digests_get(digests.as_c(), index, &mut digest) })?;
        if digest.output.is_null() {
            // SAFETY: a text that lives as long as the handle.
            let why = unsafe { text(digest.error) };
            return Err(Error::of_file(why, digest.system_error, AsRef::<Path>::as_ref(path)));
        }
        // SAFETY: 32 bytes that live as long as the handle.
        Ok(Digest(unsafe { *digest.output.cast::<[u8; 32]>() }))
    };
    Ok(paths.iter().enumerate().map(digest_of).collect())
}

/// Digests of messages of any lengths. BLAKE3 hashes messages where they lie, in one job a device, and those of the
/// host on the device of the options. For many small messages this is faster than [`hash_with`] of each, because one
/// call, one copy and one launch serve all of them.
///
/// ```
/// use merklize::{hash, hash_each, Mode, Options};
///
/// let digests = hash_each(["abc", "", "a longer one"], Mode::Plain, &Options::new())?;
/// assert_eq!(digests, [hash(b"abc")?, hash(b"")?, hash(b"a longer one")?]);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// As [`hash_with`]; `OutOfMemory`; a stream, and messages on another device.
pub fn hash_each<'a, 'b>(
    messages: impl IntoIterator<Item: Into<Message<'a>>>,
    how: impl Into<How<'b>>,
    options: &Options<'_>,
) -> Result<Vec<Digest>> {
    let messages: Vec<_> = messages.into_iter().map(|message| message.into().to_c()).collect();
    let mut digests = vec![Digest::default(); messages.len()];
    // SAFETY: 32 bytes for each message.
    unsafe { each(&messages, how.into(), 0, digests.as_mut_ptr().cast(), 32, options) }?;
    Ok(digests)
}

/// Bytes `seek .. seek + length` of the extendable output of each message, one after another in `out`.
///
/// ```
/// use merklize::{hash_each_into, hash_into, Mode, Options};
///
/// let (mut all, mut second) = ([0; 2 * 100], [0; 100]);
/// hash_each_into(["abc", "de"], Mode::Plain, 32, 100, &mut all, &Options::new())?;
/// hash_into(b"de", Mode::Plain, 32, &mut second, &Options::new())?;
/// assert_eq!(all[100..], second);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// As [`hash_each`]; `out` of another size than `length` bytes a message; output beyond byte 2^64 - 1.
pub fn hash_each_into<'a, 'b>(
    messages: impl IntoIterator<Item: Into<Message<'a>>>,
    how: impl Into<How<'b>>,
    seek: u64,
    length: usize,
    out: &mut [u8],
    options: &Options<'_>,
) -> Result<()> {
    let messages: Vec<_> = messages.into_iter().map(|message| message.into().to_c()).collect();
    if messages.len().checked_mul(length) != Some(out.len()) {
        let (n, got) = (messages.len(), out.len());
        return Err(Error::invalid_argument(format!(
            "hash_each_into: {n} messages need {n} x {length} bytes of output, got {got}"
        )));
    }
    // SAFETY: `out` was compared with the messages.
    unsafe { each(&messages, how.into(), seek, out.as_mut_ptr(), length, options) }
}

/// # Safety
/// The messages live, and `out` has `length` bytes for each.
unsafe fn each(
    messages: &[sys::merklize_view],
    how: How<'_>,
    seek: u64,
    out: *mut u8,
    length: usize,
    options: &Options<'_>,
) -> Result<()> {
    let (hash, mode) = how.to_c();
    // SAFETY: the caller's promise.
    options.run("hash_each", |options| unsafe {
        sys::merklize_hash_each(messages.as_ptr(), messages.len(), hash, &mode, seek, out, length, options)
    })
}

/// BLAKE3 of one message that is the concatenation of several buffers. All devices work at once.
///
/// # Errors
/// A part, other than the last, that is not a multiple of 1024 bytes; options with a stream; `Cancelled`.
pub fn hash_parts<'a>(parts: &[&Buffer], mode: Mode<'a>, options: &Options<'_>) -> Result<Digest> {
    let parts: Vec<_> = parts.iter().map(|part| part.as_c().cast_const()).collect();
    let (mode, mut digest) = (mode.to_c(), Digest::default());
    // SAFETY: live handles, and a place for 32 bytes.
    options.run("hash_parts", |options| unsafe {
        sys::merklize_hash_parts(parts.as_ptr(), parts.len(), &mode, 0, digest.0.as_mut_ptr(), 32, options)
    })?;
    Ok(digest)
}

/// Digests of consecutive rows of equal length, as leaves of a tree of this hash.
///
/// ```
/// use merklize::{hash, hash_leaves, Hash, Options};
///
/// assert_eq!(hash_leaves(b"abcdef", 3, Hash::BLAKE3, &Options::new())?, [hash(b"abc")?, hash(b"def")?]);
/// let of_words = hash_leaves(&[1u64, 2, 3], 3, Hash::RP64_256, &Options::new())?;
/// assert_eq!(of_words.len(), 1);
/// assert!(hash_leaves(&[u64::MAX], 1, Hash::RP64_256, &Options::new()).is_err(), "not below the modulus");
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// A length that is 0 or does not divide the number of words; words of another size than the hash's; a word that is not
/// below the modulus, with its place.
pub fn hash_leaves<'a, W: Word>(
    rows: &[W],
    row_length: usize,
    how: impl Into<How<'a>>,
    options: &Options<'_>,
) -> Result<Vec<Digest>> {
    let mut digests = vec![Digest::default(); rows.len() / row_length.max(1)];
    hash_leaves_into(rows, row_length, how, &mut digests, options)?;
    Ok(digests)
}

/// The same into the caller's memory.
///
/// # Errors
/// As [`hash_leaves`]; another number of digests than of rows.
pub fn hash_leaves_into<'a, W: Word>(
    rows: &[W],
    row_length: usize,
    how: impl Into<How<'a>>,
    digests: &mut [Digest],
    options: &Options<'_>,
) -> Result<()> {
    let how = how.into();
    let rows = rows_of("hash_leaves", how.hash, rows, row_length)?;
    if digests.len() != rows.count {
        let (n, got) = (rows.count, digests.len());
        return Err(Error::invalid_argument(format!("hash_leaves: {n} rows need as many digests, got {got}")));
    }
    let ((hash, mode), out) = (how.to_c(), output(digests));
    // SAFETY: `rows` holds as many rows as `digests` has places.
    options.run("hash_leaves", |options| unsafe {
        sys::merklize_hash_leaves(rows.view, rows.bytes, hash, &mode, out, options)
    })
}

/// Digests of the rows in a device's memory, written there: as many rows as `digests` has nodes of 32 bytes.
///
/// # Errors
/// Memory of different devices; sizes that do not fit; words that are not below the modulus.
pub fn hash_leaves_on_device<'a>(
    rows: &Buffer,
    row_length: usize,
    how: impl Into<How<'a>>,
    digests: &mut Buffer,
    options: &Options<'_>,
) -> Result<()> {
    let how = how.into();
    let row_bytes = (row_length as u64).saturating_mul(how.hash.facts()?.element_bytes as u64);
    let ((hash, mode), rows, out) = (how.to_c(), rows.view(), digests.output());
    // SAFETY: live handles.
    options.run("hash_leaves_on_device", |options| unsafe {
        sys::merklize_hash_leaves(rows, row_bytes, hash, &mode, out, options)
    })
}

/// The node above two nodes.
///
/// # Errors
/// A word that is not below the modulus of a field hash.
pub fn merge<'a>(left: Digest, right: Digest, how: impl Into<How<'a>>, options: &Options<'_>) -> Result<Digest> {
    Ok(merge_many(&[left], &[right], how, options)?[0])
}

/// The nodes above pairs of nodes: `merge(left[i], right[i])`.
///
/// # Errors
/// Different numbers of nodes; a word that is not below the modulus of a field hash.
pub fn merge_many<'a>(
    left: &[Digest],
    right: &[Digest],
    how: impl Into<How<'a>>,
    options: &Options<'_>,
) -> Result<Vec<Digest>> {
    if left.len() != right.len() {
        let (left, right) = (left.len(), right.len());
        return Err(Error::invalid_argument(format!(
            "merge: left and right must have equal counts, got {left} and {right}"
        )));
    }
    let mut digests = vec![Digest::default(); left.len()];
    let ((hash, mode), left, right, out) = (how.into().to_c(), view(left), view(right), output(&mut digests));
    // SAFETY: the three have equal counts.
    options.run("merge", |options| unsafe { sys::merklize_merge(left, right, hash, &mode, out, options) })?;
    Ok(digests)
}

handle! {
    /// A digest of bytes that come in pieces. Large pieces use all threads. A clone has taken the same bytes.
    ///
    /// ```
    /// use merklize::{Hasher, Mode, Options};
    ///
    /// let mut hasher = Hasher::new(Mode::Plain, &Options::new())?;
    /// hasher.update(b"ab")?;
    /// hasher.update(b"c")?;
    /// assert_eq!(hasher.finalize()?, merklize::hash(b"abc")?);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    Hasher: merklize_hasher, merklize_hasher_free
}
// SAFETY: merklize.h, "Threads": one thread at a time, any thread. So it is not Sync.
unsafe impl Send for Hasher {}

impl Hasher {
    /// A hasher without bytes, of any hash of bytes. The options hold for all later calls.
    ///
    /// # Errors
    /// Options with `progress`, `timings` or a stream; a hash that [`hash_with`] does not take, or that begins with the
    /// length.
    pub fn new<'a>(how: impl Into<How<'a>>, options: &Options<'_>) -> Result<Self> {
        let ((hash, mode), mut handle) = (how.into().to_c(), core::ptr::null_mut());
        // SAFETY: a mode, and a place for the handle.
        options
            .without_stream("Hasher::new")?
            .run("Hasher::new", |options| unsafe { sys::merklize_hasher_create(hash, &mode, options, &mut handle) })?;
        Ok(Self::own(handle))
    }

    /// Takes more bytes.
    ///
    /// # Errors
    /// Those of the device.
    pub fn update(&mut self, data: &[u8]) -> Result<()> {
        // SAFETY: a live handle that this thread has alone; `data` is read for the call.
        check("Hasher::update", || unsafe {
            sys::merklize_hasher_update(self.as_c(), data.as_ptr().cast(), data.len())
        })
    }

    /// Digest of all bytes so far. More may follow.
    ///
    /// # Errors
    /// Those of the device.
    pub fn finalize(&self) -> Result<Digest> {
        let mut digest = Digest::default();
        self.finalize_into(0, &mut digest.0)?;
        Ok(digest)
    }

    /// Bytes `seek ..` of the extendable output of all bytes so far.
    ///
    /// # Errors
    /// A hash without extendable output: other than 32 bytes at 0.
    pub fn finalize_into(&self, seek: u64, out: &mut [u8]) -> Result<()> {
        // SAFETY: a live handle; `out` is written for the call.
        check("Hasher::finalize", || unsafe {
            sys::merklize_hasher_output(self.as_c(), seek, out.as_mut_ptr(), out.len())
        })
    }

    /// Number of bytes so far.
    pub fn count(&self) -> u64 {
        // SAFETY: a live handle.
        unsafe { sys::merklize_hasher_count(self.as_c()) }
    }

    /// Forgets all bytes; keeps hash, mode and options.
    ///
    /// # Errors
    /// Those of the device.
    pub fn reset(&mut self) -> Result<()> {
        // SAFETY: a live handle that this thread has alone.
        check("Hasher::reset", || unsafe { sys::merklize_hasher_reset(self.as_c()) })
    }

    /// An independent copy, which has taken the same bytes.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn try_clone(&self) -> Result<Self> {
        // SAFETY: a live handle.
        Self::make("Hasher::clone", |out| unsafe { sys::merklize_hasher_copy(self.as_c(), out) })
    }
}

/// Panics if there is no memory; `try_clone()` returns the error.
impl Clone for Hasher {
    fn clone(&self) -> Self {
        self.try_clone().expect("memory for a hasher")
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({} bytes)", self.count())
    }
}

/// A failed update is an error of the library; nothing is lost.
impl std::io::Write for Hasher {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.update(data).map_err(std::io::Error::other)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
