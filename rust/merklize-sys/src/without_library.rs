//! What the functions return where the library does not run. They link nothing, and each that can fail says
//! `MERKLIZE_UNAVAILABLE`.

use core::ffi::{c_char, c_int, CStr};

use crate::{merklize_status, MERKLIZE_ABI_VERSION, MERKLIZE_UNAVAILABLE};

/// The text of every error.
const WHY: &CStr =
    c"merklize: the library runs on Linux, and this program was built without it; use a Linux machine or a \
    container, or give an adapter of a prover None in place of a device";

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zero byte"),
};

/// A value that a function of the library returns.
pub(crate) trait Returned {
    fn of(function: &str) -> Self;
}

impl Returned for () {
    fn of(_: &str) {}
}

/// `merklize_status`, or an error number of the system.
impl Returned for c_int {
    fn of(function: &str) -> merklize_status {
        match function {
            "merklize_last_system_error" => 0,
            _ => MERKLIZE_UNAVAILABLE,
        }
    }
}

impl Returned for *const c_char {
    fn of(function: &str) -> Self {
        let text = match function {
            "merklize_last_error" | "merklize_last_error_rule" => WHY,
            "merklize_version" => VERSION,
            "merklize_status_name" => c"MERKLIZE_UNAVAILABLE",
            _ => c"",
        };
        text.as_ptr()
    }
}

impl Returned for u32 {
    fn of(function: &str) -> Self {
        match function {
            "merklize_abi_version" => MERKLIZE_ABI_VERSION,
            _ => 0,
        }
    }
}

macro_rules! zero {
    ($($number:ty)*) => {$(
        impl Returned for $number {
            fn of(_: &str) -> Self {
                0
            }
        }
    )*};
}
zero!(u64 usize);
