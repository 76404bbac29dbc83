use core::ffi::CStr;
use core::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use merklize_sys as sys;

use crate::system::path_of;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value of the caller is outside what the function takes.
    InvalidArgument,
    /// Memory of the host or the device does not suffice.
    OutOfMemory,
    /// The device or instruction set that was named cannot be used here.
    Unavailable,
    /// A file could not be opened, read or written, or changed while it was read.
    Io,
    /// A proof, an opening or bytes are not valid.
    NotValid,
    /// The progress function asked to stop.
    Cancelled,
    /// A driver failed, or the library has a bug.
    Internal,
}

/// An error, with the library's text: the called function, the numbers and the rule. `{:?}` is the text, as `main` and
/// `unwrap()` print it; `{:#?}` has all fields.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    system_error: Option<i32>,
    path: Option<PathBuf>,
}

/// The result of the calls of this crate.
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// An error of the caller: for crates above this one, which check their arguments.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::InvalidArgument, message: message.into(), system_error: None, path: None }
    }

    pub(crate) fn not_valid(message: String) -> Self {
        Self { kind: ErrorKind::NotValid, ..Self::invalid_argument(message) }
    }

    pub(crate) fn of_file(message: String, system_error: i32, path: &Path) -> Self {
        let system_error = (system_error != 0).then_some(system_error);
        Self { kind: ErrorKind::Io, message, system_error, path: Some(path.into()) }
    }

    pub(crate) fn out_of_memory(call: &str, items: usize, remedy: &str) -> Self {
        let message = format!("{call}: there is no memory for {items} results; {remedy}");
        Self { kind: ErrorKind::OutOfMemory, ..Self::invalid_argument(message) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The text, as `Display` prints it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `errno`, if a system call failed.
    pub fn system_error(&self) -> Option<i32> {
        self.system_error
    }

    /// The file that the error is about.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        let Self { kind, message, system_error, path } = self;
        let mut fields = f.debug_struct("Error");
        fields.field("kind", kind).field("message", message).field("system_error", system_error).field("path", path);
        fields.finish()
    }
}

impl std::error::Error for Error {}

/// Runs a call of the C API. The first one of the process compares the library with the bindings.
/// called  the public function of this crate, as the texts of wrong calls name it
pub(crate) fn check(called: &str, call: impl FnOnce() -> sys::merklize_status) -> Result<()> {
    static SAME_ABI: OnceLock<Result<()>> = OnceLock::new();
    SAME_ABI.get_or_init(|| require_abi(sys::MERKLIZE_ABI_VERSION)).clone()?;
    let kind = match call() {
        sys::MERKLIZE_OK => return Ok(()),
        sys::MERKLIZE_INVALID_ARGUMENT | sys::MERKLIZE_TOO_SMALL => ErrorKind::InvalidArgument,
        sys::MERKLIZE_OUT_OF_MEMORY => ErrorKind::OutOfMemory,
        sys::MERKLIZE_UNAVAILABLE => ErrorKind::Unavailable,
        sys::MERKLIZE_IO => ErrorKind::Io,
        sys::MERKLIZE_CANCELLED => ErrorKind::Cancelled,
        _ => ErrorKind::Internal,
    };
    // SAFETY: they are texts that live until the next failure in this thread.
    let (of_call, argument, rule, path) = unsafe {
        let of_call = !CStr::from_ptr(sys::merklize_last_error_call()).is_empty();
        let (argument, rule) = (text(sys::merklize_last_error_argument()), text(sys::merklize_last_error_rule()));
        (of_call, argument, rule, CStr::from_ptr(sys::merklize_last_error_path()))
    };
    let rule = if argument.is_empty() { rule } else { format!("{argument} {rule}") };
    // SAFETY: takes nothing.
    let system_error = unsafe { sys::merklize_last_system_error() };
    Err(Error {
        kind,
        message: if of_call { format!("{called}: {rule}") } else { rule },
        system_error: (system_error != 0).then_some(system_error),
        path: (!path.is_empty()).then(|| path_of(path.to_bytes())),
    })
}

/// Refuses a library of another ABI, whose structs and functions may differ.
fn require_abi(bindings: u32) -> Result<()> {
    // SAFETY: takes nothing.
    let library = unsafe { sys::merklize_abi_version() };
    if library == bindings {
        return Ok(());
    }
    let message = format!(
        "merklize: the bindings are of ABI {bindings}, but the library (version {}) has ABI {library}; MERKLIZE_LIB_DIR or \
         pkg-config must name a library of the bindings' version",
        crate::library_version()
    );
    Err(Error { kind: ErrorKind::Unavailable, ..Error::invalid_argument(message) })
}

/// # Safety
/// `pointer` is a text that ends with a zero byte.
pub(crate) unsafe fn text(pointer: *const core::ffi::c_char) -> String {
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A text in an array of a struct that the library wrote.
pub(crate) fn text_of(chars: &[core::ffi::c_char]) -> String {
    // SAFETY: the library ends each text with a zero byte.
    unsafe { text(chars.as_ptr()) }
}

/// A text for C.
pub(crate) fn c_text(what: &str, text: impl Into<Vec<u8>>) -> Result<std::ffi::CString> {
    std::ffi::CString::new(text).map_err(|_| Error::invalid_argument(format!("{what}: a text must have no zero byte")))
}

/// A path for C, in the bytes of the system.
pub(crate) fn c_path(path: &Path) -> Result<std::ffi::CString> {
    c_text("path", path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_another_abi_is_refused() {
        require_abi(sys::MERKLIZE_ABI_VERSION).unwrap();
        let error = require_abi(7777).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let rule = format!("ABI 7777, but the library (version {}) has ABI 0", crate::library_version());
        assert!(error.to_string().contains(&rule), "{error}");
    }
}
