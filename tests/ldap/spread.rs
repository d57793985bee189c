//! The destinations and sources of operations: servers in turn, source addresses, connections replaced, and the total
//! number of operations.

use std::collections::BTreeMap;

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, user_dn};

use crate::brunt::{Brunt, Run, To, command};
use crate::directory::{Directory, Transport, opendj, slapd};

fn search(run: Brunt, options: &str) -> Run {
    let run = run.args(["-D", ADMIN_DN, "-w", PASSWORD]).typed(options);
    run.args(["-b", BASE_DN, "(uid=user.1)", "uid"]).run()
}

#[test]
fn servers_are_used_in_turn() {
    let (Some(first), Some(second)) = (slapd(10), slapd(10)) else { return };
    let both = format!("localhost:{},127.0.0.1:{}", first.port(), second.port());
    let mut run = None;
    let mut seen_second = None;
    let seen_first = first.saw(|| {
        seen_second = Some(second.saw(|| {
            let brunt = command("searchrate").args(["-h", &both]);
            run = Some(search(brunt, "-F -c 6 -m 600").went_well());
        }));
    });
    let (run, seen_second) = (run.expect("it ran"), seen_second.expect("it ran"));
    assert_eq!(seen_first.searches + seen_second.searches, 600, "{run}");
    // Three connections to each, and one that tried the parameters out.
    assert_eq!((seen_first.connections, seen_second.connections), (4, 3), "{run}");
    assert!(seen_first.searches > 0 && seen_second.searches > 0, "{run}");
    // The option may as well be repeated, and every operation's connection goes to the next server.
    let mut seen_second = None;
    let seen_first = first.saw(|| {
        seen_second = Some(second.saw(|| {
            let [one, other] =
                [&first, &second].map(|server| format!("127.0.0.1:{}", server.port()));
            let brunt = command("searchrate").args(["-h", &one, "-h", &other]);
            search(brunt, "-c 1 -m 40").went_well();
        }));
    });
    let seen_second = seen_second.expect("it ran");
    assert_eq!((seen_first.searches, seen_second.searches), (20, 20));
}

#[test]
fn dead_server_costs_only_its_share() {
    let (Some(first), Some(second)) = (slapd(10), slapd(10)) else { return };
    second.kill();
    let both = format!("127.0.0.1:{},127.0.0.1:{}", first.port(), second.port());
    let brunt = command("searchrate").args(["-h", &both]);
    let run = search(brunt, "-F -c 2 -m 100").expect(5);
    assert_eq!(run.count("ok") + run.of_class("connect"), 100, "{run}");
    assert!(run.count("ok") > 0 && run.of_class("connect") > 0, "{run}");
    assert_eq!(first.operations().searches, run.count("ok"), "{run}");
}

/// The addresses that connections came from, and how many from each. The testbed's own knock at the port, which may
/// come late into the log, is from 127.0.0.1.
fn sources(log: &str) -> BTreeMap<String, usize> {
    let mut sources = BTreeMap::new();
    for line in log.lines() {
        let from = line.split_once("ACCEPT from IP=").or_else(|| line.split_once(" from="));
        let Some((_, from)) = from.filter(|_| line.contains("ACCEPT") || line.contains("CONNECT "))
        else {
            continue;
        };
        let address = from.split(':').next().unwrap_or_default();
        *sources.entry(address.to_owned()).or_default() += 1;
    }
    sources.remove("127.0.0.1");
    sources
}

#[test]
fn source_ip_addresses_reach_slapd() {
    let Some(slapd) = slapd(10) else { return };
    from_addresses(&slapd);
}

#[test]
fn source_ip_addresses_reach_opendj() {
    let Some(opendj) = opendj() else { return };
    from_addresses(&*opendj);
}

fn from_addresses(server: &impl Directory) {
    let skip = server.log_text().len();
    let brunt = command("searchrate").to(server, Transport::Plain);
    let run = search(brunt, "-F -c 6 -m 60 --source-ip 127.0.0.2,127.0.0.3").went_well();
    let seen = sources(&server.log_text()[skip..]);
    assert_eq!(seen.len(), 2, "{seen:?}\n{run}");
    assert_eq!(seen["127.0.0.2"] + seen["127.0.0.3"], 7, "{seen:?}\n{run}");
    assert!(seen["127.0.0.2"].abs_diff(seen["127.0.0.3"]) <= 1, "{seen:?}\n{run}");
    // A network is all of its addresses, and each connection of an operation is from the next.
    let skip = server.log_text().len();
    let brunt = command("searchrate").to(server, Transport::Plain);
    search(brunt, "-c 1 -m 7 --source-ip 127.0.9.0/29").went_well();
    let seen = sources(&server.log_text()[skip..]);
    assert!(seen.keys().all(|address| address.starts_with("127.0.9.")), "{seen:?}");
    assert!(seen.len() >= 6, "{seen:?}");
}

#[test]
fn source_ip_of_another_machine_is_refused() {
    let Some(slapd) = slapd(1) else { return };
    let brunt = command("searchrate").to(&slapd, Transport::Plain);
    let run = search(brunt, "-F -m 1 --source-ip 192.0.2.1");
    assert_ne!(run.code(), 0, "{run}");
    assert!(run.stderr.contains("192.0.2.1"), "{run}");
    assert_eq!(slapd.operations().searches, 0, "{run}");
}

#[test]
fn connections_are_replaced_after_the_given_operations() {
    let Some(slapd) = slapd(10) else { return };
    let replaced = |options: &str| {
        slapd.saw(|| {
            let brunt = command("searchrate").to(&slapd, Transport::Plain);
            search(brunt, options).went_well();
        })
    };
    let seen = replaced("-F -c 1 -m 100 --iterationsBeforeReconnect 10");
    assert_eq!((seen.searches, seen.connections, seen.binds), (100, 11, 11), "{seen:?}");
    let seen = replaced("-f -c 1 -m 95 --iterationsBeforeReconnect 10");
    assert_eq!((seen.searches, seen.connections), (95, 11), "{seen:?}");
    let seen = replaced("-F -c 3 -m 100 --iterationsBeforeReconnect 7");
    // However the hundred fall to the three connections, none carries more than seven.
    assert_eq!(seen.searches, 100);
    assert!((1 + 15..=1 + 17).contains(&seen.connections), "{seen:?}");
    let seen = slapd.saw(|| {
        let brunt = command("authrate").to(&slapd, Transport::Plain);
        let brunt = brunt.typed("-f -c 1 -m 50 --iterationsBeforeReconnect 5 -w password -D");
        brunt.arg(user_dn(1)).run().went_well();
    });
    assert_eq!((seen.binds, seen.connections), (50, 11), "{seen:?}");
}

#[test]
fn operation_count_is_exact() {
    let Some(slapd) = slapd(10) else { return };
    for (options, count) in [
        ("-F -c 7 -m 101", 101),
        ("-F -c 3 -t 5 -m 1003", 1_003),
        ("-F -c 7 -m 3", 3),
        ("-F -c 4 -m 53 -M 500", 53),
        ("-F -c 4 -m 77 -M 500 --arrival poisson", 77),
        ("-F -c 2 -M 150 -d 2", 300),
        ("-F -c 4 --workers 2 -m 301", 301),
    ] {
        let mut run = None;
        let seen = slapd.saw(|| {
            let brunt = command("searchrate").to(&slapd, Transport::Plain);
            run = Some(search(brunt, options).went_well());
        });
        let run = run.expect("it ran");
        assert_eq!((run.count("ok"), seen.searches), (count, count), "{options} {seen:?}\n{run}");
    }
}

#[test]
fn warm_up_is_performed_but_not_counted() {
    let Some(slapd) = slapd(10) else { return };
    let mut run = None;
    let seen = slapd.saw(|| {
        let brunt = command("searchrate").to(&slapd, Transport::Plain);
        run = Some(search(brunt, "-F -c 2 -M 200 -B 1 -d 2").went_well());
    });
    let run = run.expect("it ran");
    assert_eq!((run.count("ok"), seen.searches), (400, 600), "{run}");
    let whole = &run.json()["conservation"]["counts"];
    assert_eq!((&whole["ok"], &whole["planned"]), (&600.into(), &600.into()), "{run}");
}

#[test]
fn slapd_monitor_agrees_with_its_log() {
    let Some(slapd) = slapd(10) else { return };
    let brunt = command("searchrate").to(&slapd, Transport::Plain);
    search(brunt, "-f -c 3 -m 200").went_well();
    let (log, monitor) = (slapd.operations(), slapd.monitored());
    assert_eq!((monitor.searches, monitor.binds), (200, log.binds), "{monitor:?} {log:?}");
}

#[test]
fn servers_have_their_own_counts_and_a_dead_first_is_tolerated() {
    let (Some(first), Some(second)) = (slapd(10), slapd(10)) else { return };
    first.kill();
    let [dead, alive] = [&first, &second].map(|server| format!("127.0.0.1:{}", server.port()));
    let brunt = command("searchrate").args(["-h", &format!("{dead},{alive}")]);
    let run = search(brunt, "--details -F -c 4 -m 400").expect(5);
    let count = |server: &str, end: &str| run.tally(&format!("server {server}: {end}"));
    assert_eq!(count(&alive, "ok"), run.count("ok"), "{run}");
    assert_eq!(count(&dead, "unanswered"), run.of_class("connect"), "{run}");
    assert_eq!(run.count("ok") + run.of_class("connect"), 400, "{run}");
    assert_eq!(second.operations().searches, run.count("ok"), "{run}");
    assert!(run.of_class("connect") > 0 && count(&dead, "ok") == 0, "{run}");
    let line = |server: &str| run.stderr.lines().find(|line| line.starts_with(server));
    for (server, end) in [(&dead, count(&dead, "unanswered")), (&alive, run.count("ok"))] {
        let shown = line(server).is_some_and(|line| line.contains(&end.to_string()));
        assert!(shown, "{server}: {end}\n{run}");
    }
    // Every connection found the other server.
    assert_eq!((run.tally("sessions used"), run.tally("sessions never answered")), (4, 0), "{run}");
}
