//! The machine a run was made on. Figures of different machines should not be compared by accident.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about the machine. Unknown values are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The name of the distribution.
    pub os: Option<String>,
    /// The kernel's name and release.
    pub kernel: String,
    /// The processor's architecture.
    pub arch: String,
    /// The processor's model.
    pub cpu: Option<String>,
    /// Processors this process may use.
    pub cores: Option<u64>,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// The share of processors the control group allows: 1.5 is one and a half.
    pub cgroup_cpus: Option<f64>,
    /// The memory the control group allows.
    pub cgroup_memory_bytes: Option<u64>,
    /// The machine's name.
    pub host: String,
}

impl Environment {
    /// Reads the properties of this machine.
    pub fn read() -> Self {
        let uname = rustix::system::uname();
        let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let cgroup = |file: &str| limit(&text("/proc/self/cgroup"), file, text);
        Self {
            os: field(&text("/etc/os-release"), '=', "PRETTY_NAME")
                .map(|name| name.trim_matches('"').to_owned()),
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            arch: uname.machine().to_string_lossy().into_owned(),
            cpu: field(&text("/proc/cpuinfo"), ':', "model name"),
            cores: std::thread::available_parallelism().ok().map(|cores| cores.get() as u64),
            memory_bytes: field(&text("/proc/meminfo"), ':', "MemTotal")
                .and_then(|total| kibibytes(&total)),
            cgroup_cpus: cgroup("cpu.max").and_then(|quota| cpus(&quota)),
            cgroup_memory_bytes: cgroup("memory.max").and_then(|most| most.trim().parse().ok()),
            host: uname.nodename().to_string_lossy().into_owned(),
        }
    }
}

/// The value of the first line that begins with `key`, followed by `separator`.
fn field(text: &str, separator: char, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(separator)?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.trim().parse::<u64>().ok().map(|count| count * 1_024)
}

/// `cpu.max` contains a quota and a period in microseconds, or `max` for no limit.
fn cpus(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| quota / period)
}

/// The contents of `file` in the control group (version 2) named by `/proc/self/cgroup`.
fn limit(groups: &str, file: &str, read: impl Fn(&str) -> String) -> Option<String> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?.trim_end_matches('/');
    let text = read(&format!("/sys/fs/cgroup{group}/{file}"));
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_files_are_parsed() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some Processor: 3 GHz\n";
        assert_eq!(field(cpuinfo, ':', "model name").as_deref(), Some("Some Processor: 3 GHz"));
        assert_eq!(kibibytes("16 kB"), Some(16_384));
        assert_eq!(cpus("150000 100000\n"), Some(1.5));
        assert_eq!(cpus("max 100000\n"), None);
        let read = |path: &str| {
            if path == "/sys/fs/cgroup/a/b/cpu.max" { "1 2".into() } else { String::new() }
        };
        assert_eq!(limit("1:x:/\n0::/a/b\n", "cpu.max", read).as_deref(), Some("1 2"));
        assert_eq!(limit("0::/\n", "cpu.max", read), None);
    }

    #[test]
    fn this_machine_has_a_kernel_and_a_core() {
        let environment = Environment::read();
        assert!(!environment.kernel.trim().is_empty());
        assert!(environment.cores.is_some_and(|cores| cores > 0));
    }
}
