//! [`Job`]: a job file and all the files it names, with every attribute at its level.
//!
//! Everything is read before anything is sent, including workloads that are performed zero times: a job that failed in
//! its tenth minute because of a missing comma would waste ten minutes.

use super::attributes::{self, Attributes};
use super::document::Value;
use super::fields::Fields;
use super::files::Files;
use super::job_error::JobError;
use super::task::MILLIS_MAX;
use super::workload::{self, Workload};

/// The keys that only jobs have.
const OWN: &[&str] = &[
    "name",
    "service-environment",
    "load-generator",
    "threads",
    "threadgroupsize",
    "threadinterval",
    "workloads",
];
/// The most threads: more than one machine can have connections to one address.
pub(super) const THREADS_MAX: u64 = 1_000_000;
/// The most loops, the maximum of a Java `int`.
pub(super) const LOOPS_MAX: u64 = i32::MAX as u64;

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    /// `name`.
    pub name: Option<String>,
    /// `service-environment`.
    pub environment: Option<String>,
    /// `load-generator`.
    pub generator: Option<String>,
    /// `threads`.
    pub threads: u32,
    /// `threadgroupsize`, if present.
    pub group_size: Option<u64>,
    /// `threadinterval` in milliseconds, if present.
    pub interval: Option<u64>,
    /// The workloads that are performed and measured.
    pub workloads: Vec<Workload>,
    /// The workloads that are performed before, and not measured.
    pub warm_up: Vec<Workload>,
}

/// Reads the job of a file that lists workloads, and everything it names.
pub(super) fn read(value: &Value<'_>, files: &mut Files) -> Result<Job, JobError> {
    let known = [OWN, attributes::KEYS].concat();
    let fields = Fields::read(value, &known, &mut files.notes)?;
    let attributes = Attributes::read(&fields, &mut files.notes)?;
    let list = fields.must("workloads", "list them: [ { \"workload\": 100 }, ... ]")?;
    let mut workloads = Vec::new();
    for (key, loops) in workload::entries(list, "{ \"workload\": 100 }", files)? {
        let file = files.named("workloads", key, &loops)?;
        workloads.push(Workload {
            key: key.to_owned(),
            loops: loops.whole(0, LOOPS_MAX)?,
            positions: workload::read(&file, &attributes, files)?,
        });
    }
    if workloads.iter().all(|workload| workload.loops == 0) {
        return Err(list.fault(
            "every workload has 0 loops, so nothing would be sent",
            "set the loops of one of them",
        ));
    }
    Ok(Job { workloads, ..frame(&fields, "threadinterval")? })
}

/// A job's general settings and those of its threads. `interval` is the key of the time between groups of threads.
pub(super) fn frame(fields: &Fields<'_>, interval: &str) -> Result<Job, JobError> {
    let whole = |name: &str, most: u64| {
        fields.one(name).map(|it: &Value<'_>| it.whole(0, most)).transpose()
    };
    let owned = |name: &str| fields.text(name).map(|text| text.map(str::to_owned));
    let threads = fields.must("threads", "set the number of threads")?;
    Ok(Job {
        name: owned("name")?,
        environment: owned("service-environment")?,
        generator: owned("load-generator")?,
        threads: threads.whole(1, THREADS_MAX)? as u32,
        group_size: whole("threadgroupsize", THREADS_MAX)?,
        interval: whole(interval, MILLIS_MAX)?,
        workloads: Vec::new(),
        warm_up: Vec::new(),
    })
}
