//! The [`Setting`] of a run: cores, quotas and limits, as words that precede a program's own.
//!
//! Each of these commands becomes the program in the end (taskset, nsenter, a shell that execs), so that signals to the
//! started process reach the program.

use crate::cause::Condition;
use crate::quota::Quota;
use brunt_bench_tool::Process;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::path::Path;
use std::process::Command;

/// Where brunt and its target run. Ends what was arranged for it.
#[derive(Default)]
pub(crate) struct Setting {
    brunt: Vec<String>,
    pub(crate) target: Vec<String>,
    own_network: bool,
    quota: Option<Quota>,
    hogs: Vec<Process>,
}

impl Setting {
    /// Arranges it, or says why that is not possible here.
    pub(crate) fn arrange(conditions: &[Condition], directory: &Path) -> Result<Self, String> {
        let mut place = Self::default();
        let core = tried_core().to_string();
        for condition in conditions {
            match *condition {
                Condition::BruntOnCore => place.brunt.extend(words(&["taskset", "-c", &core])),
                Condition::TargetOnCore => place.target.extend(words(&["taskset", "-c", &core])),
                Condition::Hogs(number) => {
                    for hog in 0..number {
                        let mut command = Command::new("taskset");
                        command.args(["-c", &core, "sh", "-c", "while :; do :; done"]);
                        let log = directory.join(format!("hog-{hog}.log"));
                        place.hogs.push(Process::start(command, &log));
                    }
                }
                Condition::Quota(percent) => {
                    let quota = Quota::new(percent)?;
                    let enter =
                        format!("echo $$ > '{}' && exec \"$@\"", quota.entrance().display());
                    place.brunt.extend(words(&["sh", "-c", &enter, "sh"]));
                    place.quota = Some(quota);
                }
                Condition::NoProc => {
                    may_hide_proc()?;
                    let hide = "mount -t tmpfs none /proc && exec \"$@\"";
                    place.brunt.extend(words(&["unshare", "--mount", "sh", "-c", hide, "sh"]));
                }
                Condition::Descriptors(number) => {
                    let limit = format!("ulimit -n {number} && exec \"$@\"");
                    place.brunt.extend(words(&["sh", "-c", &limit, "sh"]));
                }
                Condition::Ports(number) => {
                    may_have_a_network()?;
                    let last = 40_000 + number - 1;
                    let range = "/proc/sys/net/ipv4/ip_local_port_range";
                    let enter = format!(
                        "ip link set lo up && echo '40000 {last}' > {range} && exec \"$@\""
                    );
                    place.target.extend(words(&["unshare", "--net", "sh", "-c", &enter, "sh"]));
                    place.own_network = true;
                }
            }
        }
        Ok(place)
    }

    /// The words before brunt's own, for a target of this process id.
    pub(crate) fn brunt(&self, target: Option<u32>) -> Vec<String> {
        let mut wrapper = self.brunt.clone();
        if let Some(id) = target.filter(|_| self.own_network) {
            wrapper.extend(words(&["nsenter", "--target", &id.to_string(), "--net"]));
        }
        wrapper
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The last core that this bench may use.
fn tried_core() -> usize {
    let allowed = sched_getaffinity(None).ok();
    let last = allowed.and_then(|set| (0..CpuSet::MAX_CPU).rev().find(|core| set.is_set(*core)));
    last.unwrap_or(0)
}

fn may_have_a_network() -> Result<(), String> {
    may("no network namespace", &["--net", "ip", "link", "set", "lo", "up"])
}

fn may_hide_proc() -> Result<(), String> {
    may("no mount namespace", &["--mount", "mount", "-t", "tmpfs", "none", "/proc"])
}

/// Tries `unshare` with these words; the error begins with what is missing if it fails.
fn may(missing: &str, words: &[&str]) -> Result<(), String> {
    match Command::new("unshare").args(words).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{missing}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("{missing}: unshare: {error}")),
    }
}
