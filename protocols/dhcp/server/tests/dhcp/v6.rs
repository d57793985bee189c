//! DHCPv6: every message there is, by RFC 8415.

use std::net::Ipv6Addr;

use brunt_dhcp_server::{Answer, RequestKind, State};
use dhcproto::Encodable;
use dhcproto::v6::{DhcpOption, Message, MessageType, ORO, OptionCode, Status};

use crate::client::{
    Client, addresses, given, message6, next6, prefix, read6, solicit, start, status,
};

fn lease6(client: &Client, number: u8) -> Message {
    let advertise = client.exchange6(&solicit(number));
    assert_eq!(advertise.msg_type(), MessageType::Advertise);
    let reply = client.exchange6(&next6(MessageType::Request, &advertise));
    assert_eq!(reply.msg_type(), MessageType::Reply);
    reply
}

fn first(answer: &Message) -> Ipv6Addr {
    given(answer).0[0].addr
}

#[test]
fn advertise_contains_the_configured_options() {
    let server = "2001:db8::53".parse::<Ipv6Addr>().unwrap();
    let (running, _, client) = start(|config| {
        config.v6.preferred = 1000;
        config.v6.valid = 2000;
        config.v6.name_servers = vec![server];
        config.v6.duid = Some(vec![0, 2, 0, 0, 0, 9, 1, 2, 3]);
    });
    let mut curious = solicit(7);
    curious.opts_mut().insert(prefix(5));
    curious.opts_mut().insert(DhcpOption::ORO(ORO { opts: vec![OptionCode::DomainNameServers] }));
    let advertise = client.exchange6(&curious);
    assert_eq!((advertise.msg_type(), advertise.xid()), (MessageType::Advertise, [1, 2, 7]));
    let reply = client.exchange6(&next6(MessageType::Request, &advertise));
    let address = given(&reply).0[0].clone();
    assert_eq!(address.addr, "2001:db8:1::1".parse::<Ipv6Addr>().unwrap());
    assert_eq!((address.preferred_life, address.valid_life), (1000, 2000));
    let Some(DhcpOption::IANA(ia)) = reply.opts().get(OptionCode::IANA) else {
        panic!("{reply:?}")
    };
    assert_eq!((ia.id, ia.t1, ia.t2), (1, 500, 800));
    let Some(DhcpOption::IAPD(ia)) = reply.opts().get(OptionCode::IAPD) else {
        panic!("{reply:?}")
    };
    let Some(DhcpOption::IAPrefix(given)) = ia.opts.get(OptionCode::IAPrefix) else {
        panic!("{ia:?}")
    };
    assert_eq!((ia.id, given.prefix_len, given.valid_lifetime), (5, 43, 2000));
    assert_eq!(given.prefix_ip, "2001:db8:8000::".parse::<Ipv6Addr>().unwrap());
    let duid = DhcpOption::ServerId(vec![0, 2, 0, 0, 0, 9, 1, 2, 3]);
    assert_eq!(reply.opts().get(OptionCode::ServerId), Some(&duid));
    // Only a client that requests the option receives it.
    let dns_servers = DhcpOption::DomainNameServers(vec![server]);
    assert_eq!(advertise.opts().get(OptionCode::DomainNameServers), Some(&dns_servers));
    assert_eq!(reply.opts().get(OptionCode::DomainNameServers), None);
    let leases = running.leases();
    let lengths: Vec<_> = leases.iter().map(|lease| (lease.length, lease.state)).collect();
    assert_eq!(lengths, [(128, State::Bound), (43, State::Bound)]);
    assert_eq!(leases[1].client, [0, 3, 0, 1, 2, 0, 0, 0, 0, 7, 0, 0, 0, 5]);
    let stats = running.shutdown().v6;
    assert_eq!((stats.sent_of(Answer::Offer), stats.sent_of(Answer::Ack)), (1, 1));
}

#[test]
fn lease_is_renewed_rebound_confirmed_and_released() {
    let (running, _, client) = start(|_| {});
    let reply = lease6(&client, 1);
    let address = first(&reply);
    assert_eq!(first(&client.exchange6(&next6(MessageType::Renew, &reply))), address);
    let mut rebind = next6(MessageType::Rebind, &reply);
    rebind.opts_mut().remove(OptionCode::ServerId);
    assert_eq!(first(&client.exchange6(&rebind)), address);
    let mut confirm = next6(MessageType::Confirm, &reply);
    confirm.opts_mut().remove(OptionCode::ServerId);
    assert_eq!(status(client.exchange6(&confirm).opts()), Some(Status::Success));
    let released = client.exchange6(&next6(MessageType::Release, &reply));
    assert_eq!(status(released.opts()), Some(Status::Success));
    assert_eq!(released.opts().get(OptionCode::IANA), None);
    let again = client.exchange6(&next6(MessageType::Release, &reply));
    assert_eq!(
        (status(again.opts()), given(&again).1),
        (Some(Status::Success), Some(Status::NoBinding))
    );
    assert_eq!(
        first(&client.exchange6(&solicit(1))),
        address,
        "it is the client's while nobody needs it"
    );
    let stats = running.shutdown().v6;
    let acts = [RequestKind::Renew, RequestKind::Rebind, RequestKind::Reboot, RequestKind::Release];
    assert_eq!(acts.map(|act| stats.received_of(act)), [1, 1, 1, 2]);
    assert_eq!(stats.status_of(3), 1);
}

#[test]
fn invalid_requests_are_refused_by_status() {
    let (running, _, client) = start(|_| {});
    let reply = lease6(&client, 1);
    let astray = "2001:db8:2::1".parse::<Ipv6Addr>().unwrap();
    let server = reply.opts().get(OptionCode::ServerId).unwrap();
    let exchange_about = |kind: MessageType, address: Ipv6Addr, named: bool| {
        let mut message = message6(2, kind);
        message.opts_mut().insert(addresses(1, &[address]));
        if named {
            message.opts_mut().insert(server.clone());
        }
        client.exchange6(&message)
    };
    let refused = exchange_about(MessageType::Request, astray, true);
    assert_eq!(given(&refused), (vec![], Some(Status::NotOnLink)));
    assert_eq!(
        status(exchange_about(MessageType::Confirm, astray, false).opts()),
        Some(Status::NotOnLink)
    );
    let taken = exchange_about(MessageType::Renew, first(&reply), true);
    assert_eq!(given(&taken), (vec![], Some(Status::NoBinding)));
    let withdrawn = given(&exchange_about(MessageType::Rebind, astray, false)).0;
    let lives: Vec<_> =
        withdrawn.iter().map(|it| (it.addr, it.preferred_life, it.valid_life)).collect();
    assert_eq!(lives, [(astray, 0, 0)]);
    // A client that requests another's address receives one of its own.
    assert_ne!(first(&exchange_about(MessageType::Request, first(&reply), true)), first(&reply));
    assert_eq!(running.shutdown().v6.status_of(4), 2);
}

#[test]
fn exhausted_pools_are_reported_by_status() {
    let (running, _, client) = start(|_| {});
    let mut had = std::collections::BTreeSet::new();
    let reply = lease6(&client, 1);
    had.insert(first(&reply));
    let declined = client.exchange6(&next6(MessageType::Decline, &reply));
    assert_eq!(status(declined.opts()), Some(Status::Success));
    for number in 2..=6 {
        assert!(had.insert(first(&lease6(&client, number))), "an address was given twice");
    }
    assert_eq!(given(&client.exchange6(&solicit(7))), (vec![], Some(Status::NoAddrsAvail)));
    let mut many = message6(1, MessageType::Solicit);
    (0..9).for_each(|iaid| many.opts_mut().insert(prefix(iaid)));
    let advertise = client.exchange6(&many);
    let inside = |option: &DhcpOption| match option {
        DhcpOption::IAPD(ia) => (ia.opts.get(OptionCode::IAPrefix).is_some(), status(&ia.opts)),
        other => panic!("{other:?}"),
    };
    let options = advertise.opts().get_all(OptionCode::IAPD).unwrap();
    let found: Vec<_> = options.iter().map(inside).collect();
    assert_eq!(found[..8], [(true, None); 8]);
    assert_eq!(found[8], (false, Some(Status::NoPrefixAvail)));
    let stats = running.shutdown().v6;
    assert_eq!(
        (stats.status_of(2), stats.status_of(6), stats.received_of(RequestKind::Decline)),
        (1, 1, 1)
    );
}

#[test]
fn rapid_commit_and_information_request_work() {
    let (running, _, client) = start(|_| {});
    let mut eager = solicit(1);
    eager.opts_mut().insert(DhcpOption::RapidCommit);
    let reply = client.exchange6(&eager);
    assert_eq!(reply.msg_type(), MessageType::Reply);
    assert!(reply.opts().get(OptionCode::RapidCommit).is_some());
    assert_eq!(running.leases()[0].state, State::Bound);
    let mut question = message6(1, MessageType::InformationRequest);
    question.opts_mut().remove(OptionCode::ClientId);
    let reply = client.exchange6(&question);
    assert_eq!(reply.msg_type(), MessageType::Reply);
    assert_eq!(reply.opts().get(OptionCode::ClientId), None);
    drop(running);
    let (_running, _, client) = start(|config| config.v6.rapid_commit = false);
    assert_eq!(client.exchange6(&eager).msg_type(), MessageType::Advertise);
}

#[test]
fn messages_to_another_server_are_not_answered() {
    let (running, _, client) = start(|_| {});
    let reply = lease6(&client, 1);
    let mut elsewhere = next6(MessageType::Renew, &reply);
    elsewhere.opts_mut().remove(OptionCode::ServerId);
    let nameless = elsewhere.to_vec().unwrap();
    elsewhere.opts_mut().insert(DhcpOption::ServerId(vec![0, 3, 0, 1, 9, 9, 9, 9, 9, 9]));
    let mut anonymous = solicit(1);
    anonymous.opts_mut().remove(OptionCode::ClientId);
    let [named, anonymous, answer] =
        [elsewhere, anonymous, reply].map(|message| message.to_vec().unwrap());
    assert!(client.is_unanswered(&running, &[nameless, named, anonymous, answer]));
    let stats = running.shutdown().v6;
    assert_eq!((stats.malformed, stats.not_ours, stats.unexpected), (2, 1, 1));
}

/// The link of the relay at this distance from the client.
fn link(hop: u8) -> [u8; 16] {
    Ipv6Addr::new(0x2001, 0xdb8, 0, u16::from(hop), 0, 0, 0, 1).octets()
}

/// A relay message: its header, the relay's interface-id and the relayed message.
fn relayed(kind: u8, hop: u8, message: &[u8]) -> Vec<u8> {
    let header = [&[kind, hop][..], &link(hop), &Ipv6Addr::LOCALHOST.octets()].concat();
    let length = (message.len() as u16).to_be_bytes();
    let interface = [0, 18, 0, 4, b'e', b't', b'h', hop];
    [&header[..], &interface, &[0, 9], &length, message].concat()
}

#[test]
fn relay_nesting_of_any_depth_is_answered() {
    let (running, _, client) = start(|_| {});
    for depth in [1, 8, 32] {
        let around = |message: Vec<u8>, kind| {
            (0..depth).fold(message, |message, hop| relayed(kind, hop, &message))
        };
        let requested = around(solicit(1).to_vec().unwrap(), 12);
        let answer = client.exchange(&requested);
        let before = around(Vec::new(), 13).len();
        let advertise = read6(&answer[before..]);
        assert_eq!((advertise.msg_type(), given(&advertise).0.len()), (MessageType::Advertise, 1));
        assert_eq!(answer, around(answer[before..].to_vec(), 13), "{depth}");
    }
    let too_deep = (0..33).fold(solicit(1).to_vec().unwrap(), |it, hop| relayed(12, hop, &it));
    let wrong_way = relayed(13, 0, &solicit(1).to_vec().unwrap());
    assert!(client.is_unanswered(&running, &[too_deep, wrong_way]));
    let stats = running.shutdown().v6;
    assert_eq!((stats.relayed, stats.received_of(RequestKind::Discover)), (3, 3));
    assert_eq!((stats.malformed, stats.unexpected), (1, 1));
}
