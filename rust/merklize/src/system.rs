//! What of the system the calls need. The library runs on Linux; on other systems these crates only compile.

use core::ffi::c_int;
use std::fs::File;
use std::path::PathBuf;

/// The descriptor of an open file; -1 on systems that have none.
pub(crate) fn descriptor(file: &File) -> c_int {
    #[cfg(unix)]
    return std::os::fd::AsRawFd::as_raw_fd(file);
    #[cfg(not(unix))]
    return {
        let _ = file;
        -1
    };
}

/// A path in the system's bytes, which need not be UTF-8.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}
