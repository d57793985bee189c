//! Where the figures of a run go while it goes on: the address of `--prometheus` and the URL of `--otlp`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use http::Uri;

/// The path at which a collector takes metrics.
const METRICS: &str = "/v1/metrics";

/// An address to listen on: a port alone is one of this machine's loopback.
pub(crate) fn listen(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text).parse();
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let named = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let address = port.ok().or(named).map(loopback).or_else(|| text.parse().ok());
    address.ok_or_else(|| {
        "write a port such as 9464, or an address and port such as 10.0.0.5:9464".to_owned()
    })
}

/// The URL of a collector of OpenTelemetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtlpUrl {
    secure: bool,
    authority: String,
    host: String,
    port: u16,
    path: String,
}

impl OtlpUrl {
    /// Reads a URL. One without a path is that of a collector, whose metrics have a path of their own.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let example = "write a URL such as http://127.0.0.1:4318";
        let uri: Uri = text.parse().map_err(|_| example.to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(example.to_owned());
        };
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(format!("its scheme is not http or https; {example}")),
        };
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err(
                "keys belong into the environment: OTEL_EXPORTER_OTLP_HEADERS='api-key=...'"
                    .to_owned(),
            );
        }
        let path = if uri.path() == "/" { METRICS } else { uri.path() };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            secure,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: path.to_owned(),
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

    /// Where metrics are sent.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for OtlpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_for_this_machine() {
        for (text, address) in [
            ("9464", "127.0.0.1:9464"),
            (":0", "127.0.0.1:0"),
            ("localhost:9464", "127.0.0.1:9464"),
            ("10.0.0.5:9464", "10.0.0.5:9464"),
            ("[::1]:9464", "[::1]:9464"),
        ] {
            assert_eq!(listen(text), Ok(address.parse().unwrap()), "{text}");
        }
        for text in ["", "elsewhere", "10.0.0.5", "70000", "example.com:9464"] {
            assert!(listen(text).unwrap_err().contains("9464"), "{text}");
        }
    }

    #[test]
    fn urls_say_where_metrics_go() {
        let url = |text: &str| OtlpUrl::read(text).unwrap().to_string();
        assert_eq!(url("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/metrics");
        assert_eq!(url("http://127.0.0.1:4318/"), "http://127.0.0.1:4318/v1/metrics");
        assert_eq!(
            url("https://otel.example.com/otlp/v1/metrics"),
            "https://otel.example.com/otlp/v1/metrics"
        );
        let read = OtlpUrl::read("https://[::1]").unwrap();
        assert_eq!((read.host(), read.port(), read.path()), ("::1", 443, METRICS));
        for (text, said) in [
            ("127.0.0.1:4318", "write a URL such as"),
            ("ftp://x/", "not http or https"),
            ("http://me:secret@x/", "OTEL_EXPORTER_OTLP_HEADERS"),
            ("http://x/?key=secret", "OTEL_EXPORTER_OTLP_HEADERS"),
        ] {
            let why = OtlpUrl::read(text).unwrap_err();
            assert!(why.contains(said) && !why.contains("secret"), "{text}: {why}");
        }
    }
}
