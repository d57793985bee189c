//! [`DescribeReply`]: the contents of an answer, as named values.
//!
//! An option's value is named after the option, in lower case and with hyphens: `domain-name-servers`, `lease-time`.
//! Each option is also listed by its number, `option-6`, in hexadecimal, so that all of an answer is accessible.
//! Malformed parts are omitted.

use super::dialogue::Dialogue;
use super::{v4, v6};
use brunt_dhcp_wire::{dhcp4, dhcp6};
use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address family whose answers can be described.
pub(super) trait DescribeReply: Dialogue {
    /// Appends the values of an answer.
    fn describe(answer: &[u8], out: &mut Vec<(String, Vec<u8>)>);
}

impl DescribeReply for v4::Client {
    fn describe(answer: &[u8], out: &mut Vec<(String, Vec<u8>)>) {
        let Ok(message) = dhcp4::Message::scan(answer) else { return };
        add(out, "address", message.yiaddr());
        for option in message.options().flatten() {
            add(out, &format!("option-{}", option.code), hex(option.value));
            if let Some(name) = dhcp4::option::name(option.code) {
                out.push((named(name), value_v4(option.code, option.value)));
            }
        }
    }
}

impl DescribeReply for v6::Client {
    fn describe(answer: &[u8], out: &mut Vec<(String, Vec<u8>)>) {
        let Ok(message) = dhcp6::Message::parse(answer) else { return };
        for association in message.associations().flatten() {
            for lease in association.leases().flatten() {
                if association.kind == dhcp6::IaKind::Pd {
                    add(out, "prefix", format_args!("{}/{}", lease.address, lease.bits));
                } else {
                    add(out, "address", lease.address);
                }
                add(out, "preferred-lifetime", lease.preferred);
                add(out, "valid-lifetime", lease.valid);
            }
            add(out, "renewal-time", association.t1);
            add(out, "rebinding-time", association.t2);
        }
        for option in message.options() {
            add(out, &format!("option-{}", option.code), hex(option.data));
            if let Some(name) = dhcp6::code::name(option.code) {
                out.push((named(name), value_v6(option.code, option.data)));
            }
        }
    }
}

fn value_v4(code: u8, value: &[u8]) -> Vec<u8> {
    use dhcp4::option as codes;
    match code {
        codes::SUBNET_MASK
        | codes::ROUTERS
        | codes::DOMAIN_NAME_SERVERS
        | codes::BROADCAST_ADDRESS
        | codes::SERVER_ID => {
            let (each, _) = value.as_chunks::<4>();
            list(each.iter().map(|bytes| Ipv4Addr::from(*bytes)))
        }
        codes::LEASE_TIME | codes::RENEWAL_TIME | codes::REBINDING_TIME => {
            let (each, _) = value.as_chunks::<4>();
            list(each.iter().map(|bytes| u32::from_be_bytes(*bytes)))
        }
        codes::HOST_NAME | codes::DOMAIN_NAME | codes::MESSAGE => value.to_vec(),
        _ => hex(value).into_bytes(),
    }
}

fn value_v6(code: u16, value: &[u8]) -> Vec<u8> {
    if code == dhcp6::code::DNS_SERVERS {
        let (each, _) = value.as_chunks::<16>();
        return list(each.iter().map(|bytes| Ipv6Addr::from(*bytes)));
    }
    hex(value).into_bytes()
}

fn add(out: &mut Vec<(String, Vec<u8>)>, name: &str, value: impl std::fmt::Display) {
    out.push((name.to_owned(), value.to_string().into_bytes()));
}

fn named(words: &str) -> String {
    words.to_lowercase().replace(' ', "-")
}

fn list<T: std::fmt::Display>(values: impl Iterator<Item = T>) -> Vec<u8> {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    values.join(",").into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_dhcp_wire::dhcp4::{Header, MessageType, Writer, option};

    fn value(described: &[(String, Vec<u8>)], name: &str) -> Option<String> {
        let found = described.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| String::from_utf8(value.clone()).unwrap())
    }

    #[test]
    fn options_are_described_by_name_and_number() {
        let mut ack = Vec::new();
        let mut header = Header::request();
        header.yiaddr = Ipv4Addr::new(10, 1, 2, 3);
        let mut writer = Writer::new(&mut ack, &header, MessageType::Ack);
        writer.seconds(option::LEASE_TIME, 3600);
        writer.address(option::SERVER_ID, Ipv4Addr::new(10, 0, 0, 1));
        writer.option(option::DOMAIN_NAME_SERVERS, &[10, 0, 0, 2, 10, 0, 0, 3]);
        writer.option(option::DOMAIN_NAME, b"example.net");
        writer.option(224, &[1, 0xab]);
        writer.end();
        let mut described = Vec::new();
        v4::Client::describe(&ack, &mut described);
        let cases = [
            ("address", "10.1.2.3"),
            ("lease-time", "3600"),
            ("option-51", "00000e10"),
            ("server-identifier", "10.0.0.1"),
            ("domain-name-servers", "10.0.0.2,10.0.0.3"),
            ("domain-name", "example.net"),
            ("option-224", "01ab"),
        ];
        for (name, expected) in cases {
            assert_eq!(value(&described, name).as_deref(), Some(expected), "{name}");
        }
        described.clear();
        v4::Client::describe(&ack[..40], &mut described);
        assert_eq!(described, []);
    }
}
