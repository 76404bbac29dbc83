//! Keys of Ethereum's XMSS: trees whose leaves are one-time keys, made from seeds on the CPU or a device.
//!
//! **A key signs one message for each epoch, and keeps no state.** Signatures of two messages at one epoch let others
//! sign: write down that an epoch is used before you sign at it, never restore a backup of that record, and never let
//! two programs sign with one key. docs/xmss.md has all rules.
//!
//! ```
//! use merklize::{xmss, Options};
//!
//! let options = Options::new();
//! let seeds = [[1; 32], [2; 32]]; // take 32 random bytes each, from the system
//! let keys = xmss::keys(&seeds, 1000..=1063, &options)?;
//! let signature = keys[0].sign(1007, &[17; 32], &options)?;
//! xmss::verify(&keys[0].public_key(), 1007, &[17; 32], &signature.0)?;
//! assert!(xmss::verify(&keys[0].public_key(), 1008, &[17; 32], &signature.0).is_err());
//! # Ok::<(), merklize::Error>(())
//! ```

use core::fmt;
use core::ops::RangeInclusive;
use core::ptr;

use merklize_sys as sys;

use crate::error::{check, Error, Result};
use crate::handle::handle;
use crate::hash::Digest;
use crate::options::Options;
use crate::verdict::Verdicts;

/// Bytes of a [`Signature`].
pub const SIGNATURE_BYTES: usize = 1208;
/// Levels above the leaves. There are 2^32 epochs, each with a leaf.
pub const HEIGHT: usize = 32;

/// A node of a key's tree.
pub type Node = [u8; 16];

/// The root and the parameter of a key, 16 bytes each. As a text it is 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Digest(self.0), f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

/// A signature: 42 values of chains of 16 bytes, 24 random bytes, 32 siblings of 16 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature(pub [u8; SIGNATURE_BYTES]);

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, ..] = self.0;
        write!(f, "Signature({a:02x}{b:02x}{c:02x}{d:02x}..)")
    }
}

handle! {
    /// The key of a seed for a range of epochs. [`keys`] makes it.
    ///
    /// It has the seed, which `Debug` does not show and which is wiped when the key is dropped. It cannot be cloned.
    /// Threads may share it.
    Key: merklize_xmss_key, merklize_xmss_key_free
}
// SAFETY: the library lets any number of threads use a key.
unsafe impl Send for Key {}
unsafe impl Sync for Key {}

impl Key {
    fn info(&self) -> (PublicKey, RangeInclusive<u32>) {
        let (mut public_key, mut first, mut last) = (PublicKey([0; 32]), 0, 0);
        // SAFETY: a live handle and places of this call.
        check("Key::info", || unsafe {
            sys::merklize_xmss_key_info(self.as_c(), public_key.0.as_mut_ptr(), &mut first, &mut last)
        })
        .expect("every key has facts");
        (public_key, first as u32..=last as u32)
    }

    /// The root and the parameter.
    pub fn public_key(&self) -> PublicKey {
        self.info().0
    }

    /// The epochs at which the key can sign.
    pub fn epochs(&self) -> RangeInclusive<u32> {
        self.info().1
    }

    /// The siblings from the leaf of an epoch up. The bottom tree of the epoch is made again, unless the last call
    /// needed the same one.
    ///
    /// # Errors
    /// An epoch outside the range; those of the device.
    pub fn path(&self, epoch: u32, options: &Options<'_>) -> Result<[Node; HEIGHT]> {
        let mut path = [Node::default(); HEIGHT];
        // SAFETY: a live handle and a place of 32 nodes.
        options.run("Key::path", |options| unsafe {
            sys::merklize_xmss_key_path(self.as_c(), epoch.into(), options, path.as_mut_ptr().cast())
        })?;
        Ok(path)
    }

    /// Signs a message, usually a digest, by the one-time key of an epoch.
    ///
    /// Never sign two messages at one epoch: together they let others sign. The same key, epoch and message give the
    /// same signature. A signature takes about 2^15 attempts.
    ///
    /// # Errors
    /// As of [`Key::path`].
    pub fn sign(&self, epoch: u32, message: &[u8; 32], options: &Options<'_>) -> Result<Signature> {
        let mut signature = Signature([0; SIGNATURE_BYTES]);
        // SAFETY: a live handle, a message that is read, and a place of a signature's bytes.
        options.run("Key::sign", |options| unsafe {
            let place = signature.0.as_mut_ptr();
            sys::merklize_xmss_key_sign(self.as_c(), epoch.into(), message.as_ptr(), message.len(), options, place)
        })?;
        Ok(signature)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (public_key, epochs) = self.info();
        f.debug_struct("Key").field("public_key", &public_key).field("epochs", &epochs).finish_non_exhaustive()
    }
}

/// The keys of seeds, 32 secret random bytes each, all for the same epochs, in one call. The library's copies of seeds
/// are wiped, on devices, too; wipe yours when you no longer need them.
///
/// # Errors
/// A range without epochs; `OutOfMemory`, `Cancelled`, those of the device.
pub fn keys(seeds: &[[u8; 32]], epochs: RangeInclusive<u32>, options: &Options<'_>) -> Result<Vec<Key>> {
    let mut handles = vec![ptr::null_mut(); seeds.len()];
    let (first, last) = (u64::from(*epochs.start()), u64::from(*epochs.end()));
    if epochs.is_empty() && first <= last {
        return Err(Error::invalid_argument("xmss::keys: epochs must have one, got a range that was used up"));
    }
    // SAFETY: as many places as seeds.
    options.run("xmss::keys", |options| unsafe {
        sys::merklize_xmss_keys(seeds.as_ptr().cast(), seeds.len(), first, last, options, handles.as_mut_ptr())
    })?;
    Ok(handles.into_iter().map(Key::own).collect())
}

/// Verifies that bytes from anywhere are a signature of the message by the key, at the epoch.
///
/// # Errors
/// [`NotValid`](crate::ErrorKind::NotValid): the bytes are no such signature, or have another length.
pub fn verify(public_key: &PublicKey, epoch: u32, message: &[u8; 32], signature: &[u8]) -> Result<()> {
    let (key, mut valid) = (public_key.0, 0);
    // SAFETY: all are read for the call, with their lengths.
    check("xmss::verify", || unsafe {
        sys::merklize_xmss_verify(
            key.as_ptr(),
            key.len(),
            epoch.into(),
            message.as_ptr(),
            message.len(),
            signature.as_ptr(),
            signature.len(),
            &mut valid,
        )
    })?;
    match valid {
        0 => Err(Error::not_valid("xmss::verify: the signature is none of this key, epoch and message".into())),
        _ => Ok(()),
    }
}

/// A signature with what it is to be verified against.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The signer's key.
    pub public_key: &'a PublicKey,
    /// The epoch at which the message was signed.
    pub epoch: u32,
    /// The message that was signed.
    pub message: &'a [u8; 32],
    /// The bytes of the signature.
    pub signature: &'a [u8; SIGNATURE_BYTES],
}

/// Verifies many signatures side by side. A signature that is not valid is no error here: look at the verdicts, or call
/// [`Verdicts::require_all`].
///
/// # Errors
/// `OutOfMemory`, `Cancelled`, those of the device.
pub fn verify_each(claims: &[Claim<'_>], options: &Options<'_>) -> Result<Verdicts> {
    let epochs: Vec<u64> = claims.iter().map(|claim| claim.epoch.into()).collect();
    let public_keys: Vec<[u8; 32]> = claims.iter().map(|claim| claim.public_key.0).collect();
    let messages: Vec<[u8; 32]> = claims.iter().map(|claim| *claim.message).collect();
    let signatures: Vec<u8> = claims.iter().flat_map(|claim| claim.signature).copied().collect();
    let mut valid = vec![0; claims.len()];
    // SAFETY: as many keys, epochs, messages, signatures and places as claims.
    options.run("xmss::verify_each", |options| unsafe {
        sys::merklize_xmss_verify_each(
            public_keys.as_ptr().cast(),
            epochs.as_ptr(),
            messages.as_ptr().cast(),
            signatures.as_ptr(),
            claims.len(),
            options,
            valid.as_mut_ptr(),
        )
    })?;
    Ok(Verdicts::of_signatures(valid.into_iter().map(|valid| valid != 0).collect()))
}
