//! Jobs of Plonky3's keccak-air: 2633 columns, blow-up 2.

use std::error::Error;

use merklize_plonky3::{catch, on_lanes};
use p3_commit::Mmcs;
use p3_keccak_air::NUM_KECCAK_COLS;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;

#[cfg(feature = "proofs")]
use {
    crate::gate::{self, fresh, Link},
    crate::measure::Watch,
    merklize_plonky3::stock_proof,
    p3_keccak_air::{generate_trace_rows, KeccakAir},
    p3_uni_stark::{prove, verify},
    std::rc::Rc,
};

use crate::configs;
use crate::measure::{Bench, Contender};

/// The type of a digest's words in Plonky3's own tree over the library's lanes.
type Byte = u8;

/// A proof of `$trace` of `$air` by `$prove`, which the configuration `$judge` verifies under the types that `$retyped`
/// makes.
#[cfg(feature = "proofs")]
macro_rules! proof {
    ($prove:path, $config:expr, $air:expr, $trace:ident, $judge:expr, $retyped:expr) => {{
        let (config, air, trace, judge) = ($config, $air, &$trace, $judge);
        Box::new(move |watch: &mut Watch| {
            let trace = fresh(trace);
            let proof = watch.time(|| catch(|| $prove(config, air, trace, &[])))?.map_err(text)?;
            verify(judge, air, &$retyped(proof), &[]).map_err(text)
        })
    }};
}
/// Proofs by our `prove`, one after another and two at once.
#[cfg(feature = "proofs")]
macro_rules! together {
    ($bench:ident, $job:expr, $log_rows:expr, $id:expr, $config:expr, $air:expr, $trace:ident, $judge:expr) => {
        if $bench.together {
            let (config, air, judge) = ($config, $air, $judge);
            let proof = |trace| {
                let proof = catch(|| merklize_plonky3::prove(config, air, trace, &[]));
                proof.map_err(|error| error.to_string())?.map_err(|error| format!("{error:?}"))
            };
            let verify = |proof| verify(judge, air, &stock_proof(proof), &[]).map_err(text);
            $bench.together($job, $log_rows, $id, || fresh(&$trace), proof, verify)?;
        }
    };
}
#[cfg(feature = "proofs")]
pub(crate) use {proof, together};

/// A proof with a precomputed commitment to its trace, which the configuration `$judge` of the same Mmcs verifies.
#[cfg(feature = "proofs")]
macro_rules! precomputed {
    ($config:expr, $link:expr, $trace:ident, $judge:expr, $hashes:literal) => {{
        let (config, link, trace, judge) = ($config, $link.clone(), &$trace, $judge);
        Box::new(move |watch: &mut Watch| {
            link.hashes.set($hashes);
            let trace = fresh(trace);
            let proof = watch.time(|| catch(|| prove(&config, &KeccakAir {}, trace, &[])))?.map_err(text)?;
            verify(judge, &KeccakAir {}, &gate::retyped(proof), &[]).map_err(text)
        })
    }};
}

macro_rules! job {
    ($bench:ident, $job:literal, $name:ident, $word:ty, $digest:literal) => {
        if $bench.wants($job) {
            use configs::$name::*;
            use p3_field::PrimeCharacteristicRing;
            let log_rows = $bench.log_rows.unwrap_or(17);
            let devices = $bench.devices.clone();
            let (hasher, compressor, _challenger) = parts();
            let stock = Stock::new(hasher.clone(), compressor.clone(), 0);
            let (lane_hasher, lane_compressor) =
                on_lanes::<Val, [$word; $digest], _, _>(hasher.clone(), compressor.clone(), hash())?;
            let lanes = MerkleTreeMmcs::<Val, $word, _, _, 2, $digest>::new(lane_hasher, lane_compressor, 0);
            let ours: Vec<Ours> = devices
                .iter()
                .map(|device| Ours::new(hasher.clone(), compressor.clone(), 0, hash(), device.clone()))
                .collect::<Result<_, _>>()?;

            if !$bench.gate {
                let n = NUM_KECCAK_COLS << log_rows;
                let values = (0..n as u32).map(|i| Val::from_u32(i.wrapping_mul(0x9e37_79b9) >> 2)).collect();
                let matrix = RowMajorMatrix::<Val>::new(values, NUM_KECCAK_COLS);
                let cap = stock.commit(vec![matrix.as_view()]).0;
                let same = |same: bool| same.then_some(()).ok_or_else(|| "another cap".into());
                let mut contenders: Vec<Contender<'_>> = vec![
                    (
                        "stock".into(),
                        Box::new(|watch| same(watch.time(|| stock.commit(vec![matrix.as_view()])).0 == cap)),
                    ),
                    (
                        "stock on lanes".into(),
                        Box::new(|watch| same(watch.time(|| lanes.commit(vec![matrix.as_view()])).0 == cap)),
                    ),
                ];
                for (device, ours) in devices.iter().zip(&ours) {
                    contenders.push((
                        device.info().id,
                        Box::new(|watch| same(watch.time(|| catch(|| ours.commit(vec![matrix.as_view()])))?.0 == cap)),
                    ));
                }
                $bench.turns($job, "commit", log_rows, &contenders)?;
            }

            #[cfg(feature = "proofs")]
            if $bench.proofs {
                let permutations = (1u64 << (log_rows - 1)) / 24;
                let inputs = (0..permutations).map(|i| core::array::from_fn(|k| i * 25 + k as u64)).collect();
                let trace = generate_trace_rows::<Val>(inputs, 1);
                let judge = configs::config::<Val, DEGREE, _, _>(stock.clone(), _challenger.clone(), 100);
                let configs: Vec<_> = ours
                    .iter()
                    .map(|ours| configs::config::<Val, DEGREE, _, _>(ours.clone(), _challenger.clone(), 100))
                    .collect();
                let pcs_configs: Vec<_> = ours
                    .iter()
                    .map(|ours| configs::device_config::<Val, DEGREE, _, _>(ours.clone(), _challenger.clone(), 100))
                    .collect();
                let mut contenders: Vec<Contender<'_>> =
                    vec![("stock".into(), proof!(prove, &judge, &KeccakAir {}, trace, &judge, std::convert::identity))];
                for (device, config) in devices.iter().zip(&configs) {
                    contenders.push((
                        device.info().id,
                        proof!(prove, config, &KeccakAir {}, trace, config, std::convert::identity),
                    ));
                }
                for (device, config) in devices.iter().zip(&pcs_configs) {
                    let id = device.info().id;
                    let pcs = proof!(prove, config, &KeccakAir {}, trace, &judge, stock_proof);
                    contenders.push((format!("{id} merklize pcs"), pcs));
                    // With the constraints on the device, too.
                    let pcs_and_prove =
                        proof!(merklize_plonky3::prove, config, &KeccakAir {}, trace, &judge, stock_proof);
                    contenders.push((format!("{id} merklize prove"), pcs_and_prove));
                }
                let mut links = vec![];
                if $bench.gate {
                    for ((device, config), ours) in devices.iter().zip(&configs).zip(&ours) {
                        let (id, link) = (device.info().id, Rc::new(Link::new(device, hash(), &trace)?));
                        let by_stock = gate::config::<Val, DEGREE, _, _>(stock.clone(), _challenger.clone(), &link);
                        let by_ours = gate::config::<Val, DEGREE, _, _>(ours.clone(), _challenger.clone(), &link);
                        let hashed = by_ours.clone();
                        contenders.push((format!("{id} copies"), precomputed!(by_stock, link, trace, &judge, false)));
                        contenders.push((format!("{id} and mmcs"), precomputed!(by_ours, link, trace, config, false)));
                        if device.info().backend != "cpu" {
                            contenders
                                .push((format!("{id} and hashes"), precomputed!(hashed, link, trace, config, true)));
                        }
                        links.push((id, link));
                    }
                }
                $bench.turns($job, "proof", log_rows, &contenders)?;
                drop(contenders);
                for (device, config) in devices.iter().zip(&pcs_configs) {
                    together!($bench, $job, log_rows, &device.info().id, config, &KeccakAir {}, trace, &judge);
                }
                for (id, link) in links {
                    for (what, bytes, seconds) in link.parts() {
                        $bench.part($job, what, log_rows, &id, bytes, seconds)?;
                    }
                }
            }
        }
    };
}

#[cfg(feature = "proofs")]
pub fn text(error: impl std::fmt::Debug) -> Box<dyn Error> {
    format!("{error:?}").into()
}

pub fn run(bench: &mut Bench) -> Result<(), Box<dyn Error>> {
    job!(bench, "plonky3 goldilocks", goldilocks, Val, 4);
    job!(bench, "plonky3 koalabear", koalabear, Val, 8);
    job!(bench, "plonky3 blake3", blake3, Byte, 32);
    Ok(())
}
