use core::ops::Deref;

use crate::error::{Error, Result};

/// Which of many proofs, or signatures, are valid, in order: a slice of `bool` that must be used, also after a `?`.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # use merklize::*;
/// # fn main() -> Result<()> {
/// verify_each(&[], &Digest::default(), Mode::Plain, &Options::new())?; // who looks at the verdicts?
/// # Ok(())
/// # }
/// ```
///
/// ```
/// #![deny(unused_must_use)]
/// # use merklize::*;
/// # fn main() -> Result<()> {
/// verify_each(&[], &Digest::default(), Mode::Plain, &Options::new())?.require_all()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a proof that does not hold is no error here: look at the verdicts, or call require_all()"]
pub struct Verdicts(Vec<bool>, Claims);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claims {
    Proofs,
    Signatures,
}

impl Verdicts {
    pub(crate) fn new(valid: Vec<bool>) -> Self {
        Self(valid, Claims::Proofs)
    }

    pub(crate) fn of_signatures(valid: Vec<bool>) -> Self {
        Self(valid, Claims::Signatures)
    }

    /// # Errors
    /// [`NotValid`](crate::ErrorKind::NotValid): a proof or a signature is not valid; the text has the index of the
    /// first of these, and their number.
    pub fn require_all(&self) -> Result<()> {
        let Some(first) = self.0.iter().position(|valid| !valid) else {
            return Ok(());
        };
        let (count, n) = (self.0.iter().filter(|valid| !**valid).count(), self.0.len());
        Err(Error::not_valid(match self.1 {
            Claims::Proofs => {
                format!("verify_each: {count} of {n} proofs do not lead to this root; the first one is proof {first}")
            }
            Claims::Signatures => {
                format!("xmss::verify_each: {count} of {n} signatures do not hold; the first one is signature {first}")
            }
        }))
    }

    /// One `bool` for each proof or signature, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<bool> {
        self.0
    }
}

impl Deref for Verdicts {
    type Target = [bool];
    fn deref(&self) -> &[bool] {
        &self.0
    }
}

/// The faults that a check found, in order: a slice that must be used, also after a `?`. Empty: everything is sound.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what is wrong is no error here: look at it, or call require_none()"]
pub struct Findings<T> {
    found: Vec<T>,
    /// Of a manifest.
    pub(crate) missing: Vec<String>,
}

impl<T: core::fmt::Debug> Findings<T> {
    pub(crate) fn new(found: Vec<T>) -> Self {
        Self { found, missing: Vec::new() }
    }

    /// # Errors
    /// [`NotValid`](crate::ErrorKind::NotValid): there are faults; the text has the first one and how many were found.
    pub fn require_none(&self) -> Result<()> {
        match self.found.first() {
            None => Ok(()),
            Some(first) => Err(Error::not_valid(format!("{} found wrong; the first is {first:?}", self.found.len()))),
        }
    }

    /// All faults.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.found
    }
}

impl<T> Deref for Findings<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.found
    }
}
