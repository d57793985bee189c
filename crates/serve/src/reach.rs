//! The addresses to which a site sends nothing, even if an administrator lists them: neither load nor messages of
//! webhooks.
//!
//! They belong to no single machine: multicast and broadcast reach several, link-local addresses differ from network to
//! network and have the metadata services of clouds, and unspecified ones stand for whatever this machine is.

use std::net::IpAddr;

use ipnet::IpNet;

/// These networks.
const NEVER: [&str; 8] = [
    "0.0.0.0/8",
    "169.254.0.0/16",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "fe80::/10",
    "ff00::/8",
    "::ffff:0:0/96",
];

fn networks() -> impl Iterator<Item = IpNet> {
    NEVER.iter().filter_map(|text| text.parse().ok())
}

/// The network of these that shares addresses with a network.
pub fn barred(network: IpNet) -> Option<IpNet> {
    networks().find(|never| never.contains(&network) || network.contains(never))
}

/// Whether an address is one of these. An IPv4 address in the form of an IPv6 address is that IPv4 address.
pub fn is_barred(address: IpAddr) -> bool {
    let address = IpNet::from(address.to_canonical());
    networks().any(|never| never.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barred_networks_all_parse() {
        assert_eq!(networks().count(), NEVER.len());
    }
}
