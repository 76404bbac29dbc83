//! Measurements in turns, their medians, and the rows of results.

use std::error::Error;
use std::sync::Arc;
#[cfg(feature = "proofs")]
use std::thread;
use std::time::Instant;

use merklize::Device;

use crate::spans;

pub struct Bench {
    pub devices: Vec<Arc<Device>>,
    /// Only jobs whose name contains this text are measured.
    pub only: String,
    /// Logarithm of the rows of the committed matrix; `None` for the job's own.
    pub log_rows: Option<u32>,
    pub repeat: usize,
    /// Whether whole proofs are measured, too.
    pub proofs: bool,
    /// Whether proofs with a precomputed commitment are measured beside the others, and commitments alone are not.
    pub gate: bool,
    /// Whether proofs by two threads at once are measured, too.
    #[cfg(feature = "proofs")]
    pub together: bool,
    /// The file to which all rows are written after each measurement.
    pub json: Option<String>,
    pub rows: Vec<Row>,
}

/// The result of one implementation of one job: medians of all turns.
pub struct Row {
    pub job: String,
    pub what: &'static str,
    pub log_rows: u32,
    pub by: String,
    pub seconds: f64,
    pub spread: f64,
    /// Time of the stock implementation divided by this one's.
    pub ratio: f64,
    /// Median of the process's CPU seconds, and the stock implementation's divided by this one's. On a machine that
    /// others use, too, these two count.
    pub cpu_seconds: f64,
    pub cpu_ratio: f64,
    /// 10^9 bytes a second, of a copy.
    pub gb_per_second: Option<f64>,
    /// Medians of the seconds of `spans::PARTS`, of a proof by Plonky3; else none.
    pub parts: Vec<f64>,
}

impl Row {
    pub fn to_json(&self) -> String {
        let Self { job, what, log_rows, by, seconds, spread, ratio, cpu_seconds, cpu_ratio, gb_per_second, parts } =
            self;
        // Without a value: a copy's ratio, and one of CPU seconds too short for steps of 10 ms.
        let or_null = |value: &f64| if value.is_finite() { format!("{value:.3}") } else { "null".into() };
        let (ratio, cpu_seconds, cpu_ratio) = (or_null(ratio), or_null(cpu_seconds), or_null(cpu_ratio));
        let rate = gb_per_second.map_or(String::new(), |rate| format!(r#", "gb_per_second": {rate:.2}"#));
        let parts: Vec<String> =
            spans::PARTS.iter().zip(parts).map(|(part, seconds)| format!(r#""{part}": {seconds:.6}"#)).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(r#", "parts": {{{}}}"#, parts.join(", ")) };
        format!(
            r#"  {{"job": "{job}", "what": "{what}", "log_rows": {log_rows}, "by": "{by}", "seconds": {seconds:.6}, "spread": {spread:.3}, "ratio": {ratio}, "cpu_seconds": {cpu_seconds}, "cpu_ratio": {cpu_ratio}{rate}{parts}}}"#
        )
    }
}

/// Times the part of a contender's run that counts.
#[derive(Default)]
pub struct Watch {
    seconds: f64,
    cpu_seconds: f64,
    parts: Option<[f64; spans::PARTS.len()]>,
}

impl Watch {
    /// What `work` returns is dropped by the caller, outside of the time.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        spans::clear();
        let (start, cpu_before) = (Instant::now(), cpu_seconds());
        let result = work();
        self.seconds += start.elapsed().as_secs_f64();
        self.cpu_seconds += cpu_seconds() - cpu_before;
        self.parts = spans::parts();
        result
    }
}

/// The name of an implementation, and its run, which times what counts.
pub type Contender<'a> = (String, Box<dyn Fn(&mut Watch) -> Result<(), Box<dyn Error>> + 'a>);

impl Bench {
    pub fn wants(&self, job: &str) -> bool {
        job.contains(&self.only)
    }

    /// Runs the contenders in turns, the stock one first. The first turn does not count. Prints and keeps a row for
    /// each contender.
    pub fn turns(
        &mut self,
        job: &str,
        what: &'static str,
        log_rows: u32,
        contenders: &[Contender<'_>],
    ) -> Result<(), Box<dyn Error>> {
        let mut all = vec![(vec![], vec![], vec![]); contenders.len()];
        for turn in 0..=self.repeat {
            for ((_, run), (seconds, cpu, parts)) in contenders.iter().zip(&mut all) {
                let mut watch = Watch::default();
                run(&mut watch)?;
                if turn > 0 {
                    seconds.push(watch.seconds);
                    cpu.push(watch.cpu_seconds);
                    parts.extend(watch.parts);
                }
            }
        }
        let mut stock = None;
        for ((by, _), (mut seconds, mut cpu, of_turns)) in contenders.iter().zip(all) {
            let ((median, spread), cpu_seconds) = (median_of(&mut seconds), median_of(&mut cpu).0);
            let (stock, stock_cpu) = *stock.get_or_insert((median, cpu_seconds));
            let (by, job) = (by.clone(), job.to_string());
            let (ratio, cpu_ratio) = (stock / median, stock_cpu / cpu_seconds);
            let (seconds, gb_per_second) = (median, None);
            let part = |k| median_of(&mut of_turns.iter().map(|parts| parts[k]).collect::<Vec<_>>()).0;
            let parts = if of_turns.is_empty() { vec![] } else { (0..spans::PARTS.len()).map(part).collect() };
            let row =
                Row { job, what, log_rows, by, seconds, spread, ratio, cpu_seconds, cpu_ratio, gb_per_second, parts };
            let Row { job, by, .. } = &row;
            println!(
                "{job:24} {what:8} 2^{log_rows:<3} {by:20} {median:9.4} s {ratio:6.2} x  CPU {cpu_seconds:8.3} s \
                 {cpu_ratio:6.2} x  spread {spread:.2}"
            );
            for (part, seconds) in spans::PARTS.iter().zip(&row.parts).filter(|(_, &seconds)| seconds > 0.0) {
                println!("    {part:20} {seconds:9.4} s  {:.2} of it", seconds / median);
            }
            self.rows.push(row);
        }
        self.write()
    }

    /// Prints and keeps a row for a part of a contender's work. `bytes` is what a copy has copied, or 0.
    #[cfg(feature = "proofs")]
    pub fn part(
        &mut self,
        job: &str,
        what: &'static str,
        log_rows: u32,
        by: &str,
        bytes: usize,
        mut seconds: Vec<f64>,
    ) -> Result<(), Box<dyn Error>> {
        let (median, spread) = median_of(&mut seconds);
        let gb_per_second = (bytes > 0).then_some(bytes as f64 / median / 1e9);
        let rate = gb_per_second.map_or(String::new(), |rate| format!("  {rate:.1} GB/s"));
        println!("{job:24} {what:28} {by:20} {median:9.4} s  spread {spread:.2}{rate}");
        let (job, by, none) = (job.to_string(), by.to_string(), f64::NAN);
        self.rows.push(Row {
            job,
            what,
            log_rows,
            by,
            seconds: median,
            spread,
            ratio: none,
            cpu_seconds: none,
            cpu_ratio: none,
            gb_per_second,
            parts: vec![],
        });
        self.write()
    }

    /// Measures `repeat` proofs one after another, then those of two threads of which each makes as many. Inputs are
    /// made before, and proofs are judged afterwards.
    #[cfg(feature = "proofs")]
    pub fn together<T: Send, P: Send>(
        &mut self,
        job: &str,
        log_rows: u32,
        by: &str,
        input: impl Fn() -> T,
        proof: impl Fn(T) -> Result<P, String> + Sync,
        judge: impl Fn(P) -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        for (what, n_threads) in [("proofs one by one", 1), ("proofs two at once", 2)] {
            let inputs = || (0..self.repeat).map(|_| input()).collect::<Vec<_>>();
            let inputs: Vec<_> = (0..n_threads).map(|_| inputs()).collect();
            let prove = |inputs: Vec<T>| inputs.into_iter().map(&proof).collect::<Result<Vec<_>, _>>();
            let prove = &prove;
            let start = Instant::now();
            let proofs = thread::scope(|scope| {
                let threads: Vec<_> = inputs.into_iter().map(|inputs| scope.spawn(move || prove(inputs))).collect();
                let proofs = threads.into_iter().map(|thread| thread.join().expect("errors are values"));
                proofs.collect::<Result<Vec<_>, _>>()
            })?;
            let seconds = start.elapsed().as_secs_f64() / (n_threads * self.repeat) as f64;
            proofs.into_iter().flatten().try_for_each(&judge)?;
            self.part(job, what, log_rows, by, 0, vec![seconds])?;
            println!("{:>8.0} proofs an hour", 3600.0 / seconds);
        }
        Ok(())
    }

    fn write(&self) -> Result<(), Box<dyn Error>> {
        let Some(path) = &self.json else { return Ok(()) };
        let rows: Vec<String> = self.rows.iter().map(Row::to_json).collect();
        Ok(std::fs::write(path, format!("[\n{}\n]\n", rows.join(",\n")))?)
    }
}

/// The median, and the distance of the largest from the smallest divided by it.
fn median_of(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let median = values[values.len() / 2];
    (median, (values[values.len() - 1] - values[0]) / median)
}

/// CPU seconds of all threads of this process so far. Linux counts them in steps of 10 ms.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = |field: usize| after_name.split_whitespace().nth(field).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
