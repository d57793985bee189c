//! A client that sends the given messages and returns whatever it receives.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use brunt_dhcp_server::{Config, Running, Script, Server};
use brunt_testbed::until;
use dhcproto::{Decodable, Decoder, Encodable, v4, v6};

/// Long enough for any answer on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Long enough to show that no answer is sent.
const SILENCE: Duration = Duration::from_millis(150);

pub(crate) struct Client {
    pub(crate) socket: UdpSocket,
    pub(crate) server: SocketAddr,
}

/// A server for both protocols that answers at the port it was asked from, and a client of each.
pub(crate) fn start(change: impl FnOnce(&mut Config)) -> (Running, Client, Client) {
    let mut config = Config::default();
    config.listen.push("[::1]:0".parse().unwrap());
    config.v4.reply_to_source = true;
    config.v4.pools = vec!["10.1.0.0/29".parse().unwrap()];
    config.v6.pools = vec!["2001:db8:1::1-2001:db8:1::6".parse().unwrap()];
    config.v6.prefixes = vec!["2001:db8:8000::/40/43".parse().unwrap()];
    change(&mut config);
    let running = Server::start(&config).unwrap();
    let [four, six] = running.addresses()[..] else { panic!("two addresses") };
    (running, Client::new(four), Client::new(six))
}

/// A server that misbehaves.
pub(crate) fn scripted(script: &str) -> (Running, Client, Client) {
    let script = Script::parse(script).unwrap();
    start(|config| config.script = Some(script))
}

impl Client {
    pub(crate) fn new(server: SocketAddr) -> Self {
        let own = if server.is_ipv6() { "[::1]:0" } else { "127.0.0.1:0" };
        let socket = UdpSocket::bind(own).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, server }
    }

    pub(crate) fn send(&self, bytes: &[u8]) {
        self.socket.send_to(bytes, self.server).unwrap();
    }

    pub(crate) fn receive(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; 4096];
        let length = self.socket.recv(&mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    pub(crate) fn exchange(&self, bytes: &[u8]) -> Vec<u8> {
        self.send(bytes);
        self.receive().unwrap()
    }

    pub(crate) fn receives_nothing(&self) -> bool {
        self.socket.set_read_timeout(Some(SILENCE)).unwrap();
        let received = self.receive();
        self.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        received.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Sends messages one after the other. Returns whether nothing is answered, once the server has read them all: a
    /// server whose thread stood still is silent as well.
    pub(crate) fn is_unanswered(&self, running: &Running, messages: &[Vec<u8>]) -> bool {
        let wanted = self.read_by(running) + messages.len() as u64;
        for message in messages {
            self.send(message);
        }
        assert!(until(PATIENCE, || self.read_by(running) >= wanted), "the server reads no more");
        self.receives_nothing()
    }

    /// How many datagrams the server has read at its address.
    fn read_by(&self, running: &Running) -> u64 {
        let stats = running.stats();
        if self.server.is_ipv6() { stats.v6.datagrams } else { stats.v4.datagrams }
    }

    pub(crate) fn exchange4(&self, message: &v4::Message) -> v4::Message {
        read4(&self.exchange(&message.to_vec().unwrap()))
    }

    pub(crate) fn exchange6(&self, message: &v6::Message) -> v6::Message {
        read6(&self.exchange(&message.to_vec().unwrap()))
    }
}

pub(crate) fn read4(bytes: &[u8]) -> v4::Message {
    v4::Message::decode(&mut Decoder::new(bytes)).unwrap()
}

pub(crate) fn read6(bytes: &[u8]) -> v6::Message {
    v6::Message::decode(&mut Decoder::new(bytes)).unwrap()
}

/// A message of the DHCPv4 client of this number.
pub(crate) fn message4(number: u8, kind: v4::MessageType) -> v4::Message {
    let mut message = v4::Message::default();
    message.set_chaddr(&[2, 0, 0, 0, 0, number]).set_xid(0x0100_0000 + u32::from(number));
    message.opts_mut().insert(v4::DhcpOption::MessageType(kind));
    message
}

pub(crate) fn discover(number: u8) -> v4::Message {
    message4(number, v4::MessageType::Discover)
}

/// The request that accepts an offer.
pub(crate) fn request(number: u8, offer: &v4::Message) -> v4::Message {
    let mut message = message4(number, v4::MessageType::Request);
    let opts = message.opts_mut();
    opts.insert(v4::DhcpOption::RequestedIpAddress(offer.yiaddr()));
    opts.insert(offer.opts().get(v4::OptionCode::ServerIdentifier).unwrap().clone());
    message
}

/// Leases an address to a client, and returns it.
pub(crate) fn lease4(client: &Client, number: u8) -> Ipv4Addr {
    let offer = client.exchange4(&discover(number));
    assert_eq!(offer.opts().msg_type(), Some(v4::MessageType::Offer));
    let ack = client.exchange4(&request(number, &offer));
    assert_eq!(ack.opts().msg_type(), Some(v4::MessageType::Ack));
    ack.yiaddr()
}

/// A message of the DHCPv6 client of this number.
pub(crate) fn message6(number: u8, kind: v6::MessageType) -> v6::Message {
    let mut message = v6::Message::new_with_id(kind, [1, 2, number]);
    let duid = vec![0, 3, 0, 1, 2, 0, 0, 0, 0, number];
    message.opts_mut().insert(v6::DhcpOption::ClientId(duid));
    message
}

/// An association that asks for these addresses.
pub(crate) fn addresses(iaid: u32, addresses: &[Ipv6Addr]) -> v6::DhcpOption {
    let mut opts = v6::DhcpOptions::new();
    for addr in addresses {
        let (addr, opts_inside) = (*addr, v6::DhcpOptions::new());
        opts.insert(v6::DhcpOption::IAAddr(v6::IAAddr {
            addr,
            preferred_life: 0,
            valid_life: 0,
            opts: opts_inside,
        }));
    }
    v6::DhcpOption::IANA(v6::IANA { id: iaid, t1: 0, t2: 0, opts })
}

/// An association that asks for any prefix.
pub(crate) fn prefix(iaid: u32) -> v6::DhcpOption {
    v6::DhcpOption::IAPD(v6::IAPD { id: iaid, t1: 0, t2: 0, opts: v6::DhcpOptions::new() })
}

pub(crate) fn solicit(number: u8) -> v6::Message {
    let mut message = message6(number, v6::MessageType::Solicit);
    message.opts_mut().insert(addresses(1, &[]));
    message
}

/// The same client's next message, with the associations and the server of an answer.
pub(crate) fn next6(kind: v6::MessageType, answer: &v6::Message) -> v6::Message {
    let mut message = v6::Message::new_with_id(kind, [9, 9, 9]);
    for option in answer.opts().iter() {
        let kept = matches!(
            option,
            v6::DhcpOption::ClientId(_)
                | v6::DhcpOption::ServerId(_)
                | v6::DhcpOption::IANA(_)
                | v6::DhcpOption::IAPD(_)
        );
        if kept {
            message.opts_mut().insert(option.clone());
        }
    }
    message
}

/// The addresses of an answer's first association, and the status in it.
pub(crate) fn given(answer: &v6::Message) -> (Vec<v6::IAAddr>, Option<v6::Status>) {
    let Some(v6::DhcpOption::IANA(ia)) = answer.opts().get(v6::OptionCode::IANA) else {
        panic!("no association: {answer:?}")
    };
    let addresses = ia.opts.iter().filter_map(|option| match option {
        v6::DhcpOption::IAAddr(address) => Some(address.clone()),
        _ => None,
    });
    (addresses.collect(), status(&ia.opts))
}

/// The status among options.
pub(crate) fn status(options: &v6::DhcpOptions) -> Option<v6::Status> {
    match options.get(v6::OptionCode::StatusCode) {
        Some(v6::DhcpOption::StatusCode(status)) => Some(status.status),
        _ => None,
    }
}
