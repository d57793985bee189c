//! [`Plan`] and [`Files`]: plans, and jobs of LoadGen, that the machine of this test carries out.
//!
//! They are used as those that a process carries out are (`brunt_test_program`).

use std::ops::Deref;

use brunt_test_program::Ended;

use crate::machine::own;

/// A plan, written to a file.
pub(crate) struct Plan(brunt_test_program::Plan);

/// The files of a job.
pub(crate) struct Files(brunt_test_program::Files);

impl Plan {
    /// Writes a plan.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(brunt_test_program::Plan::from_text(text))
    }

    /// Carries it out. The record is kept.
    pub(crate) fn run(&self, line: &[&str]) -> Ended {
        let path = self.0.path().display().to_string();
        own(|machine| machine.record(&["run", &path], line))
    }
}

impl Files {
    /// Empty directories for jobs, workloads and tasks.
    pub(crate) fn new() -> Self {
        Self(brunt_test_program::Files::new())
    }

    /// Performs the job to its end. The record is kept.
    pub(crate) fn perform(&self, line: &[&str]) -> Ended {
        let path = self.0.path().display().to_string();
        own(|machine| machine.record(&["loadgen", "--config", &path], line))
    }
}

impl Deref for Plan {
    type Target = brunt_test_program::Plan;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Deref for Files {
    type Target = brunt_test_program::Files;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
