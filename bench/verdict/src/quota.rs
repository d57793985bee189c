//! A control group with a quota of processor time, in the version in which this machine has the cpu controller.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The kernel's usual period, in microseconds.
const PERIOD_US: u32 = 100_000;

/// A group. Goes with its value, once its processes have ended.
pub(crate) struct Quota {
    group: PathBuf,
}

impl Quota {
    /// A group that may use this share of a core.
    pub(crate) fn new(percent: u32) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (quota, name) =
            (PERIOD_US * percent / 100, format!("brunt-verdict-{}-{number}", std::process::id()));
        let unified = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
        let has_cpu = |root: &&Path| {
            let listed = fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
            listed.split_whitespace().any(|name| name == "cpu")
        };
        if let Some(root) = unified.into_iter().find(has_cpu) {
            // It may be there already; whether it is shows in the next step.
            let _ = fs::write(root.join("cgroup.subtree_control"), "+cpu");
            return Self::made(&root.join(name), "cpu.max", &format!("{quota} {PERIOD_US}"));
        }
        let split = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"].map(Path::new);
        let root = split.into_iter().find(|root| root.join("cpu.cfs_quota_us").exists());
        let root = root.ok_or("no control group with a cpu controller")?;
        Self::made(&root.join(name), "cpu.cfs_quota_us", &quota.to_string())
    }

    fn made(group: &Path, file: &str, value: &str) -> Result<Self, String> {
        let failed = |error| format!("no control group {}: {error}", group.display());
        fs::create_dir(group).map_err(failed)?;
        let made = Self { group: group.to_owned() };
        fs::write(group.join(file), value).map_err(failed)?;
        Ok(made)
    }

    /// The file that takes the numbers of processes.
    pub(crate) fn entrance(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.group);
    }
}
