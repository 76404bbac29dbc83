use core::fmt;
use core::ptr;
use core::str::FromStr;

use merklize_sys as sys;

use crate::error::{c_text, check, text, Error, Result};

/// 32 bytes: the digest of a byte hash, or the elements of a field hash as little-endian words below the modulus. Leaves and nodes of trees are
/// digests.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    pub(crate) fn from_c(digest: sys::merklize_digest) -> Self {
        Self(digest.bytes)
    }

    pub(crate) fn to_c(self) -> sys::merklize_digest {
        sys::merklize_digest { bytes: self.0 }
    }
}

/// Hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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
pub struct Hash(sys::merklize_hash);

macro_rules! constants {
    ($(($constant:ident, $name:ident, $id:literal))*) => {
        impl Hash {
            $(#[doc = concat!("The hash `", stringify!($name), "`.")]
            pub const $constant: Self = Self($id);)*

            /// Every hash but those that [`Hash::poseidon2`] made, by id.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];
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
    /// Of a hash of field elements; `None` for a hash of bytes.
    pub modulus: Option<u64>,
    /// Rows are counted in units of so many bytes: 1, or a word of a field hash, 4 or 8.
    pub row_unit_bytes: usize,
}

/// A `Hash` comes from these bindings or from the library.
const KNOWN: &str = "a hash that the library knows, whose name is shorter than 128 bytes";

impl Hash {
    /// `rp64_256`, as today's Winterfell computes it.
    pub const RP64_256: Self = Self::RP64_256_V3;

    /// The hash of a name.
    ///
    /// # Errors
    /// An unknown name; the text lists the known ones. A name that begins with `poseidon2:` is known after [`Hash::poseidon2`].
    pub fn from_name(name: &str) -> Result<Self> {
        let name = c_text("hash", name)?;
        let mut hash = 0;
        // SAFETY: a text and a place for the id.
        check(|| unsafe { sys::merklize_hash_from_name(name.as_ptr(), &mut hash) })?;
        Ok(Self(hash))
    }

    /// Facts of this hash.
    pub fn info(self) -> HashInfo {
        let mut info = sys::merklize_hash_info::default();
        // SAFETY: `info` knows its size.
        check(|| unsafe { sys::merklize_hash_get_info(self.0, &mut info) }).expect(KNOWN);
        HashInfo {
            name: self.name(),
            modulus: (info.modulus != 0).then_some(info.modulus),
            row_unit_bytes: info.row_unit_bytes as usize,
        }
    }

    /// The name, the same in all of merklize.
    pub fn name(self) -> String {
        let mut name = [0; 128];
        // SAFETY: `name` has so many places.
        check(|| unsafe { sys::merklize_hash_name(self.0, name.as_mut_ptr(), name.len(), ptr::null_mut()) })
            .expect(KNOWN);
        // SAFETY: the library ends the name with a zero byte.
        unsafe { text(name.as_ptr()) }
    }

    /// The id that proofs and tree files store. Of a hash by [`Hash::poseidon2`] it holds in this process alone, and they store a digest of the
    /// constants.
    pub fn id(self) -> u32 {
        self.0
    }

    pub(crate) fn from_c(hash: sys::merklize_hash) -> Self {
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

/// A word of rows: `u8`, `u32` or `u64`. Rows of a field hash are of its own words, each below the modulus; rows of a byte hash are the bytes of
/// any words, little endian.
pub trait Word: Copy + Send + Sync + sealed::Sealed {}
macro_rules! words {
    ($($word:ty)*) => {$(
        impl sealed::Sealed for $word {}
        impl Word for $word {}
    )*};
}
words!(u8 u32 u64);

/// Rows of words as the C API counts them.
pub(crate) struct Rows {
    pub data: *const core::ffi::c_void,
    pub length: usize,
    pub count: usize,
}

/// # Errors
/// Words of another size than the hash's, or a length that does not divide the number of words.
pub(crate) fn rows_of<W: Word>(call: &str, hash: Hash, words: &[W], row_length: usize) -> Result<Rows> {
    const { assert!(cfg!(target_endian = "little"), "the library is for little-endian machines") };
    let info = hash.info();
    if info.modulus.is_some() && size_of::<W>() != info.row_unit_bytes {
        let (name, unit, got) = (info.name, 8 * info.row_unit_bytes, 8 * size_of::<W>());
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
    Ok(Rows {
        data: words.as_ptr().cast(),
        length: row_length * size_of::<W>() / info.row_unit_bytes,
        count: words.len() / row_length,
    })
}
