//! Trees and digests that other systems verify: formats of trees, OpenZeppelin, files, disks and pieces.
//! docs/formats.md has the rules.
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

mod dm_verity;
mod openzeppelin;

use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::error::{c_path, c_text, check, text, Result};
use crate::hash::{as_c, as_c_mut, Digest};
use crate::options::Options;
use crate::tree::MerkleTree;

pub use dm_verity::{
    dm_verity, dm_verity_dump, dm_verity_file, dm_verity_format, dm_verity_verify, DmVerityFacts, DmVerityFault,
    DmVerityForm,
};
pub use openzeppelin::{openzeppelin_leaf, verify_openzeppelin, OpenZeppelinMultiProof, OpenZeppelinTree};

pub use crate::types::{DmVerityAlgorithm, DmVerityArea, FormatInfo, FsVerityForm, PieceCid};

/// The formats of trees.
///
/// ```
/// use merklize::{formats, Hash, Rule};
///
/// let bitcoin = formats::info("bitcoin")?;
/// assert!(bitcoin.hash == Hash::SHA256D && bitcoin.rule == Rule::DuplicateLast && bitcoin.is_ambiguous);
/// assert!(formats::list()?.contains(&bitcoin));
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// None that a caller can make.
pub fn list() -> Result<Vec<FormatInfo>> {
    // SAFETY: takes a number.
    check("formats::list", || unsafe { sys::merklize_check_abi(sys::MERKLIZE_ABI_VERSION) })?; // what counts is no error
                                                                                               // SAFETY: takes nothing.
    let count = unsafe { sys::merklize_format_count() };
    (0..count)
        .map(|index| {
            let mut info = sys::merklize_format_info::default();
            // SAFETY: a place for the facts.
            check("formats::list", || unsafe { sys::merklize_format_describe(index, &mut info) })?;
            Ok(FormatInfo::from_c(&info))
        })
        .collect()
}

/// The format of this name.
///
/// # Errors
/// An unknown name; the text lists the known ones.
pub fn info(name: &str) -> Result<FormatInfo> {
    let (name, mut info) = (c_text("formats::info", name)?, sys::merklize_format_info::default());
    // SAFETY: a text, and a place for the facts.
    check("formats::info", || unsafe { sys::merklize_format_get_info(name.as_ptr(), &mut info) })?;
    Ok(FormatInfo::from_c(&info))
}

/// Refuses a tree whose root is also that of another list of leaves (CVE-2012-2459).
///
/// # Errors
/// It is so: the text names the level. An unknown format.
pub fn require_unambiguous(tree: &MerkleTree, format: &str) -> Result<()> {
    let format = c_text("require_unambiguous", format)?;
    // SAFETY: a live handle and a text.
    check("require_unambiguous", || unsafe { sys::merklize_require_unambiguous(tree.as_c(), format.as_ptr()) })
}

impl PieceCid {
    fn make(call: impl FnOnce(*mut sys::merklize_piece_cid_info) -> Result<()>) -> Result<Self> {
        let mut piece = sys::merklize_piece_cid_info::default();
        call(&mut piece)?;
        Ok(Self::from_c(&piece))
    }
}

/// The piece commitment of data. It runs on the threads of the CPU.
///
/// ```
/// use merklize::{formats, Options};
///
/// let piece = formats::piece_cid(b"", &Options::new())?;
/// assert_eq!(piece.v2, "bafkzcibcp4bdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy");
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// More data than a piece of 64 GiB has; options with timings or a policy; `Cancelled`.
pub fn piece_cid(data: &[u8], options: &Options<'_>) -> Result<PieceCid> {
    // SAFETY: `data` is read for the call.
    PieceCid::make(|out| {
        options.run("piece_cid", |options| unsafe {
            sys::merklize_piece_cid(data.as_ptr().cast(), data.len(), out, options)
        })
    })
}

/// The same for a file, or a pipe.
///
/// # Errors
/// As [`piece_cid`]; `Io`: it cannot be opened or read, or it changed meanwhile.
pub fn piece_cid_file(path: impl AsRef<Path>, options: &Options<'_>) -> Result<PieceCid> {
    let path = c_path(path.as_ref())?;
    // SAFETY: a path.
    PieceCid::make(|out| {
        options.run("piece_cid_file", |options| unsafe { sys::merklize_piece_cid_file(path.as_ptr(), out, options) })
    })
}

/// The leaves of a piece's tree over some data, of a whole piece or of a part that begins at a multiple of 127 bytes: 4
/// for each 127 bytes begun.
///
/// ```
/// use merklize::{formats, Expect, Form, Hash, MerkleTree, Mode, Options, Rule};
///
/// let data: Vec<u8> = (0..5000).map(|i| (i % 251) as u8).collect();
/// let form = Form::new(Hash::SHA256_TRUNC254).rule(Rule::Pad(Default::default()));
/// let tree = MerkleTree::from_leaves(&formats::piece_leaves(&data)?, form, &Options::new())?;
/// assert_eq!(tree.root(), formats::piece_cid(&data, &Options::new())?.root);
/// // Bytes from 127 * 3 up to 127 * 5:
/// let proof = tree.prove_range(4 * 3..4 * 5)?;
/// proof.verify(&tree.root(), Expect::new(), Mode::Plain)?;
/// let part = formats::piece_leaves(&data[127 * 3..127 * 5])?;
/// assert!(proof.leaves().into_iter().map(|(_, leaf)| leaf).eq(part));
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// More data than a piece of 64 GiB has.
pub fn piece_leaves(data: &[u8]) -> Result<Vec<Digest>> {
    let mut leaves = vec![Digest::default(); data.len().div_ceil(127) * 4];
    // SAFETY: `data` is read, and as many leaves as there are places for are written.
    check("piece_leaves", || unsafe {
        let (out, capacity) = (as_c_mut(&mut leaves), leaves.len());
        sys::merklize_piece_leaves(data.as_ptr().cast(), data.len(), out, capacity, ptr::null_mut())
    })?;
    Ok(leaves)
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
        options.run("fs_verity", |options| unsafe {
            sys::merklize_fs_verity(data.as_ptr().cast(), data.len(), &form, out, options)
        })
    })
}

/// The same of a file.
///
/// # Errors
/// As [`fs_verity`]; `Io`: it cannot be opened or read, or it changed meanwhile.
pub fn fs_verity_file(path: impl AsRef<Path>, form: FsVerityForm<'_>, options: &Options<'_>) -> Result<Digest> {
    let (path, form) = (c_path(path.as_ref())?, form.to_c());
    // SAFETY: a path, and a form that is read for the call.
    digest_of(|out| {
        options.run("fs_verity_file", |options| unsafe {
            sys::merklize_fs_verity_file(path.as_ptr(), &form, out, options)
        })
    })
}

/// Amazon Glacier's tree hash.
///
/// # Errors
/// `Cancelled`.
pub fn glacier(data: &[u8], options: &Options<'_>) -> Result<Digest> {
    // SAFETY: `data` is read for the call.
    digest_of(|out| {
        options
            .run("glacier", |options| unsafe { sys::merklize_glacier(data.as_ptr().cast(), data.len(), out, options) })
    })
}

/// The values that a torrent of version 2 stores for a file (BEP 52).
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
    options.run("bittorrent_v2", |options| unsafe {
        let (from, nodes, capacity) = (data.as_ptr().cast(), as_c_mut(&mut layer), layer.len());
        sys::merklize_bittorrent_v2(from, data.len(), piece_length, &mut root, nodes, capacity, &mut count, options)
    })?;
    layer.truncate(count);
    Ok(BittorrentV2 { root: (!data.is_empty()).then(|| Digest::from_c(root)), layer })
}

/// SSZ's `merkleize(chunks, limit)`, which Ethereum's consensus layer verifies. `limit`: chunks that the type allows;
/// `None`: as many as there are. `length`: the number of elements of a list, which is hashed with the root.
///
/// # Errors
/// More chunks than the limit; `Cancelled`.
pub fn ssz(chunks: &[Digest], limit: Option<u64>, length: Option<u64>, options: &Options<'_>) -> Result<Digest> {
    let pointer = |value: &Option<u64>| value.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the chunks and the numbers are read for the call.
    digest_of(|out| {
        options.run("ssz", |options| unsafe {
            sys::merklize_ssz(as_c(chunks), chunks.len(), pointer(&limit), pointer(&length), out, options)
        })
    })
}

/// The hash by which the Hugging Face hub identifies the content of a file. It runs on the CPU. The hash of no bytes is
/// 32 zeros.
///
/// # Errors
/// `Cancelled`.
pub fn xet_hash(data: &[u8], options: &Options<'_>) -> Result<Digest> {
    // SAFETY: `data` is read for the call.
    digest_of(|out| {
        options.run("xet_hash", |options| unsafe {
            sys::merklize_xet_hash(data.as_ptr().cast(), data.len(), out, options)
        })
    })
}

/// The same of a file.
///
/// # Errors
/// `Io`: it cannot be opened or read, or it changed meanwhile; `Cancelled`.
pub fn xet_hash_file(path: impl AsRef<Path>, options: &Options<'_>) -> Result<Digest> {
    let path = c_path(path.as_ref())?;
    // SAFETY: a path.
    digest_of(|out| {
        options.run("xet_hash_file", |options| unsafe { sys::merklize_xet_hash_file(path.as_ptr(), out, options) })
    })
}

/// The hash as the hub writes it: 64 hexadecimal digits, with the bytes of each group of 8 reversed.
///
/// # Errors
/// None that a caller can cause.
pub fn xet_hex(digest: &Digest) -> Result<String> {
    let (digest, mut digits) = (digest.to_c(), [0; 65]);
    // SAFETY: 65 bytes, which end with a zero byte.
    check("xet_hex", || unsafe { sys::merklize_xet_hex(&digest, digits.as_mut_ptr()) })?;
    Ok(unsafe { text(digits.as_ptr()) })
}
