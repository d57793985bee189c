//! The source of figures about the target of a search: `--server-cpu`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::base_url::{BaseUrl, UrlError};
use super::value_error::ValueError;

/// The source of a target's processor time, or of its own counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCpu {
    /// The process on this machine that listens at the address of the load.
    Local,
    /// A process on this machine.
    Pid(u32),
    /// A Prometheus server that scrapes the target.
    Prometheus(PrometheusQuery),
    /// The counts of a directory, below `cn=monitor`.
    Monitor,
    /// The counts of Kea, through its control socket.
    Kea(PathBuf),
}

/// A Prometheus server, and the name of its counter of processor seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrometheusQuery {
    server: BaseUrl,
    selector: String,
}

/// How to write a Prometheus server.
const EXAMPLE: &str = "write a server and a counter of seconds, such as \
    prometheus:http://127.0.0.1:9090?query=process_cpu_seconds_total{job=\"ds\"}";

impl FromStr for ServerCpu {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text.split_once(':') {
            None if text == "local" => Ok(Self::Local),
            None if text == "monitor" => Ok(Self::Monitor),
            Some(("pid", pid)) => match pid.parse() {
                Ok(pid) if pid > 0 => Ok(Self::Pid(pid)),
                _ => Err(ValueError::ProcessId(pid.to_owned())),
            },
            Some(("kea", socket)) if !socket.is_empty() => Ok(Self::Kea(socket.into())),
            Some(("prometheus", url)) => PrometheusQuery::read(url).map(Self::Prometheus),
            _ => Err(ValueError::ServerCpu),
        }
    }
}

impl fmt::Display for ServerCpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Pid(pid) => write!(f, "pid:{pid}"),
            Self::Prometheus(query) => write!(f, "prometheus:{query}"),
            Self::Monitor => f.write_str("monitor"),
            Self::Kea(socket) => write!(f, "kea:{}", socket.display()),
        }
    }
}

impl PrometheusQuery {
    /// Reads a URL. The selector is written in Prometheus's notation, without escapes.
    fn read(text: &str) -> Result<Self, ValueError> {
        let (base, selector) =
            text.split_once("?query=").ok_or_else(|| UrlError::Incomplete(EXAMPLE.to_owned()))?;
        let server = BaseUrl::read(base, EXAMPLE)?;
        if server.has_credentials() {
            return Err(ValueError::PasswordInUrl);
        }
        if selector.trim().is_empty() || selector.ends_with(']') || selector.ends_with(')') {
            return Err(ValueError::Selector { selector: selector.to_owned(), example: EXAMPLE });
        }
        let path = server.path().trim_end_matches('/').to_owned();
        Ok(Self { server: server.below(&path), selector: selector.trim().to_owned() })
    }

    /// The server.
    pub const fn server(&self) -> &BaseUrl {
        &self.server
    }

    /// The counter.
    pub fn selector(&self) -> &str {
        &self.selector
    }

    /// The path of a query for an expression. A server can be below a path of its own.
    pub fn path(&self, expression: &str) -> String {
        let query = utf8_percent_encode(expression, NON_ALPHANUMERIC);
        format!("{}/api/v1/query?query={query}", self.server.path())
    }
}

impl fmt::Display for PrometheusQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}?query={}", self.server, self.selector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_cpu_source_round_trips() {
        assert_eq!("local".parse(), Ok(ServerCpu::Local));
        assert_eq!("pid:4711".parse(), Ok(ServerCpu::Pid(4711)));
        for text in [
            "local",
            "monitor",
            "pid:4711",
            "kea:/run/kea/kea4-ctrl-socket",
            "prometheus:http://127.0.0.1:9090?query=process_cpu_seconds_total{job=\"ds\"}",
            "prometheus:https://prom.example.com/mimir?query=cpu",
        ] {
            let source: ServerCpu = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
        }
        for wrong in [
            "",
            "pid",
            "pid:0",
            "pid:x",
            "kea:",
            "kea",
            "local:1",
            "monitor:x",
            "prometheus",
            "prometheus:http://127.0.0.1:9090",
            "prometheus:127.0.0.1?query=x",
            "prometheus:ftp://h?query=x",
            "prometheus:http://h?query=",
            "prometheus:http://h?query=rate(x[1m])",
            "prometheus:http://u:p@h?query=x",
        ] {
            assert!(wrong.parse::<ServerCpu>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn prometheus_query_is_escaped_below_the_server_path() {
        let query = PrometheusQuery::read("http://h:1/p/?query=x{a=\"b\"}").unwrap();
        assert_eq!(query.path(query.selector()), "/p/api/v1/query?query=x%7Ba%3D%22b%22%7D");
        let server = query.server();
        assert_eq!((server.host(), server.port(), server.is_secure()), ("h", 1, false));
    }
}
