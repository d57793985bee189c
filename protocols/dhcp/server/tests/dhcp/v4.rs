//! DHCPv4: every message there is, by RFC 2131.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use brunt_dhcp_server::{Answer, Config, RequestKind, Server, State};
use brunt_testbed::{skip, until};
use dhcproto::Encodable;
use dhcproto::v4::{DhcpOption, Flags, Message, MessageType, OptionCode, UnknownOption};

use crate::client::{Client, PATIENCE, discover, lease4, message4, read4, request, start};

fn kind(message: &Message) -> Option<MessageType> {
    message.opts().msg_type()
}

#[test]
fn offer_contains_the_configured_options() {
    let (running, client, _) = start(|config| {
        config.v4.lifetime = 800;
        config.v4.routers = vec![Ipv4Addr::new(10, 1, 0, 6)];
        config.v4.name_servers = vec![Ipv4Addr::new(9, 9, 9, 9), Ipv4Addr::new(8, 8, 8, 8)];
    });
    let offer = client.exchange4(&discover(7));
    assert_eq!((kind(&offer), offer.xid()), (Some(MessageType::Offer), 0x0100_0007));
    assert_eq!((offer.yiaddr(), offer.chaddr()), ([10, 1, 0, 1].into(), &[2, 0, 0, 0, 0, 7][..]));
    let ack = client.exchange4(&request(7, &offer));
    assert_eq!((kind(&ack), ack.yiaddr()), (Some(MessageType::Ack), offer.yiaddr()));
    for expected in [
        DhcpOption::SubnetMask([255, 255, 255, 248].into()),
        DhcpOption::Router(vec![[10, 1, 0, 6].into()]),
        DhcpOption::DomainNameServer(vec![[9, 9, 9, 9].into(), [8, 8, 8, 8].into()]),
        DhcpOption::AddressLeaseTime(800),
        DhcpOption::Renewal(400),
        DhcpOption::Rebinding(700),
        DhcpOption::ServerIdentifier([127, 0, 0, 1].into()),
    ] {
        assert_eq!(ack.opts().get(OptionCode::from(&expected)), Some(&expected));
    }
    let leases = running.leases();
    assert_eq!((leases.len(), leases[0].state, leases[0].messages), (1, State::Bound, 2));
    assert_eq!(leases[0].client, [1, 2, 0, 0, 0, 0, 7]);
    assert_eq!(leases[0].address, Ipv4Addr::new(10, 1, 0, 1));
    let stats = running.shutdown().v4;
    assert_eq!(
        (stats.received_of(RequestKind::Discover), stats.received_of(RequestKind::Request)),
        (1, 1)
    );
    assert_eq!((stats.sent_of(Answer::Offer), stats.sent_of(Answer::Ack)), (1, 1));
    assert_eq!((stats.datagrams, stats.relayed, stats.lost), (2, 0, 0));
}

#[test]
fn lease_is_renewed_released_and_acquired_again() {
    let (running, client, _) = start(|_| {});
    let address = lease4(&client, 1);
    let mut renew = message4(1, MessageType::Request);
    renew.set_ciaddr(address);
    let ack = client.exchange4(&renew);
    assert_eq!(
        (kind(&ack), ack.yiaddr(), ack.ciaddr()),
        (Some(MessageType::Ack), address, address)
    );
    let mut reboot = message4(1, MessageType::Request);
    reboot.opts_mut().insert(DhcpOption::RequestedIpAddress(address));
    assert_eq!(kind(&client.exchange4(&reboot)), Some(MessageType::Ack));
    let mut release = message4(1, MessageType::Release);
    release.set_ciaddr(address);
    assert!(client.is_unanswered(&running, &[release.to_vec().unwrap()]));
    assert!(until(PATIENCE, || running.leases()[0].state == State::Free));
    assert_ne!(lease4(&client, 2), address, "it stays whose it was while others are free");
    assert_eq!(lease4(&client, 1), address);
    let stats = running.shutdown().v4;
    let received = [RequestKind::Renew, RequestKind::Reboot, RequestKind::Release]
        .map(|act| stats.received_of(act));
    assert_eq!(received, [1, 1, 1]);
}

#[test]
fn invalid_requests_are_refused_and_unknown_ones_ignored() {
    let (running, client, _) = start(|_| {});
    let address = lease4(&client, 1);
    let reboot_at = |number: u8, wanted: Ipv4Addr| {
        let mut reboot = message4(number, MessageType::Request);
        reboot.opts_mut().insert(DhcpOption::RequestedIpAddress(wanted));
        reboot
    };
    // An address on another network, another client's, and one that is not the client's own.
    assert_eq!(
        kind(&client.exchange4(&reboot_at(1, [172, 16, 0, 1].into()))),
        Some(MessageType::Nak)
    );
    assert_eq!(
        kind(&client.exchange4(&reboot_at(1, [10, 1, 0, 5].into()))),
        Some(MessageType::Nak)
    );
    let unknown = reboot_at(9, [10, 1, 0, 5].into()).to_vec().unwrap();
    assert!(client.is_unanswered(&running, &[unknown]));
    let mut renew = message4(2, MessageType::Request);
    renew.set_ciaddr(address);
    let nak = client.exchange4(&renew);
    assert_eq!((kind(&nak), nak.yiaddr()), (Some(MessageType::Nak), Ipv4Addr::UNSPECIFIED));
    let offer = client.exchange4(&discover(3));
    let mut elsewhere = request(3, &offer);
    elsewhere.opts_mut().insert(DhcpOption::ServerIdentifier([10, 9, 9, 9].into()));
    assert!(client.is_unanswered(&running, &[elsewhere.to_vec().unwrap()]));
    let leases = || running.leases().into_iter().map(|lease| lease.state).collect::<Vec<_>>();
    let is_taken_back = || leases() == [State::Bound, State::Free];
    assert!(until(PATIENCE, is_taken_back), "an offer that was not taken: {:?}", leases());
    let stats = running.shutdown().v4;
    assert_eq!((stats.sent_of(Answer::Nak), stats.unknown, stats.not_ours), (3, 1, 1));
}

#[test]
fn declined_address_is_withheld_and_exhausted_pool_is_silent() {
    let (running, client, _) = start(|_| {});
    let address = lease4(&client, 1);
    let mut decline = message4(1, MessageType::Decline);
    decline.opts_mut().insert(DhcpOption::RequestedIpAddress(address));
    assert!(client.is_unanswered(&running, &[decline.to_vec().unwrap()]));
    let mut had = std::collections::BTreeSet::from([address]);
    for number in 1..=5 {
        assert!(had.insert(lease4(&client, number)), "an address was given twice");
    }
    assert!(client.is_unanswered(&running, &[discover(6).to_vec().unwrap()]));
    assert_eq!(had, (1..=6).map(|last| Ipv4Addr::new(10, 1, 0, last)).collect());
    assert_eq!(running.shutdown().v4.exhausted, 1);
}

#[test]
fn leases_expire() {
    let (running, client, _) = start(|config| {
        config.v4.pools = vec!["10.1.0.1/32".parse().unwrap()];
        config.v4.lifetime = 2;
    });
    let address = lease4(&client, 1);
    assert!(client.is_unanswered(&running, &[discover(2).to_vec().unwrap()]));
    pause(Duration::from_secs(2));
    assert_eq!(lease4(&client, 2), address);
}

#[expect(clippy::disallowed_methods, reason = "a lease ends by the clock")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[test]
fn rapid_commit_inform_and_client_identifiers_work() {
    let (running, client, _) = start(|_| {});
    let mut eager = discover(1);
    eager.opts_mut().insert(DhcpOption::RapidCommit);
    let id = DhcpOption::ClientIdentifier(b"\xff somebody".to_vec());
    eager.opts_mut().insert(id.clone());
    let ack = client.exchange4(&eager);
    assert_eq!(kind(&ack), Some(MessageType::Ack));
    assert!(ack.opts().get(OptionCode::RapidCommit).is_some());
    assert_eq!(ack.opts().get(OptionCode::ClientIdentifier), Some(&id));
    assert_eq!(running.leases()[0].client, b"\xff somebody");
    // The same hardware address without the identifier is another client.
    assert_ne!(client.exchange4(&discover(1)).yiaddr(), ack.yiaddr());
    let mut inform = message4(1, MessageType::Inform);
    inform.set_ciaddr([10, 1, 0, 6]);
    let ack = client.exchange4(&inform);
    assert_eq!((kind(&ack), ack.yiaddr()), (Some(MessageType::Ack), Ipv4Addr::UNSPECIFIED));
    assert!(ack.opts().get(OptionCode::SubnetMask).is_some());
    assert!(ack.opts().get(OptionCode::AddressLeaseTime).is_none());
    drop(running);

    let (_running, client, _) = start(|config| config.v4.rapid_commit = false);
    assert_eq!(kind(&client.exchange4(&eager)), Some(MessageType::Offer));
}

/// Answers are sent to port 67 of the relay, and listening there requires a privilege.
#[test]
fn relayed_answers_go_to_the_relay_with_its_option() {
    let Ok(relay) = UdpSocket::bind("127.0.0.77:67") else {
        return skip("no right to bind port 67");
    };
    relay.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let running = Server::start(&Config::default()).unwrap();
    let mut message = discover(1);
    message.set_giaddr([127, 0, 0, 77]).set_hops(1).set_flags(Flags::default().set_broadcast());
    let circuit = vec![1, 4, b'p', b'o', b'r', b't', 2, 1, 0xff];
    let info = UnknownOption::new(OptionCode::RelayAgentInformation, circuit.clone());
    message.opts_mut().insert(DhcpOption::Unknown(info));
    relay.send_to(&message.to_vec().unwrap(), running.addresses()[0]).unwrap();
    let mut bytes = [0; 1500];
    let length = relay.recv(&mut bytes).unwrap();
    let offer = read4(&bytes[..length]);
    assert_eq!((kind(&offer), offer.giaddr()), (Some(MessageType::Offer), [127, 0, 0, 77].into()));
    assert!(offer.flags().broadcast());
    let option = [&[82, circuit.len() as u8], &circuit[..], &[255]].concat();
    assert!(bytes[..length].ends_with(&option), "option 82 comes back, last");
    // A client is answered at its address, port 68.
    let own = UdpSocket::bind("127.0.0.78:68").unwrap();
    own.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut inform = message4(1, MessageType::Inform);
    inform.set_ciaddr([127, 0, 0, 78]);
    relay.send_to(&inform.to_vec().unwrap(), running.addresses()[0]).unwrap();
    own.recv(&mut bytes).unwrap();
    assert_eq!(running.shutdown().v4.relayed, 1);
}

#[test]
fn wildcard_and_multicast_addresses_are_refused() {
    for address in ["0.0.0.0:0", "[::]:0", "255.255.255.255:0", "224.0.0.1:0"] {
        let listen = vec![address.parse().unwrap()];
        let error = Server::start(&Config { listen, ..Config::default() }).err().unwrap();
        assert!(error.to_string().contains("--lab"), "{error}");
    }
    let (running, client, _) = start(|config| config.v4.reply_to_source = false);
    for address in [Ipv4Addr::BROADCAST, Ipv4Addr::new(224, 0, 0, 1)] {
        let mut message = discover(1);
        message.set_giaddr(address);
        client.send(&message.to_vec().unwrap());
    }
    assert_eq!(kind(&client.exchange4(&discover(1))), Some(MessageType::Offer));
    assert_eq!(running.shutdown().v4.malformed, 2);
    // Clients on different sockets are served alike, each with an address of its own.
    let (_running, client, _) = start(|_| {});
    let other = Client::new(client.server);
    assert_ne!(lease4(&client, 1), lease4(&other, 2));
}
