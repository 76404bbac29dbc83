//! Typical mistakes: each error names the called function, what came, the rule, and a remedy if there is one.

use std::path::PathBuf;

use merklize::*;

/// Checks the error's text. If `text` ends in "...", it is only the beginning.
#[track_caller]
fn expect<T>(found: Result<T>, kind: ErrorKind, text: &str) {
    let error = found.err().unwrap_or_else(|| panic!("no error: {text}"));
    let (got, is_right) = (error.to_string(), |got: &str| match text.strip_suffix("...") {
        Some(begin) => got.starts_with(begin),
        None => got == text,
    });
    assert!(is_right(&got) && error.kind() == kind, "got {:?}\n{got}\nexpected {kind:?}\n{text}", error.kind());
}

#[track_caller]
fn wrong<T>(found: Result<T>, text: &str) {
    expect(found, ErrorKind::InvalidArgument, text);
}

fn leaves(n: u8) -> Vec<Digest> {
    (0..n).map(|i| Digest([i; 32])).collect()
}

#[test]
fn of_names() {
    wrong("00".parse::<Digest>(), "Digest: must be 64 hexadecimal digits, with or without 0x, got 2");
}

#[test]
fn of_digests() {
    let options = Options::new();
    let key = [0; 32];
    expect(
        hash_file("/nowhere/file", Mode::Plain, &options),
        ErrorKind::Io,
        "/nowhere/file: cannot open: No such file or directory",
    );
    wrong(
        hash_leaves(b"data", 3, Mode::Plain, &options),
        "hash_leaves: row_length must be >= 1 and divide 4 words, got 3",
    );
    wrong(
        hash_leaves(b"data", 0, Mode::Plain, &options),
        "hash_leaves: row_length must be >= 1 and divide 4 words, got 0",
    );
    wrong(
        hash_leaves(b"data", 4, Hash::RP64_256, &options),
        "hash_leaves: rows of rp64_256_v3 are words of 64 bits, got words of 8 bits",
    );
    wrong(
        hash_leaves(&[u64::MAX], 1, Hash::RP64_256, &options),
        "hash_leaves: word 0 is 18446744073709551615, not a field element: it must be below p = 18446744069414584321",
    );
    wrong(
        hash_leaves_into(b"data", 2, Mode::Plain, &mut [Digest::default()], &options),
        "hash_leaves: 2 rows need as many digests, got 1",
    );
    wrong(
        merge_many(&leaves(2), &leaves(1), Hash::BLAKE3, &options),
        "merge: left and right must have equal counts, got 2 and 1",
    );
    wrong(
        merge(Digest([255; 32]), Digest::default(), Hash::RP64_256, &options),
        "merge: left: word 0 is 18446744073709551615, not a field element: it must be below p = 18446744069414584321",
    );
    wrong(
        hash_each_into(["a"], Mode::Keyed(&key), 0, 32, &mut [0; 31], &options),
        "hash_each_into: 1 messages need 1 x 32 bytes of output, got 31",
    );
    wrong(
        Hasher::new(Hash::EIDOS, &options),
        "Hasher::new: 'eidos' begins with the length of the message, so it takes only data whose length is known",
    );
    wrong(
        Hasher::new(Hash::BLAKE3, &options.progress(&|_| std::ops::ControlFlow::Continue(()))),
        "Hasher::new: options must have no progress and no timings: they are kept after the call",
    );
}

#[test]
fn of_trees() {
    let (options, eight) = (Options::new(), leaves(8));
    let key = [0; 32];
    wrong(
        MerkleTree::from_leaves(&[], Hash::BLAKE3, &options),
        "MerkleTree::from_leaves: leaves must be at least 1, got 0",
    );
    wrong(
        merkle_root(&eight, Form::new(Hash::SHA256).mode(Mode::Keyed(&key)), &options),
        "merkle_root: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
    );
    wrong(
        MerkleTree::from_rows(b"data", 3, Hash::BLAKE3, &options),
        "MerkleTree::from_rows: row_length must be >= 1 and divide 4 words, got 3",
    );
    wrong(
        MerkleTree::from_messages(["12345678", "1234567"], Hash::RP64_256, &options),
        "MerkleTree::from_messages: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 7 bytes",
    );
    let mut tree = MerkleTree::from_leaves(&eight, Hash::BLAKE3, &options).unwrap();
    wrong(
        tree.update(&[1], &eight[..2], &options),
        "MerkleTree::update: indices and leaves must have equal counts, got 1 and 2",
    );
    wrong(tree.update(&[1, 1], &eight[..2], &options), "MerkleTree::update: leaf index 1 is there twice");
    wrong(Proof::from_bytes(b"no proof"), "Proof::from_bytes: the 8 bytes are not a proof of docs/layouts.md");
    let (proof, root) = (tree.prove(1).unwrap(), Digest::default());
    expect(
        proof.verify(&root, Expect::new(), Mode::Plain),
        ErrorKind::NotValid,
        "Proof::verify: the proof does not lead to this root, or does not claim what is expected",
    );
    wrong(
        bao::decode_slice(b"", &root, bao::Form { group_log: 99, ..bao::Form::BAO }, 0..1, 1),
        "bao::decode_slice: group_log must be 0 to 20 (groups of 1 KiB to 1 GiB), got 99",
    );
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn of_files() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("mistakes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::write("file", [0; 1000]).unwrap();
    let options = Options::new();
    wrong(
        MerkleTree::from_file("file", Leaves::Blocks(0), Hash::BLAKE3, &options),
        "MerkleTree::from_file: leaf_bytes must be at least 1, got 0",
    );
    wrong(
        MerkleTree::from_file("file", Leaves::Blocks(999), Hash::RP64_256, &options),
        "MerkleTree::from_file: file: leaves of 999 bytes: not a whole count of field elements of 8 bytes",
    );
    wrong(
        merkle_root_file("file", Leaves::Rows(999), Hash::BLAKE3, &options),
        "merkle_root_file: file: 1000 bytes are not a whole count of rows of 999 bytes",
    );
    wrong(
        merkle_root_file("file", Leaves::Digests, Hash::BLAKE3, &options),
        "merkle_root_file: file: 1000 bytes are not a whole count of leaves of 32 bytes",
    );
    wrong(
        TreeFile::build("file", Leaves::Blocks(0), "out.mkl", Hash::BLAKE3, &options),
        "TreeFile::build: leaf_bytes must be at least 1, got 0",
    );
    let form = bao::Form { group_log: 99, ..bao::Form::BAO };
    wrong(
        bao::outboard_file(&std::fs::File::open("file").unwrap(), form, "out.mkl", &options),
        "bao::outboard_file: group_log must be 0 to 20 (groups of 1 KiB to 1 GiB), got 99",
    );
    expect(TreeFile::open("file"), ErrorKind::Io, "file: not a tree file: it does not begin with MKLTREE");
    expect(TreeFile::open("missing"), ErrorKind::Io, "missing: cannot open: No such file or directory");
    expect(
        manifest::Manifest::load("file"),
        ErrorKind::InvalidArgument,
        "Manifest::load: file: not a valid manifest: the text: not JSON: no value at byte 0",
    );
    assert!(!std::path::Path::new("out.mkl").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
