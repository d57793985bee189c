//! [`Confinement`]: what a child may access on the machine, enforced by the kernel (Landlock) for the lifetime of the
//! child.
//!
//! A plan refers to files, and a record is read by decoders. Neither can reach beyond its own directory. Besides it, a
//! child may read only the files needed to resolve names, verify certificates and count processors. The confinement
//! must be entered while the process has one thread.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use brunt_record::Environment;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, PathFdError, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};

/// The newest rules that are requested; an older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V6;
/// The limits of a child that answers quickly: memory, processor time and file size.
const MEMORY_MAX: u64 = 3 << 30;
const SECONDS_MAX: u64 = 60;
const FILE_MAX: u64 = 2 << 30;

/// Files that describe the machine: every run reads them, and they are not sensitive.
const MACHINE: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/pressure",
    "/proc/stat",
    "/proc/sys/net",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/etc/os-release",
    "/etc/localtime",
    "/usr/share/zoneinfo",
];
/// Files needed to resolve names and verify certificates.
const NETWORK: &[&str] = &[
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    // The C library loads the modules of its name service on demand.
    "/etc/ld.so.cache",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/run/systemd/resolve",
    "/run/nscd",
];

/// What a child may access besides what it has already opened.
#[derive(Debug, Default)]
pub(super) struct Access {
    /// Files and directories that may be read.
    pub(super) read: Vec<PathBuf>,
    /// A directory in which files may also be written.
    pub(super) write: Option<PathBuf>,
    /// Whether it may connect. If not, then not even to this machine.
    pub(super) connects: bool,
}

impl Access {
    /// The directory in which the child was started.
    pub(super) fn own_directory() -> Self {
        Self { write: Some(PathBuf::from(".")), ..Self::default() }
    }

    /// What a connection needs.
    pub(super) fn of_network() -> Self {
        let read = NETWORK.iter().map(PathBuf::from).collect();
        Self { read, connects: true, ..Self::default() }
    }

    /// The directory, and what a run needs.
    pub(super) fn of_run() -> Self {
        let read = MACHINE.iter().chain(NETWORK).map(PathBuf::from).collect();
        Self { read, connects: true, ..Self::own_directory() }
    }
}

/// The confinement of this process.
#[derive(Debug)]
pub(super) struct Confinement {
    holds: bool,
    /// Keeps `/proc/self` open: the kernel identifies it by an inode that it drops when no process uses it, and with it
    /// the right to read the files below.
    _own: Option<File>,
}

/// Why a process was not confined.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfinementError {
    /// A rule was refused.
    #[error("confine the process: {0}")]
    Rule(#[from] RulesetError),
    /// A directory that must be accessible does not exist.
    #[error("confine the process: {0}")]
    Path(#[from] PathFdError),
}

impl Confinement {
    /// Confines this process permanently, as far as its kernel can.
    pub(super) fn enter(access: &Access) -> Result<Self, ConfinementError> {
        let mut rules = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?;
        if !access.connects {
            rules = rules.handle_access(AccessNet::from_all(NEWEST))?;
        }
        let mut rules = rules.scope(Scope::from_all(NEWEST))?.create()?;
        let own = File::open("/proc/self").ok().filter(|_| access.connects);
        let own_path = own.is_some().then(|| PathBuf::from("/proc/self"));
        for path in access.read.iter().chain(&own_path) {
            // Not every machine has all of them.
            if let Ok(opened) = PathFd::new(path) {
                rules = rules.add_rule(PathBeneath::new(opened, readable(path)))?;
            }
        }
        if let Some(path) = &access.write {
            let opened = PathFd::new(path)?;
            rules = rules.add_rule(PathBeneath::new(opened, readable(path) | writable()))?;
        }
        let status = rules.restrict_self()?;
        Ok(Self { holds: status.ruleset != RulesetStatus::NotEnforced, _own: own })
    }

    /// Whether the kernel enforces it. A kernel that is older than 5.13, or has Landlock switched off, does not.
    pub(super) const fn holds(&self) -> bool {
        self.holds
    }
}

fn readable(path: &Path) -> BitFlags<AccessFs> {
    if path.is_dir() { AccessFs::ReadFile | AccessFs::ReadDir } else { AccessFs::ReadFile.into() }
}

fn writable() -> BitFlags<AccessFs> {
    let files = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::RemoveFile;
    files | AccessFs::MakeDir
}

/// Limits the resources of a child that answers quickly, and lowers its priority.
pub(super) fn limit() -> io::Result<()> {
    let _ = rustix::process::nice(10);
    no_core()?;
    bound(Resource::As, MEMORY_MAX)?;
    bound(Resource::Cpu, SECONDS_MAX)?;
    bound(Resource::Fsize, FILE_MAX)
}

/// Limits the memory of a run: a plan with too many users ends the run, and not the machine.
pub(super) fn limit_run() -> io::Result<()> {
    if let Some(memory) = Environment::read().memory_bytes {
        bound(Resource::Data, memory / 4 * 3)?;
    }
    no_core()
}

/// Disables core dumps, because memory may contain secrets.
fn no_core() -> io::Result<()> {
    bound(Resource::Core, 0)
}

fn bound(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}
