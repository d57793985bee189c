//! The minimal client: ten connections, one thread, epoll, prepared bytes, no clock and no counts.
//!
//! Its cost for an operation is that of the kernel for a request and an answer, and so the lower bound for every
//! correct generator. Its bytes are made here, by hand, independently of brunt's own codec.

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, user_dn};
use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::ExitCode;

use crate::contender::{CONNECTIONS, USERS};

/// Keeps at it until it is killed. The operation is a word of [`crate::contender::Operation`].
#[expect(clippy::print_stderr, reason = "whoever started the client wants to know why it ended")]
pub(crate) fn main(operation: &str, port: &str) -> ExitCode {
    let Ok(port) = port.parse() else {
        eprintln!("failed to read the port {port}: not a number below 65536");
        return ExitCode::from(2);
    };
    match play(operation, port) {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("failed to go on: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play(operation: &str, port: u16) -> std::io::Result<std::convert::Infallible> {
    let requests: Vec<Vec<u8>> = (0..USERS).map(|number| request(operation, number)).collect();
    let count: usize = CONNECTIONS.parse().expect("the number of connections is a number");
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut connections = Vec::with_capacity(count);
    for index in 0..count {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        if operation != "bind" {
            log_in(&mut stream)?;
        }
        let data = epoll::EventData::new_u64(index as u64);
        epoll::add(&poll, &stream, data, epoll::EventFlags::IN)?;
        connections.push(stream);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for stream in &mut connections {
        stream.write_all(&requests[draw(&mut random)])?;
    }
    let mut events = Vec::with_capacity(count);
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        events.clear();
        epoll::wait(&poll, spare_capacity(&mut events), None)?;
        for event in &events {
            let stream = &mut connections[event.data.u64() as usize];
            // Small answers come in one piece, so no half of one is ever kept.
            let length = stream.read(&mut buffer)?;
            if is_done(&buffer[..length])? {
                stream.write_all(&requests[draw(&mut random)])?;
            }
        }
    }
}

/// The next user: xorshift, which costs nothing beside a system call.
fn draw(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % USERS as u64) as usize
}

fn log_in(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(&bind(ADMIN_DN))?;
    let mut buffer = [0_u8; 1024];
    let length = stream.read(&mut buffer)?;
    is_done(&buffer[..length]).map(|_| ())
}

/// Whether the last message of `bytes` ends an operation. An answer that is not success is an error: a refusal is
/// cheaper for the server and would distort the comparison.
fn is_done(mut bytes: &[u8]) -> std::io::Result<bool> {
    let broken = |what: &str| std::io::Error::other(format!("the server sent {what}"));
    let mut done = false;
    while !bytes.is_empty() {
        let (0x30, message, rest) = element(bytes).ok_or_else(|| broken("half a message"))? else {
            return Err(broken("no message"));
        };
        bytes = rest;
        let (_, _, operation) =
            element(message).ok_or_else(|| broken("a message without an id"))?;
        let (tag, body, _) =
            element(operation).ok_or_else(|| broken("a message without an operation"))?;
        // All but a search entry and a search reference end an operation and begin with its result.
        if tag != 0x64 && tag != 0x73 {
            let (_, code, _) = element(body).ok_or_else(|| broken("an answer without a result"))?;
            if code != [0] {
                return Err(broken(&format!("result {code:?}")));
            }
            done = true;
        }
    }
    Ok(done)
}

/// Splits off the first BER element: its tag, its content, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// The request about user `number`, under message id 2.
fn request(operation: &str, number: usize) -> Vec<u8> {
    let dn = user_dn(number);
    match operation {
        "bind" => bind(&dn),
        "search" => {
            let filter = tagged(
                0xa3,
                &[tagged(0x04, &[b"uid".into()]), tagged(0x04, &[format!("user.{number}").into()])],
            );
            let body = [
                tagged(0x04, &[BASE_DN.into()]),
                // Whole subtree, never dereference, no limits, values too; the filter; every attribute.
                vec![0x0a, 1, 2, 0x0a, 1, 0, 0x02, 1, 0, 0x02, 1, 0, 0x01, 1, 0],
                filter,
                tagged(0x30, &[]),
            ];
            message(0x63, &body)
        }
        _ => {
            let value = tagged(0x04, &[format!("{number:016}").into()]);
            let change = [tagged(0x04, &[b"description".into()]), tagged(0x31, &[value])];
            let replace = tagged(0x30, &[vec![0x0a, 1, 2], tagged(0x30, &change)]);
            message(0x66, &[tagged(0x04, &[dn.into()]), tagged(0x30, &[replace])])
        }
    }
}

fn bind(dn: &str) -> Vec<u8> {
    message(0x60, &[vec![0x02, 1, 3], tagged(0x04, &[dn.into()]), tagged(0x80, &[PASSWORD.into()])])
}

fn message(tag: u8, body: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &[vec![0x02, 1, 2], tagged(tag, body)])
}

fn tagged(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let mut element = vec![tag];
    match u8::try_from(content.len()) {
        Ok(length) if length < 0x80 => element.push(length),
        Ok(length) => element.extend([0x81, length]),
        Err(_) => {
            let length = u16::try_from(content.len()).expect("requests of the bench are short");
            element.push(0x82);
            element.extend(length.to_be_bytes());
        }
    }
    element.extend(content);
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bind_request_follows_rfc_4511() {
        let bytes = message(
            0x60,
            &[vec![0x02, 1, 3], tagged(0x04, &["cn=a".into()]), tagged(0x80, &["pw".into()])],
        );
        assert_eq!(bytes, b"\x30\x12\x02\x01\x02\x60\x0d\x02\x01\x03\x04\x04cn=a\x80\x02pw");
    }

    #[test]
    fn search_ends_only_with_its_result() {
        let entry = message(0x64, &[tagged(0x04, &["cn=a".into()]), tagged(0x30, &[])]);
        let result =
            |code: u8| message(0x65, &[vec![0x0a, 1, code], tagged(0x04, &[]), tagged(0x04, &[])]);
        assert!(!is_done(&entry).unwrap());
        assert!(is_done(&[entry, result(0)].concat()).unwrap());
        assert!(is_done(&result(32)).is_err());
        assert!(is_done(&result(0)[..5]).is_err());
    }

    #[test]
    fn long_elements_have_long_lengths() {
        for length in [127, 128, 255, 256, 4_000] {
            let bytes = tagged(0x04, &[vec![7; length]]);
            let (tag, content, rest) = element(&bytes).unwrap();
            assert_eq!((tag, content.len(), rest.len()), (4, length, 0));
        }
    }
}
