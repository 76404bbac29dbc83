use std::sync::OnceLock;

use merklize::{hash_leaves, merge, Device, Digest, Error, Hash, Options};
use winterfell::crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256};
use winterfell::crypto::{Digest as _, ElementHasher};
use winterfell::math::fields::{f128, f62, f64};
use winterfell::math::{FieldElement, StarkField};

/// A hasher of Winterfell whose rows and nodes the library computes, digest for digest.
pub trait DeviceHasher: ElementHasher<BaseField: DeviceField> {
    /// The same hash in the library. Every tree compares it with the hasher, on the CPU, by one merge and one row. If
    /// they differ, the tree is an error, because its commitments would be of another hash than that of the proof.
    const HASH: Hash;
}

/// An error unless the library's hash merges two digests and hashes a row as the hasher does.
pub(crate) fn require_same_hash<H: DeviceHasher>() -> Result<(), Error> {
    static CPU: OnceLock<Result<Device, Error>> = OnceLock::new();
    let cpu = CPU.get_or_init(|| Device::open("cpu")).as_ref().map_err(Clone::clone)?;
    let options = Options::new().device(cpu);
    // More elements than one block of a sponge has, and an odd number.
    let row: Vec<H::BaseField> =
        (1..12u32).map(|i| H::BaseField::from(i) * H::BaseField::from(0x9e37_79b9 ^ i)).collect();
    let mut words = vec![0; row.len() * H::BaseField::WORDS];
    H::BaseField::write_words(&row, &mut words);
    let (left, right) = (H::hash_elements(&row), H::hash_elements(&row[1..]));
    let of = |digest: H::Digest| Digest(digest.as_bytes());
    let refuse = |what: &str| {
        let (name, hasher) = (H::HASH, core::any::type_name::<H>());
        Err(Error::invalid_argument(format!(
            "MerklizeTree: DeviceHasher::HASH of {hasher} is {name}, which {what} otherwise than the hasher; name the hash that it computes"
        )))
    };
    if hash_leaves(&words, words.len(), H::HASH, &options)? != [of(left)] {
        return refuse("hashes rows");
    }
    // This comes second, because by another hash these bytes need not be digests.
    if merge(of(left), of(right), H::HASH, &options)? != of(H::merge(&[left, right])) {
        return refuse("merges digests");
    }
    Ok(())
}

impl DeviceHasher for Rp64_256 {
    const HASH: Hash = Hash::RP64_256;
}

impl DeviceHasher for RpJive64_256 {
    const HASH: Hash = Hash::RPJIVE64_256;
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
