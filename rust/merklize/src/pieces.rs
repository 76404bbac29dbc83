//! BLAKE3 digests that can tell where messages differ: with a digest come the values of the message's pieces.
//!
//! Two messages differ where the values of their pieces do. Parts of a message may be hashed anywhere and in any order:
//! the values of all pieces give the digest of the whole.
//!
//! ```
//! use merklize::pieces::{digest_of_pieces, hash_pieces, piece_values};
//! use merklize::{hash, Mode, Options};
//!
//! let (data, piece_size, options) = (vec![7; 1_000_000], 1 << 18, Options::new());
//! let (digest, pieces) = hash_pieces(&data, piece_size, &options)?;
//! assert_eq!((digest, pieces.len()), (hash(&data)?, 4));
//!
//! let (front, back) = data.split_at(2 << 18);
//! let mut values = piece_values(front, 0, piece_size, Mode::Plain, &options)?;
//! values.extend(piece_values(back, 2 << 18, piece_size, Mode::Plain, &options)?);
//! assert_eq!(values, pieces);
//! assert_eq!(digest_of_pieces(&values, Mode::Plain)?, digest);
//! # Ok::<(), merklize::Error>(())
//! ```

use core::ops::Range;
use core::ptr;
use std::fs::File;

use merklize_sys as sys;

use crate::bao::length_of;
use crate::error::{check, Result};
use crate::hash::{as_c, as_c_mut, view, Digest};
use crate::options::{Mode, Options};
use crate::system::descriptor;

/// The most values that a call writes for `bytes` of a message. A smaller `piece_size` is an error of the call.
fn room_for(bytes: u64, piece_size: u64) -> usize {
    if piece_size < 1 << 18 {
        0
    } else {
        bytes.div_ceil(piece_size) as usize
    }
}

/// The digest of a message, and the values of its pieces, from one pass over its bytes. `piece_size` is 0 for no
/// pieces, otherwise a power of two of at least 256 KiB. A message no longer than one piece has none.
///
/// # Errors
/// Another `piece_size`; `Unavailable`, `Cancelled`.
pub fn hash_pieces(data: &[u8], piece_size: u64, options: &Options<'_>) -> Result<(Digest, Vec<Digest>)> {
    let mut pieces = vec![Digest::default(); room_for(data.len() as u64, piece_size)];
    let (mut digest, mut count) = (Digest::default().to_c(), 0);
    // SAFETY: `data` is read, and at most as many values as pieces are written, for the call.
    options.run("hash_pieces", |options| unsafe {
        let (out, room) = (as_c_mut(&mut pieces), pieces.len());
        sys::merklize_hash_pieces(view(data), piece_size, &mut digest, out, room, &mut count, options)
    })?;
    pieces.truncate(count);
    Ok((Digest::from_c(digest), pieces))
}

/// The same for ranges of one regular file or block device, a message each, in any order. All threads read and hash at
/// once, whatever the lengths.
///
/// # Errors
/// `Io`: not a regular file or a block device, it ends before a range does, or it changed while it was read. As of
/// [`hash_pieces`]; a range that ends before its start.
pub fn hash_file_ranges(
    file: &File,
    ranges: &[Range<u64>],
    piece_size: u64,
    options: &Options<'_>,
) -> Result<Vec<(Digest, Vec<Digest>)>> {
    let of_c = |range: &Range<u64>| {
        let bytes = length_of("hash_file_ranges", range)?;
        Ok(sys::merklize_file_range { offset: range.start, bytes })
    };
    let ranges = ranges.iter().map(of_c).collect::<Result<Vec<_>>>()?;
    let mut digests = vec![Digest::default(); ranges.len()];
    // A range beyond the file's end is an error of the call, so a huge range must not reserve much memory here.
    let size = file.metadata().map_or(0, |facts| facts.len());
    let n_pieces = |range: &sys::merklize_file_range| match room_for(range.bytes.min(size), piece_size) {
        1 => 0,
        n => n,
    };
    let mut pieces = vec![Digest::default(); ranges.iter().map(n_pieces).sum()];
    // SAFETY: an open descriptor; a digest for each range and all values of pieces are written for the call.
    options.run("hash_file_ranges", |options| unsafe {
        sys::merklize_hash_file_ranges(
            descriptor(file),
            ptr::null(),
            ranges.as_ptr(),
            ranges.len(),
            piece_size,
            as_c_mut(&mut digests),
            as_c_mut(&mut pieces),
            pieces.len(),
            ptr::null_mut(),
            options,
        )
    })?;
    let mut rest = pieces.as_slice();
    let of_range = |(digest, range)| {
        let (own, others) = rest.split_at(n_pieces(range));
        rest = others;
        (digest, own.to_vec())
    };
    Ok(digests.into_iter().zip(&ranges).map(of_range).collect())
}

/// The values of the pieces of a part of a longer message, as [`hash_pieces`] of the whole gives them. `part` begins at
/// byte `offset` of the message, a multiple of `piece_size`, and has whole pieces, except for the last one of the
/// message. The message must be longer than one piece.
///
/// # Errors
/// Another `piece_size` or `offset`, an empty part; `Unavailable`, `Cancelled`.
pub fn piece_values(
    part: &[u8],
    offset: u64,
    piece_size: u64,
    mode: Mode<'_>,
    options: &Options<'_>,
) -> Result<Vec<Digest>> {
    let (mode, mut count) = (mode.to_c(), 0);
    let mut pieces = vec![Digest::default(); room_for(part.len() as u64, piece_size)];
    // SAFETY: `part` is read, and a value for each of its pieces is written, for the call.
    options.run("piece_values", |options| unsafe {
        let (from, bytes, out, room) = (part.as_ptr().cast(), part.len(), as_c_mut(&mut pieces), pieces.len());
        sys::merklize_piece_values(from, bytes, offset, piece_size, &mode, out, room, &mut count, options)
    })?;
    pieces.truncate(count);
    Ok(pieces)
}

/// The value of 2^k neighbouring pieces that begin at a multiple of 2^k: that of one piece of 2^k times the size. At
/// the message's end they may be fewer. They must not be all pieces of the message, which have a digest instead.
///
/// # Errors
/// No piece.
pub fn value_of_pieces(pieces: &[Digest], mode: Mode<'_>) -> Result<Digest> {
    let (mode, mut value) = (mode.to_c(), Digest::default().to_c());
    // SAFETY: the pieces are read for the call.
    check("value_of_pieces", || unsafe {
        sys::merklize_value_of_pieces(as_c(pieces), pieces.len(), &mode, &mut value)
    })?;
    Ok(Digest::from_c(value))
}

/// The digest of the message that has these pieces.
///
/// # Errors
/// Fewer than 2 pieces.
pub fn digest_of_pieces(pieces: &[Digest], mode: Mode<'_>) -> Result<Digest> {
    let mut digest = Digest::default();
    digest_of_pieces_into(pieces, mode, 0, &mut digest.0)?;
    Ok(digest)
}

/// Bytes `seek ..` of the extendable output of that message.
///
/// # Errors
/// Fewer than 2 pieces; output beyond byte 2^64 - 1.
pub fn digest_of_pieces_into(pieces: &[Digest], mode: Mode<'_>, seek: u64, out: &mut [u8]) -> Result<()> {
    let mode = mode.to_c();
    // SAFETY: the pieces are read and `out` is written for the call.
    check("digest_of_pieces", || unsafe {
        sys::merklize_digest_of_pieces(as_c(pieces), pieces.len(), &mode, seek, out.as_mut_ptr(), out.len())
    })
}
