//! [`ValueError`]: why a word is not a value of its option. Each message states how the value is written.

use super::base_url::UrlError;

/// Why a word is not a value of its option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Not a time.
    #[error("write a time such as 30s, 500ms or 1m30s")]
    Duration,
    /// Not a percentile.
    #[error("write a number from 0 to 100, such as 99.95")]
    Percentile,
    /// Not a number of operations.
    #[error("write a number of at least 1, such as 5000 or 100k")]
    Count,
    /// Not an address of `--web`.
    #[error("write an address, a port or both, such as 127.0.0.1:8080, 8080 or [::1]:8080")]
    Web,
    /// Not an address of `--prometheus`.
    #[error("write a port such as 9464, or an address and port such as 10.0.0.5:9464")]
    Listen,
    /// Not a URL that can be used.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The URL of a collector with a user, a password or a query.
    #[error("keys belong into the environment: OTEL_EXPORTER_OTLP_HEADERS='api-key=...'")]
    KeyInUrl,
    /// Not a source of `--monitor`.
    #[error("write ldap, kea:SOCKET or pid:PID, such as kea:/run/kea/kea4-ctrl-socket")]
    Monitor,
    /// Not the number of a process.
    #[error("'{0}' is not a process id")]
    ProcessId(String),
    /// Not a list of weights.
    #[error("write a whole number of at least 1 for each machine, such as 3,1,1")]
    Weights,
    /// Not the index of a machine.
    #[error(
        "write the index of this machine and their number (at most 65536), such as 0/3 for the first of three"
    )]
    Node,
    /// Not a choice of `--addresses`.
    #[error("write one or all")]
    Addresses,
    /// Not a time to start at.
    #[error("write a time of day such as 12:00:05, or a moment such as 2026-11-22T12:00:05Z")]
    StartAt,
    /// Not a source of `--server-cpu`.
    #[error("write local, pid:PID, prometheus:URL, monitor or kea:SOCKET, such as pid:4711")]
    ServerCpu,
    /// The URL of a Prometheus server with a user or a password.
    #[error("a user and a password in the URL are not supported")]
    PasswordInUrl,
    /// An expression that is not the name of a counter.
    #[error(
        "'{selector}' is no plain selector of a counter: rates and sums are computed here; {example}"
    )]
    Selector {
        /// The expression.
        selector: String,
        /// How a counter is written.
        example: &'static str,
    },
}
