//! Hashes of a caller's constants. The constants of our own instances give our own hashes; wrong constants are refused,
//! and the error has the rule.

use merklize::Field::{BabyBear, Goldilocks, KoalaBear};
use merklize::*;

/// Plonky3's constants, under the name of an instance: "goldilocks_w8".
const PUBLISHED: &str = include_str!("poseidon2_constants.json");

/// All numbers of nested lists, in order.
fn numbers(instance: &str, key: &str) -> Vec<u64> {
    let of = PUBLISHED.split_once(&format!("\"{instance}\":{{")).unwrap().1;
    let list = of.split_once(&format!("\"{key}\":")).unwrap().1.split(['"', '}']).next().unwrap();
    list.split(|c: char| !c.is_ascii_digit())
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().unwrap())
        .collect()
}

struct Constants {
    internal_rounds: u32,
    words: Vec<u64>,
    diagonal: Vec<u64>,
}

fn published(instance: &str) -> Constants {
    let parts = ["external_initial", "internal", "external_terminal"].map(|part| numbers(instance, part));
    Constants {
        internal_rounds: parts[1].len() as u32,
        words: parts.concat(),
        diagonal: numbers(instance, "diag_minus_one"),
    }
}

impl Constants {
    fn instance(&self, field: Field, rate: u32) -> Poseidon2<'_> {
        Poseidon2 {
            field,
            width: self.diagonal.len() as u32,
            rate,
            external_rounds: 8,
            internal_rounds: self.internal_rounds,
            constants: &self.words,
            diagonal: &self.diagonal,
        }
    }
}

fn rows_of_one_are_those_of_the_other<W: Word + From<u32>>(hash: Hash, named: Hash) {
    let options = Options::new();
    assert_ne!(hash, named);
    assert_eq!(hash.info().modulus, named.info().modulus);
    assert_eq!(hash.info().element_bytes, size_of::<W>());
    assert_eq!(hash.to_string().parse::<Hash>().unwrap(), hash);
    assert_eq!(format!("{hash:?}"), format!("Hash({})", hash.name()));
    let words: Vec<W> = (0..33 * 21u32).map(|i| W::from(i * i)).collect();
    for length in [1, 3, 7, 11, 21] {
        let of = |hash| hash_leaves(&words, length, hash, &options).unwrap();
        assert_eq!(of(hash), of(named), "{named}: rows of {length} words");
    }
}

#[test]
fn constants_of_ours_give_our_hashes() {
    for (name, field, rate, named, nodes_too) in [
        ("goldilocks_w8", Goldilocks, 4, Hash::POSEIDON2_GOLDILOCKS_8, true),
        ("goldilocks_w12", Goldilocks, 8, Hash::POSEIDON2_GOLDILOCKS_12, false),
        ("babybear_w16", BabyBear, 8, Hash::POSEIDON2_BABYBEAR_16, true),
        ("babybear_w24", BabyBear, 16, Hash::POSEIDON2_BABYBEAR_24, false),
        ("koalabear_w16", KoalaBear, 8, Hash::POSEIDON2_KOALABEAR_16, true),
        ("koalabear_w24", KoalaBear, 16, Hash::POSEIDON2_KOALABEAR_24, false),
    ] {
        let of = published(name);
        let hash = Hash::poseidon2(&of.instance(field, rate), None).unwrap();
        assert_eq!(hash, Hash::poseidon2(&of.instance(field, rate), None).unwrap());
        match field {
            Goldilocks => rows_of_one_are_those_of_the_other::<u64>(hash, named),
            _ => rows_of_one_are_those_of_the_other::<u32>(hash, named),
        }
        // Only where one permutation serves rows and nodes.
        let leaves: Vec<Digest> = (0..64).map(|i| Digest::from_u32s([i, 0, i + 1, 0, 7, 0, 9, 0])).collect();
        let root = |hash| merkle_root(&leaves, hash, &Options::new()).unwrap();
        assert_eq!(root(hash) == root(named), nodes_too, "{name}");
    }
}

/// The name in docs/hashes.md.
#[test]
fn names_say_the_constants() {
    let of = published("koalabear_w16");
    let hash = Hash::poseidon2(&of.instance(KoalaBear, 8), None).unwrap();
    assert!(hash.name().starts_with("poseidon2:68bd4d049c17fc82"), "{hash}");
    assert_ne!(hash, Hash::poseidon2(&of.instance(KoalaBear, 7), None).unwrap());
    assert!(!Hash::ALL.contains(&hash));
    let unknown = Hash::from_name(&format!("poseidon2:{}", "0".repeat(64))).unwrap_err();
    assert!(unknown.to_string().contains("no constants with this digest were given"), "{unknown}");
}

#[test]
fn proofs_and_files_carry_the_name() {
    let (of, options) = (published("goldilocks_w8"), Options::new());
    let hash = Hash::poseidon2(&of.instance(Goldilocks, 4), None).unwrap();
    let rows: Vec<u64> = (0..64 * 5).collect();
    let tree = MerkleTree::from_rows(&rows, 5, hash, &options).unwrap();
    let proof = Proof::from_bytes(&tree.prove(9).unwrap().to_bytes()).unwrap();
    assert_eq!(proof.info().hash, hash);
    proof.verify(&tree.root(), Expect::new().hash(hash), Mode::Plain).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("poseidon2-{}.mkl", std::process::id()));
    tree.save(&path).unwrap();
    let file = TreeFile::open(&path).unwrap();
    assert_eq!((file.info().unwrap().hash, file.root().unwrap()), (hash, tree.root()));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_quad_gives_merges_of_four() {
    let (rows, quad) = (published("goldilocks_w8"), published("goldilocks_w16"));
    let (rows, quad) = (rows.instance(Goldilocks, 4), quad.instance(Goldilocks, 16));
    let (plain, hash) = (Hash::poseidon2(&rows, None).unwrap(), Hash::poseidon2(&rows, Some(&quad)).unwrap());
    assert_ne!(plain, hash);
    let words: Vec<u64> = (0..64 * 6).collect();
    let matrices = [Matrix::new(&words, 6).unwrap()];
    let commit = |hash| MatrixCommitment::new(&matrices, hash, 4, 0, &Options::new());
    let ours = commit(hash).unwrap();
    assert_eq!((ours.info().hash, ours.cap()), (hash, commit(Hash::POSEIDON2_GOLDILOCKS_8).unwrap().cap()));
    assert!(commit(plain).unwrap_err().to_string().contains("constants for merges of four"));
}

#[test]
fn a_quad_that_does_not_fit_is_refused() {
    let (of, wide) = (published("goldilocks_w8"), published("babybear_w32"));
    let good = of.instance(Goldilocks, 4);
    let other = wide.instance(BabyBear, 32);
    for (quad, rule) in [
        (other, "quad: field must be that of the rows, goldilocks, got babybear"),
        (good, "quad: width and rate over goldilocks must be four digests, 16 words, got 8 and 4"),
    ] {
        let error = Hash::poseidon2(&good, Some(&quad)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(rule), "{error}, not {rule}");
    }
}

/// Poseidon, version 1. merklize-plonky3 compares its values with Plonky3's.
#[test]
fn constants_of_poseidon() {
    let row: [u64; 16] = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
    let matrix: Vec<u64> = (0..256).map(|i| row[(16 + i % 16 - i / 16) % 16]).collect();
    let constants: Vec<u64> = (1..=17 * 16).map(|i| i * i).collect();
    let good = Poseidon {
        field: KoalaBear,
        width: 16,
        rate: 8,
        full_rounds: 6,
        partial_rounds: 11,
        constants: &constants,
        matrix: &row,
    };
    let hash = Hash::poseidon(&good).unwrap();
    assert_eq!(hash, Hash::poseidon(&Poseidon { matrix: &matrix, ..good }).unwrap());
    assert_ne!(hash, Hash::poseidon(&Poseidon { rate: 7, ..good }).unwrap());
    assert!(hash.name().starts_with("poseidon:"), "{hash}");
    assert_eq!(hash.to_string().parse::<Hash>().unwrap(), hash);
    let rows: Vec<u32> = (0..64 * 5).collect();
    let tree = MerkleTree::from_rows(&rows, 5, hash, &Options::new()).unwrap();
    let proof = Proof::from_bytes(&tree.prove(9).unwrap().to_bytes()).unwrap();
    proof.verify(&tree.root(), Expect::new().hash(hash), Mode::Plain).unwrap();
}
