use std::sync::Arc;

use merklize::{
    extend, or_on_cpu, or_raise, Device, Error, ExtendForm, Field, Matrix as Words, Options, RowOrder, HAS_LIBRARY,
};
use p3_baby_bear::BabyBear;
use p3_dft::{Layout, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeField64, TwoAdicField};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_matrix::bitrev::{BitReversedMatrixView, BitReversibleMatrix};
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView, RowMajorMatrixViewMut};
use p3_matrix::Matrix;

use crate::elements::DeviceElement;

/// A field whose extensions the library computes.
pub trait TwoAdicElement: DeviceElement + TwoAdicField + PrimeField64 {
    /// The library's name of the field.
    const FIELD: Field;

    /// Elements in the memory of words, which have the form that [`DeviceElement::in_memory`] tells for hashes of
    /// fields, and are below the modulus.
    fn from_words(words: Vec<Self::Word>) -> Vec<Self>;
}

macro_rules! two_adic {
    ($($field:ident)*) => {$(
        impl TwoAdicElement for $field {
            const FIELD: Field = Field::$field;
            fn from_words(words: Vec<Self::Word>) -> Vec<Self> {
                const { assert!(size_of::<Self>() == size_of::<Self::Word>()) };
                const { assert!(align_of::<Self>() == align_of::<Self::Word>()) };
                let mut words = core::mem::ManuallyDrop::new(words);
                let (first, length, capacity) = (words.as_mut_ptr(), words.len(), words.capacity());
                // SAFETY: the memory of a vector that is not dropped. An element is a transparent word.
                unsafe { Vec::from_raw_parts(first.cast(), length, capacity) }
            }
        }
    )*};
}
two_adic!(Goldilocks BabyBear KoalaBear);

/// Plonky3's `Radix2DitParallel`, whose extensions (`coset_lde_batch`, and `lde_batch` and those of one column or of an
/// algebra over it) are computed by the library on a device, with the same values. Transforms that are no extensions
/// are Plonky3's own, on the CPU.
///
/// ```
/// use std::sync::Arc;
/// use merklize_plonky3::{Device, MerklizeDft};
/// use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
/// use p3_field::{Field, PrimeCharacteristicRing};
/// use p3_koala_bear::KoalaBear;
/// use p3_matrix::{dense::RowMajorMatrix, Matrix};
///
/// let dft = MerklizeDft::new(Arc::new(Device::open("cpu")?)); // or "cuda:0"
/// let trace = RowMajorMatrix::new((0..64).map(KoalaBear::from_u32).collect(), 4);
/// let extended = dft.coset_lde_batch(trace.clone(), 1, KoalaBear::GENERATOR).to_row_major_matrix();
/// let stock = Radix2DitParallel::default().coset_lde_batch(trace, 1, KoalaBear::GENERATOR);
/// assert_eq!(extended, stock.to_row_major_matrix());
/// # Ok::<(), merklize_plonky3::Error>(())
/// ```
///
/// Without a device all of it is Plonky3's own.
///
/// The trait returns no errors. So an error of the device is a panic, and [`catch`](crate::catch) turns it back into a
/// value.
#[derive(Clone, Debug)]
pub struct MerklizeDft<F> {
    device: Option<Arc<Device>>,
    stock: Radix2DitParallel<F>,
}

impl<F: TwoAdicElement> MerklizeDft<F> {
    /// Extensions on this device; `None`: by Plonky3's own code.
    pub fn new(device: impl Into<Option<Arc<Device>>>) -> Self {
        Self { device: device.into(), stock: Radix2DitParallel::default() }
    }
}

/// An extension on a device, with bit-reversed rows.
pub(crate) fn extended<F: TwoAdicElement>(
    matrix: &RowMajorMatrix<F>,
    added_bits: usize,
    shift: F,
    device: &Device,
) -> Result<Vec<F>, Error> {
    let (words, elements) = F::in_memory(&matrix.values, true).expect("an element of these fields is a word");
    let words = Words::new(words, matrix.width)?.elements(elements);
    let extended = |device: &_| extend(words, extend_form(added_bits, shift), &Options::new().device(device));
    or_on_cpu(device, extended).map(F::from_words)
}

/// An extension by Plonky3's own code, with bit-reversed rows.
pub(crate) fn plonky3_extension<F: TwoAdicElement>(
    dft: &Radix2DitParallel<F>,
    matrix: RowMajorMatrix<F>,
    added_bits: usize,
    shift: F,
) -> RowMajorMatrix<F> {
    dft.coset_lde_batch(matrix, added_bits, shift).bit_reverse_rows().to_row_major_matrix()
}

/// The form of an extension as the library takes it, with bit-reversed rows.
pub(crate) fn extend_form<F: TwoAdicElement>(added_bits: usize, shift: F) -> ExtendForm {
    // More added bits than any field has roots for is the library's error.
    ExtendForm::new(F::FIELD, u32::try_from(added_bits).unwrap_or(u32::MAX))
        .shift(shift.as_canonical_u64())
        .order(RowOrder::BitReversed)
}

/// The trait wants a default: the CPU, or no device where there is no library.
impl<F: TwoAdicElement> Default for MerklizeDft<F> {
    fn default() -> Self {
        Self::new(HAS_LIBRARY.then(|| Arc::new(or_raise(Device::open("cpu")))))
    }
}

impl<F: TwoAdicElement> TwoAdicSubgroupDft<F> for MerklizeDft<F> {
    /// The rows are bit-reversed in memory, so that `bit_reverse_rows()` moves nothing.
    type Evaluations = BitReversedMatrixView<RowMajorMatrix<F>>;

    fn coset_lde_batch(&self, matrix: RowMajorMatrix<F>, added_bits: usize, shift: F) -> Self::Evaluations {
        match &self.device {
            Some(device) if !shift.is_zero() => {
                let width = matrix.width;
                RowMajorMatrix::new(or_raise(extended(&matrix, added_bits, shift, device)), width).bit_reverse_rows()
            }
            // A shift of zero is no coset, and so no extension: each row has the constant coefficients.
            _ => self.stock.coset_lde_batch(matrix, added_bits, shift),
        }
    }

    fn dft_batch(&self, matrix: RowMajorMatrix<F>) -> Self::Evaluations {
        self.stock.dft_batch(matrix)
    }

    fn coset_dft_batch(&self, matrix: RowMajorMatrix<F>, shift: F) -> Self::Evaluations {
        self.stock.coset_dft_batch(matrix, shift)
    }

    fn idft_batch(&self, matrix: RowMajorMatrix<F>) -> RowMajorMatrix<F> {
        self.stock.idft_batch(matrix)
    }

    fn coset_idft_batch(&self, matrix: RowMajorMatrix<F>, shift: F) -> RowMajorMatrix<F> {
        self.stock.coset_idft_batch(matrix, shift)
    }

    fn coset_lde_batch_with_transform<T>(
        &self,
        matrix: RowMajorMatrix<F>,
        added_bits: usize,
        shift: F,
        transform: T,
    ) -> Self::Evaluations
    where
        T: FnOnce(&mut RowMajorMatrixViewMut<'_, F>, Layout),
    {
        self.stock.coset_lde_batch_with_transform(matrix, added_bits, shift, transform)
    }

    fn coset_lde_batch_with_blocks<T, K, C>(
        &self,
        matrix: RowMajorMatrix<F>,
        added_bits: usize,
        shift: F,
        transform: T,
        make_consumer: K,
    ) -> Self::Evaluations
    where
        T: FnOnce(&mut RowMajorMatrixViewMut<'_, F>, Layout),
        K: FnOnce(usize) -> C,
        C: Fn(usize, RowMajorMatrixView<'_, F>) + Sync,
    {
        self.stock.coset_lde_batch_with_blocks(matrix, added_bits, shift, transform, make_consumer)
    }
}
