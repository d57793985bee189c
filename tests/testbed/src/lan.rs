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
use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
        let interface = Self::INTERFACE;
        batch(
            &[],
            &[
                format!("netns add {client}"),
                format!("netns add {server}"),
                format!(
                    "link add {interface} netns {client} type veth peer name {interface} netns {server}"
                ),
            ],
        );
        let ends = [
            (client, configured(Self::CLIENT_MAC, CLIENTS), introduced(Self::SERVER_MAC, SERVERS)),
            (server, configured(Self::SERVER_MAC, SERVERS), introduced(Self::CLIENT_MAC, CLIENTS)),
        ];
        for (space, itself, other) in ends {
            batch(&["-n", space], &[itself, other].concat());
        }
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
        batch(
            &[],
            &[
                format!("netns add {space}"),
                format!(
                    "link add {interface} netns {space} type veth peer name {device} netns {client}"
                ),
            ],
        );
        batch(
            &["-n", &space],
            &[
                format!("address add {there} dev {interface}"),
                format!("link set {interface} up"),
                "link set lo up".to_owned(),
                format!("route add {here} dev {interface}"),
                format!("route add default via {here}"),
            ],
        );
        batch(
            &["-n", client],
            &[format!("link set {device} up"), format!("route add {there} dev {device}")],
        );
        let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward";
        run("ip", ["netns", "exec", client, "sh", "-c", forward]);
        let known = introduced(Self::CLIENT_MAC, first + number..=first + number);
        batch(&["-n", server], &known);
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

/// Carries out commands of `ip` in one process: a process for each would take a third of a second for a [`Lan`].
fn batch(options: &[&str], commands: &[String]) {
    let mut ip = command("ip").args(options).args(["-batch", "-"]).stdin(Stdio::piped()).spawn();
    let ip = ip.as_mut().expect("ip is installed");
    let mut input = ip.stdin.take().expect("its input is a pipe");
    input.write_all(commands.join("\n").as_bytes()).expect("ip reads what it is to do");
    drop(input);
    let ended = ip.wait().expect("ip is our child");
    assert!(ended.success(), "ip {options:?} ended with {ended} of:\n{}", commands.join("\n"));
}

/// What gives the interface its addresses and takes it up. Link-local ones are set like the others, since the kernel's
/// own would have to wait until no other host claims them.
fn configured(mac: [u8; 6], hosts: RangeInclusive<u8>) -> Vec<String> {
    let interface = Lan::INTERFACE;
    let mac = mac_text(mac);
    let first = *hosts.start();
    let up = format!("link set {interface} address {mac} addrgenmode none up");
    let own = hosts.flat_map(|host| {
        [
            format!("address add 2001:db8:77::{host}/64 dev {interface} nodad"),
            format!("address add 10.77.0.{host}/16 broadcast + dev {interface}"),
        ]
    });
    let local = format!("address add fe80::{first}/64 dev {interface} nodad");
    [up].into_iter().chain(own).chain([local, "link set lo up".to_owned()]).collect()
}

/// What tells a host the hardware address of the other, so that no first message waits until it was asked for.
fn introduced(mac: [u8; 6], hosts: RangeInclusive<u8>) -> Vec<String> {
    let interface = Lan::INTERFACE;
    let mac = mac_text(mac);
    let first = *hosts.start();
    let addresses =
        hosts.flat_map(|host| [format!("10.77.0.{host}"), format!("2001:db8:77::{host}")]);
    addresses
        .chain([format!("fe80::{first}")])
        .map(|known| {
            format!("neighbour replace {known} lladdr {mac} dev {interface} nud permanent")
        })
        .collect()
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
    fn lan_removes_leftovers_of_dead_processes_only() {
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
    fn lan_sockets_open_on_the_requested_host() {
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
