#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod constraints;
mod device;
mod hashers;
mod rows;
mod trace;
mod tree;

pub use constraints::MerklizeConstraintCommitment;
pub use device::{default_device, set_default_device};
pub use hashers::{DeviceField, DeviceHasher};
pub use merklize::{catch, Device, Error, ErrorKind, HAS_LIBRARY};
pub use rows::commit_to_rows;
pub use trace::MerklizeTraceLde;
pub use tree::{or_raise, MerklizeTree, TreeError, TreeOptions};
