//! An OpenDJ server, with its gateway from REST to LDAP.
//!
//! Its set-up takes long, so it is done once a machine: a prepared instance stays in the cache of `tests/setup`, named
//! after everything that went into it, and each server runs on a copy of its configuration and database. The Java
//! program is started directly, because the server's own script starts a second Java beforehand, only to ask whether
//! the server could be started.
//!
//! It still takes longer to start than most tests take, so one serves all tests of a run (see [`Shared`]).

use crate::ask::ask;
use crate::daemon::Daemon;
use crate::evidence::Operations;
use crate::people::{self, BASE_DN, PASSWORD, USERS};
use crate::pki::Pki;
use crate::ports::free_port;
use crate::prepared::prepared;
use crate::require::opendj_archive;
use crate::served::Served;
use crate::shared::{Lasting, PREFIX, Shared, Started, shared};
use crate::tool::{command, finish, make_directory, write};
use crate::wait::until;
use std::fs;
use std::hash::Hash;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Ports that stand in the prepared configuration until a server's own replace them.
const PREPARED: [u16; 5] = [21_389, 21_636, 24_444, 21_689, 8_080];

/// How long the gateway may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// The access log in a server's directory.
const LOG: &str = "logs/access";

/// What the testbed itself asks for, to see how far the log over HTTP has come.
const MARK: &str = "/api/mark";

/// Java must open these packages to OpenDJ, as OpenDJ's own scripts make it do. Its optimizing compiler takes longer
/// than it saves in so short a life.
const JAVA: [&str; 9] = [
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "--add-exports",
    "java.base/sun.security.x509=ALL-UNNAMED",
    "--add-exports",
    "java.base/sun.security.tools.keytool=ALL-UNNAMED",
    "--add-opens",
    "java.base/jdk.internal.loader=ALL-UNNAMED",
];

/// A running OpenDJ with 2,000 users.
#[derive(Debug)]
pub struct OpenDj {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    port: u16,
    tls_port: u16,
    rest_port: u16,
    pki: Pki,
    directory: PathBuf,
}

impl OpenDj {
    /// The administrator that OpenDJ is born with. [`ADMIN_DN`](crate::ADMIN_DN) may do as much.
    pub const MANAGER_DN: &'static str = "cn=Directory Manager";

    /// The server of the test run, once no other test uses it. What earlier tests changed in it has changed.
    pub fn shared() -> Shared<Self> {
        shared()
    }

    /// Starts a server, for a test that pauses or ends it, which takes long; the first one on a machine is set up
    /// before.
    pub fn start() -> Self {
        Self::of(<Self as Lasting>::start())
    }

    /// The port for LDAP and StartTLS on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port for LDAPS on 127.0.0.1.
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// `ldap://localhost:PORT`. By name, which is how DIGEST-MD5 must name the server.
    pub fn url(&self) -> String {
        format!("ldap://localhost:{}", self.port)
    }

    /// `ldaps://127.0.0.1:PORT`.
    pub fn tls_url(&self) -> String {
        format!("ldaps://127.0.0.1:{}", self.tls_port)
    }

    /// `http://127.0.0.1:PORT/api`, under which users are `/users/user.N`.
    pub fn rest_url(&self) -> String {
        format!("http://127.0.0.1:{}/api", self.rest_port)
    }

    /// The certificates; the server serves `server`. They are kept between runs: make none under old names.
    pub fn pki(&self) -> &Pki {
        &self.pki
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.daemon.id()
    }

    /// Stops the server in its tracks; connections stay open.
    pub fn pause(&self) {
        self.daemon.pause();
    }

    /// Resumes a paused server.
    pub fn resume(&self) {
        self.daemon.resume();
    }

    /// Ends the server with SIGKILL.
    pub fn kill(&self) {
        self.daemon.kill();
    }

    /// What the server's access log says was asked of it, once every answer on its way is in the log too.
    pub fn operations(&self) -> Operations {
        logged(&self.log())
    }

    /// Every request over HTTP that ended by now, in the order of their ends.
    pub fn rest_served(&self) -> Vec<Served> {
        let log = self.directory.join("logs/http-access");
        let read = || {
            let text = fs::read(&log).unwrap_or_default();
            Served::of_opendj(&String::from_utf8_lossy(&text))
        };
        let marks = |served: &[Served]| served.iter().filter(|one| one.path == MARK).count();
        let before = marks(&read());
        ask(self.rest_port, MARK);
        let mut served = Vec::new();
        let there = until(Duration::from_secs(10), || {
            served = read();
            marks(&served) > before
        });
        assert!(there, "a request of the test itself is not in OpenDJ's log");
        served.retain(|one| one.path != MARK);
        served
    }

    /// The access log.
    pub fn log(&self) -> PathBuf {
        self.directory.join(LOG)
    }

    /// A program of ldap-utils, set up to reach this server by its clear port and to trust its authority.
    ///
    /// By address: libldap takes `localhost` for this machine's own name when it checks a certificate.
    pub fn client(&self, program: &str) -> Command {
        self.client_at(program, &format!("ldap://127.0.0.1:{}", self.port))
    }

    /// The same by another URL: [`tls_url`](Self::tls_url), or [`url`](Self::url) for DIGEST-MD5.
    pub fn client_at(&self, program: &str, url: &str) -> Command {
        let mut client = command(program);
        client.args(["-H", url, "-N"]).env("LDAPTLS_CACERT", self.pki.ca());
        client
    }
}

impl Lasting for OpenDj {
    const KIND: &'static str = "opendj";

    fn recipe() -> impl Hash {
        (prepare(), JAVA)
    }

    fn start() -> Started {
        let prepared = prepare();
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}opendj-"))
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        for part in ["config", "db"] {
            finish(command("cp").arg("-r").arg(prepared.join("opendj").join(part)).arg(root));
        }
        for part in ["lib", "template"] {
            symlink(opendj_archive().join(part), root.join(part)).expect("a link can be made");
        }
        for part in ["logs", "locks", "tmp", "classes"] {
            make_directory(&root.join(part));
        }
        let ports = PREPARED.map(|_| free_port());
        let config = root.join("config/config.ldif");
        let text = fs::read_to_string(&config).expect("the configuration was copied");
        let text = configured(&text, ports);
        write(&config, text);
        let mut java = command("java");
        let classes = format!("{0}/classes:{0}/lib/*", root.display());
        java.args(JAVA).args(["-cp", &classes, "-Dorg.opends.server.scriptName=start-ds"]);
        java.arg(format!("-Djava.io.tmpdir={}", root.join("tmp").display()));
        java.args(["org.opends.server.core.DirectoryServer", "--nodetach", "--configFile"])
            .arg(&config);
        java.env("INSTALL_ROOT", root).env("INSTANCE_ROOT", root);
        let daemon = Daemon::start_in(root, &java, &root.join("log"));
        let [port, tls_port, .., rest_port] = ports;
        daemon.wait_for_port(rest_port);
        // It listens before it knows its paths, and then wants to know who asks.
        assert!(until(PATIENCE, || ask(rest_port, MARK) == 401), "there is no /api");
        daemon.wait_for_port(tls_port);
        daemon.wait_for_port(port);
        assert_eq!(logged(&root.join(LOG)), Operations::default(), "a new server did something");
        Started { daemon, directory: directory.keep(), ports: vec![port, tls_port, rest_port] }
    }

    fn of(Started { daemon, directory, ports }: Started) -> Self {
        let [port, tls_port, rest_port] = ports[..] else { panic!("OpenDJ has three ports") };
        Self {
            daemon,
            port,
            tls_port,
            rest_port,
            pki: Pki::open(&prepare().join("pki")),
            directory,
        }
    }
}

/// What an access log says, once every answer on its way is in it too.
fn logged(log: &Path) -> Operations {
    let mut seen = Operations::default();
    until(Duration::from_secs(5), || {
        let log = fs::read(log).expect("the access log is readable");
        seen = Operations::default();
        String::from_utf8_lossy(&log).lines().for_each(|line| seen.count_opendj(line));
        seen.unanswered() == 0
    });
    // Start-up connected once to the clear port and once to the other.
    seen.connections = seen.connections.saturating_sub(2);
    seen
}

/// The prepared configuration with a server's own ports.
fn configured(text: &str, ports: [u16; 5]) -> String {
    PREPARED.iter().zip(ports).fold(text.to_owned(), |text, (old, new)| {
        text.replace(
            &format!("ds-cfg-listen-port: {old}\n"),
            &format!("ds-cfg-listen-port: {new}\n"),
        )
    })
}

/// The directory of the prepared instance, made first if need be.
fn prepare() -> PathBuf {
    let archive = opendj_archive();
    assert!(
        archive.join("setup").exists(),
        "OpenDJ is not at {}; run tests/setup",
        archive.display()
    );
    let users = people::ldif(USERS, DIALECT);
    prepared("opendj", (&users, EDITS, PREPARED, &archive), |place| {
        write(&place.join("users.ldif"), &users);
        let store = Pki::make(&place.join("pki")).pkcs12("server");
        finish(command("cp").arg("-r").arg(&archive).arg(place));
        set_up(place, &store);
        let config = place.join("opendj/config/config.ldif");
        let text = fs::read_to_string(&config).expect("set-up writes the configuration");
        write(&config, EDITS.iter().fold(text, |text, edit| edited(&text, *edit)));
    })
}

fn set_up(place: &Path, store: &Path) {
    let [port, tls_port, admin_port, jmx_port, _] = PREPARED.map(|port| port.to_string());
    let mut setup = command("sh");
    setup.arg(place.join("opendj/setup")).env("OPENDJ_JAVA_ARGS", JAVA.join(" "));
    setup.args([
        "--cli",
        "-n",
        "-Q",
        "--noPropertiesFile",
        "--acceptLicense",
        "-O",
        "-S",
        "--enableStartTLS",
    ]);
    setup.args([
        "-h",
        "localhost",
        "-b",
        BASE_DN,
        "-D",
        OpenDj::MANAGER_DN,
        "-w",
        PASSWORD,
        "-N",
        "server",
    ]);
    setup.args([
        "-p",
        &port,
        "-Z",
        &tls_port,
        "--adminConnectorPort",
        &admin_port,
        "-x",
        &jmx_port,
    ]);
    setup.arg("--usePkcs12keyStore").arg(store).args(["-W", PASSWORD]);
    setup.arg("-l").arg(place.join("users.ldif"));
    finish(&mut setup);
}

/// A change to one entry of the configuration: its name, an attribute, and the value it gets.
type Edit = (&'static str, &'static str, &'static str);

const EDITS: [Edit; 10] = [
    ("cn=LDAP Connection Handler,", "ds-cfg-listen-address", "127.0.0.1"),
    ("cn=LDAPS Connection Handler,", "ds-cfg-listen-address", "127.0.0.1"),
    ("cn=Administration Connector,", "ds-cfg-listen-address", "127.0.0.1"),
    ("cn=JMX Connection Handler,", "ds-cfg-enabled", "false"),
    // The log is the evidence, so it is written before the client has its answer; one log is enough.
    ("cn=File-Based Access Logger,", "ds-cfg-asynchronous", "false"),
    ("cn=Json File-Based Access Logger,", "ds-cfg-enabled", "false"),
    // The gateway: its `/api` knows the users of the testbed as it is.
    ("cn=HTTP Connection Handler,", "ds-cfg-listen-address", "127.0.0.1"),
    ("cn=File-Based HTTP Access Logger,", "ds-cfg-asynchronous", "false"),
    ("cn=HTTP Connection Handler,", "ds-cfg-enabled", "true"),
    ("cn=File-Based HTTP Access Logger,", "ds-cfg-enabled", "true"),
];

fn edited(text: &str, (entry, attribute, value): Edit) -> String {
    let mut inside = false;
    let mut done = 0;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(dn) = line.strip_prefix("dn: ") {
            inside = dn.starts_with(entry);
        }
        if inside && line.starts_with(&format!("{attribute}: ")) {
            lines.push(format!("{attribute}: {value}"));
            done += 1;
        } else {
            lines.push(line.to_owned());
        }
    }
    assert_eq!(done, 1, "{attribute} of {entry} is not in OpenDJ's configuration exactly once");
    lines.join("\n") + "\n"
}

/// What OpenDJ wants said otherwise.
const DIALECT: people::Dialect = people::Dialect {
    clear: "{CLEAR}",
    base: "aci: (targetattr=\"*||+\")(version 3.0; acl \"admin\"; allow (all,proxy) \
           userdn=\"ldap:///uid=admin,dc=example,dc=com\";)\n\
           aci: (targetattr=\"*||+\")(version 3.0; acl \"proxy\"; allow (proxy) \
           userdn=\"ldap:///uid=proxy,ou=people,dc=example,dc=com\";)\n\
           aci: (targetattr=\"*\")(version 3.0; acl \"self\"; allow (write) userdn=\"ldap:///self\";)\n",
    proxy: "ds-privilege-name: proxied-auth\n",
    more: "dn: uid=admin,dc=example,dc=com
objectClass: inetOrgPerson
uid: admin
cn: Admin
sn: Admin
userPassword: {CLEAR}password
ds-privilege-name: bypass-acl
ds-privilege-name: proxied-auth
ds-privilege-name: unindexed-search
ds-privilege-name: modify-acl
ds-privilege-name: password-reset
ds-rlim-size-limit: 0
",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::{ADMIN_DN, PROXY_DN};

    #[test]
    fn config_edit_changes_one_entry() {
        let text = "dn: cn=a,cn=config\nx: 1\ny: 2\n\ndn: cn=b,cn=config\nx: 1\n";
        let expected = "dn: cn=a,cn=config\nx: 1\ny: 2\n\ndn: cn=b,cn=config\nx: 7\n";
        assert_eq!(edited(text, ("cn=b,", "x", "7")), expected);
    }

    #[test]
    fn dialect_names_the_administrator_and_the_proxy() {
        assert!(DIALECT.base.contains(ADMIN_DN) && DIALECT.more.contains(ADMIN_DN));
        assert!(DIALECT.base.contains(PROXY_DN));
    }
}
