//! Runs under TLS: what a handshake takes is its round trips, and what the server counts of it is what the record does.

use std::time::Duration;

use brunt_ldap_server::Operation;
use brunt_test_program::{Ended, scratch};

use crate::directory::Directory;
use crate::machine::own;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;
use crate::wire::WAY;

/// The way to a server and back.
const ROUND_TRIP: Duration = WAY.saturating_mul(2);

/// A plan in which each of these users asks so often for the same page by HTTPS, and trusts the server's authority.
fn https(target: &RestTarget, (users, each): (u32, u32), http: &str, tls: &str) -> Plan {
    let base = &target.secured;
    let plan = Plan::from_text(&format!(
        "[run]\nusers = {users}\niterations = {{ each = {each} }}\n[http]\nbase = \"{base}\"\n{http}\n\
         [http.tls]\nca = \"ca.pem\"\n{tls}\n[[scenario]]\nsteps = [{{ name = \"page\", get = \"/\" }}]\n"
    ));
    plan.beside("ca.pem", target.ca_pem());
    plan
}

/// What all measurements of a part took together.
fn took(run: &Ended, part: &str) -> Duration {
    let parts = run.json()["parts"].as_array().expect("parts");
    let found = parts.iter().find(|known| known["name"] == part).expect("a part");
    Duration::from_nanos(found["took"]["sum_ns"].as_u64().expect("nanoseconds"))
}

#[test]
fn tls_handshake_takes_its_round_trips() {
    // RFC 8446 section 2, RFC 5246 section 7.3: one, or two; a resumed handshake one, in both versions.
    for (version, resume, first, others) in
        [("1.3", false, 1, 1), ("1.3", true, 1, 1), ("1.2", false, 2, 2), ("1.2", true, 2, 1)]
    {
        let target = RestTarget::start();
        let tls = format!("lowest = \"{version}\"\nhighest = \"{version}\"\nresume = {resume}");
        let run = https(&target, (1, 20), "requests-per-connection = 1", &tls).run(&[]).went_well();
        let (seen, resumed) = (target.stats(), if resume { 19 } else { 0 });
        assert_eq!((seen.requests, seen.handshakes), ([20, 0], 20), "TLS {version}\n{run}");
        assert_eq!(seen.handshakes_resumed, resumed, "TLS {version}\n{run}");
        assert_eq!(run.tally("http TLS sessions resumed"), resumed, "TLS {version}\n{run}");
        assert_eq!(run.part("tls"), 20, "TLS {version}\n{run}");
        let expected = (first + 19 * others) * ROUND_TRIP;
        assert_eq!(took(&run, "tls"), expected, "TLS {version}, resume: {resume}\n{run}");
        // What a user waits for is the handshake and the answer.
        let service = run.operation("page")["service"]["sum_ns"].as_u64().expect("nanoseconds");
        assert_eq!(Duration::from_nanos(service), expected + 20 * ROUND_TRIP, "{run}");
    }
}

#[test]
fn http_version_is_negotiated_by_alpn() {
    for (version, requests) in [("1.1", [150, 0]), ("2", [0, 150]), ("auto", [0, 150])] {
        let target = RestTarget::start();
        let run = https(&target, (3, 50), &format!("version = \"{version}\""), "");
        let run = run.run(&[]).went_well();
        let seen = target.stats();
        assert_eq!((seen.requests, seen.handshakes), (requests, 3), "{version}\n{run}");
        assert_eq!((run.part("tls"), run.part("first byte")), (3, 150), "{version}\n{run}");
    }
}

#[test]
fn http2_streams_share_a_handshake() {
    let target = RestTarget::start();
    let run = https(&target, (8, 25), "version = \"2\"\nstreams = 4", "").run(&[]).went_well();
    let seen = target.stats();
    assert_eq!((seen.requests, seen.handshakes), ([0, 200], 2), "{run}");
}

#[test]
fn untrusted_server_receives_no_request() {
    let (target, other) = (RestTarget::start(), RestTarget::start());
    let refused = https(&target, (1, 3), "", "");
    refused.beside("ca.pem", other.ca_pem());
    let refused = refused.run(&[]);
    assert_ne!(refused.code(), 0, "{refused}");
    assert!(refused.any_json().is_none_or(|_| refused.of_class("tls") == 3), "{refused}");
    assert!(refused.to_string().contains("no certificate that is trusted"), "{refused}");
    // Neither does one whose certificate is of another name.
    let named = https(&target, (1, 3), "", "server-name = \"id.example.com\"").run(&[]);
    assert_ne!(named.code(), 0, "{named}");
    assert!(named.to_string().contains("id.example.com"), "{named}");
    let seen = target.stats();
    assert_eq!((seen.requests, seen.handshakes), ([0, 0], 0), "{refused}\n{named}");
    assert!(seen.handshakes_failed > 1, "{seen:?}");
}

#[test]
fn secured_run_is_the_same_every_time() {
    let record = || {
        let target = RestTarget::start();
        let run = https(&target, (4, 25), "requests-per-connection = 10", "").run(&[]).went_well();
        let record = run.json();
        ["counts", "operations", "parts", "tallies", "verdict"]
            .map(|key| record[key].to_string().replace(&target.secured, ""))
    };
    assert_eq!(record(), record());
}

/// Searches ten times by two connections.
fn searches(directory: &Directory, port: &str, secured: &str) -> Ended {
    let files = scratch();
    let ca = files.path().join("ca.pem");
    std::fs::write(&ca, directory.ca_pem()).expect("a file");
    let at = ["-h", "10.0.0.2", "-p", port, secured, "--ca", &ca.display().to_string()];
    let line = "-F -c 2 -m 10 -b dc=example,dc=com (uid=user.1)".split(' ').collect::<Vec<_>>();
    own(|machine| machine.record(&["searchrate"], &[&at[..], &line].concat())).went_well()
}

#[test]
fn ldaps_and_start_tls_secure_every_connection() {
    for (secured, port, asked) in [("-Z", "636", 0), ("-q", "389", 1)] {
        let directory = Directory::start(5);
        let run = searches(&directory, port, secured);
        assert_eq!(directory.answered(Operation::Search), 10, "{secured}\n{run}");
        assert_eq!((run.part("connect"), run.part("tls")), (2, 2), "{secured}\n{run}");
        // Before the run brunt has tried whether the server answers.
        assert_eq!(directory.stats().connections_accepted, 3, "{secured}\n{run}");
        assert_eq!(directory.answered(Operation::Extended), asked * 3, "{secured}\n{run}");
        // To be asked for TLS in the clear takes another round trip.
        let each = 1 + u32::try_from(asked).expect("it is small");
        assert_eq!(took(&run, "tls"), 2 * each * ROUND_TRIP, "{secured}\n{run}");
    }
}
