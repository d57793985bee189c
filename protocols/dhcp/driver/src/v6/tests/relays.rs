//! Clients behind relay agents, and clients with different option values.

use super::super::{Client, Plan, Relay, SetupError, VariedOption};
use super::{Player, TOOK, answer, clients, gives, outgoing, plan};
use crate::varied::Pattern;
use crate::{Dialogue, ExchangeRequest, Kind, ReceivedReply};
use brunt_dhcp_wire::dhcp6::relay::unwrap;
use brunt_dhcp_wire::dhcp6::{MessageType, Relay as Read, RelayNesting, code};
use std::collections::HashSet;
use std::net::Ipv6Addr;
use std::time::Duration;

fn agent(nth: u16) -> Relay {
    Relay {
        link: Ipv6Addr::new(0x2001, 0xdb8, nth, 0, 0, 0, 0, 1),
        peer: Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, nth),
        options: Vec::new(),
        varied: Vec::new(),
    }
}

fn varied(code: u16, text: &str) -> VariedOption {
    VariedOption { code, enterprise: 4491, text: Pattern::parse(text).unwrap() }
}

/// The relay messages around a datagram, beginning with the outermost.
fn levels(mut datagram: &[u8]) -> Vec<Read<'_>> {
    let mut all = Vec::new();
    while let Ok(relay) = Read::parse(datagram) {
        datagram = relay.message;
        all.push(relay);
    }
    all
}

#[test]
fn relays_nest_to_any_depth_and_answers_are_unwrapped() {
    for count in [0u16, 1, 2, 5, 32] {
        let plan = plan(|setup| setup.relays = (1..=count).map(agent).collect());
        let mut client = Client::default();
        let mut out = Vec::new();
        let request = ExchangeRequest {
            kind: Kind::Acquire,
            number: 7,
            client: 0,
            lease: None,
            at: Duration::ZERO,
        };
        outgoing(client.begin(&plan, request, &mut out));
        let around = levels(&out);
        assert_eq!(around.len(), usize::from(count));
        for (relay, nth) in around.iter().rev().zip(1..) {
            assert_eq!((relay.kind, usize::from(relay.hops)), (MessageType::RELAY_FORW, nth - 1));
            let expected = agent(nth as u16);
            assert_eq!((relay.link, relay.peer), (expected.link, expected.peer));
        }
        let solicit = unwrap(&out).unwrap().message;
        let duid = solicit.client_id().unwrap().to_vec();
        let advertise = answer(MessageType::ADVERTISE, 14, Some(&duid), Some(b"server"), gives);
        let mut datagram = Vec::new();
        let nest = RelayNesting::answering(&out, &mut datagram).unwrap();
        datagram.extend_from_slice(&advertise);
        nest.close(&mut datagram);
        let (xid, message) = Client::open(&plan, &datagram).unwrap();
        assert_eq!((xid, message), (14, &advertise[..]));
        let received = ReceivedReply { message, took: TOOK, at: TOOK };
        outgoing(client.reply(&plan, &received, &mut out));
        assert_eq!(levels(&out).len(), usize::from(count));
        let request = unwrap(&out).unwrap().message;
        assert_eq!((request.kind(), request.xid()), (MessageType::REQUEST, 15));
    }
}

#[test]
fn relay_options_precede_the_message_and_vary_per_client() {
    let plan = plan(|setup| {
        let mut near = agent(1);
        near.options = vec![(code::SUBSCRIBER_ID, b"all".to_vec())];
        near.varied = vec![varied(code::REMOTE_ID, "line-{n}"), varied(code::INTERFACE_ID, "p{n}")];
        setup.relays = vec![near, agent(2)];
        setup.population = clients(2000).population;
    });
    let mut out = Vec::new();
    let request =
        ExchangeRequest { kind: Kind::Acquire, number: 9, client: 1234, lease: None, at: TOOK };
    outgoing(Client::default().begin(&plan, request, &mut out));
    let around = levels(&out);
    let codes = |relay: &Read<'_>| relay.options.into_iter().map(|it| it.code).collect::<Vec<_>>();
    assert_eq!(codes(&around[0]), [code::RELAY_MESSAGE]);
    let all = [code::INTERFACE_ID, code::REMOTE_ID, code::SUBSCRIBER_ID, code::RELAY_MESSAGE];
    assert_eq!(codes(&around[1]), all);
    let data = |code| around[1].options.find(code).unwrap().data;
    assert_eq!(data(code::INTERFACE_ID), b"p1234");
    assert_eq!(data(code::REMOTE_ID), b"\0\0\x11\x8bline-1234");
    assert_eq!(data(code::SUBSCRIBER_ID), b"all");
}

#[test]
fn client_options_identify_the_client_in_every_message() {
    let plan = plan(|setup| {
        setup.population = clients(9).population;
        setup.varied = vec![varied(code::VENDOR_CLASS, "v{n}"), varied(code::USER_CLASS, "u{n}")];
    });
    let mut player = Player::default();
    let lease = player.acquires(&plan, 5);
    assert_eq!(lease.client(), 5);
    outgoing(player.begin(&plan, Kind::Renew, 8, Some(lease)));
    assert_eq!(player.duid(), plan.duid(5).octets(), "the holder of the lease speaks");
    let option = |code| player.message().option(code).unwrap().data.to_vec();
    assert_eq!(option(code::USER_CLASS), b"\0\x02u5");
    assert_eq!(option(code::VENDOR_CLASS), b"\0\0\x11\x8b\0\x02v5");
}

#[test]
fn link_address_is_chosen_per_exchange_and_kept_by_its_lease() {
    let links: Vec<Ipv6Addr> = (0..8).map(|n| Ipv6Addr::new(0x2001, n, 0, 0, 0, 0, 0, 9)).collect();
    let with = |seed| {
        plan(|setup| {
            setup.relays = vec![agent(1), agent(2)];
            setup.links.clone_from(&links);
            setup.seed = seed;
        })
    };
    let chosen = |plan: &Plan, number| {
        let mut out = Vec::new();
        let request = ExchangeRequest {
            kind: Kind::Acquire,
            number,
            client: 0,
            lease: None,
            at: Duration::ZERO,
        };
        let mut client = Client::default();
        outgoing(client.begin(plan, request, &mut out));
        let first = levels(&out)[1].link;
        assert_eq!(levels(&out)[0].link, agent(2).link, "only the nearest agent chooses");
        let duid = plan.duid(0);
        let receives = |client: &mut Client, kind, out: &mut Vec<u8>| {
            let bytes = answer(kind, 0, Some(duid.octets()), Some(b"server"), gives);
            client.reply(plan, &ReceivedReply { message: &bytes, took: TOOK, at: TOOK }, out)
        };
        outgoing(receives(&mut client, MessageType::ADVERTISE, &mut out));
        assert_eq!(levels(&out)[1].link, first, "a REQUEST goes where its SOLICIT went");
        let lease = super::done(receives(&mut client, MessageType::REPLY, &mut out)).lease;
        let request = ExchangeRequest {
            kind: Kind::Renew,
            number: number + 1,
            client: 0,
            lease,
            at: Duration::ZERO,
        };
        outgoing(client.begin(plan, request, &mut out));
        assert_eq!(levels(&out)[1].link, first, "and so does what is said of the lease");
        let lease = super::done(receives(&mut client, MessageType::REPLY, &mut out)).lease;
        assert_eq!(lease.unwrap().exchange(), number);
        first
    };
    let (plan, other) = (with(1), with(2));
    let all: Vec<Ipv6Addr> = (0..200).map(|number| chosen(&plan, number)).collect();
    assert!(all.iter().all(|link| links.contains(link)));
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), links.len());
    assert_eq!(all, (0..200).map(|number| chosen(&with(1), number)).collect::<Vec<_>>());
    assert_ne!(all, (0..200).map(|number| chosen(&other, number)).collect::<Vec<_>>());
}

#[test]
fn invalid_setups_are_refused_with_a_reason() {
    let refused = |change: fn(&mut super::super::Setup)| {
        let mut setup = clients(1);
        change(&mut setup);
        Plan::compile(setup).map(|_| ()).unwrap_err().to_string()
    };
    let many = refused(|setup| setup.relays = vec![agent(1); 33]);
    assert_eq!(many, "wrap messages for 33 relay agents: at most 32 are possible");
    let links = refused(|setup| setup.links = vec![Ipv6Addr::LOCALHOST; 3]);
    assert!(links.contains("3 link addresses: there is no relay agent; add one with -A 1"));
    let long = refused(|setup| setup.options = vec![(15, vec![0; 65_536])]);
    assert!(long.contains("option 15: it has 65536 bytes"), "{long}");
    let longer =
        refused(|setup| setup.options = vec![(15, vec![0; 40_000]), (16, vec![0; 30_000])]);
    assert!(longer.contains("no datagram has more than 65527"), "{longer}");
    let standing = refused(|setup| setup.lease_seconds = 0.0);
    assert!(standing.contains("let 0 seconds"), "{standing}");
    let mut setup = clients(1);
    setup.lease_seconds = f64::NAN;
    assert!(matches!(Plan::compile(setup), Err(SetupError::LeaseSeconds(_))));
}
