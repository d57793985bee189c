//! Groups of steps: every output has as many as the record, apart from the exchanges that they consist of.

use brunt_record::{Counts, OperationRecord, Record};

use super::exposition::{points, sum};
use super::otlp::{Receiver, sent};
use super::{counts_of, durations, endpoint, scrape_to_the_end};
use brunt_test_program::{Plan, Target, brunt, scratch};

fn plan(target: &Target) -> Plan {
    Plan::from_text(&format!(
        "[run]\nusers = 2\nduration = \"3s\"\n[http]\nbase = \"http://{}\"\n[[scenario]]\nname = \"visit\"\n\
         [[scenario.steps]]\nname = \"login\"\nsteps = [{{ name = \"page\", get = \"/sleep?ms=1\" }}, \
         {{ pause = \"20ms\" }}, {{ name = \"token\", get = \"/sleep?ms=1\" }}]\n\
         [[scenario.steps]]\nname = \"broken\"\nsteps = [{{ name = \"none\", get = \"/none\" }}]\n",
        target.address()
    ))
}

/// The groups of a record, each of which took place.
fn groups(record: &Record) -> &[OperationRecord] {
    let names: Vec<&str> = record.spans.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["login", "login work", "broken"]);
    assert!(record.spans.iter().all(|group| group.counts.sent > 10), "{:?}", record.spans);
    &record.spans
}

#[test]
fn groups_are_in_metrics_tables_and_page() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let file = directory.path().join("run.json");
    let (plan, collector) = (plan(&target), Receiver::start(|_| "200 OK"));
    let run = brunt("run --prometheus 127.0.0.1:0 --record").arg(&file).arg("--otlp");
    let mut run = run.arg(format!("http://{}", collector.address)).arg(plan.path()).start();
    let scraped = points(&scrape_to_the_end(&endpoint(&mut run)));
    run.wait().expect(0);
    let record = Record::read(&file).expect("a record");
    let last = collector.posted().pop().expect("a message").1;
    for (what, count) in counts_of(groups(&record)) {
        let (group, code) = what.rsplit_once(": ").expect("a group");
        let (name, labels) = match code.split_once(' ') {
            None => ("groups", vec![("group", group), ("outcome", code)]),
            Some((class, code)) => {
                ("group_codes", vec![("group", group), ("class", class), ("code", code)])
            }
        };
        let shown = sum(&scraped, &format!("brunt_{name}_total"), &labels);
        assert!((shown - count as f64).abs() < 0.5, "{what}: {shown} is not {count}");
        assert_eq!(sent(&last, &format!("brunt.{name}"), &labels), count, "{what}");
    }
    for group in &record.spans {
        let labels = [("group", group.name.as_str())];
        let (took, all) = ("brunt_group_time_seconds", durations(&group.response));
        let count = sum(&scraped, &format!("{took}_count"), &labels);
        assert!((count - all.count() as f64).abs() < 0.5, "{}: {count}", group.name);
        let seconds = sum(&scraped, &format!("{took}_sum"), &labels);
        assert!((seconds - all.sum_nanos() as f64 / 1e9).abs() < 1e-6, "{}", group.name);
    }
    // The exchanges are counted as before, without the groups that they are of.
    let exchanges = sum(&scraped, "brunt_exchanges_total", &[]);
    assert!((exchanges - sum(&scraped, "brunt_exchanges_due_total", &[])).abs() < 0.5);
    tables(&record, &file);
}

/// The two tables and the page that are made from the record.
fn tables(record: &Record, file: &std::path::Path) {
    let report = |words: &[&str]| brunt("report").arg(file).args(words).run().expect(0).stdout;
    let (operations, intervals) = (report(&["--csv=operations"]), report(&["--csv"]));
    let ended = |text: &str, name: &str, column: &str| -> u64 {
        let heads: Vec<&str> = text.lines().next().expect("a head").split(',').collect();
        let at = |name: &str| heads.iter().position(|head| *head == name).expect("a column");
        let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let of = rows.filter(|row| row[at("operation")] == name && row[at("kind")] == "group");
        of.map(|row| row[at(column)].parse::<u64>().expect("a count")).sum()
    };
    for group in groups(record) {
        let Counts { ok, failed, .. } = group.counts;
        assert_eq!(ended(&operations, &group.name, "ok"), ok, "{operations}");
        assert_eq!(ended(&operations, &group.name, "failed"), failed, "{operations}");
        assert_eq!(ended(&intervals, &group.name, "ok"), ok, "{intervals}");
        assert_eq!(ended(&intervals, &group.name, "failed"), failed, "{intervals}");
    }
    let page = report(&["--format", "html"]);
    let shown = "\"operations\":[\"page\",\"token\",\"none\",\"login\",\"login work\",\"broken\"],\"groups\":3";
    assert!(page.contains(shown), "the charts of the page have no groups");
}

#[test]
fn abort_on_accepts_a_group() {
    let target = Target::start("rest");
    let plan = plan(&target);
    let ended = plan.start(&["--abort-on", "broken.errors>0%"]).wait();
    let output = "--abort-on broken.errors>0%: in the last interval it was 100.0%";
    assert!(ended.output().contains(output), "{ended}");
}
