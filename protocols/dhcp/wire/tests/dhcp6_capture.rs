//! Messages of perfdhcp and Kea as captured: read, and written again byte for byte.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_dhcp_wire::dhcp6::relay::{self, unwrap};
use brunt_dhcp_wire::dhcp6::{
    Draft, Duid, Ia, IaKind, Message, MessageType, Relay, RelayNesting, Writer, code, set_xid,
    status,
};
use std::net::Ipv6Addr;

const CAPTURE: &str = include_str!("../testdata/dhcp6/perfdhcp.hex");
const MAC: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// The datagrams of a command line, and whether the client sent them.
fn exchange(command: &str) -> Vec<(bool, Vec<u8>)> {
    let mut lines = CAPTURE.lines().skip_while(|line| *line != format!("# perfdhcp -6 {command}"));
    assert!(lines.next().is_some(), "{command}");
    let lines = lines.take_while(|line| !line.starts_with('#'));
    lines.map(|line| (line.starts_with('>'), bytes(&line[2..]))).collect()
}

fn kinds(datagrams: &[(bool, Vec<u8>)]) -> Vec<MessageType> {
    datagrams.iter().map(|(_, bytes)| unwrap(bytes).unwrap().message.kind()).collect()
}

#[test]
fn solicit_equals_the_original_tool() {
    let all = exchange("-e address-and-prefix -r 1 -n 1");
    let mut out = Vec::new();
    let mut writer = Writer::message(&mut out, MessageType::SOLICIT, 0);
    writer.option(code::CLIENT_ID, Duid::link_layer_time(0x3293_e00d, MAC).octets());
    let open = writer.open_ia(IaKind::Na, 1, 3600, 5400);
    writer.close(&open).option(code::ORO, &[0, 23, 0, 24]).elapsed(0);
    let open = writer.open_ia(IaKind::Pd, 1, 3600, 5400);
    writer.close(&open);
    assert_eq!(out, all[0].1);
}

#[test]
fn request_is_built_from_the_advertise() {
    let all = exchange("-r 1 -n 1");
    assert_eq!(
        kinds(&all),
        [MessageType::SOLICIT, MessageType::ADVERTISE, MessageType::REQUEST, MessageType::REPLY]
    );
    let advertise = Message::parse(&all[1].1).unwrap();
    assert_eq!((advertise.xid(), advertise.preference()), (0, Ok(0)));
    let mut draft = Draft::default();
    draft.add(code::ELAPSED_TIME, [0, 0]);
    for code in [code::IA_NA, code::SERVER_ID, code::CLIENT_ID] {
        draft.add(code, advertise.option(code).unwrap().data);
    }
    let mut out = Vec::new();
    draft.write(MessageType::REQUEST, 0xffff, &mut out);
    set_xid(&mut out, 1);
    assert_eq!(out, all[2].1);
    assert_eq!(Message::parse(&out).unwrap().elapsed(), Ok(Some(0)));
}

#[test]
fn reply_of_kea_is_parsed() {
    let all = exchange("-e address-and-prefix -r 1 -n 1");
    let reply = Message::parse(&all[3].1).unwrap();
    assert_eq!(reply.client_id(), Some(Duid::link_layer_time(0x3293_e00d, MAC).octets()));
    let server = Duid::link_layer([0xbe, 0x9c, 0xf6, 0xe4, 0x5f, 0xe7]);
    assert_eq!(reply.server_id(), Some(server.octets()));
    let all: Vec<Ia<'_>> = reply.associations().map(Result::unwrap).collect();
    assert_eq!(all.len(), 2);
    let addresses: Vec<_> = all[0].leases().map(Result::unwrap).collect();
    assert_eq!((all[0].kind, all[0].iaid, all[0].t1, all[0].t2), (IaKind::Na, 1, 1000, 2000));
    let address: Ipv6Addr = "2001:db8:77::1001".parse().unwrap();
    assert_eq!((addresses.len(), addresses[0].address, addresses[0].bits), (1, address, 128));
    assert_eq!((addresses[0].preferred, addresses[0].valid), (3000, 4000));
    let prefixes: Vec<_> = all[1].leases().map(Result::unwrap).collect();
    let prefix: Ipv6Addr = "2001:db8:100::".parse().unwrap();
    assert_eq!((all[1].kind, prefixes[0].address, prefixes[0].bits), (IaKind::Pd, prefix, 56));
    assert_eq!((prefixes[0].preferred, prefixes[0].valid), (3000, 4000));
    assert!(all.iter().all(|ia| ia.status().unwrap().is_success()));
}

#[test]
fn release_status_of_kea_is_parsed() {
    let all = exchange("-o 15,00056b656c6c79 -R 3 -f 2 -F 2 -r 4 -p 3");
    let released = all.iter().find(|(_, bytes)| bytes[0] == 7 && bytes[3] == 8).unwrap();
    let reply = Message::parse(&released.1).unwrap();
    assert_eq!(reply.status().unwrap().code, status::SUCCESS);
    assert_eq!(reply.status().unwrap().text, b"Summary status for all processed IA_NAs");
    let ia = reply.associations().next().unwrap().unwrap();
    assert_eq!(ia.leases().count(), 0);
    assert_eq!(ia.status().unwrap().text, b"Lease released. Thank you, please come again.");
}

#[test]
fn relay_messages_are_unwrapped_and_rebuilt() {
    let all = exchange("-A 1 -r 1 -n 1");
    let here: Ipv6Addr = "2001:db8:77::1".parse().unwrap();
    for (sent, datagram) in &all {
        let relay = Relay::parse(datagram).unwrap();
        let kind = if *sent { MessageType::RELAY_FORW } else { MessageType::RELAY_REPL };
        assert_eq!((relay.kind, relay.hops, relay.link, relay.peer), (kind, 0, here, here));
        let unwrapped = unwrap(datagram).unwrap();
        assert_eq!((unwrapped.depth, unwrapped.nearest), (1, Some(relay)));
        let mut out = Vec::new();
        let mut nest = RelayNesting::default();
        relay::header(kind, 0, here, here, &mut out);
        assert!(nest.open(&mut out));
        out.extend_from_slice(unwrapped.message.bytes());
        nest.close(&mut out);
        assert_eq!(out, *datagram);
    }
    // Kea's own RELAY-REPL is identical to this crate's answer.
    let mut out = Vec::new();
    let nest = RelayNesting::answering(&all[0].1, &mut out).unwrap();
    out.extend_from_slice(unwrap(&all[1].1).unwrap().message.bytes());
    nest.close(&mut out);
    assert_eq!(out, all[1].1);
}
