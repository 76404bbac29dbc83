//! Whole proofs of other AIRs than keccak-air, by the stock scheme, by `MerklizePcs`, and by it with our `prove`:
//! those of BLAKE3 and of Poseidon2 that come with Plonky3, and a chain of 71 columns with constraints of degree 8.

use std::error::Error;

use merklize_plonky3::{catch, prove as our_prove, stock_proof, MerklizePcs};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_blake3_air::Blake3Air;
use p3_dft::Radix2DitParallel;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::TwoAdicFriPcs;
use p3_koala_bear::GenericPoseidon2LinearLayersKoalaBear;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_uni_stark::{prove, verify, StarkConfig};
use rand::rngs::SmallRng;
use rand::SeedableRng;

use crate::configs::{self, Config, DeviceConfig};
use crate::gate::fresh;
use crate::measure::{Bench, Contender, Watch};
use crate::of_plonky3::{proof, text, together};

const QUERIES: usize = 100;

/// Each row follows from the one before, in each of 71 columns by a polynomial of degree 3. There are 16 constraints of
/// a column: its difference from that polynomial, each times another product of four sums. So their degree is 7, and 8
/// with the selector of transitions.
struct Chain;

const CHAIN_COLUMNS: usize = 71;

impl Chain {
    /// Column `i` of the next row.
    fn step<T: Clone + PrimeCharacteristicRing>(row: &[T], i: usize) -> T {
        let cell = |k: usize| row[(i + k) % CHAIN_COLUMNS].clone();
        cell(0) * cell(1) * cell(2) + cell(3) * cell(4) - cell(5).double() + cell(6)
    }

    fn trace<F: Field>(log_rows: u32) -> RowMajorMatrix<F> {
        let mut values = F::zero_vec(CHAIN_COLUMNS << log_rows);
        for (i, cell) in values[..CHAIN_COLUMNS].iter_mut().enumerate() {
            *cell = F::from_usize(i + 1);
        }
        for at in (CHAIN_COLUMNS..values.len()).step_by(CHAIN_COLUMNS) {
            let (before, after) = values.split_at_mut(at);
            let row = &before[at - CHAIN_COLUMNS..];
            after[..CHAIN_COLUMNS].iter_mut().enumerate().for_each(|(i, cell)| *cell = Self::step(row, i));
        }
        RowMajorMatrix::new(values, CHAIN_COLUMNS)
    }
}

impl<F> BaseAir<F> for Chain {
    fn width(&self) -> usize {
        CHAIN_COLUMNS
    }
}

impl<AB: AirBuilder> Air<AB> for Chain {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row: Vec<AB::Expr> = main.current_slice().iter().map(|&cell| cell.into()).collect();
        for (i, &next) in main.next_slice().iter().enumerate() {
            let difference = Self::step(&row, i) - next.into();
            for k in 0..16 {
                let factor = (4 * k..4 * k + 4)
                    .map(|k| row[(i + k) % CHAIN_COLUMNS].clone() + row[(i + k + 5) % CHAIN_COLUMNS].clone())
                    .reduce(|product, sum| product * sum)
                    .expect("four sums");
                builder.when_transition().assert_zero(difference.clone() * factor);
            }
        }
    }
}

macro_rules! job {
    ($bench:ident, $job:literal, $name:ident, $log_blowup:literal, $log_trace:literal, $air:expr, $trace:expr) => {
        if $bench.wants($job) {
            use configs::$name::*;
            let (air, log_rows) = ($air, $bench.log_rows.unwrap_or($log_trace + $log_blowup));
            let (hasher, compressor, challenger) = parts();
            let stock = Stock::new(hasher.clone(), compressor.clone(), 0);
            let mut parameters = configs::fri_parameters(stock.clone(), QUERIES);
            parameters.log_blowup = $log_blowup;
            let pcs = TwoAdicFriPcs::new(Radix2DitParallel::default(), stock, parameters.clone());
            let judge: Config<Val, DEGREE, _, _> = StarkConfig::new(pcs, challenger.clone());
            let configs = $bench
                .devices
                .iter()
                .map(|device| {
                    let ours = Ours::new(hasher.clone(), compressor.clone(), 0, hash(), device.clone())?;
                    let pcs = MerklizePcs::new(ours, parameters.clone());
                    let config: DeviceConfig<Val, DEGREE, _, _> = StarkConfig::new(pcs, challenger.clone());
                    Ok((device.info().id, config))
                })
                .collect::<Result<Vec<_>, merklize::Error>>()?;
            let trace: RowMajorMatrix<Val> = $trace(&air, log_rows - $log_blowup);
            let mut contenders: Vec<Contender<'_>> =
                vec![("stock".into(), proof!(prove, &judge, &air, trace, &judge, std::convert::identity))];
            for (id, config) in &configs {
                let pcs = proof!(prove, config, &air, trace, &judge, stock_proof);
                contenders.push((format!("{id} merklize pcs"), pcs));
                let pcs_and_prove = proof!(our_prove, config, &air, trace, &judge, stock_proof);
                contenders.push((format!("{id} merklize prove"), pcs_and_prove));
            }
            $bench.turns($job, "proof", log_rows, &contenders)?;
            for (id, config) in &configs {
                together!($bench, $job, log_rows, id, config, &air, trace, &judge);
            }
        }
    };
}

/// Of Plonky3's example: eight permutations of width 16 in a row.
type Poseidon2 =
    VectorizedPoseidon2Air<p3_koala_bear::KoalaBear, GenericPoseidon2LinearLayersKoalaBear, 16, 3, 0, 4, 20, 8>;

pub fn run(bench: &mut Bench) -> Result<(), Box<dyn Error>> {
    let hashes = |air: &Blake3Air, log_rows: u32| air.generate_random_trace_rows(1 << log_rows, 1);
    job!(bench, "plonky3 blake3-air koalabear", koalabear, 1, 16, Blake3Air {}, hashes);
    let permutations = |air: &Poseidon2, log_rows: u32| air.generate_vectorized_trace_rows(8 << log_rows, 1);
    let constants = RoundConstants::from_rng(&mut SmallRng::seed_from_u64(1));
    job!(bench, "plonky3 poseidon2-air koalabear", koalabear, 1, 16, Poseidon2::new(constants), permutations);
    job!(bench, "plonky3 chain-air goldilocks", goldilocks, 3, 20, Chain, |_: &Chain, log_rows| Chain::trace(log_rows));
    Ok(())
}
