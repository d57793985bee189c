//! [`Envelope`]: what a child is told, as one JSON document on its standard input.
//!
//! Nothing of it is in a command line, an environment or a file, where others could read it. It is bounded and
//! versioned, and what it does not name is refused.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::import::Import;

/// The version of the envelope.
pub const ENVELOPE_VERSION: u32 = 1;
/// The most bytes of an envelope.
pub const ENVELOPE_MAX: u64 = 40 << 20;
/// The most runs that are compared.
pub const COMPARED_MAX: usize = 6;

/// What a child is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Always [`ENVELOPE_VERSION`].
    pub version: u32,
    /// What to do.
    pub task: Task,
}

/// What a child does, in the directory that it is started in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// Says what is wrong with a plan, or what it comes to. Sends nothing.
    Check(Asked),
    /// Carries a plan out.
    Run(RunTask),
    /// Reads the record in its directory and writes what lists, charts and pages are made from.
    Index,
    /// Reads the kept record in its directory and writes what comparisons and trends take of it.
    Figures,
    /// Compares the records of these directories, the first of which is the baseline.
    Compare(Vec<Compared>),
    /// Writes the record in its directory in another format.
    Export(Export),
    /// Makes the page of one step of the search in its directory, by its number from 1.
    Step(usize),
    /// Follows the figures of runs, the oldest first.
    Trend {
        /// What they are called together.
        name: String,
        /// Their records.
        records: Vec<PathBuf>,
    },
    /// Makes a plan of what describes requests elsewhere, in a directory of its own.
    Import(Import),
    /// Sends something to a webhook, which is all that it reaches.
    Deliver(Delivery),
    /// Changes the text of a plan as a form asks, a JSON document of which only the child knows what is in it.
    Edit(String),
}

/// What a record is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Export {
    /// A line per interval and operation.
    Csv,
    /// A page that needs nothing else.
    Html,
}

/// What is sent to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// Where to, as an administrator wrote it.
    pub url: String,
    /// The headers beside those that every request has.
    pub headers: Vec<(String, String)>,
    /// The body, which is JSON.
    pub body: String,
}

/// A run that is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// What the comparison calls it.
    pub name: String,
    /// Its record.
    pub record: PathBuf,
}

/// What is asked of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The text of the plan.
    pub plan: String,
    /// What `${env:NAME}` stands for. The environment itself is empty.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Keys of the plan that are set, each as `run.users=50`.
    #[serde(default)]
    pub set: Vec<String>,
    /// How long to run, in place of the plan's duration.
    #[serde(default)]
    pub duration: Option<String>,
    /// Objectives beside those of the plan.
    #[serde(default)]
    pub objectives: Vec<String>,
    /// That the highest rate is searched at which its objectives are met, instead of a run.
    #[serde(default)]
    pub search: Option<Search>,
    /// How many agents of the site's cluster share it. Without it this machine makes the load.
    #[serde(default)]
    pub agents: Option<u32>,
    /// The conditions under which its plan is ended. Whoever coordinates agents does not read the plan, and needs them.
    #[serde(default)]
    pub abort_on: Vec<String>,
    /// What it may do.
    #[serde(default)]
    pub grant: Grant,
    /// The secrets that `env = "NAME"` may stand for. Their values are in no request that is kept.
    #[serde(default)]
    pub secrets: Option<SecretsAsked>,
    /// The names of files that belong to the plan, in [`DATA`](crate::history::DATA) of the directory that the child is
    /// started in.
    #[serde(default)]
    pub data: Vec<String>,
}

/// How the highest rate is searched, as `brunt find-max` takes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Objectives beside those of the plan.
    pub objectives: Vec<String>,
    /// The rate to begin with, in iterations a second.
    pub from: Option<String>,
    /// The highest rate that is tried. The target's own holds as well.
    pub to: Option<String>,
    /// Whether it is to be quick.
    pub quick: bool,
    /// Whether requests that change something may be sent.
    pub writes: bool,
    /// The length of what counts as a second, for tests.
    pub second: Option<String>,
}

/// How far a search is: the file [`PROGRESS`](crate::history::PROGRESS).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// Seconds since it began.
    pub seconds: f64,
    /// What its page shows, as the sections of [`PageParts`](crate::history::PageParts).
    pub sections: Vec<(String, String)>,
}

/// Secrets of a target, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretsAsked {
    /// Whose they are.
    pub target: String,
    /// Their names.
    pub names: Vec<String>,
}

/// What a run may do. By default nothing may be reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Addresses that may be reached, each as `--allow` takes it. Every connection is checked by its address.
    #[serde(default)]
    pub allow: Vec<String>,
    /// The most exchanges a second. A closed load, whose rate nobody knows before, is then refused.
    #[serde(default)]
    pub rate_max: Option<f64>,
    /// Whether a closed load may run although there is a highest rate.
    #[serde(default)]
    pub closed: bool,
    /// The most virtual users.
    #[serde(default)]
    pub users_max: Option<u32>,
    /// The most seconds, and a run has to have an end.
    #[serde(default)]
    pub seconds_max: Option<u64>,
}

/// A run.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTask {
    /// What is asked of it.
    pub asked: Asked,
    /// The lock that all runs of the machine share. The run holds it until it ends.
    pub lock: PathBuf,
    /// The values of the secrets that its plan names.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// How its agents are met, if agents share it.
    #[serde(default)]
    pub cluster: Option<Meeting>,
}

/// Where the agents of a run are met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The directory of the coordinator's keys, from `/`.
    #[serde(default)]
    pub keys: Option<PathBuf>,
    /// The broker.
    #[serde(default)]
    pub nats: Option<String>,
    /// The pool.
    pub pool: String,
    /// How many seconds agents are waited for, and then their connections.
    pub patience_s: u64,
    /// What the run is called among agents: its id here.
    #[serde(default)]
    pub run: String,
}

/// No secret is shown by anything that prints a task.
impl fmt::Debug for RunTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, lock, secrets, cluster } = self;
        let names: Vec<&String> = secrets.keys().collect();
        let mut shown = f.debug_struct("RunTask");
        shown.field("asked", asked).field("lock", lock).field("secrets", &names);
        shown.field("cluster", cluster).finish()
    }
}

/// Why an envelope was not opened.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// It could not be read.
    #[error("read the envelope: {0}")]
    Io(#[from] io::Error),
    /// It is too long.
    #[error("read the envelope: it has more than {} MiB", ENVELOPE_MAX >> 20)]
    Long,
    /// It is not as this program writes it.
    #[error("read the envelope: {0}")]
    Foreign(#[from] serde_json::Error),
    /// It is of another version.
    #[error("read the envelope: it has version {0} and this program knows {ENVELOPE_VERSION}")]
    Version(u32),
}

impl Envelope {
    /// One of this version.
    pub const fn new(task: Task) -> Self {
        Self { version: ENVELOPE_VERSION, task }
    }

    /// Reads one, of whoever wrote it.
    pub fn read(from: impl Read) -> Result<Self, EnvelopeError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let mut bytes = Vec::new();
        from.take(ENVELOPE_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > ENVELOPE_MAX {
            return Err(EnvelopeError::Long);
        }
        let Head { version } = serde_json::from_slice(&bytes)?;
        if version != ENVELOPE_VERSION {
            return Err(EnvelopeError::Version(version));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let asked = Asked {
            plan: "[[scenario]]".to_owned(),
            variables: [("HOST".to_owned(), "h".to_owned())].into(),
            grant: Grant { allow: vec!["127.0.0.1:80".to_owned()], ..Grant::default() },
            ..Asked::default()
        };
        for task in [
            Task::Check(asked.clone()),
            Task::Run(RunTask {
                asked,
                lock: "lock".into(),
                secrets: [("PW".to_owned(), "hunter2".to_owned())].into(),
                cluster: Some(Meeting { pool: "default".to_owned(), ..Meeting::default() }),
            }),
            Task::Index,
        ] {
            let envelope = Envelope::new(task);
            assert!(!format!("{envelope:?}").contains("hunter2"));
            let text = serde_json::to_vec(&envelope).unwrap();
            assert_eq!(Envelope::read(&text[..]).unwrap(), envelope);
        }
        for (text, said) in [
            ("", "EOF"),
            ("{}", "missing field"),
            (r#"{"version":2,"task":"later"}"#, "version 2"),
            (r#"{"version":1,"task":"index","more":1}"#, "unknown field"),
            (r#"{"version":1,"task":{"check":{"plan":"","path":"/etc"}}}"#, "unknown field"),
        ] {
            let error = Envelope::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let endless = Envelope::read(io::repeat(b'x')).unwrap_err();
        assert!(matches!(endless, EnvelopeError::Long), "{endless}");
    }
}
