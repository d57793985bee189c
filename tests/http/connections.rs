//! How long connections live, who closes them, and what they run over.

use brunt_testbed::{Listener, Nginx, Served};

use crate::brunt::{command, planned};
use crate::logged::{base, nginx, plan, quoted, step, the_same};

/// Requests of each connection, the most first.
fn loads(served: &[Served]) -> Vec<u64> {
    let mut loads: Vec<u64> = Served::connections(served).into_values().collect();
    loads.sort_unstable_by(|a, b| b.cmp(a));
    loads
}

fn small() -> String {
    step("name = \"small\"\nget = \"/small.txt\"")
}

#[test]
fn server_close_after_five_requests_is_not_a_failure() {
    let Some(nginx) = nginx() else { return };
    let run = planned(&plan(3, 12, &base(&nginx, Listener::Short), &small()));
    let run = run.run().went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(loads(&served), [[5; 6].as_slice(), &[2; 3]].concat(), "{run}");
    assert_eq!(run.part("connect"), 9, "{run}");
    let steps = step("name = \"closing\"\nget = \"/close\"");
    let run = planned(&plan(2, 10, &base(&nginx, Listener::Clear), &steps)).run().went_well();
    assert_eq!((run.count("ok"), run.part("connect")), (20, 20), "{run}");
}

#[test]
fn server_close_during_think_time_is_not_a_failure() {
    let Some(nginx) = nginx() else { return };
    let steps = small() + &step("pause = \"1s\"");
    let run = planned(&plan(4, 4, &base(&nginx, Listener::Impatient), &steps));
    let run = run.run().went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(served.len(), 16, "{run}");
    assert_eq!(loads(&served), [1; 16], "{run}");
    assert_eq!((run.part("connect"), run.part("reconnect")), (4, 12), "{run}");
}

#[test]
fn post_after_a_pause_is_sent_once() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"posted\"\npost = \"/status/200\"\ntext = \"once\"")
        + &step("pause = \"1s\"");
    for resend in ["never", "safe", "always"] {
        let http = format!("{}\nresend = \"{resend}\"", base(&nginx, Listener::Impatient));
        let before = nginx.served().len();
        let run = planned(&plan(4, 4, &http, &steps)).run().went_well();
        assert_eq!(nginx.served().len() - before, 16, "{run}");
        assert_eq!((run.part("connect"), run.part("reconnect")), (4, 12), "{run}");
        assert_eq!((run.connections("reconnected"), run.connections("resent")), (12, 0), "{run}");
    }
    // The same from the command line, each connection being used every other second.
    let url = nginx.url(Listener::Impatient, "/status/200");
    let brunt = command("http").typed("-c 4 -q 2 -z 4s -m POST -d once --resend never");
    let run = brunt.arg(url).run().went_well();
    assert!(run.part("reconnect") >= 4, "{run}");
}

#[test]
fn connection_closed_without_an_answer_has_its_own_class() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"dropped\"\npost = \"/dropped\"") + &small();
    let run = planned(&plan(2, 10, &base(&nginx, Listener::Clear), &steps)).run();
    let run = run.expect(5);
    assert_eq!(run.count_of("dropped", "failed"), 20, "{run}");
    assert_eq!(run.of_class("closed"), 20, "{run}");
    assert_eq!(run.count_of("small", "ok"), 20, "{run}");
    let served = nginx.served();
    // Each was asked once: nothing says that the server had not done what it was asked, and a POST may do it twice.
    assert_eq!(Served::statuses(&served), [(200, 20), (444, 20)].into(), "{run}");
}

#[test]
fn unix_socket_server_is_reached() {
    let Some(nginx) = nginx() else { return };
    let socket = quoted(&nginx.socket());
    let http = format!("{}\nunix = {socket}", base(&nginx, Listener::Unix));
    let run = planned(&plan(3, 30, &http, &small())).run().went_well();
    let served = the_same(&nginx, &run);
    assert!(served.iter().all(|one| one.listener == "unix" && one.host == "localhost"), "{run}");
    assert_eq!(loads(&served), [30; 3], "{run}");
}

#[test]
fn large_answer_keeps_the_connection_usable() {
    let Some(nginx) = nginx() else { return };
    let steps = step("get = \"/large.bin\"") + &small();
    let run = planned(&plan(2, 20, &base(&nginx, Listener::Clear), &steps)).run().went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(loads(&served), [40; 2], "{run}");
    let bytes: u64 = served.iter().map(|one| one.body).sum();
    assert_eq!(bytes, 40 * (Nginx::LARGE + Nginx::SMALL.len()) as u64, "{run}");
}
