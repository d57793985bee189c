//! The options of `brunt target rest`, declared for clap. Their doc comments are their help; there is no logic here.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use clap::Args;

/// Options of `brunt target rest`.
#[derive(Args, Debug, PartialEq, Eq)]
pub(crate) struct RestTargetArgs {
    /// Address and port for HTTP. Port 0 picks a free port and prints it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Address and port for HTTPS, such as 127.0.0.1:8443. Default: no HTTPS
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_tls: Option<SocketAddr>,
    /// Number of users: user.0, user.1 ...
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub(crate) users: u32,
    /// Password of every user
    #[arg(long, default_value = "password")]
    pub(crate) password: String,
    /// Password of amadmin, openidm-admin and admin
    ///
    /// It is also the secret of every OAuth 2.0 client.
    #[arg(long, value_name = "PASSWORD", default_value = "password")]
    pub(crate) admin_password: String,
    /// Write the generated certificate (PEM), for clients to trust
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_out: Option<PathBuf>,
    /// Threads that serve connections
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) threads: u8,
    /// Longest time that /sleep accepts
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 60_000)]
    pub(crate) sleep_max: u64,
    /// Write one line of JSON per received request to this file
    ///
    /// A line holds number, connection, time, method, target, headers in order, the first 64 KiB of the body, and the
    /// status of the answer.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// TOML file of faults to inject: delays, drops, wrong answers
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Stop after this time, such as 90s. Default: on a signal
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) max_duration: Option<Duration>,
}

/// The help and the page of `brunt target rest` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/target-rest.txt").trim_ascii_end(),
    examples: &[
        ("An API with 2,000 users on port 8080:", "brunt target rest --users 2000"),
        (
            "HTTPS as well, with a certificate that clients can trust:",
            "brunt target rest --listen-tls 127.0.0.1:8443 --ca-out ca.pem",
        ),
        (
            "A log of the received requests, to compare with what was sent:",
            "brunt target rest --listen 127.0.0.1:0 --log requests.jsonl",
        ),
        ("An API that injects faults:", "brunt target rest --script bad-day.toml"),
    ],
    short: &[
        ("listen", "Address [default: 127.0.0.1:8080]"),
        ("listen_tls", "Address for HTTPS"),
        ("users", "Number of users [default: 2000]"),
        ("password", "Password of every user [default: password]"),
        ("admin_password", "Password of administrators"),
        ("ca_out", "Write the generated certificate (PEM)"),
        ("threads", "Threads [default: 1]"),
        ("log", "Write received requests as JSON lines"),
        ("script", "TOML file of faults to inject"),
        ("max_duration", "Stop after this time, such as 90s"),
    ],
};
