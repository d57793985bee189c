//! This crate's messages are identical to those of perfdhcp, and it reads what Kea answered.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_dhcp_wire::dhcp4::{
    BOOTREPLY, BOOTREQUEST, DecodeError, Draft, FieldAt, Header, Message, MessageType, OPTIONS_AT,
    Present, Writer, at, option, patch, relay,
};
use std::net::Ipv4Addr;

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const RELAY: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);
const MAC: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x06];
const CLIENT_ID: [u8; 7] = [0x01, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x06];
const PARAMETERS: [u8; 7] = [1, 28, 2, 3, 15, 6, 12];

/// What perfdhcp 2.2.0 sent (`>`) and Kea 2.2.0 answered (`<`).
fn captured(mark: &str) -> Vec<Vec<u8>> {
    let text = include_str!("../testdata/dhcp4/perfdhcp.hex");
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
    let bytes = |line: &str| {
        let pairs = line.trim().as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    lines.map(bytes).collect()
}

fn header(xid: u32) -> Header {
    let mut header = Header { hops: 1, xid, giaddr: RELAY, ..Header::request() };
    header.chaddr[..6].copy_from_slice(&MAC);
    header
}

#[test]
fn requests_equal_the_original_tool() {
    let sent = captured(">");
    let [discover, request, renew, release] = &sent[..] else { panic!("four requests") };

    let draft = Draft::new(header(2), MessageType::Discover)
        .with(option::CLIENT_ID, &CLIENT_ID)
        .with(option::PARAMETER_REQUEST_LIST, &PARAMETERS);
    assert_eq!((draft.to_bytes(), discover.len()), (discover.clone(), 262));

    let draft = Draft::new(header(2), MessageType::Request)
        .with(option::CLIENT_ID, &CLIENT_ID)
        .with(option::PARAMETER_REQUEST_LIST, &PARAMETERS)
        .with(option::SERVER_ID, &SERVER.octets())
        .with(option::REQUESTED_ADDRESS, &[10, 9, 1, 2]);
    assert_eq!((draft.to_bytes(), request.len()), (request.clone(), 274));

    // The renewal belongs to a different client, so the fields that differ are patched.
    let mut packet =
        Draft::new(header(0), MessageType::Request).with(option::CLIENT_ID, &CLIENT_ID).to_bytes();
    patch::xid(&mut packet, 8);
    patch::ciaddr(&mut packet, Ipv4Addr::new(10, 9, 1, 0));
    let mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];
    patch::chaddr(&mut packet, &mac);
    patch::put(&mut packet, OPTIONS_AT + 3 + 3, &mac);
    assert_eq!((packet, renew.len()), (renew.clone(), 253));

    let mut header = header(9);
    header.ciaddr = Ipv4Addr::new(10, 9, 1, 2);
    let mut packet = Vec::new();
    let mut writer = Writer::new(&mut packet, &header, MessageType::Release);
    writer.address(option::SERVER_ID, SERVER).option(option::CLIENT_ID, &CLIENT_ID);
    writer.end();
    assert_eq!((packet, release.len()), (release.clone(), 259));
}

#[test]
fn answers_of_kea_are_parsed() {
    let received = captured("<");
    let [offer, ack, renewed] = &received[..] else { panic!("three answers") };
    for (bytes, kind) in [(offer, MessageType::Offer), (ack, MessageType::Ack)] {
        let message = Message::scan(bytes).unwrap();
        assert!(message.is_reply());
        assert_eq!(message.message_type(), Some(kind));
        assert_eq!((message.op(), message.xid(), message.hops()), (BOOTREPLY, 2, 1));
        assert_eq!((message.yiaddr(), message.giaddr()), (Ipv4Addr::new(10, 9, 1, 2), RELAY));
        assert_eq!((message.chaddr(), message.server_id()), (&MAC[..], Some(SERVER)));
        let times = [message.renewal_time(), message.rebinding_time(), message.lease_time()];
        assert_eq!(times, [Some(900), Some(1_800), Some(4_000)]);
        assert_eq!(message.client_id(), Some(&CLIENT_ID[..]));
        let codes: Vec<u8> = message.options().map(|each| each.unwrap().code).collect();
        assert_eq!(codes, [53, 1, 51, 54, 58, 59, 61]);
        assert!(!message.rapid_commit() && message.relay_info().is_none());
    }
    assert_eq!(Message::scan(renewed).unwrap().ciaddr(), Ipv4Addr::new(10, 9, 1, 0));
}

#[test]
fn reply_is_built_from_its_request() {
    let (sent, received) = (captured(">"), captured("<"));
    let request = Message::scan(&sent[0]).unwrap();
    let mut header = Header::reply_to(&request);
    assert_eq!((header.op, header.xid, header.giaddr, header.hops), (BOOTREPLY, 2, RELAY, 0));
    // Kea keeps the hop count in its answers.
    header.hops = 1;
    header.yiaddr = Ipv4Addr::new(10, 9, 1, 2);
    let mut reply = Vec::new();
    let mut writer = Writer::new(&mut reply, &header, MessageType::Offer);
    writer
        .option(option::SUBNET_MASK, &[255, 255, 0, 0])
        .seconds(option::LEASE_TIME, 4_000)
        .address(option::SERVER_ID, SERVER)
        .seconds(option::RENEWAL_TIME, 900)
        .seconds(option::REBINDING_TIME, 1_800)
        .option(option::CLIENT_ID, &CLIENT_ID);
    writer.end();
    assert_eq!(reply, received[0]);
    assert_eq!(Message::scan(&reply).unwrap().header(), header);
}

#[test]
fn option_overload_continues_in_file_and_sname() {
    let mut packet = Vec::new();
    let mut writer = Writer::untyped(&mut packet, &header(1));
    writer.option(option::OVERLOAD, &[3]).option(option::HOST_NAME, b"one");
    writer.end();
    patch::put(
        &mut packet,
        at::FILE,
        &[option::MESSAGE_TYPE, 1, 5, option::PAD, option::HOST_NAME, 2, b'-', b't', 255, 7],
    );
    patch::put(&mut packet, at::SNAME, &[option::HOST_NAME, 2, b'w', b'o']);
    let message = Message::scan(&packet).unwrap();
    assert_eq!(message.message_type(), Some(MessageType::Ack));
    assert_eq!(message.option(option::HOST_NAME), Some(&b"one"[..]));
    let mut joined = b"name: ".to_vec();
    assert!(message.joined(option::HOST_NAME, &mut joined));
    assert_eq!(joined, b"name: one-two");
    assert!(!message.joined(option::ROUTERS, &mut joined));

    // Without the overload option, the fields are names; an overload option inside an overloaded
    // field has no effect.
    patch::put(&mut packet, OPTIONS_AT + 2, &[0]);
    let message = Message::scan(&packet).unwrap();
    assert_eq!((message.message_type(), message.options().count()), (None, 2));
    patch::put(&mut packet, OPTIONS_AT + 2, &[1]);
    patch::put(&mut packet, at::FILE, &[option::OVERLOAD, 1, 3, 255]);
    assert_eq!(Message::scan(&packet).unwrap().options().count(), 3);

    // An option must not extend from `file` into the cookie.
    patch::put(&mut packet, at::COOKIE - 2, &[option::HOST_NAME, 1]);
    patch::put(&mut packet, at::FILE, &[0; 16]);
    let wrong = DecodeError::Truncated { offset: at::COOKIE - 2, code: option::HOST_NAME };
    assert_eq!(Message::scan(&packet).unwrap_err(), wrong);
}

#[test]
fn decode_errors_name_their_offset() {
    let good = &captured("<")[0];
    for length in 0..good.len() {
        match Message::scan(&good[..length]) {
            Ok(message) => assert!(message.options().all(|each| each.is_ok())),
            Err(DecodeError::TooShort { length: reported }) => {
                assert_eq!((reported, length < 240), (length, true));
            }
            Err(DecodeError::Truncated { offset, .. }) => assert!((240..length).contains(&offset)),
            Err(other) => panic!("{other}"),
        }
    }
    let mut bytes = good.clone();
    patch::put(&mut bytes, at::HLEN, &[17]);
    assert_eq!(Message::scan(&bytes).unwrap_err(), DecodeError::HardwareLength { length: 17 });
    patch::put(&mut bytes, at::COOKIE, &[0]);
    assert_eq!(Message::scan(&bytes).unwrap_err(), DecodeError::NoCookie);
    let output = DecodeError::Truncated { offset: 244, code: 50 }.to_string();
    assert_eq!(output, "option 50 at offset 244 ends beyond its field");
}

#[test]
fn option_is_unique_but_parameter_lists_grow() {
    let mut draft = Draft::new(header(1), MessageType::Discover).with(55, &[1, 28]);
    assert_eq!(draft.add(55, &[66]), Ok(()));
    assert_eq!(draft.option(55), Some(&[1, 28, 66][..]));
    assert_eq!(draft.add(60, b"phone"), Ok(()));
    assert_eq!(draft.add(60, b"phone"), Err(Present { code: 60 }));
    assert_eq!(draft.add(82, &[1, 1, 0]), Ok(()));
    assert_eq!(draft.add(224, &[9; 300]), Ok(()));
    let packet = draft.to_bytes();
    let message = Message::scan(&packet).unwrap();
    let codes: Vec<u8> = message.options().map(|each| each.unwrap().code).collect();
    assert_eq!(codes, [53, 55, 60, 224, 224, 82]);
    assert_eq!((message.op(), packet.last()), (BOOTREQUEST, Some(&255)));
    let places = message.options().map(|each| each.unwrap().offset);
    for (place, code) in places.zip(codes) {
        assert!(
            matches!(FieldAt::new(&packet, place), FieldAt::Option { code: there, into: 0, .. } if there == code)
        );
    }
}

#[test]
fn relay_sub_options_round_trip() {
    let mut value = Vec::new();
    relay::put(&mut value, relay::CIRCUIT_ID, b"eth0/1");
    relay::put(&mut value, relay::REMOTE_ID, b"");
    let read: Vec<_> = relay::sub_options(&value).map(|each| each.unwrap()).collect();
    assert_eq!(
        read.iter().map(|each| (each.code, each.value)).collect::<Vec<_>>(),
        [(1, &b"eth0/1"[..]), (2, b"")]
    );
    for cut in [1, 7, 9] {
        let mut broken = relay::sub_options(&value[..cut]);
        assert!(broken.any(|each| each.is_err()), "cut after {cut}");
        assert!(broken.next().is_none(), "nothing follows an error");
    }
}
