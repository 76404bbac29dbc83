//! What adapters of provers need besides trees.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::error::{Error, Result};
use crate::hash::Word;

/// Calls of [`catch`] that run now, in all threads: a prover's own threads raise what the caller's thread catches.
static CATCHING: AtomicUsize = AtomicUsize::new(0);

struct Catching;
impl Drop for Catching {
    fn drop(&mut self) {
        CATCHING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The value, or a panic with the error, which [`catch`] turns into a result again without printing anything. For functions of traits that cannot fail,
/// such as a prover's `commit`. While nobody catches, it is a plain panic with the error's text.
pub fn or_raise<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| match CATCHING.load(Ordering::SeqCst) {
        0 => panic!("{error}"),
        _ => resume_unwind(Box::new(error)),
    })
}

/// Runs a prover whose commitments may fail: an error of [`or_raise`] comes back as a value. Any other panic goes on.
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
    CATCHING.fetch_add(1, Ordering::SeqCst);
    let _catching = Catching;
    catch_unwind(AssertUnwindSafe(prove)).map_err(|panic| match panic.downcast::<Error>() {
        Ok(error) => *error,
        Err(other) => resume_unwind(other),
    })
}

/// Makes `n` rows of `row_length` words, in pieces on all threads of the machine: for elements that a prover holds in another form than the library
/// takes. `fill` gets the first row of a piece and the piece's words.
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
    // Zeros of the allocator: the threads touch the pages first.
    let mut rows = vec![W::default(); n * row_length];
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
