//! [`Children`]: processes of the same program that read what users wrote and generate load.
//!
//! The server itself does neither. Each child is started from `/proc/self/exe` in a process group of its own, with an
//! empty environment. It receives one [`Envelope`] on its standard input and confines itself before it interprets the
//! content. It can read the files of its own directory and those needed to resolve names and verify certificates; a
//! check or an index can reach no address at all.

mod short;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use brunt_envelope::{
    Answer, COMPARED_MAX, Checked, Compared, Delivery, Envelope, Export, Fetch, Fetched, Finding,
    Import, Imported, RunSpec, RunTask, Task,
};
use brunt_history::files::{LOG, RunFiles};
use brunt_history::parts::PageParts;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use short::Permits;

/// The hidden command of the program that runs a child.
pub const COMMAND: &str = "serve-child";
/// How long a check may take.
const CHECKING: Duration = Duration::from_secs(10);
/// How long it may take to read a record and to write the files that are made from it.
const INDEXING: Duration = Duration::from_secs(60);
/// How long an import may take.
const IMPORTING: Duration = Duration::from_secs(20);
/// How long sending a message to a webhook may take.
const DELIVERING: Duration = Duration::from_secs(20);
/// How long a request to the provider may take, and its process.
const FETCHING: Duration = Duration::from_secs(10);
/// How long it may take to try a plan once.
const TRYING: Duration = Duration::from_secs(30);
/// How long a comparison may take.
const COMPARING: Duration = Duration::from_secs(60);

/// Starts children.
#[derive(Debug)]
pub struct Children {
    program: PathBuf,
    places: Permits,
}

/// Why a child has no result.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// It could not be started.
    #[error("failed to start a process for it: {0}")]
    Start(#[source] io::Error),
    /// It took too long.
    #[error("failed to finish within {} s, so it was ended; make it smaller", .0.as_secs())]
    Slow(Duration),
    /// It ended without an answer, as a process does that reaches its memory limit.
    #[error("failed to get an answer: the process ended without one{0}")]
    Ended(String),
    /// The disk has no room for its result.
    #[error("failed to store the result: {0}")]
    Full(String),
    /// Its answer cannot be understood.
    #[error("failed to understand the answer: {0}")]
    Garbled(#[from] serde_json::Error),
    /// It answered that there is none, and why.
    #[error("{0}")]
    Declined(String),
}

/// Runs that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct ComparedPage {
    /// Text and tables.
    pub page: PageParts,
    /// Differences between the runs, other than their figures, that prevent a comparison.
    pub unlike: Vec<String>,
    /// The comparison as Markdown, for a pull request.
    pub markdown: String,
    /// The comparison as a document (`brunt-comparison/1`).
    pub json: String,
}

/// One step of a search.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct StepPage {
    /// Text and tables.
    pub page: PageParts,
    /// The data of its charts, as JSON.
    pub view: Option<String>,
}

/// Figures that were followed over many runs.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct Trended {
    /// Text, tables and charts.
    pub page: PageParts,
    /// The trend as a document (`brunt-trend/1`).
    pub json: String,
}

impl Default for Children {
    fn default() -> Self {
        Self::of_program(PathBuf::from("/proc/self/exe"))
    }
}

impl Children {
    /// Children of this program.
    pub fn of_program(program: PathBuf) -> Self {
        Self { program, places: Permits::default() }
    }

    /// Reports what is wrong with a plan, or what it will do. Nothing is sent, and no name is resolved. The plan's
    /// files are in `directory`.
    pub fn check(
        &self,
        requested: &RunSpec,
        directory: Option<&Path>,
    ) -> Result<Checked, ChildError> {
        let directory = directory.unwrap_or(Path::new("/"));
        match self.perform(Task::Check(requested.clone()), directory, CHECKING) {
            Err(ChildError::Declined(text)) => {
                let findings = vec![Finding { text, ..Finding::default() }];
                Ok(Checked { findings, ..Checked::default() })
            }
            checked => checked,
        }
    }

    /// Follows the figures of runs of a history, oldest first.
    pub fn trend(
        &self,
        directory: &Path,
        name: String,
        records: Vec<PathBuf>,
    ) -> Result<Trended, ChildError> {
        self.perform(Task::Trend { name, records }, directory, COMPARING)
    }

    /// Makes a plan from a description of requests in another format. The directory is empty and is consumed.
    pub fn import(&self, directory: &Path, import: Import) -> Result<Imported, ChildError> {
        self.perform(Task::Import(import), directory, IMPORTING)
    }

    /// Changes the text of a plan as a form requests, and returns the text and the form as JSON.
    pub fn edit(&self, requested: String) -> Result<Value, ChildError> {
        self.perform(Task::Edit(requested), Path::new("/"), CHECKING)
    }

    /// Reads the record of a directory, and writes there the files from which lists, charts and pages are made.
    pub fn index(&self, directory: &Path) -> Result<(), ChildError> {
        self.perform(Task::Index, directory, INDEXING)
    }

    /// Sends a message to a webhook.
    pub(crate) fn deliver(&self, delivery: Delivery) -> Result<(), ChildError> {
        self.perform(Task::Deliver(delivery), Path::new("/"), DELIVERING)
    }

    /// Sends a request to the provider at which people sign in.
    pub(crate) fn fetch(&self, fetch: Fetch) -> Result<Fetched, ChildError> {
        self.perform(Task::Fetch(fetch), Path::new("/"), FETCHING)
    }

    /// Recreates the figures that comparisons and trends need from the record of a directory.
    pub(crate) fn figures(&self, directory: &Path) -> Result<(), ChildError> {
        self.perform(Task::Figures, directory, INDEXING)
    }

    /// Compares runs of a history, the first of which is the baseline.
    pub fn compare(
        &self,
        directory: &Path,
        runs: Vec<Compared>,
    ) -> Result<ComparedPage, ChildError> {
        if !(2..=COMPARED_MAX).contains(&runs.len()) {
            return Err(ChildError::Declined(format!(
                "failed to compare {}: choose from 2 to {COMPARED_MAX} runs",
                runs.len()
            )));
        }
        self.perform(Task::Compare(runs), directory, COMPARING)
    }

    /// Exports the record of a directory to another format.
    pub fn export(&self, directory: &Path, export: Export) -> Result<String, ChildError> {
        self.perform(Task::Export(export), directory, INDEXING)
    }

    /// The page of one step of the search in a directory, by its number from 1.
    pub fn step(&self, directory: &Path, number: usize) -> Result<StepPage, ChildError> {
        self.perform(Task::Step(number), directory, INDEXING)
    }

    /// Performs each scenario of a plan once, and returns what was sent and answered. The plan's files are in
    /// `directory`.
    pub(crate) fn once(
        &self,
        directory: Option<&Path>,
        task: RunTask,
    ) -> Result<String, ChildError> {
        self.perform(Task::Once(task), directory.unwrap_or(Path::new("/")), TRYING)
    }

    /// Starts a run and does not wait for it: its result is written to its directory.
    pub(crate) fn start_run(&self, files: &RunFiles, task: RunTask) -> io::Result<Child> {
        let log = File::options().create(true).append(true).open(files.path(LOG))?;
        let mut command = self.command(files.directory());
        let child = command.stdout(Stdio::null()).stderr(log).spawn()?;
        report(child, &Envelope::new(Task::Run(task)))
    }

    /// Carries out a task in a child.
    fn perform<T: DeserializeOwned>(
        &self,
        task: Task,
        directory: &Path,
        patience: Duration,
    ) -> Result<T, ChildError> {
        let _place = self.places.take();
        let mut command = self.command(directory);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = report(child.map_err(ChildError::Start)?, &Envelope::new(task));
        match short::answer(child.map_err(ChildError::Start)?, patience)? {
            Answer::Done(done) => Ok(done),
            Answer::Failed(why) => Err(ChildError::Declined(why)),
            Answer::Full(why) => Err(ChildError::Full(why)),
        }
    }

    fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).env_clear().current_dir(directory).stdin(Stdio::piped());
        // A ^C at the terminal is meant for the server only: runs outlive it.
        command.process_group(0);
        command
    }
}

/// Sends the envelope from a thread of its own, because a stopped child does not read.
fn report(mut child: Child, envelope: &Envelope) -> io::Result<Child> {
    let text = serde_json::to_vec(envelope)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that has ended reads nothing. What it left behind shows this.
        let write = move || drop(stdin.write_all(&text));
        thread::Builder::new().name("envelope".to_owned()).spawn(write)?;
    }
    Ok(child)
}
