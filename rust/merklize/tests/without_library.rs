//! Where the library does not run, calls are errors that say so. Runs in a build with MERKLIZE_WITHOUT_LIBRARY=1.

use merklize::formats::{self, OpenZeppelinTree};
use merklize::{
    extend, hash, hash_each, hash_leaves, merge, merkle_root, verify_each, Device, Digest, Error, ErrorKind,
    ExtendForm, Field, Form, Hash, Hasher, Matrix, MatrixCommitment, MerkleForest, MerkleTree, Mode, Options, Policy,
    Proof, TreeBuilder, TreeFile, HAS_LIBRARY,
};

#[test]
fn every_call_says_that_the_library_does_not_run_here() {
    if HAS_LIBRARY {
        return println!("skipped: the library runs here");
    }
    let (options, leaves) = (Options::new(), [Digest([7; 32]); 4]);
    let words = [1u64; 8];
    let rows = Matrix::new(&words, 2).unwrap();
    let errors: Vec<(&str, Option<Error>)> = vec![
        ("Device::open", Device::open("cpu").err()),
        ("Device::list", Device::list().err()),
        ("Device::why_unavailable", Device::why_unavailable("cuda:0").err()),
        ("Hash::from_name", Hash::from_name("blake3").err()),
        ("hash", hash(b"abc").err()),
        ("hash_each", hash_each(&[b"abc"], Hash::BLAKE3, &options).err()),
        ("hash_leaves", hash_leaves(&words, 2, Hash::RP64_256, &options).err()),
        ("merge", merge(leaves[0], leaves[1], Hash::BLAKE3, &options).err()),
        ("merkle_root", merkle_root(&leaves, Hash::BLAKE3, &options).err()),
        ("MerkleTree::from_leaves", MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &options).err()),
        ("MerkleTree::from_rows", MerkleTree::from_rows(&words, 2, Hash::RP64_256, &options).err()),
        ("MerkleForest::from_leaves", MerkleForest::from_leaves(&leaves, 2, Hash::BLAKE3, &options).err()),
        ("MatrixCommitment::new", MatrixCommitment::new(&[rows], Hash::RP64_256, 2, 0, &options).err()),
        ("TreeBuilder::new", TreeBuilder::new(Form::new(Hash::BLAKE3), &options).err()),
        ("TreeFile::open", TreeFile::open("no.mkl").err()),
        ("Hasher::new", Hasher::new(Hash::BLAKE3, &options).err()),
        ("Proof::from_bytes", Proof::from_bytes(&[0; 64]).err()),
        ("Policy::from_text", Policy::from_text("x").err()),
        ("verify_each", verify_each(&[], &leaves[0], Mode::Plain, &options).err()),
        ("extend", extend(rows, ExtendForm::new(Field::Goldilocks, 1), &options).err()),
        ("formats::list", formats::list().err()),
        ("formats::info", formats::info("bitcoin").err()),
        ("OpenZeppelinTree::new", OpenZeppelinTree::new(&leaves, &options).err()),
    ];
    for (call, error) in errors {
        let error = error.unwrap_or_else(|| panic!("{call} fails"));
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{call}: {error}");
        assert!(error.message().contains("runs on Linux") && error.message().contains("container"), "{call}: {error}");
    }
    // What needs no library.
    assert_eq!(Hash::SHA3_256.to_string(), "sha3_256");
    assert_eq!(merklize::library_version(), env!("CARGO_PKG_VERSION"));
}
