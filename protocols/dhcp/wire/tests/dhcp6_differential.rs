//! This crate's DHCPv6 compared with that of `dhcproto`, for random messages.
//!
//! This crate scans what the oracle encodes, and the oracle decodes what this crate writes; both
//! must have the same result. Corrupted bytes must never make this crate's decoders panic.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_dhcp_wire::dhcp6::relay::{self, DEPTH_MAX, unwrap};
use brunt_dhcp_wire::dhcp6::{
    DecodeError, Draft, Ia, IaKind, Lease, Message, MessageType, Options, Relay, RelayNesting,
    Writer, code,
};
use dhcproto::v6::{
    self, DhcpOption, DhcpOptions, IAAddr, IANA, IAPD, IAPrefix, IATA, ORO, OptionCode,
    RelayMessage, StatusCode, UnknownOption,
};
use dhcproto::{Decodable, Decoder, Encodable};
use proptest::collection::vec;
use proptest::prelude::*;
use std::net::Ipv6Addr;

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..most)
}

fn status() -> impl Strategy<Value = DhcpOption> {
    (any::<u16>(), "[ -~]{0,20}")
        .prop_map(|(code, msg)| DhcpOption::StatusCode(StatusCode { status: code.into(), msg }))
}

fn inner() -> impl Strategy<Value = DhcpOptions> {
    proptest::option::of(status()).prop_map(|status| status.into_iter().collect())
}

fn lease() -> impl Strategy<Value = DhcpOption> {
    let words = (any::<u128>(), any::<u32>(), any::<u32>(), inner());
    words.prop_map(|(address, preferred_life, valid_life, opts)| {
        let addr = Ipv6Addr::from(address);
        DhcpOption::IAAddr(IAAddr { addr, preferred_life, valid_life, opts })
    })
}

fn prefix() -> impl Strategy<Value = DhcpOption> {
    let words = (any::<u128>(), 0..=128u8, any::<u32>(), any::<u32>(), inner());
    words.prop_map(|(prefix, prefix_len, preferred_lifetime, valid_lifetime, opts)| {
        DhcpOption::IAPrefix(IAPrefix {
            preferred_lifetime,
            valid_lifetime,
            prefix_len,
            prefix_ip: prefix.into(),
            opts,
        })
    })
}

fn association() -> impl Strategy<Value = DhcpOption> {
    let words = || (any::<u32>(), any::<u32>(), any::<u32>());
    prop_oneof![
        (words(), vec(prop_oneof![3 => lease(), 1 => status()], 0..4)).prop_map(
            |((id, t1, t2), opts)| {
                DhcpOption::IANA(IANA { id, t1, t2, opts: opts.into_iter().collect() })
            }
        ),
        (any::<u32>(), vec(lease(), 0..4)).prop_map(|(id, opts)| {
            DhcpOption::IATA(IATA { id, opts: opts.into_iter().collect() })
        }),
        (words(), vec(prop_oneof![3 => prefix(), 1 => status()], 0..4)).prop_map(
            |((id, t1, t2), opts)| {
                DhcpOption::IAPD(IAPD { id, t1, t2, opts: opts.into_iter().collect() })
            }
        ),
    ]
}

fn any_option() -> impl Strategy<Value = DhcpOption> {
    prop_oneof![
        bytes(130).prop_map(DhcpOption::ClientId),
        bytes(130).prop_map(DhcpOption::ServerId),
        association(),
        vec(1..200u16, 0..6).prop_map(|codes| {
            DhcpOption::ORO(ORO { opts: codes.into_iter().map(OptionCode::from).collect() })
        }),
        any::<u8>().prop_map(DhcpOption::Preference),
        any::<u16>().prop_map(DhcpOption::ElapsedTime),
        Just(DhcpOption::RapidCommit),
        status(),
        bytes(40).prop_map(DhcpOption::InterfaceId),
        (200..60_000u16, bytes(40))
            .prop_map(|(code, data)| DhcpOption::Unknown(UnknownOption::new(code.into(), data))),
    ]
}

fn message() -> impl Strategy<Value = v6::Message> {
    (1..=11u8, any::<[u8; 3]>(), vec(any_option(), 0..8)).prop_map(|(kind, xid, options)| {
        let mut message = v6::Message::new_with_id(kind.into(), xid);
        message.set_opts(options.into_iter().collect());
        message
    })
}

fn status_of(options: &DhcpOptions) -> (u16, Vec<u8>) {
    match options.get(OptionCode::StatusCode) {
        Some(DhcpOption::StatusCode(status)) => {
            (status.status.into(), status.msg.as_bytes().to_vec())
        }
        _ => (0, Vec::new()),
    }
}

fn same_lease(ours: &Lease<'_>, theirs: &DhcpOption) {
    let (address, bits, preferred, valid, options) = match theirs {
        DhcpOption::IAAddr(it) => (it.addr, 128, it.preferred_life, it.valid_life, &it.opts),
        DhcpOption::IAPrefix(it) => {
            (it.prefix_ip, it.prefix_len, it.preferred_lifetime, it.valid_lifetime, &it.opts)
        }
        other => panic!("{other:?} is no lease"),
    };
    let read = (ours.address, ours.bits, ours.preferred, ours.valid);
    assert_eq!(read, (address, bits, preferred, valid));
    let status = ours.status().unwrap();
    assert_eq!((status.code, status.text.to_vec()), status_of(options));
}

fn same_association(ours: &Ia<'_>, theirs: &DhcpOption) {
    let (kind, iaid, t1, t2, options) = match theirs {
        DhcpOption::IANA(it) => (IaKind::Na, it.id, it.t1, it.t2, &it.opts),
        DhcpOption::IATA(it) => (IaKind::Ta, it.id, 0, 0, &it.opts),
        DhcpOption::IAPD(it) => (IaKind::Pd, it.id, it.t1, it.t2, &it.opts),
        other => panic!("{other:?} is no association"),
    };
    assert_eq!((ours.kind, ours.iaid, ours.t1, ours.t2), (kind, iaid, t1, t2));
    let status = ours.status().unwrap();
    assert_eq!((status.code, status.text.to_vec()), status_of(options));
    let leases: Vec<Lease<'_>> = ours.leases().map(Result::unwrap).collect();
    let theirs: Vec<&DhcpOption> = options
        .iter()
        .filter(|it| matches!(it, DhcpOption::IAAddr(_) | DhcpOption::IAPrefix(_)))
        .collect();
    assert_eq!(leases.len(), theirs.len());
    for (ours, theirs) in leases.iter().zip(theirs) {
        same_lease(ours, theirs);
    }
}

/// Writes an option of the oracle with this crate's writer.
fn write(option: &DhcpOption, writer: &mut Writer<'_>) {
    let ia = |writer: &mut Writer<'_>, kind, (id, t1, t2), options: &DhcpOptions| {
        let open = writer.open_ia(kind, id, t1, t2);
        options.iter().for_each(|option| write(option, writer));
        writer.close(&open);
    };
    match option {
        DhcpOption::IANA(it) => ia(writer, IaKind::Na, (it.id, it.t1, it.t2), &it.opts),
        DhcpOption::IATA(it) => ia(writer, IaKind::Ta, (it.id, 0, 0), &it.opts),
        DhcpOption::IAPD(it) => ia(writer, IaKind::Pd, (it.id, it.t1, it.t2), &it.opts),
        DhcpOption::IAAddr(it) if it.opts.iter().next().is_none() => {
            writer.address(it.addr, it.preferred_life, it.valid_life);
        }
        DhcpOption::IAPrefix(it) if it.opts.iter().next().is_none() => {
            let lifetimes = (it.preferred_lifetime, it.valid_lifetime);
            writer.prefix(it.prefix_ip, it.prefix_len, lifetimes.0, lifetimes.1);
        }
        DhcpOption::ElapsedTime(hundredths) => {
            writer.elapsed(*hundredths);
        }
        DhcpOption::StatusCode(it) => {
            writer.status(it.status.into(), &it.msg);
        }
        other => {
            let whole = other.to_vec().unwrap();
            let code = u16::from_be_bytes([whole[0], whole[1]]);
            writer.option(code, &whole[4..]);
        }
    }
}

fn relayed(levels: &[(u128, u128, Vec<u8>)], kind: MessageType, message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut nest = RelayNesting::default();
    for (hops, (link, peer, interface)) in levels.iter().enumerate().rev() {
        relay::header(kind, hops as u8, (*link).into(), (*peer).into(), &mut out);
        Writer::behind(&mut out).option(code::INTERFACE_ID, interface);
        assert!(nest.open(&mut out));
    }
    out.extend_from_slice(message);
    nest.close(&mut out);
    out
}

/// Reads everything that can be read.
fn read_all(bytes: &[u8]) {
    let mut out = Vec::new();
    let _ = RelayNesting::answering(bytes, &mut out);
    let _ = Relay::parse(bytes);
    let Ok(unwrapped) = unwrap(bytes) else { return };
    let message = unwrapped.message;
    assert!(message.options().into_iter().count() * 4 <= bytes.len());
    let _ = (message.status(), message.preference(), message.elapsed(), message.rapid_commit());
    let _ = message.requested().count();
    for ia in message.associations().flatten() {
        let _ = ia.status();
        for lease in ia.leases().flatten() {
            assert!(lease.bits <= 128);
            let _ = lease.status();
        }
    }
}

proptest! {
    #[test]
    fn messages_of_dhcproto_are_read(theirs in message()) {
        let encoded = theirs.to_vec().unwrap();
        let ours = Message::parse(&encoded).unwrap();
        prop_assert_eq!(ours.kind().0, u8::from(theirs.msg_type()));
        prop_assert_eq!(ours.xid(), theirs.xid_num());
        prop_assert_eq!(ours.options().into_iter().count(), theirs.opts().iter().count());
        let id = |code| match theirs.opts().get(code) {
            Some(DhcpOption::ClientId(id) | DhcpOption::ServerId(id)) => Some(id.as_slice()),
            _ => None,
        };
        prop_assert_eq!(ours.client_id(), id(OptionCode::ClientId));
        prop_assert_eq!(ours.server_id(), id(OptionCode::ServerId));
        let rapid = theirs.opts().get(OptionCode::RapidCommit).is_some();
        prop_assert_eq!(ours.rapid_commit(), rapid);
        if let Some(DhcpOption::ElapsedTime(time)) = theirs.opts().get(OptionCode::ElapsedTime) {
            prop_assert_eq!(ours.elapsed(), Ok(Some(*time)));
        }
        if let Some(DhcpOption::Preference(value)) = theirs.opts().get(OptionCode::Preference) {
            prop_assert_eq!(ours.preference(), Ok(*value));
        }
        if let Some(DhcpOption::ORO(list)) = theirs.opts().get(OptionCode::ORO) {
            let codes: Vec<u16> = list.opts.iter().map(|code| u16::from(*code)).collect();
            prop_assert_eq!(ours.requested().collect::<Vec<_>>(), codes);
        }
        let status = ours.status().unwrap();
        prop_assert_eq!((status.code, status.text.to_vec()), status_of(theirs.opts()));
        let all: Vec<Ia<'_>> = ours.associations().map(Result::unwrap).collect();
        let their_all: Vec<&DhcpOption> = theirs.opts().iter().filter(|it| {
            matches!(it, DhcpOption::IANA(_) | DhcpOption::IATA(_) | DhcpOption::IAPD(_))
        }).collect();
        prop_assert_eq!(all.len(), their_all.len());
        for (ours, theirs) in all.iter().zip(their_all) {
            same_association(ours, theirs);
        }
    }

    #[test]
    fn encoded_messages_are_read_by_dhcproto(theirs in message()) {
        let mut out = Vec::new();
        let kind = MessageType(theirs.msg_type().into());
        let mut writer = Writer::message(&mut out, kind, theirs.xid_num());
        for option in theirs.opts().iter() {
            write(option, &mut writer);
        }
        let again = v6::Message::decode(&mut Decoder::new(&out)).unwrap();
        prop_assert_eq!(&again, &theirs);
        prop_assert_eq!(out, theirs.to_vec().unwrap());
    }

    #[test]
    fn draft_options_are_sorted_without_loss(
        options in vec((any::<u16>(), bytes(20)), 0..12),
    ) {
        let mut draft = Draft::default();
        for (code, data) in &options {
            draft.add(*code, data.as_slice());
        }
        let mut out = Vec::new();
        draft.write(MessageType::REPLY, 7, &mut out);
        let read: Vec<(u16, Vec<u8>)> = Message::parse(&out).unwrap().options().into_iter()
            .map(|option| (option.code, option.data.to_vec())).collect();
        let mut expected = options;
        expected.sort_by_key(|(code, _)| *code);
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn relay_messages_are_nested_and_answered(
        levels in vec((any::<u128>(), any::<u128>(), bytes(12)), 0..=DEPTH_MAX),
        theirs in message(),
        answer in message(),
    ) {
        let message = theirs.to_vec().unwrap();
        let datagram = relayed(&levels, MessageType::RELAY_FORW, &message);
        let unwrapped = unwrap(&datagram).unwrap();
        prop_assert_eq!(unwrapped.message.bytes(), &message);
        prop_assert_eq!(unwrapped.offset, datagram.len() - message.len());
        prop_assert_eq!(unwrapped.depth, levels.len());
        let nearest = unwrapped.nearest.map(|relay| (relay.hops, u128::from(relay.link)));
        prop_assert_eq!(nearest, levels.first().map(|(link, _, _)| (0, *link)));
        if let Some((link, peer, interface)) = levels.last() {
            let outermost = RelayMessage::decode(&mut Decoder::new(&datagram)).unwrap();
            prop_assert_eq!(usize::from(outermost.hop_count()), levels.len() - 1);
            prop_assert_eq!(u128::from(outermost.link_addr()), *link);
            prop_assert_eq!(u128::from(outermost.peer_addr()), *peer);
            let id = outermost.opts().get(OptionCode::InterfaceId);
            prop_assert_eq!(id, Some(&DhcpOption::InterfaceId(interface.clone())));
        }
        let reply = answer.to_vec().unwrap();
        let mut out = Vec::new();
        let nest = RelayNesting::answering(&datagram, &mut out).unwrap();
        out.extend_from_slice(&reply);
        nest.close(&mut out);
        prop_assert_eq!(out, relayed(&levels, MessageType::RELAY_REPL, &reply));
    }

    #[test]
    fn altered_bytes_are_parsed_or_refused(
        levels in vec((any::<u128>(), any::<u128>(), bytes(4)), 0..4),
        theirs in message(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut datagram =
            relayed(&levels, MessageType::RELAY_FORW, &theirs.to_vec().unwrap());
        for (at, value) in changes {
            let at = at.index(datagram.len());
            datagram[at] = value;
        }
        read_all(&datagram);
        datagram.truncate(cut.index(datagram.len() + 1));
        read_all(&datagram);
    }

    #[test]
    fn arbitrary_bytes_are_parsed_or_refused(bytes in bytes(300), first in 1..=13u8) {
        read_all(&bytes);
        read_all(&[&[first], bytes.as_slice()].concat());
    }

    #[test]
    fn decode_error_names_its_offset_in_the_datagram(
        levels in vec((any::<u128>(), any::<u128>(), bytes(12)), 0..6),
        good in vec((200..300u16, bytes(9)), 0..5),
    ) {
        let mut message = Vec::new();
        let mut writer = Writer::message(&mut message, MessageType::REPLY, 5);
        for (code, data) in &good {
            writer.option(*code, data);
        }
        let wrong_at = message.len();
        message.extend_from_slice(&[0, 8, 0, 200, 1]);
        let datagram = relayed(&levels, MessageType::RELAY_REPL, &message);
        let offset = datagram.len() - message.len() + wrong_at;
        prop_assert_eq!(unwrap(&datagram), Err(DecodeError::Truncated { offset }));
    }
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    let level = (1, 2, Vec::new());
    let inner = relayed(&vec![level.clone(); DEPTH_MAX], MessageType::RELAY_FORW, &[1, 0, 0, 0]);
    assert!(unwrap(&inner).is_ok());
    let outer = relayed(&[level], MessageType::RELAY_FORW, &inner);
    let too_deep = |error| matches!(error, Err(DecodeError::TooDeep { offset }) if offset > 0);
    assert!(too_deep(unwrap(&outer).map(|_| ())));
    assert!(too_deep(RelayNesting::answering(&outer, &mut Vec::new()).map(|_| ())));
}

#[test]
fn decode_errors_name_the_fault_and_its_place() {
    let output = |error: Result<Message<'_>, DecodeError>| error.unwrap_err().to_string();
    let parse = Message::parse;
    assert!(output(parse(&[1, 0, 0])).contains("3 bytes, and its header alone needs 4"));
    assert!(output(parse(&[12, 0, 0, 0])).contains("RELAY-FORW, which does not belong"));
    assert!(output(parse(&[1, 0, 0, 0, 0, 1, 0])).contains("byte 4 runs past"));
    assert_eq!(Options::parse(&[0, 1, 0, 1], 10), Err(DecodeError::Truncated { offset: 10 }));
    let elapsed = [1, 0, 0, 0, 0, 8, 0, 1, 9];
    let short = Message::parse(&elapsed).unwrap().elapsed().unwrap_err().to_string();
    assert_eq!(short, "option 8 (elapsed time) at byte 4 cannot be 1 bytes long");
    let mut prefix = vec![1, 0, 0, 0];
    let mut writer = Writer::behind(&mut prefix);
    let open = writer.open_ia(IaKind::Pd, 1, 2, 3);
    writer.prefix(Ipv6Addr::LOCALHOST, 129, 4, 5).close(&open);
    let message = Message::parse(&prefix).unwrap();
    let ia = message.associations().next().unwrap().unwrap();
    let error = ia.leases().next().unwrap().unwrap_err();
    assert_eq!(error, DecodeError::PrefixLength { offset: 20, bits: 129 });
    let empty = relayed(&[(1, 2, vec![])], MessageType::RELAY_REPL, &[]);
    let no_message = Relay::parse(&empty[..empty.len() - 4]).unwrap_err().to_string();
    assert_eq!(no_message, "the message at byte 0 has no option 9 (relay message)");
}
