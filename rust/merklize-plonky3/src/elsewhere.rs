use std::thread;

use p3_matrix::dense::RowMajorMatrix;

/// Less is given back sooner than a thread begins.
const LARGE: usize = 64 << 20;

/// Drops a value with so many bytes of memory. Large memory is given back by another thread, because the system takes
/// tens of milliseconds for a GB of it, for which a prover need not wait.
fn drop_elsewhere<T: Send + 'static>(value: T, bytes: usize) {
    if bytes >= LARGE {
        // If the system refuses a thread, the value is dropped here.
        let _ = thread::Builder::new().spawn(move || drop(value));
    }
}

pub(crate) fn drop_matrices<F: Send + 'static>(matrices: Vec<RowMajorMatrix<F>>) {
    let bytes = matrices.iter().map(|matrix| size_of_val(&matrix.values[..])).sum();
    drop_elsewhere(matrices, bytes);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, Sender};
    use std::thread::{current, ThreadId};

    use super::*;

    struct Noted(Sender<ThreadId>);

    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.send(current().id()).unwrap();
        }
    }

    #[test]
    fn large_memory_is_given_back_by_another_thread() {
        let (sender, receiver) = channel();
        drop_elsewhere(Noted(sender.clone()), LARGE - 1);
        assert_eq!(receiver.recv().unwrap(), current().id());
        drop_elsewhere(Noted(sender), LARGE);
        assert_ne!(receiver.recv().unwrap(), current().id());
    }
}
