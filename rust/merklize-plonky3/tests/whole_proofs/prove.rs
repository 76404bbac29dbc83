//! `prove` against `p3_uni_stark::prove`: proofs are the same, byte for byte.

use std::sync::Arc;

use crate::configs;
use crate::provers::{devices, provers, said, MEMORY};
use crate::random_air::RandomAir;
use merklize_plonky3::{catch, prove, prove_with_preprocessed, stock_proof, Device};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{setup_preprocessed, verify};

/// How many times as many random AIRs: `MERKLIZE_RANDOM_AIRS`.
fn times() -> u64 {
    std::env::var("MERKLIZE_RANDOM_AIRS").map_or(1, |times| times.parse().expect("MERKLIZE_RANDOM_AIRS is a number"))
}

macro_rules! same_as_stock {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;
            use configs::$name::*;
            provers!();

            #[test]
            fn random_airs() {
                let _memory = MEMORY.read().unwrap();
                if cfg!(debug_assertions) {
                    return println!("skipped: with debug assertions no prover takes a trace that breaks constraints");
                }
                // One to four chunks; those that the extension does not hold are evaluated by the host.
                for (log_blowup, degree) in [(1, 3), (2, 5), (1, 5)] {
                    let stock = stock_config(log_blowup);
                    let ours: Vec<_> = devices().iter().map(|device| our_config(device, log_blowup)).collect();
                    for seed in 0..60 * times() {
                        let air = RandomAir::<Val>::new(seed, seed as usize % 7, degree);
                        same_proofs(&air, &stock, &ours);
                    }
                }
            }

            fn same_proofs(air: &RandomAir<Val>, stock: &StockConfig, ours: &[OurConfig]) {
                let seed = air.seed;
                let log_height = air.height.ilog2() as usize;
                let of_stock = setup_preprocessed(stock, air, log_height).unwrap();
                let of_stock = of_stock.as_ref().map(|(data, _)| data);
                let (values, trace) = (&air.public_values, air.trace());
                let expected = p3_uni_stark::prove_with_preprocessed(stock, air, trace.clone(), values, of_stock);
                let expected = serde_json::to_vec(&expected.unwrap()).unwrap();
                for ours in ours {
                    let data = setup_preprocessed(ours, air, log_height).unwrap();
                    let data = data.as_ref().map(|(data, _)| data);
                    let proof = catch(|| prove_with_preprocessed(ours, air, trace.clone(), values, data).unwrap());
                    assert!(serde_json::to_vec(&proof.unwrap()).unwrap() == expected, "seed {seed}");
                }
            }

            #[test]
            fn powers_of_all_heights() {
                let _memory = MEMORY.read().unwrap();
                let heights = (0..=12).chain([16]).map(|log_height| (1, log_height));
                for (log_blowup, log_height) in heights.chain((0..=3).map(|log_height| (3, log_height))) {
                    let stock = stock_config(log_blowup);
                    let trace = Powers::trace::<Val>(log_height);
                    let last = [trace.values[trace.values.len() - 2]];
                    let expected = p3_uni_stark::prove(&stock, &Powers::Sound, trace.clone(), &last).unwrap();
                    let expected = serde_json::to_vec(&expected).unwrap();
                    for device in devices() {
                        let ours = our_config(&device, log_blowup);
                        let proof = catch(|| prove(&ours, &Powers::Sound, trace.clone(), &last).unwrap()).unwrap();
                        let bytes = serde_json::to_vec(&proof).unwrap();
                        assert!(bytes == expected, "{device:?}, 2^{log_height} rows, blow-up 2^{log_blowup}");
                        verify(&stock, &Powers::Sound, &stock_proof(proof), &last).expect("the stock verifier accepts");
                    }
                }
            }

            /// Threads that share a device, and one configuration.
            #[test]
            fn two_proofs_at_once() {
                let _memory = MEMORY.read().unwrap();
                let prepared = [10, 16].map(|log_height| {
                    let trace = Powers::trace::<Val>(log_height);
                    let last = [trace.values[trace.values.len() - 2]];
                    let expected = p3_uni_stark::prove(&stock_config(1), &Powers::Sound, trace.clone(), &last).unwrap();
                    (trace, last, serde_json::to_vec(&expected).unwrap())
                });
                for device in devices() {
                    let ours = &our_config(&device, 1);
                    std::thread::scope(|scope| {
                        for (trace, last, expected) in &prepared {
                            let device = &device;
                            scope.spawn(move || {
                                for _ in 0..3 {
                                    let proof = catch(|| prove(ours, &Powers::Sound, trace.clone(), last).unwrap());
                                    let bytes = serde_json::to_vec(&proof.unwrap()).unwrap();
                                    assert!(bytes == *expected, "{device:?}, {} rows", trace.values.len() / 2);
                                }
                            });
                        }
                    });
                }
            }

            #[test]
            fn constraints_of_many_values() {
                let _memory = MEMORY.read().unwrap();
                let trace = Powers::trace::<Val>(4);
                let last = [trace.values[trace.values.len() - 2]];
                let expected = p3_uni_stark::prove(&stock_config(1), &Powers::Wide, trace.clone(), &last).unwrap();
                let expected = serde_json::to_vec(&expected).unwrap();
                for device in devices() {
                    let ours = our_config(&device, 1);
                    said();
                    let proof = catch(|| prove(&ours, &Powers::Wide, trace.clone(), &last).unwrap()).unwrap();
                    assert!(serde_json::to_vec(&proof).unwrap() == expected, "{device:?}");
                    let is_opencl = device.is_some_and(|device| device.info().backend == "opencl");
                    let said = said();
                    assert!(!is_opencl || said[0].starts_with("the device evaluates all 4 constraints"), "{said:?}");
                }
            }

            /// An AIR whose constraints depend on who asks.
            #[test]
            fn an_air_of_two_faces_is_an_error_on_a_device() {
                let _memory = MEMORY.read().unwrap();
                let Ok(device) = Device::open("opencl:0") else {
                    return println!("skipped: there is no device but the CPU");
                };
                let ours = our_config(&Some(Arc::new(device)), 1);
                let trace = Powers::trace::<Val>(4);
                let last = [trace.values[trace.values.len() - 2]];
                let error = catch(|| drop(prove(&ours, &Powers::OfTwoFaces, trace, &last))).unwrap_err();
                assert!(error.to_string().contains("differs from Plonky3's"), "{error}");
            }
        }
    )*};
}
// Kernels of OpenCL take long to compile, so the hashes are those whose kernels are small.
same_as_stock!(keccakf64_goldilocks blake3 keccakf64_koalabear);

/// Rows of x and 3 x + 1, each row's x the one's before squared; the last x is a public value.
enum Powers {
    Sound,
    /// With a constraint that uses more values twice than a device has slots for.
    Wide,
    OfTwoFaces,
}

impl Powers {
    fn trace<F: PrimeField64>(log_height: usize) -> RowMajorMatrix<F> {
        let mut x = F::from_u8(5);
        let mut values = vec![];
        for _ in 0..1 << log_height {
            values.extend([x, x.double() + x + F::ONE]);
            x = x.square();
        }
        RowMajorMatrix::new(values, 2)
    }
}

impl<F> BaseAir<F> for Powers {
    fn width(&self) -> usize {
        2
    }
    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder> Air<AB> for Powers {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (x, y, next) = (main.current(0).unwrap(), main.current(1).unwrap(), main.next(0).unwrap());
        let last = builder.public_values()[0].into();
        builder.assert_eq(y, x.into() * AB::Expr::from_u8(3) + AB::Expr::ONE);
        builder.when_transition().assert_eq(next, x.into() * x.into());
        builder.when_last_row().assert_eq(x, last);
        match self {
            Self::Sound => {}
            Self::Wide => {
                let values: Vec<AB::Expr> = (0..100).map(|k| x.into() * AB::Expr::from_u8(k) + y.into()).collect();
                let sum = values.iter().fold(AB::Expr::ZERO, |sum, value| sum * AB::Expr::TWO + value.clone());
                let back = values.iter().rev().fold(AB::Expr::ZERO, |sum, value| sum * AB::Expr::TWO + value.clone());
                builder.assert_zero(sum * back * (y.into() - x.into() * AB::Expr::from_u8(3) - AB::Expr::ONE));
            }
            Self::OfTwoFaces => {
                if std::any::type_name::<AB>().contains("Symbolic") {
                    builder.assert_zero(x.into() - y.into());
                } else {
                    builder.assert_zero(y.into() - x.into() * AB::Expr::from_u8(3) - AB::Expr::ONE);
                }
            }
        }
    }
}
