//! A device that is lost in the middle of a proof gives an error and does not abort. The device is an OpenCL runtime behind a library that fails launches.
//! MERKLIZE_OPENCL_LIBRARY is the path of the runtime; without it the test says that it skips.

#[allow(dead_code)]
#[path = "../examples/keccak/configs.rs"]
mod configs;

use std::env;
use std::ffi::{c_char, c_int, c_void, CString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use configs::koalabear::{hash, parts, Ours, Stock, Val, DEGREE};
use merklize_plonky3::{catch, Device};
use p3_keccak_air::{generate_trace_rows, KeccakAir};
use p3_uni_stark::{prove, verify};

/// The library depends on the runtime, which has every other function.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
int launches_left = -1; /* below 0: no end */
typedef int (*launch)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *);
int clEnqueueNDRangeKernel(void *q, void *k, unsigned d, const size_t *o, const size_t *g, const size_t *l, unsigned n, void *w, void *e) {
    if (launches_left == 0) return -5; /* CL_OUT_OF_RESOURCES */
    if (launches_left > 0) launches_left--;
    return ((launch)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"))(q, k, d, o, g, l, n, w, e);
}
"#;

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn build_shim(runtime: &Path) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, library) = (folder.join("shim.c"), folder.join("libshim.so"));
    std::fs::write(&source, SHIM).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&source).arg("-Wl,--no-as-needed").arg(runtime);
    cc.arg(format!("-Wl,-rpath,{}", runtime.parent()?.display())).arg("-ldl");
    cc.status().is_ok_and(|status| status.success()).then_some(library)
}

#[test]
fn a_device_that_is_lost_is_an_error_of_the_proof() {
    let Some(shim) = env::var_os("MERKLIZE_OPENCL_LIBRARY").and_then(|runtime| build_shim(Path::new(&runtime))) else {
        return println!("skipped: MERKLIZE_OPENCL_LIBRARY names no OpenCL runtime, or there is no cc");
    };
    env::set_var("MERKLIZE_OPENCL_LIBRARY", &shim); // the only test of this process
    let path = CString::new(shim.to_str().unwrap()).unwrap();
    // SAFETY: the symbol is a variable of the library above, which stays loaded. RTLD_NOW is 2.
    let launches_left = unsafe { dlsym(dlopen(path.as_ptr(), 2), c"launches_left".as_ptr()).cast::<c_int>() };
    assert!(!launches_left.is_null());
    let let_launch = |n: c_int| unsafe { launches_left.write_volatile(n) };

    let (hasher, compressor, challenger) = parts();
    let stock = Stock::new(hasher.clone(), compressor.clone(), 0);
    let stock = configs::config::<Val, DEGREE, _, _>(stock, challenger.clone(), 2);
    let device = Arc::new(Device::open("opencl:0").unwrap());
    let ours = Ours::new(hasher, compressor, 0, hash(), device).unwrap();
    let ours = configs::config::<Val, DEGREE, _, _>(ours, challenger, 2);
    let trace = generate_trace_rows::<Val>(vec![[7; 25]], 1);
    let proof = || catch(|| prove(&ours, &KeccakAir {}, trace.clone(), &[]));
    for launches in [0, 2, 9] {
        let_launch(launches);
        let Err(error) = proof() else { panic!("{launches} launches were enough") };
        assert!(error.to_string().contains("clEnqueueNDRangeKernel"), "{error}");
    }
    let_launch(-1);
    let proof = proof().unwrap().unwrap();
    let proof = serde_json::from_slice(&serde_json::to_vec(&proof).unwrap()).unwrap();
    verify(&stock, &KeccakAir {}, &proof, &[]).unwrap();
}
