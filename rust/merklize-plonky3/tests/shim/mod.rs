//! An OpenCL runtime behind a library that fails launches and allocations, or leaves constraints out, when a test wants
//! it.
#![allow(dead_code)]

use std::env;
use std::ffi::{c_char, c_int, c_void, CString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library depends on the runtime, which has every other function. Its devices have memory of their own, where the
/// nodes of trees then lie.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
int launches_left = -1, buffers_left = -1; /* below 0: no end */
int skips_constraints;
static void *constraints; /* a kernel */
typedef void *(*create_kernel)(void *, const char *, int *);
void *clCreateKernel(void *p, const char *name, int *e) {
    void *k = ((create_kernel)dlsym(RTLD_NEXT, "clCreateKernel"))(p, name, e);
    if (strncmp(name, "mkz_constraints", 15) == 0) constraints = k;
    return k;
}
typedef int (*mark)(void *, unsigned, void *, void *);
typedef int (*launch)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *);
int clEnqueueNDRangeKernel(void *q, void *k, unsigned d, const size_t *o, const size_t *g, const size_t *l, unsigned n, void *w, void *e) {
    if (launches_left == 0) return -36; /* CL_INVALID_COMMAND_QUEUE; for a lack of resources the processors go on */
    if (launches_left > 0) launches_left--;
    if (skips_constraints && k == constraints)
        return ((mark)dlsym(RTLD_NEXT, "clEnqueueMarkerWithWaitList"))(q, n, w, e);
    return ((launch)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"))(q, k, d, o, g, l, n, w, e);
}
typedef void *(*create)(void *, unsigned long, size_t, void *, int *);
void *clCreateBuffer(void *c, unsigned long f, size_t s, void *h, int *e) {
    if (buffers_left == 0) {
        if (e) *e = -4; /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
        return NULL;
    }
    if (buffers_left > 0) buffers_left--;
    return ((create)dlsym(RTLD_NEXT, "clCreateBuffer"))(c, f, s, h, e);
}
typedef int (*info)(void *, unsigned, size_t, void *, size_t *);
int clGetDeviceInfo(void *d, unsigned what, size_t n, void *v, size_t *m) {
    int r = ((info)dlsym(RTLD_NEXT, "clGetDeviceInfo"))(d, what, n, v, m);
    if (r == 0 && what == 0x1035 && v) *(unsigned *)v = 0; /* CL_DEVICE_HOST_UNIFIED_MEMORY */
    return r;
}
"#;

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

pub struct Shim {
    launches_left: *mut c_int,
    buffers_left: *mut c_int,
    skips_constraints: *mut c_int,
}

impl Shim {
    /// Before the first use of a device in this process. None: MERKLIZE_OPENCL_LIBRARY names no runtime, or there is no
    /// cc.
    pub fn in_place_of_the_runtime(name: &str) -> Option<Self> {
        let shim = build(name, Path::new(&env::var_os("MERKLIZE_OPENCL_LIBRARY")?))?;
        env::set_var("MERKLIZE_OPENCL_LIBRARY", &shim);
        let path = CString::new(shim.to_str().unwrap()).unwrap();
        // SAFETY: the library above, which stays loaded. RTLD_NOW is 2.
        let library = unsafe { dlopen(path.as_ptr(), 2) };
        // SAFETY: the symbols are variables of the library.
        let variable = |name: &std::ffi::CStr| unsafe { dlsym(library, name.as_ptr()).cast::<c_int>() };
        let shim = Self {
            launches_left: variable(c"launches_left"),
            buffers_left: variable(c"buffers_left"),
            skips_constraints: variable(c"skips_constraints"),
        };
        assert!(!shim.launches_left.is_null() && !shim.buffers_left.is_null() && !shim.skips_constraints.is_null());
        Some(shim)
    }

    /// From now on so many launches succeed; below 0: all.
    pub fn launches_left(&self, n: c_int) {
        unsafe { self.launches_left.write_volatile(n) }
    }

    /// From now on so many allocations succeed; below 0: all.
    pub fn buffers_left(&self, n: c_int) {
        unsafe { self.buffers_left.write_volatile(n) }
    }

    /// From now on constraints are what their memory held before.
    pub fn skips_constraints(&self, skips: bool) {
        unsafe { self.skips_constraints.write_volatile(skips.into()) }
    }

    /// Whether an allocation has failed.
    pub fn is_full(&self) -> bool {
        unsafe { self.buffers_left.read_volatile() == 0 }
    }
}

fn build(name: &str, runtime: &Path) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
    std::fs::write(&source, SOURCE).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&source).arg("-Wl,--no-as-needed").arg(runtime);
    cc.arg(format!("-Wl,-rpath,{}", runtime.parent()?.display())).arg("-ldl");
    cc.status().is_ok_and(|status| status.success()).then_some(library)
}
