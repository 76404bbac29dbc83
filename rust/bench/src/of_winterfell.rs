//! Jobs of Winterfell: 16 columns, blow-up 8.

use std::error::Error;

use merklize_winterfell::{commit_to_rows, DeviceHasher, MerklizeTree};
use winterfell::crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256};
use winterfell::crypto::{MerkleTree, VectorCommitment};
use winterfell::math::fields::f64::BaseElement;
use winterfell::matrix::{ColMatrix, RowMatrix};
use winterfell::PartitionOptions;

use crate::measure::{Bench, Contender};

#[cfg_attr(not(feature = "proofs"), allow(dead_code))]
#[path = "../../merklize-winterfell/examples/cubes/air.rs"]
mod air;
#[cfg(feature = "proofs")]
#[path = "../../merklize-winterfell/examples/cubes/stock_prover.rs"]
mod stock_prover;

#[cfg(feature = "proofs")]
use {
    air::{cubes_trace, ends_of, CubesAir, CubesProver, Ends},
    merklize_winterfell::set_default_device,
    std::marker::PhantomData,
    stock_prover::StockProver,
    winterfell::crypto::DefaultRandomCoin,
    winterfell::{verify, AcceptableOptions, BatchingMethod, FieldExtension, Proof, ProofOptions, Prover},
};

const BLOWUP: usize = 8;

pub fn run(bench: &mut Bench) -> Result<(), Box<dyn Error>> {
    of_hash::<Rp64_256>(bench, "winterfell rp64_256")?;
    of_hash::<RpJive64_256>(bench, "winterfell rpjive64_256")?;
    of_hash::<Blake3_256<BaseElement>>(bench, "winterfell blake3")
}

fn of_hash<H>(bench: &mut Bench, job: &str) -> Result<(), Box<dyn Error>>
where
    H: DeviceHasher<BaseField = BaseElement> + Send + Sync,
{
    if !bench.wants(job) {
        return Ok(());
    }
    let log_rows = bench.log_rows.unwrap_or(20);
    let rows = (1usize << log_rows) / BLOWUP;
    let devices = bench.devices.clone();

    let columns = (0..air::COLUMNS as u64).map(|c| (0..rows as u64).map(|r| BaseElement::new(r * r + c)).collect());
    let matrix = RowMatrix::evaluate_polys::<8>(&ColMatrix::new(columns.collect()), BLOWUP);
    let whole = PartitionOptions::default();
    let root = matrix.commit_to_rows::<H, MerkleTree<H>>(whole).commitment();
    let mut contenders: Vec<Contender<'_>> = vec![(
        "stock".into(),
        Box::new(|watch| {
            std::hint::black_box(watch.time(|| matrix.commit_to_rows::<H, MerkleTree<H>>(whole)));
            Ok(())
        }),
    )];
    for device in &devices {
        contenders.push((
            device.info().id,
            Box::new(|watch| {
                let tree: MerklizeTree<H> = watch.time(|| commit_to_rows(&matrix, whole, device.clone()))?;
                (tree.commitment() == root).then_some(()).ok_or_else(|| "another root".into())
            }),
        ));
    }
    bench.turns(job, "commit", log_rows, &contenders)?;
    drop(contenders);
    #[cfg(feature = "proofs")]
    if bench.proofs {
        proofs::<H>(bench, job, log_rows)?;
    }
    Ok(())
}

#[cfg(feature = "proofs")]
fn proofs<H>(bench: &mut Bench, job: &str, log_rows: u32) -> Result<(), Box<dyn Error>>
where
    H: DeviceHasher<BaseField = BaseElement> + Send + Sync,
{
    let devices = bench.devices.clone();
    let (batching, extension) = (BatchingMethod::Linear, FieldExtension::Quadratic);
    let options = ProofOptions::new(32, BLOWUP, 0, extension, 8, 31, batching, batching);
    let trace = cubes_trace((1 << log_rows) / BLOWUP);
    let ends = ends_of(&trace);
    let judge = |proof: Proof| judged::<H>(proof, ends, &options);
    let mut contenders: Vec<Contender<'_>> = vec![(
        "stock".into(),
        Box::new(|watch| {
            let (prover, trace) = (StockProver::<H> { options: options.clone(), hasher: PhantomData }, trace.clone());
            judge(watch.time(|| prover.prove(trace))?)
        }),
    )];
    for device in &devices {
        contenders.push((
            device.info().id,
            Box::new(|watch| {
                set_default_device(device.clone());
                let prover = CubesProver::<H> {
                    options: options.clone(),
                    device: Some(device.clone()),
                    drop_levels: 0,
                    hasher: PhantomData,
                };
                let trace = trace.clone();
                judge(watch.time(|| prover.prove(trace))?)
            }),
        ));
    }
    bench.turns(job, "proof", log_rows, &contenders)
}

/// Verifies a proof with the stock verifier and stock types, which takes a few milliseconds.
#[cfg(feature = "proofs")]
fn judged<H: DeviceHasher<BaseField = BaseElement> + Sync>(
    proof: Proof,
    ends: Ends,
    options: &ProofOptions,
) -> Result<(), Box<dyn Error>> {
    let accepted = AcceptableOptions::OptionSet(vec![options.clone()]);
    Ok(verify::<CubesAir, H, DefaultRandomCoin<H>, MerkleTree<H>>(proof, ends, &accepted)?)
}
