//! Keys of Ethereum's XMSS, by the vectors that the reference of hashlib wrote (python/tests/xmss_reference.py).

use merklize::xmss::{self, Claim, Key, PublicKey, SIGNATURE_BYTES};
use merklize::{ErrorKind, Options};
use serde_json::Value;

const VECTORS: &str = include_str!("xmss.json");

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn digest(digits: &Value) -> [u8; 32] {
    bytes(digits.as_str().unwrap()).try_into().unwrap()
}

fn key(seed: [u8; 32], first: u32, last: u32) -> Key {
    xmss::keys(&[seed], first..=last, &Options::new()).unwrap().pop().unwrap()
}

#[test]
fn keys_and_signatures_are_those_of_the_vectors() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let options = Options::new();
    let rows = vectors["keys"].as_array().unwrap();
    assert!(rows.len() >= 20);
    for row in rows {
        let (first, last) = (row["first"].as_u64().unwrap() as u32, row["last"].as_u64().unwrap() as u32);
        let key = key(digest(&row["seed"]), first, last);
        assert_eq!(key.epochs(), first..=last);
        assert_eq!(key.public_key().to_string(), row["public_key"].as_str().unwrap());
        let message = digest(&row["message"]);
        for (epoch, known) in row["signatures"].as_object().unwrap() {
            let epoch: u32 = epoch.parse().unwrap();
            let signature = key.sign(epoch, &message, &options).unwrap();
            let how = merklize::Hash::SHA256;
            assert_eq!(merklize::hash_with(&signature, how, &options).unwrap().to_string(), known.as_str().unwrap());
            xmss::verify(&key.public_key(), epoch, &message, &signature.0).unwrap();
            assert_eq!(key.path(epoch, &options).unwrap().concat(), signature.0[SIGNATURE_BYTES - 512..]);
        }
    }
    let signature = key(digest(&rows[0]["seed"]), 0, 3).sign(2, &digest(&rows[0]["message"]), &options).unwrap();
    assert_eq!(signature.0[..], bytes(vectors["signature"].as_str().unwrap()));
}

#[test]
fn many_keys_are_those_of_one_seed_each() {
    let seeds: Vec<[u8; 32]> = (0..9).map(|i| [i; 32]).collect();
    let keys = xmss::keys(&seeds, 1000..=1063, &Options::new()).unwrap();
    for (seed, made) in seeds.iter().zip(&keys) {
        assert_eq!(made.public_key(), key(*seed, 1000, 1063).public_key());
    }
    assert!(xmss::keys(&[], 0..=0, &Options::new()).unwrap().is_empty());
}

#[test]
fn anything_else_is_not_valid() {
    let (options, message) = (Options::new(), [7; 32]);
    let (signer, other) = (key([1; 32], 1000, 1007), key([2; 32], 1000, 1007));
    let signature = signer.sign(1003, &message, &options).unwrap();
    let refused = |public_key: &PublicKey, epoch, message: &[u8; 32], signature: &[u8]| {
        let error = xmss::verify(public_key, epoch, message, signature).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotValid);
        assert_eq!(error.to_string(), "xmss::verify: the signature is none of this key, epoch and message");
    };
    refused(&other.public_key(), 1003, &message, &signature.0);
    refused(&signer.public_key(), 1004, &message, &signature.0);
    refused(&signer.public_key(), 1003, &[8; 32], &signature.0);
    for length in [0, 1, 1207] {
        refused(&signer.public_key(), 1003, &message, &signature.0[..length]);
    }
    refused(&signer.public_key(), 1003, &message, &[&signature.0[..], &[0]].concat());
    let mut changed = vec![signature.0; 100];
    for (i, one) in changed.iter_mut().enumerate().skip(1) {
        one[12 * i] ^= 1 << (i % 8);
    }
    let public_key = signer.public_key();
    let claim = |signature| Claim { public_key: &public_key, epoch: 1003, message: &message, signature };
    let claims: Vec<_> = changed.iter().map(claim).collect();
    let verdicts = xmss::verify_each(&claims, &options).unwrap();
    assert_eq!(verdicts.iter().filter(|valid| **valid).count(), 1);
    assert!(verdicts[0]);
    assert_eq!(
        verdicts.require_all().unwrap_err().to_string(),
        "xmss::verify_each: 99 of 100 signatures do not hold; the first one is signature 1"
    );
    xmss::verify_each(&claims[..1], &options).unwrap().require_all().unwrap();
    assert!(xmss::verify_each(&[], &options).unwrap().is_empty());
}

#[test]
fn errors_name_the_call_and_the_rule() {
    let (options, key) = (Options::new(), key([1; 32], 1000, 1007));
    let error = key.path(999, &options).unwrap_err();
    assert_eq!(error.to_string(), "Key::path: epoch must be one of the key's, 1000 to 1007, got 999");
    let mut used = 5..=6;
    assert_eq!(used.by_ref().count(), 2);
    let error = xmss::keys(&[[1; 32]], used, &options).unwrap_err();
    assert_eq!(error.to_string(), "xmss::keys: epochs must have one, got a range that was used up");
}

#[test]
fn no_text_has_the_seed() {
    let seed: [u8; 32] = core::array::from_fn(|i| 100 + i as u8);
    let key = key(seed, 0, 3);
    let shown = format!("{key:?} {key:#?}");
    assert!(shown.contains(&key.public_key().to_string()));
    for secret in ["64656667", "100, 101", "defg"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn threads_share_a_key() {
    let key = key([3; 32], 0, 300);
    std::thread::scope(|scope| {
        for i in 0..8 {
            let key = &key;
            scope.spawn(move || {
                let signature = key.sign(40 * i, &[i as u8; 32], &Options::new()).unwrap();
                xmss::verify(&key.public_key(), 40 * i, &[i as u8; 32], &signature.0).unwrap();
            });
        }
    });
}
