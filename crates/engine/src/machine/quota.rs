//! How long the quota of a control group kept its processes from running.
//!
//! A process has a group in each hierarchy, and every group above it may have a quota of its own: a container's, its
//! pod's. The files are found once, as the run begins. Both versions of control groups are read, since either may have
//! the processor controller of a machine.

use super::counter_file::CounterFile;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most levels of groups that are read.
const LEVELS_MAX: usize = 64;

/// The groups of this process whose quotas are counted.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    files: Vec<CounterFile>,
}

impl Quotas {
    /// Finds the groups of this process, and those above them.
    pub(super) fn of_this_process() -> Self {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let files = candidates(&groups, &mounts);
        Self { files: files.iter().filter_map(CounterFile::open).collect() }
    }

    /// The cumulative time for each group.
    pub(super) fn throttled(&mut self) -> impl Iterator<Item = Duration> {
        self.files.iter_mut().map(|file| file.read().and_then(parse).unwrap_or_default())
    }
}

/// `throttled_usec` of version 2, `throttled_time` of version 1, which is in nanoseconds.
fn parse(stat: &str) -> Option<Duration> {
    stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let value = value.trim().parse().ok()?;
        match name {
            "throttled_usec" => Some(Duration::from_micros(value)),
            "throttled_time" => Some(Duration::from_nanos(value)),
            _ => None,
        }
    })
}

/// A mounted hierarchy of control groups that may have the processor controller.
struct Mount {
    version: u8,
    /// The group that is mounted.
    root: String,
    at: PathBuf,
}

/// Every `cpu.stat` that concerns a process with these two files of `/proc/self`, the innermost group first.
fn candidates(groups: &str, mounts: &str) -> Vec<PathBuf> {
    let mounts: Vec<Mount> = mounts.lines().filter_map(mount).collect();
    let mut files = Vec::new();
    for (version, group) in groups.lines().filter_map(group) {
        let Some(mount) = mounts.iter().find(|mount| mount.version == version) else { continue };
        files.extend(levels(mount, group).into_iter().map(|level| level.join("cpu.stat")));
    }
    files
}

/// A line of `/proc/self/cgroup`: hierarchy, controllers, path.
fn group(line: &str) -> Option<(u8, &str)> {
    let mut fields = line.splitn(3, ':');
    let (hierarchy, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    match (hierarchy, controllers) {
        ("0", "") => Some((2, path)),
        (_, names) => names.split(',').any(|name| name == "cpu").then_some((1, path)),
    }
}

/// A line of `/proc/self/mountinfo`: number, parent, device, root, mount point, options, some optional fields, `-`,
/// type, source, options of the file system.
fn mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, at) = (left.next()?, left.next()?);
    let mut right = right.split(' ');
    let version = match right.next()? {
        "cgroup2" => 2,
        "cgroup" => 1,
        _ => return None,
    };
    let with_cpu = version == 2 || right.nth(1)?.split(',').any(|option| option == "cpu");
    with_cpu.then(|| Mount { version, root: root.to_owned(), at: PathBuf::from(unescaped(at)) })
}

/// The kernel writes spaces in mount points as `\040`.
fn unescaped(field: &str) -> String {
    field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
}

/// The directory of a group and of each group above it, up to where the hierarchy is mounted.
fn levels(mount: &Mount, group: &str) -> Vec<PathBuf> {
    let within = match group.strip_prefix(mount.root.as_str()) {
        Some(rest) if mount.root == "/" || rest.is_empty() || rest.starts_with('/') => rest,
        // The group is outside the mount, as a container may see it: only the mounted group is visible.
        _ => "",
    };
    let within = Path::new(within.trim_start_matches('/'));
    let plain = within.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let within = if plain { within } else { Path::new("") };
    within.ancestors().take(LEVELS_MAX).map(|level| mount.at.join(level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(groups: &str, mounts: &str) -> Vec<String> {
        candidates(groups, mounts).iter().map(|file| file.display().to_string()).collect()
    }

    #[test]
    fn throttled_time_is_parsed_in_both_cgroup_versions() {
        let second = "usage_usec 900\nuser_usec 600\nnr_periods 12\nnr_throttled 3\n\
                      throttled_usec 250000\nburst_usec 0\n";
        assert_eq!(parse(second), Some(Duration::from_millis(250)));
        let first = "nr_periods 12\nnr_throttled 3\nthrottled_time 250000\n";
        assert_eq!(parse(first), Some(Duration::from_micros(250)));
        assert_eq!(parse("usage_usec 900\nuser_usec 600\n"), None);
    }

    #[test]
    fn cgroup_v2_paths_include_every_ancestor() {
        let groups = "0::/lab.slice/run.scope\n";
        let mounts = "24 1 0:22 / /proc rw,nosuid - proc proc rw\n\
                      35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let expected = [
            "/sys/fs/cgroup/lab.slice/run.scope/cpu.stat",
            "/sys/fs/cgroup/lab.slice/cpu.stat",
            "/sys/fs/cgroup/cpu.stat",
        ];
        assert_eq!(paths(groups, mounts), expected);
    }

    #[test]
    fn cgroup_v1_is_found_by_its_controller() {
        let groups = "5:cpuacct:/elsewhere\n4:cpu,cpuset:/box\n3:cpuset:/no\n0::/\n";
        let mounts = "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu\\040time rw - cgroup cgroup rw,cpu,cpuset\n";
        let expected = ["/sys/fs/cgroup/cpu time/box/cpu.stat", "/sys/fs/cgroup/cpu time/cpu.stat"];
        assert_eq!(paths(groups, mounts), expected);
    }

    #[test]
    fn container_sees_its_own_cgroup_as_root() {
        let mounts = "40 39 0:30 /pod/box /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        let own = ["/sys/fs/cgroup/cpu.stat"];
        assert_eq!(paths("0::/pod/box\n", mounts), own);
        assert_eq!(paths("0::/pod/box/inner\n", mounts), ["/sys/fs/cgroup/inner/cpu.stat", own[0]]);
        // Neither a path with the same prefix nor a path outside the mount gives another directory.
        assert_eq!(paths("0::/pod/boxes\n", mounts), own);
        assert_eq!(paths("0::/../other\n", mounts), own);
    }

    #[test]
    fn machine_without_cgroups_has_no_files() {
        assert_eq!(paths("", ""), [""; 0]);
        assert_eq!(paths("0::/a\n", "24 1 0:22 / /proc rw - proc proc rw\n"), [""; 0]);
        assert_eq!(Quotas::default().throttled().count(), 0);
    }
}
