//! A private Kerberos realm.
//!
//! Everything that locates the realm is set in the environment (`KRB5_CONFIG` and related variables), so that the
//! machine's own configuration is neither read nor written.

use crate::daemon::Daemon;
use crate::people::PASSWORD;
use crate::ports::free_port;
use crate::tool::{command, finish, write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A running KDC with a keytab for `ldap/localhost` and principals `user.0` to `user.9`.
#[derive(Debug)]
pub struct Kdc {
    _daemon: Daemon,
    port: u16,
    directory: TempDir,
}

impl Kdc {
    /// The realm.
    pub const REALM: &'static str = "EXAMPLE.COM";

    /// Makes the realm and starts its KDC. Takes about a third of a second.
    pub fn start() -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-kdc-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        let port = free_port();
        let realm = Self::REALM;
        let path = root.display();
        write(
            &root.join("krb5.conf"),
            format!(
                "[libdefaults]\n default_realm = {realm}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n \
                 rdns = false\n dns_canonicalize_hostname = false\n udp_preference_limit = 1\n\
                 [realms]\n {realm} = {{\n  kdc = 127.0.0.1:{port}\n }}\n\
                 [domain_realm]\n localhost = {realm}\n"
            ),
        );
        write(
            &root.join("kdc.conf"),
            format!(
                "[kdcdefaults]\n kdc_listen = 127.0.0.1:{port}\n kdc_tcp_listen = 127.0.0.1:{port}\n\
                 [realms]\n {realm} = {{\n  database_name = {path}/principal\n  acl_file = {path}/kadm5.acl\n  \
                 key_stash_file = {path}/stash\n  max_life = 1h\n }}\n\
                 [logging]\n kdc = FILE:{path}/kdc.log\n"
            ),
        );
        let environment = environment(root);
        let tool = |name: &str, arguments: &[&str]| {
            let mut tool = command(name);
            finish(tool.args(arguments).envs(environment.iter().map(|(name, value)| (name, value))))
        };
        tool("kdb5_util", &["create", "-s", "-r", realm, "-P", "master"]);
        let keytab = root.join("ldap.keytab");
        tool("kadmin.local", &["-q", "addprinc -randkey ldap/localhost"]);
        tool("kadmin.local", &["-q", &format!("ktadd -k {} ldap/localhost", keytab.display())]);
        for number in 0..10 {
            tool("kadmin.local", &["-q", &format!("addprinc -pw {PASSWORD} user.{number}")]);
        }
        let mut kdc = command("krb5kdc");
        kdc.arg("-n").envs(environment.iter().map(|(name, value)| (name, value)));
        let daemon = Daemon::start(&kdc, &root.join("log"));
        daemon.wait_for_port(port);
        Self { _daemon: daemon, port, directory }
    }

    /// The KDC's port on 127.0.0.1, for UDP and TCP.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a client's environment needs in order to find the realm.
    pub fn client_environment(&self) -> Vec<(String, PathBuf)> {
        vec![("KRB5_CONFIG".to_owned(), self.directory.path().join("krb5.conf"))]
    }

    /// What a server's environment needs in order to be `ldap/localhost`.
    pub fn server_environment(&self) -> Vec<(String, PathBuf)> {
        let mut environment = self.client_environment();
        environment.push(("KRB5_KTNAME".to_owned(), self.directory.path().join("ldap.keytab")));
        // A replay cache shared with the machine would outlive the test.
        environment.push(("KRB5RCACHENAME".to_owned(), PathBuf::from("none:")));
        environment
    }

    /// Gets a ticket for `user.N` and gives the cache it is in, for a client's `KRB5CCNAME`.
    pub fn ticket(&self, number: usize) -> PathBuf {
        let cache = self.directory.path().join(format!("ticket.{number}"));
        let password = self.directory.path().join("password");
        write(&password, format!("{PASSWORD}\n"));
        let input = std::fs::File::open(&password).expect("the file was just written");
        let mut kinit = command("kinit");
        kinit.arg("-c").arg(&cache).arg(format!("user.{number}")).stdin(input);
        finish(kinit.envs(self.client_environment()));
        cache
    }
}

fn environment(root: &Path) -> Vec<(String, PathBuf)> {
    vec![
        ("KRB5_CONFIG".to_owned(), root.join("krb5.conf")),
        ("KRB5_KDC_PROFILE".to_owned(), root.join("kdc.conf")),
    ]
}
