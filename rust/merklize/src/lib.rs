#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod bao;
mod constraints;
mod device;
mod digests;
mod error;
mod extend;
mod forest;
pub mod formats;
mod handle;
mod hash;
pub mod manifest;
mod matrices;
mod options;
pub mod pieces;
mod poseidon2;
mod proof;
mod provers;
#[cfg(feature = "digest")]
pub mod rustcrypto;
#[cfg(feature = "serde")]
mod serde;
mod system;
mod tree;
mod tree_file;
mod tree_writer;
mod types;
mod verdict;
pub mod xmss;

pub use constraints::{evaluate_constraints, ConstraintForm, ConstraintStep, Operand};
pub use device::{Buffer, Device, Event, Stream};
pub use digests::{
    hash, hash_each, hash_each_into, hash_file, hash_files, hash_into, hash_leaves, hash_leaves_into,
    hash_leaves_on_device, hash_parts, hash_with, merge, merge_many, Hasher, How, Message,
};
pub use error::{Error, ErrorKind, Result};
pub use extend::{
    commit_extended, commit_extended_in_buffers, commit_extended_on_device, extend, extend_into, extend_on_device,
    weighted_sums, ExtendForm,
};
pub use forest::MerkleForest;
pub use hash::{Digest, Hash, HashInfo, Word};
pub use matrices::{hash_rows, hash_rows_on_device, Matrix, MatrixCommitment, Opening};
pub use options::{Mode, Options, Policy};
pub use proof::{verify, verify_consistency, verify_each, Expect, Proof, Roots};
pub use provers::{catch, fill_rows, or_on_cpu, or_raise};
pub use tree::{merkle_root, merkle_root_file, merkle_root_parts, Form, MerkleTree, Rule, TreeBuilder};
pub use tree_file::{Leaves, TreeFile};
pub use tree_writer::TreeWriter;
pub use types::{
    CommitmentInfo, DeviceInfo, Elements, Field, ForestInfo, Poseidon, Poseidon2, ProofInfo, ProofKind, RowOrder,
    SumOver, Timings, TreeInfo, WrongNode,
};
pub use verdict::{Findings, Verdicts};

/// Whether the library runs on this system: on Linux. Elsewhere the crates compile, and every call that can fail is an
/// error of the kind [`ErrorKind::Unavailable`].
pub const HAS_LIBRARY: bool = merklize_sys::HAS_LIBRARY;

/// Version of the C++ library in use.
pub fn library_version() -> String {
    // SAFETY: a text that lives as long as the library.
    unsafe { error::text(merklize_sys::merklize_version()) }
}
