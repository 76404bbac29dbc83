#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

// The tests share the configurations of the example.
#[cfg(test)]
extern crate self as merklize_plonky3;

mod commitment;
#[cfg(test)]
#[path = "../examples/keccak/configs.rs"]
#[allow(dead_code)]
mod configs;
mod configurations;
mod constants;
mod dft;
mod elements;
mod elsewhere;
mod folding;
mod hashers;
mod lower;
mod mmcs;
mod opening;
mod pcs;
mod points;
mod prove;
mod stock;

pub use configurations::{
    BabyBearMmcs, BabyBearPoseidonMmcs, Blake3Mmcs, ByteHashMmcs, GoldilocksMmcs, GoldilocksPoseidonMmcs,
    Keccak256Mmcs, KeccakF64Mmcs, KeccakF64Sponge, KoalaBearMmcs, KoalaBearPoseidonMmcs, PermutationMmcs,
};
pub use constants::{poseidon_hash, Poseidon2Constants, Poseidon2Width};
pub use dft::{MerklizeDft, TwoAdicElement};
pub use elements::{DeviceDigest, DeviceElement};
pub use hashers::{on_lanes, without_lanes, LaneCompressor, LaneHasher};
pub use merklize::{catch, Device, Error, ErrorKind, Field, Hash, Poseidon, Poseidon2, HAS_LIBRARY};
pub use mmcs::{DeviceMmcs, MerklizeMmcs, MerklizeProverData};
pub use pcs::MerklizePcs;
pub use prove::{prove, prove_with_preprocessed, ConstraintPcs};
pub use stock::{stock_preprocessed, stock_proof, StockOpening, StockPcs, StockProof};
