//! What the parts of a proof take, by the spans of `tracing` that Plonky3 enters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::LazyLock;
use std::time::Instant;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Spans of p3-uni-stark and p3-fri 0.8, and of merklize-plonky3, each entered at most once a proof.
const SPANS: [&str; 13] = [
    "commit to trace data",
    "commit to quotient poly chunks",
    "lower constraints",
    "wait for the program",
    "make selectors",
    "run program",
    "compare points",
    "open",
    "invert",
    "evaluate at points",
    "reduce",
    "commit phase",
    "query phase",
];
/// Of a proof. Constraints are what lies between the first two spans. The parts of a part follow it; lowering lies
/// beside the commitment.
pub const PARTS: [&str; 14] = [
    "commit",
    "constraints",
    "of_it_lowering",
    "of_it_waiting",
    "of_it_selectors",
    "of_it_program",
    "of_it_comparing",
    "commit_quotient",
    "open",
    "of_it_inverting",
    "of_it_evaluating",
    "of_it_reducing",
    "of_it_folding",
    "of_it_queries",
];

/// Nanoseconds since the first use, at which each span was entered and left last.
static TIMES: [[AtomicU64; 2]; SPANS.len()] = [const { [const { AtomicU64::new(0) }; 2] }; SPANS.len()];
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

struct Spans;

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && SPANS.contains(&metadata.name())
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let place = SPANS.iter().position(|&name| name == span.metadata().name());
        Id::from_u64(1 + place.unwrap_or(SPANS.len()) as u64)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, span: &Id) {
        note(span, 0);
    }
    fn exit(&self, span: &Id) {
        note(span, 1);
    }
}

fn note(span: &Id, end: usize) {
    if let Some(times) = TIMES.get(span.into_u64() as usize - 1) {
        times[end].store(START.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Measures all spans from now on.
pub fn measure() {
    let _ = tracing::subscriber::set_global_default(Spans);
}

/// Forgets the proof before.
pub fn clear() {
    TIMES.iter().flatten().for_each(|time| time.store(0, Ordering::Relaxed));
}

/// Seconds of each of PARTS in the last proof, if there was one. A span that was not entered took none.
pub fn parts() -> Option<[f64; PARTS.len()]> {
    let at = |span: usize, end: usize| TIMES[span][end].load(Ordering::Relaxed) as f64 / 1e9;
    let of = |span| at(span, 1) - at(span, 0);
    let [commit, quotient, lower, wait, select, run, compare, open, invert, evaluate, reduce, fold, query] =
        core::array::from_fn(of);
    let constraints = at(1, 0) - at(0, 1);
    (fold > 0.0).then_some([
        commit,
        constraints,
        lower,
        wait,
        select,
        run,
        compare,
        quotient,
        open,
        invert,
        evaluate,
        reduce,
        fold,
        query,
    ])
}
