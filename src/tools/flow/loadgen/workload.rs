//! [`Workload`]: tasks in order, each with its threshold.

use super::attributes::{self, Attributes};
use super::document::{Document, Value};
use super::fault::Fault;
use super::fields::Fields;
use super::files::Files;
use super::task::{self, MILLIS_MAX, Task};

/// The keys that only workloads have.
const OWN: &[&str] = &["name", "tasks"];

/// A workload, and how many times each thread performs it.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    /// Its name, which is that of its file.
    pub(crate) key: String,
    /// How many times each thread performs it.
    pub(crate) loops: u64,
    /// Its tasks.
    pub(crate) positions: Vec<Position>,
}

/// A task in its position in a workload.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// Its name.
    pub(crate) key: String,
    /// How many milliseconds it may take; for a sleep, how many it lasts in addition to its own.
    pub(crate) threshold: Option<u64>,
    /// The task.
    pub(crate) task: Task,
}

/// Reads a workload file and the files of its tasks.
pub(crate) fn read(
    document: &Document,
    above: &Attributes,
    files: &mut Files,
) -> Result<Vec<Position>, Fault> {
    let known = [OWN, attributes::KEYS].concat();
    let fields = Fields::read(&document.value(), &known, &mut files.notes)?;
    let attributes = Attributes::read(&fields, &mut files.notes)?.over(above);
    let tasks = fields.must("tasks", "list them: [ { \"task\": 200 }, ... ]")?;
    let mut positions = Vec::new();
    for (key, threshold) in entries(tasks, "{ \"task\": 200 }", files)? {
        let file = files.named("tasks", key, &threshold)?;
        positions.push(Position {
            key: key.to_owned(),
            threshold: Some(threshold.whole(0, MILLIS_MAX)?),
            task: task::read(&file, &attributes, files)?,
        });
    }
    if positions.is_empty() {
        return Err(tasks.fault("a workload without a task does nothing", "list at least one"));
    }
    Ok(positions)
}

/// The entries of a list of objects that have one key each.
pub(crate) fn entries<'a>(
    list: &Value<'a>,
    example: &str,
    files: &mut Files,
) -> Result<Vec<(&'a str, Value<'a>)>, Fault> {
    let mut all = Vec::new();
    for element in list.list()? {
        let entries = element.last_of_each(&mut files.notes)?;
        if entries.is_empty() {
            return Err(element.fault("it is empty", format!("write {example}")));
        }
        if entries.len() > 1 {
            files.notes.push(format!(
                "{}, line {}: one object has {} entries, of which LoadGen takes an arbitrary one; all are used, in \
                 order",
                element.document.path.display(),
                element.document.place(element.node.at).line,
                entries.len()
            ));
        }
        all.extend(entries);
    }
    Ok(all)
}
