//! Compares the safe crate with published digests and with rules that are written a second time here, and makes wrong
//! calls.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, AssertUnwindSafe};

use merklize::*;

mod common;
use common::Scratch;

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}

fn leaves(n: u64) -> Vec<Digest> {
    (0..n).map(|i| hash(&i.to_le_bytes()).unwrap()).collect()
}

/// The text of a verification's error.
fn not_valid(verdict: Result<()>) -> String {
    let error = verdict.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotValid, "{error}");
    error.to_string()
}

/// A proof that belongs to no tree of these tests.
fn perfect_proof() -> Proof {
    let all = leaves(4);
    MerkleTree::from_leaves(&all, Form::new(Hash::BLAKE3).rule(Rule::Perfect), &Options::new())
        .unwrap()
        .prove(1)
        .unwrap()
}

#[test]
fn published_digests() {
    // BLAKE3's test vectors (input: byte i is i mod 251), FIPS 180-4, and the Keccak team's digest of no bytes.
    let counter: Vec<u8> = (0..2049u32).map(|i| (i % 251) as u8).collect();
    let of = |n: usize| hash(&counter[..n]).unwrap().to_string();
    assert_eq!(of(0), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    assert_eq!(of(1024), "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
    let options = Options::new();
    let keccak = hash_with(b"", Hash::KECCAK256, &options).unwrap();
    assert_eq!(keccak.to_string(), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    let sha = hash_with(b"abc", Hash::SHA256, &options).unwrap();
    assert_eq!(sha.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let keyed = hash_with(b"", Mode::Keyed(b"whats the Elvish word for friend"), &options).unwrap();
    assert_eq!(keyed.to_string(), "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26");
    let derived = hash_with(b"", Mode::DeriveKey("BLAKE3 2019-12-27 16:29:52 test vectors context"), &options).unwrap();
    assert_eq!(derived.to_string(), "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d");
    // Each function takes the same hash or mode.
    let key = Mode::Keyed(b"whats the Elvish word for friend");
    assert_eq!(hash_leaves(b"abcd", 2, key, &options).unwrap()[1], hash_with(b"cd", key, &options).unwrap());
    let pair = [hash(b"l").unwrap(), hash(b"r").unwrap()];
    let both = [pair[0].0, pair[1].0].concat();
    assert_eq!(merge(pair[0], pair[1], key, &options).unwrap(), hash_with(&both, key, &options).unwrap());
    assert_eq!(hash_each(["abc"], Hash::SHA256, &options).unwrap(), [sha]);
    for (how, expected) in [(How::from(Hash::SHA256), sha), (key.into(), hash_with(b"abc", key, &options).unwrap())] {
        let mut hasher = Hasher::new(how, &options).unwrap();
        hasher.update(b"abc").unwrap();
        assert_eq!(hasher.finalize().unwrap(), expected);
    }
    // BLAKE2s under a short key, by hashlib; a short digest; a tree.
    let key = Mode::KeyedBlake2s(b"key");
    let mut short = [0; 16];
    hash_into(b"abc", key, 0, &mut short, &options).unwrap();
    assert_eq!(short, [148, 253, 246, 243, 91, 153, 153, 146, 13, 205, 202, 238, 54, 26, 212, 53]);
    let zeros = Digest::default();
    let above = merge(zeros, zeros, key, &options).unwrap();
    assert_eq!(above.to_string(), "01e4342e8dd8cd1b99a3a9892c051b88110ef0c0509ca32ac3d0c8a0685d06b2");
    let form = Form::new(Hash::BLAKE2S).mode(key);
    let tree = MerkleTree::from_leaves(&[zeros, zeros], form, &options).unwrap();
    assert_eq!(tree.root(), above);
    tree.prove(1).unwrap().verify(&above, Expect::new(), key).unwrap();
    assert!(tree.prove(1).unwrap().verify(&above, Expect::new(), Mode::KeyedBlake2s(b"other")).is_err());
    let sha3 = hash_with(b"abc", Hash::SHA3_256, &options).unwrap();
    assert_eq!(sha3.to_string(), "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
    // Plonky3's Poseidon2 with its constants: cells 0 .. 3 of the permutation of 0 .. 7 are the merge of these words.
    let words = [Digest::from_u64s([0, 1, 2, 3]), Digest::from_u64s([4, 5, 6, 7])];
    let merged = merge(words[0], words[1], Hash::POSEIDON2_GOLDILOCKS_8, &options).unwrap();
    assert_eq!(merged.to_u64s()[0], 147757088869797140);
}

/// Digests as text. Every bit counts in a comparison.
#[test]
fn digests_as_texts() {
    let digits = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    let digest = hash(b"").unwrap();
    let with_prefix = format!("0x{digits}");
    let mixed = digits.replace('f', "F");
    for text in [digits, &digits.to_uppercase(), &mixed, &with_prefix, &format!("0X{mixed}")] {
        assert_eq!(text.parse::<Digest>().unwrap(), digest, "{text}");
    }
    assert_eq!((digest.to_string(), format!("{digest:x}")), (digits.into(), digits.into()));
    assert_eq!((format!("{digest:#x}"), format!("{digest:?}")), (with_prefix.clone(), format!("Digest({digits})")));
    assert_eq!((format!("{digest:.8}"), format!("{digest:>66}")), (digits[..8].into(), format!("  {digits}")));
    let wrong = [
        (String::new(), "got 0"),
        (digits[1..].into(), "got 63"),
        (format!("{digits}0"), "got 65"),
        (format!("0x{with_prefix}"), "got 'x' after 1 digits"),
        (format!(" {}", &digits[1..]), "got ' ' after 0 digits"),
        (format!("{}g", &digits[1..]), "got 'g' after 63 digits"),
        (format!("+{}", &digits[1..]), "got '+' after 0 digits"),
        (format!("{}\u{e9}", &digits[2..]), "got '\u{e9}' after 62 digits"),
    ];
    for (text, end) in wrong {
        let error = text.parse::<Digest>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.to_string(), format!("Digest: must be 64 hexadecimal digits, with or without 0x, {end}"));
    }
    for bit in 0..256 {
        let mut other = digest;
        other.0[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(other, digest, "bit {bit}");
    }
    assert_eq!(Digest(digest.0), digest);
    assert_eq!(std::collections::HashSet::from([digest, Digest(digest.0)]).len(), 1);
}

#[test]
fn digests_in_pieces_and_files() {
    let scratch = Scratch::new("pieces");
    let data: Vec<u8> = (0..300_000u32).map(|i| i.wrapping_mul(i) as u8).collect();
    let whole = hash(&data).unwrap();
    let mut hasher = Hasher::new(Mode::Plain, &Options::new()).unwrap();
    for piece in data.chunks(7777) {
        hasher.update(piece).unwrap();
    }
    let copy = hasher.try_clone().unwrap();
    assert_eq!((hasher.count(), hasher.finalize().unwrap(), copy.finalize().unwrap()), (300_000, whole, whole));
    hasher.reset().unwrap();
    assert_eq!(hasher.finalize().unwrap(), hash(b"").unwrap());
    let path = scratch.0.join("data");
    std::fs::write(&path, &data).unwrap();
    assert_eq!(hash_file(&path, Mode::Plain, &Options::new()).unwrap(), whole);
    let mut longer = [0; 100];
    hash_into(&data, Mode::Plain, 10, &mut longer, &Options::new()).unwrap();
    assert_eq!(longer[..22], whole.0[10..]);
    let odd = scratch.0.join(std::ffi::OsStr::from_bytes(b"\xff"));
    let missing = hash_file(&odd, Mode::Plain, &Options::new()).unwrap_err();
    assert_eq!(missing.path(), Some(odd.as_path()), "a path that is not UTF-8");
    let missing = hash_file(scratch.0.join("none"), Mode::Plain, &Options::new()).unwrap_err();
    assert_eq!((missing.kind(), missing.system_error()), (ErrorKind::Io, Some(2)));
    assert!(missing.path().unwrap().ends_with("none"));
}

#[test]
fn every_hash_has_its_name_and_constant() {
    for hash in Hash::ALL {
        assert_eq!(hash.name().parse::<Hash>().unwrap(), *hash);
    }
    let unknown = Hash::from_name("md5").unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::InvalidArgument);
    assert!(unknown.to_string().contains("blake3"), "{unknown}");
}

/// Trees of every hash, whose nodes are computed here by merges alone.
#[test]
fn trees_are_their_merges() {
    let options = Options::new();
    for hash in Hash::ALL {
        let row: Vec<Vec<u8>> = (0..8u64).map(|i| [i.to_le_bytes(), (i + 9).to_le_bytes()].concat()).collect();
        let info = hash.info();
        let rows = |hash: Hash| match info.element_bytes {
            8 => hash_leaves(&(0..16).map(|i| i as u64).collect::<Vec<_>>(), 2, hash, &options).unwrap(),
            4 => hash_leaves(&(0..16).map(|i| i as u32).collect::<Vec<_>>(), 2, hash, &options).unwrap(),
            _ => hash_leaves(&row.concat(), 16, hash, &options).unwrap(),
        };
        let leaves = rows(*hash);
        let tree = MerkleTree::from_leaves(&leaves, Form::new(*hash).rule(Rule::Perfect), &options).unwrap();
        let mut level = leaves.clone();
        for height in 0..4 {
            assert_eq!(tree.level(height).unwrap(), level, "{hash} level {height}");
            level = level.chunks_exact(2).map(|pair| merge(pair[0], pair[1], *hash, &options).unwrap()).collect();
        }
        assert_eq!(tree.nodes().unwrap()[1], tree.root());
        assert_eq!(tree.cap(1).unwrap(), tree.level(2).unwrap());
        let (proof, root) = (tree.prove(5).unwrap(), tree.root());
        assert_eq!(proof.leaves(), [(5, leaves[5])]);
        proof.verify(&root, Expect::new().leaf(leaves[5]).index(5).n_leaves(8).hash(*hash), Mode::Plain).unwrap();
        not_valid(proof.verify(&leaves[0], Expect::new(), Mode::Plain));
    }
}

#[test]
fn rows_and_leaves_make_one_tree() {
    let rows: Vec<u64> = (0..64 * 5).collect();
    let options = Options::new();
    let leaves = hash_leaves(&rows, 5, Hash::RP64_256, &options).unwrap();
    let tree = MerkleTree::from_rows(&rows, 5, Hash::RP64_256, &options).unwrap();
    assert_eq!(tree.level(0).unwrap(), leaves);
    assert_eq!(tree.root(), merkle_root(&leaves, Hash::RP64_256, &options).unwrap());
    assert_eq!(hash_leaves(&rows[10..15], 5, Hash::RP64_256, &options).unwrap()[0], leaves[2]);
}

#[test]
fn proofs_come_back_from_bytes_and_forgeries_do_not_verify() {
    let leaves = leaves(21);
    let tree = MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &Options::new()).unwrap();
    let root = tree.root();
    let claims = |bytes: &[u8]| Proof::from_bytes(bytes).unwrap().info();
    for proof in [tree.prove(20).unwrap(), tree.prove_together(&[3, 20, 0]).unwrap(), tree.prove_range(4..9).unwrap()] {
        let bytes = proof.to_bytes();
        verify(&bytes, &root, Expect::new(), Mode::Plain).unwrap();
        let again = Proof::from_bytes(&bytes).unwrap();
        assert_eq!((again.leaves(), again.siblings()), (proof.leaves(), proof.siblings()));
        for i in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[i] ^= 1;
            // A changed byte may verify, but then the proof claims another tree, and the verifier must compare the
            // claims.
            let verdict = verify(&wrong, &root, Expect::new(), Mode::Plain);
            assert!(verdict.is_err() || claims(&wrong) != proof.info(), "byte {i}");
            not_valid(verify(&bytes[..i], &root, Expect::new(), Mode::Plain));
        }
    }
    let each = tree.prove_each(&[0, 7, 7]).unwrap();
    let verdicts = verify_each(&each, &root, Mode::Plain, &Options::new()).unwrap();
    assert_eq!(*verdicts, [true; 3]);
    verdicts.require_all().unwrap();
    let mixed = [tree.prove(1).unwrap(), perfect_proof(), tree.prove(2).unwrap(), perfect_proof()];
    let verdicts = verify_each(&mixed, &root, Mode::Plain, &Options::new()).unwrap();
    assert_eq!(verdicts.clone().into_vec(), [true, false, true, false]);
    let text = not_valid(verdicts.require_all());
    assert_eq!(text, "verify_each: 2 of 4 proofs do not lead to this root; the first one is proof 1");
    let large = MerkleTree::from_leaves(&[Digest([255; 32]); 4], Hash::RP64_256, &Options::new());
    assert_eq!(large.unwrap_err().kind(), ErrorKind::InvalidArgument, "words above the modulus");
    let perfect = MerkleTree::from_leaves(&leaves[..16], Hash::BLAKE3, &Options::new()).unwrap();
    let proof = perfect.prove_together(&[2, 9]).unwrap();
    let bytes = proof.to_winterfell().unwrap();
    let again = Proof::from_winterfell(&bytes, Hash::BLAKE3, &[9, 2], &[leaves[9], leaves[2]]).unwrap();
    again.verify(&perfect.root(), Expect::new().n_leaves(16), Mode::Plain).unwrap();
}

/// An expectation holds only if the proof shows it. The verdict is the same for a proof and for its bytes.
#[test]
fn proofs_are_of_what_is_expected() {
    let leaves = leaves(21);
    let tree = MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &Options::new()).unwrap();
    let root = tree.root();
    let (one, several) = (tree.prove(17).unwrap(), tree.prove_together(&[17]).unwrap());
    let holds = |proof: &Proof, expect: Expect| {
        let verdict = proof.verify(&root, expect, Mode::Plain);
        let of_bytes = verify(&proof.to_bytes(), &root, expect, Mode::Plain);
        assert_eq!(verdict.is_ok(), of_bytes.is_ok(), "{expect:?}");
        verdict.map_err(|error| assert_eq!(error.kind(), ErrorKind::NotValid, "{error}")).is_ok()
    };
    let of_tree = Expect::new().n_leaves(21).hash(Hash::BLAKE3).rule(Rule::LeftFull);
    let all = of_tree.leaf(leaves[17]).index(17);
    assert!(holds(&one, Expect::new()) && holds(&one, of_tree) && holds(&one, all));
    assert!(holds(&several, Expect::new()) && holds(&several, of_tree));
    for wrong in [
        Expect::new().leaf(leaves[16]),
        Expect::new().leaf(Digest::default()),
        Expect::new().index(16),
        Expect::new().index(0),
        Expect::new().n_leaves(0),
        Expect::new().n_leaves(22),
        Expect::new().hash(Hash::KECCAK256),
        Expect::new().rule(Rule::Perfect),
        all.index(18),
    ] {
        assert!(!holds(&one, wrong), "{wrong:?}");
    }
    // `leaf` and `index` never hold for a proof of several leaves, not even if it has only one.
    assert!(!holds(&several, Expect::new().leaf(leaves[17])) && !holds(&several, Expect::new().index(17)));
    assert!(!holds(&several, of_tree.n_leaves(20)));
    let error = one.verify(&root, Expect::new().rule(Rule::Default), Mode::Plain).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().starts_with("Proof::verify: Expect::rule must be"), "{error}");
    // The same with a key.
    let (key, other) = (Mode::Keyed(&[7; 32]), Mode::Keyed(&[8; 32]));
    let keyed = MerkleTree::from_leaves(&leaves, Form::new(Hash::BLAKE3).mode(key), &Options::new()).unwrap();
    let proof = keyed.prove(17).unwrap();
    proof.verify(&keyed.root(), all, key).unwrap();
    not_valid(proof.verify(&keyed.root(), all.index(16), key));
    not_valid(proof.verify(&keyed.root(), all, other));
}

#[test]
fn trees_change_and_grow() {
    let (all, options) = (leaves(40), Options::new());
    let mut tree = MerkleTree::from_leaves(&all[..30], Hash::BLAKE3, &options).unwrap();
    let old = tree.root();
    tree.append(&all[30..], &options).unwrap();
    assert_eq!(tree.root(), merkle_root(&all, Hash::BLAKE3, &options).unwrap());
    let (consistency, new) = (tree.prove_consistency(30).unwrap(), tree.root());
    let (roots, swapped) = (Roots { old_root: &old, new_root: &new }, Roots { old_root: &new, new_root: &old });
    let bytes = consistency.to_bytes();
    consistency.verify_consistency(roots, Mode::Plain).unwrap();
    verify_consistency(&bytes, roots, Mode::Plain).unwrap();
    not_valid(consistency.verify_consistency(swapped, Mode::Plain));
    not_valid(verify_consistency(&bytes, swapped, Mode::Plain));
    // A proof of the other kind: an object is the caller's mistake, bytes are just not valid.
    let leaf = tree.prove(3).unwrap();
    let mistakes = [consistency.verify(&new, Expect::new(), Mode::Plain), leaf.verify_consistency(roots, Mode::Plain)];
    assert!(mistakes.into_iter().all(|mistake| mistake.unwrap_err().kind() == ErrorKind::InvalidArgument));
    not_valid(verify(&bytes, &new, Expect::new(), Mode::Plain));
    not_valid(verify_consistency(&leaf.to_bytes(), roots, Mode::Plain));
    let mut changed = all.clone();
    changed[7] = all[8];
    tree.update(&[7], &[all[8]], &options).unwrap();
    assert_eq!(tree.root(), merkle_root(&changed, Hash::BLAKE3, &options).unwrap());
    let refused = tree.update(&[40], &[all[0]], &options).unwrap_err();
    assert!(refused.to_string().contains("40"), "{refused}");
}

#[test]
fn tree_files() {
    let (scratch, options) = (Scratch::new("files"), Options::new());
    let (all, path) = (leaves(33), scratch.0.join("tree.mkl"));
    MerkleTree::from_leaves(&all, Hash::BLAKE3, &options).unwrap().save(&path).unwrap();
    let mut file = TreeFile::open(&path).unwrap();
    assert_eq!(file.root().unwrap(), merkle_root(&all, Hash::BLAKE3, &options).unwrap());
    assert_eq!(file.read(0, 30, 3).unwrap(), all[30..]);
    let expect = Expect::new().n_leaves(33).rule(Rule::LeftFull);
    file.prove_together(&[1, 32]).unwrap().verify(&file.root().unwrap(), expect, Mode::Plain).unwrap();
    let (old, new) = (merkle_root(&all[..5], Hash::BLAKE3, &options).unwrap(), file.root().unwrap());
    let consistency = file.prove_consistency(5).unwrap();
    consistency.verify_consistency(Roots { old_root: &old, new_root: &new }, Mode::Plain).unwrap();
    file.append(&all[..2], &options).unwrap();
    assert_eq!(file.info().unwrap().n_leaves, 35);
    assert_eq!(*file.check(5, &options).unwrap(), []);
    file.check(usize::MAX, &options).unwrap().require_none().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 1);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(TreeFile::open(&path).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn wrong_calls_say_the_rule() {
    let options = Options::new();
    let text = |error: Error| error.to_string();
    assert!(text(hash_leaves(&[1u64], 1, Hash::POSEIDON2_KOALABEAR_16, &options).unwrap_err()).contains("32 bits"));
    assert_eq!(Device::open("no\0such").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Stream::new(&cpu()).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(Buffer::new(&cpu(), 64).unwrap_err().kind(), ErrorKind::Unavailable);
    let matrix = Matrix::new(&[1u64, 2], 2).unwrap();
    for columns in [0, 3] {
        let refused = text(matrix.first_columns(columns).map(|_| ()).unwrap_err());
        assert_eq!(refused, format!("Matrix: first_columns must be 1 to 2, got {columns}"));
    }
    let no_arity = MatrixCommitment::new(&[matrix], Hash::RP64_256, 0, 0, &options).unwrap_err();
    assert_eq!(text(no_arity), "MatrixCommitment::new: arity must be 2 or 4, got 0");
    let opening = Opening { indices: vec![0], rows: vec![1u64], siblings: vec![] };
    let no_arity = opening.verify(&[Digest::default()], &[(1, 1)], Hash::RP64_256, 0, 0).unwrap_err();
    assert_eq!(text(no_arity), "Opening::verify: arity must be 2 or 4, got 0");
}

/// Rows that are borrowed one by one are a matrix if they are contiguous.
#[test]
fn rows_that_follow_each_other_are_a_matrix() {
    let words: Vec<u64> = (0..12).collect();
    let options = Options::new();
    let digests = |matrix| hash_rows(&[matrix], Hash::RP64_256, &options).unwrap();
    let rows = Matrix::from_rows(words.chunks(3)).unwrap();
    assert_eq!((rows.rows(), digests(rows)), (4, digests(Matrix::new(&words, 3).unwrap())));
    let others: [&[&[u64]]; 5] =
        [&[], &[&[]], &[&words[3..6], &words[..3]], &[&words[..3], &words[3..5]], &[&words[..2], &words[3..5]]];
    for others in others {
        assert!(Matrix::from_rows(others.iter().copied()).is_none(), "{others:?}");
    }
}

#[test]
fn progress_cancels_and_its_panic_stays_in_rust() {
    // The other side of the pipe closes only after the progress function was called.
    let writer = RefCell::new(None);
    let run = |progress: &dyn Fn(f64) -> ControlFlow<()>| {
        let (reader, other_side) = std::io::pipe().unwrap();
        writer.replace(Some(other_side));
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        hash_file(path, Mode::Plain, &Options::new().progress(progress))
    };
    let calls = Cell::new(0);
    let stop = |_: f64| {
        calls.set(calls.get() + 1);
        ControlFlow::Break(())
    };
    assert_eq!((run(&stop).unwrap_err().kind(), calls.get()), (ErrorKind::Cancelled, 1));
    let fail = |_: f64| -> ControlFlow<()> { panic!("of the progress function") };
    let panic = catch_unwind(AssertUnwindSafe(|| run(&fail))).unwrap_err();
    assert_eq!(*panic.downcast_ref::<&str>().unwrap(), "of the progress function");
    let seen = RefCell::new(vec![]);
    let watch = |done: f64| {
        seen.borrow_mut().push(done);
        writer.replace(None);
        ControlFlow::Continue(())
    };
    assert_eq!(run(&watch).unwrap(), hash(b"").unwrap());
    assert!(!seen.borrow().is_empty());
    assert!(seen.borrow().iter().all(|done| (0.0..=1.0).contains(done)));
}

/// A hasher may move to another thread; a stream belongs to one thread.
#[test]
fn a_stream_is_for_one_call() {
    let Ok(device) = Device::open("opencl:0") else {
        return println!("skipped: there is no device with queues");
    };
    let stream = Stream::new(&device).unwrap();
    let options = Options::new().device(&device).stream(&stream);
    assert_eq!(hash_with(b"abc", Mode::Plain, &options).unwrap(), hash(b"abc").unwrap());
    let refused =
        [Hasher::new(Mode::Plain, &options).map(|_| ()), TreeBuilder::new(Hash::BLAKE3, &options).map(|_| ())];
    for refused in refused {
        assert!(refused.unwrap_err().to_string().contains("options with a stream are for one call"));
    }
}

#[test]
fn one_tree_in_many_threads() {
    let all = leaves(1000);
    let tree = MerkleTree::from_leaves(&all, Hash::BLAKE3, &Options::new()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (tree, all) = (&tree, &all);
            scope.spawn(move || {
                for i in (thread..1000).step_by(4) {
                    let proof = tree.prove(i).unwrap();
                    assert_eq!(proof.leaves()[0].1, all[i as usize]);
                    proof.verify(&tree.root(), Expect::new().index(i), Mode::Plain).unwrap();
                    // Each thread has its own text of the last error.
                    assert!(tree.prove(1000 + i).unwrap_err().to_string().contains(&format!("{}", 1000 + i)));
                }
            });
        }
    });
}

#[test]
fn handles_go_where_they_may() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    macro_rules! all {
        ($check:ident: $($kind:ty)*) => { $($check::<$kind>();)* };
    }
    all!(send: Device Buffer Event Proof MerkleTree MatrixCommitment TreeFile Hasher Stream TreeBuilder Error);
    all!(sync: Device Buffer Event Proof MerkleTree MatrixCommitment TreeFile Error);

    /// Both traits apply to a type that is Sync, and then the calls below do not compile.
    trait OneThread<Why> {
        fn at_a_time() {}
    }
    impl<T> OneThread<()> for T {}
    impl<T: Sync> OneThread<u8> for T {}
    Hasher::at_a_time();
    Stream::at_a_time();
    TreeBuilder::at_a_time();
}

/// Messages of many lengths in one call, compared with BLAKE3's own answers and with each message alone.
#[test]
fn messages_of_any_lengths() {
    let counter: Vec<u8> = (0..6144u32).map(|i| (i % 251) as u8).collect();
    let options = Options::new();
    let (key, seek) = (b"whats the Elvish word for friend", 32);
    // BLAKE3's test vectors: length, hash, its bytes 32 to 47, keyed hash.
    let published = [
        (
            0,
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            "e00f03e7b69af26b7faaf09fcd333050",
            "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26",
        ),
        (
            6144,
            "3e2e5b74e048f3add6d21faab3f83aa44d3b2278afb83b80b3c35164ebeca205",
            "4d742022da6fdda444ebc384b04a54c3",
            "3d6b6d21281d0ade5b2b016ae4034c5dec10ca7e475f90f76eac7138e9bc8f1d",
        ),
        (
            65,
            "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
            "0e16e0a4749d6811dd1d6d1265c29729",
            "c0a4edefa2d2accb9277c371ac12fcdbb52988a86edc54f0716e1591b4326e72",
        ),
        (
            1025,
            "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
            "f4c4a22b4b399155358a994e52bf255d",
            "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69",
        ),
    ];
    let messages = published.map(|(length, ..)| &counter[..length]);
    let texts = |digests: Vec<Digest>| digests.iter().map(Digest::to_string).collect::<Vec<_>>();
    let plain = hash_each(messages, Mode::Plain, &options).unwrap();
    assert_eq!(texts(plain), published.map(|(_, hash, ..)| hash));
    assert_eq!(texts(hash_each(messages, Mode::Keyed(key), &options).unwrap()), published.map(|(.., keyed)| keyed));
    let mut more = [0; 4 * 16];
    hash_each_into(messages, Mode::Plain, seek, 16, &mut more, &options).unwrap();
    let more = more.chunks(16).map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    assert_eq!(more.collect::<Vec<_>>(), published.map(|(_, _, more, _)| more));

    let many: Vec<Vec<u8>> = (0..3000).map(|i| counter[..i * 7 % 5000].to_vec()).collect();
    for threads in [1, 0] {
        let digests = hash_each(&many, Mode::Plain, &options.threads(threads)).unwrap();
        assert_eq!(digests.len(), many.len());
        for (digest, message) in digests.iter().zip(&many) {
            assert_eq!(*digest, hash(message).unwrap());
        }
    }
    assert_eq!(hash_each([b""; 0], Mode::Plain, &options).unwrap(), []);
    for wrong in [0, 63, 65] {
        let error = hash_each_into(messages, Mode::Plain, 0, 16, &mut vec![0; wrong], &options).unwrap_err();
        assert!(error.to_string().contains(&format!("4 x 16 bytes of output, got {wrong}")), "{error}");
    }
}

/// Caps that p3-merkle-tree computed over matrices of four heights, in trees of arity 2 and 4; valid and invalid
/// openings.
#[test]
fn commitments_and_their_openings() {
    let (options, hash) = (Options::new(), Hash::POSEIDON2_GOLDILOCKS_8);
    let dimensions = [(17, 2), (9, 1), (5, 4), (3, 2)];
    let words = dimensions.iter().zip(0..).map(|(&(rows, columns), m): (&(u64, u64), u64)| {
        (0..rows * columns).map(|i| 1 + 1_000_003 * m + 1009 * (i / columns) + i % columns).collect::<Vec<_>>()
    });
    let words: Vec<_> = words.collect();
    let matrices = words.iter().zip(dimensions).map(|(words, (_, columns))| Matrix::new(words, columns as usize));
    let matrices: Vec<_> = matrices.collect::<Result<_>>().unwrap();
    let caps = [
        (2, [2322605831931328550, 12221342466599909477, 3254584564956799579, 8681446592690641761]),
        (4, [9447937254656429303, 5571664012233250485, 12839592958276970024, 3579020562418232591]),
    ];
    for (arity, cap) in caps {
        let commitment = MatrixCommitment::new(&matrices, hash, arity, 0, &options).unwrap();
        let cap = [Digest::from_u64s(cap)];
        assert_eq!(commitment.cap(), cap);
        for indices in [&[0][..], &[16], &[1, 2, 11, 16]] {
            let rows_of = |&index: &u64| {
                let logs = dimensions.map(|(rows, _)| rows.next_power_of_two().ilog2());
                let row = |m: usize| {
                    let (at, columns) = ((index >> (logs[0] - logs[m])) as usize, dimensions[m].1 as usize);
                    words[m][at * columns..(at + 1) * columns].to_vec()
                };
                (0..4).flat_map(row).collect::<Vec<_>>()
            };
            let rows: Vec<u64> = indices.iter().flat_map(rows_of).collect();
            let siblings = commitment.siblings_together(indices).unwrap();
            let opening = commitment.open_together(&matrices, indices).unwrap();
            assert_eq!(opening, Opening { indices: indices.into(), rows: rows.clone(), siblings: siblings.clone() });
            let holds = |indices: &[u64], rows: &[u64], siblings: &[Digest]| {
                Opening { indices: indices.into(), rows: rows.into(), siblings: siblings.into() }
                    .verify(&cap, &dimensions, hash, arity, 0)
                    .map_err(|error| assert_eq!(error.kind(), ErrorKind::NotValid))
                    .is_ok()
            };
            assert!(holds(indices, &rows, &siblings), "arity {arity}, {indices:?}");
            for i in 0..rows.len() {
                let mut wrong = rows.clone();
                wrong[i] ^= 1;
                assert!(!holds(indices, &wrong, &siblings));
            }
            for i in 0..siblings.len() {
                let mut wrong = siblings.clone();
                wrong[i].0[0] ^= 1;
                assert!(!holds(indices, &rows, &wrong));
            }
            assert!(!holds(indices, &rows[1..], &siblings) && !holds(indices, &rows, &siblings[1..]));
            assert!(!holds(&[17], &rows, &siblings) && !holds(&[], &[], &[]));
        }
    }
    let opening = Opening { indices: vec![0], rows: vec![1u32], siblings: vec![] };
    let refused = opening.verify(&[Digest::default()], &[(1, 1)], hash, 2, 0).unwrap_err();
    assert!(refused.to_string().contains("64 bits"), "{refused}");
    let opening = Opening { indices: vec![0], rows: vec![1u64], siblings: vec![] };
    assert!(opening.verify(&[Digest::default()], &[(1, 1)], hash, 3, 0).is_err(), "arity 3");
}

#[test]
fn rows_are_filled_in_order() {
    for (n, row_length) in [(0, 3), (1, 1), (5, 2), (100_000, 7)] {
        let rows: Vec<u64> = fill_rows(n, row_length, |first, piece| {
            assert_eq!(piece.len() % row_length, 0);
            for (i, word) in piece.iter_mut().enumerate() {
                *word = (first * row_length + i) as u64;
            }
        });
        assert_eq!(rows, (0..(n * row_length) as u64).collect::<Vec<_>>());
    }
}

#[test]
fn verified_streaming() {
    // Answers of bao 0.13 and bao-tree 0.17 for 100,000 bytes; byte i is i mod 251.
    let (data, options): (Vec<u8>, _) = ((0..100_000u32).map(|i| (i % 251) as u8).collect(), Options::new());
    let of = |bytes: &[u8]| hash(bytes).unwrap().to_string();
    let (outboard, root) = bao::outboard(&data, bao::Form::BAO, &options).unwrap();
    assert_eq!(root, hash(&data).unwrap());
    assert_eq!(of(&outboard), "c7fdbd8037ed3c8770c16848005e14cc825ac2881221b816e0b0c2a5ff1952db");
    let (groups, _) = bao::outboard(&data, bao::Form::BAO_TREE, &options).unwrap();
    assert_eq!(of(&groups), "5cd8e354c507dcd17e7d4c9fac4c1d59aadf90177cd7d98d1e681bf33221bfc1");
    let (post, _) = bao::outboard(&data, bao::Form::BAO_TREE_POST, &options).unwrap();
    assert_eq!(of(&post), "0699ed26ca4369bb01f050422ee50e93f9b8c36ea484ce9bdd638df86fd5241a");
    assert_eq!(bao::outboard_bytes(100_000, bao::Form::default()).unwrap(), outboard.len() as u64);

    let mut slice = bao::slice(&data, &post, bao::Form::BAO_TREE_POST, 40_000..40_010).unwrap();
    assert_eq!(of(&slice), "0c9b1da400b29f53a0f0056c96ba36c09970c0d82baba900c438ebafdebe4dd0");
    let decode = |slice: &[u8], size| bao::decode_slice(slice, &root, bao::Form::BAO_TREE, 40_000..40_010, size);
    assert_eq!(decode(&slice, 100_000).unwrap(), data[40_000..40_010]);
    not_valid(decode(&slice, 200_000).map(|_| ()));
    slice[1000] ^= 1;
    not_valid(decode(&slice, 100_000).map(|_| ()));
    not_valid(decode(&[], 100_000).map(|_| ()));
    let encoding = bao::slice(&data, &outboard, bao::Form::BAO, 0..u64::MAX).unwrap();
    assert_eq!(of(&encoding), "6b1d8ba856d4994fd553eb979a70bca8256fa0a2157b6c581a3ff313416a11e0");
    assert_eq!(bao::decode_slice(&encoding, &root, bao::Form::BAO, 0..u64::MAX, 0).unwrap(), data);

    let check =
        |data: &[u8], nodes: &[u8]| bao::verify(data, 0, 100_000, &root, nodes, bao::Form::BAO, &options).unwrap();
    check(&data, &outboard).require_none().unwrap();
    let mut damaged = data.clone();
    (0..97).step_by(2).for_each(|chunk| damaged[chunk * 1024] ^= 1);
    let found = check(&damaged, &outboard);
    assert_eq!(found.len(), 49);
    let text = not_valid(found.require_none());
    assert!(text.starts_with("49 found wrong; the first is Fault { offset: 0, bytes: 1024"), "{text}");
    assert_eq!(found[48], bao::Fault { offset: 96 * 1024, bytes: 1024, in_outboard: false });
    assert_eq!(*check(&data, &groups), [bao::Fault { offset: 0, bytes: 100_000, in_outboard: true }]);

    let scratch = Scratch::new("bao");
    let (path, out) = (scratch.0.join("message"), scratch.0.join("outboard"));
    std::fs::write(&path, &damaged).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let verify = |range| bao::verify_file(&file, range, &root, &outboard, bao::Form::BAO, &options);
    assert_eq!(verify(0..u64::MAX).unwrap(), found);
    assert_eq!(*verify(1024..2048).unwrap(), []);
    assert_eq!(verify(99_999..100_001).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let made = bao::outboard_file(&file, bao::Form::BAO_TREE, &out, &options).unwrap();
    let expected = bao::outboard(&damaged, bao::Form::BAO_TREE, &options).unwrap();
    assert_eq!((std::fs::read(&out).unwrap(), made), expected);

    let backwards = std::ops::Range { start: 10, end: 5 };
    let refused = [
        bao::slice(&data, &outboard, bao::Form::BAO, backwards.clone()).map(|_| ()),
        bao::decode_slice(&encoding, &root, bao::Form::BAO, backwards.clone(), 0).map(|_| ()),
        verify(backwards).map(|_| ()),
    ];
    for refused in refused {
        assert!(refused.unwrap_err().to_string().contains("got 10..5"));
    }
}

/// Words of 16 bytes are hashed as their bytes, in commitments as in rows, and opened as words.
#[test]
fn words_of_16_bytes() {
    let options = Options::new();
    let words: Vec<u128> =
        (1..=64 * 3).map(|i: u128| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for hash in [Hash::BLAKE3, Hash::KECCAK256] {
        let matrices = [Matrix::new(&words, 3).unwrap()];
        let commitment = MatrixCommitment::new(&matrices, hash, 2, 0, &options).unwrap();
        let tree = MerkleTree::from_rows(&bytes, 48, hash, &options).unwrap();
        assert_eq!(commitment.cap(), [tree.root()]);
        let mut opening = commitment.open_together(&matrices, &[5, 63]).unwrap();
        assert_eq!(opening.rows, [&words[15..18], &words[189..192]].concat());
        opening.verify(&commitment.cap(), &[(64, 3)], hash, 2, 0).unwrap();
        opening.rows[4] ^= 1;
        opening.verify(&commitment.cap(), &[(64, 3)], hash, 2, 0).unwrap_err();
    }
    assert!(MatrixCommitment::new(&[Matrix::new(&words, 3).unwrap()], Hash::RP64_256, 2, 0, &options).is_err());
}

#[test]
fn a_commitment_says_what_it_is() {
    let (tall, low): (Vec<u64>, Vec<u64>) = ((0..16 * 3).collect(), (0..4 * 5).collect());
    let matrices = [Matrix::new(&tall, 3).unwrap(), Matrix::new(&low, 5).unwrap()];
    let hash = Hash::POSEIDON2_GOLDILOCKS_8;
    let made = MatrixCommitment::with_drop_levels(&matrices, hash, 2, 1, 2, &Options::new()).unwrap();
    let info = made.info();
    assert_eq!((info.hash, info.arity, info.cap_height, info.height, info.n_leaves), (hash, 2, 1, 4, 16));
    assert_eq!((info.cap_size, info.path_length, info.row_bytes, info.drop_levels), (2, 3, 8 * (3 + 5), 2));
    assert!(!info.on_device);
}

#[test]
fn manifests_by_tiles() {
    use merklize::manifest::{CheckOptions, CreateOptions, Manifest};
    let scratch = Scratch::new("tiles");
    let header = br#"{"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}}"#;
    let file = [&(header.len() as u64).to_le_bytes()[..], header, &[1, 2, 3, 4, 5, 6, 7, 9]].concat();
    let path = scratch.0.join("m.safetensors");
    std::fs::write(&path, file).unwrap();
    let by_tiles = CreateOptions { tiles: true, ..CreateOptions::default() };
    let made = Manifest::create(&path, &by_tiles, &Options::new()).unwrap();
    // By the reference of docs/tiles-format.md.
    let digest = "419170bd7212149d394f9f0a042bae3ec95aa281f3330618810340889f884cd9";
    assert!(made.to_json(false).unwrap().contains(digest));
    assert!(made.check(&path, &CheckOptions::default(), &Options::new()).unwrap().is_empty());
    let by_bytes = Manifest::create(&path, &CreateOptions::default(), &Options::new()).unwrap();
    assert!(by_bytes.diff(&made).unwrap_err().to_string().contains("digests"));
}

#[test]
fn shards_that_are_in_an_index_alone() {
    use merklize::manifest::{CheckOptions, CreateOptions, Manifest};
    let scratch = Scratch::new("shards");
    std::fs::write(scratch.0.join("model.bin.index.json"), r#"{"weight_map": {"a": "one.bin", "b": "two.bin"}}"#)
        .unwrap();
    std::fs::write(scratch.0.join("one.bin"), "weights").unwrap();
    let made = Manifest::create(&scratch.0, &CreateOptions::default(), &Options::new()).unwrap();
    assert_eq!(made.missing().unwrap(), ["two.bin"]);
    assert!(Manifest::parse(&made.to_json(true).unwrap()).unwrap().missing().unwrap().is_empty());
    let found = made.check(&scratch.0, &CheckOptions::default(), &Options::new()).unwrap();
    assert!(found.is_empty());
    assert_eq!(found.missing(), ["two.bin"]);
    std::fs::write(scratch.0.join("two.bin"), "weights").unwrap();
    let made = Manifest::create(&scratch.0, &CreateOptions::default(), &Options::new()).unwrap();
    assert!(made.missing().unwrap().is_empty());
    std::fs::remove_file(scratch.0.join("two.bin")).unwrap();
    let found = made.check(&scratch.0, &CheckOptions::default(), &Options::new()).unwrap();
    assert_eq!((found[0].kind.as_str(), found.missing().len()), ("missing", 0));
    // said once
}
