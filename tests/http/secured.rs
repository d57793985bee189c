//! HTTPS: the negotiated version, trusted certificates, client certificates, and resumption.

use brunt_testbed::{Listener, Nginx, PASSWORD, Served};

use crate::brunt::{Run, planned};
use crate::logged::{base, nginx, plan, quoted, step, the_same};

/// The plan's words for the listener, the version and what else is said of TLS.
fn http(nginx: &Nginx, listener: Listener, more: &str, tls: &str) -> String {
    let ca = quoted(&nginx.pki().ca());
    format!("{}\n{more}\n[http.tls]\nca = {ca}\n{tls}", base(nginx, listener))
}

fn run(http: &str, users: u32, each: u32) -> Run {
    planned(&plan(users, each, http, &step("name = \"small\"\nget = \"/small.txt\""))).run()
}

#[test]
fn http2_stream_limit_and_goaway_are_not_failures() {
    let Some(nginx) = nginx() else { return };
    // Eight users want a stream each of what has four, and a connection is over after forty requests.
    let http = http(&nginx, Listener::Narrow, "version = \"2\"\nstreams = 8", "");
    let run = run(&http, 16, 50).went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(served.len(), 800, "{run}");
    let connections = Served::connections(&served);
    let most = connections.values().max().copied().unwrap_or_default();
    assert!(most <= 10 * Nginx::NARROW as u64, "{connections:?}\n{run}");
    assert!((20..200).contains(&connections.len()), "{connections:?}\n{run}");
}

#[test]
fn http2_prior_knowledge_works_without_tls() {
    let Some(nginx) = nginx() else { return };
    for (more, connections) in [("streams = 3", 2), ("requests-per-connection = 5", 48)] {
        let before = nginx.served().len();
        let http = format!("{}\nversion = \"2\"\n{more}", base(&nginx, Listener::Prior));
        let run = run(&http, 6, 40).went_well();
        let served = nginx.served().split_off(before);
        assert!(served.iter().all(|one| one.protocol == "HTTP/2.0" && one.status == 200), "{run}");
        assert_eq!((served.len(), Served::connections(&served).len()), (240, connections), "{run}");
    }
}

#[test]
fn http2_large_bodies_work_both_ways() {
    let Some(nginx) = nginx() else { return };
    let http = http(&nginx, Listener::Tls, "version = \"2\"", "");
    let steps = step("put = \"/kept/${user}\"\nbody-file = \"large.txt\"")
        + &step("get = \"/large.bin\"\nchecks = [{ size = \"1048576\" }]")
        + &step("head = \"/large.bin\"")
        + &step("get = \"/chunked.txt\"\nchecks = [{ size = \"100000\" }]")
        + &step("get = \"/status/404\"\nstatus = 404");
    let plan = plan(2, 3, &http, &steps) + "\n[variables]\nuser = { number = \"user\" }\n";
    let brunt = planned(&plan);
    let large = "0123456789abcdef".repeat(Nginx::LARGE / 16);
    brunt.file("large.txt", &large);
    let run = brunt.run().went_well();
    let served = the_same(&nginx, &run);
    assert!(served.iter().all(|one| one.protocol == "HTTP/2.0"), "{run}");
    for user in 0..2 {
        assert!(nginx.kept(&user.to_string()) == Some(large.clone().into_bytes()), "{run}");
    }
}

#[test]
fn client_certificate_is_sent_when_requested() {
    let Some(nginx) = nginx() else { return };
    let (cert, key) = (nginx.pki().pem("client"), nginx.pki().private_key("client"));
    let (cert, key) = (quoted(&cert), quoted(&key));
    let store = quoted(&nginx.pki().pkcs12("client"));
    let apart = format!("cert = {cert}\nkey = {key}");
    let together = format!("cert = {store}\npassword = \"{PASSWORD}\"");
    for (version, shown) in [("1.1", apart), ("2", together)] {
        let before = nginx.served().len();
        let version = format!("version = \"{version}\"");
        let with = run(&http(&nginx, Listener::Mutual, &version, &shown), 2, 10).went_well();
        let without = run(&http(&nginx, Listener::Mutual, &version, ""), 2, 10);
        let served = nginx.served().split_off(before);
        let (known, unknown): (Vec<_>, Vec<_>) =
            served.iter().partition(|one| one.client == "CN=user.5,O=testbed");
        assert_eq!((known.len(), unknown.len()), (20, 20), "{with}\n{without}");
        assert_eq!(without.ends(), [(("result".into(), 400), 20)].into(), "{without}");
    }
}

#[test]
fn tls_sessions_are_resumed_unless_disabled() {
    let Some(nginx) = nginx() else { return };
    for (lowest, highest) in [("1.3", "1.3"), ("1.2", "1.2")] {
        for resume in [true, false] {
            let tls = format!("lowest = \"{lowest}\"\nhighest = \"{highest}\"\nresume = {resume}");
            let http = http(&nginx, Listener::Tls, "requests-per-connection = 1", &tls);
            let before = nginx.served().len();
            let run = run(&http, 1, 20).went_well();
            let served = nginx.served().split_off(before);
            let resumed = served.iter().filter(|one| one.resumed).count();
            assert_eq!(resumed, if resume { 19 } else { 0 }, "TLS {highest}\n{run}");
            assert_eq!(run.tally("http TLS sessions resumed"), resumed as u64, "{run}");
            assert!(served.iter().all(|one| one.tls == format!("TLSv{highest}")), "{run}");
            assert_eq!((run.part("tls"), Served::connections(&served).len()), (20, 20), "{run}");
        }
    }
}
