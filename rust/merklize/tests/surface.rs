//! The rows of tests/vectors/surface.json: calls with their results and errors, the same in all languages.

mod common;

use std::path::PathBuf;

use common::Scratch;
use merklize::pieces::{digest_of_pieces, piece_values, value_of_pieces};
use merklize::*;
use serde_json::{Map, Value};

const FILE: &str = include_str!("surface.json");

/// The arguments of a row. One that the runner does not take is a failure.
struct Arguments(Map<String, Value>);

impl Arguments {
    fn number(&mut self, name: &str) -> Option<u64> {
        self.0.remove(name).map(|value| value.as_u64().unwrap())
    }
    fn text(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).map(|value| value.as_str().unwrap().into())
    }
    fn numbers(&mut self, name: &str) -> Vec<u64> {
        self.0.remove(name).unwrap().as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect()
    }
    /// Items as they are listed, or 1, 2, ... for a number of them. `NAME_at`: a place, and the item there.
    fn words(&mut self, name: &str) -> Vec<u64> {
        let listed = self.0[name].is_array();
        let mut words = if listed { self.numbers(name) } else { (1..=self.number(name).unwrap()).collect() };
        let at = format!("{name}_at");
        if self.0.contains_key(&at) {
            let at = self.numbers(&at);
            words[at[0] as usize] = at[1];
        }
        words
    }
    fn messages(&mut self) -> Vec<Vec<u8>> {
        self.numbers("messages").into_iter().map(counted).collect()
    }
    fn field(&mut self) -> Field {
        match self.text("field").as_deref() {
            Some("koalabear") => Field::KoalaBear,
            Some("babybear") => Field::BabyBear,
            _ => Field::Goldilocks,
        }
    }
    /// A file of the row's bytes, or one that is not there.
    fn path(&mut self, folder: &Scratch) -> PathBuf {
        let Some(n) = self.number("file") else { return "/nowhere/file".into() };
        std::fs::write(folder.0.join("input"), counted(n)).unwrap();
        folder.0.join("input")
    }
    fn input(&mut self) -> Leaves {
        match (self.number("leaf_size"), self.number("row_size")) {
            (Some(size), _) => Leaves::Blocks(size),
            (_, Some(size)) => Leaves::Rows(size),
            _ => Leaves::Digests,
        }
    }
    fn bytes(&mut self, name: &str) -> Vec<u8> {
        counted(self.number(name).unwrap_or(0))
    }
    fn digests(&mut self, name: &str) -> Vec<Digest> {
        (0..self.number(name).unwrap()).map(digest).collect()
    }
    fn leaves(&mut self) -> Vec<Digest> {
        self.digests("leaves")
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

fn key_of(with: &mut Arguments) -> Option<[u8; 32]> {
    with.number("key").map(|n| counted(n).try_into().unwrap())
}

fn form_of<'a>(with: &mut Arguments, key: &'a Option<[u8; 32]>) -> Form<'a> {
    let form = Form::new(with.hash()).mode(key.as_ref().map_or(Mode::Plain, Mode::Keyed));
    with.text("rule").map_or(form, |rule| form.rule(rule_of(&rule)))
}

fn tree_of(with: &mut Arguments) -> Result<MerkleTree> {
    let key = key_of(with);
    let form = form_of(with, &key);
    MerkleTree::from_leaves(&with.leaves(), form, &Options::new())
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

fn with_how<T>(with: &mut Arguments, call: impl FnOnce(&mut Arguments, How<'_>) -> Result<T>) -> Result<T> {
    let (hash, key, context) = (with.hash(), with.number("key").map(counted), with.text("context"));
    let how: How<'_> = match (&key, &context) {
        (Some(key), _) if hash == Hash::BLAKE2S => Mode::KeyedBlake2s(key).into(),
        (Some(key), _) => Mode::Keyed(key.as_slice().try_into().unwrap()).into(),
        (None, Some(context)) => Mode::DeriveKey(context).into(),
        (None, None) => hash.into(),
    };
    call(with, how)
}

fn hash_of(with: &mut Arguments, how: How<'_>) -> Result<String> {
    let (data, seek) = (with.bytes("data"), with.number("seek").unwrap_or(0));
    let mut out = vec![0; with.number("length").unwrap_or(32) as usize];
    hash_into(&data, how, seek, &mut out, &Options::new())?;
    Ok(hex(&out))
}

fn hasher_of(with: &mut Arguments, how: How<'_>) -> Result<String> {
    let mut hasher = Hasher::new(how, &Options::new())?;
    hasher.update(&with.bytes("data"))?;
    Ok(hasher.finalize()?.to_string())
}

fn rounds_of(with: &mut Arguments) -> (u32, u32) {
    let rounds = with.numbers("rounds");
    (rounds[0] as u32, rounds[1] as u32)
}

fn poseidon2(with: &mut Arguments) -> Result<String> {
    let (constants, diagonal) = (with.words("constants"), with.words("diagonal"));
    let (external_rounds, internal_rounds) = rounds_of(with);
    let (field, width, rate) =
        (with.field(), with.number("width").unwrap() as u32, with.number("rate").unwrap() as u32);
    let of =
        Poseidon2 { field, width, rate, external_rounds, internal_rounds, constants: &constants, diagonal: &diagonal };
    Ok(Hash::poseidon2(&of, None)?.to_string())
}

fn poseidon(with: &mut Arguments) -> Result<String> {
    let (constants, matrix) = (with.words("constants"), with.words("matrix"));
    let (full_rounds, partial_rounds) = rounds_of(with);
    let (field, width, rate) =
        (with.field(), with.number("width").unwrap() as u32, with.number("rate").unwrap() as u32);
    let of = Poseidon { field, width, rate, full_rounds, partial_rounds, constants: &constants, matrix: &matrix };
    Ok(Hash::poseidon(&of)?.to_string())
}

fn extend_of(with: &mut Arguments) -> Result<String> {
    let (words, rows) = (with.words("words"), with.number("rows").unwrap() as usize);
    let form = ExtendForm::new(with.field(), with.number("added_bits").unwrap() as u32);
    let form = with.number("shift").map_or(form, |shift| form.shift(shift));
    let extended = extend(Matrix::new(&words, words.len() / rows)?, form, &Options::new())?;
    Ok(hash(&extended.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())?.to_string())
}

fn changed(mut tree: MerkleTree, change: impl FnOnce(&mut MerkleTree) -> Result<()>) -> Result<String> {
    change(&mut tree)?;
    Ok(tree.root().to_string())
}

fn proof_of(proof: Result<Proof>) -> Result<String> {
    Ok(hash(&proof?.to_bytes())?.to_string())
}

fn xmss_key() -> xmss::Key {
    let seed = counted(32).try_into().unwrap();
    xmss::keys(&[seed], 1000..=1003, &Options::new()).unwrap().pop().unwrap()
}

fn run(call: &str, with: &mut Arguments, folder: &Scratch) -> Result<String> {
    let options = Options::new();
    Ok(match call {
        "hash" => with_how(with, hash_of)?,
        "hash_named" => Hash::from_name(&with.text("name").unwrap())?.to_string(),
        "hash_each" => {
            let messages = with.messages();
            text_of(&hash_each(&messages, with.hash(), &options)?)
        }
        "hash_file" => hash_file(with.path(folder), with.hash(), &options)?.to_string(),
        "hasher" => with_how(with, hasher_of)?,
        "hash_leaves" => with_how(with, |with, how| {
            let (data, row) = (with.bytes("data"), with.number("row").unwrap() as usize);
            Ok(text_of(&hash_leaves(&data, row, how, &options)?))
        })?,
        "poseidon2" => poseidon2(with)?,
        "poseidon" => poseidon(with)?,
        "extend" => extend_of(with)?,
        "merge" => {
            let (left, right) = (digest(with.number("left").unwrap()), digest(with.number("right").unwrap()));
            with_how(with, |_, how| Ok(merge(left, right, how, &options)?.to_string()))?
        }
        "merkle_root" => {
            let key = key_of(with);
            let form = form_of(with, &key);
            merkle_root(&with.leaves(), form, &options)?.to_string()
        }
        "tree" => tree_of(with)?.root().to_string(),
        "from_messages" => {
            let messages = with.messages();
            MerkleTree::from_messages(&messages, with.hash(), &options)?.root().to_string()
        }
        "update" => {
            let (indices, values) = (with.numbers("indices"), with.digests("values"));
            changed(tree_of(with)?, |tree| tree.update(&indices, &values, &options))?
        }
        "append" => {
            let values = with.digests("values");
            changed(tree_of(with)?, |tree| tree.append(&values, &options))?
        }
        "from_file" => {
            let form = form_of(with, &None);
            MerkleTree::from_file(with.path(folder), with.input(), form, &options)?.root().to_string()
        }
        "merkle_root_file" => {
            let form = form_of(with, &None);
            merkle_root_file(with.path(folder), with.input(), form, &options)?.root.to_string()
        }
        "tree_file" => TreeFile::open(with.path(folder))?.root()?.to_string(),
        "level" => text_of(tree_of(with)?.level(with.number("level").unwrap() as u32)?),
        "cap" => text_of(&tree_of(with)?.cap(with.number("height").unwrap() as u32)?),
        "prove" => proof_of(tree_of(with)?.prove(with.number("index").unwrap()))?,
        "prove_together" => proof_of(tree_of(with)?.prove_together(&with.numbers("indices")))?,
        "prove_range" => {
            let (first, last) = (with.number("first").unwrap(), with.number("last").unwrap());
            proof_of(tree_of(with)?.prove_range(first..last))?
        }
        "prove_consistency" => proof_of(tree_of(with)?.prove_consistency(with.number("old_leaves").unwrap()))?,
        "forest" => {
            let n_leaves = with.number("n_leaves").unwrap();
            text_of(&MerkleForest::from_leaves(&with.leaves(), n_leaves, Hash::BLAKE3, &options)?.roots()?)
        }
        "format" => formats::info(&with.text("name").unwrap())?.name,
        "device" => Device::open(&with.text("name").unwrap())?.info().id,
        "policy" => format!("{:?}", Policy::from_text(&with.text("text").unwrap())?),
        "ssz" => formats::ssz(&with.leaves(), with.number("limit"), None, &options)?.to_string(),
        "fs_verity" => {
            let mut form = formats::FsVerityForm::default();
            if let Some(size) = with.number("block_size") {
                form.block_size = size as u32;
            }
            let salt = vec![0; with.number("salt").unwrap_or(0) as usize];
            form.salt = &salt;
            formats::fs_verity(&with.bytes("data"), form, &options)?.to_string()
        }
        "glacier" => formats::glacier(&with.bytes("data"), &options)?.to_string(),
        "bittorrent_v2" => {
            let length = with.number("piece_length").unwrap();
            formats::bittorrent_v2(&with.bytes("data"), length, &options)?.root.unwrap().to_string()
        }
        "dm_verity" => {
            let (data, salt) = (with.bytes("data"), vec![0; with.number("salt").unwrap_or(0) as usize]);
            let size = |size: Option<u64>| size.map_or(4096, |size| size as u32);
            let form = formats::DmVerityForm {
                data_block_size: size(with.number("data_block_size")),
                hash_block_size: size(with.number("hash_block_size")),
                data_blocks: with.number("data_blocks"),
                salt: &salt,
                ..Default::default()
            };
            hex(&formats::dm_verity(&data, form, &options)?)
        }
        "piece_cid" => formats::piece_cid(&with.bytes("data"), &options)?.v2,
        "bao_outboard" => {
            let form = bao::Form { group_log: with.number("group_log").unwrap() as u32, ..bao::Form::BAO };
            hash(&bao::outboard(&with.bytes("data"), form, &options)?.0)?.to_string()
        }
        "openzeppelin" => formats::OpenZeppelinTree::new(&with.leaves(), &options)?.nodes()?[0].to_string(),
        "openzeppelin_prove" => {
            let index = with.number("index").unwrap();
            text_of(&formats::OpenZeppelinTree::new(&with.leaves(), &options)?.prove(index)?)
        }
        "xmss_keys" => {
            let seeds: Vec<[u8; 32]> = with.bytes("seeds").chunks(32).map(|seed| seed.try_into().unwrap()).collect();
            let (first, last) = (with.number("first_epoch").unwrap(), with.number("last_epoch").unwrap());
            let keys = xmss::keys(&seeds, first as u32..=last as u32, &options)?;
            keys.iter().map(|key| key.public_key().to_string()).collect()
        }
        "xmss_sign" => {
            let (epoch, message) = (with.number("epoch").unwrap() as u32, with.bytes("message"));
            hash(&xmss_key().sign(epoch, message.as_slice().try_into().unwrap(), &options)?)?.to_string()
        }
        "xmss_verify" => {
            let (epoch, at) = (with.number("epoch").unwrap() as u32, with.number("at").unwrap() as u32);
            let (key, message) = (xmss_key(), counted(32).try_into().unwrap());
            let signature = key.sign(epoch, &message, &options)?;
            let is_valid = xmss::verify(&key.public_key(), at, &message, &signature.0).is_ok();
            if is_valid { "valid" } else { "not valid" }.to_string()
        }
        "value_of_pieces" => value_of_pieces(&with.leaves(), Mode::Plain)?.to_string(),
        "digest_of_pieces" => digest_of_pieces(&with.leaves(), Mode::Plain)?.to_string(),
        "piece_values" => {
            let (offset, size) = (with.number("offset").unwrap(), with.number("piece_size").unwrap());
            text_of(&piece_values(&with.bytes("data"), offset, size, Mode::Plain, &options)?)
        }
        other => panic!("a row of an unknown call: {other}"),
    })
}

#[test]
fn rows() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let folder = Scratch::new("surface");
    let path = folder.0.join("input");
    let (mut count, mut faults) = (0, Vec::new());
    for row in file["rows"].as_array().unwrap() {
        let call = row["call"].as_str().unwrap();
        let Some(name) = file["calls"][call]["rust"].as_str() else { continue };
        if row["without"].get("rust").is_some() {
            continue;
        }
        count += 1;
        let mut with = Arguments(row["with"].as_object().unwrap().clone());
        let found = run(call, &mut with, &folder);
        assert!(found.is_err() || with.0.is_empty(), "{row}: an argument that this test does not know");
        let (got, expected) = match &found {
            Ok(got) => (got.clone(), row["gives"].as_str().unwrap_or("an error").to_string()),
            Err(error) => {
                let kind = match row["kind"].as_str() {
                    Some("unavailable") => ErrorKind::Unavailable,
                    Some("io") => ErrorKind::Io,
                    _ => ErrorKind::InvalidArgument,
                };
                assert_eq!(error.kind(), kind, "{row}");
                let rule = row["but"].get("rust").unwrap_or(&row["refuses"]).as_str().unwrap_or("no error");
                let text = rule.strip_prefix('!').map_or_else(|| format!("{name}: {rule}"), str::to_string);
                (error.to_string(), text.replace("{file}", path.to_str().unwrap()))
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
    assert!(count >= 300, "{count} rows");
}
