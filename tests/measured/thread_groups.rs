//! When the threads of a LoadGen job begin.

use std::collections::BTreeMap;

use brunt_test_program::{Files, Report, RestTarget};
use brunt_testbed::measured;
use serde_json::json;

const THREADS_BEGIN_LATER: &str = "threads of a process begin one after another in real time";

#[test]
fn threads_begin_in_groups() {
    measured(THREADS_BEGIN_LATER, || {
        let target = RestTarget::start();
        let files = Files::new();
        files.ask("look", "/echo/look");
        files.workload("looking", &[("look", 5000)]);
        let groups = json!({"threadgroupsize": 2, "threadinterval": 300});
        files.job(&target.base, 6, &[("looking", 3)], &groups);
        let ended = files.start(&["--compat"]).wait().expect(0);
        let report = Report::read(&ended.stdout);
        assert_eq!(
            (report.figure("Thread group size"), report.figure("Launch interval")),
            ("2", "300ms")
        );
        // LoadGen waits behind the last group as well.
        assert!((900.0..1400.0).contains(&report.number("Job lapsed time")), "{ended}");
        let mut firsts: BTreeMap<u64, u64> = BTreeMap::new();
        for seen in target.stop() {
            firsts.entry(seen.connection).or_insert(seen.at);
        }
        let mut firsts: Vec<u64> = firsts.into_values().collect();
        firsts.sort_unstable();
        assert_eq!(firsts.len(), 6, "each thread keeps one connection");
        let millis: Vec<u64> = firsts.iter().map(|at| (at - firsts[0]) / 1000).collect();
        // The first of a group comes an interval behind the first of the group before, unless one of them was held up.
        for (earlier, later) in [(0, 2), (2, 4)] {
            let between = millis[later] - millis[earlier];
            assert!((100..600).contains(&between), "{millis:?}");
        }
        let whole = millis[4] - millis[0];
        assert!((400..1_000).contains(&whole), "{millis:?}");
    });
}
