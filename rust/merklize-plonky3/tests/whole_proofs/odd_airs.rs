//! `prove` against `p3_uni_stark::prove` with AIRs that nobody writes: proofs are the same, byte for byte. Their traces
//! break the constraints, and with debug assertions no prover takes such a trace.
#![cfg(not(debug_assertions))]

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use crate::configs;
use crate::provers::{devices, provers, said, MEMORY};
use merklize_plonky3::{catch, prove_with_preprocessed, Device};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::setup_preprocessed;

/// What an AIR asserts of its columns.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Nothing,
    /// At the first row, at the last one, and at those between.
    Boundaries,
    Constants,
    Selectors,
    /// A column's power is the next row's, so that the quotient has more chunks.
    Power(usize),
    /// x, then its square, so often: as a tree it has 2^n leaves.
    Squares(usize),
    /// A sum of so many nodes, each an operand of the next.
    Chain(usize),
    Negations(usize),
    /// A sum of so many values, and the same with a tree, which then finds them in most slots.
    Sums(usize),
    /// Sums and differences that need so many values at a time.
    Shared(usize),
    /// So many values, then so often as many differences of neighbours: what one needs spreads.
    Layers(usize, usize),
    /// A balanced tree of so many values.
    Tree(usize),
    /// So many constraints.
    Many(usize),
    PublicValues,
    Preprocessed,
    /// Constraints that only one builder has: the symbolic one, or the other.
    OfOne(bool),
}

#[derive(Clone, Debug)]
struct OddAir {
    kind: Kind,
    width: usize,
    log_height: usize,
    n_public: usize,
}

fn value<F: PrimeField64>(i: usize) -> F {
    match i % 5 {
        0 => F::NEG_ONE,
        1 => F::ZERO,
        _ => F::from_u64((i as u64 + 3).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
    }
}

impl OddAir {
    fn trace<F: PrimeField64>(&self) -> RowMajorMatrix<F> {
        let n = self.width << self.log_height;
        RowMajorMatrix::new((0..n).map(value).collect(), self.width)
    }
    fn public_values<F: PrimeField64>(&self) -> Vec<F> {
        (0..self.n_public).map(|i| value(i + 7)).collect()
    }
    fn has_preprocessed(&self) -> bool {
        matches!(self.kind, Kind::Preprocessed)
    }
}

impl<F: PrimeField64> BaseAir<F> for OddAir {
    fn width(&self) -> usize {
        self.width
    }
    fn num_public_values(&self) -> usize {
        self.n_public
    }
    fn preprocessed_width(&self) -> usize {
        if self.has_preprocessed() {
            3
        } else {
            0
        }
    }
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let n = 3 << self.log_height;
        self.has_preprocessed().then(|| RowMajorMatrix::new((0..n).map(|i| value(i * i)).collect(), 3))
    }
}

impl<AB: AirBuilder> Air<AB> for OddAir
where
    AB::F: PrimeField64,
{
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let x = |i: usize| -> AB::Expr { main.current(i % self.width).unwrap().into() };
        let next = |i: usize| -> AB::Expr { main.next(i % self.width).unwrap().into() };
        let constant = |i: usize| -> AB::Expr { AB::Expr::from(value::<AB::F>(i)) };
        let (first, last, between) = (builder.is_first_row(), builder.is_last_row(), builder.is_transition());
        let tree = |mut level: Vec<AB::Expr>| {
            while level.len() > 1 {
                level = level.chunks(2).map(|pair| pair.iter().cloned().fold(x(0), |a, b| a - b)).collect();
            }
            level.remove(0)
        };
        match self.kind {
            Kind::Nothing => {}
            Kind::Boundaries => {
                builder.when_first_row().assert_eq(x(0), constant(0));
                builder.when_last_row().assert_eq(x(1), constant(3));
                builder.when_transition().assert_eq(next(0), x(0));
                builder.when_transition().when_first_row().assert_zero(next(0) - constant(2));
            }
            Kind::Constants => {
                builder.assert_zero(AB::Expr::ZERO);
                builder.assert_zero(AB::Expr::ONE);
                builder.assert_zero(constant(2) * constant(3));
                // The greatest word represents 2^32 - 2 over Goldilocks.
                builder.assert_zero(x(0) + AB::Expr::from(AB::F::from_u64(u64::MAX)));
                builder.assert_zero(AB::Expr::from(AB::F::from_u64(u64::MAX)));
            }
            Kind::Selectors => {
                builder.assert_zero(first.clone());
                builder.assert_zero(last.clone());
                builder.assert_zero(between.clone());
                builder.assert_zero(first.clone() * last.clone());
                builder.assert_zero((AB::Expr::ONE - between.clone()) * (first - last));
                builder.assert_zero(-between);
            }
            Kind::Power(n) => {
                let power = (1..n).fold(x(0), |power, _| power * x(0));
                builder.assert_zero(power - next(0));
            }
            Kind::Squares(n) => {
                // Neither of these has a degree.
                let shared: AB::Expr = builder.public_values()[0].into();
                let squares = |of: AB::Expr| (0..n).fold(of, |power, _| power.clone() * power);
                builder.assert_zero(squares(shared + constant(2)) * x(0));
                builder.assert_zero(squares(between) - next(0));
            }
            Kind::Chain(n) => {
                let sum = (0..n).fold(x(0), |sum, i| if i % 2 == 0 { sum + x(i) } else { sum - next(i) });
                builder.assert_zero(sum);
            }
            Kind::Negations(n) => {
                let all = (0..n).fold(x(0), |all, _| -all);
                builder.assert_zero(all);
            }
            Kind::Sums(n) | Kind::Shared(n) => {
                let values: Vec<AB::Expr> = (0..n).map(|i| (x(i) + constant(i + 2)) * next(i + 1)).collect();
                let sum = || values.iter().fold(AB::Expr::ZERO, |sum, value| sum * constant(2) + value.clone());
                builder.assert_zero(sum());
                builder.assert_zero(sum() - tree((0..n).map(|i| x(i) * constant(i + 2)).collect()));
                if matches!(self.kind, Kind::Sums(_)) {
                    return;
                }
                let back = values.iter().rev().fold(AB::Expr::ZERO, |sum, value| sum * constant(2) + value.clone());
                builder.assert_zero(back - values[0].clone());
                let differences = values.iter().zip(values.iter().rev()).map(|(a, b)| a.clone() - b.clone());
                builder.assert_zero(differences.fold(AB::Expr::ONE, |sum, value| sum - value));
            }
            Kind::Layers(n, times) => {
                let mut values: Vec<AB::Expr> = (0..n).map(|i| x(i) * constant(i + 2)).collect();
                for _ in 0..times {
                    values = (0..n).map(|i| values[i].clone() - values[(i + 1) % n].clone() * constant(2)).collect();
                }
                builder.assert_zero(values.into_iter().fold(x(0), |sum, value| sum * constant(3) + value));
            }
            Kind::Tree(n) => {
                let leaves = (0..n).map(|i| x(i) * constant(i + 2)).collect();
                builder.assert_zero(tree(leaves));
            }
            Kind::Many(n) => {
                for i in 0..n {
                    builder.assert_zero(x(i) * next(i / 3) - constant(i));
                    builder.assert_zero(x(i));
                }
            }
            Kind::PublicValues => {
                let values: Vec<AB::Expr> = builder.public_values().iter().map(|value| (*value).into()).collect();
                for (i, value) in values.into_iter().enumerate() {
                    builder.assert_zero(x(i) - value.clone() * value.clone());
                    builder.when_first_row().assert_zero(value);
                }
            }
            Kind::OfOne(is_symbolic) => {
                builder.assert_zero(x(0) * next(0));
                if std::any::type_name::<AB>().contains("Symbolic") == is_symbolic {
                    builder.assert_zero(x(1) - next(0));
                }
            }
            Kind::Preprocessed => {
                let fixed = builder.preprocessed().clone();
                let of = |i: usize, is_next: bool| -> AB::Expr {
                    if is_next {
                        fixed.next(i).unwrap().into()
                    } else {
                        fixed.current(i).unwrap().into()
                    }
                };
                builder.assert_zero(of(0, false) * x(0) - of(1, true) * next(0));
                builder.assert_zero(of(2, true) - of(2, false));
            }
        }
    }
}

/// With a stack on which Plonky3 gives back deep expressions, as it does by recursion.
fn with_deep_stack(test: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let test = thread::Builder::new().stack_size(1 << 30).spawn_scoped(scope, test).unwrap();
        test.join().unwrap_or_else(|panic| resume_unwind(panic));
    });
}

/// AIRs, and whether their constraints have a program.
fn airs() -> Vec<(OddAir, bool)> {
    let of = |kind, width, log_height, n_public| OddAir { kind, width, log_height, n_public };
    let mut all = vec![
        (of(Kind::Squares(25), 2, 3, 1), true),
        (of(Kind::Chain(100_000), 3, 1, 0), true),
        (of(Kind::Negations(100_000), 1, 1, 0), true),
        (of(Kind::Sums(200), 3, 4, 0), true),
        (of(Kind::Shared(60), 3, 4, 0), true),
        (of(Kind::Shared(200), 3, 4, 0), true),
        (of(Kind::Layers(80, 10), 3, 4, 0), true),
        (of(Kind::Layers(300, 100), 3, 4, 0), false),
        (of(Kind::Tree(1000), 7, 3, 0), true),
        (of(Kind::Tree(100_000), 7, 1, 0), true),
        (of(Kind::Many(5000), 40, 4, 0), true),
        (of(Kind::PublicValues, 3, 4, 1000), true),
        (of(Kind::Many(50), 3000, 2, 0), true),
        (of(Kind::Many(50), 1, 2, 0), true),
    ];
    for kind in [Kind::Nothing, Kind::Boundaries, Kind::Constants, Kind::Selectors, Kind::Preprocessed] {
        for (width, log_height) in [(1, 0), (1, 1), (2, 2), (1, 3), (5, 7), (3, 12)] {
            all.push((of(kind, width, log_height, width % 3), true));
        }
    }
    for degree in 1..=9 {
        for log_height in [0, 1, 2, 6] {
            all.push((of(Kind::Power(degree), 2, log_height, 0), true));
        }
    }
    all
}

macro_rules! same_as_stock {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;
            use configs::$name::*;
            provers!();

            fn by_stock(air: &OddAir, config: &StockConfig) -> Vec<u8> {
                let values = air.public_values();
                let fixed = setup_preprocessed(config, air, air.log_height).unwrap();
                let data = fixed.as_ref().map(|(data, _)| data);
                let proof = p3_uni_stark::prove_with_preprocessed(config, air, air.trace(), &values, data).unwrap();
                serde_json::to_vec(&proof).unwrap()
            }

            fn by_ours(air: &OddAir, config: &OurConfig, fixed_by: &OurConfig) -> Vec<u8> {
                let values = air.public_values();
                let fixed = setup_preprocessed(fixed_by, air, air.log_height).unwrap();
                let data = fixed.as_ref().map(|(data, _)| data);
                let proof = catch(|| prove_with_preprocessed(config, air, air.trace(), &values, data).unwrap());
                serde_json::to_vec(&proof.unwrap()).unwrap()
            }

            #[test]
            fn odd_airs() {
                let _memory = MEMORY.read().unwrap();
                with_deep_stack(|| {
                    for log_blowup in [1, 3] {
                        let stock = stock_config(log_blowup);
                        let backend = |device: &Arc<Device>| device.info().backend;
                        let ours = |device: &Option<_>| {
                            (device.as_ref().map_or("none".into(), backend), our_config(device, log_blowup))
                        };
                        let ours: Vec<_> = devices().iter().map(ours).collect();
                        for (air, has_program) in airs() {
                            let expected = by_stock(&air, &stock);
                            let is_high = matches!(air.kind, Kind::Power(n) if n - 1 > 1 << log_blowup);
                            for (name, ours) in &ours {
                                said();
                                assert!(by_ours(&air, ours, ours) == expected, "{air:?}, {name}");
                                let said = said();
                                let is_on_device = has_program && !is_high;
                                let by = if is_on_device { "the device evaluates all" } else { "the processors" };
                                let is_right = match &said[..] {
                                    [] => *name != "opencl",
                                    [one] => *name == "opencl" && one.starts_with(by),
                                    _ => false,
                                };
                                assert!(is_right, "{air:?}, {name}: {said:?}");
                            }
                        }
                    }
                });
            }

            #[test]
            fn preprocessed_columns_of_another_device() {
                let _memory = MEMORY.read().unwrap();
                let air = OddAir { kind: Kind::Preprocessed, width: 2, log_height: 4, n_public: 0 };
                let expected = by_stock(&air, &stock_config(1));
                let second = Device::open("opencl:1").ok().map(|device| Some(Arc::new(device)));
                let all: Vec<_> = devices().into_iter().chain(devices()).chain(second).collect();
                for fixed_by in &all {
                    for device in &all {
                        let (config, fixed_by) = (our_config(device, 1), our_config(fixed_by, 1));
                        assert!(by_ours(&air, &config, &fixed_by) == expected, "{device:?}, {fixed_by:?}");
                    }
                }
            }

            #[test]
            fn constraints_of_one_builder_are_an_error() {
                let _memory = MEMORY.read().unwrap();
                let Ok(device) = Device::open("opencl:0") else {
                    return println!("skipped: there is no device but the CPU");
                };
                let ours = our_config(&Some(Arc::new(device)), 1);
                for is_symbolic in [false, true] {
                    let air = OddAir { kind: Kind::OfOne(is_symbolic), width: 2, log_height: 4, n_public: 0 };
                    let prove = || prove_with_preprocessed(&ours, &air, air.trace(), &[], None);
                    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| catch(|| drop(prove()))));
                    assert!(!matches!(made, Ok(Ok(()))), "{air:?}");
                }
            }

            #[test]
            fn several_proofs_at_once() {
                let _memory = MEMORY.read().unwrap();
                let stock = stock_config(1);
                for device in devices() {
                    let ours = our_config(&device, 1);
                    thread::scope(|scope| {
                        for k in 0..6 {
                            let (stock, ours) = (&stock, &ours);
                            scope.spawn(move || {
                                let kind = if k % 2 == 0 { Kind::Preprocessed } else { Kind::Shared(90 + 10 * k) };
                                let air = OddAir { kind, width: 2 + k, log_height: 3 + k, n_public: k };
                                assert!(by_ours(&air, ours, ours) == by_stock(&air, stock), "{air:?}");
                            });
                        }
                    });
                }
            }

            #[test]
            fn a_device_without_memory() {
                let Ok(device) = Device::open("opencl:0") else {
                    return println!("skipped: there is no device but the CPU");
                };
                let _memory = MEMORY.write().unwrap();
                let device = Arc::new(device);
                let ours = our_config(&Some(device.clone()), 1);
                for kind in [Kind::Preprocessed, Kind::Many(300), Kind::Nothing] {
                    let air = OddAir { kind, width: 9, log_height: 8, n_public: 0 };
                    let expected = by_stock(&air, &stock_config(1));
                    for bytes in [1, 1 << 10, 8 << 10, 20 << 10, 40 << 10, 60 << 10, 80 << 10, 120 << 10, 1 << 20] {
                        device.set_memory_limit(bytes).unwrap();
                        assert!(by_ours(&air, &ours, &ours) == expected, "{air:?}, {bytes} bytes");
                    }
                    device.set_memory_limit(0).unwrap();
                }
            }
        }
    )*};
}
// Kernels of OpenCL take long to compile, so the hashes are those whose kernels are small.
same_as_stock!(keccakf64_goldilocks blake3 keccakf64_koalabear);
