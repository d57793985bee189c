//! `--prometheus`: the scraped figures equal the record's, and no reader disturbs a run.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{require, until};

use super::{counts_of, durations, endpoint, fetch, no_longer, scrape_to_the_end};
use brunt_test_program::{Target, brunt, run, scratch};

/// One line of an exposition.
pub(super) struct Point {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) value: f64,
}

/// The points of an exposition, read by the rules of the format.
pub(super) fn points(text: &str) -> Vec<Point> {
    text.lines().filter(|line| !line.starts_with('#')).map(point).collect()
}

fn point(line: &str) -> Point {
    let (name, rest) = line.split_at(line.find(['{', ' ']).expect("a value"));
    let (mut labels, mut rest) = (BTreeMap::new(), rest);
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        while !rest.starts_with('}') {
            let (label, after) = rest.split_once("=\"").expect("a label");
            let (mut value, mut characters) = (String::new(), after.char_indices());
            let end = loop {
                match characters.next().expect("an end") {
                    (at, '"') => break at,
                    (_, '\\') => match characters.next().expect("what is escaped").1 {
                        'n' => value.push('\n'),
                        other => value.push(other),
                    },
                    (_, other) => value.push(other),
                }
            };
            labels.insert(label.trim_start_matches(',').to_owned(), value);
            rest = &after[end + 1..];
        }
        rest = &rest[1..];
    }
    let value = rest.trim().parse().unwrap_or_else(|_| panic!("no value in {line}"));
    Point { name: name.to_owned(), labels, value }
}

/// The sum of the points of this name whose labels have these values, over what a record holds.
pub(super) fn sum(points: &[Point], name: &str, labels: &[(&str, &str)]) -> f64 {
    let is_measured = |point: &&Point| {
        point.labels.get("phase").is_none_or(|phase| matches!(phase.as_str(), "steady" | "drain"))
    };
    let all = points.iter().filter(|point| point.name == name).filter(is_measured);
    let of = all.filter(|point| {
        labels.iter().all(|(label, value)| point.labels.get(*label).is_some_and(|it| it == value))
    });
    of.map(|point| point.value).sum()
}

fn promtool(text: &str) {
    let mut check = Command::new("promtool");
    let check = check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut check = check.stderr(Stdio::piped()).spawn().expect("promtool starts");
    check.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let checked = check.wait_with_output().expect("it ends");
    let output = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && output.is_empty(), "{output}\n{text}");
}

#[test]
fn prometheus_scrape_equals_the_record() {
    if !require(&["promtool"]) {
        return;
    }
    let (directory, target) = (scratch(), Target::start("rest"));
    let record = directory.path().join("run.json");
    // Some get no answer in time, and all come from a plan whose names are hostile.
    let plan = directory.path().join("plan.toml");
    let url = format!("http://{}", target.address());
    std::fs::write(&plan, hostile_plan(&url)).expect("a plan");
    let run = brunt("run --prometheus 127.0.0.1:0 --interval 200ms --record").arg(&record);
    let mut run = run.arg(&plan).start();
    let address = endpoint(&mut run);
    let (head, open) =
        fetch(&address, "/metrics", "application/openmetrics-text").expect("an answer");
    assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
    // Before the first exchange there is nothing above it.
    assert!(open == "# EOF\n" || open.ends_with("\n# EOF\n"), "{open}");
    let text = scrape_to_the_end(&address);
    run.wait().expect(0);
    promtool(&text);
    let (record, points) = (Record::read(&record).expect("a record"), points(&text));
    compare(&record, &points);
    assert!(fetch(&address, "/metrics", "*/*").is_none(), "nobody listens any more");
}

/// A name as the value of a label: it has no line breaks.
fn label(name: &str) -> String {
    name.replace('\n', " ")
}

const HOSTILE: &str = "get \\\"x\\\"} 1\\n<b>";

fn hostile_plan(url: &str) -> String {
    format!(
        "[run]\nusers = 4\nduration = \"3s\"\n\n[http]\nbase = \"{url}\"\n\n[[scenario]]\nname = \"s\"\n\n\
         [[scenario.steps]]\nname = \"{HOSTILE}\"\nget = \"/sleep?ms=1\"\n\n[[scenario.steps]]\npause = \"20ms\"\n\n\
         [[scenario.steps]]\nname = \"missing\"\nget = \"/none\"\n"
    )
}

/// Counts, codes, sums and buckets of a run that is over.
fn compare(record: &Record, points: &[Point]) {
    for (what, count) in counts_of(&record.operations) {
        let (operation, code) = what.rsplit_once(": ").expect("an operation");
        let operation = label(operation);
        let operation = operation.as_str();
        let shown = match code.split_once(' ') {
            None => {
                sum(points, "brunt_exchanges_total", &[("operation", operation), ("outcome", code)])
            }
            Some((class, code)) => {
                let labels = [("operation", operation), ("class", class), ("code", code)];
                sum(points, "brunt_exchange_codes_total", &labels)
            }
        };
        assert!((shown - count as f64).abs() < 0.5, "{what}: {shown} is not {count}");
    }
    for operation in &record.operations {
        for (name, latency) in [
            ("brunt_response_seconds", &operation.response),
            ("brunt_service_seconds", &operation.service),
        ] {
            let name_shown = label(&operation.name);
            let labels = [("operation", name_shown.as_str())];
            let all = durations(latency);
            let seconds = sum(points, &format!("{name}_sum"), &labels);
            assert!((seconds - all.sum_nanos() as f64 / 1e9).abs() < 1e-6, "{name}: {seconds}");
            let count = sum(points, &format!("{name}_count"), &labels);
            assert!((count - all.count() as f64).abs() < 0.5 && count > 0.0, "{name}: {count}");
            for bound in ["0.0005", "0.001", "0.0025", "0.005", "0.1", "60.0"] {
                let labels = [labels[0], ("le", bound)];
                let below = sum(points, &format!("{name}_bucket"), &labels);
                let known = no_longer(&all, bound.parse().expect("a number"));
                assert!(
                    (below - known as f64).abs() < 0.5,
                    "{name} up to {bound}: {below}, {known}"
                );
            }
        }
    }
    let whole = |name: &str| -> f64 {
        points.iter().filter(|point| point.name == name).map(|point| point.value).sum()
    };
    let [due, ended, dropped] =
        ["brunt_exchanges_due_total", "brunt_exchanges_total", "brunt_exchanges_dropped_total"]
            .map(whole);
    assert!((due - ended - dropped).abs() < 0.5, "{due} due, {ended} ended, {dropped} dropped");
    let planned = record.conservation.counts.planned;
    assert!((due - planned as f64).abs() < 0.5, "{due} is not {planned}");
}

#[test]
fn prometheus_readers_that_never_read_block_nothing() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let record = directory.path().join("run.json");
    let url = format!("http://{}/sleep?ms=1", target.address());
    let run = brunt("http -c 2 -q 50 -z 10m --quiet --prometheus 0 --record").arg(&record);
    let mut run = run.arg(&url).start();
    let address = endpoint(&mut run);
    let silent: Vec<TcpStream> =
        (0..60).filter_map(|_| TcpStream::connect(&address).ok()).collect();
    let half = silent.iter().map(|mut stream| stream.write_all(b"GET /metrics HTTP/1.1\r\n"));
    assert!(half.flatten().count() >= 16);
    // Those who say nothing are sent away, and others have their turn.
    let answered = until(Duration::from_secs(90), || fetch(&address, "/metrics", "*/*").is_some());
    assert!(answered, "{}", run.printed());
    run.interrupt();
    let ended = run.wait().expect(130);
    let record = Record::read(&record).expect("a record");
    assert_eq!((record.counts.ok, record.counts.dropped), (record.counts.planned, 0), "{ended}");
    assert!(record.counts.ok > 0, "{ended}");
    assert!(!ended.stdout.contains("metrics"), "{ended}");
}

#[test]
fn prometheus_address_in_use_stops_the_run_before_it_begins() {
    let (listener, target) = (std::net::TcpListener::bind("127.0.0.1:0"), Target::start("rest"));
    let port = listener.as_ref().expect("a port").local_addr().expect("its address").port();
    let url = format!("http://{}/sleep?ms=1", target.address());
    let ended = run(["http", "-z", "2s", "--prometheus", &port.to_string(), &url]).expect(1);
    let output = format!("failed to serve --prometheus 127.0.0.1:{port}: Address already in use");
    assert!(ended.output().contains(&output), "{ended}");
}
