//! [`Numbered`]: servers of HTTP, LDAP and DHCP whose answer to an exchange, and its delay, follow only from the number
//! of the exchange: the same exchanges get the same answers, from any sender and in any order.
//!
//! The number is part of the request: a path `/n/17`, a filter `(uid=n.17.)`, a hardware address. The servers are
//! minimal and have their own decoders, so that what they saw is independent of brunt.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How long answers take, so far apart that nothing a busy machine does makes one look like another, nor two of the
/// second, one after the other, like one of the third.
pub(crate) const WAITS: [Duration; 3] =
    [Duration::ZERO, Duration::from_secs(2), Duration::from_secs(6)];

/// What becomes of an exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// Which of the [`WAITS`] it takes.
    pub(crate) wait: usize,
    /// Whether it is refused: 503, busy, a NAK.
    pub(crate) refused: bool,
}

/// What becomes of the exchange of this number.
pub(crate) const fn answer(number: u64) -> Answer {
    // No number of nodes divides 23, so that each of them has some of all kinds.
    let (wait, refused) = match number % 23 {
        3 => (0, true),
        7 | 20 => (1, false),
        13 => (2, false),
        17 => (1, true),
        _ => (0, false),
    };
    Answer { wait, refused }
}

/// What a server was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RequestKind {
    Get,
    Search,
    Discover,
    Request,
}

/// What a server was asked for, with the numbers, in the order of arrival.
type Log = Arc<Mutex<Vec<(RequestKind, u64)>>>;

/// A server.
pub(crate) struct Numbered {
    pub(crate) address: SocketAddr,
    log: Log,
    over: Arc<AtomicBool>,
}

impl Numbered {
    pub(crate) fn http() -> Self {
        Self::tcp(serve_http)
    }

    pub(crate) fn ldap() -> Self {
        Self::tcp(serve_ldap)
    }

    fn tcp(serve: fn(TcpStream, &Log) -> io::Result<()>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let server = Self::at(listener.local_addr().expect("it is bound"));
        let (log, over) = (Arc::clone(&server.log), Arc::clone(&server.over));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let log = Arc::clone(&log);
                // It ends with the connection, however that ends.
                thread::spawn(move || serve(stream, &log));
            }
        });
        server
    }

    /// A DHCPv4 server at a socket, which may be of another host. It answers to where a message came from.
    pub(crate) fn dhcp(socket: UdpSocket) -> Self {
        let server = Self::at(socket.local_addr().expect("it is bound"));
        let (log, over) = (Arc::clone(&server.log), Arc::clone(&server.over));
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
        thread::spawn(move || serve_dhcp(&socket, &log, &over));
        server
    }

    fn at(address: SocketAddr) -> Self {
        Self { address, log: Log::default(), over: Arc::default() }
    }

    /// What it was asked for so far, sorted.
    pub(crate) fn requested(&self) -> Vec<(RequestKind, u64)> {
        let mut requested = self.log.lock().expect("nobody panics").clone();
        requested.sort_unstable();
        requested
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if self.address.ip().is_loopback() {
            // Whoever waits for a connection looks up.
            let _ = TcpStream::connect(self.address);
        }
    }
}

/// Notes what was asked, and waits until it may be answered.
fn answered(log: &Log, requested: RequestKind, number: u64) -> Answer {
    log.lock().expect("nobody panics").push((requested, number));
    let answer = answer(number);
    pause(WAITS[answer.wait]);
    answer
}

#[expect(clippy::disallowed_methods, reason = "the server takes its time")]
fn pause(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}

/// The number that follows `before`.
fn number(text: &[u8], before: &[u8]) -> Option<u64> {
    let at = text.windows(before.len()).position(|window| window == before)? + before.len();
    let digits: Vec<u8> = text[at..].iter().copied().take_while(u8::is_ascii_digit).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

fn foreign() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

fn serve_http(mut stream: TcpStream, log: &Log) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let number = number(head.as_bytes(), b"GET /n/").ok_or_else(foreign)?;
        let answer = answered(log, RequestKind::Get, number);
        let status = if answer.refused { "503 Service Unavailable" } else { "200 OK" };
        stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes())?;
    }
}

fn serve_ldap(mut stream: TcpStream, log: &Log) -> io::Result<()> {
    const BIND: u8 = 0x60;
    const BOUND: u8 = 0x61;
    const SEARCH: u8 = 0x63;
    const DONE: u8 = 0x65;
    const BUSY: u8 = 51;
    loop {
        let message = message(&mut stream)?;
        // An INTEGER, which is the id, and the request.
        let id_length = message.get(1).map_or(0, |length| 2 + usize::from(*length));
        let (id, request) = message.split_at_checked(id_length).ok_or_else(foreign)?;
        let (tag, code) = match request.first() {
            Some(&BIND) => (BOUND, 0),
            Some(&SEARCH) => {
                let number = number(request, b"n.").ok_or_else(foreign)?;
                (DONE, if answered(log, RequestKind::Search, number).refused { BUSY } else { 0 })
            }
            _ => return Ok(()),
        };
        let result = [tag, 7, 0x0a, 1, code, 4, 0, 4, 0];
        let length = (id.len() + result.len()) as u8;
        stream.write_all(&[&[0x30, length], id, &result].concat())?;
    }
}

/// What is in the next SEQUENCE.
fn message(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    let length = match head[1] {
        short @ ..=0x7f => usize::from(short),
        0x81 => {
            stream.read_exact(&mut head[..1])?;
            usize::from(head[0])
        }
        0x82 => {
            stream.read_exact(&mut head)?;
            usize::from(u16::from_be_bytes(head))
        }
        _ => return Err(foreign()),
    };
    let mut message = vec![0; length];
    stream.read_exact(&mut message)?;
    Ok(message)
}

fn serve_dhcp(socket: &UdpSocket, log: &Log, over: &AtomicBool) {
    let mut buffer = [0; 2_048];
    while !over.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
        let message = buffer[..length].to_vec();
        let (Ok(socket), log) = (socket.try_clone(), Arc::clone(log)) else { return };
        thread::spawn(move || {
            let answer = dhcp_answer(&message, socket.local_addr().ok()?, &log)?;
            socket.send_to(&answer, from).ok()
        });
    }
}

/// The answer to a message, once it is time for it. Only what comes first takes time, and only what comes then is
/// refused, as it is with leases.
fn dhcp_answer(message: &[u8], server: SocketAddr, log: &Log) -> Option<Vec<u8>> {
    const OPTIONS: usize = 240;
    const OFFER: u8 = 2;
    const ACK: u8 = 5;
    const NAK: u8 = 6;
    let SocketAddr::V4(server) = server else { return None };
    // Of the client's hardware address, whose first two octets are always the same.
    let client: [u8; 4] = message.get(30..34)?.try_into().ok()?;
    let number = u64::from(u32::from_be_bytes(client));
    let kind = match kind(message.get(OPTIONS..)?)? {
        1 => {
            answered(log, RequestKind::Discover, number);
            OFFER
        }
        3 => {
            log.lock().expect("nobody panics").push((RequestKind::Request, number));
            if answer(number).refused { NAK } else { ACK }
        }
        _ => return None,
    };
    let mut reply = message[..OPTIONS].to_vec();
    reply[0] = 2;
    if kind != NAK {
        reply[16..20].copy_from_slice(&[10, 88, client[2], client[3]]);
    }
    reply.extend([53, 1, kind, 54, 4]);
    reply.extend(server.ip().octets());
    reply.extend([51, 4, 0, 0, 14, 16, 255]);
    Some(reply)
}

/// The value of the option that says what a message is.
fn kind(options: &[u8]) -> Option<u8> {
    let (code, rest) = options.split_first()?;
    match code {
        0 => kind(rest),
        53 => rest.get(1).copied(),
        _ => kind(rest.get(1 + usize::from(*rest.first()?)..)?),
    }
}
