use core::fmt;
use core::ptr;
use core::str::FromStr;

use merklize_sys as sys;

use crate::error::{c_text, check, text, Error, Result};

/// 32 bytes: the digest of a byte hash, or the elements of a field hash as little-endian words below the modulus.
/// Leaves and nodes of trees are digests.
///
/// As a text it is 64 hexadecimal digits: `Display` and `{:x}` write them in lower case, `{:#x}` with `0x` before them;
/// `parse()` takes any case, with or without `0x`. `==` takes the same time wherever digests differ, so that a keyed
/// digest can be compared with a digest from an attacker. `Ord` and `Hash` take different times.
///
/// ```
/// use merklize::Digest;
///
/// let digest: Digest = "0xAF1349B9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262".parse()?;
/// assert_eq!(digest, merklize::hash(b"")?);
/// assert_eq!(format!("{digest:x}"), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
/// # Ok::<(), merklize::Error>(())
/// ```
#[derive(Clone, Copy, Default, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest as four words of 64 bits.
    pub fn to_u64s(self) -> [u64; 4] {
        core::array::from_fn(|i| u64::from_le_bytes(self.0[8 * i..8 * i + 8].try_into().expect("8 bytes")))
    }

    /// The digest of four words of 64 bits.
    pub fn from_u64s(words: [u64; 4]) -> Self {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Self(bytes)
    }

    /// The digest as eight words of 32 bits.
    pub fn to_u32s(self) -> [u32; 8] {
        core::array::from_fn(|i| u32::from_le_bytes(self.0[4 * i..4 * i + 4].try_into().expect("4 bytes")))
    }

    /// The digest of eight words of 32 bits.
    pub fn from_u32s(words: [u32; 8]) -> Self {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Self(bytes)
    }

    fn hex<'a>(&self, text: &'a mut [u8; 64]) -> &'a str {
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        core::str::from_utf8(text).expect("digits")
    }

    pub(crate) fn from_c(digest: sys::merklize_digest) -> Self {
        Self(digest.bytes)
    }

    pub(crate) fn to_c(self) -> sys::merklize_digest {
        sys::merklize_digest { bytes: self.0 }
    }
}

/// In constant time.
impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        let different = self.0.iter().zip(&other.0).fold(0, |different, (a, b)| different | (a ^ b));
        // Hides from the compiler that one byte other than 0 decides the result.
        core::hint::black_box(different) == 0
    }
}

impl core::hash::Hash for Digest {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// 64 hexadecimal digits, with the padding of any text.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.hex(&mut [0; 64]))
    }
}

/// The same as `Display`; `{:#x}` begins with `0x`.
impl fmt::LowerHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "0x", self.hex(&mut [0; 64]))
    }
}

/// Takes 64 hexadecimal digits of any case, with or without `0x`.
///
/// # Errors
/// Any other text; the error says what is wrong.
impl FromStr for Digest {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
        if let Some((at, digit)) = digits.char_indices().find(|(_, digit)| !digit.is_ascii_hexdigit()) {
            let rule =
                format!("Digest: must be 64 hexadecimal digits, with or without 0x, got {digit:?} after {at} digits");
            return Err(Error::invalid_argument(rule));
        }
        if digits.len() != 64 {
            let rule = format!("Digest: must be 64 hexadecimal digits, with or without 0x, got {}", digits.len());
            return Err(Error::invalid_argument(rule));
        }
        let nibble = |at: usize| (digits.as_bytes()[at] as char).to_digit(16).expect("a hexadecimal digit") as u8;
        Ok(Self(core::array::from_fn(|i| 16 * nibble(2 * i) + nibble(2 * i + 1))))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl From<Digest> for [u8; 32] {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes, words or digests that a call reads.
pub(crate) fn view<T: Copy>(items: &[T]) -> sys::merklize_view {
    sys::merklize_view { data: items.as_ptr().cast(), bytes: size_of_val(items) as u64, ..Default::default() }
}

/// The same that a call writes.
pub(crate) fn output<T: Copy>(items: &mut [T]) -> sys::merklize_output {
    sys::merklize_output { data: items.as_mut_ptr().cast(), bytes: size_of_val(items) as u64, ..Default::default() }
}

pub(crate) fn as_c(digests: &[Digest]) -> *const sys::merklize_digest {
    digests.as_ptr().cast()
}

pub(crate) fn as_c_mut(digests: &mut [Digest]) -> *mut sys::merklize_digest {
    digests.as_mut_ptr().cast()
}

/// A hash of Merkle trees: one of the constants here, or one that [`Hash::poseidon2`] made.
///
/// ```
/// use merklize::Hash;
///
/// assert_eq!("poseidon2_goldilocks_8".parse::<Hash>()?, Hash::POSEIDON2_GOLDILOCKS_8);
/// assert_eq!(Hash::POSEIDON2_KOALABEAR_16.info().modulus, Some(0x7f00_0001));
/// # Ok::<(), merklize::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(sys::merklize_hash_id);

macro_rules! constants {
    ($(($constant:ident, $name:ident, $id:literal))*) => {
        impl Hash {
            $(#[doc = concat!("The hash `", stringify!($name), "`.")]
            pub const $constant: Self = Self($id);)*

            /// Every hash but those that [`Hash::poseidon2`] made, by id.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];

            /// The name of a constant.
            fn constant_name(self) -> Option<&'static str> {
                match self.0 {
                    $($id => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}
sys::for_each_hash!(constants);

/// Facts of a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashInfo {
    /// The name, the same in all of merklize.
    pub name: String,
    /// The modulus of a hash of field elements; `None` for a hash of bytes.
    pub modulus: Option<u64>,
    /// Bytes of one element of a row: 1 for a hash of bytes, 4 or 8 for a field hash.
    pub element_bytes: usize,
}

/// A `Hash` comes from these bindings or from the library.
const KNOWN: &str = "a hash that the library knows, whose name is shorter than 128 bytes";

impl Hash {
    /// `rp64_256`, as today's Winterfell computes it.
    pub const RP64_256: Self = Self::RP64_256_V3;

    /// The hash of a name.
    ///
    /// # Errors
    /// An unknown name; the text lists the known ones. A name that begins with `poseidon2:` or `poseidon:` is known
    /// after [`Hash::poseidon2`] or [`Hash::poseidon`].
    pub fn from_name(name: &str) -> Result<Self> {
        let name = c_text("hash", name)?;
        let mut hash = 0;
        // SAFETY: a text and a place for the id.
        check("Hash::from_name", || unsafe { sys::merklize_hash_from_name(name.as_ptr(), &mut hash) })?;
        Ok(Self(hash))
    }

    /// Facts of this hash.
    ///
    /// # Panics
    /// The library does not run on this system.
    pub fn info(self) -> HashInfo {
        self.facts().expect(KNOWN)
    }

    pub(crate) fn facts(self) -> Result<HashInfo> {
        let mut info = sys::merklize_hash_info::default();
        // SAFETY: `info` knows its size.
        check("Hash::info", || unsafe { sys::merklize_hash_get_info(self.0, &mut info) })?;
        Ok(HashInfo {
            name: self.name(),
            modulus: (info.modulus != 0).then_some(info.modulus),
            element_bytes: info.element_bytes as usize,
        })
    }

    /// The name, the same in all of merklize.
    pub fn name(self) -> String {
        if let Some(name) = self.constant_name() {
            return name.into();
        }
        let mut name = [0; 128];
        // SAFETY: `name` has so many places.
        check("Hash::name", || unsafe {
            sys::merklize_hash_name(self.0, name.as_mut_ptr(), name.len(), ptr::null_mut())
        })
        .expect(KNOWN);
        // SAFETY: the library ends the name with a zero byte.
        unsafe { text(name.as_ptr()) }
    }

    /// The id that proofs and tree files store. The id of a hash by [`Hash::poseidon2`] is valid in this process only;
    /// files store a digest of the constants instead.
    pub fn id(self) -> u32 {
        self.0
    }

    pub(crate) fn from_c(hash: sys::merklize_hash_id) -> Self {
        Self(hash)
    }
}

impl FromStr for Hash {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::from_name(name)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A word of rows: `u8`, `u32`, `u64` or `u128`, such as an element of GF(2^128). Rows of a field hash are of its own
/// words, each below the modulus; rows of a byte hash are the bytes of any words, little endian.
pub trait Word: Copy + Send + Sync + sealed::Sealed {}
macro_rules! words {
    ($($word:ty)*) => {$(
        impl sealed::Sealed for $word {}
        impl Word for $word {}
    )*};
}
words!(u8 u32 u64 u128);

/// Rows of words: all of them, the bytes of one, and how many there are.
pub(crate) struct Rows {
    pub view: sys::merklize_view,
    pub bytes: u64,
    pub count: usize,
}

/// # Errors
/// Words of another size than the hash's, or a length that does not divide the number of words.
pub(crate) fn rows_of<W: Word>(call: &str, hash: Hash, words: &[W], row_length: usize) -> Result<Rows> {
    const { assert!(cfg!(target_endian = "little"), "the library is for little-endian machines") };
    let info = hash.facts()?;
    if info.modulus.is_some() && size_of::<W>() != info.element_bytes {
        let (name, unit, got) = (info.name, 8 * info.element_bytes, 8 * size_of::<W>());
        return Err(Error::invalid_argument(format!(
            "{call}: rows of {name} are words of {unit} bits, got words of {got} bits"
        )));
    }
    if row_length == 0 || !words.len().is_multiple_of(row_length) {
        let n = words.len();
        return Err(Error::invalid_argument(format!(
            "{call}: row_length must be >= 1 and divide {n} words, got {row_length}"
        )));
    }
    Ok(Rows { view: view(words), bytes: (row_length * size_of::<W>()) as u64, count: words.len() / row_length })
}
