//! [`Files`]: the files of a job, written for one test.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::write_below;
use crate::{Program, brunt, scratch};

/// A directory with `jobs`, `workloads` and `tasks` in it.
pub struct Files {
    directory: TempDir,
}

impl Default for Files {
    fn default() -> Self {
        Self::new()
    }
}

impl Files {
    /// Empty directories for jobs, workloads and tasks.
    pub fn new() -> Self {
        let directory = scratch();
        for name in ["jobs", "workloads", "tasks"] {
            fs::create_dir(directory.path().join(name)).expect("a directory can be made");
        }
        Self { directory }
    }

    /// Writes a file of any kind.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        write_below(self.directory.path(), name, text)
    }

    /// Writes a task.
    pub fn task(&self, key: &str, task: &Value) {
        self.write(&format!("tasks/{key}.json"), &task.to_string());
    }

    /// Writes a task that asks for a path.
    pub fn ask(&self, key: &str, path: &str) {
        self.task(
            key,
            &json!({"request": "GET", "header": {}, "url-endpoint": path, "url-payload": ""}),
        );
    }

    /// Writes a workload of these tasks and thresholds.
    pub fn workload(&self, key: &str, tasks: &[(&str, u64)]) {
        let one = |(key, threshold): &(&str, u64)| json!({*key: threshold});
        let tasks: Vec<Value> = tasks.iter().map(one).collect();
        let text = json!({"name": key, "tasks": tasks}).to_string();
        self.write(&format!("workloads/{key}.json"), &text);
    }

    /// Writes the job: so many threads and these workloads, and whatever else is given.
    pub fn job(&self, base: &str, threads: u32, workloads: &[(&str, u64)], more: &Value) {
        let one = |(key, loops): &(&str, u64)| json!({*key: loops});
        let workloads: Vec<Value> = workloads.iter().map(one).collect();
        let mut job = json!({
            "name": "a job of a test",
            "service-environment": "the server of a test",
            "service-location-port": base,
            "load-generator": "a test",
            "ADMINUSERID": "amadmin",
            "ADMINUSERPASSWORD": "password",
            "threads": threads,
            "threadgroupsize": 0,
            "threadinterval": 0,
            "upperbounds": 99,
            "workloads": workloads,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            if value.is_null() {
                job.as_object_mut().expect("a job is an object").remove(key);
            } else {
                job[key] = value.clone();
            }
        }
        self.write("jobs/job.json", &job.to_string());
    }

    /// Where the job is.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("jobs/job.json")
    }

    /// Starts the job with these words besides. The record is kept.
    pub fn start(&self, line: &[&str]) -> Program {
        let brunt = brunt("loadgen --config").arg(self.path()).recorded().args(line);
        brunt.env("TZ", "UTC").start()
    }
}
