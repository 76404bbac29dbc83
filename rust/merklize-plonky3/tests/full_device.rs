//! A device that is full at any moment of a proof costs time, and not the proof, which is the stock prover's; one that
//! computes wrongly gives an error. The device is an OpenCL runtime behind a library that fails allocations or leaves
//! out constraints, and it has a memory limit.
//! MERKLIZE_OPENCL_LIBRARY is the path of the runtime; without it the test says that it skips.

#[allow(dead_code)]
#[path = "../examples/keccak/configs.rs"]
mod configs;
mod shim;

use std::sync::Arc;

use configs::koalabear::{hash, parts, Challenger, Ours, Stock, Val, DEGREE};
use configs::{config, device_config, fri_parameters, Challenge};
use merklize_plonky3::{catch, Device, MerklizeDft, MerklizePcs, StockPcs};
use p3_challenger::FieldChallenger;
use p3_commit::{ExtensionMmcs, OpeningRequest, Pcs, UnivariateStarkPcs};
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::TwoAdicFriPcs;
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::Matrix;
use p3_uni_stark::prove;
use shim::Shim;

type Ext = Challenge<Val, DEGREE>;

/// The steps of a prover, with something between them: commitments to a trace and to a quotient, openings of both.
fn opened<P>(pcs: &P, between: &dyn Fn()) -> Vec<u8>
where
    P: UnivariateStarkPcs<Ext, Challenger, Domain = p3_field::coset::TwoAdicMultiplicativeCoset<Val>>,
    P: Pcs<Ext, Challenger, Proof: serde::Serialize>,
{
    let values = |rows: usize, columns: usize| {
        let values = (0..rows * columns).map(|i| Val::GENERATOR.exp_u64((i * i) as u64)).collect();
        RowMajorMatrix::new(values, columns)
    };
    let evaluations = |rows, columns| (pcs.natural_domain_for_degree(rows), values(rows, columns));
    let trace = pcs.commit([evaluations(256, 40), evaluations(64, 3)]).unwrap().1;
    between();
    let quotient = pcs.commit_quotient(pcs.natural_domain_for_degree(128), values(128, 4), 2).unwrap().1;
    between();
    let mut challenger = parts().2;
    let points: Vec<Ext> = (0..2).map(|_| challenger.sample_algebra_element()).collect();
    let requests = vec![
        OpeningRequest { prover_data: &trace, points: vec![points.clone(), vec![points[1]]] },
        OpeningRequest { prover_data: &quotient, points: vec![vec![points[0]]; 2] },
    ];
    let (values, proof) = pcs.open(requests, &mut challenger).unwrap();
    serde_json::to_vec(&(values, proof)).unwrap()
}

/// Runs the steps with a device that is full from an allocation on, for each allocation; and by memory limits between
/// steps.
fn is_never_lost(what: &str, shim: &Shim, device: &Device, stock: &[u8], steps: &dyn Fn(&dyn Fn()) -> Vec<u8>) {
    // What is kept of earlier calls is freed first.
    let limit = |bytes| device.set_memory_limit(bytes).unwrap();
    assert!(steps(&|| ()) == stock, "{what}");
    for first in 0..3 {
        for bytes in [1, 4 << 10, 64 << 10, 1 << 20] {
            let calls = std::cell::Cell::new(0);
            let between = || {
                calls.set(calls.get() + 1);
                if calls.get() >= first {
                    limit(bytes);
                }
            };
            if first == 0 {
                limit(bytes);
            }
            assert!(steps(&between) == stock, "{what}: {bytes} bytes from step {first} on");
            limit(0);
        }
    }
    let mut allocations = 0;
    loop {
        limit(1);
        let _ = merklize::Buffer::new(device, 256);
        limit(0);
        shim.buffers_left(allocations);
        let same = steps(&|| ()) == stock;
        let was_full = shim.is_full();
        shim.buffers_left(-1);
        assert!(same, "{what}: full after {allocations} allocations");
        if !was_full {
            break;
        }
        allocations += 1;
    }
    assert!(allocations > 3, "{what}: {allocations}");
}

#[test]
fn a_device_that_is_full_loses_no_proof() {
    // The only test of this process.
    let Some(shim) = Shim::in_place_of_the_runtime("full") else {
        return println!("skipped: MERKLIZE_OPENCL_LIBRARY names no OpenCL runtime, or there is no cc");
    };
    let (hasher, compressor, challenger) = parts();
    let mmcs = Stock::new(hasher.clone(), compressor.clone(), 1);
    let parameters = || fri_parameters(mmcs.clone(), 3);
    let stock_pcs = StockPcs::<Val, Ext, _>::new(Radix2DitParallel::default(), mmcs.clone(), parameters());
    let stock = opened(&stock_pcs, &|| ());
    let device = Arc::new(Device::open("opencl:0").unwrap());
    for drop_levels in [0, 3] {
        let ours = Ours::new(hasher.clone(), compressor.clone(), 1, hash(), device.clone()).unwrap();
        let ours = ours.drop_levels(drop_levels);
        let pcs = MerklizePcs::<Val, Ext, _>::new(ours.clone(), parameters());
        let what = format!("MerklizePcs without {drop_levels} levels");
        is_never_lost(&what, &shim, &device, &stock, &|between| opened(&pcs, between));

        // Folded vectors are committed to on the device, too.
        let mut fri = fri_parameters(ours.clone(), 3);
        fri.mmcs = ExtensionMmcs::new(ours.clone());
        let pcs = TwoAdicFriPcs::new(MerklizeDft::new(device.clone()), ours, fri);
        let what = format!("MerklizeMmcs and MerklizeDft without {drop_levels} levels");
        is_never_lost(&what, &shim, &device, &stock, &|between| opened(&pcs, between));
    }

    let matrix = RowMajorMatrix::new((0..512).map(Val::from_u32).collect(), 4);
    let of_stock =
        Radix2DitParallel::default().coset_lde_batch(matrix.clone(), 1, Val::GENERATOR).to_row_major_matrix();
    let dft = MerklizeDft::new(device.clone());
    device.set_memory_limit(1).unwrap();
    assert_eq!(dft.coset_lde_batch(matrix, 1, Val::GENERATOR).to_row_major_matrix(), of_stock);
    device.set_memory_limit(0).unwrap();

    // Whole proofs.
    let trace = generate_trace_rows::<Val>(vec![[7; 25]], 1);
    let stock = config::<Val, DEGREE, _, _>(Stock::new(hasher.clone(), compressor.clone(), 0), challenger.clone(), 2);
    let stock = serde_json::to_vec(&prove(&stock, &KeccakAir {}, trace.clone(), &[]).unwrap()).unwrap();
    let ours = Ours::new(hasher, compressor, 0, hash(), device.clone()).unwrap();
    let ours = device_config::<Val, DEGREE, _, _>(ours, challenger, 2);
    let empty = || {
        device.set_memory_limit(1).unwrap();
        let _ = merklize::Buffer::new(&device, 256);
        device.set_memory_limit(0).unwrap();
    };
    for allocations in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32] {
        empty();
        shim.buffers_left(allocations);
        let proof = serde_json::to_vec(&prove(&ours, &KeccakAir {}, trace.clone(), &[]).unwrap()).unwrap();
        shim.buffers_left(-1);
        assert!(proof == stock, "full after {allocations} allocations");
        empty();
        shim.buffers_left(allocations);
        let proof = merklize_plonky3::prove(&ours, &KeccakAir {}, trace.clone(), &[]).unwrap();
        shim.buffers_left(-1);
        assert!(serde_json::to_vec(&proof).unwrap() == stock, "full after {allocations} allocations, by our prove");
    }

    // Another trace, whose constraints are not in memory yet.
    let trace = generate_trace_rows::<Val>(vec![[8; 25]], 1);
    let proof = || catch(|| merklize_plonky3::prove(&ours, &KeccakAir {}, trace.clone(), &[]).unwrap());
    shim.skips_constraints(true);
    let error = proof().map(drop).unwrap_err();
    shim.skips_constraints(false);
    assert!(error.to_string().contains("the device's value of the constraints"), "{error}");
    proof().unwrap();
}
