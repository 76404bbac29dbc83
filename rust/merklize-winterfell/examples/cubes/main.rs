//! Proves a computation of 16 columns with commitments on a device, and lets Winterfell's own verifier judge.
//!
//!     cargo run --release --example cubes -- [DEVICE [LOG2_ROWS]]

mod air;

use std::error::Error;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use air::{cubes_trace, ends_of, CubesAir, CubesProver};
use merklize_winterfell::{catch, set_default_device, Device, DeviceHasher, HAS_LIBRARY};
use winterfell::crypto::hashers::{Blake3_256, Rp64_256};
use winterfell::crypto::{DefaultRandomCoin, MerkleTree};
use winterfell::math::fields::f64::BaseElement;
use winterfell::{verify, AcceptableOptions, BatchingMethod, FieldExtension, ProofOptions, Prover};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = match arguments.first() {
        None if !HAS_LIBRARY => None, // Winterfell's own code
        name => Some(Arc::new(Device::open(name.map_or("auto", |name| name))?)),
    };
    let rows = 1 << arguments.get(1).map_or("10", |rows| rows).parse::<u32>()?;
    set_default_device(device.clone()); // for the layers of FRI
    run::<Rp64_256>("Rp64_256", rows, &device)?;
    run::<Blake3_256<BaseElement>>("Blake3_256", rows, &device)
}

fn run<H>(name: &str, rows: usize, device: &Option<Arc<Device>>) -> Result<(), Box<dyn Error>>
where
    H: DeviceHasher<BaseField = BaseElement> + Send + Sync,
{
    let (batching, extension) = (BatchingMethod::Linear, FieldExtension::Quadratic);
    let options = ProofOptions::new(32, 8, 0, extension, 8, 31, batching, batching);
    let trace = cubes_trace(rows);
    let ends = ends_of(&trace);
    let prover =
        CubesProver::<H> { options: options.clone(), device: device.clone(), drop_levels: 0, hasher: PhantomData };

    let start = Instant::now();
    let proof = catch(|| prover.prove(trace))??; // an error of the device, an error of the prover
    let seconds = start.elapsed().as_secs_f64();

    let accepted = AcceptableOptions::OptionSet(vec![options]);
    verify::<CubesAir, H, DefaultRandomCoin<H>, MerkleTree<H>>(proof, ends, &accepted)?;
    let by = device.as_ref().map_or("Winterfell alone".into(), |device| format!("{device:?}"));
    println!("{name}: {rows} rows proved in {seconds:.3} s by {by}; Winterfell's verifier accepts");
    Ok(())
}
