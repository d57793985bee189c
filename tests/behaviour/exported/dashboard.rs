//! The dashboard of `extras/grafana`, against a real Prometheus that scrapes a real run: each of its queries has a
//! result, and the counts equal the record's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{Daemon, free_port, require, until};
use serde_json::Value;

use super::{endpoint, fetch};
use brunt_test_program::{Target, brunt, scratch};

/// A Prometheus that scrapes one address.
struct Prometheus {
    _daemon: Daemon,
    address: String,
}

impl Prometheus {
    fn start(directory: &Path, scraped: &str) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let config = directory.join("prometheus.yml");
        let text = format!(
            "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\nscrape_configs:\n- job_name: brunt\n  \
             static_configs:\n  - targets: ['{scraped}']\n"
        );
        fs::write(&config, text).expect("a configuration");
        let mut start = Command::new("prometheus");
        start.arg(format!("--config.file={}", config.display()));
        start.arg(format!("--storage.tsdb.path={}", directory.join("data").display()));
        start.arg(format!("--web.listen-address={address}"));
        let daemon = Daemon::start(&start, &directory.join("prometheus.log"));
        let prometheus = Self { _daemon: daemon, address };
        let ready = || {
            fetch(&prometheus.address, "/-/ready", "*/*")
                .is_some_and(|(head, _)| head.contains(" 200 "))
        };
        assert!(until(Duration::from_secs(60), ready), "Prometheus starts");
        prometheus
    }

    /// What it answers to a query of now: a value for each series.
    fn query(&self, expression: &str) -> Vec<(Value, f64)> {
        let encoded =
            url::form_urlencoded::byte_serialize(expression.as_bytes()).collect::<String>();
        let (_, body) = fetch(&self.address, &format!("/api/v1/query?query={encoded}"), "*/*")
            .expect("an answer");
        let answer: Value = serde_json::from_str(&unchunked(&body)).expect("JSON");
        assert_eq!(answer["status"], "success", "{expression}: {answer}");
        let series = answer["data"]["result"].as_array().expect("series").clone();
        let value =
            |one: &Value| one["value"][1].as_str().expect("a value").parse().expect("a number");
        series.into_iter().map(|one| (one["metric"].clone(), value(&one))).collect()
    }

    fn sum(&self, expression: &str) -> f64 {
        self.query(expression).iter().map(|(_, value)| value).sum()
    }
}

/// A body that came in chunks or whole.
fn unchunked(body: &str) -> String {
    body.find('{')
        .and_then(|from| Some(&body[from..=body.rfind('}')?]))
        .unwrap_or(body)
        .lines()
        .filter(|line| {
            // Nothing in these answers has lines but the lengths of chunks.
            !line.trim().chars().all(|digit| digit.is_ascii_hexdigit())
        })
        .collect()
}

/// The queries of the dashboard, by the titles of their panels, with its variables filled in.
fn queries() -> Vec<(String, String)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("extras/grafana/brunt.json");
    let dashboard: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let of = |panel: &Value| {
        let title = panel["title"].as_str().expect("a title").to_owned();
        let targets = panel["targets"].as_array().expect("queries").clone();
        targets.into_iter().map(move |target| {
            let query = target["expr"].as_str().expect("a query");
            let filled = [("$__rate_interval", "10s"), ("$instance", ".*"), ("$operation", ".*")];
            let query = filled
                .iter()
                .fold(query.to_owned(), |query, (name, value)| query.replace(name, value));
            assert!(!query.contains('$'), "{title}: {query}");
            (title.clone(), query)
        })
    };
    panels.iter().flat_map(of).collect()
}

#[test]
fn dashboard_queries_all_return_data() {
    if !require(&["prometheus"]) {
        return;
    }
    let (directory, target) = (scratch(), Target::start("rest"));
    let record = directory.path().join("run.json");
    let plan = directory.path().join("plan.toml");
    let text = format!(
        "[run]\nrate = \"20/s\"\nusers = 4\nduration = \"20s\"\n[http]\nbase = \"http://{}\"\n[[scenario]]\n\
         steps = [{{ name = \"visit\", steps = [{{ name = \"page\", get = \"/sleep?ms=1\" }}] }}]\n",
        target.address()
    );
    fs::write(&plan, text).expect("a plan");
    let run = brunt("run --prometheus 127.0.0.1:0 --record").arg(&record);
    let mut run = run.arg(&plan).start();
    let scraped = endpoint(&mut run);
    let prometheus = Prometheus::start(directory.path(), &scraped);
    // Rates are of several scrapes.
    let times_scraped = || prometheus.sum("count_over_time(brunt_run_elapsed_seconds[1m])");
    assert!(
        until(Duration::from_secs(90), || times_scraped() >= 4.0),
        "{} scrapes",
        times_scraped()
    );
    for (title, query) in queries() {
        let answer = prometheus.query(&query);
        assert!(!answer.is_empty(), "{title}: nothing for {query}");
        let figures = answer.iter().filter(|(_, value)| value.is_finite()).count();
        // Nothing connects any more.
        assert!(figures > 0 || title == "Connecting", "{title}: no figure for {query}");
    }
    let variables = [
        "label_replace(brunt_run_info, \"x\", \"$1\", \"instance\", \"(.+)\")",
        "brunt_exchanges_total",
    ];
    assert!(variables.iter().all(|query| !prometheus.query(query).is_empty()));
    // The program waits for the last scrape, so nothing is missing.
    let ended = run.wait();
    // On a busy machine the last answers may come too late.
    assert!(matches!(ended.code(), 0 | 5), "{ended}");
    let record = Record::read(&record).expect("a record");
    let last = |name: &str| prometheus.sum(&format!("last_over_time({name}[5m])"));
    // It answers that scrape before Prometheus has stored what it said.
    assert!(until(Duration::from_secs(90), || last("brunt_run_finished") >= 1.0));
    let equal = |name: &str, count: u64| {
        let shown = last(name);
        assert!((shown - count as f64).abs() < 0.5, "{name}: {shown} is not {count}");
    };
    equal("brunt_exchanges_total{outcome=\"ok\",phase=~\"steady|drain\"}", record.counts.ok);
    equal(
        "brunt_response_seconds_count{phase=~\"steady|drain\"}",
        record.operations[0].response.count,
    );
    equal("brunt_exchanges_due_total", record.conservation.counts.planned);
    assert_eq!(record.conservation.counts.planned, 400);
}
