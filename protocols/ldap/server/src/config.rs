//! The configuration of an embedded directory. The defaults suit a first run on one machine.

use std::net::SocketAddr;
use std::time::Duration;

use brunt_embedded::tcp::tls;

use super::script::Script;

/// The configuration of an embedded directory.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen for LDAP. Port 0 is a free one.
    pub listen: SocketAddr,
    /// Where to listen for LDAPS, if anywhere. StartTLS is available in either case.
    pub listen_tls: Option<SocketAddr>,
    /// The entry at the top of the tree. The users are in `ou=people` below it.
    pub suffix: String,
    /// How many users there are, from `uid=user.0` on.
    pub users: usize,
    /// The password of every user.
    pub password: String,
    /// The password of `cn=Directory Manager` and of `uid=admin` below the suffix.
    pub admin_password: String,
    /// How many threads serve connections. At least one.
    pub threads: usize,
    /// How many connections may be open at once; further ones are closed immediately.
    pub connections_max: usize,
    /// The longest request read, in bytes. A client that sends a longer one is notified and disconnected.
    pub message_bytes_max: usize,
    /// The most entries that one search returns, whatever limit it requests.
    pub search_entries_max: usize,
    /// How long a connection may be silent before it is closed.
    pub idle_limit: Option<Duration>,
    /// The names and addresses for which the certificate is valid.
    pub host_names: Vec<String>,
    /// The fault script, if there is one.
    pub script: Option<Script>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            listen_tls: None,
            suffix: "dc=example,dc=com".to_owned(),
            users: 2000,
            password: "password".to_owned(),
            admin_password: "password".to_owned(),
            threads: 1,
            connections_max: 20_000,
            message_bytes_max: 1 << 20,
            search_entries_max: 10_000,
            idle_limit: None,
            host_names: tls::host_names(),
            script: None,
        }
    }
}
