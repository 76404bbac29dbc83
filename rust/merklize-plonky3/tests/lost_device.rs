//! A device that is lost in the middle of a proof gives an error and does not abort. The device is an OpenCL runtime
//! behind a library that fails launches. MERKLIZE_OPENCL_LIBRARY is the path of the runtime; without it the test says
//! that it skips.

#[allow(dead_code)]
#[path = "../examples/keccak/configs.rs"]
mod configs;
mod shim;

use std::sync::Arc;

use configs::koalabear::{hash, parts, Ours, Stock, Val, DEGREE};
use merklize_plonky3::{catch, Device};
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_uni_stark::{prove, verify};

#[test]
fn a_device_that_is_lost_is_an_error_of_the_proof() {
    // The only test of this process.
    let Some(shim) = shim::Shim::in_place_of_the_runtime("lost") else {
        return println!("skipped: MERKLIZE_OPENCL_LIBRARY names no OpenCL runtime, or there is no cc");
    };
    let (hasher, compressor, challenger) = parts();
    let stock = Stock::new(hasher.clone(), compressor.clone(), 0);
    let stock = configs::config::<Val, DEGREE, _, _>(stock, challenger.clone(), 2);
    let device = Arc::new(Device::open("opencl:0").unwrap());
    let ours = Ours::new(hasher, compressor, 0, hash(), device).unwrap();
    let ours = configs::config::<Val, DEGREE, _, _>(ours, challenger, 2);
    let trace = generate_trace_rows::<Val>(vec![[7; 25]], 1);
    let proof = || catch(|| prove(&ours, &KeccakAir {}, trace.clone(), &[]));
    for launches in [0, 2, 9] {
        shim.launches_left(launches);
        let Err(error) = proof() else { panic!("{launches} launches were enough") };
        assert!(error.to_string().contains("clEnqueueNDRangeKernel"), "{error}");
    }
    shim.launches_left(-1);
    let proof = proof().unwrap().unwrap();
    let proof = serde_json::from_slice(&serde_json::to_vec(&proof).unwrap()).unwrap();
    verify(&stock, &KeccakAir {}, &proof, &[]).unwrap();
}
