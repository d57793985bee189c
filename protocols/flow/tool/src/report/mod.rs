//! LoadGen's report, line for line: the table of its tasks, the figures of the job, and the parts of the job.
//!
//! Columns, labels, tabs and formulas are those of LoadGen as it was last published, since scripts may cut every line
//! by position. Figures for which it has no field come after its last line: what was skipped, and which of its faults
//! are repaired. Where it prints `NaN`, a figure that was not measured is a dash.

mod decimal;
mod figures;

use std::fmt::Write as _;
use std::time::Duration;

use jiff::Zoned;

use decimal::decimal;

/// How dates are written, as Java's `Date` does.
const DATE: &str = "%a %b %d %H:%M:%S %Z %Y";
const HEADS: [(&str, usize); 16] = [
    ("Operation", 32),
    ("TxTotal", 10),
    ("AccmTime", 10),
    ("Thrshold", 10),
    ("TxPass", 10),
    ("PassTime", 10),
    ("TxExced", 10),
    ("ExcdTime", 10),
    ("TxFail", 10),
    ("Failtime", 10),
    ("CbdPsOps", 12),
    ("ThrdOps", 12),
    ("Avrms/op", 14),
    ("Success", 10),
    ("Exceed", 10),
    ("Fail", 10),
];

/// Whether a job is performed and reported as it is written, or as LoadGen would do it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compatibility {
    /// As the job is written; figures are exact, with a dash where nothing was measured.
    #[default]
    Repaired,
    /// With those faults of LoadGen that its figures depend on, in single precision, and `NaN` where nothing was
    /// measured.
    Compatible,
}

/// A job that is over.
#[derive(Clone, Debug)]
pub struct Report {
    /// Whether figures are those of LoadGen.
    pub manner: Compatibility,
    /// The threads.
    pub threads: u32,
    /// When the job began.
    pub started: Zoned,
    /// How long it took, from just before its first thread began.
    pub lapsed: Duration,
    /// How many threads began together, if the job has it.
    pub group_size: Option<u64>,
    /// How many milliseconds later the next ones began, if the job has it.
    pub interval: Option<u64>,
    /// The tasks without sleeps, in the order of the job.
    pub rows: Vec<Row>,
    /// How long all threads together slept.
    pub slept: Duration,
    /// The workloads that were performed.
    pub workloads: Vec<Workload>,
    /// All tasks that the shares of workloads are shares of, sleeps among them.
    pub tasks: u64,
    /// What was loaded, in the words of the job.
    pub environment: Option<String>,
    /// What made the load, in the words of the job.
    pub generator: Option<String>,
    /// The differences from LoadGen, each a sentence without its full stop.
    pub repairs: Vec<String>,
}

/// The results of a task.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// How many milliseconds it may take.
    pub threshold: Option<u64>,
    /// Executions that succeeded in time.
    pub passed: Sum,
    /// Executions that took longer, or were never answered.
    pub exceeded: Sum,
    /// Executions that failed otherwise.
    pub failed: Sum,
    /// Executions that were not tried, because a task before them had failed.
    pub skipped: u64,
}

/// A number and a sum of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// Their total time.
    pub time: Duration,
}

/// A workload that was performed.
#[derive(Clone, Debug)]
pub struct Workload {
    /// What it is called.
    pub name: String,
    /// How often it should be performed, by all threads together.
    pub loops: u64,
    /// How often it was begun.
    pub begun: u64,
    /// How many of all tasks are its own.
    pub share: u64,
    /// Its tasks, in order.
    pub tasks: Vec<String>,
}

/// The text that is printed when a job begins.
pub(crate) fn opening(threads: u32, started: &Zoned) -> String {
    format!("Job Started with {threads} threads on {}.\n", started.strftime(DATE))
}

impl Report {
    /// Everything that is printed when a job is over.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.head(&mut out);
        for row in self.rows.iter().filter(|row| row.total().count + row.skipped > 0) {
            self.row(row, &mut out);
        }
        self.job(&mut out);
        self.composition(&mut out);
        self.beyond(&mut out);
        out
    }

    fn head(&self, out: &mut String) {
        let completed = self.started.saturating_add(self.lapsed);
        let _ = writeln!(out, ". Stopped and completed.");
        let _ = writeln!(
            out,
            "Job Started with {} threads on {}...and completed {}; lapsed clock time = {} seconds.",
            self.threads,
            self.started.strftime(DATE),
            completed.strftime(DATE),
            self.lapsed.as_secs()
        );
        for (at, (head, width)) in HEADS.into_iter().enumerate() {
            let _ =
                if at == 0 { write!(out, "{head:<width$}") } else { write!(out, "{head:>width$}") };
        }
        out.push('\n');
    }

    fn row(&self, row: &Row, out: &mut String) {
        let sum = |sum: Sum| {
            let seconds = decimal(self.manner.seconds(sum.time), 3);
            format!("{:>10}{seconds:>9}s", sum.count)
        };
        let threshold = row
            .threshold
            .map_or_else(|| format!("{:>10}", "-"), |threshold| format!("{threshold:>8}ms"));
        let quotients = row.quotients(self.manner, self.threads);
        let _ = write!(out, "{:<32}{}{threshold}", row.name, sum(row.total()));
        for part in [row.passed, row.exceeded, row.failed] {
            out.push_str(&sum(part));
        }
        for value in [quotients.combined_per_second, quotients.per_thread_per_second] {
            out.push_str(&known(value, 3, "/s", 12));
        }
        out.push_str(&known(quotients.millis, 3, "ms/op", 14));
        for value in quotients.percents {
            out.push_str(&known(value, 2, "%", 10));
        }
        out.push('\n');
    }

    /// The figures of the job as a whole.
    fn job(&self, out: &mut String) {
        let time = |time: Duration| format!("{}ms; {}s", time.as_millis(), time.as_secs());
        let given = |value: Option<u64>| match (value, self.manner) {
            (Some(value), _) => value.to_string(),
            (None, Compatibility::Compatible) => "null".to_owned(),
            (None, Compatibility::Repaired) => "0".to_owned(),
        };
        let passed = self.passed();
        let rate = |value: Option<f64>| {
            format!("{:<8}", value.map_or_else(|| "-".to_owned(), |value| decimal(value, 3)))
        };
        let success = self.manner.percent(passed.count, self.goal());
        let lines = [
            ("Job lapsed time", time(self.lapsed)),
            ("Passed Accum time", time(passed.time)),
            ("Total Threads", self.threads.to_string()),
            ("Thread group size", given(self.group_size)),
            ("Launch interval", given(self.interval) + "ms"),
            ("Transaction goal", self.goal().to_string()),
            ("Transaction actual", passed.count.to_string()),
            ("Successful ops/s", rate(self.successful_per_second())),
            ("Ops/s during job", rate(self.per_second())),
            ("Success rate", percent(success)),
            ("Total sleep sec", format!("{:<9}", decimal(self.manner.seconds(self.slept), 3))),
        ];
        for (label, value) in lines {
            // Values are aligned at the same tab stop.
            let tabs = if label.len() + 2 < 16 { "\t\t" } else { "\t" };
            let _ = writeln!(out, "{label} ={tabs}{value}");
        }
    }

    /// The parts of the job.
    fn composition(&self, out: &mut String) {
        let _ = writeln!(out, "Based on following workloads:");
        for workload in &self.workloads {
            let Workload { name, loops, begun, .. } = workload;
            let share = percent(self.manner.percent(workload.share, self.tasks));
            let all = if begun == loops || self.manner == Compatibility::Compatible {
                String::new()
            } else {
                format!(", of which {begun} began")
            };
            let _ = writeln!(
                out,
                "\tWorkload: {name} with {loops} loops{all};\tPercent load = {share}"
            );
            let _ = writeln!(out, "\tTasks used:");
            for task in &workload.tasks {
                let _ = writeln!(out, "\t\t{task}");
            }
        }
        let unsaid = if self.manner == Compatibility::Compatible { "null" } else { "-" };
        let message = |text: &Option<String>| text.clone().unwrap_or_else(|| unsaid.to_owned());
        let _ = writeln!(out, "Target environment(s): {}", message(&self.environment));
        let _ = writeln!(out, "Load generator: {}", message(&self.generator));
    }

    /// Figures for which the original report has no field.
    fn beyond(&self, out: &mut String) {
        let skipped: Vec<&Row> = self.rows.iter().filter(|row| row.skipped > 0).collect();
        if !skipped.is_empty() {
            let _ = writeln!(out, "Skipped after a failure:");
            for row in skipped {
                let _ = writeln!(out, "\t\t{} {}", row.name, row.skipped);
            }
        }
        for repair in &self.repairs {
            let _ = writeln!(out, "Repaired: {repair}.");
        }
    }
}

/// A figure and its unit in a column of this width; a dash where it is unknown.
fn known(value: Option<f64>, places: usize, unit: &str, width: usize) -> String {
    let text = value.map_or_else(|| "-".to_owned(), |value| decimal(value, places) + unit);
    format!("{text:>width$}")
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| decimal(value, 2) + "%")
}

#[cfg(test)]
mod tests;
