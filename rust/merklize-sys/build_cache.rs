//! The built C++ library in a folder that target folders, profiles and checkouts share: MERKLIZE_BUILD_CACHE.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

extern "C" {
    fn flock(descriptor: i32, operation: i32) -> i32;
}
const LOCK_EXCLUSIVE: i32 = 2;

/// A name for what the sources in these folders and files and the facts (compiler, flags) build.
pub fn key(sources: &[PathBuf], facts: &[String]) -> io::Result<String> {
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    for (salt, hasher) in hashers.iter_mut().enumerate() {
        salt.hash(hasher);
        facts.hash(hasher);
        for source in sources {
            add(source, hasher)?;
        }
    }
    Ok(hashers.map(|hasher| format!("{:016x}", hasher.finish())).concat())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    path.file_name().hash(hasher);
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        entries.len().hash(hasher);
        entries.iter().try_for_each(|entry| add(entry, hasher))
    } else {
        fs::read(path)?.hash(hasher);
        Ok(())
    }
}

/// The folder of the key in the cache. If it is not there, `build` fills another folder, which is then renamed, so the folder is
/// whole whenever it is there. Other processes that want the same key wait meanwhile; a process that ends frees the lock.
pub fn cached(cache: &Path, key: &str, build: impl FnOnce(&Path)) -> io::Result<PathBuf> {
    let entry = cache.join(key);
    if entry.exists() {
        return Ok(entry);
    }
    fs::create_dir_all(cache)?;
    let lock = File::create(cache.join(format!("{key}.lock")))?;
    // SAFETY: the descriptor is open until `lock` is dropped.
    while unsafe { flock(lock.as_raw_fd(), LOCK_EXCLUSIVE) } != 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if !entry.exists() {
        let partial = cache.join(format!("{key}.partial"));
        if partial.exists() {
            fs::remove_dir_all(&partial)?; // of a process that was killed
        }
        fs::create_dir(&partial)?;
        build(&partial);
        fs::rename(&partial, &entry)?;
    }
    Ok(entry)
}
