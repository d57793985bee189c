//! Ethernet frames that contain a UDP datagram over IPv4 (RFC 894, RFC 791, RFC 768), written and read.
//!
//! All lengths in a frame are checked against its bytes; a frame that is not for us, incomplete or damaged is ignored.
//! It must not depend on the content of the datagram.

use super::arp::Arp;
use super::ethernet::{ETHERNET, Mac, TYPE_ARP, TYPE_IPV4};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The length of the headers before the payload: 14 octets of Ethernet, 20 of IPv4, 8 of UDP.
pub(super) const HEADERS: usize = ETHERNET + IPV4 + UDP;

pub(super) const IPV4: usize = 20;
const UDP: usize = 8;
const PROTOCOL_UDP: u8 = 17;
const DONT_FRAGMENT: u16 = 0x4000;
/// The bits for more fragments and the offset: none of them may be set.
const FRAGMENT: u16 = 0x3fff;
const TTL: u8 = 64;

/// One end of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) mac: Mac,
    pub(super) socket: SocketAddrV4,
}

/// How far a frame is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// It is complete, and its UDP checksum must be correct.
    Checked,
    /// It is complete, and comes from this host, which left the UDP checksum to the network card.
    Unchecked,
    /// Its end is missing.
    Cut,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A datagram, with the position and the length of its payload in the frame.
    Datagram { source: End, destination: End, start: usize, length: usize },
    /// An ARP request or reply.
    Arp(Arp),
}

/// Writes a frame into `out` and returns its length; `None` if it does not fit. `class` is the second octet of the IP
/// header, which says how networks treat it.
pub(super) fn write(
    out: &mut [u8],
    source: &End,
    destination: &End,
    class: u8,
    payload: &[u8],
) -> Option<usize> {
    let length = HEADERS + payload.len();
    let total = u16::try_from(IPV4 + UDP + payload.len()).ok()?;
    let frame = out.get_mut(..length)?;
    let (headers, body) = frame.split_at_mut(HEADERS);
    body.copy_from_slice(payload);
    let (ethernet, rest) = headers.split_at_mut(ETHERNET);
    ethernet[..6].copy_from_slice(&destination.mac);
    ethernet[6..12].copy_from_slice(&source.mac);
    ethernet[12..].copy_from_slice(&TYPE_IPV4);
    let (ip, udp) = rest.split_at_mut(IPV4);
    ip[..2].copy_from_slice(&[0x45, class]);
    ip[2..4].copy_from_slice(&total.to_be_bytes());
    // A packet that is not fragmented needs no identification (RFC 6864 section 4.1).
    ip[4..6].copy_from_slice(&[0; 2]);
    ip[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
    ip[8..12].copy_from_slice(&[TTL, PROTOCOL_UDP, 0, 0]);
    ip[12..16].copy_from_slice(&source.socket.ip().octets());
    ip[16..].copy_from_slice(&destination.socket.ip().octets());
    let sum = checksum(&[ip]);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let udp_length = total - IPV4 as u16;
    udp[..2].copy_from_slice(&source.socket.port().to_be_bytes());
    udp[2..4].copy_from_slice(&destination.socket.port().to_be_bytes());
    udp[4..6].copy_from_slice(&udp_length.to_be_bytes());
    udp[6..].copy_from_slice(&[0; 2]);
    let sum = checksum(&[&pseudo_header(ip, udp_length), udp, body]);
    // Zero would mean that there is no checksum; in ones' complement, all ones are zero as well (RFC 768).
    let sum = if sum == 0 { 0xffff } else { sum };
    udp[6..].copy_from_slice(&sum.to_be_bytes());
    Some(length)
}

/// Reads a frame. If it is cut, the payload is the part that is present.
pub(super) fn read(frame: &[u8], trust: Trust) -> Option<Frame> {
    let (ethernet, packet) = frame.split_at_checked(ETHERNET)?;
    let (destination, source) = (ethernet[..6].try_into().ok()?, ethernet[6..12].try_into().ok()?);
    if ethernet[12..] == TYPE_ARP {
        return Arp::read(packet).map(Frame::Arp);
    }
    if ethernet[12..] != TYPE_IPV4 {
        return None;
    }
    let first = *packet.first()?;
    let header = usize::from(first & 0x0f) * 4;
    let ip = packet.get(..header)?;
    let total = usize::from(word(ip, 2)?);
    let whole = trust != Trust::Cut;
    let ours = first >> 4 == 4
        && header >= IPV4
        && checksum(&[ip]) == 0
        && word(ip, 6)? & FRAGMENT == 0
        && ip[9] == PROTOCOL_UDP
        && total >= header + UDP
        && (!whole || total <= packet.len());
    if !ours {
        return None;
    }
    let segment = &packet[header..total.min(packet.len())];
    let (udp, rest) = segment.split_at_checked(UDP)?;
    let reported = word(udp, 4)?;
    let length = usize::from(reported).checked_sub(UDP)?;
    if whole && (length > rest.len() || !sums_up(ip, reported, udp, &rest[..length], trust)) {
        return None;
    }
    let end = |mac, at, port| {
        Some(End { mac, socket: SocketAddrV4::new(address(ip, at)?, word(udp, port)?) })
    };
    Some(Frame::Datagram {
        source: end(source, 12, 0)?,
        destination: end(destination, 16, 2)?,
        start: ETHERNET + header + UDP,
        length: length.min(rest.len()),
    })
}

fn sums_up(ip: &[u8], length: u16, udp: &[u8], body: &[u8], trust: Trust) -> bool {
    trust == Trust::Unchecked
        || udp[6..] == [0; 2]
        || checksum(&[&pseudo_header(ip, length), udp, body]) == 0
}

/// The pseudo header, which the UDP checksum covers in addition to the datagram (RFC 768).
fn pseudo_header(ip: &[u8], length: u16) -> [u8; 12] {
    let mut header = [0; 12];
    header[..8].copy_from_slice(&ip[12..20]);
    header[9] = PROTOCOL_UDP;
    header[10..].copy_from_slice(&length.to_be_bytes());
    header
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}

fn address(bytes: &[u8], at: usize) -> Option<Ipv4Addr> {
    let octets: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(octets.into())
}

/// The ones' complement sum of all words, complemented. Over data that contains a correct checksum, it is 0.
pub(super) fn checksum(pieces: &[&[u8]]) -> u16 {
    let mut sum: u64 = 0;
    for piece in pieces {
        let (words, rest) = piece.as_chunks::<2>();
        sum += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        sum += rest.first().map_or(0, |byte| u64::from(*byte) << 8);
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::super::ethernet::EVERYBODY;
    use super::*;
    use proptest::prelude::*;

    const CLIENT: End =
        End { mac: [2, 0, 0, 0, 0, 1], socket: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 68) };
    const SERVER: End = End { mac: EVERYBODY, socket: SocketAddrV4::new(Ipv4Addr::BROADCAST, 67) };

    fn written(payload: &[u8]) -> Vec<u8> {
        marked(0, payload)
    }

    fn marked(class: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = vec![0xaa; 4096];
        let length = write(&mut out, &CLIENT, &SERVER, class, payload).unwrap();
        out.truncate(length);
        out
    }

    #[test]
    fn frame_has_the_format_of_the_rfcs() {
        // The sums computed by hand: 4500 + 001e + 4000 + 4011 + ffff + ffff = 2c52d -> c52f -> complement 3ad0, and
        // for UDP ffff + ffff + 0011 + 000a + 0044 + 0043 + 000a + 6869 = 26913 -> 6915 -> complement 96ea.
        let expected = [
            &[0xff; 6][..],
            &[2, 0, 0, 0, 0, 1, 0x08, 0x00],
            &[0x45, 0, 0, 0x1e, 0, 0, 0x40, 0, 64, 17, 0x3a, 0xd0, 0, 0, 0, 0, 255, 255, 255, 255],
            &[0, 68, 0, 67, 0, 10, 0x96, 0xea],
            b"hi",
        ]
        .concat();
        assert_eq!(written(b"hi"), expected);
    }

    #[test]
    fn frame_carries_the_dscp_of_its_run() {
        let (plain, marked) = (written(b"hi"), marked(0xb8, b"hi"));
        let differ: Vec<usize> = (0..plain.len()).filter(|at| plain[*at] != marked[*at]).collect();
        // The second octet of the IP header, and its checksum.
        assert_eq!(differ, [ETHERNET + 1, ETHERNET + 11]);
        assert_eq!((marked[ETHERNET + 1], read(&marked, Trust::Checked).is_some()), (0xb8, true));
    }

    #[test]
    fn frame_round_trips() {
        for length in [0, 1, 2, 300, 1472] {
            let frame = written(&vec![7; length]);
            let whole =
                Frame::Datagram { source: CLIENT, destination: SERVER, start: HEADERS, length };
            assert_eq!(read(&frame, Trust::Checked), Some(whole));
            // Ethernet pads frames that are shorter than 60 octets.
            assert_eq!(read(&[&frame[..], &[0; 60]].concat(), Trust::Checked), Some(whole));
        }
        assert_eq!(write(&mut [0; 100], &CLIENT, &SERVER, 0, &[0; 59]), None);
        assert_eq!(write(&mut vec![0; 70_000], &CLIENT, &SERVER, 0, &vec![0; 65_508]), None);
    }

    #[test]
    fn frame_checksum_is_verified_if_present() {
        let mut frame = written(b"payload");
        frame[HEADERS] ^= 1;
        assert_eq!(read(&frame, Trust::Checked), None);
        assert!(read(&frame, Trust::Unchecked).is_some());
        frame[HEADERS - 2..HEADERS].fill(0);
        assert!(read(&frame, Trust::Checked).is_some(), "no checksum at all");
        frame[ETHERNET + 8] -= 1;
        assert_eq!(read(&frame, Trust::Unchecked), None, "the header's always counts");
    }

    #[test]
    fn frame_with_a_wrong_bit_is_rejected() {
        // Ethernet has its own checksum, which the network card handles.
        let frame = written(b"some payload");
        for bit in ETHERNET * 8..frame.len() * 8 {
            let mut damaged = frame.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&damaged, Trust::Checked), None, "bit {bit}");
        }
    }

    #[test]
    fn frame_fragments_and_other_protocols_are_ignored() {
        for (at, value) in [(6, 0x20), (7, 0x01), (9, 6)] {
            let mut frame = written(b"x");
            frame[ETHERNET + at] = value;
            frame[ETHERNET + 10..ETHERNET + 12].fill(0);
            let sum = checksum(&[&frame[ETHERNET..ETHERNET + 20]]);
            frame[ETHERNET + 10..ETHERNET + 12].copy_from_slice(&sum.to_be_bytes());
            assert_eq!(read(&frame, Trust::Unchecked), None, "octet {at}");
        }
    }

    #[test]
    fn frame_ip_options_are_skipped() {
        let plain = written(b"after options");
        let mut frame = plain[..ETHERNET + 20].to_vec();
        frame.extend([1; 8]);
        frame.extend(&plain[ETHERNET + 20..]);
        frame[ETHERNET] = 0x47;
        frame[ETHERNET + 3] += 8;
        frame[ETHERNET + 10..ETHERNET + 12].fill(0);
        let sum = checksum(&[&frame[ETHERNET..ETHERNET + 28]]);
        frame[ETHERNET + 10..ETHERNET + 12].copy_from_slice(&sum.to_be_bytes());
        let Some(Frame::Datagram { start, length, .. }) = read(&frame, Trust::Checked) else {
            panic!("not read");
        };
        assert_eq!(&frame[start..start + length], b"after options");
    }

    #[test]
    fn frame_cut_short_is_read_partially() {
        let frame = written(&[5; 400]);
        let Some(Frame::Datagram { start, length, .. }) = read(&frame[..200], Trust::Cut) else {
            panic!("not read");
        };
        assert_eq!((start, length), (HEADERS, 200 - HEADERS));
        assert_eq!(read(&frame[..200], Trust::Checked), None);
        assert_eq!(read(&frame[..HEADERS - 1], Trust::Cut), None);
    }

    proptest! {
        #[test]
        fn frame_payload_round_trips(payload in proptest::collection::vec(any::<u8>(), 0..600)) {
            let frame = written(&payload);
            let Some(Frame::Datagram { start, length, .. }) = read(&frame, Trust::Checked) else {
                panic!("not read");
            };
            prop_assert_eq!(&frame[start..start + length], &payload[..]);
        }

        #[test]
        fn frame_parser_never_panics_or_overreads(
            mut frame in proptest::collection::vec(any::<u8>(), 0..200),
            likely in any::<bool>(),
            trust in prop_oneof![Just(Trust::Checked), Just(Trust::Unchecked), Just(Trust::Cut)],
        ) {
            if likely && frame.len() > ETHERNET + 20 {
                frame[12..14].copy_from_slice(&TYPE_IPV4);
                frame[ETHERNET] = 0x40 | frame[ETHERNET] & 0x07;
                frame[ETHERNET + 2] = 0;
                frame[ETHERNET + 6..ETHERNET + 8].fill(0);
                frame[ETHERNET + 9] = PROTOCOL_UDP;
                let header = usize::from(frame[ETHERNET] & 0x0f) * 4;
                if let Some(ip) = frame.get_mut(ETHERNET..ETHERNET + header).filter(|ip| ip.len() >= 20) {
                    ip[10..12].fill(0);
                    let sum = checksum(&[ip]);
                    ip[10..12].copy_from_slice(&sum.to_be_bytes());
                }
            }
            if let Some(Frame::Datagram { start, length, .. }) = read(&frame, trust) {
                prop_assert!(frame.get(start..start + length).is_some());
            }
        }
    }

    #[test]
    fn checksum_of_the_rfc_1071_example() {
        // Section 3: 0001 f203 f4f5 f6f7 sum up to ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(&[&bytes]), !0xddf2);
        assert_eq!(checksum(&[&bytes[..2], &bytes[2..]]), !0xddf2);
        assert_eq!(checksum(&[&bytes, &[0x22, 0x0d]]), 0);
    }

    #[test]
    fn checksum_pads_an_odd_end_with_zero() {
        assert_eq!(checksum(&[&[0x12]]), !0x1200);
        assert_eq!(checksum(&[]), 0xffff);
        assert_eq!(checksum(&[&vec![0xff; 65_536]]), 0);
    }
}
