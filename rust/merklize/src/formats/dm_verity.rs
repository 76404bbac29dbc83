//! dm-verity.

use core::ptr;
use std::path::Path;

use merklize_sys as sys;

use crate::error::{c_path, check, Result};
use crate::options::Options;
use crate::types::{DmVerityAlgorithm, DmVerityArea};
use crate::verdict::Findings;

/// How a disk is hashed. The same fields and data always give the same root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DmVerityForm<'a> {
    /// The hash of blocks.
    pub algorithm: DmVerityAlgorithm,
    /// `false`: format 1, the salt comes before each block; `true`: format 0 (Chrome OS), after it.
    pub salt_after: bool,
    /// Bytes: a power of two, 512 to 524288; 0: 4096.
    pub data_block_size: u32,
    /// The same for the blocks of the tree.
    pub hash_block_size: u32,
    /// `None`: all of the data, which must be whole blocks.
    pub data_blocks: Option<u64>,
    /// At most 256 bytes.
    pub salt: &'a [u8],
}

impl DmVerityForm<'_> {
    fn to_c(self) -> Result<sys::merklize_dm_verity_form> {
        if self.data_blocks == Some(0) {
            return Err(crate::Error::invalid_argument("dm_verity: data_blocks must be at least 1, got 0"));
        }
        Ok(sys::merklize_dm_verity_form {
            algorithm: self.algorithm.to_c(),
            salt_after: self.salt_after.into(),
            data_block_size: self.data_block_size,
            hash_block_size: self.hash_block_size,
            data_blocks: self.data_blocks.unwrap_or(0),
            salt: self.salt.as_ptr(),
            salt_bytes: self.salt.len(),
        })
    }
}

/// The facts in a superblock, or of the tree that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DmVerityFacts {
    /// As in [`DmVerityForm`].
    pub algorithm: DmVerityAlgorithm,
    /// As in [`DmVerityForm`].
    pub salt_after: bool,
    /// Bytes.
    pub data_block_size: u32,
    /// Bytes.
    pub hash_block_size: u32,
    /// Number of blocks of the data.
    pub data_blocks: u64,
    /// As in [`DmVerityForm`].
    pub salt: Vec<u8>,
    /// The UUID in the superblock.
    pub uuid: [u8; 16],
    /// Blocks of the tree, without that of the superblock.
    pub hash_blocks: u64,
    /// The end of the tree, in bytes into the hash file.
    pub end: u64,
}

impl DmVerityFacts {
    fn from_c(facts: &sys::merklize_dm_verity_facts) -> Self {
        Self {
            algorithm: DmVerityAlgorithm::from_c(facts.algorithm),
            salt_after: facts.salt_after != 0,
            data_block_size: facts.data_block_size,
            hash_block_size: facts.hash_block_size,
            data_blocks: facts.data_blocks,
            salt: facts.salt[..facts.salt_bytes].to_vec(),
            uuid: facts.uuid,
            hash_blocks: facts.hash_blocks,
            end: facts.end,
        }
    }

    /// How the disk is hashed.
    pub fn form(&self) -> DmVerityForm<'_> {
        DmVerityForm {
            algorithm: self.algorithm,
            salt_after: self.salt_after,
            data_block_size: self.data_block_size,
            hash_block_size: self.hash_block_size,
            data_blocks: Some(self.data_blocks),
            salt: &self.salt,
        }
    }
}

/// A block that does not match the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DmVerityFault {
    /// A block of the data, from 0.
    Data(u64),
    /// A block of the tree, by its place in the hash file: bytes / `hash_block_size`.
    Hashes(u64),
}

fn root_of(call: impl FnOnce(*mut sys::merklize_dm_verity_root) -> Result<()>) -> Result<Vec<u8>> {
    let mut root = sys::merklize_dm_verity_root::default();
    call(&mut root)?;
    Ok(root.bytes[..root.length].to_vec())
}

/// The root hash of dm-verity, by which Linux checks each block of a disk that it reads, as `veritysetup format` prints
/// it: 32 bytes, or 64 by SHA-512. Blocks are hashed in parallel; SHA-256 runs on the device of the options, SHA-512 on
/// the CPU.
///
/// ```
/// use merklize::formats::{dm_verity, DmVerityForm};
/// use merklize::Options;
///
/// let form = DmVerityForm { salt: &[0xab; 32], ..Default::default() };
/// let root = dm_verity(&vec![0; 1 << 20], form, &Options::new())?;
/// assert_eq!(root[..4], [0x6e, 0x75, 0x3d, 0xf3]);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// No whole block, or bytes after the last whole block; a size or a salt that no disk has; options with timings;
/// `Cancelled`.
pub fn dm_verity(data: &[u8], form: DmVerityForm<'_>, options: &Options<'_>) -> Result<Vec<u8>> {
    let form = form.to_c()?;
    // SAFETY: `data` and the form are read for the call.
    root_of(|out| {
        options.run("dm_verity", |options| unsafe {
            sys::merklize_dm_verity(data.as_ptr().cast(), data.len(), &form, out, options)
        })
    })
}

/// The same for a file or a block device.
///
/// # Errors
/// As [`dm_verity`]; `Io`: it cannot be opened or read, or it changed meanwhile.
pub fn dm_verity_file(path: impl AsRef<Path>, form: DmVerityForm<'_>, options: &Options<'_>) -> Result<Vec<u8>> {
    let (path, form) = (c_path(path.as_ref())?, form.to_c()?);
    // SAFETY: a path, and a form that is read for the call.
    root_of(|out| {
        options.run("dm_verity_file", |options| unsafe {
            sys::merklize_dm_verity_file(path.as_ptr(), &form, out, options)
        })
    })
}

/// Writes the tree, as `veritysetup format` does: a new file replaces `hashes` when it is complete. A block device, the
/// data file itself, or a file with an offset is written in place, its superblock last. Returns the root hash and what
/// was written.
///
/// # Errors
/// As [`dm_verity_file`]; an offset that no area has; an area that overlaps the data.
pub fn dm_verity_format(
    data: impl AsRef<Path>,
    hashes: impl AsRef<Path>,
    form: DmVerityForm<'_>,
    area: DmVerityArea,
    options: &Options<'_>,
) -> Result<(Vec<u8>, DmVerityFacts)> {
    let (data, hashes) = (c_path(data.as_ref())?, c_path(hashes.as_ref())?);
    let (form, area, mut facts) = (form.to_c()?, area.to_c(), sys::merklize_dm_verity_facts::default());
    // SAFETY: paths and structs that are read, and places that are written, for the call.
    let root = root_of(|out| {
        options.run("dm_verity_format", |options| unsafe {
            let (data, hashes) = (data.as_ptr(), hashes.as_ptr());
            sys::merklize_dm_verity_format(data, hashes, &form, &area, out, &mut facts, options)
        })
    })?;
    Ok((root, DmVerityFacts::from_c(&facts)))
}

/// Reads the superblock at `offset`.
///
/// # Errors
/// There is none, or its fields are impossible; `Io`.
pub fn dm_verity_dump(hashes: impl AsRef<Path>, offset: u64) -> Result<DmVerityFacts> {
    let (hashes, mut facts) = (c_path(hashes.as_ref())?, sys::merklize_dm_verity_facts::default());
    // SAFETY: a path, and a place for the facts.
    check("dm_verity_dump", || unsafe { sys::merklize_dm_verity_dump(hashes.as_ptr(), offset, &mut facts) })?;
    Ok(DmVerityFacts::from_c(&facts))
}

/// Hashes all data again, and compares every block of the tree with the level above it, up to the trusted root. At most
/// 1000 wrong blocks of each kind are named.
///
/// A root binds the data only together with the form: an attacker who writes the superblock can choose another form,
/// under which other data has this root. So take the `form` from where the root came from; a superblock must state the
/// same. `None`: the superblock is believed. Without `data_blocks` its blocks must be all of the data, up to a hash
/// area in the same file.
///
/// # Errors
/// As [`dm_verity_dump`]; a superblock that differs from the form; bytes of the data that would not be checked; neither
/// a form nor a superblock; a root of another size; a tree that ends early; `Cancelled`.
pub fn dm_verity_verify(
    data: impl AsRef<Path>,
    hashes: impl AsRef<Path>,
    root: &[u8],
    form: Option<DmVerityForm<'_>>,
    area: DmVerityArea,
    options: &Options<'_>,
) -> Result<Findings<DmVerityFault>> {
    let (data, hashes) = (c_path(data.as_ref())?, c_path(hashes.as_ref())?);
    let (form, area) = (form.map(DmVerityForm::to_c).transpose()?, area.to_c());
    let mut faults = vec![sys::merklize_dm_verity_fault::default(); 2000];
    let (mut written, mut count) = (0, 0);
    // SAFETY: paths, structs and the root are read, and the faults written, for the call.
    options.run("dm_verity_verify", |options| unsafe {
        sys::merklize_dm_verity_verify(
            data.as_ptr(),
            hashes.as_ptr(),
            root.as_ptr(),
            root.len(),
            form.as_ref().map_or(ptr::null(), ptr::from_ref),
            &area,
            faults.as_mut_ptr(),
            faults.len(),
            &mut written,
            &mut count,
            options,
        )
    })?;
    let fault = |one: &sys::merklize_dm_verity_fault| match one.in_hashes {
        0 => DmVerityFault::Data(one.block),
        _ => DmVerityFault::Hashes(one.block),
    };
    Ok(Findings::new(faults[..written].iter().map(fault).collect()))
}
