//! [`Plan`]: a plan in a directory of its own, and its results.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::{Ended, Program, binary, command, scratch};

/// A plan, written to a file.
pub struct Plan(TempDir);

impl Plan {
    /// Writes a plan.
    pub fn from_text(text: &str) -> Self {
        let plan = Self(scratch());
        plan.beside("plan.toml", text);
        plan
    }

    /// Writes a file that the plan names.
    pub fn beside(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("the directory is ours");
    }

    /// Where the plan is.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("plan.toml")
    }

    /// Starts `brunt run`; the record is kept.
    pub fn start(&self, line: &[&str]) -> Program {
        let directory = scratch();
        let path = directory.path().join("record.json");
        let mut brunt = command(binary());
        brunt.arg("run").arg(self.path()).arg("--record").arg(&path).args(line);
        brunt.env("PLAN_SECRET", "opensesame");
        Program::start(&mut brunt).keeping(directory, path)
    }

    /// Carries it out.
    pub fn run(&self, line: &[&str]) -> Ended {
        self.start(line).wait()
    }
}
