//! MERKLIZE_BUILD_CACHE, with builds that only write one file: what is taken, what is made again, what is waited for,
//! and what is refused. scripts/test_crates.sh builds the library into a cache.

#[path = "../build_cache.rs"]
mod build_cache;

use build_cache::{cached, key, LONGEST_WAIT};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{chown, symlink, MetadataExt, PermissionsExt};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("merklize-build-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const BUILT: &str = "built";

/// A cache, and where its users want the library.
struct Cache {
    folder: Folder,
    cache: PathBuf,
}

impl Cache {
    fn new(name: &str) -> Cache {
        let folder = Folder::new(name);
        Cache { cache: folder.0.join("new/cache"), folder }
    }

    fn path(&self, end: &str) -> PathBuf {
        self.cache.join(format!("k.{end}"))
    }

    /// Whether it is built; the library is right in both cases.
    fn builds(&self) -> io::Result<bool> {
        let (library, mut is_built) = (self.folder.0.join("library"), false);
        let _ = fs::remove_file(&library);
        cached(&self.cache, "k", &library, LONGEST_WAIT, || {
            fs::write(&library, BUILT).unwrap();
            is_built = true;
        })?;
        assert_eq!(fs::read_to_string(library).unwrap(), BUILT);
        Ok(is_built)
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn the_key_knows_each_source_and_fact() {
    let folder = Folder::new("key");
    folder.write("src/a.cpp", "int a;");
    folder.write("src/b/c.cpp", "int c;");
    let facts = |text: &str| vec!["c++ 12".to_string(), text.to_string()];
    let sources = [folder.0.join("src")];
    let first = key(&sources, &facts("-O3")).unwrap();
    assert_eq!(first.len(), 32);
    assert_eq!(key(&sources, &facts("-O3")).unwrap(), first);

    let mut keys = vec![first.clone(), key(&sources, &facts("-O2")).unwrap()];
    folder.write("src/a.cpp", "int b;");
    keys.push(key(&sources, &facts("-O3")).unwrap());
    folder.write("src/a.cpp", "int a;");
    assert_eq!(key(&sources, &facts("-O3")).unwrap(), first);
    fs::rename(folder.0.join("src/b/c.cpp"), folder.0.join("src/b/d.cpp")).unwrap();
    keys.push(key(&sources, &facts("-O3")).unwrap());
    fs::rename(folder.0.join("src/b/d.cpp"), folder.0.join("src/c.cpp")).unwrap();
    keys.push(key(&sources, &facts("-O3")).unwrap());
    for (i, one) in keys.iter().enumerate() {
        assert!(!keys[i + 1..].contains(one), "{i} of {keys:?}");
    }
    assert!(key(&[folder.0.join("missing")], &[]).is_err());
}

#[test]
fn a_second_call_builds_nothing() {
    let cache = Cache::new("twice");
    assert!(cache.builds().unwrap());
    assert!(!cache.builds().unwrap());
    let other = cache.folder.0.join("other");
    cached(&cache.cache, "other", &other, LONGEST_WAIT, || fs::write(&other, "").unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "");
    assert!(!cache.builds().unwrap());
    fs::remove_dir_all(&cache.cache).unwrap();
    assert!(cache.builds().unwrap());
}

#[test]
fn a_build_that_failed_leaves_nothing() {
    let cache = Cache::new("failed");
    let library = cache.folder.0.join("library");
    let fails = || {
        fs::write(&library, "half").unwrap();
        panic!("no compiler");
    };
    let failed = || cached(&cache.cache, "k", &library, LONGEST_WAIT, fails);
    assert!(catch_unwind(AssertUnwindSafe(failed)).is_err());
    assert!(!cache.path("library").exists());
    fs::remove_file(&library).unwrap();
    assert!(cached(&cache.cache, "k", &library, LONGEST_WAIT, || ()).is_err(), "there is no library");
    assert!(!cache.path("library").exists());
    assert!(cache.builds().unwrap());
}

#[test]
fn one_of_several_builds() {
    let cache = Cache::new("several");
    let builds = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for i in 0..8 {
            let library = cache.folder.0.join(format!("library {i}"));
            let (cache, builds) = (&cache, &builds);
            scope.spawn(move || {
                let build = || {
                    builds.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(50));
                    fs::write(&library, BUILT).unwrap();
                };
                cached(&cache.cache, "k", &library, LONGEST_WAIT, build).unwrap();
                assert_eq!(fs::read_to_string(&library).unwrap(), BUILT);
            });
        }
    });
    assert_eq!(builds.load(Ordering::Relaxed), 1);
}

#[test]
fn nobody_is_waited_for_without_end() {
    let cache = Cache::new("held");
    let (library, inner) = (cache.folder.0.join("library"), cache.folder.0.join("inner"));
    cached(&cache.cache, "k", &library, LONGEST_WAIT, || {
        fs::write(&library, BUILT).unwrap();
        // The lock is held, as by a process that is stopped.
        let build = || fs::write(&inner, BUILT).unwrap();
        cached(&cache.cache, "k", &inner, Duration::from_millis(20), build).unwrap();
        assert_eq!(fs::read_to_string(&inner).unwrap(), BUILT);
    })
    .unwrap();
    assert!(!cache.builds().unwrap());
}

type Plant = fn(&Path, &Path);

/// What may lie where a file of the cache is wanted, and is not taken.
const PLANTED: [(&str, Plant); 7] = [
    ("a link to a file", |path, victim| symlink(victim, path).unwrap()),
    ("a link to nothing", |path, _| symlink("nothing", path).unwrap()),
    ("a pipe", |path, _| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
    ("an empty folder", |path, _| fs::create_dir(path).unwrap()),
    ("a file that the group may write to", |path, _| fs::set_permissions(path, Permissions::from_mode(0o664)).unwrap()),
    ("a file that others may write to", |path, _| fs::set_permissions(path, Permissions::from_mode(0o646)).unwrap()),
    ("a file of another user", |path, _| chown(path, Some(12345), None).unwrap()),
];

#[test]
fn what_others_planted_is_not_taken() {
    for (what, plant) in PLANTED {
        if what.ends_with("user") && !is_root() {
            println!("skipped: only root gives files away");
            continue;
        }
        for end in ["library", "lock", "partial"] {
            let cache = Cache::new("planted");
            let victim = cache.folder.0.join("victim");
            assert!(cache.builds().unwrap());
            // A library that is good but for what is planted, and one of somebody else behind the link.
            fs::copy(cache.path("library"), &victim).unwrap();
            let good = fs::read(&victim).unwrap();
            let path = cache.path(end);
            if !what.starts_with("a file") {
                let _ = fs::remove_file(&path);
            } else if end == "partial" {
                fs::write(&path, &good).unwrap();
            }
            plant(&path, &victim);
            if end != "library" {
                fs::remove_file(cache.path("library")).unwrap();
            }
            assert!(cache.builds().unwrap(), "{what} as the {end}");
            assert_eq!(fs::read(&victim).unwrap(), good, "{what} as the {end}");
            assert!(!cache.builds().unwrap(), "{what} as the {end}: mended");
            let info = fs::symlink_metadata(cache.path("library")).unwrap();
            assert!(info.is_file() && info.uid() == fs::metadata("/proc/self").unwrap().uid());
            assert_eq!(info.mode() & 0o022, 0);
        }
    }
}

#[test]
fn a_damaged_library_is_built_again() {
    let cache = Cache::new("damaged");
    assert!(cache.builds().unwrap());
    let path = cache.path("library");
    let good = fs::read(&path).unwrap();
    let shorter = (0..good.len()).map(|length| good[..length].to_vec());
    let changed = (0..good.len()).map(|i| {
        let mut bytes = good.clone();
        bytes[i] ^= 1;
        bytes
    });
    let longer = [[&good[..], b"x"].concat(), vec![0; good.len()], BUILT.into()];
    for bytes in shorter.chain(changed).chain(longer) {
        fs::write(&path, &bytes).unwrap();
        assert!(cache.builds().unwrap(), "{bytes:?}");
        assert_eq!(fs::read(&path).unwrap(), good);
    }
    // A good library of another key.
    fs::rename(&path, cache.cache.join("j.library")).unwrap();
    let library = cache.folder.0.join("library");
    let mut is_built = false;
    cached(&cache.cache, "j", &library, LONGEST_WAIT, || is_built = true).unwrap();
    assert!(is_built);
}

#[test]
fn a_folder_that_others_may_change_is_refused() {
    let refused = |cache: &Cache| {
        let error = cache.builds().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("must belong to this user or root"), "{error}");
        assert_eq!(fs::read_dir(&cache.cache).unwrap().count(), 0, "nothing is written");
    };
    for mode in [0o777, 0o1777, 0o775, 0o757, 0o730] {
        let cache = Cache::new("writable");
        fs::create_dir_all(&cache.cache).unwrap();
        fs::set_permissions(&cache.cache, Permissions::from_mode(mode)).unwrap();
        refused(&cache);
        fs::set_permissions(&cache.cache, Permissions::from_mode(mode & !0o022)).unwrap();
        assert!(cache.builds().unwrap());
    }
    if is_root() {
        let cache = Cache::new("foreign");
        fs::create_dir_all(&cache.cache).unwrap();
        chown(&cache.cache, Some(12345), None).unwrap();
        refused(&cache);
    }
    let cache = Cache::new("file");
    cache.folder.write("new/cache", "");
    assert!(cache.builds().is_err());
}
