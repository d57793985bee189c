//! `brunt http` with the flags that users of wrk and oha know: how many requests there are, of what, and over how many
//! connections.

use std::collections::BTreeSet;

use brunt_test_program::{Ended, scratch};

use crate::machine::own;
use crate::rest_target::RestTarget;

fn http(words: &str, target: &RestTarget) -> Ended {
    let words: Vec<&str> = words.split(' ').chain([&*target.base]).collect();
    own(|machine| machine.record(&["http"], &words)).went_well()
}

#[test]
fn requests_are_divided_among_connections() {
    let target = RestTarget::start();
    let run = http("-c 5 -n 503", &target);
    let seen = target.stop();
    let connections: BTreeSet<u64> = seen.iter().map(|one| one.connection).collect();
    assert_eq!((seen.len(), connections.len()), (503, 5), "{run}");
    assert!(run.stdout.contains("503"), "{run}");
}

#[test]
fn duration_is_kept() {
    for words in ["-c 3 -z 1s", "-c 3 -d 1s -t 1 --latency"] {
        let target = RestTarget::start();
        let run = http(words, &target);
        // Each connection asks every two milliseconds.
        assert_eq!((run.count("ok"), target.stop().len()), (1_500, 1_500), "{run}");
        assert_eq!(run.json()["rates"]["seconds"], 1.0, "{run}");
    }
}

#[test]
fn rate_is_kept_whatever_the_answers() {
    let target = RestTarget::start();
    let run = http("-c 10 -q 200 -z 2s", &target);
    assert_eq!((target.stop().len(), run.count("planned")), (400, 400), "{run}");
    assert_eq!(run.json()["plan"]["mode"], "open", "{run}");
}

#[test]
fn urls_from_file_are_requested_in_order() {
    let target = RestTarget::start();
    let paths = ["/", "/headers", "/status/404"];
    let (directory, text) = (scratch(), paths.map(|path| format!("{}{path}\n", target.base)));
    let urls = directory.path().join("urls");
    std::fs::write(&urls, text.concat()).unwrap();
    let line = ["-c", "2", "-n", "90", "--urls-from-file", urls.to_str().unwrap()];
    let run = own(|machine| machine.record(&["http"], &line)).expect(0);
    let seen = target.stop();
    for path in paths {
        assert_eq!(seen.iter().filter(|one| one.target == path).count(), 30, "{path}\n{run}");
    }
}
