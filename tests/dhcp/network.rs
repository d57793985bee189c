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

/// Whether the old tool is there to be compared with.
pub(crate) fn old_tool() -> bool {
    require(&["perfdhcp"])
}
