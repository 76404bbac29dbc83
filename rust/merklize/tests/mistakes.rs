//! Typical mistakes that only Rust's functions make possible: each error names the called function, what came, the
//! rule, and a remedy if there is one. tests/vectors/surface.json has those that all languages share.

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
    wrong(
        hash_leaves(&[u64::MAX], 1, Hash::RP64_256, &options),
        "hash_leaves: word 0 is 18446744073709551615, not a field element: it must be below p = 18446744069414584321",
    );
    wrong(
        hash_leaves(&[0, 0x7f00_0001u32], 1, Hash::POSEIDON2_KOALABEAR_16, &options),
        "hash_leaves: word 1 is 2130706433, not a field element: it must be below p = 2130706433",
    );
    wrong(
        hash_leaves(b"", 0, Hash::BLAKE3, &options),
        "hash_leaves: row_length must be >= 1 and divide 0 words, got 0",
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
        hash_each_into(["a"], Mode::Keyed(&[0; 32]), 0, 32, &mut [0; 31], &options),
        "hash_each_into: 1 messages need 1 x 32 bytes of output, got 31",
    );
    wrong(
        Hasher::new(Hash::BLAKE3, &options.progress(&|_| std::ops::ControlFlow::Continue(()))),
        "Hasher::new: options must have no progress and no timings: they are kept after the call",
    );
}

/// A number that no program can have is refused. It was that of another kind of operand, or of the last matrix.
#[test]
fn of_constraints() {
    let words = [1u64; 9];
    let matrices = [0, 3, 6].map(|at| Matrix::new(&words[at..at + 1], 1).unwrap().elements(Elements::Any));
    let cell = |matrix, column| Operand::Cell { matrix, column, is_next: true };
    let first = cell(0, 0);
    for (operand, rule) in [
        (Operand::Slot(1 << 29), "a slot below 64, got 536870911"),
        (Operand::Slot(u32::MAX), "a slot below 64, got 536870911"),
        (Operand::Scalar(1 << 29), "a scalar below 1, got 536870911"),
        (Operand::Scalar(1 << 30), "a scalar below 1, got 536870911"),
        (cell(0, 1 << 29), "a column below 1, got 536870911"),
        (cell(2, u32::MAX), "a column below 1, got 536870911"),
        (cell(3, 0), "a slot below 64, got 536870911"),
        (cell(u32::MAX, 0), "a slot below 64, got 536870911"),
    ] {
        let form = ConstraintForm {
            field: Field::Goldilocks,
            order: RowOrder::Natural,
            next: 1,
            steps: &[ConstraintStep::add(0, first, operand), ConstraintStep::sum(Operand::Slot(0), 0)],
            scalars: &[1],
            weights: &[1],
            degree: 1,
        };
        let found = evaluate_constraints(&matrices, &form, &Options::new());
        wrong(found, &format!("evaluate_constraints: steps of step 0 b must be {rule}"));
    }
}

#[test]
fn of_trees() {
    let options = Options::new();
    wrong(
        MerkleTree::from_rows(b"data", 3, Hash::BLAKE3, &options),
        "MerkleTree::from_rows: row_length must be >= 1 and divide 4 words, got 3",
    );
    wrong(Proof::from_bytes(b"no proof"), "Proof::from_bytes: the 8 bytes are not a proof of docs/layouts.md");
    let tree = MerkleTree::from_leaves(&leaves(8), Hash::BLAKE3, &options).unwrap();
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
        TreeFile::build("file", Leaves::Blocks(0), "out.mkl", Hash::BLAKE3, &options),
        "TreeFile::build: leaf_bytes must be at least 1, got 0",
    );
    let form = bao::Form { group_log: 99, ..bao::Form::BAO };
    wrong(
        bao::outboard_file(&std::fs::File::open("file").unwrap(), form, "out.mkl", &options),
        "bao::outboard_file: group_log must be 0 to 20 (groups of 1 KiB to 1 GiB), got 99",
    );
    expect(
        manifest::Manifest::load("file"),
        ErrorKind::InvalidArgument,
        "Manifest::load: file: not a valid manifest: the text: not JSON: no value at byte 0",
    );
    assert!(!std::path::Path::new("out.mkl").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
