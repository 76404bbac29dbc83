//! Extensions against p3-dft's, value for value.

use std::sync::Arc;

use merklize_plonky3::{catch, Device, MerklizeDft, TwoAdicElement, HAS_LIBRARY};
use p3_baby_bear::BabyBear;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::Matrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Without a device where the library does not run.
fn cpu<F: TwoAdicElement>() -> MerklizeDft<F> {
    MerklizeDft::new(HAS_LIBRARY.then(|| Arc::new(Device::open("cpu").unwrap())))
}

/// On the CPU, without a device, and on an OpenCL device where there is one.
fn everywhere<F: TwoAdicElement>() -> Vec<MerklizeDft<F>> {
    let opencl = Device::open("opencl:0").ok().map(|device| MerklizeDft::new(Arc::new(device)));
    [cpu(), MerklizeDft::new(None)].into_iter().chain(opencl).collect()
}

/// The bytes that a proof has of elements.
fn bytes<F: TwoAdicElement>(elements: &[F]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.as_canonical_u64().to_le_bytes()).collect()
}

/// Whether both orders of rows are those of p3-dft, byte for byte.
fn check<F: TwoAdicElement>(dft: &MerklizeDft<F>, matrix: RowMajorMatrix<F>, added_bits: usize, shift: F) {
    let (height, width) = (matrix.height(), matrix.width());
    let stock = Radix2DitParallel::default().coset_lde_batch(matrix.clone(), added_bits, shift);
    let ours = dft.coset_lde_batch(matrix, added_bits, shift);
    assert_eq!(ours.dimensions(), stock.dimensions());
    let what = format!("{height} rows of {width}, {added_bits} bits, shift {shift}");
    let natural = ours.clone_rows();
    assert!(bytes(&natural) == bytes(&stock.clone_rows()), "{what}");
    let (ours, stock) = (ours.bit_reverse_rows(), stock.bit_reverse_rows());
    assert!(bytes(&ours.values) == bytes(&stock.values), "{what}, bit-reversed");
    assert_eq!(ours.values.len(), natural.len());
}

/// All elements of a view in the order of its rows.
trait CloneRows<F> {
    fn clone_rows(&self) -> Vec<F>;
}
impl<F: TwoAdicElement, M: Matrix<F>> CloneRows<F> for M {
    fn clone_rows(&self) -> Vec<F> {
        self.rows().flatten().collect()
    }
}

fn random_shapes<F: TwoAdicElement>(element: impl Fn(u64) -> F) {
    let mut rng = SmallRng::seed_from_u64(F::ORDER_U64);
    let all = everywhere();
    for k in 0..100 {
        let log_height = rng.random_range(0..12);
        let height = 1usize << log_height;
        let width = match k % 10 {
            0 => 1,
            1 => 2633 >> (log_height / 2),
            _ => rng.random_range(1..70),
        };
        let added_bits = rng.random_range(0..4);
        let values = (0..height * width).map(|_| element(rng.random::<u64>())).collect();
        let shift = match k % 4 {
            0 => F::ONE,
            1 => F::GENERATOR,
            _ => F::from_u64(rng.random_range(1..F::ORDER_U64)),
        };
        let matrix = RowMajorMatrix::new(values, width);
        // The device of a test has a processor's speed at best.
        let some = if k % 3 == 0 { &all } else { &all[..1] };
        some.iter().for_each(|dft| check(dft, matrix.clone(), added_bits, shift));
    }
}

#[test]
fn a_hundred_random_shapes_of_each_field() {
    // Words of Goldilocks may be above the modulus.
    random_shapes(|x| Goldilocks::new(if x % 5 == 0 { u64::MAX - x % 1000 } else { x }));
    random_shapes(BabyBear::from_u64);
    random_shapes(KoalaBear::from_u64);
}

#[test]
fn edges() {
    fn of_field<F: TwoAdicElement>() {
        let column = |n: u64| RowMajorMatrix::new((0..n).map(|i| F::GENERATOR.exp_u64(i * i)).collect(), 1);
        let all = everywhere();
        for n in [1, 2, 4] {
            for added_bits in 0..6 {
                // Zero is no coset.
                for shift in [F::GENERATOR, F::NEG_ONE, F::ZERO] {
                    all.iter().for_each(|dft| check(dft, column(n), added_bits, shift));
                }
            }
        }
        // What the trait derives, and what is Plonky3's own.
        let (ours, stock) = (cpu::<F>(), Radix2DitParallel::default());
        let values = column(16).values;
        assert_eq!(ours.lde(values.clone(), 2), stock.lde(values.clone(), 2));
        assert_eq!(ours.coset_lde(values.clone(), 2, F::TWO), stock.coset_lde(values.clone(), 2, F::TWO));
        assert_eq!(ours.dft(values.clone()), stock.dft(values.clone()));
        assert_eq!(ours.idft(ours.dft(values.clone())), values);
        assert_eq!(ours.coset_idft(ours.coset_dft(values.clone(), F::TWO), F::TWO), values);
        assert_eq!(MerklizeDft::default().lde(values.clone(), 1), stock.lde(values.clone(), 1));
        let transformed = |dft: &dyn Fn(RowMajorMatrix<F>) -> Vec<F>| dft(RowMajorMatrix::new(values.clone(), 2));
        assert_eq!(
            transformed(&|matrix| ours
                .coset_lde_batch_with_transform(matrix, 1, F::GENERATOR, |c, _| c.scale(F::TWO))
                .clone_rows()),
            transformed(&|matrix| stock
                .coset_lde_batch_with_transform(matrix, 1, F::GENERATOR, |c, _| c.scale(F::TWO))
                .clone_rows()),
        );
    }
    of_field::<Goldilocks>();
    of_field::<BabyBear>();
    of_field::<KoalaBear>();
}

#[test]
fn what_no_field_has_is_an_error() {
    if !HAS_LIBRARY {
        return println!("skipped: the library does not run here");
    }
    let refused = |values: usize, width, added_bits, text: &str| {
        let matrix = RowMajorMatrix::new(vec![KoalaBear::TWO; values], width);
        let found = catch(|| drop(cpu().coset_lde_batch(matrix, added_bits, KoalaBear::GENERATOR)));
        let error = found.expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(3 * 2, 2, 1, "extend: the number of rows must be a power of two, got 3");
    refused(4, 1, 23, "extend: koalabear has roots of unity of order 2^24 at most, got 2^2 rows and 23 added bits");
    refused(4, 1, usize::MAX, "extend: there is no memory");
}
