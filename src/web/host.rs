//! Which names a browser may have come by: [`Hosts`].
//!
//! A page of somebody else can have its own name point to this machine after it was loaded (DNS rebinding), and then
//! read answers as if they were its own. What it cannot choose is the name that the browser sends. So a request comes
//! by an address in figures, by `localhost`, or by the name of this machine, and by nothing else.

use std::net::IpAddr;

/// The names by which this machine may be asked.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    own: Option<String>,
}

impl Hosts {
    /// Figures and `localhost`; and the name of this machine, if it is given.
    pub(super) fn new(own: Option<String>) -> Self {
        Self { own }
    }

    /// Whether a request with this `Host` may be answered.
    pub(super) fn allow(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let own = self.own.as_deref();
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || own.is_some_and(|own| name.eq_ignore_ascii_case(own))
    }
}

/// The name of this machine, if it has one.
pub(super) fn own_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    let plain = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_somebody_else_is_refused() {
        let hosts = Hosts::new(Some("loadgen1".to_owned()));
        for host in [
            "127.0.0.1:80",
            "127.0.0.1",
            "[::1]:80",
            "localhost:1",
            "LocalHost",
            "LOADGEN1:5",
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
            "loadgen2",
            ":80",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
        assert!(!Hosts::new(None).allow("loadgen1"));
    }
}
