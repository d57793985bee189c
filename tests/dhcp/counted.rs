//! What is counted separately: replies that belong to no exchange, arrive twice, refuse or are not DHCP at all, and
//! messages from before the run.
//!
//! No real server can be made to send these, so the server here is the test's: a few lines that answer according to a
//! script, written with a library that the program does not use.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use brunt_testbed::{Capture, KeaOptions, Lan, require};
use dhcproto::v4::{DhcpOption, Message, MessageType, Opcode, OptionCode};
use dhcproto::{Decodable, Decoder, Encodable};

use crate::brunt::Brunt;
use crate::network::v4;
use crate::packets::{kind_v4, requested};

/// A server that sends scripted answers.
struct Scripted {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    /// Answers each message with all datagrams that `answer` makes of it.
    fn start(lan: &Lan, mut answer: impl FnMut(&Message) -> Vec<Vec<u8>> + Send + 'static) -> Self {
        let here = (Lan::SERVER_V4, 67);
        let socket = lan.as_server(|| UdpSocket::bind(here).expect("the port of servers is free"));
        socket.set_read_timeout(Some(Duration::from_millis(20))).expect("a socket can time out");
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !end.load(Ordering::Relaxed) {
                let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
                let message = Message::decode(&mut Decoder::new(&buffer[..length]));
                for reply in answer(&message.expect("clients send DHCPv4 messages")) {
                    socket.send_to(&reply, from).expect("a datagram can be sent");
                }
            }
        });
        Self { ended, thread: Some(thread) }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        let died = matches!(ended, Some(Err(_)));
        assert!(!died || thread::panicking(), "the scripted server did not live to the end");
    }
}

/// What answers a message: of this type, with this address.
fn reply(to: &Message, kind: MessageType, address: Ipv4Addr) -> Message {
    let mut reply = Message::default();
    reply.set_opcode(Opcode::BootReply).set_xid(to.xid()).set_chaddr(to.chaddr());
    reply.set_giaddr(to.giaddr()).set_yiaddr(address);
    let options = reply.opts_mut();
    options.insert(DhcpOption::MessageType(kind));
    options.insert(DhcpOption::ServerIdentifier(Lan::SERVER_V4));
    options.insert(DhcpOption::AddressLeaseTime(4_000));
    reply
}

fn bytes(message: &Message) -> Vec<u8> {
    message.to_vec().expect("a message can be written")
}

/// What an honest server says.
fn proper(message: &Message) -> Message {
    let address = Ipv4Addr::new(10, 77, 9, message.chaddr()[5]);
    match message.opts().msg_type() {
        Some(MessageType::Discover) => reply(message, MessageType::Offer, address),
        _ => reply(message, MessageType::Ack, address),
    }
}

fn lan() -> Option<Lan> {
    require(&["ip", "root"]).then(Lan::make)
}

const RUN: &str = "-4 -l lan0 -r 100 -n 20 -R 20";

#[test]
fn duplicate_answers_are_counted() {
    let Some(lan) = lan() else { return };
    let _server = Scripted::start(&lan, |message| vec![bytes(&proper(message)); 2]);
    let run = Brunt::on(&lan).typed(RUN).arg("10.77.0.1").run().went_well();
    assert_eq!(run.tally("DISCOVER-OFFER duplicates"), 20, "{run}");
    // The last of them may come when the run is over.
    assert!((19..=20).contains(&run.tally("REQUEST-ACK duplicates")), "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "orphans"), 20, "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "received packets"), 20, "{run}");
}

#[test]
fn nak_is_neither_a_lease_nor_a_drop() {
    let Some(lan) = lan() else { return };
    let _server = Scripted::start(&lan, |message| {
        let refused = message.opts().msg_type() == Some(MessageType::Request);
        let nak = || reply(message, MessageType::Nak, Ipv4Addr::UNSPECIFIED);
        vec![bytes(&if refused { nak() } else { proper(message) })]
    });
    let run = Brunt::on(&lan).typed(RUN).arg("10.77.0.1").run().expect(3);
    assert_eq!((run.count("ok"), run.tally("REQUEST-ACK naks")), (0, 20), "{run}");
    assert_eq!(run.ends(), [(("result".into(), 6), 20)].into(), "{run}");
    assert_eq!(
        (run.tally("REQUEST-ACK drops"), run.tally("REQUEST-ACK received")),
        (0, 0),
        "{run}"
    );
}

#[test]
fn foreign_short_and_late_datagrams_are_distinguished() {
    let Some(lan) = lan() else { return };
    let _server = Scripted::start(&lan, |message| {
        let mut foreign = proper(message);
        foreign.set_xid(message.xid() ^ 0x8000_0000);
        let short = vec![2; 20];
        let mut garbage = vec![0xee; 300];
        garbage[0] = 2;
        // For example a broadcast for another client: no exchange here waits for it.
        vec![bytes(&foreign), short, garbage, bytes(message), bytes(&proper(message))]
    });
    let run = Brunt::on(&lan).typed(RUN).arg("10.77.0.1").run().went_well();
    assert_eq!(run.count("ok"), 20, "{run}");
    // Each of 40 messages had each of them.
    for tally in ["foreign", "tooshort", "malformed", "unexpected"] {
        assert_eq!(run.tally(tally), 40, "{tally}\n{run}");
    }
    for stage in ["DISCOVER-OFFER", "REQUEST-ACK"] {
        assert_eq!(run.tally(&format!("{stage} duplicates")), 0, "{run}");
        assert_eq!(run.tally(&format!("{stage} late")), 0, "{run}");
    }
}

#[test]
fn unique_check_notices_an_address_given_twice() {
    let Some(lan) = lan() else { return };
    let _server = Scripted::start(&lan, |message| {
        let mut reply = proper(message);
        // Two clients after each other get the same.
        reply.set_yiaddr(Ipv4Addr::new(10, 77, 9, message.chaddr()[5] / 2));
        vec![bytes(&reply)]
    });
    let run = Brunt::on(&lan).typed("-u").typed(RUN).arg("10.77.0.1").run();
    assert_eq!(run.tally("REQUEST-ACK non unique addresses"), 10, "{run}");
    assert_eq!(run.line("REQUEST-ACK", "non unique addresses"), 10, "{run}");
}

#[test]
fn rapid_commit_of_dhcpv4_is_the_whole_exchange() {
    let Some(lan) = lan() else { return };
    let capture = Capture::start(&lan);
    let _server = Scripted::start(&lan, |message| {
        // RFC 4039: the option in the DISCOVER, and the same in the ACK.
        assert!(message.opts().get(OptionCode::RapidCommit).is_some());
        let mut ack = reply(message, MessageType::Ack, proper(message).yiaddr());
        ack.opts_mut().insert(DhcpOption::RapidCommit);
        vec![bytes(&ack)]
    });
    let run = Brunt::on(&lan).typed("--rapid-commit").typed(RUN).arg("10.77.0.1").run().went_well();
    let messages = capture.stop();
    assert_eq!((run.count("ok"), messages.len()), (20, 40), "{run}");
    assert_eq!(run.ends(), [(("ok".into(), 5), 20)].into(), "{run}");
    assert_eq!(run.tally("REQUEST-ACK sent"), 0, "{run}");
}

#[test]
fn offer_without_server_id_fails_only_its_exchange() {
    let Some(lan) = lan() else { return };
    let _server = Scripted::start(&lan, |message| {
        let mut reply = proper(message);
        if message.chaddr()[5] == 7 {
            reply.opts_mut().remove(OptionCode::ServerIdentifier);
        }
        vec![bytes(&reply)]
    });
    let run = Brunt::on(&lan).typed(RUN).arg("10.77.0.1").run().expect(3);
    assert_eq!((run.count("ok"), run.count("failed")), (19, 1), "{run}");
}

#[test]
fn preload_is_sent_but_not_counted() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-4 -l lan0 -P 30 -r 100 -n 10 -R 40 10.77.0.1").run();
    let run = run.went_well();
    let messages = capture.stop();
    assert_eq!((run.count("ok"), kea.leases().len()), (10, 10), "{run}");
    assert_eq!(requested(&messages).filter(|message| kind_v4(message) == 1).count(), 40, "{run}");
    assert_eq!(run.tally("preload sent"), 30, "{run}");
    assert_eq!(run.tally("DISCOVER-OFFER sent"), 10, "{run}");
}

#[test]
fn unrelated_traffic_on_the_wire_is_ignored() {
    let Some(lan) = lan() else { return };
    let other = lan.as_server(|| UdpSocket::bind((Lan::SERVER_V4, 6_767)).expect("a port is free"));
    let mut requests = 0;
    // Another machine sends its datagrams while an exchange in the middle of the run waits for its answer.
    let _server = Scripted::start(&lan, move |message| {
        requests += 1;
        for _ in 0..if requests == 20 { 25 } else { 0 } {
            other.send_to(b"nonsense", SocketAddr::from((Lan::CLIENT_V4, 67))).expect("it is sent");
        }
        vec![bytes(&proper(message))]
    });
    let run = Brunt::on(&lan).typed(RUN).arg("10.77.0.1").run().went_well();
    assert_eq!((run.count("ok"), run.tally("tooshort")), (20, 25), "{run}");
}
