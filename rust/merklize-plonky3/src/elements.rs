use core::slice;

use merklize::{Digest, Elements, Word};
use p3_baby_bear::BabyBear;
use p3_binary_field::{BinaryField128, BinaryField32, BinaryField64, Ghash128, Poly64};
use p3_field::{Field, PrimeField32, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;

/// An element of a row, in the forms that the library takes.
pub trait DeviceElement: Field {
    /// `u32`, `u64` or, of a field of 2^128 elements, `u128`.
    type Word: Word + Default;
    /// The order of a prime field; 0 for a binary field, over which the library has no hash of field elements.
    const MODULUS: u64;

    /// The canonical word, below the modulus, which hashes of field elements take. Of a binary field: the serialized
    /// word.
    fn canonical(self) -> Self::Word;

    /// The word whose little-endian bytes Plonky3's byte hashes take. For fields of 31 bits it is the Montgomery form.
    fn serialized(self) -> Self::Word;

    /// The elements' memory as words, and the form of these words; `None` if the hash cannot take that form.
    fn in_memory(elements: &[Self], is_field_hash: bool) -> Option<(&[Self::Word], Elements)> {
        let _ = (elements, is_field_hash);
        None
    }
}

/// # Safety
/// An element is a word in memory.
unsafe fn as_words<T, W>(elements: &[T]) -> &[W] {
    const { assert!(size_of::<T>() == size_of::<W>() && align_of::<T>() == align_of::<W>()) };
    unsafe { slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}

/// The memory of words as bytes.
pub(crate) fn bytes_of<W: Word>(words: &[W]) -> &[u8] {
    // SAFETY: a word is an integer, which has no padding.
    unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The same to write to: a word may have any bytes.
pub(crate) fn bytes_of_mut<W: Word>(words: &mut [W]) -> &mut [u8] {
    // SAFETY: as above.
    unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

impl DeviceElement for Goldilocks {
    type Word = u64;
    const MODULUS: u64 = Self::ORDER_U64;
    fn canonical(self) -> u64 {
        self.as_canonical_u64()
    }
    fn serialized(self) -> u64 {
        self.as_canonical_u64()
    }
    fn in_memory(elements: &[Self], is_field_hash: bool) -> Option<(&[u64], Elements)> {
        // SAFETY: `Goldilocks` is a transparent word. Words from the modulus up represent small elements.
        is_field_hash.then(|| (unsafe { as_words(elements) }, Elements::Any))
    }
}

macro_rules! of_31_bits {
    ($($field:ty)*) => {$(
        impl DeviceElement for $field {
            type Word = u32;
            const MODULUS: u64 = Self::ORDER_U64;
            fn canonical(self) -> u32 {
                self.as_canonical_u32()
            }
            fn serialized(self) -> u32 {
                self.to_unique_u32()
            }
            fn in_memory(elements: &[Self], is_field_hash: bool) -> Option<(&[u32], Elements)> {
                // SAFETY: an element of this field is a transparent word.
                let words = unsafe { as_words(elements) };
                Some((words, if is_field_hash { Elements::Montgomery } else { Elements::Canonical }))
            }
        }
    )*};
}
of_31_bits!(BabyBear KoalaBear);

macro_rules! binary {
    ($($field:ty = $word:ty),*) => {$(
        impl DeviceElement for $field {
            type Word = $word;
            const MODULUS: u64 = 0;
            fn canonical(self) -> $word {
                self.serialized()
            }
            fn serialized(self) -> $word {
                // SAFETY: an element is a transparent word, each of whose bits is a coordinate.
                let words: &[$word] = unsafe { as_words(slice::from_ref(&self)) };
                words[0]
            }
            fn in_memory(elements: &[Self], is_field_hash: bool) -> Option<(&[$word], Elements)> {
                // SAFETY: as above.
                (!is_field_hash).then(|| (unsafe { as_words(elements) }, Elements::Canonical))
            }
        }
    )*};
}
binary!(BinaryField32 = u32, BinaryField64 = u64, BinaryField128 = u128, Poly64 = u64, Ghash128 = u128);

/// A digest type of Plonky3 of 32 bytes, as the library's digests have.
pub trait DeviceDigest: Copy + Send + Sync {
    /// Converts a digest of the library, whose words are canonical.
    fn from_library(digest: Digest) -> Self;
    /// Converts to a digest of the library.
    fn to_library(self) -> Digest;
}

impl DeviceDigest for [u8; 32] {
    fn from_library(digest: Digest) -> Self {
        digest.0
    }
    fn to_library(self) -> Digest {
        Digest(self)
    }
}

/// The digest of Keccak-f's sponge. Its words are no field elements.
impl DeviceDigest for [u64; 4] {
    fn from_library(digest: Digest) -> Self {
        digest.to_u64s()
    }
    fn to_library(self) -> Digest {
        Digest::from_u64s(self)
    }
}

impl DeviceDigest for [Goldilocks; 4] {
    fn from_library(digest: Digest) -> Self {
        digest.to_u64s().map(Goldilocks::new)
    }
    fn to_library(self) -> Digest {
        Digest::from_u64s(self.map(|element| element.as_canonical_u64()))
    }
}

macro_rules! digests_of_31_bits {
    ($($field:ty)*) => {$(
        impl DeviceDigest for [$field; 8] {
            fn from_library(digest: Digest) -> Self {
                digest.to_u32s().map(<$field>::new)
            }
            fn to_library(self) -> Digest {
                Digest::from_u32s(self.map(|element| element.as_canonical_u32()))
            }
        }
    )*};
}
digests_of_31_bits!(BabyBear KoalaBear);

/// Writes a row in the form that the hash takes.
pub(crate) fn write_row<T: DeviceElement>(is_field_hash: bool, row: &[T], words: &mut [T::Word]) {
    // The branch is outside of the loops, because for some fields a loop is then a plain copy of memory.
    if is_field_hash {
        words.iter_mut().zip(row).for_each(|(word, element)| *word = element.canonical());
    } else {
        words.iter_mut().zip(row).for_each(|(word, element)| *word = element.serialized());
    }
}
