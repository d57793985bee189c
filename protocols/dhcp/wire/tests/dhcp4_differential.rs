//! This crate's DHCPv4 messages compared with those of `dhcproto`, for random messages, in both directions.
//!
//! The oracle reads what this crate writes, this crate reads what the oracle writes from that, and the result must
//! equal the original. Corrupted bytes must never make this crate's reader panic.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_dhcp_wire::dhcp4::{Draft, FieldAt, Header, Message, MessageType, option, patch, relay};
use dhcproto::v4::relay::{RelayAgentInformation, RelayInfo};
use dhcproto::v4::{self as oracle, DhcpOption, OptionCode};
use dhcproto::{Decodable, Decoder, Encodable};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

fn headers() -> impl Strategy<Value = Header> {
    let numbers = (1u8..=2, 0u8..=16, any::<u8>(), any::<u32>(), any::<u16>(), any::<bool>());
    let places = (any::<[u8; 4]>(), any::<[u8; 4]>(), any::<[u8; 4]>(), any::<[u8; 4]>());
    (numbers, places, any::<[u8; 16]>()).prop_map(|(numbers, places, chaddr)| {
        let (op, hlen, hops, xid, secs, broadcast) = numbers;
        Header {
            op,
            htype: 1,
            hlen,
            hops,
            xid,
            secs,
            flags: if broadcast { 0x8000 } else { 0 },
            ciaddr: places.0.into(),
            yiaddr: places.1.into(),
            siaddr: places.2.into(),
            giaddr: places.3.into(),
            chaddr,
        }
    })
}

/// Options that both know by name, and some unknown ones.
fn options() -> impl Strategy<Value = BTreeMap<u8, Vec<u8>>> {
    let address = select(vec![50, 54]).prop_flat_map(|code| (Just(code), vec(any::<u8>(), 4)));
    let number = select(vec![51, 58, 59]).prop_flat_map(|code| (Just(code), vec(any::<u8>(), 4)));
    let text = select(vec![12, 15, 56]).prop_flat_map(|code| (Just(code), "[a-z]{1,40}"));
    let text = text.prop_map(|(code, text)| (code, text.into_bytes()));
    let bytes = select(vec![55, 60, 61, 77, 224, 230, 254])
        .prop_flat_map(|code| (Just(code), vec(any::<u8>(), 1..=255)));
    let long =
        select(vec![225, 231]).prop_flat_map(|code| (Just(code), vec(any::<u8>(), 256..700)));
    let relay = vec(any::<u8>(), 1..100).prop_map(|value| {
        let mut info = Vec::new();
        relay::put(&mut info, relay::CIRCUIT_ID, &value);
        relay::put(&mut info, relay::REMOTE_ID, b"remote");
        (82, info)
    });
    let one = prop_oneof![address, number, text, bytes, long, relay, Just((80, Vec::new()))];
    vec(one, 0..8).prop_map(|options| options.into_iter().collect())
}

fn drafts() -> impl Strategy<Value = (Draft, BTreeMap<u8, Vec<u8>>)> {
    (headers(), select(MessageType::ALL[..8].to_vec()), options()).prop_map(
        |(header, kind, options)| {
            let mut draft = Draft::new(header, kind);
            for (code, value) in &options {
                draft.add(*code, value).unwrap();
            }
            let mut all = options;
            all.insert(option::MESSAGE_TYPE, vec![kind.byte()]);
            (draft, all)
        },
    )
}

/// The options that this crate reads, as a map.
fn read_by_us(message: &Message<'_>) -> BTreeMap<u8, Vec<u8>> {
    let mut options = BTreeMap::<u8, Vec<u8>>::new();
    for each in message.options() {
        let each = each.unwrap();
        options.entry(each.code).or_default().extend_from_slice(each.value);
    }
    for (code, value) in &options {
        let mut joined = Vec::new();
        assert!(message.joined(*code, &mut joined));
        assert_eq!(&joined, value);
    }
    options
}

/// The meaning of an option of the oracle, in bytes.
fn meant(option: &DhcpOption) -> Vec<u8> {
    let address = |address: &Ipv4Addr| address.octets().to_vec();
    match option {
        DhcpOption::MessageType(kind) => vec![(*kind).into()],
        DhcpOption::RequestedIpAddress(it) | DhcpOption::ServerIdentifier(it) => address(it),
        DhcpOption::AddressLeaseTime(it) | DhcpOption::Renewal(it) | DhcpOption::Rebinding(it) => {
            it.to_be_bytes().to_vec()
        }
        DhcpOption::Hostname(it) | DhcpOption::DomainName(it) | DhcpOption::Message(it) => {
            it.as_bytes().to_vec()
        }
        DhcpOption::ParameterRequestList(codes) => {
            codes.iter().map(|code| u8::from(*code)).collect()
        }
        DhcpOption::ClassIdentifier(it)
        | DhcpOption::ClientIdentifier(it)
        | DhcpOption::UserClass(it) => it.clone(),
        DhcpOption::RapidCommit => Vec::new(),
        DhcpOption::RelayAgentInformation(info) => relayed(info),
        DhcpOption::Unknown(it) => it.data().to_vec(),
        other => panic!("the oracle read {other:?}"),
    }
}

fn relayed(info: &RelayAgentInformation) -> Vec<u8> {
    let mut value = Vec::new();
    for (_, each) in info.iter() {
        match each {
            RelayInfo::AgentCircuitId(it) => relay::put(&mut value, relay::CIRCUIT_ID, it),
            RelayInfo::AgentRemoteId(it) => relay::put(&mut value, relay::REMOTE_ID, it),
            other => panic!("the oracle read {other:?}"),
        }
    }
    value
}

proptest! {
    #[test]
    fn encoded_messages_are_read_by_dhcproto((draft, options) in drafts()) {
        let bytes = draft.to_bytes();
        let theirs = oracle::Message::decode(&mut Decoder::new(&bytes)).unwrap();
        let header = &draft.header;
        prop_assert_eq!(u8::from(theirs.opcode()), header.op);
        prop_assert_eq!((theirs.hlen(), theirs.hops(), theirs.xid()), (header.hlen, header.hops, header.xid));
        prop_assert_eq!((theirs.secs(), theirs.flags().broadcast()), (header.secs, header.flags == 0x8000));
        prop_assert_eq!((theirs.ciaddr(), theirs.yiaddr()), (header.ciaddr, header.yiaddr));
        prop_assert_eq!((theirs.siaddr(), theirs.giaddr()), (header.siaddr, header.giaddr));
        prop_assert_eq!(theirs.chaddr(), &header.chaddr[..usize::from(header.hlen)]);
        let read = theirs.opts().iter().filter(|(code, _)| **code != OptionCode::End);
        let read: BTreeMap<u8, Vec<u8>> = read.map(|(code, each)| (u8::from(*code), meant(each))).collect();
        prop_assert_eq!(read, options);
    }

    #[test]
    fn messages_of_dhcproto_are_read((draft, options) in drafts()) {
        let theirs = oracle::Message::decode(&mut Decoder::new(&draft.to_bytes())).unwrap().to_vec().unwrap();
        let message = Message::scan(&theirs).unwrap();
        // The oracle writes only as much of the hardware address as its length says, which is correct.
        let (ours, requested) = (message.header(), draft.header);
        prop_assert_eq!(Header { chaddr: requested.chaddr, ..ours }, requested);
        prop_assert_eq!(message.chaddr(), &requested.chaddr[..usize::from(requested.hlen)]);
        prop_assert_eq!(&read_by_us(&message), &options);
        prop_assert_eq!(message.message_type().map(MessageType::byte), options.get(&53).map(|it| it[0]));
        let address = |code| options.get(&code).map(|it: &Vec<u8>| Ipv4Addr::new(it[0], it[1], it[2], it[3]));
        prop_assert_eq!(message.server_id(), address(54));
        prop_assert_eq!(message.requested_address(), address(50));
        prop_assert_eq!(message.lease_time(), address(51).map(u32::from));
        prop_assert_eq!(message.rapid_commit(), options.contains_key(&80));
    }

    #[test]
    fn encoded_options_are_ordered_and_round_trip((draft, options) in drafts()) {
        let bytes = draft.to_bytes();
        let message = Message::scan(&bytes).unwrap();
        prop_assert_eq!(message.header(), draft.header);
        prop_assert_eq!(read_by_us(&message), options);
        let rank = |code: u8| match code { 53 => 0, 82 => 256, _ => u16::from(code) };
        let ranks: Vec<u16> = message.options().map(|each| rank(each.unwrap().code)).collect();
        prop_assert!(ranks.is_sorted(), "{:?}", ranks);
    }

    #[test]
    fn patched_fields_are_read_back((draft, _) in drafts(), header in headers()) {
        let mut bytes = draft.to_bytes();
        let length = bytes.len();
        patch::xid(&mut bytes, header.xid);
        patch::hops(&mut bytes, header.hops);
        patch::secs(&mut bytes, header.secs);
        patch::flags(&mut bytes, header.flags);
        patch::ciaddr(&mut bytes, header.ciaddr);
        patch::giaddr(&mut bytes, header.giaddr);
        patch::chaddr(&mut bytes, &header.chaddr);
        let Header { op, htype, hlen, yiaddr, siaddr, .. } = draft.header;
        let expected = Header { op, htype, hlen, yiaddr, siaddr, ..header };
        prop_assert_eq!(Message::scan(&bytes).unwrap().header(), expected);
        prop_assert_eq!(bytes.len(), length);
    }

    #[test]
    fn altered_bytes_are_parsed_or_refused(
        (draft, _) in drafts(),
        changes in vec((any::<Index>(), any::<u8>()), 0..12),
        cut in any::<Index>(),
    ) {
        let mut bytes = draft.to_bytes();
        for (place, value) in &changes {
            let place = place.index(bytes.len());
            bytes[place] = *value;
        }
        bytes.truncate(cut.index(bytes.len() + 1).max(200));
        if let Ok(message) = Message::scan(&bytes) {
            // The scan has checked that every option is inside its field, so all can be read.
            prop_assert!(message.options().all(|each| each.is_ok()));
            let inside = message.options().flatten().map(|each| each.value.len() + 2).sum::<usize>();
            prop_assert!(inside <= bytes.len());
            prop_assert!(message.chaddr().len() <= 16);
            if let Some(info) = message.relay_info() {
                prop_assert!(relay::sub_options(info).count() <= info.len());
            }
        }
        for offset in 0..bytes.len() + 2 {
            prop_assert_eq!(matches!(FieldAt::new(&bytes, offset), FieldAt::Beyond { .. }), offset >= bytes.len());
        }
    }
}
