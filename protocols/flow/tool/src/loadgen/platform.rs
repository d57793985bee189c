//! The other format of a job, which LoadGen's author left as a draft: everything in one file.
//!
//! `workload` names what is performed and `warmup` what is performed before. A name is defined by an array in the same
//! file, or else by a workload file; it consists of tasks that are repeated together and of other workloads. A repeated
//! group of tasks is a workload in the sense of the older format, so both are measured and mixed in the same way.

use super::attributes::{self, Attributes};
use super::document::{Kind, Value};
use super::fields::{Fields, unknown};
use super::files::Files;
use super::job::{Job, LOOPS_MAX, frame};
use super::job_error::JobError;
use super::task::{self, MILLIS_MAX};
use super::workload::{self, Position, Workload};

/// The keys that only such jobs have.
const OWN: &[&str] = &[
    "name",
    "version",
    "service-environment",
    "load-generator",
    "threads",
    "threadgroupsize",
    "threadspawninterval",
    "threadinterval",
    "warmup",
    "workload",
];
/// The only version that exists.
const VERSION: u64 = 1;
/// The most workloads that one may expand to.
const WORKLOADS_MAX: usize = 10_000;

/// Reads a job of this format.
pub(super) fn read(value: &Value<'_>, files: &mut Files) -> Result<Job, JobError> {
    let known = [OWN, attributes::KEYS].concat();
    let (fields, others) = Fields::split(value, &known, &mut files.notes)?;
    if let Some(version) = fields.one("version") {
        version.whole(VERSION, VERSION)?;
    }
    let attributes = Attributes::read(&fields, &mut files.notes)?;
    let mut definitions = Definitions { attributes, all: Vec::new() };
    for member in others {
        if !matches!(member.value.kind, Kind::List(_) | Kind::Object(_)) {
            return Err(unknown(value, member, &known));
        }
        definitions.all.push((&member.name, value.below(&member.name, &member.value)));
    }
    for (_, task) in
        definitions.all.iter().filter(|(_, it)| matches!(it.node.kind, Kind::Object(_)))
    {
        task::described(task, &definitions.attributes, files)?;
    }
    let list = fields.must("workload", "name the workloads: [ \"login\", ... ]")?;
    let workloads = definitions.named(list, files)?;
    let warm_up =
        fields.one("warmup").map_or(Ok(Vec::new()), |list| definitions.named(list, files))?;
    if workloads.iter().all(|workload| workload.loops == 0) {
        return Err(list.fault(
            "every workload has 0 iterations, so nothing would be sent",
            "set the iterations of one of them",
        ));
    }
    let intervals = ["threadspawninterval", "threadinterval"];
    let interval = intervals.into_iter().find(|name| fields.one(name).is_some());
    Ok(Job { workloads, warm_up, ..frame(&fields, interval.unwrap_or("threadinterval"))? })
}

/// The names that the file defines.
struct Definitions<'a> {
    attributes: Attributes,
    all: Vec<(&'a str, Value<'a>)>,
}

impl<'a> Definitions<'a> {
    fn find(&self, name: &str) -> Option<&Value<'a>> {
        self.all.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The workloads that a list names.
    fn named(&self, list: &Value<'_>, files: &mut Files) -> Result<Vec<Workload>, JobError> {
        let mut all = Vec::new();
        for name in list.list()? {
            self.collect(name.text()?, &name, 1, &mut Vec::new(), &mut all, files)?;
        }
        Ok(all)
    }

    /// Adds everything that a workload consists of, with the counts of each part multiplied.
    fn collect(
        &self,
        name: &str,
        named_by: &Value<'_>,
        times: u64,
        within: &mut Vec<String>,
        all: &mut Vec<Workload>,
        files: &mut Files,
    ) -> Result<(), JobError> {
        if within.iter().any(|outer| outer == name) {
            let what = format!("the workload \"{name}\" contains itself");
            return Err(named_by.fault(what, "remove it here"));
        }
        if all.len() >= WORKLOADS_MAX {
            let what = format!("there are more than {WORKLOADS_MAX} groups of tasks");
            return Err(named_by.fault(what, "nest less"));
        }
        let Some(definition) = self.find(name) else {
            let file = files.named("workloads", name, named_by)?;
            let positions = workload::read(&file, &self.attributes, files)?;
            all.push(Workload { key: name.to_owned(), loops: times, positions });
            return Ok(());
        };
        within.push(name.to_owned());
        let group = |member: &str| ["task", "iterations"].contains(&member);
        for part in definition.list()? {
            if part.members()?.iter().any(|member| group(&member.name)) {
                let (positions, loops) = self.group(&part, files)?;
                let loops = product(times, loops, &part)?;
                all.push(Workload { key: name.to_owned(), loops, positions });
                continue;
            }
            for (inner, count) in part.last_of_each(&mut files.notes)? {
                let count = count.whole(0, LOOPS_MAX)?;
                let times = product(times, count, &part)?;
                self.collect(inner, &part, times, within, all, files)?;
            }
        }
        within.pop();
        Ok(())
    }

    /// Tasks that are repeated together, and how many times.
    fn group(&self, part: &Value<'a>, files: &mut Files) -> Result<(Vec<Position>, u64), JobError> {
        let fields = Fields::read(part, &["task", "iterations"], &mut files.notes)?;
        let loops = fields
            .must("iterations", "set how often the tasks are repeated")?
            .whole(0, LOOPS_MAX)?;
        let tasks = fields.must("task", "name the tasks: [ \"login\", ... ]")?;
        let mut positions = Vec::new();
        for name in tasks.list()? {
            let key = name.text()?;
            let (task, threshold) = if let Some(definition) = self.find(key) {
                let (task, threshold) = task::described(definition, &self.attributes, files)?;
                let millis = |value: Value<'_>| value.whole(0, MILLIS_MAX);
                (task, threshold.map(millis).transpose()?)
            } else {
                let file = files.named("tasks", key, &name)?;
                (task::read(&file, &self.attributes, files)?, None)
            };
            positions.push(Position { key: key.to_owned(), threshold, task });
        }
        if positions.is_empty() {
            return Err(tasks.fault("a workload without a task does nothing", "name at least one"));
        }
        workload::pass_on(&mut positions);
        Ok((positions, loops))
    }
}

fn product(times: u64, loops: u64, part: &Value<'_>) -> Result<u64, JobError> {
    times.checked_mul(loops).filter(|product| *product <= LOOPS_MAX).ok_or_else(|| {
        let what = format!("that is {times} times {loops} iterations");
        part.fault(what, format!("reduce them to {LOOPS_MAX} at most"))
    })
}
