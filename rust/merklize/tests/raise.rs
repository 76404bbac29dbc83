//! Errors inside of functions that return none: which code gets them, and where they are printed.

use std::panic::{catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::{env, panic, thread};

use merklize::{catch, or_raise, Error, ErrorKind};

fn raise() {
    or_raise(Err(Error::invalid_argument("the text of the error")))
}

fn is_the_error(caught: merklize::Result<()>) -> bool {
    caught.is_err_and(|error| error.kind() == ErrorKind::InvalidArgument && error.message() == "the text of the error")
}

/// All cases are one test, because the whole process has one panic hook.
#[test]
fn errors_go_through_functions_that_cannot_fail() {
    static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (printed, before) = (|| std::mem::take(&mut *PRINTED.lock().unwrap()), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        PRINTED.lock().unwrap().extend(text.or_else(|| payload.downcast_ref::<String>().cloned()));
        before(info);
    }));

    assert_eq!(catch(|| 5).unwrap(), 5);
    assert!(is_the_error(catch(raise)) && is_the_error(catch(|| catch(raise).unwrap_or_else(|_| raise()))));
    assert_eq!(printed(), [""; 0], "in the thread that catches it");

    // The threads of a prover. Some ways to join a thread lose the error that it raised.
    let handed_on = || thread::spawn(raise).join().unwrap_or_else(|raised| resume_unwind(raised));
    assert!(is_the_error(catch(handed_on)));
    assert_eq!(printed(), ["the text of the error"]);
    assert!(is_the_error(catch(|| {
        thread::scope(|scope| {
            scope.spawn(raise);
        });
    })));
    assert_eq!(printed(), ["the text of the error", "a scoped thread panicked"]);

    // A thread outside of any prover.
    catch(|| assert!(thread::spawn(raise).join().is_err())).unwrap();
    assert_eq!(printed(), ["the text of the error"]);

    // Without catch() an error is a panic with its text, and catch() lets other panics pass.
    assert_eq!(catch_unwind(raise).unwrap_err().downcast_ref::<String>().unwrap(), "the text of the error");
    assert!(catch_unwind(|| catch(|| panic!("another"))).is_err(), "other panics go on");
    assert_eq!(printed(), ["the text of the error", "another"]);
}

#[test]
fn a_panic_that_aborts_says_why() {
    if env::var_os("MERKLIZE_LIB_DIR").is_none() {
        return println!("skipped: without MERKLIZE_LIB_DIR the C++ library would be built once more");
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("abort");
    let mut run = Command::new(env!("CARGO"));
    run.args(["run", "-q", "--offline", "--release", "--no-default-features", "--example", "raise", "--target-dir"]);
    run.arg(folder).args(["--config", "profile.release.panic = 'abort'", "--config", "profile.release.opt-level = 0"]);
    let output = run.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && printed.contains("panicked at") && printed.contains("got 0"), "{output:?}");
}
