//! Digests with the values of pieces.

use core::ops::Range;
use std::fs::File;

use merklize::pieces::{
    digest_of_pieces, digest_of_pieces_into, hash_file_ranges, hash_pieces, piece_values, value_of_pieces,
};
use merklize::{hash_into, hash_with, ErrorKind, Mode, Options};

mod common;
use common::Scratch;

const PIECE: u64 = 1 << 18;

fn message() -> Vec<u8> {
    (0..1_000_000u32).map(|i| (i % 251) as u8).collect()
}

#[test]
fn a_changed_byte_changes_its_piece_alone() {
    let (mut data, options) = (message(), Options::new());
    let (digest, pieces) = hash_pieces(&data, PIECE, &options).unwrap();
    assert_eq!(digest, merklize::hash(&data).unwrap());
    data[600_000] ^= 1;
    let (_, others) = hash_pieces(&data, PIECE, &options).unwrap();
    let differs: Vec<bool> = pieces.iter().zip(&others).map(|(one, other)| one != other).collect();
    assert_eq!(differs, [false, false, true, false]);
    assert!(hash_pieces(&data, 0, &options).unwrap().1.is_empty());
    assert!(hash_pieces(&data[..PIECE as usize], PIECE, &options).unwrap().1.is_empty());
    let refused = hash_pieces(&data, PIECE + 1, &options).unwrap_err().to_string();
    assert!(refused.starts_with("hash_pieces: piece_size must be 0 or a power of two >= 262144"), "{refused}");
}

#[test]
fn parts_that_are_hashed_apart_give_the_digest() {
    let (data, options) = (message(), Options::new());
    for mode in [Mode::Plain, Mode::Keyed(&[7; 32]), Mode::DeriveKey("merklize tests")] {
        let (mut all, mut halves) = (Vec::new(), Vec::new());
        for (k, part) in data.chunks(2 * PIECE as usize).enumerate() {
            let values = piece_values(part, 2 * k as u64 * PIECE, PIECE, mode, &options).unwrap();
            halves.push(value_of_pieces(&values, mode).unwrap());
            all.extend(values);
        }
        assert_eq!((all.len(), halves.len()), (4, 2));
        let (mut out, mut expected) = ([0; 99], [0; 99]);
        hash_into(&data, mode, 7, &mut expected, &options).unwrap();
        for pieces in [all, halves] {
            assert_eq!(digest_of_pieces(&pieces, mode).unwrap(), hash_with(&data, mode, &options).unwrap());
            digest_of_pieces_into(&pieces, mode, 7, &mut out).unwrap();
            assert_eq!(out, expected);
        }
    }
}

#[test]
fn ranges_of_a_file() {
    let (data, options) = (message(), Options::new());
    let folder = Scratch::new("pieces");
    let path = folder.0.join("file");
    std::fs::write(&path, &data).unwrap();
    let file = File::open(&path).unwrap();
    let ranges = [100..2 * PIECE + 107, 5..5, 0..1_000_000, 9..PIECE + 9];
    let made = hash_file_ranges(&file, &ranges, PIECE, &options).unwrap();
    let lengths: Vec<usize> = made.iter().map(|(_, pieces)| pieces.len()).collect();
    assert_eq!(lengths, [3, 0, 4, 0]);
    for (range, found) in ranges.iter().zip(&made) {
        let part = &data[range.start as usize..range.end as usize];
        assert_eq!(*found, hash_pieces(part, PIECE, &options).unwrap());
    }
    assert!(hash_file_ranges(&file, &[], PIECE, &options).unwrap().is_empty());

    let refused = |range: Range<u64>, piece_size| hash_file_ranges(&file, &[range], piece_size, &options).unwrap_err();
    assert_eq!(refused(999_999..1_000_001, PIECE).kind(), ErrorKind::Io);
    assert_eq!(refused(0..u64::MAX, PIECE).kind(), ErrorKind::Io);
    assert_eq!(refused(0..9, 1 << 17).kind(), ErrorKind::InvalidArgument);
    let backwards = refused(Range { start: 9, end: 5 }, PIECE).to_string();
    assert!(backwards.starts_with("hash_file_ranges: the range must end at or behind its start"), "{backwards}");
}
