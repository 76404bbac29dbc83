//! RustCrypto's traits (crate `digest`) on streaming hashers of the CPU, which cannot fail.
//!
//! Short pieces are hashed by the calling thread, large ones by all threads. Without memory for a hasher they panic, as
//! a `Box` does.
//!
//! ```
//! use merklize::rustcrypto::{Blake3, Sha256};
//! use digest::Digest;
//!
//! assert_eq!(Blake3::digest(b"abc")[..4], [0x64, 0x37, 0xb3, 0xac]);
//! assert_eq!(Sha256::digest(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
//! ```

use crate::{Device, Hash, Hasher, Mode, Options};
use digest::common::{BlockSizeUser, Key, KeyInit, KeySizeUser};
use digest::consts::{U32, U64};
use digest::{
    ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, MacMarker, Output,
    OutputSizeUser, Reset, Update, XofReader,
};

const FAILED: &str = "a hasher of the CPU fails for want of memory alone";

fn on_cpu(make: impl FnOnce(&Options<'_>) -> crate::Result<Hasher>) -> Hasher {
    Device::open("cpu").and_then(|cpu| make(&Options::new().device(&cpu))).expect(FAILED)
}

macro_rules! hasher {
    ($(#[$doc:meta])* $name:ident, $make:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Hasher);

        impl Default for $name {
            fn default() -> Self {
                Self(on_cpu($make))
            }
        }

        impl HashMarker for $name {}

        impl BlockSizeUser for $name {
            type BlockSize = U64;
        }

        impl OutputSizeUser for $name {
            type OutputSize = U32;
        }

        impl Update for $name {
            fn update(&mut self, data: &[u8]) {
                self.0.update(data).expect(FAILED);
            }
        }

        impl Reset for $name {
            fn reset(&mut self) {
                self.0.reset().expect(FAILED);
            }
        }

        impl FixedOutput for $name {
            fn finalize_into(self, out: &mut Output<Self>) {
                self.0.finalize_into(0, out).expect(FAILED);
            }
        }

        impl FixedOutputReset for $name {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                self.0.finalize_into(0, out).expect(FAILED);
                self.reset();
            }
        }
    };
}

hasher! {
    /// BLAKE3: a hash, with any length of output, and with a key a MAC.
    Blake3, |options| Hasher::new(Mode::Plain, options)
}

hasher! {
    /// SHA-256.
    Sha256, |options| Hasher::new(Hash::SHA256, options)
}

impl KeySizeUser for Blake3 {
    type KeySize = U32;
}

impl KeyInit for Blake3 {
    fn new(key: &Key<Self>) -> Self {
        Self(on_cpu(|options| Hasher::new(Mode::Keyed(key.as_ref()), options)))
    }
}

impl MacMarker for Blake3 {}

impl ExtendableOutput for Blake3 {
    type Reader = Blake3Reader;

    fn finalize_xof(self) -> Blake3Reader {
        Blake3Reader { hasher: self.0, position: 0 }
    }
}

impl ExtendableOutputReset for Blake3 {
    fn finalize_xof_reset(&mut self) -> Blake3Reader {
        let reader = self.clone().finalize_xof();
        self.reset();
        reader
    }
}

/// The output of a [`Blake3`], from its first byte on.
#[derive(Clone, Debug)]
pub struct Blake3Reader {
    hasher: Hasher,
    position: u64,
}

impl XofReader for Blake3Reader {
    fn read(&mut self, out: &mut [u8]) {
        self.hasher.finalize_into(self.position, out).expect(FAILED);
        self.position += out.len() as u64;
    }
}
