//! The common beginning of every test: a network, and a Kea on it.

use brunt_testbed::{Kea, KeaOptions, Lan, require};

/// A network with a Kea for DHCPv4 on it, or nothing where this machine cannot have one.
pub(crate) fn v4(options: &KeaOptions) -> Option<(Lan, Kea)> {
    require(&["ip", "root", "kea-dhcp4"]).then(|| {
        let lan = Lan::make();
        let kea = Kea::v4(&lan, options);
        (lan, kea)
    })
}

/// The same for DHCPv6.
pub(crate) fn v6(options: &KeaOptions) -> Option<(Lan, Kea)> {
    require(&["ip", "root", "kea-dhcp6"]).then(|| {
        let lan = Lan::make();
        let kea = Kea::v6(&lan, options);
        (lan, kea)
    })
}

/// How many datagrams the clients' host has sent by now.
pub(crate) fn datagrams_sent(lan: &Lan) -> u64 {
    lan.as_client(|| {
        let counted = |file: &str| {
            let counted = std::fs::read_to_string(format!("/proc/thread-self/net/{file}"));
            counted.expect("the kernel counts datagrams")
        };
        let (v4, v6) = (counted("snmp"), counted("snmp6"));
        // A line of names, and below it a line of numbers.
        let mut lines =
            v4.lines().filter(|line| line.starts_with("Udp: ")).map(str::split_whitespace);
        let place =
            lines.next().and_then(|mut names| names.position(|name| name == "OutDatagrams"));
        let v4 = place.and_then(|place| lines.next()?.nth(place)?.parse::<u64>().ok());
        let v6 = v6.lines().find_map(|line| line.strip_prefix("Udp6OutDatagrams"));
        let v6 = v6.and_then(|number| number.trim().parse::<u64>().ok());
        v4.expect("a number for IPv4") + v6.expect("a number for IPv6")
    })
}

/// Whether the old tool is there to be compared with.
pub(crate) fn old_tool() -> bool {
    require(&["perfdhcp"])
}
