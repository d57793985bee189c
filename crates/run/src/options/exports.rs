//! The destinations of a run's figures while it is in progress: the address of `--prometheus` and the URL of `--otlp`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::base_url::BaseUrl;
use super::value_error::ValueError;

/// The path at which a collector accepts metrics.
const METRICS: &str = "/v1/metrics";

/// An address to listen on: a port without an address is on this machine's loopback.
pub fn listen(text: &str) -> Result<SocketAddr, ValueError> {
    let port = text.strip_prefix(':').unwrap_or(text).parse();
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let named = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let address = port.ok().or(named).map(loopback).or_else(|| text.parse().ok());
    address.ok_or(ValueError::Listen)
}

/// Reads the URL of an OpenTelemetry collector. A URL without a path gets the default path of metrics.
pub fn collector(text: &str) -> Result<BaseUrl, ValueError> {
    let (plain, query) =
        text.split_once('?').map_or((text, None), |(url, query)| (url, Some(query)));
    let url = BaseUrl::read(plain, "write a URL such as http://127.0.0.1:4318")?;
    if url.has_credentials() || query.is_some() {
        return Err(ValueError::KeyInUrl);
    }
    Ok(if url.path() == "/" { url.below(METRICS) } else { url })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_port_alone_is_on_localhost() {
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
            assert!(listen(text).unwrap_err().to_string().contains("9464"), "{text}");
        }
    }

    #[test]
    fn otlp_url_gets_the_metrics_path_and_errors_hide_secrets() {
        let url = |text: &str| collector(text).unwrap().to_string();
        assert_eq!(url("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/metrics");
        assert_eq!(url("http://127.0.0.1:4318/"), "http://127.0.0.1:4318/v1/metrics");
        assert_eq!(
            url("https://otel.example.com/otlp/v1/metrics"),
            "https://otel.example.com/otlp/v1/metrics"
        );
        let read = collector("https://[::1]").unwrap();
        assert_eq!((read.host(), read.port(), read.path()), ("::1", 443, METRICS));
        for (text, reported) in [
            ("127.0.0.1:4318", "write a URL such as"),
            ("ftp://x/", "not http or https"),
            ("http://me:secret@x/", "OTEL_EXPORTER_OTLP_HEADERS"),
            ("http://x/?key=secret", "OTEL_EXPORTER_OTLP_HEADERS"),
        ] {
            let why = collector(text).unwrap_err().to_string();
            assert!(why.contains(reported) && !why.contains("secret"), "{text}: {why}");
        }
    }
}
