//! [`Arp`]: ARP requests and replies (RFC 826) for IPv4 on Ethernet.
//!
//! It must not depend on which addresses are ours.

use super::ethernet::{ETHERNET, EVERYBODY, Mac, TYPE_ARP};
use std::net::Ipv4Addr;

/// The length of a request or a reply, including the Ethernet header.
pub(super) const FRAME: usize = ETHERNET + LENGTH;

const LENGTH: usize = 28;
/// Ethernet, IPv4, and the lengths of their addresses.
const KIND: [u8; 6] = [0, 1, 0x08, 0x00, 6, 4];

/// A request or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arp {
    pub(super) answer: bool,
    pub(super) sender: (Mac, Ipv4Addr),
    /// The target. In a request, the hardware address has no meaning.
    pub(super) target: (Mac, Ipv4Addr),
}

impl Arp {
    /// The request of `sender` for the hardware address of `wanted`.
    pub(super) const fn question(sender: (Mac, Ipv4Addr), wanted: Ipv4Addr) -> Self {
        Self { answer: false, sender, target: ([0; 6], wanted) }
    }

    /// The reply to this request, which says that `mac` has the address.
    pub(super) const fn answered_by(self, mac: Mac) -> Self {
        Self { answer: true, sender: (mac, self.target.1), target: self.sender }
    }

    /// Reads the content of an Ethernet frame of this type.
    pub(super) fn read(packet: &[u8]) -> Option<Self> {
        let packet = packet.get(..LENGTH)?;
        let answer = match packet[6..8] {
            [0, 1] => false,
            [0, 2] => true,
            _ => return None,
        };
        let pair = |at: usize| -> Option<(Mac, Ipv4Addr)> {
            let ip: [u8; 4] = packet[at + 6..at + 10].try_into().ok()?;
            Some((packet[at..at + 6].try_into().ok()?, ip.into()))
        };
        (packet[..6] == KIND).then_some(Self { answer, sender: pair(8)?, target: pair(18)? })
    }

    /// The frame: a request is broadcast, a reply is sent to the host that asked.
    pub(super) fn frame(&self) -> [u8; FRAME] {
        let mut frame = [0; FRAME];
        frame[..6].copy_from_slice(if self.answer { &self.target.0 } else { &EVERYBODY });
        frame[6..12].copy_from_slice(&self.sender.0);
        frame[12..14].copy_from_slice(&TYPE_ARP);
        frame[14..20].copy_from_slice(&KIND);
        frame[21] = 1 + u8::from(self.answer);
        for (at, (mac, ip)) in [(22, self.sender), (32, self.target)] {
            frame[at..at + 6].copy_from_slice(&mac);
            frame[at + 6..at + 10].copy_from_slice(&ip.octets());
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::{Frame, Trust, read};
    use super::*;
    use proptest::prelude::*;

    const ASKER: (Mac, Ipv4Addr) = ([2, 0, 0, 0, 0, 9], Ipv4Addr::new(192, 0, 2, 9));

    #[test]
    fn arp_request_has_the_format_of_rfc_826() {
        let question = Arp::question(ASKER, Ipv4Addr::new(192, 0, 2, 1));
        let expected = [
            &[0xff; 6][..],
            &[2, 0, 0, 0, 0, 9, 0x08, 0x06],
            &[0, 1, 8, 0, 6, 4, 0, 1],
            &[2, 0, 0, 0, 0, 9, 192, 0, 2, 9],
            &[0, 0, 0, 0, 0, 0, 192, 0, 2, 1],
        ]
        .concat();
        assert_eq!(question.frame()[..], expected);
        assert_eq!(read(&expected, Trust::Checked), Some(Frame::Arp(question)));
    }

    #[test]
    fn arp_reply_goes_to_the_asker() {
        let mine = [2, 0, 0, 0, 0, 1];
        let answer = Arp::question(ASKER, Ipv4Addr::new(192, 0, 2, 1)).answered_by(mine);
        assert_eq!(answer.sender, (mine, Ipv4Addr::new(192, 0, 2, 1)));
        let frame = answer.frame();
        assert_eq!((&frame[..6], &frame[6..12], frame[21]), (&ASKER.0[..], &mine[..], 2));
        assert_eq!(read(&frame, Trust::Checked), Some(Frame::Arp(answer)));
    }

    #[test]
    fn arp_of_other_networks_and_operations_is_ignored() {
        let good = Arp::question(ASKER, ASKER.1).frame();
        for (at, value) in [(15, 6), (16, 0x86), (18, 8), (19, 16), (20, 1), (21, 3), (21, 0)] {
            let mut frame = good;
            frame[at] = value;
            assert_eq!(read(&frame, Trust::Checked), None, "octet {at}");
        }
        assert_eq!(Arp::read(&good[ETHERNET..FRAME - 1]), None);
    }

    proptest! {
        #[test]
        fn arp_parser_never_panics(packet in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Arp::read(&packet);
        }
    }
}
