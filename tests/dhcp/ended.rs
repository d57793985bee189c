//! When a run ends, and its exit code. That it ends with its period, and at a limit of drops, is seen in virtual time
//! (`tests/in_memory`).

use std::time::Duration;

use brunt_testbed::{KeaOptions, Lan, require, until};

use crate::brunt::Brunt;
use crate::network::v4;

/// A network without any server.
fn deserted() -> Option<Lan> {
    require(&["ip", "root"]).then(Lan::make)
}

#[test]
fn request_count_is_exact() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let mut before = 0;
    for (options, count) in [
        ("-r 100 -n 7", 7),
        ("-r 400 -n 101 -R 101", 101),
        ("-r 100 -p 1 -R 100", 100),
        ("-r 33 -p 2 -R 100", 66),
        ("-r 0.5 -n 1", 1),
        ("-n 300 -R 300", 300),
        ("-n 50 -R 50 --window 1", 50),
        ("-r 100 -n 40 -p 3", 40),
        ("-r 200 -n 50 --arrival poisson", 50),
    ] {
        let run =
            Brunt::on(&lan).typed(&format!("-4 -l lan0 {options} 10.77.0.1")).run().went_well();
        let seen = kea.statistic("pkt4-discover-received") - before;
        before += seen;
        assert_eq!((run.count("ok"), seen), (count, count), "{options}\n{run}");
    }
}

#[test]
fn second_request_count_limits_the_second_stage() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 1000 -n 10 -R 100 10.77.0.1").run();
    let run = run.expect(0);
    let requests = kea.statistic("pkt4-request-received");
    // What is in flight when the tenth leaves comes to its own end.
    assert!((10..=13).contains(&requests), "{requests}\n{run}");
    assert_eq!((run.count("ok"), run.tally("REQUEST-ACK sent")), (requests, requests), "{run}");
}

#[test]
fn absent_server_causes_only_drops() {
    let Some(lan) = deserted() else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 20 -d 0.2 10.77.0.9").run().expect(3);
    assert_eq!((run.count("timed_out"), run.tally("DISCOVER-OFFER drops")), (20, 20), "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "drops"), 20, "{run}");
    assert!(run.stdout.contains("drops ratio: 100 %"), "{run}");
}

#[test]
fn wait_option_sets_the_time_for_last_answers() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    // Without -W as long as the drop time: an answer that takes 0.5 s is no drop.
    kea.pause();
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 5 -R 5 -d 90 -d 90 10.77.0.1").start();
    until(Duration::from_millis(500), || false);
    kea.resume();
    let run = run.wait().went_well();
    assert_eq!(run.count("ok"), 5, "{run}");
    // With it no longer than that: the run ends long before anything is a drop.
    kea.pause();
    let run = "-4 -l lan0 -r 100 -n 5 -R 5 -d 600 -d 600 -W 300000 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().expect(3);
    assert_eq!((run.count("cut_off"), run.tally("DISCOVER-OFFER cut off")), (5, 5), "{run}");
    kea.resume();
}

#[test]
fn usage_errors_exit_2() {
    for (words, output) in [
        ("-4 -6 10.77.0.1", "-6"),
        ("-4 -r 10 -f 8 -F 8 10.77.0.1", "-r"),
        ("-i -n 5 -n 5 10.77.0.1", "-n"),
        ("-r 10 10.77.0.1 10.77.0.2", "10.77.0.2"),
        ("-Q 10.77.0.1", "-Q"),
        ("-r many 10.77.0.1", "many"),
        ("-4 -c -i --nothing 10.77.0.1", "nothing"),
        ("-r 10", "server"),
    ] {
        let run = Brunt::here().typed(words).run();
        assert_eq!(run.code(), 2, "{run}");
        assert!(run.stderr.contains(output), "{run}");
    }
}

#[test]
fn runtime_errors_exit_1() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let taken = Brunt::on(&lan).typed("-4 -l lan0 -r 1 -p 600 10.77.0.1").start();
    assert!(until(Duration::from_secs(90), || !kea.leases().is_empty()), "it has no port");
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 10 -n 1 10.77.0.1").run();
    assert_eq!(run.code(), 1, "{run}");
    // The port of DHCP relays, which the other run has.
    assert!(run.stderr.contains("67"), "{run}");
    taken.interrupt();
    taken.wait().went_well();
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 10 -n 1 -T /nonexistent/file 10.77.0.1").run();
    assert!([1, 2].contains(&run.code()) && run.stderr.contains("/nonexistent/file"), "{run}");
}

#[test]
fn broadcast_requires_the_lab_option() {
    for words in [
        "-4 -l lo -n 1",
        "-4 -l lo -n 1 all",
        "-4 -l lo -n 1 255.255.255.255",
        "-6 -l lo -n 1 all",
        "-6 -l lo -n 1 servers",
        "-6 -l lo -n 1",
        "-6 -l lo -n 1 ff02::1:2",
    ] {
        let run = Brunt::here().typed(words).run();
        assert_eq!(run.code(), 8, "{run}");
        assert!(run.stderr.contains("--lab"), "{run}");
        assert!(run.stdout.is_empty(), "{run}");
    }
}

#[test]
fn interrupted_run_waits_for_answers_and_reports() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -p 60 -R 60000 10.77.0.1").start();
    assert!(until(Duration::from_secs(90), || kea.leases().len() > 20));
    run.interrupt();
    let run = run.wait();
    assert!(run.stdout.contains("***Statistics for: REQUEST-ACK***"), "{run}");
    assert_eq!(run.tally("REQUEST-ACK received"), kea.leases().len() as u64, "{run}");
    let code = run.code();
    assert_eq!(run.expect(code).tally("REQUEST-ACK drops"), 0);
}
