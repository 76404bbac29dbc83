//! The rows of tests/vectors/surface.json: calls with their results and errors, the same in all languages.

use merklize::pieces::{digest_of_pieces, piece_values, value_of_pieces};
use merklize::*;
use serde_json::{Map, Value};

const FILE: &str = include_str!("surface.json");

/// The arguments of a row. One that the runner does not take is a failure.
struct Given(Map<String, Value>);

impl Given {
    fn number(&mut self, name: &str) -> Option<u64> {
        self.0.remove(name).map(|value| value.as_u64().unwrap())
    }
    fn text(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).map(|value| value.as_str().unwrap().into())
    }
    fn numbers(&mut self, name: &str) -> Vec<u64> {
        self.0.remove(name).unwrap().as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect()
    }
    fn bytes(&mut self, name: &str) -> Vec<u8> {
        counted(self.number(name).unwrap_or(0))
    }
    fn leaves(&mut self) -> Vec<Digest> {
        (0..self.number("leaves").unwrap()).map(digest).collect()
    }
    fn hash(&mut self) -> Hash {
        self.text("hash").map_or(Hash::BLAKE3, |name| Hash::from_name(&name).unwrap())
    }
}

fn counted(n: u64) -> Vec<u8> {
    (0..n).map(|i| (i % 251) as u8).collect()
}

fn digest(i: u64) -> Digest {
    let mut bytes = if i == 255 { [255; 32] } else { [0; 32] };
    bytes[0] = i as u8;
    Digest(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text_of(digests: &[Digest]) -> String {
    digests.iter().map(Digest::to_string).collect()
}

fn key_of(given: &mut Given) -> Option<[u8; 32]> {
    given.number("key").map(|n| counted(n).try_into().unwrap())
}

fn form_of<'a>(given: &mut Given, key: &'a Option<[u8; 32]>) -> Form<'a> {
    let form = Form::new(given.hash()).mode(key.as_ref().map_or(Mode::Plain, Mode::Keyed));
    given.text("rule").map_or(form, |rule| form.rule(rule_of(&rule)))
}

fn tree_of(given: &mut Given) -> Result<MerkleTree> {
    let key = key_of(given);
    let form = form_of(given, &key);
    MerkleTree::from_leaves(&given.leaves(), form, &Options::new())
}

fn rule_of(name: &str) -> Rule {
    match name {
        "perfect" => Rule::Perfect,
        "left_full" => Rule::LeftFull,
        "pad" => Rule::Pad(Digest::default()),
        "duplicate_last" => Rule::DuplicateLast,
        other => panic!("an unknown rule: {other}"),
    }
}

fn hash_of(given: &mut Given) -> Result<String> {
    let (data, hash) = (given.bytes("data"), given.hash());
    let mut out = vec![0; given.number("length").unwrap_or(32) as usize];
    let (seek, key, context) = (given.number("seek").unwrap_or(0), given.number("key"), given.text("context"));
    let key = key.map(counted);
    let how: How<'_> = match (&key, &context) {
        (Some(key), _) if hash == Hash::BLAKE2S => Mode::KeyedBlake2s(key).into(),
        (Some(key), _) => Mode::Keyed(key.as_slice().try_into().unwrap()).into(),
        (None, Some(context)) => Mode::DeriveKey(context).into(),
        (None, None) => hash.into(),
    };
    hash_into(&data, how, seek, &mut out, &Options::new())?;
    Ok(hex(&out))
}

fn proof_of(proof: Result<Proof>) -> Result<String> {
    Ok(hash(&proof?.to_bytes())?.to_string())
}

fn run(call: &str, given: &mut Given) -> Result<String> {
    let options = Options::new();
    Ok(match call {
        "hash" => hash_of(given)?,
        "hash_named" => Hash::from_name(&given.text("name").unwrap())?.to_string(),
        "hash_each" => {
            let messages: Vec<_> = given.numbers("messages").into_iter().map(counted).collect();
            text_of(&hash_each(&messages, given.hash(), &options)?)
        }
        "merge" => {
            let (left, right) = (digest(given.number("left").unwrap()), digest(given.number("right").unwrap()));
            merge(left, right, given.hash(), &options)?.to_string()
        }
        "merkle_root" => {
            let key = key_of(given);
            let form = form_of(given, &key);
            merkle_root(&given.leaves(), form, &options)?.to_string()
        }
        "tree" => tree_of(given)?.root().to_string(),
        "level" => text_of(tree_of(given)?.level(given.number("level").unwrap() as u32)?),
        "cap" => text_of(&tree_of(given)?.cap(given.number("height").unwrap() as u32)?),
        "prove" => proof_of(tree_of(given)?.prove(given.number("index").unwrap()))?,
        "prove_together" => proof_of(tree_of(given)?.prove_together(&given.numbers("indices")))?,
        "prove_range" => {
            let (first, last) = (given.number("first").unwrap(), given.number("last").unwrap());
            proof_of(tree_of(given)?.prove_range(first..last))?
        }
        "prove_consistency" => proof_of(tree_of(given)?.prove_consistency(given.number("old_leaves").unwrap()))?,
        "forest" => {
            let n_leaves = given.number("n_leaves").unwrap();
            text_of(&MerkleForest::from_leaves(&given.leaves(), n_leaves, Hash::BLAKE3, &options)?.roots()?)
        }
        "format" => formats::info(&given.text("name").unwrap())?.name,
        "device" => Device::open(&given.text("name").unwrap())?.info().id,
        "policy" => format!("{:?}", Policy::from_text(&given.text("text").unwrap())?),
        "ssz" => formats::ssz(&given.leaves(), given.number("limit"), None, &options)?.to_string(),
        "fs_verity" => {
            let mut form = formats::FsVerityForm::default();
            if let Some(size) = given.number("block_size") {
                form.block_size = size as u32;
            }
            formats::fs_verity(&given.bytes("data"), form, &options)?.to_string()
        }
        "glacier" => formats::glacier(&given.bytes("data"), &options)?.to_string(),
        "bittorrent_v2" => {
            let length = given.number("piece_length").unwrap();
            formats::bittorrent_v2(&given.bytes("data"), length, &options)?.root.unwrap().to_string()
        }
        "piece_cid" => formats::piece_cid(&given.bytes("data"), &options)?.v2,
        "bao_outboard" => {
            let form = bao::Form { group_log: given.number("group_log").unwrap() as u32, ..bao::Form::BAO };
            hash(&bao::outboard(&given.bytes("data"), form, &options)?.0)?.to_string()
        }
        "openzeppelin" => formats::OpenZeppelinTree::new(&given.leaves(), &options)?.nodes()?[0].to_string(),
        "value_of_pieces" => value_of_pieces(&given.leaves(), Mode::Plain)?.to_string(),
        "digest_of_pieces" => digest_of_pieces(&given.leaves(), Mode::Plain)?.to_string(),
        "piece_values" => {
            let (offset, size) = (given.number("offset").unwrap(), given.number("piece_size").unwrap());
            text_of(&piece_values(&given.bytes("data"), offset, size, Mode::Plain, &options)?)
        }
        other => panic!("a row of an unknown call: {other}"),
    })
}

#[test]
fn rows() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let (mut count, mut faults) = (0, Vec::new());
    for row in file["rows"].as_array().unwrap() {
        let call = row["call"].as_str().unwrap();
        let Some(name) = file["calls"][call]["rust"].as_str() else { continue };
        if row["without"].get("rust").is_some() {
            continue;
        }
        count += 1;
        let mut given = Given(row["with"].as_object().unwrap().clone());
        let found = run(call, &mut given);
        assert!(found.is_err() || given.0.is_empty(), "{row}: an argument that this test does not know");
        let (got, expected) = match &found {
            Ok(got) => (got.clone(), row["gives"].as_str().unwrap_or("an error").to_string()),
            Err(error) => {
                let is_unavailable = row["kind"] == "unavailable";
                let kind = if is_unavailable { ErrorKind::Unavailable } else { ErrorKind::InvalidArgument };
                assert_eq!(error.kind(), kind, "{row}");
                let rule = row["but"].get("rust").unwrap_or(&row["refuses"]).as_str().unwrap_or("no error");
                let text = rule.strip_prefix('!').map_or_else(|| format!("{name}: {rule}"), str::to_string);
                (error.to_string(), text)
            }
        };
        let is_right = match expected.strip_suffix("...") {
            Some(begin) => got.starts_with(begin),
            None => got == expected,
        };
        if !is_right {
            faults.push(format!("{call} {}: got\n{got}\nexpected\n{expected}", row["with"]));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count >= 200, "{count} rows");
}
