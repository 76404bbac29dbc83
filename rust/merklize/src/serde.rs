//! Digests and proofs for serde: hexadecimal digits in texts, bytes in binary formats.

use crate::{Digest, Proof};
use core::fmt;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

struct DigestText;

impl Visitor<'_> for DigestText {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("64 hexadecimal digits")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Digest, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(DigestText)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The bytes of [`Proof::to_bytes`].
impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&Hex(&self.to_bytes()))
        } else {
            serializer.serialize_bytes(&self.to_bytes())
        }
    }
}

/// Reads a proof from a text or from bytes.
struct ProofBytes;

impl Visitor<'_> for ProofBytes {
    type Value = Proof;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a proof, as hexadecimal digits or bytes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Proof, E> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let pairs = digits.as_bytes().chunks_exact(2);
        let is_even = pairs.remainder().is_empty();
        let nibble = |digit: u8| char::from(digit).to_digit(16);
        let byte = |pair: &[u8]| Some((16 * nibble(pair[0])? + nibble(pair[1])?) as u8);
        match pairs.map(byte).collect::<Option<Vec<u8>>>() {
            Some(bytes) if is_even => self.visit_bytes(&bytes),
            _ => Err(E::custom("a proof must be an even number of hexadecimal digits, with or without 0x")),
        }
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Proof, E> {
        Proof::from_bytes(bytes).map_err(E::custom)
    }
}

/// Input from anywhere becomes a proof or an error. [`Proof::verify`] tells whether the proof is valid.
impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(ProofBytes)
        } else {
            deserializer.deserialize_bytes(ProofBytes)
        }
    }
}
