//! Messages from the wire, decoded by a library that the program does not use, and compared with each other.

use brunt_testbed::Message;
use dhcproto::{Decodable, Decoder, v4, v6};

/// A DHCPv4 message.
pub(crate) fn decoded_v4(message: &Message) -> v4::Message {
    v4::Message::decode(&mut Decoder::new(&message.payload))
        .unwrap_or_else(|error| panic!("no DHCPv4 message: {error}: {:02x?}", message.payload))
}

/// A DHCPv6 message, taken out of its relay messages.
pub(crate) fn decoded_v6(message: &Message) -> v6::Message {
    let bytes = innermost(&message.payload);
    v6::Message::decode(&mut Decoder::new(bytes))
        .unwrap_or_else(|error| panic!("no DHCPv6 message: {error}: {:02x?}", message.payload))
}

/// The message within relay messages. Written out here, so that the test does not believe the program's own reader.
pub(crate) fn innermost(mut bytes: &[u8]) -> &[u8] {
    while matches!(bytes.first(), Some(12 | 13)) {
        let mut options = &bytes[34..];
        bytes = loop {
            let word = |at: usize| u16::from_be_bytes([options[at], options[at + 1]]);
            let (code, length) = (word(0), usize::from(word(2)));
            let content = &options[4..4 + length];
            if code == 9 {
                break content;
            }
            options = &options[4 + length..];
        };
    }
    bytes
}

/// The type of a DHCPv4 message, by option 53.
pub(crate) fn kind_v4(message: &Message) -> u8 {
    let decoded = decoded_v4(message);
    decoded.opts().msg_type().map_or(0, u8::from)
}

/// The messages that clients sent.
pub(crate) fn requested(messages: &[Message]) -> impl Iterator<Item = &Message> {
    messages.iter().filter(|message| message.from_client)
}

/// The messages that the server sent.
pub(crate) fn answered(messages: &[Message]) -> impl Iterator<Item = &Message> {
    messages.iter().filter(|message| !message.from_client)
}

/// Panics unless two tools had the same conversation: the same octets from and to the same places in the same order,
/// once `blank` has taken out of each what cannot be the same twice.
pub(crate) fn assert_same(old: &[Message], ours: &[Message], mut blank: impl FnMut(&mut Message)) {
    let mut blanked = |messages: &[Message]| {
        let mut messages = messages.to_vec();
        messages.iter_mut().for_each(&mut blank);
        messages
    };
    let (old, ours) = (blanked(old), blanked(ours));
    for (number, (old, ours)) in old.iter().zip(&ours).enumerate() {
        assert!(
            old == ours,
            "message {number} differs\nold:  {}\nours: {}",
            shown(old),
            shown(ours)
        );
    }
    let rest = |messages: &[Message], from: usize| -> String {
        messages.iter().skip(from).map(|message| shown(message) + "\n").collect()
    };
    let (more, less) = (rest(&old, ours.len()), rest(&ours, old.len()));
    assert_eq!(old.len(), ours.len(), "only the old tool's:\n{more}\nonly ours:\n{less}");
}

fn shown(message: &Message) -> String {
    let Message { source, destination, payload, .. } = message;
    let port = destination.port().min(source.port());
    let decoded = if port < 500 {
        format!("{:?}", v4::Message::decode(&mut Decoder::new(payload)))
    } else {
        format!("{:?}", v6::Message::decode(&mut Decoder::new(innermost(payload))))
    };
    format!("{source} -> {destination} {payload:02x?}\n      {decoded}")
}
