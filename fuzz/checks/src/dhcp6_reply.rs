//! Takes a DHCPv6 datagram out of its relay messages and reads every part of it. What can be read
//! can be written, and is the same then.

use brunt_dhcp_wire::dhcp6::relay::{self, DEPTH_MAX, unwrap};
use brunt_dhcp_wire::dhcp6::{
    Duid, IaKind, Message, MessageType, Relay, RelayNesting, Writer, code,
};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Ok(unwrapped) = unwrap(bytes) else {
        let _ = (Relay::parse(bytes), RelayNesting::answering(bytes, &mut Vec::new()));
        return;
    };
    let message = unwrapped.message;
    assert!(unwrapped.depth <= DEPTH_MAX && unwrapped.nearest.is_some() == (unwrapped.depth > 0));
    let mut out = Vec::new();
    let mut writer = Writer::message(&mut out, message.kind(), message.xid());
    for option in message.options() {
        writer.option(option.code, option.data);
    }
    assert_eq!(out, message.bytes());
    assert_eq!(Message::parse(&out).map(|again| again.bytes().len()), Ok(out.len()));
    read(&message);
    answer(bytes, &message);
}

fn read(message: &Message<'_>) {
    let _ = (message.status(), message.preference(), message.elapsed(), message.rapid_commit());
    assert!(message.requested().count() <= message.bytes().len() / 2);
    for id in [message.client_id(), message.server_id()].into_iter().flatten() {
        assert_eq!(
            Duid::new(id).map(|duid| duid.octets() == id),
            (1..=130).contains(&id.len()).then_some(true)
        );
    }
    for ia in message.associations().flatten() {
        let _ = ia.status();
        assert_eq!(ia.kind.code(), ia.option.code);
        for lease in ia.leases().flatten() {
            assert!(lease.bits <= 128 && (ia.kind == IaKind::Pd || lease.bits == 128));
            let _ = lease.status();
        }
    }
}

/// An answer goes back through the relay agents that the datagram came through.
fn answer(bytes: &[u8], message: &Message<'_>) {
    let mut out = Vec::new();
    let nest = RelayNesting::answering(bytes, &mut out).expect("a datagram that can be unwrapped");
    out.extend_from_slice(message.bytes());
    nest.close(&mut out);
    let again = unwrap(&out).expect("an answer is shorter than what it answers");
    assert_eq!(again.message.bytes(), message.bytes());
    let (mut there, mut back) = (bytes, &out[..]);
    while let Ok(relay) = Relay::parse(there) {
        let reply = Relay::parse(back).expect("as many levels back as there");
        assert_eq!((reply.kind, reply.hops), (MessageType::RELAY_REPL, relay.hops));
        assert_eq!((reply.link, reply.peer), (relay.link, relay.peer));
        let id =
            |relay: &Relay<'_>| relay.options.find(code::INTERFACE_ID).map(|it| it.data.to_vec());
        assert_eq!(id(&reply), id(&relay));
        (there, back) = (relay.message, reply.message);
    }
    let mut empty = Vec::new();
    relay::header(MessageType::RELAY_FORW, 0, [0; 16].into(), [0; 16].into(), &mut empty);
    assert_eq!(empty.len(), relay::HEADER_LENGTH);
}
