//! Timing, and the one-line JSON rows that the program prints.

use std::fmt::Write;
use std::time::Instant;

use rayon::ThreadPoolBuilder;

/// Options that every job has.
#[derive(Clone, Copy)]
pub struct Runs {
    pub repeats: usize,
    pub threads: usize,
}

impl Runs {
    /// Runs `work` on a thread of a new pool of `threads` threads, which rayon then uses for all that `work` shares
    /// out. Work that shares out nothing should stay outside: the pool's idle threads disturb short runs.
    pub fn in_pool<O: Send>(self, work: impl FnOnce() -> O + Send) -> Result<O, String> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).build();
        Ok(pool.map_err(|e| e.to_string())?.install(work))
    }
}

/// Seconds of calls: by the clock, and of the process on processors, which hold on a machine that others use, too.
pub struct Times {
    pub clock: Vec<f64>,
    pub cpu: Vec<f64>,
}

/// Seconds that all threads of the process have run.
fn cpu_seconds() -> f64 {
    extern "C" {
        fn clock() -> std::ffi::c_long;
    }
    const CLOCKS_PER_SEC: f64 = 1e6; // as POSIX has it
                                     // SAFETY: takes nothing and touches no memory of ours.
    unsafe { clock() as f64 / CLOCKS_PER_SEC }
}

/// Times of `repeats` calls of `work`, after one call that is not counted. `prepare` runs before each call and
/// `work`'s result is dropped after each call, both off the clock.
pub fn measure<I, O>(
    repeats: usize,
    mut prepare: impl FnMut() -> I,
    mut work: impl FnMut(I) -> O,
) -> Times {
    let (mut clock, mut cpu) = (Vec::new(), Vec::new());
    for turn in 0..=repeats {
        let input = prepare();
        let (start, used) = (Instant::now(), cpu_seconds());
        let output = std::hint::black_box(work(input));
        let (elapsed, used) = (start.elapsed().as_secs_f64(), cpu_seconds() - used);
        drop(output);
        if turn > 0 {
            clock.push(elapsed);
            cpu.push(used);
        }
    }
    Times { clock, cpu }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One JSON object, built field by field in the order of the calls.
pub struct Row {
    json: String,
}

impl Row {
    /// `peer` and `version` name the package that is measured, `n` counts what `job` works on.
    pub fn of_job(peer: &str, version: &str, job: &str, n: usize, runs: Runs) -> Self {
        Row::new()
            .text("peer", peer)
            .text("version", version)
            .text("target_cpu", env!("PEER_TARGET_CPU"))
            .text("job", job)
            .whole("n", n)
            .whole("threads", runs.threads)
    }

    pub fn new() -> Self {
        Row {
            json: String::new(),
        }
    }

    fn field(mut self, name: &str, value: &str) -> Self {
        let comma = if self.json.is_empty() { "" } else { ", " };
        write!(self.json, "{comma}\"{name}\": {value}").unwrap();
        self
    }

    /// `value` must need no escapes: the program only prints names, versions and hex digits.
    pub fn text(self, name: &str, value: &str) -> Self {
        assert!(!value.contains(|c: char| c == '"' || c == '\\' || c.is_control()));
        self.field(name, &format!("\"{value}\""))
    }

    pub fn whole(self, name: &str, value: usize) -> Self {
        self.field(name, &value.to_string())
    }

    /// `decimals` digits are kept after the point.
    pub fn list(self, name: &str, values: &[f64], decimals: usize) -> Self {
        let values: Vec<String> = values.iter().map(|v| format!("{v:.decimals$}")).collect();
        self.field(name, &format!("[{}]", values.join(", ")))
    }

    pub fn seconds(self, times: &Times) -> Self {
        self.list("seconds", &times.clock, 9)
            .list("cpu_seconds", &times.cpu, 6)
    }

    pub fn print(self) {
        println!("{{{}}}", self.json);
    }
}
