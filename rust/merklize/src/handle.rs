//! Owned handles of the C API.

/// A type that owns a handle: made by a call that writes a `**` argument, freed once.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident: $c:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name(core::ptr::NonNull<merklize_sys::$c>);

        impl $name {
            /// Makes one by a call that writes the handle.
            #[allow(dead_code)]
            pub(crate) fn make(
                called: &str,
                call: impl FnOnce(*mut *mut merklize_sys::$c) -> merklize_sys::merklize_status,
            ) -> $crate::Result<Self> {
                let mut handle = core::ptr::null_mut();
                $crate::error::check(called, || call(&mut handle))?;
                Ok(Self::own(handle))
            }

            /// Takes a handle that a successful call has written.
            pub(crate) fn own(handle: *mut merklize_sys::$c) -> Self {
                Self(core::ptr::NonNull::new(handle).expect("a call that succeeds writes the handle"))
            }

            pub(crate) fn as_c(&self) -> *mut merklize_sys::$c {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this value owns the handle.
                unsafe { merklize_sys::$free(self.as_c()) }
            }
        }
    };
}
pub(crate) use handle;
