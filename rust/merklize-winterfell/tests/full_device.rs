//! A device that is full at a step of a proof costs time, and not the proof. The device is OpenCL's with a memory
//! limit; without one the tests say that they skip.

#[path = "../examples/cubes/air.rs"]
#[allow(dead_code)]
mod air;

use std::marker::PhantomData;
use std::sync::Arc;

use air::{cubes_trace, CubesProver};
use merklize_winterfell::{catch, set_default_device, Device, MerklizeTree, TreeOptions};
use winterfell::crypto::hashers::{Blake3_256, Rp64_256};
use winterfell::crypto::{Hasher, VectorCommitment};
use winterfell::math::fields::f64::BaseElement;
use winterfell::{BatchingMethod, FieldExtension, ProofOptions, Prover};

#[test]
fn a_full_device_loses_no_proof() {
    let Ok(full) = Device::open("opencl:0") else {
        return println!("skipped: there is no device but the CPU");
    };
    let (full, cpu) = (Arc::new(full), Arc::new(Device::open("cpu").unwrap()));
    let trace = cubes_trace(64);
    let proof = |device: &Arc<Device>, drop_levels| {
        set_default_device(device.clone()); // of FRI's layers
        let batching = BatchingMethod::Linear;
        let options = ProofOptions::new(12, 8, 0, FieldExtension::Quadratic, 4, 7, batching, batching);
        let prover =
            CubesProver::<Rp64_256> { options, device: Some(device.clone()), drop_levels, hasher: PhantomData };
        catch(|| prover.prove(trace.clone())).unwrap().unwrap().to_bytes()
    };
    let of_cpu = proof(&cpu, 0);
    for limit in [0, 1, 4 << 10, 64 << 10, 1 << 20] {
        full.set_memory_limit(limit).unwrap();
        for drop_levels in [0, 2] {
            assert!(proof(&full, drop_levels) == of_cpu, "{limit} bytes, without {drop_levels} levels");
        }
    }

    // A device that is full since the commitment.
    type H = Blake3_256<BaseElement>;
    let tree = |device: &Arc<Device>| {
        let digests = (0..64u8).map(|i| H::hash(&[i])).collect();
        MerklizeTree::<H>::with_options(digests, TreeOptions { device: Some(device.clone()) }).unwrap()
    };
    full.set_memory_limit(0).unwrap();
    let (ours, of_cpu) = (tree(&full), tree(&cpu));
    full.set_memory_limit(1).unwrap();
    let opened = |tree: &MerklizeTree<H>| {
        let (leaves, proof) = tree.open_many(&[3, 40]).unwrap();
        (tree.open(17).unwrap(), leaves, proof.nodes)
    };
    assert_eq!(opened(&ours), opened(&of_cpu));
    full.set_memory_limit(0).unwrap();
}
