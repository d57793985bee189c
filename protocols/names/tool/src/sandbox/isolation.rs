//! Isolates a sandbox from the host: namespaces, and the mounts in them.
//!
//! Every path that a daemon or a tool writes to is covered by the sandbox's own memory before anything runs, and `/etc`
//! as a whole by a copy: a tool that replaces `/etc/passwd` renames a file over it, which is not possible for a mount
//! point. Programs that are confined by their path (`AppArmor` knows slapd as `/usr/sbin/slapd`) or that are masked
//! have a copy under another path.

use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};

use super::etc;
use super::loopback;
use super::sandbox_error::SandboxError;
use super::sandbox_paths::{MASKED, SandboxPaths};
use super::spec::{Data, Isolation, Spec};
use super::tools;

/// The directory of a sandbox in isolation.
const ROOT: &str = "/run/brunt";
/// The port of the directory in isolation, where no other process can have it.
const PORT: u16 = 3890;

/// Paths that are covered with memory if they exist, with these modes.
const COVERED: &[(&str, u32)] = &[
    ("/tmp", 0o1777),
    ("/var/tmp", 0o1777),
    ("/dev/shm", 0o1777),
    ("/var/cache/nscd", 0o755),
    ("/var/db/nscd", 0o755),
    ("/var/lib/sss", 0o755),
    ("/var/lib/dirsrv", 0o755),
    ("/var/log", 0o755),
    ("/var/mail", 0o2775),
];

/// Directories that daemons expect below covered paths.
const EXPECTED: &[&str] = &[
    "/run/lock",
    "/run/nslcd",
    "/run/nscd",
    "/var/log/sssd",
    "/var/log/dirsrv",
    "/var/lib/sss/db",
    "/var/lib/sss/mc",
    "/var/lib/sss/pipes/private",
    "/var/lib/sss/pubconf/krb5.include.d",
    "/var/lib/sss/keytabs",
    "/var/lib/sss/secrets",
    "/var/lib/sss/gpo_cache",
    "/var/lib/sss/deskprofile",
];

/// Daemons that get a copy under another path.
const LENT: &[&str] = &["slapd", "nslcd", "nscd", "unscd", "sssd", "ns-slapd"];

/// Leaves the host's namespaces. The next process that this one starts is process 1.
pub(super) fn part(isolation: Isolation) -> Result<(), SandboxError> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut flags = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC;
    if isolation == Isolation::User {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    unshare(flags).map_err(|error| {
        SandboxError::system(
            "create namespaces (this needs root or permission to create user namespaces)",
        )(error.into())
    })?;
    if isolation == Isolation::User {
        // Groups must be given up before the group can be mapped (user_namespaces(7)).
        write(Path::new("/proc/self/setgroups"), "deny")?;
        write(Path::new("/proc/self/uid_map"), &format!("0 {} 1", user.as_raw()))?;
        write(Path::new("/proc/self/gid_map"), &format!("0 {} 1", group.as_raw()))?;
    }
    Ok(())
}

/// Separates the mounts of process 1 from the host's and shows it its own processes. The outer process continues to see
/// what the host sees, since it must clean up there.
pub(super) fn seclude() -> Result<(), SandboxError> {
    unshare(CloneFlags::CLONE_NEWNS)
        .map_err(|error| SandboxError::system("create a mount namespace")(error.into()))?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|error| {
            let act = "separate the mounts from the host's (is / a mount? in a chroot, bind-mount it onto \
                       itself first)";
            SandboxError::system(act)(error.into())
        })?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(refused("mount", Path::new("/proc")))
}

/// Prepares the paths of the sandbox.
pub(super) fn furnish(spec: &Spec) -> Result<SandboxPaths, SandboxError> {
    match (spec.isolation, &spec.data) {
        (Isolation::None, Data::Below(directory)) => unwalled(directory),
        (Isolation::None, Data::Memory) => Err(SandboxError::Unfit(
            "keep data in memory without namespaces: name a directory".to_owned(),
        )),
        (_, data) => walled(spec, data),
    }
}

fn walled(spec: &Spec, data: &Data) -> Result<SandboxPaths, SandboxError> {
    seclude()?;
    // Kept open, since the next mount may cover it; and opened only now, since a mount of the host's cannot be mounted
    // here.
    let held = match data {
        Data::Memory => None,
        Data::Below(path) => Some(open(path)?),
    };
    memory(Path::new("/run"), 0o755)?;
    let place = SandboxPaths {
        isolation: spec.isolation,
        root: PathBuf::from(ROOT),
        data: Path::new(ROOT).join("data"),
        etc: PathBuf::from("/etc"),
        port: PORT,
    };
    make(&place.root.join("bin"))?;
    make(&place.data)?;
    if let Some(held) = held {
        // The link leads to the directory itself, even if its path is covered by now.
        bind(&PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd())), &place.data)?;
    }
    for (path, mode) in COVERED {
        let path = Path::new(path);
        if path.is_dir() && !path.is_symlink() {
            memory(path, *mode)?;
        }
    }
    for path in EXPECTED {
        // If sssd is not installed, there is nothing to cover, and no daemon that expects the directory.
        if Path::new(path).starts_with("/run") || covered(Path::new(path)) {
            make(Path::new(path))?;
        }
    }
    silence_syslog()?;
    let copy = place.data.join("etc");
    etc::copy(Path::new("/etc"), &copy)?;
    etc::furnish(&copy)?;
    bind(&copy, Path::new("/etc"))?;
    lend(&place)?;
    loopback::up().map_err(SandboxError::system("bring the loopback interface up"))?;
    Ok(place)
}

fn unwalled(directory: &Path) -> Result<SandboxPaths, SandboxError> {
    let root = directory.join("run");
    let (data, etc) = (directory.join("data"), directory.join("prefix/etc"));
    for path in [&root, &data, &etc] {
        make(path)?;
    }
    etc::furnish(&etc)?;
    // Another process could take the port before the directory does; the directory would then report that.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
    let port = port.map_err(SandboxError::system("find a free port"))?.port();
    Ok(SandboxPaths { isolation: Isolation::None, root, data, etc, port })
}

/// The note about a sandbox without isolation, in which nothing can be masked.
pub(super) fn unmasked() -> Option<String> {
    let there: Vec<&str> =
        MASKED.iter().copied().filter(|name| tools::find(name).is_some()).collect();
    (!there.is_empty()).then(|| {
        format!(
            "useradd and userdel start {} on this machine, which takes longer than they do themselves",
            there.join(" and ")
        )
    })
}

fn covered(path: &Path) -> bool {
    COVERED.iter().any(|(covered, _)| path.starts_with(covered) && Path::new(covered).is_dir())
}

/// Keeps eleven thousand new users out of the host's log.
fn silence_syslog() -> Result<(), SandboxError> {
    let log = Path::new("/dev/log");
    let socket = fs::symlink_metadata(log).is_ok_and(|found| found.file_type().is_socket());
    if socket { bind(Path::new("/dev/null"), log) } else { Ok(()) }
}

fn lend(place: &SandboxPaths) -> Result<(), SandboxError> {
    for name in LENT {
        let Some(program) = tools::find(name) else { continue };
        // Debian installs unscd under the name of the program it replaces.
        let unscd = *name == "nscd" && tools::is_unscd(&program);
        let lent = place.lent(if unscd { "unscd" } else { name });
        File::create(&lent).map_err(SandboxError::file("make", &lent))?;
        bind(&program, &lent)?;
    }
    let nothing = tools::find("true").ok_or_else(|| SandboxError::Missing("true".to_owned()))?;
    for program in MASKED.iter().filter_map(|name| tools::find(name)) {
        bind(&nothing, &program)?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<File, SandboxError> {
    OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::DIRECTORY.bits().cast_signed())
        .open(path)
        .map_err(SandboxError::file("open", path))
}

fn memory(path: &Path, mode: u32) -> Result<(), SandboxError> {
    mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, None)
        .map_err(refused("cover", path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(SandboxError::file("open up", path))
}

fn bind(from: &Path, over: &Path) -> Result<(), SandboxError> {
    let (from, over) = (from.to_owned(), over.to_owned());
    mount_bind(&from, &over).map_err(|error| {
        SandboxError::system(format!("mount {} over {}", from.display(), over.display()))(
            error.into(),
        )
    })
}

fn refused(verb: &'static str, path: &Path) -> impl FnOnce(rustix::io::Errno) -> SandboxError {
    let path = path.to_owned();
    move |error| SandboxError::file(verb, &path)(error.into())
}

fn make(path: &Path) -> Result<(), SandboxError> {
    fs::create_dir_all(path).map_err(SandboxError::file("make", path))
}

fn write(path: &Path, text: &str) -> Result<(), SandboxError> {
    fs::write(path, text).map_err(SandboxError::file("write", path))
}
