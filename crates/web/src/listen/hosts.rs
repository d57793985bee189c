//! The host names under which a browser may reach the site: [`Hosts`].
//!
//! A malicious page can change the DNS entry of its own name so that it points here after the page was loaded (DNS
//! rebinding), and then read answers as if they came from its own server. It cannot choose the `Host` header that the
//! browser sends.

use std::net::IpAddr;

/// The names under which this site answers.
#[derive(Clone, Debug, Default)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Numeric addresses, `localhost`, and these names.
    pub fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| name.to_lowercase()).collect())
    }

    /// Whether a request with this `Host` may be answered.
    pub fn allow(&self, host: &str) -> bool {
        let (name, port) = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').unwrap_or((rest, "x")),
            None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
        };
        let port = port.strip_prefix(':').map(|port| port.parse::<u16>().is_ok());
        let has_port = host.ends_with(name)
            || (host.starts_with('[') && host.ends_with(']'))
            || port == Some(true);
        let known = name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.0.iter().any(|own| name.eq_ignore_ascii_case(own));
        known && has_port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_host_names_are_refused() {
        let hosts = Hosts::new(&["load.example.com".to_owned()]);
        for host in [
            "127.0.0.1:80",
            "127.0.0.1",
            "[::1]:80",
            "[::1]",
            "localhost:1",
            "LocalHost",
            "LOAD.example.com:5",
            "192.0.2.1",
        ] {
            assert!(hosts.allow(host), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example:80",
            "localhost.evil.example",
            "",
            "[",
            "x",
            ":80",
            "localhost:evil",
            "localhost:1:2",
            "example.com",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
    }
}
