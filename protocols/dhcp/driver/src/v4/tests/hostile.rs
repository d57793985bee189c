//! Replies that no server should send.

use super::{Answer, Play, seconds};
use crate::v4::{Client, Lease, Retransmission};
use crate::{Dialogue, Kind, Step};
use brunt_dhcp_wire::dhcp4::{Message, MessageType, option};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A client at some point of an exchange.
fn somewhere(kind: Kind, second: bool, rapid: bool, again: bool) -> Play {
    let mut play = Play::with(|setup| {
        setup.rapid_commit = rapid;
        setup.retransmission = again.then_some(Retransmission { tries: Some(3) });
    });
    let lease = play.leased(1);
    play.begin(kind, 5, (kind != Kind::Acquire).then_some(lease));
    if second && kind == Kind::Acquire {
        play.receive(&play.reply(MessageType::Offer).bytes());
    }
    play
}

fn replies() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    let code = select(vec![1, 12, 50, 51, 52, 53, 54, 55, 58, 59, 61, 80, 82, 200]);
    vec((code, vec(any::<u8>(), 0..6)), 0..8)
}

/// Checks that the step after a reply is consistent.
fn sane(play: &Play, step: &Step<Lease>) -> Result<(), TestCaseError> {
    match step {
        Step::Send(outgoing) => {
            let packet = Message::scan(&play.out).unwrap();
            prop_assert_eq!(packet.xid(), outgoing.xid);
            prop_assert_eq!(packet.message_type(), Some(MessageType::Request));
            prop_assert!(packet.server_id().is_some() && outgoing.offered.is_some());
        }
        Step::Done(ending) => {
            if let Some(lease) = &ending.lease {
                prop_assert!(!lease.address.is_unspecified());
                prop_assert!(
                    lease.renew_after <= lease.rebind_after && lease.rebind_after <= lease.lasts
                );
            }
        }
        Step::Ignore(_) => {}
        Step::Again(_) => prop_assert!(false, "a reply makes nobody send again"),
    }
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_replies_are_handled(
        kind in select(Kind::ALL.to_vec()),
        (second, rapid, again) in any::<(bool, bool, bool)>(),
        message in select(MessageType::ALL.to_vec()),
        options in replies(),
        yiaddr in any::<[u8; 4]>(),
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let mut play = somewhere(kind, second, rapid, again);
        let Answer { mut header, .. } = play.reply(message);
        header.yiaddr = yiaddr.into();
        let mut bytes = Answer { kind: message, header, options }.bytes();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let opened = Client::open(&play.plan, &bytes).is_ok();
        let step = play.receive(&bytes);
        sane(&play, &step)?;
        prop_assert!(opened || matches!(step, Step::Ignore(_)), "what is refused unopened is ignored: {step:?}");
        if !matches!(step, Step::Done(_)) {
            let expired = play.expire(seconds(70));
            prop_assert!(matches!(expired, Step::Again(_) | Step::Done(_)), "{:?}", expired);
        }
    }

    #[test]
    fn arbitrary_bytes_are_handled(
        kind in select(Kind::ALL.to_vec()),
        second in any::<bool>(),
        bytes in vec(any::<u8>(), 0..600),
    ) {
        let mut play = somewhere(kind, second, false, false);
        let _ = Client::open(&play.plan, &bytes);
        let _ = (Client::answers(&bytes), Client::server(&bytes));
        let step = play.receive(&bytes);
        sane(&play, &step)?;
    }

    #[test]
    fn lease_times_of_any_size_stay_ordered(times in any::<[u32; 3]>()) {
        let mut play = somewhere(Kind::Acquire, true, false, true);
        let mut ack = play.reply(MessageType::Ack);
        let codes = [option::RENEWAL_TIME, option::REBINDING_TIME, option::LEASE_TIME];
        for (code, time) in codes.into_iter().zip(times) {
            ack = ack.without(code).with(code, &time.to_be_bytes());
        }
        let step = play.receive(&ack.bytes());
        sane(&play, &step)?;
        let Step::Done(ending) = step else { panic!("an ACK ends it") };
        for kind in [Kind::Renew, Kind::Rebind] {
            let wait = play.outgoing(kind, 8, ending.lease).wait.unwrap();
            prop_assert!(wait > seconds(0));
        }
    }
}
