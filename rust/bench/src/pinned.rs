//! Host memory that a CUDA device reaches without a copy by the driver. The library takes such memory, but has no call
//! that makes it.

use std::error::Error;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::ops::{Deref, DerefMut};
use std::ptr;

/// A copy of elements: pinned for a CUDA device, ordinary memory for another device.
pub enum HostMemory<T> {
    Pinned { first: *mut T, length: usize, free: Free },
    Ordinary(Vec<T>),
}
// SAFETY: it owns its memory, as a Vec does.
unsafe impl<T: Send> Send for HostMemory<T> {}
unsafe impl<T: Sync> Sync for HostMemory<T> {}

pub type Free = unsafe extern "C" fn(*mut c_void) -> c_int;

impl<T: Copy> HostMemory<T> {
    /// device   the name that opened it, such as `cuda:0`
    pub fn copy_of(elements: &[T], device: &str) -> Result<Self, Box<dyn Error>> {
        let Some(ordinal) = device.strip_prefix("cuda:") else { return Ok(Self::Ordinary(elements.to_vec())) };
        let (memory, free) = allocate(ordinal.parse()?, size_of_val(elements))?;
        let first = memory.cast::<T>();
        // SAFETY: the driver's memory is as long as the elements, and aligned to pages.
        unsafe { ptr::copy_nonoverlapping(elements.as_ptr(), first, elements.len()) };
        Ok(Self::Pinned { first, length: elements.len(), free })
    }
}

impl<T> Deref for HostMemory<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            // SAFETY: the memory holds that many elements, which copy_of() has written.
            Self::Pinned { first, length, .. } => unsafe { std::slice::from_raw_parts(*first, *length) },
            Self::Ordinary(elements) => elements,
        }
    }
}

impl<T> DerefMut for HostMemory<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            // SAFETY: as in deref().
            Self::Pinned { first, length, .. } => unsafe { std::slice::from_raw_parts_mut(*first, *length) },
            Self::Ordinary(elements) => elements,
        }
    }
}

impl<T> Drop for HostMemory<T> {
    fn drop(&mut self) {
        if let Self::Pinned { first, free, .. } = self {
            // SAFETY: the driver has allocated it, and nothing else frees it.
            unsafe { free(first.cast()) };
        }
    }
}

extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// Pinned memory of the device's primary context, which the library uses, too.
fn allocate(ordinal: c_int, bytes: usize) -> Result<(*mut c_void, Free), Box<dyn Error>> {
    const NOW: c_int = 2;
    const PORTABLE: c_uint = 1; // pinned in every context
    let (mut device, mut context, mut memory) = (0, ptr::null_mut(), ptr::null_mut());
    // SAFETY: these are the signatures of cuda.h, and the driver stays loaded.
    unsafe {
        let library = dlopen(c"libcuda.so.1".as_ptr(), NOW);
        let symbol = |name: &CStr| match library.is_null() {
            true => ptr::null_mut(),
            false => dlsym(library, name.as_ptr()),
        };
        macro_rules! function {
            ($name:literal, $type:ty) => {{
                let found = symbol($name);
                if found.is_null() {
                    return Err(format!("pinned memory: the CUDA driver has no {:?}", $name).into());
                }
                std::mem::transmute::<*mut c_void, $type>(found)
            }};
        }
        let get = function!(c"cuDeviceGet", unsafe extern "C" fn(*mut c_int, c_int) -> c_int);
        let retain = function!(c"cuDevicePrimaryCtxRetain", unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int);
        let set_current = function!(c"cuCtxSetCurrent", unsafe extern "C" fn(*mut c_void) -> c_int);
        let allocate = function!(c"cuMemHostAlloc", unsafe extern "C" fn(*mut *mut c_void, usize, c_uint) -> c_int);
        let free = function!(c"cuMemFreeHost", Free);
        let check = |status: c_int| match status {
            0 => Ok(()),
            _ => Err(format!("pinned memory: {bytes} bytes: CUDA error {status}")),
        };
        check(get(&mut device, ordinal))?;
        check(retain(&mut context, device))?;
        check(set_current(context))?;
        check(allocate(&mut memory, bytes, PORTABLE))?;
        Ok((memory, free))
    }
}
