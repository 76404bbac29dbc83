//! Measures commitments and whole proofs, by the stock crates and by merklize, in turns in one process. Prints a table;
//! --json writes the rows to a file.
//!
//!     proofs [--device NAME]... [--only TEXT] [--rows LOG2] [--repeat N] [--commitments] [--gate] [--together]
//!            [--json FILE]
//!
//! --together measures proofs by our `prove` a second time: N one after another, then two threads with N each.
//! --gate measures proofs of Plonky3 alone, and beside them such whose commitment to the trace is precomputed, but
//! copied over the link (gate.rs).

#[allow(dead_code)]
#[path = "../../merklize-plonky3/examples/keccak/configs.rs"]
mod configs;
#[cfg(feature = "proofs")]
mod gate;
mod measure;
#[cfg(feature = "proofs")]
mod of_airs;
mod of_plonky3;
mod of_winterfell;
#[cfg(feature = "proofs")]
mod pinned;
mod spans;

use std::error::Error;
use std::sync::Arc;

use measure::Bench;
use merklize::Device;

fn main() -> Result<(), Box<dyn Error>> {
    let mut bench = Bench {
        devices: vec![],
        only: String::new(),
        log_rows: None,
        repeat: 5,
        proofs: true,
        gate: false,
        #[cfg(feature = "proofs")]
        together: false,
        json: None,
        rows: vec![],
    };
    spans::measure();
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{option} needs a value"));
        match option.as_str() {
            "--device" => bench.devices.push(Arc::new(Device::open(&value()?)?)),
            "--only" => bench.only = value()?,
            "--rows" => bench.log_rows = Some(value()?.parse()?),
            "--repeat" => bench.repeat = value()?.parse()?,
            "--commitments" => bench.proofs = false,
            "--gate" if cfg!(feature = "proofs") => bench.gate = true,
            #[cfg(feature = "proofs")]
            "--together" => bench.together = true,
            "--json" => bench.json = Some(value()?),
            _ => return Err(format!("unknown option: {option}").into()),
        }
    }
    if bench.devices.is_empty() {
        bench.devices.push(Arc::new(Device::open("cpu")?));
    }
    if !bench.gate {
        of_winterfell::run(&mut bench)?;
    }
    of_plonky3::run(&mut bench)?;
    #[cfg(feature = "proofs")]
    if bench.proofs && !bench.gate {
        of_airs::run(&mut bench)?;
    }
    Ok(())
}
