//! Finds or builds the C++ library. In this order: MERKLIZE_LIB_DIR, the feature `system`, the feature `bundled`.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=MERKLIZE_LIB_DIR");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("cpp");
    println!("cargo:include={}", root.join("include").display());
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation links nothing
    }
    if let Some(folder) = env::var_os("MERKLIZE_LIB_DIR") {
        link_folder(Path::new(&folder));
    } else if !link_system() && !build_bundled(&root) {
        panic!("merklize-sys: choose the feature `bundled` or `system`, or set MERKLIZE_LIB_DIR to the folder of libmerklize");
    }
}

/// An absolute path of a folder with libmerklize.a, or with libmerklize.so, as a build or an installation has it.
fn link_folder(folder: &Path) {
    let shown = folder.display();
    if !folder.is_absolute() {
        panic!("merklize-sys: MERKLIZE_LIB_DIR must be an absolute path, because cargo builds each crate in its own folder; got '{shown}'");
    }
    let mut libraries = ["libmerklize.a", "libmerklize.so"].iter().map(|name| folder.join(name));
    let Some(library) = libraries.find(|library| library.exists()) else {
        panic!("merklize-sys: MERKLIZE_LIB_DIR={shown} has neither libmerklize.a nor libmerklize.so");
    };
    println!("cargo:rustc-link-search=native={shown}");
    println!("cargo:rerun-if-changed={}", library.display());
    if library.ends_with("libmerklize.a") {
        println!("cargo:rustc-link-lib=static=merklize");
        link_cpp();
    } else {
        println!("cargo:rustc-link-lib=dylib=merklize");
    }
}

/// What the static library needs.
fn link_cpp() {
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-link-lib=dylib=pthread");
    println!("cargo:rustc-link-lib=dylib=dl");
}

#[cfg(feature = "system")]
fn link_system() -> bool {
    let version = env!("CARGO_PKG_VERSION");
    let minor = version.rsplit_once('.').expect("major.minor.patch").0;
    match pkg_config::Config::new().atleast_version(minor).probe("merklize") {
        Ok(library) => {
            if library.link_paths.iter().any(|path| path.join("libmerklize.a").exists())
                && !library.link_paths.iter().any(|path| path.join("libmerklize.so").exists())
            {
                link_cpp();
            }
            true
        }
        Err(error) => panic!("merklize-sys: the feature `system` needs an installed merklize {minor}: {error}"),
    }
}

#[cfg(not(feature = "system"))]
fn link_system() -> bool {
    false
}

#[cfg(feature = "bundled")]
fn build_bundled(root: &Path) -> bool {
    for part in ["CMakeLists.txt", "src", "include", "cmake"] {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
    }
    // A debug build of the library is ten times slower and no easier to use.
    let built = cmake::Config::new(root)
        .profile("Release")
        .define("BUILD_SHARED_LIBS", "OFF")
        .define("MERKLIZE_BUILD_TESTS", "OFF")
        .define("MERKLIZE_BUILD_COMMAND", "OFF")
        .define("CMAKE_INSTALL_LIBDIR", "lib")
        .build();
    println!("cargo:rustc-link-search=native={}", built.join("lib").display());
    println!("cargo:rustc-link-lib=static=merklize");
    link_cpp();
    true
}

#[cfg(not(feature = "bundled"))]
fn build_bundled(_root: &Path) -> bool {
    false
}
