//! Tests which library the build script links.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the build script with MERKLIZE_LIB_DIR, as cargo does.
fn run_script(script: &Path, folder: &str) -> Output {
    let mut run = Command::new(script);
    run.env("MERKLIZE_LIB_DIR", folder).env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")).env_remove("DOCS_RS");
    run.output().unwrap()
}

#[test]
fn the_folder_that_is_named_is_linked_or_refused() {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("library");
    fs::create_dir_all(&scratch).unwrap();
    let script = scratch.join("build-script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let compiled = Command::new("rustc").args(["--edition", "2021", "-o"]).arg(&script).arg(source).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let folder = scratch.join("lib");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let shown = folder.to_str().unwrap();
    for (wrong, rule) in [
        ("", "MERKLIZE_LIB_DIR must be an absolute path, because cargo builds each crate in its own folder; got ''"),
        ("src", "got 'src'"),
        (shown, "has neither libmerklize.a nor libmerklize.so"),
    ] {
        let refused = run_script(&script, wrong);
        assert!(!refused.status.success(), "{wrong}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(rule), "{refused:?}");
    }

    for (name, link) in [("libmerklize.so", "dylib=merklize"), ("libmerklize.a", "static=merklize")] {
        fs::write(folder.join(name), "").unwrap();
        let linked = String::from_utf8(run_script(&script, shown).stdout).unwrap();
        let changes: Vec<_> = linked.lines().filter_map(|line| line.strip_prefix("cargo:rerun-if-changed=")).collect();
        assert_eq!(changes, [format!("{shown}/{name}")], "other files of the folder rebuild nothing");
        assert!(linked.contains(&format!("cargo:rustc-link-lib={link}\n")), "{linked}");
    }
}
