//! `--otlp`: a collector receives the figures of the record, and an unavailable one does not slow a run down.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use brunt_record::Record;

use super::authority::Authority;
use super::protobuf::Message;
use super::{counts_of, durations, no_longer};
use brunt_test_program::{Ended, Target, brunt, scratch};

/// A request of a collector: its head and its body.
type Posted = (String, Vec<u8>);

/// A collector that answers each message by a status of the test's.
pub(super) struct Receiver {
    pub(super) address: String,
    posted: Arc<Mutex<Vec<Posted>>>,
}

impl Receiver {
    pub(super) fn start(status: impl Fn(usize) -> &'static str + Send + 'static) -> Self {
        Self::over(Some, status)
    }

    /// The same over what is made of each connection, such as TLS.
    fn over<S: Read + Write>(
        conversation: impl Fn(TcpStream) -> Option<S> + Send + 'static,
        status: impl Fn(usize) -> &'static str + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let posted = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&posted);
        // It ends with the test program.
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let stream = conversation(stream.expect("a connection"));
                let Some(mut stream) = stream else { continue };
                let Some(request) = request(&mut stream) else { continue };
                kept.lock().expect("nobody panics").push(request);
                let head = format!("HTTP/1.1 {}\r\nContent-Length: 0\r\n\r\n", status(number));
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.flush());
            }
        });
        Self { address, posted }
    }

    pub(super) fn posted(&self) -> Vec<Posted> {
        self.posted.lock().expect("nobody panics").clone()
    }
}

fn request(stream: &mut impl Read) -> Option<Posted> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        if bytes.len() >= end + 4 + length.parse::<usize>().ok()? {
            return Some((head, bytes.split_off(end + 4)));
        }
    }
}

fn run(target: &Target, otlp: &str, record: &Path, code: i32) -> (Ended, Record) {
    run_trusting(None, target, otlp, record, code)
}

/// The same, where a collector is trusted if an authority of this file says who it is.
fn run_trusting(
    authority: Option<&Path>,
    target: &Target,
    otlp: &str,
    record: &Path,
    code: i32,
) -> (Ended, Record) {
    let url = format!("http://{}/sleep?ms=1", target.address());
    let run = brunt("http -c 2 -q 100 -z 3s --no-live").args(["--otlp", otlp, "--record"]);
    let run = run.arg(record).arg(&url).env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=s%20e");
    let run = authority.iter().fold(run, |run, it| run.env("OTEL_EXPORTER_OTLP_CERTIFICATE", it));
    let ended = run.run().expect(code);
    (ended, Record::read(record).expect("a record"))
}

/// A point of a metric: its attributes, and its fields.
struct Point {
    attributes: BTreeMap<String, String>,
    fields: Message,
}

/// The points of each metric of a message, and the attributes of its resource.
fn read(body: &[u8]) -> (BTreeMap<String, Vec<Point>>, BTreeMap<String, String>) {
    let whole = Message::read(body).messages(1).remove(0);
    let resource = attributes(&whole.messages(1)[0], 1);
    let mut metrics = BTreeMap::new();
    for metric in whole.messages(2)[0].messages(2) {
        // Gauge, sum, histogram and exponential histogram are 5, 7, 9 and 10; the second field of the latter three says
        // that they are cumulative.
        let (kind, data) = [5, 7, 9, 10]
            .iter()
            .find_map(|kind| Some((*kind, metric.messages(*kind).pop()?)))
            .expect("data");
        if kind != 5 {
            assert_eq!(data.number(2), Some(2), "{} is cumulative", metric.text(1));
        }
        let of = match kind {
            9 => 9,
            10 => 1,
            _ => 7,
        };
        let points = data
            .messages(1)
            .into_iter()
            .map(|fields| Point { attributes: attributes(&fields, of), fields });
        metrics.insert(metric.text(1), points.collect());
    }
    (metrics, resource)
}

/// The sum of a counter in a message over the points with these attributes, over what a record holds.
pub(super) fn sent(message: &[u8], metric: &str, wanted: &[(&str, &str)]) -> u64 {
    let (metrics, _) = read(message);
    let of =
        |point: &&Point| wanted.iter().all(|(label, value)| point.attributes[*label] == *value);
    let points = metrics[metric].iter().filter(is_measured).filter(of);
    points.filter_map(|point| point.fields.number(6)).sum()
}

/// Whether a point is of what a record holds.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "filters pass references")]
fn is_measured(point: &&Point) -> bool {
    matches!(point.attributes["phase"].as_str(), "steady" | "drain")
}

fn attributes(message: &Message, number: u64) -> BTreeMap<String, String> {
    let pair = |pair: Message| {
        let value = pair.messages(2).remove(0);
        let number = value.number(3).map(|number| number.to_string());
        (pair.text(1), number.unwrap_or_else(|| value.text(1)))
    };
    message.messages(number).into_iter().map(pair).collect()
}

#[test]
fn otlp_export_equals_the_record() {
    let (directory, target) = (scratch(), Target::start("rest"));
    // One message in the middle is refused: the next brings its figures too.
    let receiver = Receiver::start(|number| if number == 1 { "503 Busy" } else { "200 OK" });
    let url = format!("http://{}", receiver.address);
    let (ended, record) = run(&target, &url, &directory.path().join("run.json"), 0);
    let warnings = ended.stderr.matches("note: failed to deliver to --otlp").count();
    assert_eq!(warnings, 1, "{ended}");
    assert!(ended.output().contains("the collector answered 503"), "{ended}");
    let posted = receiver.posted();
    assert!((3..=6).contains(&posted.len()), "{} messages", posted.len());
    for (head, _) in &posted {
        assert!(head.starts_with("post /v1/metrics http/1.1"), "{head}");
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        assert!(head.contains("\r\napi-key: s e"), "{head}");
    }
    let (metrics, resource) = read(&posted.last().expect("a message").1);
    assert_eq!(resource["service.name"], "brunt");
    assert_eq!(Some(&resource["service.instance.id"]), record.run.as_ref());
    assert_eq!(metrics["brunt.run_finished"][0].fields.number(6), Some(1));
    compare(&record, &metrics);
}

#[test]
fn otlp_exponential_histogram_and_semantic_names_on_request() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let receiver = Receiver::start(|_| "200 OK");
    let kind = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";
    let path = directory.path().join("run.json");
    let run = |value: &str| {
        let url = format!("http://{}/sleep?ms=1", target.address());
        let run = brunt("http -c 2 -n 100 --no-live --record").arg(&path).env(kind, value);
        run.arg("--otlp").arg(format!("http://{}", receiver.address)).arg(&url).run()
    };
    run("base2_exponential_bucket_histogram").expect(0);
    let record = Record::read(&path).expect("a record");
    let all = durations(&record.operations[0].service);
    let (metrics, _) = read(&receiver.posted().last().expect("a message").1);
    let points: Vec<&Point> =
        metrics["http.client.request.duration"].iter().filter(is_measured).collect();
    let port = target.address().rsplit(':').next().expect("a port").to_owned();
    for (name, value) in [
        ("http.request.method", "GET"),
        ("url.scheme", "http"),
        ("server.address", "127.0.0.1"),
        ("server.port", &port),
    ] {
        assert!(points.iter().all(|point| point.attributes[name] == value), "{name}");
    }
    let count: u64 = points.iter().filter_map(|point| point.fields.number(4)).sum();
    assert_eq!((count, all.count()), (100, 100));
    let seconds: f64 = points.iter().filter_map(|point| point.fields.double(5)).sum();
    assert!((seconds - all.sum_nanos() as f64 / 1e9).abs() < 1e-6, "{seconds}");
    let ended = run("buckets");
    assert_ne!(ended.code(), 0, "{ended}");
    assert!(
        ended.output().contains(&format!("{kind} must be explicit_bucket_histogram")),
        "{ended}"
    );
}

fn compare(record: &Record, metrics: &BTreeMap<String, Vec<Point>>) {
    for (what, count) in counts_of(&record.operations) {
        let (operation, code) = what.rsplit_once(": ").expect("an operation");
        let (metric, wanted) = match code.split_once(' ') {
            None => ("brunt.exchanges", vec![("outcome", code)]),
            Some((class, code)) => ("brunt.exchange_codes", vec![("class", class), ("code", code)]),
        };
        let of = |point: &&Point| {
            point.attributes["operation"] == operation
                && wanted.iter().all(|(label, value)| point.attributes[*label] == *value)
        };
        let points = metrics[metric].iter().filter(is_measured).filter(of);
        let sent: u64 = points.filter_map(|point| point.fields.number(6)).sum();
        assert_eq!(sent, count, "{what}");
    }
    assert_eq!(record.counts.ok, 300);
    for (metric, latency) in [
        ("brunt.response", &record.operations[0].response),
        ("brunt.service", &record.operations[0].service),
    ] {
        let all = durations(latency);
        let points: Vec<&Point> = metrics[metric].iter().filter(is_measured).collect();
        let count: u64 = points.iter().filter_map(|point| point.fields.number(4)).sum();
        assert_eq!(count, all.count(), "{metric}");
        let seconds: f64 = points.iter().filter_map(|point| point.fields.double(5)).sum();
        assert!((seconds - all.sum_nanos() as f64 / 1e9).abs() < 1e-6, "{metric}: {seconds}");
        let bounds = points[0].fields.packed(7);
        for (number, bound) in bounds.iter().map(|bound| f64::from_bits(*bound)).enumerate() {
            let below =
                points.iter().map(|point| point.fields.packed(6)[..=number].iter().sum::<u64>());
            assert_eq!(below.sum::<u64>(), no_longer(&all, bound), "{metric} up to {bound}");
        }
        assert_eq!(bounds.len() + 1, points[0].fields.packed(6).len());
    }
}

#[test]
fn otlp_unavailable_collector_does_not_slow_the_run() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let port = brunt_testbed::free_port();
    // The other accepts and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent_at = silent.local_addr().expect("its address").to_string();
    for (at, why) in
        [(format!("127.0.0.1:{port}"), "Connection refused"), (silent_at, "no answer within 3 s")]
    {
        let (ended, record) =
            run(&target, &format!("http://{at}"), &directory.path().join("run.json"), 1);
        assert_eq!(record.counts.ok, 300, "{ended}");
        assert_eq!(ended.stderr.matches("note: failed to deliver").count(), 1, "{ended}");
        let message =
            format!("error: failed to deliver the last figures to --otlp http://{at}/v1/metrics: ");
        assert!(ended.output().contains(&message) && ended.output().contains(why), "{ended}");
        assert!(ended.output().contains("messages did not arrive"), "{ended}");
        assert!(ended.stdout.contains("\nnext  "), "{ended}");
    }
    drop(silent);
}

#[test]
fn otlp_over_https_checks_the_certificate() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let [ours, other] = ["ours", "other"].map(|name| Authority::new(name, directory.path()));
    let served = ours.served("127.0.0.1");
    let secured = move |stream| served.accept(stream);
    let receiver = Receiver::over(secured, |_| "200 OK");
    let url = format!("https://{}", receiver.address);
    let record = directory.path().join("run.json");

    let (ended, made) = run_trusting(Some(ours.path()), &target, &url, &record, 0);
    assert!(!ended.output().contains("failed to deliver"), "{ended}");
    let posted = receiver.posted();
    let (head, last) = posted.last().expect("a message");
    assert!(head.starts_with("post /v1/metrics http/1.1"), "{head}");
    assert!(head.contains("\r\napi-key: s e"), "{head}");
    compare(&made, &read(last).0);

    // An authority that did not issue its certificate, and those of this machine, which did not either.
    for authority in [Some(other.path()), None] {
        let (ended, made) = run_trusting(authority, &target, &url, &record, 1);
        assert_eq!(made.counts.ok, 300, "the run is unharmed: {ended}");
        assert_eq!(ended.stderr.matches("note: failed to deliver").count(), 1, "{ended}");
        let message =
            format!("error: failed to deliver the last figures to --otlp {url}/v1/metrics: ");
        assert!(ended.output().contains(&message), "{ended}");
        assert!(
            ended.output().contains("OTEL_EXPORTER_OTLP_CERTIFICATE names a PEM file"),
            "{ended}"
        );
        assert!(ended.stdout.contains("\nnext  "), "{ended}");
        assert_eq!(receiver.posted().len(), posted.len(), "nothing was said to it: {ended}");
    }
}
