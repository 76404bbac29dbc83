//! Turns, medians and rows of results.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use merklize::Device;

pub struct Bench {
    pub devices: Vec<Arc<Device>>,
    /// Only jobs whose name has this text.
    pub only: String,
    /// Rows of the committed matrix; `None`: those of the job.
    pub log_rows: Option<u32>,
    pub repeat: usize,
    /// Whole proofs, too.
    pub proofs: bool,
    pub rows: Vec<Row>,
}

/// Median of one implementation of one job.
pub struct Row {
    pub job: String,
    pub what: &'static str,
    pub log_rows: u32,
    pub by: String,
    pub seconds: f64,
    pub spread: f64,
    /// How many times as fast as the stock one.
    pub ratio: f64,
}

impl Row {
    pub fn to_json(&self) -> String {
        let Self { job, what, log_rows, by, seconds, spread, ratio } = self;
        format!(
            r#"  {{"job": "{job}", "what": "{what}", "log_rows": {log_rows}, "by": "{by}", "seconds": {seconds:.6}, "spread": {spread:.3}, "ratio": {ratio:.3}}}"#
        )
    }
}

/// Something to time, under the name of who does it.
pub type Contender<'a> = (String, Box<dyn Fn() -> Result<(), Box<dyn Error>> + 'a>);

impl Bench {
    pub fn wants(&self, job: &str) -> bool {
        job.contains(&self.only)
    }

    /// Runs the contenders in turns, the stock one first, after a turn that does not count. Prints and keeps a row for each.
    pub fn turns(
        &mut self,
        job: &str,
        what: &'static str,
        log_rows: u32,
        contenders: &[Contender<'_>],
    ) -> Result<(), Box<dyn Error>> {
        let mut seconds = vec![vec![]; contenders.len()];
        for turn in 0..=self.repeat {
            for ((_, run), seconds) in contenders.iter().zip(&mut seconds) {
                let start = Instant::now();
                run()?;
                if turn > 0 {
                    seconds.push(start.elapsed().as_secs_f64());
                }
            }
        }
        let mut stock = None;
        for ((by, _), mut seconds) in contenders.iter().zip(seconds) {
            seconds.sort_by(f64::total_cmp);
            let median = seconds[seconds.len() / 2];
            let stock = *stock.get_or_insert(median);
            let spread = (seconds[seconds.len() - 1] - seconds[0]) / median;
            let (by, job) = (by.clone(), job.to_string());
            let row = Row { job, what, log_rows, by, seconds: median, spread, ratio: stock / median };
            let Row { job, by, .. } = &row;
            println!(
                "{job:24} {what:12} 2^{log_rows:<3} {by:16} {median:10.4} s  {:6.2} x  spread {spread:.2}",
                row.ratio
            );
            self.rows.push(row);
        }
        Ok(())
    }
}
