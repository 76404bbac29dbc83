//! Whole proofs of all kinds of AIRs, beside Plonky3's own prover. One program, so that the compiler makes the provers
//! of a configuration once.

mod airs_of_plonky3;
#[path = "../../examples/keccak/configs.rs"]
#[allow(dead_code)]
mod configs;
mod odd_airs;
mod prove;
mod provers;
mod random_air;
