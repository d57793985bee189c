//! [`Workload`]: tasks in order, each with its threshold.

use super::attributes::{self, Attributes};
use super::document::{Document, Value};
use super::fields::Fields;
use super::files::Files;
use super::job_error::JobError;
use super::task::{self, MILLIS_MAX, Task};

/// The keys that only workloads have.
const OWN: &[&str] = &["name", "tasks"];

/// A workload, and how many times each thread performs it.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name, which is that of its file.
    pub key: String,
    /// How many times each thread performs it.
    pub loops: u64,
    /// Its tasks.
    pub positions: Vec<Position>,
}

/// A task in its position in a workload.
#[derive(Clone, Debug)]
pub struct Position {
    /// Its name.
    pub key: String,
    /// How many milliseconds it may take; for a sleep, how many it lasts in addition to its own.
    pub threshold: Option<u64>,
    /// The task.
    pub task: Task,
}

/// Reads a workload file and the files of its tasks.
pub(super) fn read(
    document: &Document,
    above: &Attributes,
    files: &mut Files,
) -> Result<Vec<Position>, JobError> {
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
    pass_on(&mut positions);
    Ok(positions)
}

/// Makes the attributes that a task keeps of its answer known to the tasks after it.
pub(super) fn pass_on(positions: &mut [Position]) {
    let mut kept = Vec::new();
    for position in positions {
        if let Task::Request(request) = &mut position.task {
            request.attributes.persist_also(&kept);
            kept.clone_from(&request.attributes.persist);
        }
    }
}

/// The entries of a list of objects that have one key each.
pub(super) fn entries<'a>(
    list: &Value<'a>,
    example: &str,
    files: &mut Files,
) -> Result<Vec<(&'a str, Value<'a>)>, JobError> {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::loadgen::draft::{Draft, Step};
    use crate::loadgen::drafting::draft;
    use crate::loadgen::reader;
    use crate::options::loadgen::Mixing;
    use crate::report::Compatibility;

    /// A job of a task that creates and one that deletes by `$_id`, in this order or the other; and the notes about it.
    fn drafted(keeps: &str, tasks: &str) -> (Draft, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let job = "{\"service-location-port\": \"http://h:1\", \"threads\": 1, \"workloads\": [{\"w\": 1}]}";
        write("jobs/job.json", job);
        write("workloads/w.json", &format!("{{\"tasks\": {tasks}}}"));
        let create = format!(
            "{{\"request\": \"POST\", \"header\": {{}}, \"url-endpoint\": \"/users\"{keeps}}}"
        );
        write("tasks/create.json", &create);
        let delete = "{\"request\": \"DELETE\", \"header\": {}, \"url-endpoint\": \"/users/\", \
                      \"url-payload\": \"$_id\"}";
        write("tasks/delete.json", delete);
        let path = Path::new(folder.path()).join("jobs/job.json");
        let mut files = Files::new(&path, &brunt_feed::Files::default());
        let job = reader::read(&path, &mut files).unwrap();
        let draft =
            draft(&job.workloads, Compatibility::Repaired, Mixing::Rounds, &mut files).unwrap();
        (draft, files.notes)
    }

    #[test]
    fn persist_in_a_task_reaches_later_tasks() {
        let order = "[{\"create\": 500}, {\"delete\": 500}]";
        let (draft, notes) = drafted(", \"persist\": [\"_id\"]", order);
        assert_eq!(notes, [""; 0]);
        let Step::Send(create) = &draft.scenarios[0].steps[0] else { panic!("a request") };
        assert_eq!(create.keeps, [("_id".to_owned(), 0)]);
    }

    #[test]
    fn word_named_like_an_attribute_is_sent_with_a_note() {
        let order = "[{\"create\": 500}, {\"delete\": 500}]";
        let (draft, notes) = drafted("", order);
        assert!(draft.variables.is_empty());
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(
            note.contains("$_id is no wildcard here") && note.contains("\"persist\""),
            "{note}"
        );
        // A task before the one that keeps it has nothing to take it from.
        let (_, notes) =
            drafted(", \"persist\": [\"_id\"]", "[{\"delete\": 500}, {\"create\": 500}]");
        assert!(notes[0].contains("$_id is no wildcard here"), "{notes:?}");
    }
}
