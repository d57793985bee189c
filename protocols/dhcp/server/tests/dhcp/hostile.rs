//! Noise and malformed messages: each is counted, and none does harm.

use std::time::Duration;

use brunt_dhcp_server::{Family, Running, Tally};
use dhcproto::{Encodable, v4, v6};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::client::{Client, discover, message4, message6, next6, prefix, request, solicit, start};

/// The counts of a family, once it has received this number of datagrams.
fn settled(running: &Running, family: Family, datagrams: u64) -> Tally {
    for _ in 0..1000 {
        let stats = running.stats();
        if stats.of(family).datagrams == datagrams && sum(stats.of(family)) == datagrams {
            return stats.of(family).clone();
        }
        pause();
    }
    panic!("{:?} does not come to {datagrams}", running.stats().of(family));
}

#[expect(clippy::disallowed_methods, reason = "another thread counts")]
fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}

/// Every datagram is counted as one kind of message, or as unusable.
fn sum(tally: &Tally) -> u64 {
    let received: u64 = tally.received.iter().map(|(_, count)| count).sum();
    received + tally.malformed + tally.too_short + tally.unexpected
}

/// One of each message a client sends.
fn messages(client: &Client, six: &Client) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let offer = client.exchange4(&discover(1));
    let kinds = [v4::MessageType::Inform, v4::MessageType::Release, v4::MessageType::Decline];
    let mut four = vec![discover(1).to_vec().unwrap(), request(1, &offer).to_vec().unwrap()];
    four.extend(kinds.map(|kind| message4(1, kind).to_vec().unwrap()));
    let mut both = solicit(1);
    both.opts_mut().insert(prefix(2));
    let advertise = six.exchange6(&both);
    let mut many = vec![both.to_vec().unwrap()];
    let kinds = [
        v6::MessageType::Request,
        v6::MessageType::Renew,
        v6::MessageType::Release,
        v6::MessageType::Decline,
    ];
    many.extend(kinds.map(|kind| next6(kind, &advertise).to_vec().unwrap()));
    many.push(message6(1, v6::MessageType::Confirm).to_vec().unwrap());
    (four, many)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn mangled_messages_are_counted(
        edits in prop::collection::vec(
            (any::<Index>(), any::<Index>(), any::<u8>(), any::<Index>(), any::<bool>()),
            1..60,
        ),
    ) {
        let (running, client, six) = start(|_| {});
        let (four, many) = messages(&client, &six);
        for (which, place, octet, end, cut) in &edits {
            for (client, messages) in [(&client, &four), (&six, &many)] {
                let mut message = which.get(messages).clone();
                let at = place.index(message.len());
                message[at] = *octet;
                if *cut {
                    message.truncate(end.index(message.len() + 1));
                }
                client.send(&message);
            }
        }
        let sent = edits.len() as u64 + 1;
        settled(&running, Family::V4, sent);
        settled(&running, Family::V6, sent);
        // Later clients are served.
        let fresh = Client::new(client.server);
        fresh.exchange4(&discover(99));
        Client::new(six.server).exchange6(&solicit(99));
    }

    #[test]
    fn random_datagrams_are_counted(
        noise in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..700), 1..60),
    ) {
        let (running, client, six) = start(|_| {});
        for bytes in &noise {
            client.send(bytes);
            six.send(bytes);
        }
        let sent = noise.len() as u64;
        let tally = settled(&running, Family::V4, sent);
        prop_assert_eq!(tally.too_short, noise.iter().filter(|it| it.len() < 240).count() as u64);
        settled(&running, Family::V6, sent);
        prop_assert!(running.leases().is_empty());
    }
}

#[test]
fn oversized_message_is_malformed() {
    let (running, client, _) = start(|_| {});
    let mut message = discover(1).to_vec().unwrap();
    message.resize(2049, 0);
    client.send(&message);
    assert_eq!(settled(&running, Family::V4, 1).malformed, 1);
}
