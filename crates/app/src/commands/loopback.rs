//! [`Loopback`]: a DHCP server in this process, and the arguments by which perfdhcp reaches it.
//!
//! Client and server are on one host, so neither can use the ports of the protocol, which would also need privileges:
//! both use free ports, and the server answers to the port that the request came from.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use brunt_dhcp_server::{Config, Running, Server, V4};
use brunt_net::free_port;
use brunt_run::options::refusal::Refusal;

use super::failed;

/// A DHCP server on the loopback interface. It stops when this is dropped.
pub(super) struct Loopback {
    addresses: Vec<SocketAddr>,
    _running: Running,
}

impl Loopback {
    /// Starts a server for DHCPv4, and also for DHCPv6 if this machine supports it.
    pub(super) fn start() -> Result<Self, Refusal> {
        let mut config = Config {
            listen: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0))],
            v4: V4 { reply_to_source: true, ..V4::default() },
            ..Config::default()
        };
        let v6 = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
        // A kernel without IPv6 has no such address.
        if free_port(v6.ip()).is_ok() {
            config.listen.push(v6);
        }
        let running = Server::start(&config).map_err(failed)?;
        Ok(Self { addresses: running.addresses(), _running: running })
    }

    /// The addresses on which it listens.
    pub(super) fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// perfdhcp against the server, with these switches; none if they need IPv6 and this machine has none.
    pub(super) fn command_line(
        &self,
        v6: bool,
        switches: &[String],
    ) -> Result<Option<Vec<String>>, Refusal> {
        let Some(server) = self.addresses.iter().find(|address| address.is_ipv6() == v6) else {
            return Ok(None);
        };
        let ip = server.ip();
        // If another process takes it before this one does, an error reports that.
        let local =
            free_port(ip).map_err(|error| failed(format!("find a free port at {ip}: {error}")))?;
        let family = if v6 { "-6" } else { "-4" };
        let ports = [local, server.port()].map(|port| port.to_string());
        let words = ["brunt", "perfdhcp", family, "-L", &ports[0], "-N", &ports[1]];
        let words = words.into_iter().map(str::to_owned).chain(switches.iter().cloned());
        Ok(Some(words.chain([ip.to_string()]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_arguments_lead_to_the_server() {
        let loopback = Loopback::start().unwrap();
        let switches = ["-n".to_owned(), "1".to_owned()];
        for (v6, family, ip) in [(false, "-4", "127.0.0.1"), (true, "-6", "::1")] {
            let words = loopback.command_line(v6, &switches).unwrap();
            let server = loopback.addresses().iter().find(|address| address.is_ipv6() == v6);
            assert_eq!(words.is_some(), server.is_some());
            let (Some(words), Some(server)) = (words, server) else { continue };
            let [local, port] = [&words[4], &words[6]];
            assert_eq!(*port, server.port().to_string());
            assert_ne!(local, port);
            assert_eq!(
                words,
                ["brunt", "perfdhcp", family, "-L", local, "-N", port, "-n", "1", ip]
            );
        }
    }
}
