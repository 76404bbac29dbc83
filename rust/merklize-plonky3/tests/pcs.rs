//! MerklizePcs against TwoAdicFriPcs: commitments, opened values and opening proofs, and each as the other's verifier.

#[path = "../examples/keccak/configs.rs"]
#[allow(dead_code)]
mod configs;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use configs::{fri_parameters, Challenge};
use merklize_plonky3::{catch, Device, MerklizePcs, StockPcs, TwoAdicElement, HAS_LIBRARY};
use p3_challenger::{CanObserve, FieldChallenger};
use p3_commit::{
    CommitmentOpening, MatrixOpening, OpenedValues, OpeningRequest, Pcs, PointOpening, PolynomialSpace,
    UnivariateStarkPcs,
};
use p3_dft::Radix2DitParallel;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{Field, PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::Matrix;

/// Matrices of these numbers of rows and columns, with their domains.
fn evaluations<F: TwoAdicElement>(
    shapes: &[(usize, usize)],
) -> Vec<(TwoAdicMultiplicativeCoset<F>, RowMajorMatrix<F>)> {
    let one = |(k, &(height, width)): (usize, &(usize, usize))| {
        let values = (0..height * width).map(|i| F::GENERATOR.exp_u64((i * i + k) as u64)).collect();
        let domain = TwoAdicMultiplicativeCoset::new(F::GENERATOR.exp_u64(k as u64), height.ilog2() as usize);
        (domain.unwrap(), RowMajorMatrix::new(values, width))
    };
    shapes.iter().enumerate().map(one).collect()
}

const SHAPES: [&[(usize, usize)]; 5] =
    [&[(1, 1)], &[(2, 3)], &[(8, 5), (8, 1)], &[(1, 2), (16, 3), (4, 7), (16, 1)], &[(64, 33), (2, 1)]];

/// None, which is Plonky3's own code; the CPU, where the library runs; and an OpenCL device where there is one. Its
/// kernels take long to compile, so it is for some hashes.
fn devices(is_with_opencl: bool) -> Vec<Option<Arc<Device>>> {
    let cpu = HAS_LIBRARY.then(|| Device::open("cpu").unwrap());
    let opencl = is_with_opencl.then(|| Device::open("opencl:0").ok()).flatten();
    let all = cpu.into_iter().chain(opencl).map(|device| Some(Arc::new(device)));
    [None].into_iter().chain(all).collect()
}

macro_rules! same_as_stock {
    ($($name:ident $is_with_opencl:literal,)*) => {$(
        #[test]
        fn $name() {
            use configs::$name::*;
            type Ext = Challenge<Val, DEGREE>;
            let (hasher, compressor, challenger) = parts();
            let all = devices($is_with_opencl);
            let cases = SHAPES.iter().zip([0, 0, 1, 2, 0]);
            for (device, (shapes, cap_height)) in all.iter().flat_map(|device| cases.clone().map(move |case| (device, case))) {
                let mmcs = Stock::new(hasher.clone(), compressor.clone(), cap_height);
                let stock = StockPcs::<Val, Ext, _>::new(
                    Radix2DitParallel::default(),
                    mmcs.clone(),
                    fri_parameters(mmcs.clone(), 3),
                );
                let ours = Ours::new(hasher.clone(), compressor.clone(), cap_height, hash(), device.clone()).unwrap();
                let ours = ours.drop_levels(shapes.len() - 1);
                let ours = MerklizePcs::<Val, Ext, _>::new(ours, fri_parameters(mmcs, 3));

                let (cap, data) = Pcs::<Ext, Challenger>::commit(&stock, evaluations(shapes)).unwrap();
                let (our_cap, our_data) = Pcs::<Ext, Challenger>::commit(&ours, evaluations(shapes)).unwrap();
                assert_eq!(cap, our_cap, "{shapes:?}");

                // Two points a matrix, one for all of them.
                let begin = || {
                    let mut begun = challenger.clone();
                    begun.observe(cap.clone());
                    begun
                };
                let mut drawn = begin();
                let common: Ext = drawn.sample_algebra_element();
                let points: Vec<Vec<Ext>> =
                    shapes.iter().map(|_| vec![common, drawn.sample_algebra_element()]).collect();
                let (values, proof) = stock
                    .open(vec![OpeningRequest { prover_data: &data, points: points.clone() }], &mut begin())
                    .unwrap();
                let (our_values, our_proof) = ours
                    .open(vec![OpeningRequest { prover_data: &our_data, points: points.clone() }], &mut begin())
                    .unwrap();
                assert_eq!(values, our_values, "{shapes:?}");
                let bytes = serde_json::to_vec(&our_proof).unwrap();
                assert!(bytes == serde_json::to_vec(&proof).unwrap(), "{shapes:?}");

                let claims = |values: &OpenedValues<Ext>| {
                    let matrices = evaluations::<Val>(shapes).into_iter().zip(&points).zip(&values[0]);
                    let matrices = matrices.map(|(((domain, _), points), values)| {
                        let points = points.iter().zip(values);
                        let points = points.map(|(&point, values)| PointOpening { point, values: values.clone() });
                        MatrixOpening { domain, points: points.collect() }
                    });
                    vec![CommitmentOpening { commitment: cap.clone(), matrices: matrices.collect() }]
                };
                stock.verify(claims(&values), &our_proof, &mut begin()).unwrap();
                ours.verify(claims(&values), &proof, &mut begin()).unwrap();
                let mut wrong = our_values;
                wrong[0][0][0][0] += Ext::from_u8(1);
                assert!(stock.verify(claims(&wrong), &our_proof, &mut begin()).is_err());
                assert!(ours.verify(claims(&wrong), &our_proof, &mut begin()).is_err());

                // The values of the constraints, on points that were committed to and on others.
                for (i, &(height, width)) in shapes.iter().enumerate() {
                    for (shift, log_more) in [(Val::GENERATOR, 0), (Val::GENERATOR, 1), (Val::GENERATOR, 2), (Val::TWO, 1)] {
                        let log_rows = height.ilog2() as usize + log_more;
                        let domain = TwoAdicMultiplicativeCoset::new(shift, log_rows).unwrap();
                        let of_stock =
                            UnivariateStarkPcs::<Ext, Challenger>::get_evaluations_on_domain(&stock, &data, i, domain);
                        let of_ours =
                            UnivariateStarkPcs::<Ext, Challenger>::get_evaluations_on_domain(&ours, &our_data, i, domain);
                        assert_eq!(of_ours.width(), width);
                        assert_eq!(of_ours.to_row_major_matrix(), of_stock.to_row_major_matrix());
                    }
                }

                // The quotient's chunks.
                let domain = TwoAdicMultiplicativeCoset::new(Val::GENERATOR, 5).unwrap();
                for chunks in [1, 2, 4] {
                    let quotient = || evaluations::<Val>(&[(32, 2)]).remove(0).1;
                    let caps = [
                        UnivariateStarkPcs::<Ext, Challenger>::commit_quotient(&stock, domain, quotient(), chunks).unwrap().0,
                        UnivariateStarkPcs::<Ext, Challenger>::commit_quotient(&ours, domain, quotient(), chunks).unwrap().0,
                    ];
                    assert_eq!(caps[0], caps[1]);
                    let of_chunks = || {
                        domain.split_domains(chunks).into_iter().zip(domain.split_evals(chunks, quotient()))
                    };
                    let ldes =
                        UnivariateStarkPcs::<Ext, Challenger>::get_quotient_ldes(&ours, of_chunks(), chunks).unwrap();
                    let cap = UnivariateStarkPcs::<Ext, Challenger>::commit_ldes(&ours, ldes).unwrap().0;
                    assert_eq!(cap, caps[0]);
                }
            }
        }
    )*};
}
same_as_stock! {
    goldilocks true,
    poseidon_goldilocks false,
    koalabear true,
    blake3 false,
    keccakf64_goldilocks true,
    keccakf64_koalabear false,
}

#[test]
fn a_matrix_that_cannot_be_extended_is_an_error() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    use configs::koalabear::*;
    let (hasher, compressor, _) = parts();
    let stock = Stock::new(hasher.clone(), compressor.clone(), 0);
    let cpu = Arc::new(Device::open("cpu").unwrap());
    let ours = Ours::new(hasher, compressor, 0, hash(), cpu).unwrap();
    let mut parameters = fri_parameters(stock, 3);
    parameters.log_blowup = 24;
    let pcs = MerklizePcs::<Val, Challenge<Val, DEGREE>, _>::new(ours, parameters);
    let commit = || drop(Pcs::<Challenge<Val, DEGREE>, Challenger>::commit(&pcs, evaluations(&[(2, 1)])));
    let error = catch(commit).unwrap_err();
    assert!(error.to_string().contains("2^24 at most, got 2^1 rows and 24 added bits"), "{error}");
}

/// Commitments that lie on a device, and one that does not, opened together. Points are of matrices of different
/// heights.
#[test]
fn commitments_on_and_off_a_device_are_opened_together() {
    use configs::koalabear::*;
    type Ext = Challenge<Val, DEGREE>;
    let Ok(device) = Device::open("opencl:0") else {
        return println!("skipped: there is no device but the CPU");
    };
    let (hasher, compressor, challenger) = parts();
    let mmcs = Stock::new(hasher.clone(), compressor.clone(), 0);
    let stock =
        StockPcs::<Val, Ext, _>::new(Radix2DitParallel::default(), mmcs.clone(), fri_parameters(mmcs.clone(), 3));
    let ours = Ours::new(hasher, compressor, 0, hash(), Arc::new(device)).unwrap();
    let ours = MerklizePcs::<Val, Ext, _>::new(ours, fri_parameters(mmcs, 3));
    let mut sampled = challenger.clone();
    let points: Vec<Ext> = (0..3).map(|_| sampled.sample_algebra_element()).collect();
    let points = [
        vec![vec![points[0], points[1]], vec![points[0]], vec![]],
        vec![vec![points[2], points[0]], vec![points[1]]],
        vec![vec![points[0]]],
    ];
    // Both schemes in the same steps; the third commitment is made of an extension of the host.
    macro_rules! opened {
        ($pcs:ident) => {{
            let committed = |shapes| Pcs::<Ext, Challenger>::commit(&$pcs, evaluations(shapes)).unwrap().1;
            let ldes = UnivariateStarkPcs::<Ext, Challenger>::get_quotient_ldes(&stock, evaluations(&[(64, 3)]), 1);
            let all = [
                committed(&[(64, 40), (16, 3), (4, 2)]),
                committed(&[(64, 2), (32, 5)]),
                UnivariateStarkPcs::<Ext, Challenger>::commit_ldes(&$pcs, ldes.unwrap()).unwrap().1,
            ];
            let request =
                |(prover_data, points): (_, &Vec<Vec<Ext>>)| OpeningRequest { prover_data, points: points.clone() };
            let requests = all.iter().zip(&points).map(request).collect();
            let (values, proof) = $pcs.open(requests, &mut challenger.clone()).unwrap();
            (values, serde_json::to_vec(&proof).unwrap())
        }};
    }
    assert!(opened!(stock) == opened!(ours));
}

/// What the stock scheme refuses by a panic is refused in the same words, wherever the matrices lie.
#[test]
fn points_that_stock_refuses() {
    use configs::koalabear::*;
    type Ext = Challenge<Val, DEGREE>;
    let (hasher, compressor, challenger) = parts();
    let mmcs = Stock::new(hasher.clone(), compressor.clone(), 0);
    let stock =
        StockPcs::<Val, Ext, _>::new(Radix2DitParallel::default(), mmcs.clone(), fri_parameters(mmcs.clone(), 3));
    macro_rules! refusal {
        ($pcs:expr, $point:expr) => {{
            let data = Pcs::<Ext, Challenger>::commit(&$pcs, evaluations(&[(16, 3)])).unwrap().1;
            let requests = vec![OpeningRequest { prover_data: &data, points: vec![vec![$point]] }];
            let open = AssertUnwindSafe(|| drop($pcs.open(requests, &mut challenger.clone())));
            let panic = catch_unwind(open).expect_err("the point is refused");
            let text = panic.downcast_ref::<String>().cloned();
            text.unwrap_or_else(|| panic.downcast_ref::<&str>().expect("a text").to_string())
        }};
    }
    // Zero has no inverse; the others are points of the extension's coset, the last one not of the low coset.
    let next = Val::GENERATOR * Val::two_adic_generator(5);
    for point in [Ext::ZERO, Ext::from(Val::GENERATOR), Ext::from(next)] {
        let of_stock = refusal!(stock, point);
        for device in devices(true) {
            let ours = Ours::new(hasher.clone(), compressor.clone(), 0, hash(), device).unwrap();
            let ours = MerklizePcs::<Val, Ext, _>::new(ours, fri_parameters(mmcs.clone(), 3));
            assert_eq!(refusal!(ours, point), of_stock, "{ours:?}");
        }
    }
}
