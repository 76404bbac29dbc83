//! Verified streaming: outboards and slices of BLAKE3's own tree, in the bytes of the crates bao and bao-tree.
//!
//! An *outboard* has the nodes of a message's tree. A *slice* has the bytes of a range and the nodes that verify them.
//! Both verify parts of the message against its BLAKE3 digest, the root. docs/bao.md has the formats.
//!
//! ```
//! use merklize::bao::{self, Form};
//! use merklize::Options;
//!
//! let (data, options) = (vec![7; 100_000], Options::new());
//! let (outboard, root) = bao::outboard(&data, Form::BAO_TREE, &options)?;
//! assert_eq!(root, merklize::hash(&data)?);
//!
//! let slice = bao::slice(&data, &outboard, Form::BAO_TREE, 70_000..70_010)?;
//! let part = bao::decode_slice(&slice, &root, Form::BAO_TREE, 70_000..70_010, 100_000)?;
//! assert_eq!(part, &data[70_000..70_010]);
//!
//! bao::verify(&data, 0, 100_000, &root, &outboard, Form::BAO_TREE, &options)?.require_none()?;
//! # Ok::<(), merklize::Error>(())
//! ```

use core::ops::Range;
use core::ptr;
use std::fs::File;
use std::path::Path;

use merklize_sys as sys;

use crate::device::Buffer;
use crate::error::{c_path, check, Error, Result};
use crate::hash::{output, view, Digest};
use crate::options::Options;
use crate::system::descriptor;
use crate::verdict::Findings;

pub use crate::types::Fault;

/// The layout of an outboard or a slice. The root does not depend on the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form {
    /// log2 of the chunks of 1024 bytes in a group: 0 to 20. Nodes within a group are left out.
    pub group_log: u32,
    /// A node follows its children. For outboards only.
    pub post_order: bool,
    /// The first 8 bytes are the message's size.
    pub has_size: bool,
}

impl Form {
    /// The layout of bao 0.13: the size, then groups of 1 KiB in pre-order.
    pub const BAO: Self = Self { group_log: 0, post_order: false, has_size: true };
    /// The layout of bao-tree's outboards in pre-order: groups of 16 KiB, without a size.
    pub const BAO_TREE: Self = Self { group_log: 4, post_order: false, has_size: false };
    /// The same in post-order.
    pub const BAO_TREE_POST: Self = Self { group_log: 4, post_order: true, has_size: false };

    fn to_c(self) -> sys::merklize_bao_form {
        sys::merklize_bao_form {
            group_log: self.group_log,
            post_order: self.post_order.into(),
            without_size: (!self.has_size).into(),
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::BAO
    }
}

/// Number of bytes of the outboard of a message.
///
/// # Errors
/// An invalid form.
pub fn outboard_bytes(message_bytes: u64, form: Form) -> Result<u64> {
    bytes_for("bao::outboard_bytes", message_bytes, form)
}

fn bytes_for(called: &str, message_bytes: u64, form: Form) -> Result<u64> {
    let (form, mut bytes) = (form.to_c(), 0);
    // SAFETY: a struct, and a place for the answer.
    check(called, || unsafe { sys::merklize_bao_outboard_bytes(message_bytes, &form, &mut bytes) })?;
    Ok(bytes)
}

/// The outboard of a message, and its root, from one pass over it.
///
/// # Errors
/// An invalid form; `Unavailable`, `Cancelled`.
pub fn outboard(data: &[u8], form: Form, options: &Options<'_>) -> Result<(Vec<u8>, Digest)> {
    let mut outboard =
        vec![0; usize::try_from(bytes_for("bao::outboard", data.len() as u64, form)?).unwrap_or(usize::MAX)];
    let (form, mut root) = (form.to_c(), Digest::default().to_c());
    // SAFETY: `data` is read and `outboard` is written for the call.
    options.run("bao::outboard", |options| unsafe {
        sys::merklize_bao_outboard(view(data), &form, output(&mut outboard), &mut root, options)
    })?;
    Ok((outboard, Digest::from_c(root)))
}

/// Computes the outboard of a message on a device, into memory of that device: `outboard` has [`outboard_bytes`] bytes.
/// Returns the root.
///
/// # Errors
/// Buffers of other sizes or devices, or that overlap.
pub fn outboard_on_device(data: &Buffer, form: Form, outboard: &mut Buffer, options: &Options<'_>) -> Result<Digest> {
    let (form, mut root) = (form.to_c(), Digest::default().to_c());
    // SAFETY: live handles, and a place for the root.
    options.run("bao::outboard_on_device", |options| unsafe {
        sys::merklize_bao_outboard(data.view(), &form, outboard.output(), &mut root, options)
    })?;
    Ok(Digest::from_c(root))
}

/// Computes the outboard of a file or block device of any size, or of a pipe, into the file `output`, which appears
/// only when it is complete. Returns the root.
///
/// # Errors
/// `Io`: it cannot be read, or it changed while it was read.
pub fn outboard_file(file: &File, form: Form, output: impl AsRef<Path>, options: &Options<'_>) -> Result<Digest> {
    let (output, form, mut root) = (c_path(output.as_ref())?, form.to_c(), Digest::default().to_c());
    // SAFETY: an open descriptor, a path, and a place for the root.
    options.run("bao::outboard_file", |options| unsafe {
        let (out, fd) = (output.as_ptr(), descriptor(file));
        sys::merklize_bao_outboard_descriptor(fd, ptr::null(), &form, out, &mut root, options)
    })?;
    Ok(Digest::from_c(root))
}

/// Bytes of a range.
pub(crate) fn length_of(call: &str, range: &Range<u64>) -> Result<u64> {
    let Range { start, end } = range;
    let rule =
        || Error::invalid_argument(format!("{call}: the range must end at or behind its start, got {start}..{end}"));
    end.checked_sub(*start).ok_or_else(rule)
}

/// Makes the slice of bytes `range` of a message, which proves these bytes to anybody who knows the root. It is in
/// pre-order. The slice of all bytes is the encoding. This function verifies nothing.
///
/// # Errors
/// An outboard of a message of another size; a range that ends before its start.
pub fn slice(data: &[u8], outboard: &[u8], form: Form, range: Range<u64>) -> Result<Vec<u8>> {
    let (form, count, mut length) = (form.to_c(), length_of("bao::slice", &range)?, 0);
    let mut call = |out: &mut [u8]| {
        let (nodes, capacity) = (outboard.as_ptr(), out.len());
        let to = if capacity == 0 { ptr::null_mut() } else { out.as_mut_ptr() };
        // SAFETY: slices are read, and `out` is written, for the call.
        check("bao::slice", || unsafe {
            let (from, form) = (data.as_ptr().cast(), &form);
            sys::merklize_bao_slice(
                from,
                data.len(),
                nodes,
                outboard.len(),
                form,
                range.start,
                count,
                to,
                capacity,
                &mut length,
            )
        })?;
        Ok(length)
    };
    let mut slice = vec![0; call(&mut [])?];
    call(&mut slice)?;
    Ok(slice)
}

/// Verifies a slice and returns bytes `range` of its message; fewer if the message ends within the range.
///
/// `message_bytes` is the message's size if the form has no size; it need not be trusted. Otherwise it is 0.
///
/// # Errors
/// [`NotValid`](crate::ErrorKind::NotValid): the slice does not verify. An invalid form; `message_bytes` of a form with
/// size; a range that ends before its start.
pub fn decode_slice(slice: &[u8], root: &Digest, form: Form, range: Range<u64>, message_bytes: u64) -> Result<Vec<u8>> {
    let count = length_of("bao::decode_slice", &range)?;
    // No slice proves more bytes than it has.
    let mut out = vec![0; usize::try_from(count).unwrap_or(usize::MAX).min(slice.len())];
    let (root, form, mut length, mut valid) = (root.to_c(), form.to_c(), 0, 0);
    // SAFETY: `slice` is read and `out` is written for the call.
    check("bao::decode_slice", || unsafe {
        sys::merklize_bao_decode_slice(
            slice.as_ptr(),
            slice.len(),
            &root,
            &form,
            range.start,
            count,
            message_bytes,
            out.as_mut_ptr(),
            out.len(),
            &mut length,
            &mut valid,
        )
    })?;
    if valid == 0 {
        return Err(Error::not_valid("bao::decode_slice: the slice does not lead to this root".into()));
    }
    out.truncate(length);
    Ok(out)
}

/// Verifies a part of a message by its outboard. Returns the faults, in order; none if the part belongs to the root.
///
/// `part` begins at byte `offset`, where a group begins, and ends where a group or the message ends.
///
/// # Errors
/// A part that is not whole groups, or is empty where the message is not; `Cancelled`.
pub fn verify(
    part: &[u8],
    offset: u64,
    message_bytes: u64,
    root: &Digest,
    outboard: &[u8],
    form: Form,
    options: &Options<'_>,
) -> Result<Findings<Fault>> {
    let (root, form) = (root.to_c(), form.to_c());
    faults(|faults, capacity, count| {
        // SAFETY: slices are read, and the faults written, for the call.
        options.run("bao::verify", |options| unsafe {
            sys::merklize_bao_verify(
                part.as_ptr().cast(),
                part.len(),
                offset,
                message_bytes,
                &root,
                outboard.as_ptr(),
                outboard.len(),
                &form,
                faults,
                capacity,
                count,
                options,
            )
        })
    })
}

/// The same for bytes `range` of a file or block device, widened to whole groups; `..u64::MAX`: to its end. For an
/// empty range the group of its start is verified, and for a range beyond the end the last group. What can only be read
/// in order is copied to the folder for temporary files first.
///
/// # Errors
/// `Io`: it cannot be read, or it changed while it was read. Bytes that are not all in it; a range that ends before its
/// start; `Cancelled`.
pub fn verify_file(
    file: &File,
    range: Range<u64>,
    root: &Digest,
    outboard: &[u8],
    form: Form,
    options: &Options<'_>,
) -> Result<Findings<Fault>> {
    let (root, form) = (root.to_c(), form.to_c());
    let bytes = if range.end == u64::MAX { u64::MAX } else { length_of("bao::verify_file", &range)? };
    faults(|faults, capacity, count| {
        // SAFETY: an open descriptor; slices are read, and the faults written, for the call.
        options.run("bao::verify_file", |options| unsafe {
            sys::merklize_bao_verify_descriptor(
                descriptor(file),
                ptr::null(),
                range.start,
                bytes,
                &root,
                outboard.as_ptr(),
                outboard.len(),
                &form,
                faults,
                capacity,
                count,
                options,
            )
        })
    })
}

// Calls again if there are more faults than room.
fn faults(call: impl Fn(*mut sys::merklize_bao_fault, usize, &mut usize) -> Result<()>) -> Result<Findings<Fault>> {
    let mut found = vec![sys::merklize_bao_fault::default(); 16];
    loop {
        let mut count = 0;
        call(found.as_mut_ptr(), found.len(), &mut count)?;
        if count <= found.len() {
            found.truncate(count);
            return Ok(Findings::new(found.iter().map(Fault::from_c).collect()));
        }
        found.resize(count, sys::merklize_bao_fault::default());
    }
}
