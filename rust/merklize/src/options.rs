use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;
use core::ptr;
use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use merklize_sys as sys;

use crate::device::{Device, Stream};
use crate::error::{c_text, check, Result};
use crate::types::Timings;

/// A mode of a hash. Only `blake3` and `blake2s` have other modes than `Plain`. The library copies secrets for a call
/// and wipes them after it.
#[derive(Clone, Copy, Default)]
pub enum Mode<'a> {
    /// The plain hash.
    #[default]
    Plain,
    /// The keyed hash: BLAKE3 where the mode is alone.
    Keyed(&'a [u8; 32]),
    /// BLAKE2s under a key of 1 to 32 bytes.
    KeyedBlake2s(&'a [u8]),
    /// Key derivation: a globally unique text that names the purpose. The data is the key material.
    DeriveKey(&'a str),
}

impl Mode<'_> {
    pub(crate) fn to_c(self) -> sys::merklize_mode {
        let mut mode = sys::merklize_mode::default();
        match self {
            Mode::Plain => {}
            Mode::Keyed(key) => (mode.key, mode.key_bytes) = (key.as_ptr(), key.len()),
            Mode::KeyedBlake2s(key) => (mode.key, mode.key_bytes) = (key.as_ptr(), key.len()),
            Mode::DeriveKey(context) => {
                (mode.context, mode.context_bytes) = (context.as_ptr().cast(), context.len());
            }
        }
        mode
    }
}

/// Tuning values. No choice changes a byte of a result.
#[derive(Debug, Clone, Copy)]
pub struct Policy(sys::merklize_policy);

impl Policy {
    /// Reads a text such as `"levels_per_launch=3,constants=local"`.
    ///
    /// # Errors
    /// Unknown fields, and values that a field does not take; the text lists the valid ones.
    pub fn from_text(text: &str) -> Result<Self> {
        let text = c_text("policy", text)?;
        let mut policy = sys::merklize_policy::default();
        // SAFETY: a text and a struct.
        check("Policy::from_text", || unsafe { sys::merklize_policy_from_text(text.as_ptr(), &mut policy) })?;
        Ok(Self(policy))
    }
}

/// How a call runs: where, on how many threads. The default is the device `auto`: the one that the environment variable
/// `MERKLIZE_DEVICE` names, else the fastest by calibration, else the CPU. If a device is named, it computes or the
/// call fails: nothing falls back to another device.
///
/// ```
/// use merklize::{hash_with, Device, Mode, Options};
///
/// let cpu = Device::open("cpu")?;
/// let digest = hash_with(b"abc", Mode::Plain, &Options::new().device(&cpu).threads(1))?;
/// assert_eq!(digest, merklize::hash(b"abc")?);
/// # Ok::<(), merklize::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
#[must_use]
pub struct Options<'a> {
    device: Option<&'a Device>,
    stream: Option<&'a Stream>,
    threads: u32,
    policy: Option<&'a Policy>,
    progress: Option<&'a dyn Fn(f64) -> ControlFlow<()>>,
    timings: Option<&'a Cell<Timings>>,
}

/// The state of the progress function while a call runs.
struct Watched<'a> {
    progress: &'a dyn Fn(f64) -> ControlFlow<()>,
    panic: Option<Box<dyn Any + Send>>,
}

/// No panic crosses the border to C++. A panic stops the call and is resumed when the call has returned.
unsafe extern "C" fn report(context: *mut c_void, done: f64) -> c_int {
    // SAFETY: `context` is the Watched of the call that runs, on the thread that made it.
    let watched = unsafe { &mut *context.cast::<Watched<'_>>() };
    match catch_unwind(AssertUnwindSafe(|| (watched.progress)(done))) {
        Ok(go_on) => go_on.is_break().into(),
        Err(panic) => {
            watched.panic = Some(panic);
            1
        }
    }
}

/// ```compile_fail
/// #![deny(unused_must_use)]
/// merklize::Options::new().threads(1);
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// merklize::Form::new(merklize::Hash::BLAKE3).rule(merklize::Rule::Perfect);
/// ```
#[cfg(doctest)]
struct BuildersAreUsed;

impl<'a> Options<'a> {
    /// All defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The device that computes. Ignored for data in a [`Buffer`](crate::Buffer), which is computed where it lies.
    pub fn device(self, device: &'a Device) -> Self {
        Self { device: Some(device), ..self }
    }

    /// The queue that is used; it must belong to the device.
    pub fn stream(self, stream: &'a Stream) -> Self {
        Self { stream: Some(stream), ..self }
    }

    /// CPU threads to use, the calling one included; 0: all that the process may use.
    pub fn threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// Tuning values.
    pub fn policy(self, policy: &'a Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Called about every 50 ms, on the caller's thread, with the share of the work that is done. `Break` cancels the
    /// call.
    pub fn progress(self, progress: &'a dyn Fn(f64) -> ControlFlow<()>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// The place for the timings of the call.
    pub fn timings(self, timings: &'a Cell<Timings>) -> Self {
        Self { timings: Some(timings), ..self }
    }

    pub(crate) fn policy_c(&self) -> *const sys::merklize_policy {
        self.policy.map_or(ptr::null(), |policy| &policy.0)
    }

    /// Options for a value that outlives the call. No stream: the value may move to another thread, and only one thread
    /// at a time may use a stream.
    pub(crate) fn without_stream(&self, call: &str) -> Result<&Self> {
        match self.stream {
            None => Ok(self),
            Some(_) => {
                let rule = format!("{call}: options with a stream are for one call; name its device alone");
                Err(crate::Error::invalid_argument(rule))
            }
        }
    }

    /// Runs a call of the C API with these options.
    /// called  the public function, as errors name it
    pub(crate) fn run(
        &self,
        called: &str,
        call: impl FnOnce(*const sys::merklize_run_options) -> sys::merklize_status,
    ) -> Result<()> {
        let mut watched = self.progress.map(|progress| Watched { progress, panic: None });
        let mut timings = sys::merklize_timings::default();
        let mut options = sys::merklize_run_options {
            device: self.device.map_or(ptr::null(), |device| device.as_c().cast_const()),
            threads: self.threads,
            stream: self.stream.map_or(ptr::null(), |stream| stream.as_c().cast_const()),
            policy: self.policy_c(),
            ..Default::default()
        };
        if let Some(watched) = &mut watched {
            options.progress = Some(report);
            options.progress_context = ptr::from_mut(watched).cast();
        }
        if self.timings.is_some() {
            options.timings = &mut timings;
        }
        let result = check(called, || call(&options));
        if let Some(panic) = watched.and_then(|watched| watched.panic) {
            resume_unwind(panic);
        }
        if let Some(place) = self.timings {
            place.set(Timings::from_c(&timings));
        }
        result
    }
}
