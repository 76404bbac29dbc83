//! Shows what a prover's `catch` returns if a commitment fails. With `panic = "abort"` the program ends with the
//! error's text.

use merklize::{catch, merkle_root, or_raise, Hash, Options};

fn main() {
    let commit = || or_raise(merkle_root(&[], Hash::BLAKE3, &Options::new()));
    match catch(commit) {
        Ok(root) => println!("{root}"),
        Err(error) => println!("caught: {error}"),
    }
}
