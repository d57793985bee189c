//! Compiles the plan of a job to what is run.
//!
//! The plan is the one that `--to-plan` writes, and [`brunt_flow_plan`] compiles it as any other. What it takes from
//! the environment, the password of the administrator, is here taken from the job.

use std::io;
use std::path::{Path, PathBuf};

use brunt_engine::Node;
use brunt_feed::Files;
use brunt_flow_driver::Times;
use brunt_flow_plan::compile::{CompileEnvironment, Compiled, compile};
use brunt_flow_plan::key_error::KeyError;
use brunt_flow_plan::model::Plan;
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::{FileNotPermitted, Surroundings};

use super::draft::{Draft, Meaning};
use crate::report::Compatibility;

/// A job that cannot be carried out as a plan.
#[derive(Debug, thiserror::Error)]
#[error("failed to convert the job into a plan: {0} (--to-plan shows the plan)")]
pub(super) struct CompileError(#[from] KeyError);

/// What is run of a draft, whose plan this is.
pub(super) fn compiled(
    plan: &Plan,
    draft: &Draft,
    seed: u64,
    machine: &dyn Surroundings,
) -> Result<Compiled, CompileError> {
    let surroundings = JobSurroundings { machine, draft };
    let environment = CompileEnvironment { surroundings: &surroundings, base: Path::new("") };
    let mut compiled = compile(plan, Node::default(), seed, &environment)?;
    compiled.flow.times = match draft.manner {
        Compatibility::Repaired => Times::Service,
        Compatibility::Compatible => Times::Coarse,
    };
    Ok(compiled)
}

/// The machine, with the secrets of a job in its environment.
struct JobSurroundings<'a> {
    machine: &'a dyn Surroundings,
    draft: &'a Draft,
}

impl Surroundings for JobSurroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.machine.variable(name)
    }

    fn hidden(&self, name: &str) -> Option<String> {
        let secret = self.draft.variables.iter().find_map(|variable| match &variable.meaning {
            Meaning::Secret(secret) if variable.name == name => Some(secret.clone()),
            _ => None,
        });
        secret.or_else(|| self.machine.hidden(name))
    }

    fn files(&self) -> Files {
        self.machine.files()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.machine.read(path)
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.machine.secret(path)
    }

    fn permits(&self, path: &Path) -> Result<(), FileNotPermitted> {
        self.machine.permits(path)
    }

    fn interactive(&self) -> bool {
        self.machine.interactive()
    }

    fn prompt(&self, prompt: &str) -> io::Result<Secret> {
        self.machine.prompt(prompt)
    }

    fn properties_files(&self) -> Vec<PathBuf> {
        self.machine.properties_files()
    }
}
