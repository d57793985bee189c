//! [`Envelope`]: what a child receives, as one JSON document on its standard input.
//!
//! Nothing of it is in a command line, in an environment or in a file, where others could read it. Its size is bounded,
//! it has a version, and unknown fields are refused.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

use super::import::Import;
use serde::{Deserialize, Serialize};

/// The version of the envelope.
pub const ENVELOPE_VERSION: u32 = 1;
/// The most bytes of an envelope.
pub const ENVELOPE_MAX: u64 = 40 << 20;
/// The most runs in a comparison.
pub const COMPARED_MAX: usize = 6;

/// What a child receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Always [`ENVELOPE_VERSION`].
    pub version: u32,
    /// The task of the child.
    pub task: Task,
}

/// What a child does, in the directory in which it is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// Reports what is wrong with a plan, or what it will do. Sends nothing.
    Check(RunSpec),
    /// Runs a plan.
    Run(RunTask),
    /// Performs each scenario of a plan once, and returns what was sent and answered.
    Once(RunTask),
    /// Reads the record in its directory and writes the files from which lists, charts and pages are made.
    Index,
    /// Reads the stored record in its directory and writes the figures that comparisons and trends need.
    Figures,
    /// Compares these records, the first of which is the baseline.
    Compare(Vec<Compared>),
    /// Writes the record in its directory in another format.
    Export(Export),
    /// Makes the page of one step of the search in its directory, by its number from 1.
    Step(usize),
    /// Follows the figures of runs, oldest first.
    Trend {
        /// The common name of the runs.
        name: String,
        /// Their records.
        records: Vec<PathBuf>,
    },
    /// Makes a plan from a description of requests in another format, in a directory of its own.
    Import(Import),
    /// Sends a message to a webhook. The child can reach nothing else.
    Deliver(Delivery),
    /// Sends a request to the provider at which people sign in. The child can reach nothing else.
    Fetch(Fetch),
    /// Changes the text of a plan as a form requests, by a JSON document that only the child interprets.
    Edit(String),
}

/// The format in which a record is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Export {
    /// A line per interval and operation.
    Csv,
    /// A self-contained page.
    Html,
}

/// What is sent to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// The URL, as an administrator wrote it.
    pub url: String,
    /// The headers that are added to those of every request.
    pub headers: Vec<(String, String)>,
    /// The body, which is JSON.
    pub body: String,
}

/// A request to the provider at which people sign in.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    /// The URL, from an administrator or from the provider's metadata.
    pub url: String,
    /// The headers that are added to those of every request.
    pub headers: Vec<(String, String)>,
    /// The fields of the form that is posted. Without one, the URL is read.
    pub form: Option<String>,
}

/// What a provider answered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetched {
    /// The status of HTTP.
    pub status: u16,
    /// The body, which is text.
    pub body: String,
}

/// A run that is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// The name of the run in the comparison.
    pub name: String,
    /// Its record.
    pub record: PathBuf,
}

/// What is requested of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// The text of the plan.
    pub plan: String,
    /// The values of `${env:NAME}`. The environment itself is empty.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Keys of the plan that are overridden, each as `run.users=50`.
    #[serde(default)]
    pub set: Vec<String>,
    /// The duration, in place of the plan's.
    #[serde(default)]
    pub duration: Option<String>,
    /// Objectives in addition to those of the plan.
    #[serde(default)]
    pub objectives: Vec<String>,
    /// The search for the highest rate at which its objectives are met, if one is made in place of a run.
    #[serde(default)]
    pub search: Option<Search>,
    /// How many agents of the site's cluster share the load. Without it this machine makes the load.
    #[serde(default)]
    pub agents: Option<u32>,
    /// The conditions under which the plan's run is ended. The coordinator of the agents does not read the plan, so it
    /// needs them here.
    #[serde(default)]
    pub abort_on: Vec<String>,
    /// What it may do.
    #[serde(default)]
    pub grant: Grant,
    /// The secrets that `env = "NAME"` may refer to. Their values are in no request that is stored.
    #[serde(default)]
    pub secrets: Option<RequestedSecrets>,
    /// The names of the plan's files, in `DATA` of the directory in which the child is started.
    #[serde(default)]
    pub data: Vec<String>,
}

/// How the highest rate is searched for, with the options of `brunt find-max`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Objectives in addition to those of the plan.
    pub objectives: Vec<String>,
    /// The rate to begin with, in iterations a second.
    pub from: Option<String>,
    /// The highest rate that is tried. The target's own limit applies as well.
    pub to: Option<String>,
    /// Whether the search is quick.
    pub quick: bool,
    /// Whether requests that change data may be sent.
    pub writes: bool,
    /// The length that counts as one second, for tests.
    pub second: Option<String>,
}

/// The progress of a search: the file `PROGRESS`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// Seconds since it began.
    pub seconds: f64,
    /// What its page shows, as the sections of `PageParts`.
    pub sections: Vec<(String, String)>,
}

/// Secrets of a target, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestedSecrets {
    /// The target that they belong to.
    pub target: String,
    /// Their names.
    pub names: Vec<String>,
}

/// What a run may do. By default it may reach no address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Addresses that may be reached, in the syntax of `--allow`. The address of every connection is checked.
    #[serde(default)]
    pub allow: Vec<String>,
    /// The most exchanges a second. With this limit a closed load is refused, because its rate is not known in advance.
    #[serde(default)]
    pub rate_max: Option<f64>,
    /// Whether a closed load may run although there is a rate limit.
    #[serde(default)]
    pub closed: bool,
    /// The most virtual users.
    #[serde(default)]
    pub users_max: Option<u32>,
    /// The most seconds. With this limit a run must have an end.
    #[serde(default)]
    pub seconds_max: Option<u64>,
}

/// A run that a child carries out.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTask {
    /// What is requested of it.
    #[serde(rename = "asked")]
    pub requested: RunSpec,
    /// The lock that all runs on this machine share. The run holds it until it ends.
    pub lock: PathBuf,
    /// The values of the secrets that its plan refers to.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// Where its agents are met, if agents share the load.
    #[serde(default)]
    pub cluster: Option<ClusterSettings>,
}

/// Where the agents of a run are met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSettings {
    /// The directory of the coordinator's keys, as an absolute path.
    #[serde(default)]
    pub keys: Option<PathBuf>,
    /// The broker.
    #[serde(default)]
    pub nats: Option<String>,
    /// The pool.
    pub pool: String,
    /// How many seconds to wait for agents, and then again for their connections.
    pub patience_s: u64,
    /// The name of the run among agents: its id here.
    #[serde(default)]
    pub run: String,
}

/// Prints the names of secrets only, so that a printed task shows no secret.
impl fmt::Debug for Fetch {
    /// Without its headers and its form, which carry secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch").field("url", &self.url).finish_non_exhaustive()
    }
}

impl fmt::Debug for Fetched {
    /// Without its body, which may be tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched").field("status", &self.status).finish_non_exhaustive()
    }
}

impl fmt::Debug for RunTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requested, lock, secrets, cluster } = self;
        let names: Vec<&String> = secrets.keys().collect();
        let mut shown = f.debug_struct("RunTask");
        shown.field("asked", requested).field("lock", lock).field("secrets", &names);
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
    /// It is not in the format that this program writes.
    #[error("read the envelope: {0}")]
    Foreign(#[from] serde_json::Error),
    /// It has another version.
    #[error("read the envelope: it has version {0} and this program knows {ENVELOPE_VERSION}")]
    Version(u32),
}

impl Envelope {
    /// An envelope of this version.
    pub const fn new(task: Task) -> Self {
        Self { version: ENVELOPE_VERSION, task }
    }

    /// Reads an envelope, which is not trusted.
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
    fn envelope_round_trips_and_is_limited() {
        let requested = RunSpec {
            plan: "[[scenario]]".to_owned(),
            variables: [("HOST".to_owned(), "h".to_owned())].into(),
            grant: Grant { allow: vec!["127.0.0.1:80".to_owned()], ..Grant::default() },
            ..RunSpec::default()
        };
        for task in [
            Task::Check(requested.clone()),
            Task::Run(RunTask {
                requested,
                lock: "lock".into(),
                secrets: [("PW".to_owned(), "hunter2".to_owned())].into(),
                cluster: Some(ClusterSettings {
                    pool: "default".to_owned(),
                    ..ClusterSettings::default()
                }),
            }),
            Task::Index,
        ] {
            let envelope = Envelope::new(task);
            assert!(!format!("{envelope:?}").contains("hunter2"));
            let text = serde_json::to_vec(&envelope).unwrap();
            assert_eq!(Envelope::read(&text[..]).unwrap(), envelope);
        }
        for (text, message) in [
            ("", "EOF"),
            ("{}", "missing field"),
            (r#"{"version":2,"task":"later"}"#, "version 2"),
            (r#"{"version":1,"task":"index","more":1}"#, "unknown field"),
            (r#"{"version":1,"task":{"check":{"plan":"","path":"/etc"}}}"#, "unknown field"),
        ] {
            let error = Envelope::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        let endless = Envelope::read(io::repeat(b'x')).unwrap_err();
        assert!(matches!(endless, EnvelopeError::Long), "{endless}");
    }
}
