//! The minimal client: one thread that waits for its socket or for the next exchange to become due, with prepared bytes
//! and without histograms.
//!
//! Its cost for an exchange is that of the kernel for four datagrams and for waiting between them at that rate, and so
//! the lower bound for every correct generator. Its bytes are made here, by hand, independently of brunt's own codec.

use brunt_testbed::Lan;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::UdpSocket;
use std::process::ExitCode;
use std::time::Duration;

use brunt_bench_tool::stopwatch;

const SERVER_PORT: u16 = 67;
/// Where a relay's own header ends and the options begin.
const OPTIONS: usize = 240;
const MESSAGE_TYPE: u8 = 53;
const SERVER_ID: u8 = 54;
const DISCOVER: u8 = 1;
const OFFER: u8 = 2;
const REQUEST: u8 = 3;
const ACK: u8 = 5;

/// How many of what there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    discovers: u64,
    offers: u64,
    requests: u64,
    acks: u64,
}

/// Keeps to a rate for so many seconds and prints its counts as the other tools do.
#[expect(clippy::print_stdout, reason = "whoever started the client reads its counts")]
#[expect(clippy::print_stderr, reason = "whoever started the client wants to know why it ended")]
pub(crate) fn main(words: &[&str]) -> ExitCode {
    let ["-r", rate, "-p", seconds] = words else {
        eprintln!("usage: bench-dhcp bare -r RATE -p SECONDS");
        return ExitCode::from(2);
    };
    let (Ok(rate), Ok(seconds)) = (rate.parse(), seconds.parse()) else {
        eprintln!("failed to read {rate} or {seconds}: not a whole number");
        return ExitCode::from(2);
    };
    match play(rate, Duration::from_secs(seconds)) {
        Ok(Counts { discovers, offers, requests, acks }) => {
            println!("***Statistics for: DISCOVER-OFFER***");
            println!("sent packets: {discovers}\nreceived packets: {offers}\n");
            println!("***Statistics for: REQUEST-ACK***");
            println!("sent packets: {requests}\nreceived packets: {acks}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("failed to go on: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play(rate: u64, lasting: Duration) -> std::io::Result<Counts> {
    let socket = UdpSocket::bind((Lan::CLIENT_V4, SERVER_PORT))?;
    socket.set_nonblocking(true)?;
    let clients: u64 = crate::contender::CLIENTS.parse().expect("the clients are a number");
    let last = rate * lasting.as_secs();
    let clock = stopwatch();
    let mut counts = Counts::default();
    let mut message = discover();
    let mut answer = [0_u8; 1024];
    // What is under way when the last has begun gets a moment more.
    let end = lasting + Duration::from_millis(100);
    loop {
        let now = clock();
        let due = Duration::from_nanos(counts.discovers * 1_000_000_000 / rate);
        if counts.discovers < last && due <= now {
            address_to(&mut message, counts.discovers, counts.discovers % clients);
            socket.send_to(&message, (Lan::SERVER_V4, SERVER_PORT))?;
            counts.discovers += 1;
            continue;
        }
        if now >= end {
            return Ok(counts);
        }
        let until = if counts.discovers < last { due } else { end };
        wait(&socket, until.saturating_sub(now))?;
        while let Ok(length) = socket.recv(&mut answer) {
            match kind(&answer[..length]) {
                Some(OFFER) => {
                    counts.offers += 1;
                    if let Some(request) = request(&answer[..length]) {
                        socket.send_to(&request, (Lan::SERVER_V4, SERVER_PORT))?;
                        counts.requests += 1;
                    }
                }
                Some(ACK) => counts.acks += 1,
                _ => {}
            }
        }
    }
}

fn wait(socket: &UdpSocket, most: Duration) -> std::io::Result<()> {
    let most =
        Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: most.subsec_nanos().into() };
    poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&most))?;
    Ok(())
}

/// A DHCPDISCOVER as a relay passes it on, but for its transaction and its client.
fn discover() -> Vec<u8> {
    let mut message = vec![0; OPTIONS];
    // A request, over Ethernet, by way of one relay.
    message[..4].copy_from_slice(&[1, 1, 6, 1]);
    message[24..28].copy_from_slice(&Lan::CLIENT_V4.octets());
    message[236..].copy_from_slice(&[99, 130, 83, 99]);
    message.extend([MESSAGE_TYPE, 1, DISCOVER, 55, 3, 1, 3, 6, 255]);
    message
}

fn address_to(message: &mut [u8], xid: u64, client: u64) {
    message[4..8].copy_from_slice(&(xid as u32).to_be_bytes());
    // An unused address, so that it matches no client of the other tools.
    message[28..30].copy_from_slice(&[2, 0x0b]);
    message[30..34].copy_from_slice(&(client as u32).to_be_bytes());
}

/// The DHCPREQUEST that accepts an offer.
fn request(offer: &[u8]) -> Option<Vec<u8>> {
    let server = option(offer, SERVER_ID)?;
    let mut message = offer.get(..OPTIONS)?.to_vec();
    message[0] = 1;
    message[3] = 1;
    message[16..20].fill(0);
    message.extend([MESSAGE_TYPE, 1, REQUEST, 50, 4]);
    message.extend(offer.get(16..20)?);
    message.extend([SERVER_ID, 4]);
    message.extend(server);
    message.push(255);
    Some(message)
}

fn kind(message: &[u8]) -> Option<u8> {
    option(message, MESSAGE_TYPE)?.first().copied()
}

/// The value of an option.
fn option(message: &[u8], wanted: u8) -> Option<&[u8]> {
    let mut rest = message.get(OPTIONS..)?;
    loop {
        match rest {
            [0, more @ ..] => rest = more,
            [255, ..] | [] | [_] => return None,
            [code, length, more @ ..] => {
                let (value, more) = more.split_at_checked(usize::from(*length))?;
                if *code == wanted {
                    return Some(value);
                }
                rest = more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offer_is_answered_by_a_matching_request() {
        let mut offer = discover();
        address_to(&mut offer, 0x0102_0304, 7);
        offer[0] = 2;
        offer[16..20].copy_from_slice(&[10, 77, 1, 5]);
        offer.truncate(OPTIONS);
        offer.extend([0, 53, 1, 2, 54, 4, 10, 77, 0, 1, 255]);
        assert_eq!(kind(&offer), Some(OFFER));
        let request = request(&offer).unwrap();
        assert_eq!(request[..8], [1, 1, 6, 1, 1, 2, 3, 4]);
        assert_eq!(request[16..20], [0; 4], "the offered address goes into an option");
        assert_eq!(request[28..34], [2, 0x0b, 0, 0, 0, 7]);
        assert_eq!(kind(&request), Some(REQUEST));
        assert_eq!(option(&request, 50), Some([10, 77, 1, 5].as_slice()));
        assert_eq!(option(&request, SERVER_ID), Some([10, 77, 0, 1].as_slice()));
    }

    #[test]
    fn broken_options_are_ignored() {
        let mut message = discover();
        assert_eq!(kind(&message[..OPTIONS]), None);
        message.truncate(OPTIONS);
        message.extend([54, 200, 1]);
        assert_eq!(option(&message, SERVER_ID), None);
        assert_eq!(request(&message), None);
    }
}
