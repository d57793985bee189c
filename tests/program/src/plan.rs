//! [`Plan`]: a plan in a directory of its own, and its results.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::{Program, brunt, scratch};

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
        let run = brunt("run").arg(self.path()).recorded().args(line);
        run.env("PLAN_SECRET", "opensesame").start()
    }
}
