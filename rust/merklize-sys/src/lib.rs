#![doc = include_str!("../README.md")]
#![no_std]
#![allow(non_camel_case_types, non_upper_case_globals)]

/// Handles.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}

/// Whether the library is there. Without it, on other systems than Linux, every call that can fail is
/// [`MERKLIZE_UNAVAILABLE`].
pub const HAS_LIBRARY: bool = cfg!(not(merklize_without_library));

macro_rules! zeroed {
    ($($name:ident)*) => {$(
        impl Default for $name {
            /// All zero.
            fn default() -> Self {
                // SAFETY: numbers, arrays of them, pointers and optional functions; zero is a value of each.
                unsafe { core::mem::zeroed() }
            }
        }
    )*};
}

#[cfg(not(merklize_without_library))]
macro_rules! functions {
    ($($declarations:tt)*) => {
        extern "C" { $($declarations)* }
    };
}

/// Functions of the same names that fail: on other systems than Linux, where the library does not run.
#[cfg(merklize_without_library)]
macro_rules! functions {
    ($(pub fn $name:ident($($argument:ident: $type:ty),*) $(-> $returned:ty)?;)*) => {$(
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($(_: $type),*) $(-> $returned)? {
            crate::without_library::Returned::of(stringify!($name))
        }
    )*};
}

#[cfg(merklize_without_library)]
mod without_library;

#[rustfmt::skip]
mod bindings;
pub use bindings::*;
