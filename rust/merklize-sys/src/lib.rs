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

#[rustfmt::skip]
mod bindings;
pub use bindings::*;
