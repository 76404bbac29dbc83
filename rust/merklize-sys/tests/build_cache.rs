//! MERKLIZE_BUILD_CACHE, with builds that only write one file. scripts/test_crates.sh builds the library into a cache.

#[path = "../build_cache.rs"]
mod build_cache;

use build_cache::{cached, key};
use std::fs;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("merklize-build-cache-{}-{name}", std::process::id()));
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

fn write_library(folder: &Path) {
    fs::write(folder.join("library"), "built").unwrap();
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
    let folder = Folder::new("twice");
    let cache = folder.0.join("new/cache");
    let entry = cached(&cache, "k", write_library).unwrap();
    assert_eq!(fs::read_to_string(entry.join("library")).unwrap(), "built");
    assert_eq!(cached(&cache, "k", |_| panic!("built again")).unwrap(), entry);
    assert_ne!(cached(&cache, "other", write_library).unwrap(), entry);
}

#[test]
fn a_build_that_failed_leaves_nothing() {
    let folder = Folder::new("failed");
    let fails = |partial: &Path| {
        write_library(partial);
        panic!("no compiler");
    };
    assert!(catch_unwind(AssertUnwindSafe(|| cached(&folder.0, "k", fails))).is_err());
    assert!(!folder.0.join("k").exists());
    let entry = cached(&folder.0, "k", |partial| {
        assert_eq!(fs::read_dir(partial).unwrap().count(), 0, "what the failed build left is there");
        write_library(partial);
    });
    assert!(entry.unwrap().join("library").exists());
}

#[test]
fn one_of_several_builds() {
    let folder = Folder::new("several");
    let builds = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let entry = cached(&folder.0, "k", |partial| {
                    builds.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    write_library(partial);
                });
                assert!(entry.unwrap().join("library").exists());
            });
        }
    });
    assert_eq!(builds.load(Ordering::Relaxed), 1);
}
