//! A [`Lan`]: two hosts for a test, joined by a wire, on which DHCP disturbs no other host.
//!
//! DHCP needs its privileged ports, broadcasts and multicasts, and a server that listens for all of them, so loopback
//! is not sufficient. Two network namespaces joined by a veth pair are two hosts for any program; one contains the
//! clients, the other the server, and neither is connected to anything else.
//!
//! A test that needs clients on several hosts has more of them, beyond the clients' ([`Lan::beyond`]).
//!
//! Namespaces outlive the process that made them, so the name of each contains the number of its process, and the next
//! process that creates some removes those whose process has ended.

use crate::tool::{command, found, run};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Where iproute2 keeps the names of namespaces.
const NAMESPACES: &str = "/run/netns";
const PREFIX: &str = "brunt-test-";
/// The last octets of each host's addresses.
const CLIENTS: RangeInclusive<u8> = 2..=5;
const SERVERS: RangeInclusive<u8> = 1..=1;

/// Two hosts and the wire between them.
#[derive(Debug)]
pub struct Lan {
    client: String,
    server: String,
}

/// A further host of clients. Its interface has the name that the others' have, and an address of its own.
#[derive(Debug)]
pub struct Beyond {
    space: String,
}

impl Lan {
    /// The name that the one interface of each host has.
    pub const INTERFACE: &'static str = "lan0";
    /// The server's address; its network is a /16.
    pub const SERVER_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
    /// The clients' first address. The three after it are theirs as well.
    pub const CLIENT_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
    /// The server's global address; its network is a /64.
    pub const SERVER_V6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0x77, 0, 0, 0, 0, 1);
    /// The address of the first host beyond the clients'. That of each further one is the next.
    pub const BEYOND_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 6);
    /// The clients' first global address. The three after it are theirs as well.
    pub const CLIENT_V6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0x77, 0, 0, 0, 0, 2);
    /// The server's link-local address.
    pub const SERVER_LINK_LOCAL: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1);
    /// The clients' link-local address.
    pub const CLIENT_LINK_LOCAL: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 2);
    /// The hardware address of the clients' interface.
    pub const CLIENT_MAC: [u8; 6] = [2, 0, 0, 0, 0, 2];
    /// The hardware address of the server's interface.
    pub const SERVER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];

    /// Makes the hosts. Their addresses can be used at once: nothing waits for duplicates to be found out.
    pub fn make() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if MADE.load(Ordering::Relaxed) == 0 {
            remove_leftovers();
        }
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = |end| format!("{PREFIX}{}-{number}-{end}", std::process::id());
        let lan = Self { client: name("client"), server: name("server") };
        let (client, server) = (lan.client.as_str(), lan.server.as_str());
        for space in [client, server] {
            run("ip", ["netns", "add", space]);
        }
        let interface = Self::INTERFACE;
        let pair = ["link", "add", interface, "netns", client, "type", "veth"];
        run("ip", pair.into_iter().chain(["peer", "name", interface, "netns", server]));
        configure(client, Self::CLIENT_MAC, CLIENTS);
        configure(server, Self::SERVER_MAC, SERVERS);
        introduce(client, Self::SERVER_MAC, SERVERS);
        introduce(server, Self::CLIENT_MAC, CLIENTS);
        lan
    }

    /// A command for a program that runs on the clients' host. Its process id is that of the program.
    pub fn client(&self, program: impl AsRef<Path>) -> Command {
        inside(&self.client, program.as_ref())
    }

    /// The same on the server's host.
    pub fn server(&self, program: impl AsRef<Path>) -> Command {
        inside(&self.server, program.as_ref())
    }

    /// Carries something out as if this process were on the clients' host. Sockets it opens there stay there.
    pub fn as_client<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        within(&self.client_namespace(), act)
    }

    /// The same on the server's host.
    pub fn as_server<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        within(&self.server_namespace(), act)
    }

    /// A host whose way to the server leads through the clients', which passes on what it sends and is sent. The kernel
    /// needs nothing for it that a [`Lan`] does not need. Those of one network are numbered from 0.
    pub fn beyond(&self, number: u8) -> Beyond {
        let device = format!("beyond{number}");
        let space = self.client.replace("-client", &format!("-{device}"));
        let (client, server, interface) = (&*self.client, &*self.server, Self::INTERFACE);
        let [.., first] = Self::BEYOND_V4.octets();
        let address = Ipv4Addr::from(u32::from(Self::BEYOND_V4) + u32::from(number));
        let (here, there) = (Self::CLIENT_V4.to_string(), format!("{address}/32"));
        run("ip", ["netns", "add", &space]);
        let pair = ["link", "add", interface, "netns", &space, "type", "veth"];
        run("ip", pair.into_iter().chain(["peer", "name", &device, "netns", client]));
        let addresses = ["-n", &space, "address", "add", &there, "dev", interface];
        run("ip", addresses);
        for (space, device) in [(&*space, interface), (&*space, "lo"), (client, &*device)] {
            run("ip", ["-n", space, "link", "set", device, "up"]);
        }
        run("ip", ["-n", client, "route", "add", &there, "dev", &device]);
        run("ip", ["-n", &space, "route", "add", &here, "dev", interface]);
        run("ip", ["-n", &space, "route", "add", "default", "via", &here]);
        let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward";
        run("ip", ["netns", "exec", client, "sh", "-c", forward]);
        introduce(server, Self::CLIENT_MAC, first + number..=first + number);
        Beyond { space }
    }

    /// The file that stands for the namespace of the clients' host.
    pub fn client_namespace(&self) -> PathBuf {
        Path::new(NAMESPACES).join(&self.client)
    }

    /// The file that stands for the namespace of the server's host.
    pub fn server_namespace(&self) -> PathBuf {
        Path::new(NAMESPACES).join(&self.server)
    }
}

impl Beyond {
    /// A command for a program that runs on this host. Its process id is that of the program.
    pub fn client(&self, program: impl AsRef<Path>) -> Command {
        inside(&self.space, program.as_ref())
    }
}

impl Drop for Beyond {
    fn drop(&mut self) {
        remove(&self.space);
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        remove(&self.client);
        remove(&self.server);
    }
}

fn inside(space: &str, program: &Path) -> Command {
    let program = program.to_str().and_then(found).unwrap_or_else(|| program.to_owned());
    let mut inside = command("ip");
    inside.args(["netns", "exec", space]).arg(program);
    inside
}

/// A thread never comes out of a namespace, so one is made to enter it.
fn within<T: Send>(space: &Path, act: impl FnOnce() -> T + Send) -> T {
    let enter = || {
        let file = File::open(space).expect("the namespace is there");
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
            .expect("root may enter a namespace");
        act()
    };
    thread::scope(|scope| match scope.spawn(enter).join() {
        Ok(result) => result,
        Err(panic) => resume_unwind(panic),
    })
}

/// Gives the interface its addresses and takes it up. Link-local ones are set like the others, since the kernel's own
/// would have to wait until no other host claims them.
fn configure(space: &str, mac: [u8; 6], hosts: RangeInclusive<u8>) {
    let interface = Lan::INTERFACE;
    let mac = mac_text(mac);
    let set = ["-n", space, "link", "set", interface];
    run("ip", set.into_iter().chain(["address", &mac, "addrgenmode", "none", "up"]));
    let first = *hosts.start();
    let add = |address: &str| {
        run("ip", ["-n", space, "address", "add", address, "dev", interface, "nodad"]);
    };
    for host in hosts {
        add(&format!("2001:db8:77::{host}/64"));
        let address = format!("10.77.0.{host}/16");
        let add = ["-n", space, "address", "add", &address, "broadcast", "+", "dev", interface];
        run("ip", add);
    }
    add(&format!("fe80::{first}/64"));
    run("ip", ["-n", space, "link", "set", "lo", "up"]);
}

/// Tells a host the hardware address of the other, so that no first message waits until it was asked for.
fn introduce(space: &str, mac: [u8; 6], hosts: RangeInclusive<u8>) {
    let mac = mac_text(mac);
    let first = *hosts.start();
    let addresses =
        hosts.flat_map(|host| [format!("10.77.0.{host}"), format!("2001:db8:77::{host}")]);
    for address in addresses.chain([format!("fe80::{first}")]) {
        let replace = ["-n", space, "neighbour", "replace", &address, "lladdr", &mac];
        run("ip", replace.into_iter().chain(["dev", Lan::INTERFACE, "nud", "permanent"]));
    }
}

fn mac_text(mac: [u8; 6]) -> String {
    mac.map(|octet| format!("{octet:02x}")).join(":")
}

/// A namespace that cannot be removed is left to the next process: a test has ended, and has reported its result.
fn remove(space: &str) {
    let _ = command("ip").args(["netns", "delete", space]).output();
}

/// Takes away namespaces whose process ended without doing it.
fn remove_leftovers() {
    let Ok(entries) = fs::read_dir(NAMESPACES) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        let gone = process.is_some_and(|id| !Path::new("/proc").join(id).exists());
        if gone {
            remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::require;

    #[test]
    fn what_a_process_left_behind_is_removed_and_what_is_in_use_is_not() {
        if !require(&["ip", "root"]) {
            return;
        }
        let lan = Lan::make();
        // No process has so great a number.
        let left = format!("{PREFIX}4999999999-{}-client", std::process::id());
        run("ip", ["netns", "add", &left]);
        remove_leftovers();
        assert!(!Path::new(NAMESPACES).join(&left).exists());
        assert!(lan.client_namespace().exists() && lan.server_namespace().exists());
    }

    #[test]
    fn sockets_open_on_the_host_where_they_are_asked_for() {
        if !require(&["ip", "root"]) {
            return;
        }
        let lan = Lan::make();
        let bound = |address: Ipv4Addr| std::net::UdpSocket::bind((address, 67)).is_ok();
        assert!(lan.as_client(|| bound(Lan::CLIENT_V4)) && lan.as_server(|| bound(Lan::SERVER_V4)));
        assert!(
            !lan.as_client(|| bound(Lan::SERVER_V4)) && !lan.as_server(|| bound(Lan::CLIENT_V4))
        );
    }
}
