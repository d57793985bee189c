//! More than a server can answer, for a long time: unanswered exchanges leave nothing behind in memory.

use brunt_dhcp_server::{Family, RequestKind};
use brunt_test_program::Program;
use brunt_testbed::free_port;

use super::server::{Server, start, wait_for};

/// The most memory a program has ever had, in KiB.
fn peak(program: &Program) -> u64 {
    program.peak_memory().unwrap_or(0) >> 10
}

#[test]
fn unanswered_exchanges_keep_no_memory() {
    let server = Server::v4("[[rule]]\naction = 'ignore'");
    // Four thousand in flight for a tenth of a second each.
    let line = "-i --window 4000 -n 200000 -R 1000000 -d 0.1";
    let program = server.start(line);
    wait_for("a quarter", || server.received(RequestKind::Discover) > 50_000);
    let early = peak(&program);
    wait_for("most of it", || server.received(RequestKind::Discover) > 150_000);
    let late = peak(&program);
    let ended = program.wait().expect(3);
    let record = ended.record();
    assert_eq!((record.counts.timed_out, record.counts.planned), (200_000, 200_000), "{ended}");
    assert_eq!(ended.tally("DISCOVER-OFFER drops"), 200_000, "{ended}");
    assert!(early > 0 && late < early + 2_048, "{early} KiB became {late} KiB\n{ended}");
    assert!(late < 200 * 1024, "{late} KiB\n{ended}");
}

#[test]
fn closed_port_costs_no_memory() {
    let port = free_port();
    let program = start(Family::V6, port, "-i --window 200 -p 3 -R 1000 -d 0.05 -t 0.2");
    wait_for("a start", || program.printed().lines().count() > 5);
    let early = peak(&program);
    wait_for("an end", || program.printed().lines().count() > 12);
    let late = peak(&program);
    let ended = program.wait().expect(3);
    let record = ended.record();
    assert_eq!(record.counts.ok, 0, "{ended}");
    let refused = ended.tally("locallimit");
    let sent = ended.tally("SOLICIT-ADVERTISE sent");
    assert_eq!(sent + refused, record.counts.planned, "{ended}");
    assert_eq!(ended.tally("SOLICIT-ADVERTISE drops"), sent, "{ended}");
    assert!(late < early + 2_048, "{early} KiB became {late} KiB\n{ended}");
}
