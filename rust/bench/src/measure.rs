//! Measurements in turns, their medians, and the rows of results.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use merklize::Device;

pub struct Bench {
    pub devices: Vec<Arc<Device>>,
    /// Only jobs whose name contains this text are measured.
    pub only: String,
    /// Logarithm of the rows of the committed matrix; `None` for the job's own.
    pub log_rows: Option<u32>,
    pub repeat: usize,
    /// Whether whole proofs are measured, too.
    pub proofs: bool,
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
    /// Median of the process's CPU seconds, and the stock implementation's divided by this one's. On a machine that others use, too, these two count.
    pub cpu_seconds: f64,
    pub cpu_ratio: f64,
}

impl Row {
    pub fn to_json(&self) -> String {
        let Self { job, what, log_rows, by, seconds, spread, ratio, cpu_seconds, .. } = self;
        let cpu_ratio = match self.cpu_ratio.is_finite() {
            true => format!("{:.3}", self.cpu_ratio),
            false => "null".into(), // too short for steps of 10 ms
        };
        format!(
            r#"  {{"job": "{job}", "what": "{what}", "log_rows": {log_rows}, "by": "{by}", "seconds": {seconds:.6}, "spread": {spread:.3}, "ratio": {ratio:.3}, "cpu_seconds": {cpu_seconds:.3}, "cpu_ratio": {cpu_ratio}}}"#
        )
    }
}

/// Times the part of a contender's run that counts.
#[derive(Default)]
pub struct Watch {
    seconds: f64,
    cpu_seconds: f64,
}

impl Watch {
    /// What `work` returns is dropped by the caller, outside of the time.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (start, cpu_before) = (Instant::now(), cpu_seconds());
        let result = work();
        self.seconds += start.elapsed().as_secs_f64();
        self.cpu_seconds += cpu_seconds() - cpu_before;
        result
    }
}

/// The name of an implementation, and its run, which times what counts.
pub type Contender<'a> = (String, Box<dyn Fn(&mut Watch) -> Result<(), Box<dyn Error>> + 'a>);

impl Bench {
    pub fn wants(&self, job: &str) -> bool {
        job.contains(&self.only)
    }

    /// Runs the contenders in turns, the stock one first. The first turn does not count. Prints and keeps a row for each contender.
    pub fn turns(
        &mut self,
        job: &str,
        what: &'static str,
        log_rows: u32,
        contenders: &[Contender<'_>],
    ) -> Result<(), Box<dyn Error>> {
        let mut seconds = vec![vec![]; contenders.len()];
        let mut cpu = seconds.clone();
        for turn in 0..=self.repeat {
            for ((_, run), (seconds, cpu)) in contenders.iter().zip(seconds.iter_mut().zip(&mut cpu)) {
                let mut watch = Watch::default();
                run(&mut watch)?;
                if turn > 0 {
                    seconds.push(watch.seconds);
                    cpu.push(watch.cpu_seconds);
                }
            }
        }
        let mut stock = None;
        for ((by, _), (mut seconds, mut cpu)) in contenders.iter().zip(seconds.into_iter().zip(cpu)) {
            seconds.sort_by(f64::total_cmp);
            cpu.sort_by(f64::total_cmp);
            let (median, cpu_seconds) = (seconds[seconds.len() / 2], cpu[cpu.len() / 2]);
            let (stock, stock_cpu) = *stock.get_or_insert((median, cpu_seconds));
            let spread = (seconds[seconds.len() - 1] - seconds[0]) / median;
            let (by, job) = (by.clone(), job.to_string());
            let (ratio, cpu_ratio) = (stock / median, stock_cpu / cpu_seconds);
            let row = Row { job, what, log_rows, by, seconds: median, spread, ratio, cpu_seconds, cpu_ratio };
            let Row { job, by, .. } = &row;
            println!(
                "{job:24} {what:8} 2^{log_rows:<3} {by:16} {median:9.4} s {ratio:6.2} x  CPU {cpu_seconds:8.3} s \
                 {cpu_ratio:6.2} x  spread {spread:.2}"
            );
            self.rows.push(row);
        }
        self.write()
    }

    fn write(&self) -> Result<(), Box<dyn Error>> {
        let Some(path) = &self.json else { return Ok(()) };
        let rows: Vec<String> = self.rows.iter().map(Row::to_json).collect();
        Ok(std::fs::write(path, format!("[\n{}\n]\n", rows.join(",\n")))?)
    }
}

/// CPU seconds of all threads of this process so far. Linux counts them in steps of 10 ms.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = |field: usize| after_name.split_whitespace().nth(field).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
