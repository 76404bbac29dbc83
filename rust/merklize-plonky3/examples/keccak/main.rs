//! Proves Keccak permutations by Plonky3 over KoalaBear, with extensions, commitments and constraints on a device. The
//! stock verifier checks the proof.
//!
//!     cargo run --release --example keccak -- [DEVICE [PERMUTATIONS]]

#[allow(dead_code)]
mod configs;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use configs::koalabear::{hash, parts, Ours, Stock, Val, DEGREE};
use merklize_plonky3::{catch, prove, stock_proof, Device, HAS_LIBRARY};
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_uni_stark::verify;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = match arguments.first() {
        None if !HAS_LIBRARY => None, // Plonky3's own code
        name => Some(Arc::new(Device::open(name.map_or("auto", |name| name))?)),
    };
    let permutations = arguments.get(1).map_or("40", |count| count).parse::<u64>()?;
    let (hasher, compressor, challenger) = parts();
    let stock = configs::config::<Val, DEGREE, _, _>(
        Stock::new(hasher.clone(), compressor.clone(), 0),
        challenger.clone(),
        100,
    );
    let ours = Ours::new(hasher, compressor, 0, hash(), device.clone())?;
    let ours = configs::device_config::<Val, DEGREE, _, _>(ours, challenger, 100);

    let inputs = (0..permutations).map(|i| core::array::from_fn(|k| i * 25 + k as u64)).collect();
    let trace = generate_trace_rows::<Val>(inputs, 1);
    let start = Instant::now();
    let proof = catch(|| prove(&ours, &KeccakAir {}, trace, &[]))?.map_err(|error| format!("{error:?}"))?;
    let seconds = start.elapsed().as_secs_f64();

    // The same proof under the verifier's types, which are the stock ones.
    verify(&stock, &KeccakAir {}, &stock_proof(proof), &[]).map_err(|error| format!("{error:?}"))?;
    let by = device.map_or("Plonky3 alone".into(), |device| format!("{device:?}"));
    println!("{permutations} permutations proved in {seconds:.3} s by {by}; the stock verifier accepts");
    Ok(())
}
