//! Compares other systems' formats with recorded answers of veritysetup 2.6.1, @web3-storage/data-segment 5.3.0 and
//! @openzeppelin/merkle-tree, as python/tests does.

use merklize::formats::*;
use merklize::*;

mod common;
use common::Scratch;

fn counter(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i % 251) as u8).collect()
}

#[track_caller]
fn wrong<T>(found: Result<T>, kind: ErrorKind, text: &str) {
    let error = found.err().unwrap_or_else(|| panic!("no error: {text}"));
    assert!(error.kind() == kind && error.to_string().starts_with(text), "{:?}: {error}", error.kind());
}

#[test]
fn facts_of_formats() {
    let all = list().unwrap();
    let names: Vec<_> = all.iter().map(|format| format.name.as_str()).collect();
    assert!(names.starts_with(&["merklize", "rfc6962", "bitcoin"]), "{names:?}");
    let glacier = info("glacier").unwrap();
    assert_eq!((glacier.hash, glacier.piece_size, glacier.hashes_messages), (Hash::SHA256, Some(1 << 20), true));
    assert_eq!(info("rfc6962").unwrap().piece_size, None);
    let bitcoin = info("bitcoin").unwrap();
    let form = Form::new(bitcoin.hash).rule(bitcoin.rule);
    let mut leaves: Vec<Digest> = (0..6).map(|i| Digest([i; 32])).collect();
    let tree = MerkleTree::from_leaves(&leaves, form, &Options::new()).unwrap();
    require_unambiguous(&tree, "bitcoin").unwrap();
    leaves[5] = leaves[4];
    let strict = form.unambiguous(bitcoin.is_ambiguous);
    wrong(MerkleTree::from_leaves(&leaves, strict, &Options::new()), ErrorKind::InvalidArgument, "MerkleTree");
    wrong(merkle_root(&leaves, strict, &Options::new()), ErrorKind::InvalidArgument, "merkle_root: of this form ");
    let tree = MerkleTree::from_leaves(&leaves, form, &Options::new()).unwrap();
    wrong(require_unambiguous(&tree, "bitcoin"), ErrorKind::InvalidArgument, "require_unambiguous: ");
}

#[test]
fn disks() {
    let options = Options::new();
    let root =
        dm_verity(&vec![0; 1 << 20], DmVerityForm { salt: &[0xab; 32], ..Default::default() }, &options).unwrap();
    let hex: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "6e753df349695558481a6446c1525439cc41cdbaa98c9a273990b229d9f8f959");

    let folder = Scratch::new("disks");
    let (data, hashes) = (folder.0.join("data"), folder.0.join("hashes"));
    let mut bytes = counter(1 << 20);
    std::fs::write(&data, &bytes).unwrap();
    let form = DmVerityForm {
        algorithm: DmVerityAlgorithm::Sha512,
        salt_after: true,
        data_block_size: 1024,
        hash_block_size: 512,
        data_blocks: Some(1000),
        salt: &[7; 256],
    };
    let area = DmVerityArea { offset: 1024, uuid: [3; 16], ..Default::default() };
    let root = dm_verity_file(&data, form, &options).unwrap();
    assert_eq!(root.len(), 64);
    assert_eq!(dm_verity(&bytes[..1000 * 1024], form, &options).unwrap(), root);
    let (made, facts) = dm_verity_format(&data, &hashes, form, area, &options).unwrap();
    assert_eq!(made, root);
    assert_eq!(dm_verity_dump(&hashes, 1024).unwrap(), facts);
    assert_eq!(facts.form(), form);
    assert_eq!((facts.uuid, facts.hash_blocks, facts.end), ([3; 16], 144, 1024 + 512 + 512 * 144));
    let verify = |form, area| dm_verity_verify(&data, &hashes, &root, form, area, &options);
    verify(Some(form), area).unwrap().require_none().unwrap();
    let bare = DmVerityArea { offset: 1024 + 512, without_superblock: true, ..area };
    verify(Some(form), bare).unwrap().require_none().unwrap();
    bytes[3 * 1024 + 5] ^= 1;
    bytes[999 * 1024] ^= 1;
    std::fs::write(&data, &bytes).unwrap();
    let found = verify(Some(form), area).unwrap();
    assert_eq!(found[..], [DmVerityFault::Data(3), DmVerityFault::Data(999)]);
    wrong(found.require_none(), ErrorKind::NotValid, "2 found wrong; the first is Data(3)");
    // There are more faults than are named.
    std::fs::write(&data, vec![1; 1 << 20]).unwrap();
    std::fs::write(&hashes, vec![1; facts.end as usize]).unwrap();
    let found = verify(Some(form), bare).unwrap();
    assert_eq!(found.len(), 1000 + 144);
    assert_eq!(found[1000], DmVerityFault::Hashes(3));

    let invalid = ErrorKind::InvalidArgument;
    wrong(dm_verity_dump(&hashes, 1024), invalid, "dm_verity_dump: ");
    dm_verity_format(&data, &hashes, form, area, &options).unwrap();
    let behind = "dm_verity_verify: ";
    wrong(verify(None, area), invalid, behind);
    wrong(verify(Some(DmVerityForm { data_blocks: None, ..form }), area), invalid, behind);
    for other in [
        DmVerityForm { data_blocks: Some(1024), ..form },
        DmVerityForm { salt_after: false, ..form },
        DmVerityForm { salt: &[8; 256], ..form },
        DmVerityForm { data_block_size: 512, ..form },
        DmVerityForm { hash_block_size: 1024, ..form },
        DmVerityForm { algorithm: DmVerityAlgorithm::Sha256, ..form },
    ] {
        let error = verify(Some(other), area).unwrap_err();
        assert!(error.to_string().contains("expected"), "{error}");
    }
    wrong(verify(None, bare), invalid, "dm_verity_verify: without a superblock the fields must be stated");
    wrong(dm_verity_dump(&hashes, 0), invalid, "dm_verity_dump: ");
    wrong(
        dm_verity(&[0; 100], DmVerityForm::default(), &options),
        invalid,
        "dm_verity: data has 100 bytes, less than a",
    );
    wrong(dm_verity_file("/nowhere/file", form, &options), ErrorKind::Io, "/nowhere/file: cannot open");
}

#[test]
fn pieces() {
    let options = Options::new();
    for (size, v2) in [
        (0, "bafkzcibcp4bdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy"),
        (127, "bafkzcibcaablqfyjsvd3rrmqmd7n4f7i73ybzuxfq4p4za6lft2jeaaaaguxefq"),
        (100_000, "bafkzcibe4dvacdb7i2koeleqv4pk5e36tmau2lamc4ekclh4luh5d3s7dn2ukg3wdq"),
    ] {
        assert_eq!(piece_cid(&counter(size), &options).unwrap().v2, v2);
    }
    let folder = Scratch::new("pieces");
    std::fs::write(folder.0.join("data"), counter(100_000)).unwrap();
    let piece = piece_cid_file(folder.0.join("data"), &options).unwrap();
    assert_eq!(piece, piece_cid(&counter(100_000), &options).unwrap());
    assert_eq!((piece.bytes, piece.padded_bytes, piece.padding, piece.height), (100_000, 131_072, 30_048, 12));
    assert!(piece.v1.starts_with("baga6ea4seaq"));
    wrong(piece_cid_file("/nowhere/file", &options), ErrorKind::Io, "/nowhere/file: cannot open");
}

#[test]
fn trees_of_openzeppelin() {
    let options = Options::new();
    let leaves: Vec<Digest> = counter(160).chunks(32).map(|leaf| Digest(leaf.try_into().unwrap())).collect();
    let tree = OpenZeppelinTree::new(&leaves, &options).unwrap();
    let root = tree.root().unwrap();
    assert_eq!(root.to_string(), "70976761d5195d04192079be3773005de6f5e8b92c20dba4eb724b095a92f2bb");
    let nodes = tree.nodes().unwrap();
    assert_eq!(nodes.len(), 9);
    let places: Vec<u64> = (0..5).map(|i| tree.tree_index(i).unwrap()).collect();
    assert_eq!(places, [8, 7, 6, 5, 4]);
    assert_eq!(OpenZeppelinTree::with_indices(&leaves, &places, &options).unwrap().nodes().unwrap(), nodes);
    let proof = tree.prove(1).unwrap();
    assert_eq!(proof, [leaves[0], leaves[4], nodes[2]]);
    verify_openzeppelin(&proof, &root, &leaves[1]).unwrap();
    wrong(
        verify_openzeppelin(&proof, &leaves[1], &root),
        ErrorKind::NotValid,
        "verify_openzeppelin: the proof does not lead from this leaf to this root",
    );
    let all = tree.prove_together(&[0, 1, 2, 3, 4]).unwrap();
    assert_eq!((all.leaves.len(), all.proof.len(), all.flags), (5, 0, vec![true; 4]));
    let one = tree.prove_together(&[2]).unwrap();
    assert_eq!((one.leaves, one.flags), (vec![leaves[2]], vec![false; 2]));
    verify_openzeppelin(&one.proof, &root, &leaves[2]).unwrap();
    assert_eq!(tree.prove_together(&[]).unwrap().proof, [root]);

    let twice = hash_with(&hash_with(b"abi", Hash::KECCAK256, &options).unwrap().0, Hash::KECCAK256, &options).unwrap();
    assert_eq!(openzeppelin_leaf(b"abi").unwrap(), twice);
    let invalid = ErrorKind::InvalidArgument;
    wrong(
        tree.prove_together(&[1, 1]),
        invalid,
        "OpenZeppelinTree::prove_together: a proof of several leaves takes each",
    );
    wrong(
        OpenZeppelinTree::with_indices(&leaves, &places[1..], &options),
        invalid,
        "OpenZeppelinTree::with_indices: leaves and indices must have equal counts, got 5 and 4",
    );
}

#[test]
fn nodes_on_a_device() {
    let leaves: Vec<Digest> = (0..8).map(|i| Digest([i; 32])).collect();
    let cpu = Device::open("cpu").unwrap();
    let tree = MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &Options::new().device(&cpu)).unwrap();
    let invalid = ErrorKind::InvalidArgument;
    wrong(
        tree.device_nodes(),
        invalid,
        "MerkleTree::device_nodes: the tree's nodes are in memory of the host; nodes()",
    );
    wrong(
        tree.device_level(1),
        invalid,
        "MerkleTree::device_level: the tree's nodes are in memory of the host; level()",
    );
    for device in Device::list().unwrap().iter().filter(|device| !device.id.starts_with("cpu")) {
        let device = Device::open(&device.id).unwrap();
        let there = MerkleTree::from_leaves(&leaves, Hash::BLAKE3, &Options::new().device(&device)).unwrap();
        if !there.info().on_device {
            continue;
        }
        for (buffer, expected) in [
            (there.device_nodes().unwrap(), tree.nodes().unwrap()),
            (there.device_level(1).unwrap(), tree.level(1).unwrap()),
        ] {
            let mut bytes = vec![0; buffer.len() as usize];
            buffer.download(0, &mut bytes, None).unwrap();
            assert_eq!(bytes, expected.iter().flat_map(|digest| digest.0).collect::<Vec<_>>());
            wrong(buffer.upload(0, &bytes, None), invalid, "");
        }
    }
}
