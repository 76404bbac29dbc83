//! Digests of whole files that other systems verify, by SHA-256, and xet. docs/formats.md has the rules.
//!
//! ```
//! use merklize::{formats, Options};
//!
//! let options = Options::new();
//! assert_eq!(formats::glacier(b"abc", &options)?, merklize::hash_with(b"abc", merklize::Hash::SHA256, &options)?);
//! let xet = formats::xet_hash(b"hello", &options)?;
//! assert_eq!(formats::xet_hex(&xet)?.len(), 64);
//! # Ok::<(), merklize::Error>(())
//! ```

use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::error::{c_path, check, text, Result};
use crate::hash::{as_c, as_c_mut, Digest};
use crate::options::Options;

/// How fs-verity cuts a file into blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FsVerityForm<'a> {
    /// Bytes: a power of two, 1024 to 65536; 0: 4096.
    pub block_size: u32,
    /// Copied in front of each block; at most 32 bytes.
    pub salt: &'a [u8],
}

impl FsVerityForm<'_> {
    fn to_c(self) -> sys::merklize_fs_verity_form {
        sys::merklize_fs_verity_form {
            block_size: self.block_size,
            salt: self.salt.as_ptr(),
            salt_bytes: self.salt.len(),
        }
    }
}

fn digest_of(call: impl FnOnce(*mut sys::merklize_digest) -> Result<()>) -> Result<Digest> {
    let mut digest = Digest::default().to_c();
    call(&mut digest)?;
    Ok(Digest::from_c(digest))
}

/// The digest that `fsverity digest` prints and the kernel measures.
///
/// # Errors
/// A block size that is no power of two from 1024 to 65536; a salt of more than 32 bytes; `Cancelled`.
pub fn fs_verity(data: &[u8], form: FsVerityForm<'_>, options: &Options<'_>) -> Result<Digest> {
    let form = form.to_c();
    // SAFETY: `data` and the form are read for the call.
    digest_of(|out| {
        options.run(|options| unsafe { sys::merklize_fs_verity(data.as_ptr().cast(), data.len(), &form, out, options) })
    })
}

/// The same of a file.
///
/// # Errors
/// As [`fs_verity`]; `Io`: it cannot be opened or read, or it changed meanwhile.
pub fn fs_verity_file(path: impl AsRef<Path>, form: FsVerityForm<'_>, options: &Options<'_>) -> Result<Digest> {
    let (path, form) = (c_path(path.as_ref())?, form.to_c());
    // SAFETY: a path, and a form that is read for the call.
    digest_of(|out| options.run(|options| unsafe { sys::merklize_fs_verity_file(path.as_ptr(), &form, out, options) }))
}

/// Amazon Glacier's tree hash.
///
/// # Errors
/// `Cancelled`.
pub fn glacier(data: &[u8], options: &Options<'_>) -> Result<Digest> {
    // SAFETY: `data` is read for the call.
    digest_of(|out| {
        options.run(|options| unsafe { sys::merklize_glacier(data.as_ptr().cast(), data.len(), out, options) })
    })
}

/// What a torrent of version 2 stores for a file (BEP 52).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BittorrentV2 {
    /// `pieces root`. An empty file has none.
    pub root: Option<Digest>,
    /// The file's value in `piece layers`, a node a piece; empty if the file is no longer than a piece.
    pub layer: Vec<Digest>,
}

/// `pieces root` and `piece layers` of a file. `piece_length` is in bytes: a power of two, at least 16384; 0: 1 MiB.
///
/// # Errors
/// Another `piece_length`; `Cancelled`.
pub fn bittorrent_v2(data: &[u8], piece_length: u64, options: &Options<'_>) -> Result<BittorrentV2> {
    let piece = if piece_length == 0 { 1 << 20 } else { piece_length };
    // Shorter pieces are an error.
    let pieces = if piece < 16384 { 0 } else { (data.len() as u64).div_ceil(piece) as usize };
    let mut layer = vec![Digest::default(); pieces];
    let (mut root, mut count) = (Digest::default().to_c(), 0);
    // SAFETY: `data` is read, and at most as many nodes as pieces are written, for the call.
    options.run(|options| unsafe {
        let (from, nodes, capacity) = (data.as_ptr().cast(), as_c_mut(&mut layer), layer.len());
        sys::merklize_bittorrent_v2(from, data.len(), piece_length, &mut root, nodes, capacity, &mut count, options)
    })?;
    layer.truncate(count);
    Ok(BittorrentV2 { root: (!data.is_empty()).then(|| Digest::from_c(root)), layer })
}

/// SSZ's `merkleize(chunks, limit)`, which Ethereum's consensus layer verifies. `limit`: chunks that the type allows; `None`: as many as there are.
/// `length`: the number of elements of a list, which is hashed with the root.
///
/// # Errors
/// More chunks than the limit; `Cancelled`.
pub fn ssz(chunks: &[Digest], limit: Option<u64>, length: Option<u64>, options: &Options<'_>) -> Result<Digest> {
    let pointer = |value: &Option<u64>| value.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the chunks and the numbers are read for the call.
    digest_of(|out| {
        options.run(|options| unsafe {
            sys::merklize_ssz(as_c(chunks), chunks.len(), pointer(&limit), pointer(&length), out, options)
        })
    })
}

/// The hash by which the Hugging Face hub identifies the content of a file. It runs on the CPU. The hash of no bytes is 32 zeros.
///
/// # Errors
/// `Cancelled`.
pub fn xet_hash(data: &[u8], options: &Options<'_>) -> Result<Digest> {
    // SAFETY: `data` is read for the call.
    digest_of(|out| {
        options.run(|options| unsafe { sys::merklize_xet_hash(data.as_ptr().cast(), data.len(), out, options) })
    })
}

/// The same of a file.
///
/// # Errors
/// `Io`: it cannot be opened or read, or it changed meanwhile; `Cancelled`.
pub fn xet_hash_file(path: impl AsRef<Path>, options: &Options<'_>) -> Result<Digest> {
    let path = c_path(path.as_ref())?;
    // SAFETY: a path.
    digest_of(|out| options.run(|options| unsafe { sys::merklize_xet_hash_file(path.as_ptr(), out, options) }))
}

/// The hash as the hub writes it: 64 hexadecimal digits, with the bytes of each group of 8 reversed.
///
/// # Errors
/// None that a caller can cause.
pub fn xet_hex(digest: &Digest) -> Result<String> {
    let (digest, mut digits) = (digest.to_c(), [0; 65]);
    // SAFETY: 65 bytes, which end with a zero byte.
    check(|| unsafe { sys::merklize_xet_hex(&digest, digits.as_mut_ptr()) })?;
    Ok(unsafe { text(digits.as_ptr()) })
}
