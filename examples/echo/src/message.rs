//! The bytes of a datagram: the number of a message, by which its echo is recognised, and that of the exchange.

/// How long a datagram is.
const LEN: usize = 12;

/// A datagram.
pub(crate) type Message = [u8; LEN];

/// The datagram of a message.
pub(crate) fn encode(id: u32, exchange: u64) -> Message {
    let mut bytes = [0; LEN];
    let (head, rest) = bytes.split_at_mut(4);
    head.copy_from_slice(&id.to_be_bytes());
    rest.copy_from_slice(&exchange.to_be_bytes());
    bytes
}

/// The number of the message whose echo this is; none if it is no echo of ours.
pub(crate) fn decode(bytes: &[u8]) -> Option<u32> {
    let (id, rest) = bytes.split_first_chunk()?;
    (rest.len() == LEN - 4).then(|| u32::from_be_bytes(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn echo_is_recognized() {
        assert_eq!(decode(&encode(7, u64::MAX)), Some(7));
        for foreign in [&b""[..], b"abc", &[0; LEN - 1], &[0; LEN + 1]] {
            assert_eq!(decode(foreign), None, "{foreign:?}");
        }
    }
}
