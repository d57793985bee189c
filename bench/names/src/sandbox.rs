//! The environment in which names are looked up: its own `/etc` and `/run`, and the daemons of a name service.
//!
//! Everything here assumes that this process is in a separate mount namespace. All files are in the new `/run`, which
//! is memory that is freed with the namespace.

use brunt_bench_tool::succeeded;
use brunt_testbed::{Daemon, free_port, until};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The number of the first user; each is named `u` and its number.
pub(crate) const FIRST: u32 = 10_000;
/// How many users there are.
pub(crate) const USERS: u32 = 3_000;

const NSCD: &str = "/run/nscd/socket";
const NSLCD: &str = "/run/nslcd/socket";

/// Where everything lies.
const ROOM: &str = "/run/bench";

/// The new world.
pub(crate) struct Sandbox(());

/// Who knows the users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// `/etc/passwd`.
    Files,
    /// A directory.
    Ldap,
}

impl Sandbox {
    /// Covers `/etc` with a copy and `/run` and nscd's files with nothing.
    pub(crate) fn new() -> Self {
        let mount = |words: &[&str]| succeeded(Command::new("mount").args(words));
        mount(&["-t", "tmpfs", "tmpfs", "/run"]);
        fs::create_dir(ROOM).expect("the new /run is empty");
        let sandbox = Self(());
        let etc = sandbox.path("etc");
        succeeded(Command::new("cp").args(["-a", "/etc", &etc]));
        mount(&["--bind", &etc, "/etc"]);
        fs::create_dir_all("/var/cache/nscd").expect("a directory to cover");
        mount(&["-t", "tmpfs", "tmpfs", "/var/cache/nscd"]);
        for place in ["/run/nscd", "/run/nslcd"] {
            fs::create_dir(place).expect("the new /run is empty");
        }
        sandbox
    }

    /// Where to put something of this name.
    #[expect(clippy::unused_self, reason = "without a world there is no such place")]
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{ROOM}/{name}")
    }

    /// Says where users are looked for.
    #[expect(clippy::unused_self, reason = "without a world these files are the machine's own")]
    pub(crate) fn configure(&self, source: Source) {
        let mut passwd =
            String::from("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n");
        if source == Source::Files {
            for uid in FIRST..FIRST + USERS {
                let _ = writeln!(passwd, "u{uid}:x:{uid}:{uid}:User {uid}:/home/u{uid}:/bin/sh");
            }
        }
        let switch = match source {
            Source::Files => "passwd: files\ngroup: files\nhosts: files\n",
            Source::Ldap => "passwd: files ldap\ngroup: files\nhosts: files\n",
        };
        for (file, text) in [("/etc/passwd", &*passwd), ("/etc/nsswitch.conf", switch)] {
            fs::write(file, text).unwrap_or_else(|error| panic!("failed to write {file}: {error}"));
        }
    }

    /// Starts nscd, whose cache programs may look into themselves only if it is `shared`.
    pub(crate) fn nscd(&self, shared: bool) -> Daemon {
        let shared = if shared { "yes" } else { "no" };
        let text = format!(
            "enable-cache passwd yes\npositive-time-to-live passwd 3600\nsuggested-size passwd 4001\n\
             check-files passwd no\npersistent passwd no\nshared passwd {shared}\nenable-cache group no\n\
             enable-cache hosts no\nenable-cache services no\nenable-cache netgroup no\n"
        );
        let _ = fs::remove_file(NSCD);
        self.daemon("nscd", &text, &["-F", "-f"], NSCD)
    }

    /// Starts nslcd, which asks a directory on this port.
    pub(crate) fn nslcd(&self, port: u16) -> Daemon {
        let text = format!("threads 2\nuri ldap://127.0.0.1:{port}\nbase dc=bench\nscope sub\n");
        // It knows no other place for its configuration.
        fs::write("/etc/nslcd.conf", text).expect("/etc is ours");
        succeeded(Command::new("chmod").args(["0640", "/etc/nslcd.conf"]));
        let mut command = Command::new("/usr/sbin/nslcd");
        command.arg("-n");
        self.started("nslcd", &command, NSLCD)
    }

    fn daemon(&self, name: &str, text: &str, words: &[&str], socket: &str) -> Daemon {
        let file = self.path(&format!("{name}.conf"));
        fs::write(&file, text).expect("a configuration can be written");
        let mut command = Command::new(format!("/usr/sbin/{name}"));
        command.args(words).arg(file);
        self.started(name, &command, socket)
    }

    fn started(&self, name: &str, command: &Command, socket: &str) -> Daemon {
        let daemon = Daemon::start(command, Path::new(&self.path(&format!("{name}.log"))));
        assert!(
            until(Duration::from_secs(20), || Path::new(socket).exists()),
            "{name} has no socket"
        );
        daemon
    }

    /// Starts slapd with the users; its port.
    pub(crate) fn slapd(&self) -> (Daemon, u16) {
        let (data, conf, ldif) =
            (self.path("db"), self.path("slapd.conf"), self.path("users.ldif"));
        fs::create_dir(&data).expect("a directory for the database");
        let schemas = ["core", "cosine", "nis"]
            .map(|name| format!("include /etc/ldap/schema/{name}.schema\n"));
        let text = format!(
            "{}modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile {}\nsizelimit unlimited\ndatabase mdb\n\
             suffix \"dc=bench\"\nrootdn \"cn=admin,dc=bench\"\nrootpw secret\ndirectory {data}\n\
             maxsize 268435456\nindex objectClass eq\nindex uidNumber eq\n",
            schemas.concat(),
            self.path("slapd.pid")
        );
        fs::write(&conf, text).expect("a configuration can be written");
        let mut users = String::from(
            "dn: dc=bench\nobjectClass: dcObject\nobjectClass: organization\ndc: bench\no: bench\n\n",
        );
        for uid in FIRST..FIRST + USERS {
            let _ = writeln!(
                users,
                "dn: uid=u{uid},dc=bench\nobjectClass: account\nobjectClass: posixAccount\nuid: u{uid}\n\
                 cn: User {uid}\nuidNumber: {uid}\ngidNumber: {uid}\nhomeDirectory: /home/u{uid}\n\
                 loginShell: /bin/sh\n"
            );
        }
        fs::write(&ldif, users).expect("users can be written");
        succeeded(Command::new("/usr/sbin/slapadd").args(["-q", "-f", &conf, "-l", &ldif]));
        let port = free_port();
        let mut command = Command::new("/usr/sbin/slapd");
        command.args(["-d", "0", "-f", &conf, "-h", &format!("ldap://127.0.0.1:{port}")]);
        let daemon = Daemon::start(&command, Path::new(&self.path("slapd.log")));
        daemon.wait_for_port(port);
        (daemon, port)
    }
}
