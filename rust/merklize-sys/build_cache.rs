//! The built C++ library in a folder that target folders, profiles and checkouts share: MERKLIZE_BUILD_CACHE.
//!
//! A library of the cache becomes part of programs, so the rules are those of the kept files of devices' programs: the
//! folder and its files belong to this user or to root, nobody else may write to them, no link is followed, and what is
//! damaged counts as missing. A file is a line with the check of the rest, then the library. The library is copied out,
//! so a file of the cache may be removed at any time.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

extern "C" {
    fn flock(descriptor: i32, operation: i32) -> i32;
    fn geteuid() -> u32;
}
const LOCK_EXCLUSIVE_AT_ONCE: i32 = 2 | 4;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// More than a build takes, also one with machine code for several GPUs.
pub const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

/// 32 hexadecimal digits.
fn digest(add: impl Fn(&mut DefaultHasher) -> io::Result<()>) -> io::Result<String> {
    let mut text = String::new();
    for salt in 0..2 {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        add(&mut hasher)?;
        text += &format!("{:016x}", hasher.finish());
    }
    Ok(text)
}

/// A name for what the sources in these folders and files and the facts (compiler, flags) build.
pub fn key(sources: &[PathBuf], facts: &[String]) -> io::Result<String> {
    digest(|hasher| {
        facts.hash(hasher);
        sources.iter().try_for_each(|source| add(source, hasher))
    })
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

/// The first line of a file of the cache. A good file under another key's name has another line.
fn header(key: &str, library: &[u8]) -> String {
    let check = digest(|hasher| {
        (key, library).hash(hasher);
        Ok(())
    });
    format!("merklize library {}\n", check.expect("hashing bytes does not fail"))
}

/// Puts the library of this key at `library`: from the cache, or by `build`, whose library the cache then keeps. Others
/// who want the same key wait meanwhile, but not longer than `wait`: then they build for themselves.
pub fn cached(cache: &Path, key: &str, library: &Path, wait: Duration, build: impl FnOnce()) -> io::Result<()> {
    make_folder(cache)?;
    let entry = cache.join(format!("{key}.library"));
    let copied = || load(&entry, key).map(|bytes| fs::write(library, bytes));
    if let Some(copied) = copied() {
        return copied;
    }
    let lock = lock(&cache.join(format!("{key}.lock")), wait)?;
    if let Some(copied) = copied() {
        return copied;
    }
    build();
    match lock {
        Some(_lock) => store(&entry, key, &fs::read(library)?),
        None => Ok(()),
    }
}

/// The error with the file that it is about.
fn at(path: &Path) -> impl Fn(io::Error) -> io::Error + '_ {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn is_trusted(info: &Metadata) -> bool {
    // SAFETY: takes nothing and cannot fail.
    let user = unsafe { geteuid() };
    (info.uid() == user || info.uid() == 0) && info.mode() & WRITABLE_BY_OTHERS == 0
}

/// Makes the folder if it is missing, and refuses one where another user may put a library.
fn make_folder(cache: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(cache)?;
    let info = fs::metadata(cache)?;
    if is_trusted(&info) {
        return Ok(());
    }
    let (owner, mode) = (info.uid(), info.mode() & 0o7777);
    let rule =
        "must belong to this user or root, and others must not write to it: what lies there becomes part of programs";
    let remedy = "name another folder, or a missing one, or take the right from others (chmod go-w)";
    let text = format!("the folder {rule}; it belongs to user {owner} and has mode {mode:o}; {remedy}");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

/// A regular file that is trusted. Follows no link and waits for no pipe: in a trusted folder a name stays what it is.
fn open_trusted(path: &Path) -> Option<File> {
    let named = fs::symlink_metadata(path).ok()?;
    if !named.is_file() || !is_trusted(&named) {
        return None;
    }
    let file = File::open(path).ok()?;
    let opened = file.metadata().ok()?;
    ((opened.dev(), opened.ino()) == (named.dev(), named.ino())).then_some(file)
}

/// The library in a file of the cache, unless it is missing, damaged or not trusted.
fn load(entry: &Path, key: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    open_trusted(entry)?.read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().position(|&byte| byte == b'\n')? + 1;
    let library = bytes.split_off(end);
    (bytes == header(key, &library).as_bytes()).then_some(library)
}

/// Written first, then renamed, so that a name always has a whole file. The caller holds the lock of the key.
fn store(entry: &Path, key: &str, library: &[u8]) -> io::Result<()> {
    let partial = entry.with_extension("partial");
    remove(&partial)?; // of a process that was killed
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&partial).map_err(at(&partial))?;
    file.write_all(header(key, library).as_bytes()).and_then(|()| file.write_all(library)).map_err(at(&partial))?;
    remove(entry)?; // a file may not replace a folder
    fs::rename(&partial, entry).map_err(at(entry))
}

/// Removes a file, a link itself, or an empty folder, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(info) if info.is_dir() => fs::remove_dir(path),
        _ => fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Opens the lock and waits for it. None: somebody held it for so long. A process that ends frees its lock.
fn lock(path: &Path, wait: Duration) -> io::Result<Option<File>> {
    let file = loop {
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match open_trusted(path) {
                Some(file) => break file,
                None => remove(path)?,
            },
            made => break made.map_err(at(path))?,
        }
    };
    let begun = Instant::now();
    // SAFETY: the descriptor is open.
    while unsafe { flock(file.as_raw_fd(), LOCK_EXCLUSIVE_AT_ONCE) } != 0 {
        let error = io::Error::last_os_error();
        if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) {
            return Err(at(path)(error));
        }
        if begun.elapsed() >= wait {
            return Ok(None);
        }
        sleep(Duration::from_millis(50));
    }
    Ok(Some(file))
}
