use core::slice;

use merklize::{Digest, Elements, Word};
use p3_baby_bear::BabyBear;
use p3_field::{Field, PrimeField32, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;

/// An element of rows, as the library takes it.
pub trait DeviceElement: Field {
    /// `u64` or `u32`.
    type Word: Word + Default;
    /// Bits of a word.
    const MODULUS: u64;

    /// Below the modulus: for hashes of field elements.
    fn canonical(self) -> Self::Word;

    /// The bytes that Plonky3's byte hashes take, little endian: of the fields of 31 bits in Montgomery form.
    fn serialized(self) -> Self::Word;

    /// The memory of elements as words, and what these are to a hash; `None` if it cannot take them.
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
        // SAFETY: `Goldilocks` is a transparent word. Words p and up stand for small elements.
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
                // SAFETY: the field's element is a transparent word.
                let words = unsafe { as_words(elements) };
                Some((words, if is_field_hash { Elements::Montgomery } else { Elements::Canonical }))
            }
        }
    )*};
}
of_31_bits!(BabyBear KoalaBear);

/// A digest of Plonky3 that has the library's 32 bytes.
pub trait DeviceDigest: Copy + Send + Sync {
    /// From the library's digest, whose words are canonical.
    fn from_library(digest: Digest) -> Self;
    /// The reverse.
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

/// Of Keccak-f's sponge, whose words are no field elements.
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

/// Writes a row in the form that a hash takes.
pub(crate) fn write_row<T: DeviceElement>(is_field_hash: bool, row: &[T], words: &mut [T::Word]) {
    // Outside of the loop: a copy of the memory for some fields.
    if is_field_hash {
        words.iter_mut().zip(row).for_each(|(word, element)| *word = element.canonical());
    } else {
        words.iter_mut().zip(row).for_each(|(word, element)| *word = element.serialized());
    }
}
