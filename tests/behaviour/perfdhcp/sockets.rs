//! What only sockets have: several of them, and stamps of the kernel. Everything else about the clients, the stages and
//! the faults of a server is seen in virtual time (`tests/in_memory`).

use std::collections::BTreeSet;
use std::time::Duration;

use brunt_dhcp_server::Answer;
use brunt_testbed::free_port;

use super::server::Server;

#[test]
fn source_port_accepts_several_sources() {
    let server = Server::v4("");
    let ports = [(); 2].map(|()| free_port().to_string()).join(",");
    let line = format!("-r 400 -n 200 -R 200 --source-port {ports}");
    let ended = server.run(&line).expect(0);
    let record = ended.record();
    assert_eq!((record.counts.ok, server.sent(Answer::Ack)), (200, 200), "{ended}");
    let clients: BTreeSet<Vec<u8>> = server.leases().into_iter().map(|it| it.client).collect();
    assert_eq!(clients.len(), 200, "{ended}");
    assert_eq!(ended.tally("foreign"), 0, "{ended}");
}

#[test]
fn kernel_stamps_time_the_answers() {
    let script = "[[rule]]\non = ['solicit']\naction = { delay = '20ms' }";
    let server = Server::v6(script);
    let ended = server.run("-r 100 -n 50 -R 50 --kernel-stamps").expect(0);
    let took = &ended.record().parts[0].took;
    let shortest = Duration::from_nanos(took.min_ns.expect("there are answers"));
    assert_eq!(took.count, 50, "{ended}");
    // The kernel's stamps, which are of another clock, may lie a millisecond from our own.
    assert!(shortest >= Duration::from_millis(19), "{shortest:?}\n{ended}");
}

#[test]
fn random_losses_equal_the_count_of_the_server() {
    let script = "
        seed = 3
        [[rule]]
        probability = 0.1
        action = 'drop'
        [[rule]]
        probability = 0.1
        action = 'duplicate'
    ";
    let server = Server::v4(script);
    let run = server.run("-r 400 -n 400 -R 400 -d 3 -d 3 --kernel-stamps").expect(3);
    let record = run.record();
    let stats = server.stats();
    let lost = stats.fault("drop");
    assert!(lost > 20, "{stats:?}");
    assert_eq!(record.counts.timed_out, lost, "{run}");
    // The server counts each copy that it sent, and all of them arrived.
    let sent = server.sent(Answer::Offer) + server.sent(Answer::Ack);
    let sum = |what: &str| {
        let of = |stage| run.tally(&format!("{stage} {what}"));
        of("DISCOVER-OFFER") + of("REQUEST-ACK")
    };
    assert_eq!(sum("received") + sum("duplicates"), sent, "{stats:?}\n{run}");
    assert_eq!((sum("drops"), sum("late")), (lost, 0), "{run}");
}
