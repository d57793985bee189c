//! Replies that are random, or real ones that were corrupted: there is never a panic, and always a
//! step.

use super::super::{Client, Lease, Plan, Relay, Wanted};
use super::{Player, TOOK, delegates, gives, plan};
use crate::{Dialogue, Kind, ReceivedReply, Step};
use brunt_dhcp_wire::dhcp6::{MessageType, code};
use brunt_exchange::{Class, Outcome};
use proptest::collection::vec;
use proptest::prelude::*;
use std::net::Ipv6Addr;
use std::time::Duration;

fn plans() -> [Plan; 3] {
    let relay = Relay {
        link: Ipv6Addr::LOCALHOST,
        peer: Ipv6Addr::LOCALHOST,
        options: vec![],
        varied: vec![],
    };
    [
        plan(|setup| setup.rapid_commit = true),
        plan(|setup| (setup.wanted, setup.retransmit) = (Wanted::Both, true)),
        plan(|setup| (setup.relays, setup.first_server) = (vec![relay; 2], true)),
    ]
}

/// Checks that a step is valid after a reply.
fn sound(step: &Step<Lease>, out: &[u8]) {
    match step {
        Step::Send(_) | Step::Again(_) => assert!(!out.is_empty()),
        Step::Ignore(_) => {}
        Step::Done(end) => {
            let good = matches!(end.outcome, Outcome::Ok(_));
            assert!(good || end.outcome != Outcome::Failed(Class::Result, 0));
            assert!(!good || end.answered);
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_handled(
        bytes in vec(any::<u8>(), 0..200),
        kind in prop_oneof![Just(2u8), Just(7), Just(13), any::<u8>()],
        request in 0..7usize,
    ) {
        let datagram = [&[kind], bytes.as_slice()].concat();
        for plan in plans() {
            let opened = Client::open(&plan, &datagram).map(|(_, message)| message);
            let mut player = Player::default();
            let _ = player.begin(&plan, Kind::ALL[request], 1, None);
            let _ = (Client::answers(&datagram), Client::server(&datagram));
            // The caller removes relay messages first, but a reply of any bytes must be handled.
            for message in [opened.unwrap_or(&[]), &datagram] {
                let received = ReceivedReply { message, took: TOOK, at: TOOK };
                let step = player.client.reply(&plan, &received, &mut player.out);
                sound(&step, &player.out);
            }
        }
    }

    #[test]
    fn altered_replies_are_handled(
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        stage in 0..2usize,
    ) {
        let [plan, _, _] = plans();
        let mut player = Player::default();
        let _ = player.begin(&plan, Kind::Acquire, 5, None);
        if stage == 1 {
            let advertise = player.answer(MessageType::ADVERTISE, gives);
            let _ = player.receives(&plan, &advertise);
        }
        let kind = [MessageType::ADVERTISE, MessageType::REPLY][stage];
        let mut reply = player.answer(kind, |writer| {
            gives(writer);
            delegates(writer);
            writer.status(0, "fine").option(code::RAPID_COMMIT, &[]);
        });
        for (at, value) in changes {
            let at = at.index(reply.len());
            reply[at] = value;
        }
        if let Some(cut) = cut {
            reply.truncate(cut.index(reply.len()));
        }
        let step = player.receives(&plan, &reply);
        sound(&step, &player.out);
        let step = player.client.expired(&plan, Duration::from_secs(3), &mut player.out);
        sound(&step, &player.out);
    }
}
