//! Whether an address is on the public internet, where the server may belong to another party.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is on the public internet: it is not an address of this machine, of a private network (RFC 1918,
/// RFC 4193), of one link, of a provider's own network (RFC 6598), of a laboratory (RFC 2544), or of a multicast group
/// on one of these.
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// Whether an address is reserved for examples in documentation (RFC 5737, RFC 3849, RFC 9637), so that it is typed
/// only where an example is run as it is written.
pub(super) fn is_of_documentation(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_documentation(),
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            (first, second) == (0x2001, 0xdb8) || first == 0x3fff && second < 0x1000
        }
    }
}

const fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let shared = a == 100 && b & 0xc0 == 64;
    let laboratory = a == 198 && b & 0xfe == 18;
    // Multicast groups of one link, and of one organisation.
    let group = a == 224 && b == 0 && c == 0 || a == 239;
    !(ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_unspecified()
        || ip.is_broadcast()
        || shared
        || laboratory
        || group)
}

const fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [first, ..] = ip.segments();
    // The last four bits of the first two octets of a multicast group are its scope; 8 is one organisation.
    let group = first & 0xff00 == 0xff00 && first & 0xf <= 8;
    !(ip.is_loopback()
        || ip.is_unspecified()
        || ip.is_unique_local()
        || ip.is_unicast_link_local()
        || group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_special_addresses_are_not_public() {
        for near in [
            "127.0.0.1",
            "127.255.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.7.7",
            "100.64.0.1",
            "100.127.255.255",
            "0.0.0.0",
            "255.255.255.255",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "239.1.2.3",
            "::1",
            "::",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "ff02::1:2",
            "ff05::1:3",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_public(near.parse().unwrap()), "{near}");
        }
    }

    #[test]
    fn documentation_addresses_are_recognized() {
        let is = |ip: &str| is_of_documentation(ip.parse().unwrap());
        for ip in ["192.0.2.1", "198.51.100.255", "203.0.113.9", "::ffff:192.0.2.1"] {
            assert!(is(ip), "{ip}");
        }
        assert!(is("2001:db8::2") && is("2001:db8:ffff::") && is("3fff:fff::1"));
        for ip in ["192.0.3.1", "203.0.114.1", "2001:db9::1", "2001:db7::1", "3fff:1000::", "::1"] {
            assert!(!is(ip), "{ip}");
        }
    }

    #[test]
    fn routable_addresses_are_public() {
        for far in [
            "8.8.8.8",
            "192.0.2.1",
            "198.51.100.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "224.0.1.1",
            "2001:db8::1",
            "2600::1",
            "ff0e::1",
            "::ffff:8.8.8.8",
            "fe00::1",
            "fec0::1",
        ] {
            assert!(is_public(far.parse().unwrap()), "{far}");
        }
    }
}
