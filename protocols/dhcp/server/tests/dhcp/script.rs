//! Every kind of misbehaviour, seen from the client's side and counted by the server.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use brunt_dhcp_server::{Answer, Running, State};
use brunt_testbed::until;
use dhcproto::Encodable;
use dhcproto::v4::{self, DhcpOption, OptionCode};
use dhcproto::v6::{self, Status};

use crate::client::{
    Client, PATIENCE, discover, given, lease4, message4, next6, read4, read6, request, scripted,
    solicit, status,
};

fn rule(rule: &str) -> (Running, Client, Client) {
    scripted(&format!("[[rule]]\n{rule}"))
}

fn xid4(bytes: &[u8]) -> u32 {
    read4(bytes).xid()
}

#[expect(clippy::disallowed_methods, reason = "a test of time as it passes")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn delay_affects_only_its_message() {
    let (running, client, six) =
        rule("on = ['discover']\nlast = 2\nevery = 2\naction = { delay = '2s' }");
    let begin = now();
    let [one, two, three] = [1, 2, 3].map(|number| discover(number).to_vec().unwrap());
    assert_eq!(xid4(&client.exchange(&one)), 0x0100_0001);
    client.send(&two);
    assert_eq!(xid4(&client.exchange(&three)), 0x0100_0003);
    assert_eq!(xid4(&client.receive().unwrap()), 0x0100_0002);
    assert!(begin.elapsed() >= Duration::from_secs(2));
    assert_eq!(six.exchange6(&solicit(1)).msg_type(), v6::MessageType::Advertise);
    let stats = running.shutdown();
    assert_eq!((stats.fault("delay"), stats.v4.sent_of(Answer::Offer)), (1, 3));
}

#[test]
fn ignore_and_drop_lose_messages_and_answers() {
    let (running, client, _) = rule("on = ['discover']\nlast = 1\naction = 'ignore'");
    assert!(client.is_unanswered(&running, &[discover(1).to_vec().unwrap()]));
    assert!(until(PATIENCE, || running.stats().v4.ignored == 1));
    assert_eq!(running.leases(), []);
    let stats = running.shutdown();
    assert_eq!((stats.fault("ignore"), stats.v4.ignored, stats.v4.sent), (1, 1, vec![]));

    let (running, client, six) = rule("on = ['request']\naction = 'drop'");
    let offer = client.exchange4(&discover(1));
    assert!(client.is_unanswered(&running, &[request(1, &offer).to_vec().unwrap()]));
    let is_bound = || running.leases()[0].state == State::Bound;
    assert!(until(PATIENCE, is_bound), "it was not carried out");
    let advertise = six.exchange6(&solicit(1));
    let next = next6(v6::MessageType::Request, &advertise).to_vec().unwrap();
    assert!(six.is_unanswered(&running, &[next]));
    let stats = running.shutdown();
    assert_eq!(
        (stats.fault("drop"), stats.v4.sent_of(Answer::Ack), stats.v6.sent_of(Answer::Ack)),
        (2, 0, 0)
    );
}

#[test]
fn reorder_duplicate_and_wrong_id_faults_work() {
    let (running, client, _) = rule("on = ['discover']\nlast = 1\naction = 'reorder'");
    client.send(&discover(1).to_vec().unwrap());
    client.send(&discover(2).to_vec().unwrap());
    let order = [(); 2].map(|()| xid4(&client.receive().unwrap()));
    assert_eq!(order, [0x0100_0002, 0x0100_0001]);
    assert_eq!(running.shutdown().fault("reorder"), 1);

    let (running, client, six) = rule("action = 'duplicate'");
    let first = client.exchange(&discover(1).to_vec().unwrap());
    assert_eq!(client.receive().unwrap(), first);
    let first = six.exchange(&solicit(1).to_vec().unwrap());
    assert_eq!(six.receive().unwrap(), first);
    let stats = running.shutdown();
    assert_eq!((stats.fault("duplicate"), stats.v4.sent_of(Answer::Offer)), (2, 2));

    let (running, client, six) = rule("action = 'wrong-xid'");
    assert_ne!(client.exchange4(&discover(1)).xid(), discover(1).xid());
    assert_ne!(six.exchange6(&solicit(1)).xid(), solicit(1).xid());
    assert_eq!(running.shutdown().fault("wrong-xid"), 2);

    let (running, client, six) = rule("on = ['discover']\naction = 'wrong-server'");
    let offer = client.exchange4(&discover(1));
    let id = DhcpOption::ServerIdentifier([192, 0, 2, 254].into());
    assert_eq!(offer.opts().get(OptionCode::ServerIdentifier), Some(&id));
    assert!(client.is_unanswered(&running, &[request(1, &offer).to_vec().unwrap()]));
    let advertise = six.exchange6(&solicit(1));
    let next = next6(v6::MessageType::Request, &advertise).to_vec().unwrap();
    assert!(six.is_unanswered(&running, &[next]));
    let stats = running.shutdown();
    assert_eq!((stats.fault("wrong-server"), stats.v4.not_ours, stats.v6.not_ours), (2, 1, 1));
}

#[test]
fn nak_no_lease_and_fixed_address_faults_work() {
    let (running, client, six) = rule("on = ['request', 'renew']\naction = 'nak'");
    let offer = client.exchange4(&discover(1));
    let nak = client.exchange4(&request(1, &offer));
    assert_eq!(nak.opts().msg_type(), Some(v4::MessageType::Nak));
    assert_eq!(running.leases()[0].state, State::Offered, "nothing was done");
    let advertise = six.exchange6(&solicit(1));
    assert_eq!(given(&six.exchange6(&next6(v6::MessageType::Request, &advertise))).0.len(), 1);
    let stats = running.shutdown();
    assert_eq!((stats.fault("nak"), stats.v4.sent_of(Answer::Nak)), (1, 1));

    let (running, client, six) = rule("action = { status = 2 }");
    lease4(&client, 1);
    let advertise = six.exchange6(&solicit(1));
    assert_eq!(given(&advertise), (vec![], Some(Status::NoAddrsAvail)));
    let released = six.exchange6(&next6(v6::MessageType::Release, &advertise));
    assert_eq!(status(released.opts()), Some(Status::NoAddrsAvail));
    let stats = running.shutdown();
    // The release refers to an association without a lease, which has a status code of its own.
    assert_eq!((stats.fault("status"), stats.v6.status_of(2), stats.v6.status_of(3)), (2, 2, 1));

    let (running, client, six) = rule("action = 'no-lease'");
    let offer = client.exchange4(&discover(1));
    assert_eq!(offer.yiaddr(), Ipv4Addr::UNSPECIFIED);
    assert_eq!(offer.opts().get(OptionCode::AddressLeaseTime), None);
    assert_eq!(given(&six.exchange6(&solicit(1))), (vec![], None));
    assert_eq!(running.shutdown().fault("no-lease"), 2);

    let (running, client, six) = scripted(
        "[[rule]]\naction = { address = '10.9.9.9' }\n[[rule]]\naction = { address = '2001:db8::9' }",
    );
    assert_eq!([1, 2].map(|number| lease4(&client, number)), [Ipv4Addr::new(10, 9, 9, 9); 2]);
    let addresses = [1, 2].map(|number| given(&six.exchange6(&solicit(number))).0[0].addr);
    assert_eq!(addresses, ["2001:db8::9".parse::<std::net::Ipv6Addr>().unwrap(); 2]);
    assert_eq!(running.shutdown().fault("address"), 6);
}

#[test]
fn truncate_and_garbage_faults_work() {
    let (running, client, six) = rule("action = { truncate = 20 }");
    let whole = discover(1).to_vec().unwrap();
    let part = client.exchange(&whole);
    // The beginning of a BOOTREPLY over Ethernet under our transaction id.
    assert_eq!((part.len(), part[..3].to_vec(), &part[4..8]), (20, vec![2, 1, 6], &whole[4..8]));
    assert_eq!(six.exchange(&solicit(1).to_vec().unwrap())[..4], [2, 1, 2, 1]);
    let stats = running.shutdown();
    assert_eq!((stats.fault("truncate"), stats.v4.sent, stats.v6.sent), (2, vec![], vec![]));

    let (running, client, _) = rule("action = { garbage = 300 }");
    let noise = client.exchange(&whole);
    assert_eq!(noise.len(), 300);
    assert_ne!(noise, client.exchange(&whole));
    let stats = running.shutdown();
    assert_eq!((stats.fault("garbage"), stats.v4.sent), (2, vec![]));
}

#[test]
fn stall_delays_all_answers() {
    // This clock starts before the server's.
    let begin = now();
    let (running, client, six) = scripted("[[stall]]\nat = '0s'\nlasts = '500ms'");
    client.send(&discover(1).to_vec().unwrap());
    assert_eq!(read6(&six.exchange(&solicit(1).to_vec().unwrap())).xid(), [1, 2, 1]);
    client.receive().unwrap();
    let stalled = begin.elapsed();
    assert!(stalled >= Duration::from_millis(500), "{stalled:?}");
    assert_eq!(client.exchange4(&discover(1)).opts().msg_type(), Some(v4::MessageType::Offer));
    assert!(begin.elapsed() > stalled);
    assert_eq!(running.shutdown().v4.sent_of(Answer::Offer), 2);
}

#[test]
fn refuse_loses_messages_for_a_while() {
    let (running, client, six) = scripted("[[refuse]]\nat = '0s'\nlasts = '1500ms'");
    let begin = now();
    client.send(&discover(1).to_vec().unwrap());
    six.send(&solicit(1).to_vec().unwrap());
    while begin.elapsed() < Duration::from_millis(1_600) {
        assert!(client.receives_nothing() && six.receives_nothing());
    }
    assert_eq!(running.stats().v4.datagrams, 0);
    assert_eq!(xid4(&client.exchange(&discover(2).to_vec().unwrap())), 0x0100_0002);
    assert_eq!(six.exchange6(&solicit(2)).msg_type(), v6::MessageType::Advertise);
    let stats = running.shutdown();
    assert_eq!((stats.v4.datagrams, stats.v6.datagrams), (1, 1));
}

#[test]
fn client_rule_selects_its_client() {
    let (running, client, _) = rule("client = '02:00:00:00:00:07'\naction = 'drop'");
    for number in [6, 8] {
        lease4(&client, number);
    }
    let discovery = message4(7, v4::MessageType::Discover).to_vec().unwrap();
    assert!(client.is_unanswered(&running, &[discovery]));
    assert_eq!(running.shutdown().fault("drop"), 1);
}
