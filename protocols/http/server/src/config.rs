//! The configuration of an embedded identity API. The defaults suit a first run on one machine.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_embedded::tcp::tls;

use super::script::Script;

/// The configuration of an embedded identity API.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen for HTTP. Port 0 is a free one.
    pub listen: SocketAddr,
    /// Where to listen for HTTPS, if anywhere.
    pub listen_tls: Option<SocketAddr>,
    /// How many users there are, from `user.0` on.
    pub users: u32,
    /// The password of every user.
    pub password: String,
    /// The password of `amadmin`, `openidm-admin` and `admin`, and of every client of OAuth 2.0.
    pub admin_password: String,
    /// How many threads serve connections. At least one.
    pub threads: usize,
    /// How many connections may be open at once; further ones are closed immediately.
    pub connections_max: usize,
    /// The longest request line and fields together, in bytes.
    pub head_bytes_max: usize,
    /// How much of a request's body is kept, in bytes. The rest is read and counted.
    pub body_bytes_kept: usize,
    /// The longest that `/sleep` sleeps.
    pub sleep_max: Duration,
    /// The names and addresses for which the certificate is valid.
    pub host_names: Vec<String>,
    /// A file for a line of JSON about each request. An existing file is replaced.
    pub log: Option<PathBuf>,
    /// The fault script, if there is one.
    pub script: Option<Script>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            listen_tls: None,
            users: 2000,
            password: "password".to_owned(),
            admin_password: "password".to_owned(),
            threads: 1,
            connections_max: 20_000,
            head_bytes_max: 64 << 10,
            body_bytes_kept: 1 << 20,
            sleep_max: Duration::from_secs(60),
            host_names: tls::host_names(),
            log: None,
            script: None,
        }
    }
}
