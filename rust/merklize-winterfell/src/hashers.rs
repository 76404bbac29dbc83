use merklize::Hash;
use winterfell::crypto::hashers::{Blake3_256, Rp64_256};
use winterfell::crypto::ElementHasher;
use winterfell::math::fields::{f128, f62, f64};
use winterfell::math::{FieldElement, StarkField};

/// A hasher of Winterfell whose rows and nodes the library computes, digest for digest.
pub trait DeviceHasher: ElementHasher<BaseField: DeviceField> {
    /// The same hash in the library.
    const HASH: Hash;
}

impl DeviceHasher for Rp64_256 {
    const HASH: Hash = Hash::RP64_256;
}

impl<B: DeviceField> DeviceHasher for Blake3_256<B> {
    const HASH: Hash = Hash::BLAKE3;
}

/// A field whose elements the library takes as little-endian words of 64 bits.
pub trait DeviceField: StarkField {
    /// Words of an element.
    const WORDS: usize;

    /// Writes the elements in canonical form: `WORDS` words each.
    fn write_words(elements: &[Self], words: &mut [u64]);

    /// The memory of elements that are held in Montgomery form, one word each: 2^64 x modulo the modulus.
    fn montgomery_words(elements: &[Self]) -> Option<&[u64]> {
        let _ = elements;
        None
    }
}

impl DeviceField for f64::BaseElement {
    const WORDS: usize = 1;
    fn write_words(elements: &[Self], words: &mut [u64]) {
        words.iter_mut().zip(elements).for_each(|(word, element)| *word = element.as_int());
    }
    fn montgomery_words(elements: &[Self]) -> Option<&[u64]> {
        // SAFETY: any bytes are words.
        let (before, words, after) = unsafe { Self::elements_as_bytes(elements).align_to() };
        (before.is_empty() && after.is_empty()).then_some(words)
    }
}

impl DeviceField for f62::BaseElement {
    const WORDS: usize = 1;
    fn write_words(elements: &[Self], words: &mut [u64]) {
        words.iter_mut().zip(elements).for_each(|(word, element)| *word = element.as_int());
    }
}

impl DeviceField for f128::BaseElement {
    const WORDS: usize = 2;
    fn write_words(elements: &[Self], words: &mut [u64]) {
        for (pair, element) in words.chunks_exact_mut(2).zip(elements) {
            let value = element.as_int();
            pair.copy_from_slice(&[value as u64, (value >> 64) as u64]);
        }
    }
}
