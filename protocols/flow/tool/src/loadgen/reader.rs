//! Reads a job file in either of the two formats: one that lists workloads, which are separate files, or one that
//! contains everything.

use std::path::Path;

use super::files::Files;
use super::job::{self, Job};
use super::job_error::JobError;
use super::platform;

/// Reads a job file and everything it names.
pub(super) fn read(path: &Path, files: &mut Files) -> Result<Job, JobError> {
    let document = files.document(path)?;
    let value = document.value();
    let members = value.members()?;
    let has = |name: &str| members.iter().any(|member| member.name.eq_ignore_ascii_case(name));
    if has("workload") && !has("workloads") {
        return platform::read(&value, files);
    }
    job::read(&value, files)
}
