//! Puts a DHCPv4 message together of whatever comes, and reads it again: nothing is lost or moved.

use brunt_dhcp_wire::dhcp4::{Draft, Header, Message, MessageType, option, patch};
use std::collections::BTreeMap;

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Some((head, mut rest)) = bytes.split_first_chunk::<12>() else { return };
    let kind = MessageType::ALL[usize::from(head[0]) % MessageType::ALL.len()];
    let mut draft = Draft::new(Header::request(), kind);
    let mut expected = BTreeMap::from([(option::MESSAGE_TYPE, vec![kind.byte()])]);
    // A code, a length that may pass 255, and a value.
    while let Some(([code, long, length], after)) = rest.split_first_chunk::<3>() {
        let length = usize::from(*length) + 256 * usize::from(*long & 1);
        let (value, after) = after.split_at(length.min(after.len()));
        rest = after;
        if [option::PAD, option::END, option::OVERLOAD].contains(code) {
            continue;
        }
        let grows = *code == option::PARAMETER_REQUEST_LIST;
        assert_eq!(draft.add(*code, value).is_ok(), grows || !expected.contains_key(code));
        let there = expected.entry(*code).or_default();
        if there.is_empty() && draft.option(*code) == Some(value) || grows {
            there.extend_from_slice(value);
        }
    }
    let mut packet = draft.to_bytes();
    patch::xid(&mut packet, u32::from_be_bytes([head[1], head[2], head[3], head[4]]));
    patch::secs(&mut packet, u16::from_be_bytes([head[5], head[6]]));
    patch::chaddr(&mut packet, &head[6..]);
    let message = Message::scan(&packet).expect("what was written can be read");
    assert_eq!((message.message_type(), message.chaddr()), (Some(kind), &head[6..]));
    let mut read = BTreeMap::<u8, Vec<u8>>::new();
    let mut codes = Vec::new();
    for each in message.options() {
        let each = each.expect("an option");
        read.entry(each.code).or_default().extend_from_slice(each.value);
        codes.push(each.code);
    }
    assert_eq!(read, expected);
    let rank = |code: &u8| match *code {
        option::MESSAGE_TYPE => 0,
        option::RELAY_INFO => 256,
        code => u16::from(code),
    };
    assert!(codes.iter().map(rank).is_sorted());
}
