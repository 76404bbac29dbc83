//! Finds or builds the C++ library. In this order: MERKLIZE_LIB_DIR, the feature `system`, the feature `bundled`. On
//! other systems than Linux, and with MERKLIZE_WITHOUT_LIBRARY=1, nothing is built or linked: the crate has functions
//! of the same names that fail.

#[cfg(all(feature = "bundled", unix))]
mod build_cache;

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=MERKLIZE_LIB_DIR");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("cpp");
    println!("cargo:include={}", root.join("include").display());
    println!("cargo:rustc-check-cfg=cfg(merklize_without_library)");
    println!("cargo:rerun-if-env-changed=MERKLIZE_WITHOUT_LIBRARY");
    let is_on_linux = env::var("CARGO_CFG_TARGET_OS").map_or(true, |system| system == "linux");
    if !is_on_linux || is_set("MERKLIZE_WITHOUT_LIBRARY") {
        println!("cargo:rustc-cfg=merklize_without_library");
        return;
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation links nothing
    }
    if let Some(folder) = env::var_os("MERKLIZE_LIB_DIR") {
        link_folder(Path::new(&folder));
    } else if !link_system() && !build_bundled(&root) {
        panic!("merklize-sys: choose the feature `bundled` or `system`, or set MERKLIZE_LIB_DIR to the folder of libmerklize");
    }
}

/// Whether a switch is on: `1`. `0` and an empty text are off.
fn is_set(name: &str) -> bool {
    match env::var(name).as_deref() {
        Ok("1") => true,
        Ok("" | "0") | Err(env::VarError::NotPresent) => false,
        other => panic!("merklize-sys: {name} must be 1 or 0, got {other:?}"),
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

/// Variables that the feature `fatbins` hands to CMake as options of the same names.
#[cfg(all(feature = "bundled", unix))]
const FATBIN_OPTIONS: [&str; 3] = ["MERKLIZE_NVCC", "MERKLIZE_FATBIN_ARCHITECTURES", "MERKLIZE_FATBIN_HASHES"];

#[cfg(all(feature = "bundled", unix))]
fn build_bundled(root: &Path) -> bool {
    println!("cargo:rerun-if-env-changed=MERKLIZE_BUILD_CACHE");
    let sources = ["CMakeLists.txt", "src", "include"].map(|part| root.join(part));
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    // A debug build of the library is ten times slower and no easier to use.
    let mut config = cmake::Config::new(root);
    config
        .profile("Release")
        .define("BUILD_SHARED_LIBS", "OFF")
        .define("MERKLIZE_BUILD_TESTS", "OFF")
        .define("MERKLIZE_BUILD_COMMAND", "OFF")
        .define("CMAKE_INSTALL_LIBDIR", "lib");
    if cfg!(feature = "fatbins") {
        config.define("MERKLIZE_CUDA_FATBINS", "ON");
        for option in FATBIN_OPTIONS {
            println!("cargo:rerun-if-env-changed={option}");
            if let Some(value) = env::var_os(option) {
                config.define(option, value);
            }
        }
    }
    match env::var_os("MERKLIZE_BUILD_CACHE") {
        Some(cache) => build_by_cache(Path::new(&cache), &sources, config),
        None => drop(config.build()),
    }
    println!("cargo:rustc-link-search=native={}", library_folder().display());
    println!("cargo:rustc-link-lib=static=merklize");
    link_cpp();
    true
}

/// Where CMake installs the library.
#[cfg(all(feature = "bundled", unix))]
fn library_folder() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("lib")
}

/// The library from the cache, or built and put there. RUSTFLAGS stay out of the C++ build, so that all of them share
/// one.
#[cfg(all(feature = "bundled", unix))]
fn build_by_cache(cache: &Path, sources: &[PathBuf], mut config: cmake::Config) {
    let shown = cache.display();
    if !cache.is_absolute() {
        panic!("merklize-sys: MERKLIZE_BUILD_CACHE must be an absolute path, because cargo builds each crate in its own folder; got '{shown}'");
    }
    env::remove_var("CARGO_ENCODED_RUSTFLAGS");
    let folder = library_folder();
    let mut cached = || {
        std::fs::create_dir_all(&folder)?;
        let (key, library) = (build_cache::key(sources, &compiler_facts())?, folder.join("libmerklize.a"));
        build_cache::cached(cache, &key, &library, build_cache::LONGEST_WAIT, || drop(config.build()))
    };
    cached().unwrap_or_else(|error| panic!("merklize-sys: MERKLIZE_BUILD_CACHE={shown}: {error}"));
}

/// What decides beside the sources what is built: the target, the compiler's and CMake's versions, and the variables
/// that say how.
#[cfg(all(feature = "bundled", unix))]
fn compiler_facts() -> Vec<String> {
    let target = env::var("TARGET").expect("set by cargo");
    let is_read = |name: &str| {
        let is_of_cuda = name.starts_with("CUDA_") || name == "CARGO_FEATURE_FATBINS" || FATBIN_OPTIONS.contains(&name);
        name.contains("CXX") || name.starts_with("CMAKE") || is_of_cuda
    };
    let variables = env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let mut facts: Vec<String> =
        variables.filter(|(name, _)| is_read(name)).map(|(name, value)| format!("{name}={value:?}")).collect();
    facts.sort();
    let names =
        [format!("CXX_{target}"), format!("CXX_{}", target.replace('-', "_")), "TARGET_CXX".into(), "CXX".into()];
    let compiler = names.iter().find_map(|name| env::var(name).ok()).unwrap_or_else(|| "c++".into());
    let has_static_crt = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    facts.push(format!("{target} {has_static_crt}"));
    for program in [compiler.as_str(), "cmake"] {
        let said = std::process::Command::new(program).arg("--version").output();
        facts.push(
            said.map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned()),
        );
    }
    facts
}

#[cfg(not(all(feature = "bundled", unix)))]
fn build_bundled(_root: &Path) -> bool {
    false
}
