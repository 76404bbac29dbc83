//! Whole proofs of the AIRs that come with Plonky3: `prove` makes the proofs of `p3_uni_stark::prove`, byte for byte.

use std::ops::RangeInclusive;

use crate::configs;
use crate::provers::{devices, provers, said, MEMORY};
use merklize_plonky3::{catch, prove, stock_proof};
use p3_baby_bear::GenericPoseidon2LinearLayersBabyBear as OfBabyBear;
use p3_blake3_air::Blake3Air;
use p3_goldilocks::GenericPoseidon2LinearLayersGoldilocks as OfGoldilocks;
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_koala_bear::GenericPoseidon2LinearLayersKoalaBear as OfKoalaBear;
use p3_poseidon2_air::{Poseidon2Air, RoundConstants, VectorizedPoseidon2Air};
use p3_sha256_air::Sha256Air;
use p3_uni_stark::verify;
use rand::rngs::SmallRng;
use rand::SeedableRng;

/// Permutations are 2 to the power of each: `MERKLIZE_LOG_PERMUTATIONS`.
fn log_permutations() -> RangeInclusive<u32> {
    std::env::var("MERKLIZE_LOG_PERMUTATIONS").map_or(0..=2, |log| {
        let log = log.parse().expect("MERKLIZE_LOG_PERMUTATIONS is a number");
        log..=log
    })
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(1)
}

/// An AIR, its number of quotient chunks as a power of two, and its trace of so many permutations. In a module of a
/// configuration.
macro_rules! same_as_stock {
    ($air:expr, $log_chunks:literal, $trace:expr) => {{
        let (air, trace) = ($air, $trace);
        let stock = stock_config($log_chunks);
        for log in log_permutations() {
            let trace: p3_matrix::dense::RowMajorMatrix<Val> = trace(&air, 1 << log);
            let expected = p3_uni_stark::prove(&stock, &air, trace.clone(), &[]).unwrap();
            let expected = serde_json::to_vec(&expected).unwrap();
            let _memory = MEMORY.read().unwrap();
            for device in devices() {
                let ours = our_config(&device, $log_chunks);
                let backend = device.map_or("none".into(), |device| device.info().backend);
                let test = std::thread::current().name().unwrap().to_owned();
                let what = format!("{test}, 2^{log} permutations, device: {backend}");
                said();
                let proof = catch(|| prove(&ours, &air, trace.clone(), &[]).unwrap()).unwrap();
                let said = said();
                assert!(serde_json::to_vec(&proof).unwrap() == expected, "{what}");
                verify(&stock, &air, &stock_proof(proof), &[]).expect("the stock verifier accepts");
                // Only a device that is no processor says so. Without a word Plonky3's own code evaluated them.
                println!(
                    "{what}: {}",
                    said.first().map_or("Plonky3's own code evaluates all constraints", |said| said)
                );
                let is_right = match &said[..] {
                    [] => backend != "opencl",
                    [one] => backend == "opencl" && one.starts_with("the device evaluates all"),
                    _ => false,
                };
                assert!(is_right, "{what}: {said:?}");
            }
        }
    }};
}

macro_rules! airs {
    ($(
        $name:ident: $layers:ident, $poseidon2:tt, $log_chunks:literal, $vectorized:tt, $log_vectorized:literal;
    )*) => {$(
        mod $name {
            use super::*;
            use configs::$name::*;
            provers!();

            #[test]
            fn keccak() {
                let trace = |_: &KeccakAir, n| generate_trace_rows((0..n).map(|i| [i as u64; 25]).collect(), 1);
                same_as_stock!(KeccakAir {}, 1, trace);
            }

            #[test]
            fn blake3() {
                same_as_stock!(Blake3Air {}, 1, |air: &Blake3Air, n| air.generate_random_trace_rows(n, 1));
            }

            #[test]
            fn sha256() {
                same_as_stock!(Sha256Air, 1, |air: &Sha256Air, n| air.generate_trace_rows(n, 1));
            }

            #[test]
            fn poseidon2() {
                type Permutations = poseidon2!(Poseidon2Air, Val, $layers, $poseidon2);
                let air = Permutations::new(RoundConstants::from_rng(&mut rng()));
                same_as_stock!(air, $log_chunks, |air: &Permutations, n| air.generate_random_trace_rows(n, 1));
            }

            #[test]
            fn vectorized_poseidon2() {
                type Permutations = poseidon2!(VectorizedPoseidon2Air, Val, $layers, $vectorized);
                let air = Permutations::new(RoundConstants::from_rng(&mut rng()));
                let trace = |air: &Permutations, n: usize| air.generate_vectorized_trace_rows(2 * n, 1);
                same_as_stock!(air, $log_vectorized, trace);
            }
        }
    )*};
}

/// Width, degree of the S-box, its registers, half of the full rounds, partial rounds; permutations of a row.
macro_rules! poseidon2 {
    ($air:ident, $field:ty, $layers:ident, ($($parameter:literal)*)) => { $air<$field, $layers, $($parameter),*> };
}
// Kernels of OpenCL take long to compile, so the hashes are those whose kernels are small.
airs! {
    keccakf64_goldilocks: OfGoldilocks, (8 7 0 4 22), 3, (12 7 1 4 22 2), 1;
    keccakf64_koalabear: OfKoalaBear, (24 3 0 4 23), 1, (16 3 0 4 20 2), 1;
    blake3: OfBabyBear, (16 7 1 4 13), 1, (16 7 0 4 13 2), 3;
}
