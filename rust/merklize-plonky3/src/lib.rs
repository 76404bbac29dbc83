#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod commitment;
mod elements;
mod hashers;
mod mmcs;

pub use elements::{DeviceDigest, DeviceElement};
pub use hashers::{on_lanes, LaneCompressor, LaneHasher};
pub use merklize::{catch, Device, Error, Hash, Poseidon2, Poseidon2Field};
pub use mmcs::{MerklizeMmcs, MerklizeProverData};
