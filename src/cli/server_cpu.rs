//! Where a search sees its target: `--server-cpu`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use http::Uri;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Where the processor time of a target, or its own counts, are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerCpu {
    /// Of the process of this machine that listens where the load goes.
    Local,
    /// Of a process of this machine.
    Pid(u32),
    /// Of a Prometheus server that scrapes the target.
    Prometheus(PrometheusQuery),
    /// The counts of a directory, below `cn=monitor`.
    Monitor,
    /// The counts of Kea, over its control socket.
    Kea(PathBuf),
}

/// A Prometheus server, and the counter of processor seconds that it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrometheusQuery {
    secure: bool,
    authority: String,
    host: String,
    port: u16,
    path: String,
    selector: String,
}

/// How a Prometheus server is written.
const EXAMPLE: &str = "write a server and a counter of seconds, such as \
    prometheus:http://127.0.0.1:9090?query=process_cpu_seconds_total{job=\"ds\"}";

impl FromStr for ServerCpu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "local" => Ok(Self::Local),
            None if text == "monitor" => Ok(Self::Monitor),
            Some(("pid", pid)) => match pid.parse() {
                Ok(pid) if pid > 0 => Ok(Self::Pid(pid)),
                _ => Err(format!("'{pid}' is no process id")),
            },
            Some(("kea", socket)) if !socket.is_empty() => Ok(Self::Kea(socket.into())),
            Some(("prometheus", url)) => PrometheusQuery::read(url).map(Self::Prometheus),
            _ => {
                Err("write local, pid:PID, prometheus:URL, monitor or kea:SOCKET, such as pid:4711"
                    .to_owned())
            }
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
    /// Reads a URL. The selector is written as Prometheus has it, without escapes.
    fn read(text: &str) -> Result<Self, String> {
        let (base, selector) = text.split_once("?query=").ok_or_else(|| EXAMPLE.to_owned())?;
        let uri: Uri = base.parse().map_err(|_| EXAMPLE.to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(EXAMPLE.to_owned());
        };
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(format!("its scheme is not http or https; {EXAMPLE}")),
        };
        if authority.as_str().contains('@') {
            return Err("a user and a password in the URL are not supported".to_owned());
        }
        if selector.trim().is_empty() || selector.ends_with(']') || selector.ends_with(')') {
            return Err(format!(
                "'{selector}' is no plain selector of a counter: rates and sums are computed here; {EXAMPLE}"
            ));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            secure,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: uri.path().trim_end_matches('/').to_owned(),
            selector: selector.trim().to_owned(),
        })
    }

    /// Whether it is spoken to under TLS.
    pub(crate) const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Host and port as they were written.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// The name or the address of the host.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The counter.
    pub(crate) fn selector(&self) -> &str {
        &self.selector
    }

    /// The path of a question for an expression. A server may be below a path of its own.
    pub(crate) fn path(&self, expression: &str) -> String {
        let query = utf8_percent_encode(expression, NON_ALPHANUMERIC);
        format!("{}/api/v1/query?query={query}", self.path)
    }
}

impl fmt::Display for PrometheusQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}?query={}", self.authority, self.path, self.selector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_written_as_it_is_read() {
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
    fn a_question_is_escaped_and_below_the_path_of_the_server() {
        let query = PrometheusQuery::read("http://h:1/p/?query=x{a=\"b\"}").unwrap();
        assert_eq!(query.path(query.selector()), "/p/api/v1/query?query=x%7Ba%3D%22b%22%7D");
        assert_eq!((query.host(), query.port(), query.is_secure()), ("h", 1, false));
    }
}
