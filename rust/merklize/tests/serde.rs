//! Digests, proofs and openings in a text format and in a binary one.

use merklize::{
    hash, Digest, Expect, Hash, Matrix, MatrixCommitment, MerkleTree, Mode, Opening, Options, Proof, Roots,
};

#[test]
fn digests() {
    let digest = hash(b"abc").unwrap();
    let text = serde_json::to_string(&digest).unwrap();
    assert_eq!(text, format!("\"{digest}\""));
    assert_eq!(text.len(), 66);
    assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
    let bytes = postcard::to_stdvec(&digest).unwrap();
    assert_eq!(bytes, digest.0);
    assert_eq!(postcard::from_bytes::<Digest>(&bytes).unwrap(), digest);
}

#[test]
fn what_is_no_digest() {
    let zeros = "0".repeat(63);
    for text in [format!("\"{zeros}\""), format!("\"{zeros}g\""), "3".into(), "[0, 0]".into(), "null".into()] {
        let error = serde_json::from_str::<Digest>(&text).unwrap_err().to_string();
        assert!(error.contains("64 hexadecimal digits"), "{text}: {error}");
    }
    assert!(postcard::from_bytes::<Digest>(&[0; 31]).is_err());
}

/// A tree, the root that it had before it grew, and a proof of each kind.
fn proofs() -> (MerkleTree, Digest, [Proof; 3]) {
    let leaves: Vec<Digest> = (0..21u8).map(|i| hash(&[i]).unwrap()).collect();
    let mut tree = MerkleTree::from_leaves(&leaves[..13], Hash::BLAKE3, &Options::new()).unwrap();
    let old_root = tree.root();
    tree.append(&leaves[13..], &Options::new()).unwrap();
    let proofs =
        [tree.prove(17).unwrap(), tree.prove_together(&[2, 3, 20]).unwrap(), tree.prove_consistency(13).unwrap()];
    (tree, old_root, proofs)
}

#[test]
fn proofs_of_each_kind() {
    let (tree, old_root, proofs) = proofs();
    for proof in &proofs {
        let bytes = proof.to_bytes();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = serde_json::to_string(proof).unwrap();
        assert_eq!(text, format!("\"{hex}\""));
        let binary = postcard::to_stdvec(proof).unwrap();
        assert_eq!(binary, postcard::to_stdvec(&bytes).unwrap());
        let upper = format!("\"0x{}\"", hex.to_uppercase());
        for again in [
            serde_json::from_str::<Proof>(&text).unwrap(),
            serde_json::from_str(&upper).unwrap(),
            postcard::from_bytes(&binary).unwrap(),
        ] {
            assert_eq!(again.to_bytes(), bytes);
        }
    }
    let of_text = |proof: &Proof| serde_json::from_str::<Proof>(&serde_json::to_string(proof).unwrap()).unwrap();
    of_text(&proofs[0]).verify(&tree.root(), Expect::new().index(17).n_leaves(21), Mode::Plain).unwrap();
    of_text(&proofs[1]).verify(&tree.root(), Expect::new(), Mode::Plain).unwrap();
    let roots = Roots { old_root: &old_root, new_root: &tree.root() };
    of_text(&proofs[2]).verify_consistency(roots, Mode::Plain).unwrap();
}

#[test]
fn what_is_no_proof() {
    let text = serde_json::to_string(&proofs().2[0]).unwrap();
    let digits = text.trim_matches('"');
    for (text, rule) in [
        (format!("\"{}\"", &digits[1..]), "an even number of hexadecimal digits"),
        (format!("\"{}g0\"", &digits[2..]), "an even number of hexadecimal digits"),
        ("\"\u{e9}\"".into(), "an even number of hexadecimal digits"),
        (format!("\"{}\"", &digits[2..]), "are not a proof of docs/layouts.md"),
        ("\"\"".into(), "are not a proof of docs/layouts.md"),
        ("3".into(), "a proof, as hexadecimal digits or bytes"),
        ("[1, 2]".into(), "a proof, as hexadecimal digits or bytes"),
    ] {
        let error = serde_json::from_str::<Proof>(&text).unwrap_err().to_string();
        assert!(error.contains(rule), "{text}: {error}");
    }
    let mut binary = postcard::to_stdvec(&proofs().2[0]).unwrap();
    binary.pop();
    assert!(postcard::from_bytes::<Proof>(&binary).is_err());
}

#[test]
fn openings() {
    let (tall, low): (Vec<u64>, Vec<u64>) = ((0..8 * 3).collect(), (0..4 * 2).map(|i| i << 40).collect());
    let matrices = [Matrix::new(&tall, 3).unwrap(), Matrix::new(&low, 2).unwrap()];
    let hash = Hash::POSEIDON2_GOLDILOCKS_8;
    let commitment = MatrixCommitment::new(&matrices, hash, 2, 0, &Options::new()).unwrap();
    let holds = |opening: &Opening<u64>| opening.verify(&commitment.cap(), &[(8, 3), (4, 2)], hash, 2, 0).is_ok();
    let opening = commitment.open_together(&matrices, &[6, 1]).unwrap();
    assert_eq!(opening.indices, [1, 6]);

    let text = serde_json::to_string(&opening).unwrap();
    let siblings: Vec<String> = opening.siblings.iter().map(|sibling| format!("\"{sibling}\"")).collect();
    let rows = "3,4,5,0,1099511627776,18,19,20,6597069766656,7696581394432";
    assert_eq!(text, format!(r#"{{"indices":[1,6],"rows":[{rows}],"siblings":[{}]}}"#, siblings.join(",")));
    let binary = postcard::to_stdvec(&opening).unwrap();
    for again in [serde_json::from_str::<Opening<u64>>(&text).unwrap(), postcard::from_bytes(&binary).unwrap()] {
        assert!(again == opening && holds(&again));
    }
    assert!(!holds(&serde_json::from_str(&text.replace("[3,4,5,", "[3,4,6,")).unwrap()));

    for (from, to, rule) in [
        ("\"rows\"", "\"row\"", "unknown field `row`"),
        ("[3,4,5,", "[3,4,-5,", "invalid value: integer `-5`"),
        ("\"siblings\":[\"", "\"siblings\":[\"0", "64 hexadecimal digits"),
        ("\"indices\":[1,6],", "", "missing field `indices`"),
    ] {
        let error = serde_json::from_str::<Opening<u64>>(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(rule), "{from}: {error}");
    }
    assert!(postcard::from_bytes::<Opening<u64>>(&binary[..binary.len() - 1]).is_err());
}
