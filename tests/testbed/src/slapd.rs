//! A private OpenLDAP server.
//!
//! One configuration contains everything the tests need at once (TLS, StartTLS, every SASL mechanism, password policy,
//! proxied authorization, server-side sorting, the monitor), because starting it takes a tenth of a second and a second
//! configuration would be one more to understand. Passwords are stored as plain text: the digest mechanisms need that,
//! and otherwise hashing would be measured instead of slapd.

use crate::daemon::Daemon;
use crate::evidence::Operations;
use crate::people::{self, ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN};
use crate::pki::Pki;
use crate::ports::free_port;
use crate::tool::{command, finish, make_directory, run, write};
use crate::wait::until;
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// What a test may want otherwise.
#[derive(Clone, Debug)]
pub struct Options {
    /// Users `user.0` to `user.N-1`.
    pub users: usize,
    /// Whether slapd writes its statistics log, from which [`Slapd::operations`] counts. It costs slapd
    /// several microseconds an operation, so a bench does without.
    pub log: bool,
    /// The certificate of the [`Pki`] that slapd serves. Without one it knows neither LDAPS nor StartTLS.
    pub certificate: Option<&'static str>,
    /// After how many seconds without a request slapd closes a connection (`idletimeout`).
    pub idle_timeout: Option<u32>,
    /// Variables for slapd's environment: [`Kdc::server_environment`](crate::Kdc::server_environment).
    pub environment: Vec<(String, PathBuf)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            users: people::USERS,
            log: true,
            certificate: Some("server"),
            idle_timeout: None,
            environment: Vec::new(),
        }
    }
}

/// A running slapd with its database, certificates and log.
#[derive(Debug)]
pub struct Slapd {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    options: Options,
    port: u16,
    tls_port: u16,
    pki: Pki,
    /// Connections this module made to check whether slapd listens, which are not part of any test's operations.
    probes: Cell<u64>,
    monitored: Cell<u64>,
    directory: TempDir,
}

impl Slapd {
    /// Fills a database and starts slapd on it, which is quick enough that each test has its own.
    pub fn start(options: Options) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-slapd-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        let pki = Pki::copy(&root.join("pki"));
        make_directory(&root.join("db"));
        make_directory(&root.join("sasl"));
        // libsasl looks for the file named after the service it was initialised for.
        write(&root.join("sasl/slapd.conf"), SASL);
        write(&root.join("slapd.conf"), configuration(root, &pki, &options));
        write(&root.join("users.ldif"), people::ldif(options.users, DIALECT));
        let (config, users) = (root.join("slapd.conf"), root.join("users.ldif"));
        finish(command("slapadd").arg("-q").arg("-f").arg(&config).arg("-l").arg(&users));
        let (port, tls_port) = (free_port(), free_port());
        let daemon = launch(root, port, tls_port, &options);
        let (probes, monitored) = (Cell::new(1), Cell::new(0));
        Self { daemon, options, port, tls_port, pki, probes, monitored, directory }
    }

    /// The port for LDAP and StartTLS on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port for LDAPS on 127.0.0.1.
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// `ldap://localhost:PORT`. By name, as Kerberos knows the server by it.
    pub fn url(&self) -> String {
        format!("ldap://localhost:{}", self.port)
    }

    /// `ldaps://127.0.0.1:PORT`.
    pub fn tls_url(&self) -> String {
        format!("ldaps://127.0.0.1:{}", self.tls_port)
    }

    /// The Unix socket on which slapd listens too (`ldapi`).
    pub fn socket(&self) -> PathBuf {
        self.directory.path().join(SOCKET)
    }

    /// The certificates: slapd serves `server` and knows clients by `client`.
    pub fn pki(&self) -> &Pki {
        &self.pki
    }

    /// The process id of slapd.
    pub fn id(&self) -> u32 {
        self.daemon.id()
    }

    /// Stops slapd in its tracks; connections stay open.
    pub fn pause(&self) {
        self.daemon.pause();
    }

    /// Resumes a paused slapd.
    pub fn resume(&self) {
        self.daemon.resume();
    }

    /// Ends slapd with SIGKILL; clients see their connections reset or closed.
    pub fn kill(&self) {
        self.daemon.kill();
    }

    /// Ends slapd as its administrator would.
    pub fn stop(&self) {
        self.daemon.stop();
    }

    /// Starts slapd again on the same data and ports, after [`kill`](Self::kill) or [`stop`](Self::stop).
    pub fn restart(&mut self) {
        if self.daemon.is_running() {
            self.daemon.stop();
        }
        self.daemon = launch(self.directory.path(), self.port, self.tls_port, &self.options);
        self.probes.set(self.probes.get() + 1);
    }

    /// What slapd's statistics log says was asked of it since [`start`](Self::start), over restarts.
    ///
    /// Waits a moment for answers on their way. A slapd that was killed never gives those.
    pub fn operations(&self) -> Operations {
        assert!(self.options.log, "this slapd was started without its statistics log");
        let mut seen = Operations::default();
        until(Duration::from_secs(2), || {
            let log = fs::read(self.log()).expect("slapd's log is readable");
            seen = Operations::default();
            String::from_utf8_lossy(&log).lines().for_each(|line| seen.count_slapd(line));
            seen.unanswered() == 0
        });
        seen.connections = seen.connections.saturating_sub(self.probes.get());
        seen
    }

    /// What slapd's monitor backend counted since slapd was last started, less what asking it adds.
    ///
    /// Knows no result codes and no connections. Answers even without the statistics log.
    pub fn monitored(&self) -> Operations {
        let mut seen = Operations::default();
        until(Duration::from_secs(2), || {
            let (initiated, completed) = self.monitor();
            seen = completed;
            // The search that asks is still under way when it is answered.
            initiated.requests() == seen.requests() + 1
        });
        let before = self.monitored.get() - 1;
        seen.binds -= before + 1;
        seen.searches -= before;
        seen.unbinds = seen.unbinds.saturating_sub(before);
        seen
    }

    /// What the monitor backend counts as completed right now, including its own searches: for reading twice in the
    /// middle of a run, where there is no idle moment to wait for.
    pub fn completed(&self) -> Operations {
        self.monitor().1
    }

    fn monitor(&self) -> (Operations, Operations) {
        self.monitored.set(self.monitored.get() + 1);
        let url = self.url();
        let base = "cn=Operations,cn=Monitor";
        let text = run(
            "ldapsearch",
            ["-x", "-LLL", "-o", "ldif-wrap=no", "-H", &url, "-s", "one", "-b", base, "+"],
        );
        let mut counts = (Operations::default(), Operations::default());
        for entry in text.split("\n\n") {
            let value = |name: &str| {
                let line = entry.lines().find_map(|line| line.strip_prefix(name));
                line.map_or(0, |value| value.trim().parse().expect("a count is a number"))
            };
            let kind =
                entry.trim_start().strip_prefix("dn: cn=").and_then(|rest| rest.split(',').next());
            let Some(kind) = kind else { continue };
            place(&mut counts.0, kind, value("monitorOpInitiated: "));
            place(&mut counts.1, kind, value("monitorOpCompleted: "));
        }
        counts
    }

    /// The LDIF of one entry with its operational attributes, read from the database behind slapd's
    /// back, so that looking changes no count. Empty where there is none.
    pub fn entry(&self, dn: &str) -> String {
        let text = self.dump();
        text.split_inclusive("\n\n")
            .find(|entry| entry.starts_with(&format!("dn: {dn}\n")))
            .unwrap_or_default()
            .into()
    }

    /// The first value of an attribute of an entry, read as [`entry`](Self::entry) does.
    pub fn value(&self, dn: &str, attribute: &str) -> Option<String> {
        let prefix = format!("{attribute}: ");
        self.entry(dn).lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
    }

    /// How many entries stand at and below `dn`, read as [`entry`](Self::entry) does.
    pub fn entries_below(&self, dn: &str) -> usize {
        let below =
            |line: &&str| line.strip_prefix("dn: ").is_some_and(|other| other.ends_with(dn));
        self.dump().lines().filter(below).count()
    }

    /// The whole database: the slapcat of slapd 2.5 ends in a fault when asked for a subtree.
    fn dump(&self) -> String {
        let config = self.directory.path().join("slapd.conf");
        let mut slapcat = command("slapcat");
        finish(slapcat.args(["-o", "ldif-wrap=no", "-b", BASE_DN]).arg("-f").arg(&config))
    }

    /// The file of slapd's words: the statistics log, and why it ended if it did.
    pub fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// A program of ldap-utils, set up to reach this server by its clear port and to trust its authority.
    ///
    /// By address: libldap takes `localhost` for this machine's own name when it checks a certificate.
    pub fn client(&self, program: &str) -> Command {
        self.client_at(program, &format!("ldap://127.0.0.1:{}", self.port))
    }

    /// The same by another URL: [`tls_url`](Self::tls_url), or [`url`](Self::url) for Kerberos.
    pub fn client_at(&self, program: &str, url: &str) -> Command {
        let mut client = command(program);
        client.args(["-H", url, "-N"]).env("LDAPTLS_CACERT", self.pki.ca());
        client
    }
}

fn place(counts: &mut Operations, kind: &str, count: u64) {
    match kind {
        "Bind" => counts.binds = count,
        "Unbind" => counts.unbinds = count,
        "Search" => counts.searches = count,
        "Compare" => counts.compares = count,
        "Modify" => counts.modifies = count,
        "Add" => counts.adds = count,
        "Delete" => counts.deletes = count,
        "Abandon" => counts.abandons = count,
        "Extended" => counts.extended = count,
        _ => {}
    }
}

fn launch(root: &Path, port: u16, tls_port: u16, options: &Options) -> Daemon {
    let mut slapd = command("slapd");
    let tls = options.certificate.is_some();
    let secured = if tls { format!(" ldaps://127.0.0.1:{tls_port}") } else { String::new() };
    let socket = root.join(SOCKET).display().to_string().replace('/', "%2F");
    let urls = format!("ldap://127.0.0.1:{port}{secured} ldapi://{socket}");
    slapd.arg("-f").arg(root.join("slapd.conf")).args(["-h", &urls]);
    // Any -d keeps slapd in the foreground.
    slapd
        .args(["-d", if options.log { "stats" } else { "0" }])
        .env("SASL_CONF_PATH", root.join("sasl"));
    slapd.envs(options.environment.iter().map(|(name, value)| (name, value)));
    let daemon = Daemon::start(&slapd, &root.join("log"));
    daemon.wait_for_port(port);
    daemon
}

/// The name of slapd's Unix socket.
const SOCKET: &str = "ldapi";

const SASL: &str = "mech_list: PLAIN CRAM-MD5 DIGEST-MD5 SCRAM-SHA-1 SCRAM-SHA-256 EXTERNAL GSSAPI
auxprop_plugin: slapd
";

fn configuration(root: &Path, pki: &Pki, options: &Options) -> String {
    let modules = ["/usr/lib/ldap", "/usr/lib/openldap", "/usr/libexec/openldap"];
    let modules =
        modules.into_iter().find(|path| Path::new(path).is_dir()).unwrap_or("/usr/lib/ldap");
    let schema = ["/etc/ldap/schema", "/etc/openldap/schema"];
    let schema = schema
        .into_iter()
        .find(|path| Path::new(path).is_dir())
        .expect("slapd's schema files are installed");
    let root = root.display();
    let tls = options.certificate.map(|name| tls(pki, name)).unwrap_or_default();
    let idle =
        options.idle_timeout.map(|seconds| format!("idletimeout {seconds}")).unwrap_or_default();
    format!(
        r#"include {schema}/core.schema
include {schema}/cosine.schema
include {schema}/nis.schema
include {schema}/inetorgperson.schema
modulepath {modules}
moduleload back_mdb
moduleload ppolicy
moduleload sssvlv
pidfile {root}/slapd.pid
loglevel 0
sizelimit unlimited
timelimit unlimited
{idle}
password-hash {{CLEARTEXT}}
{tls}
sasl-host localhost
sasl-secprops none
# Whoever a mechanism names, by whatever realm, is a user; so is whoever holds a client certificate.
authz-regexp "^uid=([^,]+)(,cn=[^,]*)?,cn=[^,]*,cn=auth$" "uid=$1,{PEOPLE_DN}"
authz-regexp "^cn=([^,]+),o=testbed$" "uid=$1,{PEOPLE_DN}"
authz-policy to
database mdb
suffix "{BASE_DN}"
rootdn "{ADMIN_DN}"
rootpw {PASSWORD}
directory {root}/db
maxsize 1073741824
envflags nosync
index objectClass eq
index uid,cn,sn,mail,employeeNumber eq
index entryUUID,entryCSN eq
access to attrs=userPassword by self write by anonymous auth by * none
access to * by self write by * read
overlay sssvlv
overlay ppolicy
ppolicy_use_lockout
database monitor
access to * by * read
"#
    )
}

fn tls(pki: &Pki, name: &str) -> String {
    format!(
        "TLSCACertificateFile {}\nTLSCertificateFile {}\nTLSCertificateKeyFile {}\nTLSVerifyClient try",
        pki.ca().display(),
        pki.pem(name).display(),
        pki.private_key(name).display()
    )
}

/// What slapd wants said otherwise, and three users under password policies.
const DIALECT: people::Dialect = people::Dialect {
    clear: "",
    base: "",
    proxy: "authzTo: dn.regex:^uid=[^,]+,ou=people,dc=example,dc=com$\n",
    more: "dn: ou=policies,dc=example,dc=com
objectClass: organizationalUnit
ou: policies

dn: cn=century,ou=policies,dc=example,dc=com
objectClass: applicationProcess
objectClass: pwdPolicy
cn: century
pwdAttribute: userPassword
pwdMaxAge: 2000000000
pwdExpireWarning: 1999999999
pwdLockout: TRUE
pwdMustChange: TRUE

dn: uid=expiring,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: expiring
cn: Expiring
sn: Expiring
userPassword: password
pwdChangedTime: 20200101000000Z
pwdPolicySubentry: cn=century,ou=policies,dc=example,dc=com

dn: uid=reset,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: reset
cn: Reset
sn: Reset
userPassword: password
pwdReset: TRUE
pwdPolicySubentry: cn=century,ou=policies,dc=example,dc=com

dn: uid=locked,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: locked
cn: Locked
sn: Locked
userPassword: password
pwdAccountLockedTime: 000001010000Z
pwdPolicySubentry: cn=century,ou=policies,dc=example,dc=com
",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::PROXY_DN;

    #[test]
    fn proxy_may_act_for_the_people_of_the_pattern() {
        assert!(PROXY_DN.ends_with(PEOPLE_DN));
        assert!(DIALECT.proxy.contains(PEOPLE_DN) && DIALECT.more.contains(PEOPLE_DN));
    }
}
