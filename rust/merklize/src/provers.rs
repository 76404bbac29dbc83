//! Helpers for adapters of provers.

use std::cell::Cell;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread;

use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Word;

/// One entry for each [`catch`] that runs now, in any thread: the first error that a thread without a `catch` has
/// raised meanwhile. The threads of a prover have no `catch`, and the thread that joins them may drop their panics.
static CATCHES: Mutex<Vec<Arc<OnceLock<Error>>>> = Mutex::new(Vec::new());

thread_local! {
    /// Calls of [`catch`] that run now in this thread.
    static OWN_CATCHES: Cell<usize> = const { Cell::new(0) };
}

fn catches() -> MutexGuard<'static, Vec<Arc<OnceLock<Error>>>> {
    CATCHES.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An entry of [`CATCHES`].
struct Catching(Arc<OnceLock<Error>>);

impl Catching {
    fn new() -> Self {
        let other_threads = Arc::new(OnceLock::new());
        catches().push(other_threads.clone());
        OWN_CATCHES.set(OWN_CATCHES.get() + 1);
        Self(other_threads)
    }
}

impl Drop for Catching {
    fn drop(&mut self) {
        OWN_CATCHES.set(OWN_CATCHES.get() - 1);
        catches().retain(|catch| !Arc::ptr_eq(catch, &self.0));
    }
}

/// The value, or a panic with the error, which [`catch`] turns into a result again. For functions of traits that cannot
/// fail, such as a prover's `commit`. The panic is not printed in the thread of the `catch`, but in other threads,
/// where it might be lost. Without a `catch`, or where panics abort, it is a plain panic with the error's text.
pub fn or_raise<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| {
        let running = catches().clone();
        if cfg!(panic = "abort") || running.is_empty() {
            panic!("{error}");
        }
        if OWN_CATCHES.get() == 0 {
            for catch in running {
                let _ = catch.set(error.clone()); // the first one stays
            }
            let _ = catch_unwind(|| panic!("{error}"));
        }
        resume_unwind(Box::new(error))
    })
}

/// Runs a prover whose commitments may fail. An error of [`or_raise`] is returned as a value, also from a thread of the
/// prover. Any other panic is resumed. Where panics abort (`panic = "abort"`), no error can be returned.
///
/// ```
/// use merklize::{catch, merkle_root, or_raise, Hash, Options};
///
/// let prove = || or_raise(merkle_root(&[], Hash::BLAKE3, &Options::new()));
/// assert!(catch(prove).is_err());
/// ```
///
/// # Errors
/// The error that was raised.
pub fn catch<T>(prove: impl FnOnce() -> T) -> Result<T> {
    let catching = Catching::new();
    catch_unwind(AssertUnwindSafe(prove)).map_err(|panic| match panic.downcast::<Error>() {
        Ok(error) => *error,
        Err(other) => catching.0.get().cloned().unwrap_or_else(|| resume_unwind(other)),
    })
}

/// Runs a job of a prover on a device, or on the processors if the device has no memory left for it. Other provers and
/// programs fill a device at any time, and a proof of many jobs should not be lost by one.
///
/// ```
/// use merklize::{hash_leaves, or_on_cpu, Device, Hash, Options};
///
/// let device = Device::open("cpu")?; // or "cuda:0"
/// let job = |device: &_| hash_leaves(&[7u8; 64], 32, Hash::BLAKE3, &Options::new().device(device));
/// assert_eq!(or_on_cpu(&device, job)?.len(), 2);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// Those of the job, but `OutOfMemory` of a device.
pub fn or_on_cpu<T>(device: &Device, job: impl Fn(&Device) -> Result<T>) -> Result<T> {
    match job(device) {
        Err(error) if error.kind() == ErrorKind::OutOfMemory && device.info().backend != "cpu" => {
            job(&Device::open("cpu")?)
        }
        done => done,
    }
}

/// Makes `n` rows of `row_length` words, in pieces on all threads of the machine: for elements that a prover holds in
/// another form than the library takes. `fill` gets the first row of a piece and the piece's words.
///
/// ```
/// let rows: Vec<u64> = merklize::fill_rows(1000, 2, |first, words| {
///     for (i, row) in words.chunks_exact_mut(2).enumerate() {
///         row.copy_from_slice(&[(first + i) as u64, 0]);
///     }
/// });
/// assert_eq!(rows[2 * 999], 999);
/// ```
pub fn fill_rows<W: Word + Default>(n: usize, row_length: usize, fill: impl Fn(usize, &mut [W]) + Sync) -> Vec<W> {
    // Zeros from the allocator, so that each thread is the first to touch its pages.
    let mut rows = vec![W::default(); n.checked_mul(row_length).expect("the rows fit into memory")];
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    let piece = n.div_ceil(threads).max((1 << 14) / row_length.max(1)).max(1);
    let mut pieces = rows.chunks_mut((piece * row_length).max(1)).enumerate();
    thread::scope(|scope| {
        let first = pieces.next();
        for (k, words) in pieces {
            let fill = &fill;
            scope.spawn(move || fill(k * piece, words));
        }
        if let Some((_, words)) = first {
            fill(0, words);
        }
    });
    rows
}
