//! Whole proofs of Plonky3's keccak-air, made with our commitments and verified by the stock verifier with stock types.

#[path = "../examples/keccak/configs.rs"]
#[allow(dead_code)]
mod configs;

use std::sync::Arc;

use merklize_plonky3::{catch, stock_preprocessed, stock_proof, Device, HAS_LIBRARY};
use p3_challenger::GrindingChallenger;
use p3_field::PrimeField64;
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_uni_stark::{prove, verify, PreprocessedVerifierKey, Proof, StarkGenericConfig, Val};
use serde_json::Value;

/// One permutation: 32 rows of 2633 columns.
fn proved<C: StarkGenericConfig>(config: &C) -> Proof<C>
where
    Val<C>: PrimeField64,
    C::Challenger: GrindingChallenger<Witness = Val<C>>,
{
    let trace = generate_trace_rows::<Val<C>>(vec![core::array::from_fn(|i| i as u64 * 0x0123_4567_89ab)], 1);
    catch(|| prove(config, &KeccakAir {}, trace, &[])).unwrap().unwrap()
}

/// A key of preprocessed columns of this configuration.
fn key_of<C: StarkGenericConfig>(_: &C, key: PreprocessedVerifierKey<C>) -> PreprocessedVerifierKey<C> {
    key
}

/// Whether the stock verifier accepts a serialised proof. A text that is no proof is refused, too.
fn accepted<C: StarkGenericConfig>(config: &C, proof: &Value) -> bool
where
    C::Challenger: GrindingChallenger<Witness = Val<C>>,
{
    match serde_json::from_value::<Proof<C>>(proof.clone()) {
        Ok(proof) => verify(config, &KeccakAir {}, &proof, &[]).is_ok(),
        Err(_) => false,
    }
}

/// Changes the first number below each key of this name, one key at a time. The values of these keys are digests, so
/// each change is one of a digest.
fn forgeries(proof: &Value, key: &str) -> Vec<Value> {
    fn paths(value: &Value, key: &str, at: String, found: &mut Vec<String>) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
            _ => vec![],
        };
        for (name, child) in children {
            let at = format!("{at}/{name}");
            if name == key {
                found.push(at.clone());
            }
            paths(child, key, at, found);
        }
    }
    fn first_number(value: &mut Value) -> Option<&mut Value> {
        match value {
            Value::Number(_) => Some(value),
            Value::Array(items) => items.iter_mut().find_map(first_number),
            Value::Object(fields) => fields.values_mut().find_map(first_number),
            _ => None,
        }
    }
    let mut found = vec![];
    paths(proof, key, String::new(), &mut found);
    let forged = found.iter().filter_map(|path| {
        let mut forged = proof.clone();
        let number = first_number(forged.pointer_mut(path)?)?;
        *number = Value::from(number.as_u64()? ^ 1);
        Some(forged)
    });
    forged.collect()
}

macro_rules! keccak {
    ($($name:ident $is_with_opencl:literal)*) => {$(
        #[test]
        fn $name() {
            use configs::$name::*;
            let cpu = HAS_LIBRARY.then(|| Arc::new(Device::open("cpu").unwrap()));
            let (hasher, compressor, challenger) = parts();
            let stock = Stock::new(hasher.clone(), compressor.clone(), 1);
            let stock = configs::config::<_, DEGREE, _, _>(stock, challenger.clone(), 8);
            let without = Ours::without_device(hasher.clone(), compressor.clone(), 1);
            let without = configs::device_config::<_, DEGREE, _, _>(without, challenger.clone(), 8);
            let ours = match cpu {
                Some(cpu) => Ours::new(hasher, compressor, 1, hash(), cpu).unwrap(),
                None => Ours::without_device(hasher, compressor, 1),
            };
            let small = configs::config::<_, DEGREE, _, _>(ours.clone().drop_levels(3), challenger.clone(), 8);
            let on_device = configs::device_config::<_, DEGREE, _, _>(ours.clone(), challenger.clone(), 8);
            let ours = configs::config::<_, DEGREE, _, _>(ours, challenger, 8);

            let proof = serde_json::to_value(proved(&ours)).unwrap();
            assert!(proof == serde_json::to_value(proved(&stock)).unwrap(), "the stock prover's proof is the same");
            assert!(proof == serde_json::to_value(proved(&small)).unwrap(), "and without the lowest levels");
            assert!(proof == serde_json::to_value(proved(&without)).unwrap(), "and without a device");
            assert!(accepted(&stock, &proof), "the stock verifier accepts");
            assert!(accepted(&ours, &proof));
            let by_device = proved(&on_device);
            assert!(proof == serde_json::to_value(&by_device).unwrap(), "by MerklizePcs, too");
            assert!(accepted(&on_device, &proof));
            if $is_with_opencl {
                if let Ok(device) = Device::open("opencl:0") {
                    let (hasher, compressor, challenger) = parts();
                    let ours = Ours::new(hasher, compressor, 1, hash(), Arc::new(device)).unwrap();
                    let on_opencl = configs::device_config::<_, DEGREE, _, _>(ours, challenger, 8);
                    assert!(proof == serde_json::to_value(proved(&on_opencl)).unwrap(), "and opened on a device");
                }
            }
            let key = |commitment| PreprocessedVerifierKey { width: 3, degree_bits: 5, commitment };
            let own_key = key_of(&on_device, key(by_device.commitments.trace.clone()));
            let stock_key = key_of(&stock, stock_preprocessed(own_key));
            assert!(stock_key.commitment == by_device.commitments.trace && stock_key.degree_bits == 5);
            for proof in [stock_proof(by_device), stock_proof(proved(&ours))] {
                verify(&stock, &KeccakAir {}, &proof, &[]).expect("a proof of the stock types");
            }
            let mut forged = 0;
            for key in ["trace", "quotient_chunks", "sibling_hashes", "opening_proof", "commit_phase_commits"] {
                for forgery in forgeries(&proof, key) {
                    assert!(!accepted(&stock, &forgery), "one changed digest of {key}");
                    assert!(!accepted(&ours, &forgery), "one changed digest of {key}");
                    assert!(!accepted(&on_device, &forgery), "one changed digest of {key}");
                    forged += 1;
                }
            }
            assert!(forged >= 4, "{forged} forgeries: {}", keys(&proof));
        }
    )*};
}
// Kernels of OpenCL take long to compile, so a device is for some hashes.
keccak!(goldilocks true koalabear true blake3 false);
keccak!(poseidon_goldilocks false poseidon_babybear false poseidon_koalabear false own_poseidon_koalabear false);
keccak!(keccakf64_goldilocks true keccakf64_babybear true keccakf64_koalabear false);

fn keys(value: &Value) -> String {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| format!("{name}{{{}}}", keys(value))).collect(),
        Value::Array(items) => items.first().map(|item| format!("[{}]", keys(item))).unwrap_or_default(),
        _ => String::new(),
    }
}
