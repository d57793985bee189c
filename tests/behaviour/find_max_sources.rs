//! The target's processor time from a Prometheus server, for `brunt find-max`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_record::Collection;
use brunt_testbed::{Daemon, free_port, require, until};

use brunt_test_program::{RestTarget, brunt, scratch, without_a_limit};

/// A tenth of a second counts as one; rates and objectives that any target can sustain, so that a lower bound is found.
const EASY: [&str; 8] =
    ["find-max", "--second", "100ms", "--quiet", "--slo", "p90<2s", "--slo", "achieved>=50%"];

/// A Prometheus that scrapes itself each second, and where it listens.
fn prometheus(directory: &Path) -> (Daemon, String) {
    let address = format!("127.0.0.1:{}", free_port());
    let config = directory.join("prometheus.yml");
    let text = format!(
        "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\nscrape_configs:\n- job_name: self\n  static_configs:\n  \
         - targets: ['{address}']\n"
    );
    fs::write(&config, text).expect("a configuration");
    let mut start = Command::new("prometheus");
    start.arg(format!("--config.file={}", config.display()));
    start.arg(format!("--storage.tsdb.path={}", directory.join("data").display()));
    start.arg(format!("--web.listen-address={address}"));
    let daemon = Daemon::start(&start, &directory.join("prometheus.log"));
    let scraped =
        || requested(&address, "process_cpu_seconds_total").is_some_and(|it| it.contains("value"));
    assert!(until(Duration::from_secs(60), scraped), "Prometheus starts");
    (daemon, address)
}

/// What a Prometheus answers to a query, if it answers.
fn requested(address: &str, query: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let head = format!("GET /api/v1/query?query={query} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Seconds of processor time that a process has used, by the kernel.
fn used(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.map(|field| field.parse::<f64>().expect("ticks")).sum::<f64>()
        / rustix::param::clock_ticks_per_second() as f64
}

/// A Prometheus is the target, and says itself what it costs: no more than the kernel says, and more than nothing.
#[test]
fn find_max_reads_processor_time_from_prometheus() {
    if !require(&["prometheus"]) {
        return;
    }
    let directory = scratch();
    let (daemon, address) = prometheus(directory.path());
    let source =
        format!("prometheus:http://{address}?query=process_cpu_seconds_total{{job=\"self\"}}");
    let before = used(daemon.id());
    let search = brunt("").args(EASY).typed("--confirm 80s --from 200/s --to 400/s --server-cpu");
    let search = search.arg(&source).recorded().typed("-- http -c 20");
    let ended = search.arg(format!("http://{address}/-/healthy")).run();
    without_a_limit(&ended);
    let kernel = used(daemon.id()) - before;
    let found = Collection::read(ended.record_path()).expect("a collection");
    let seen = found
        .cells
        .iter()
        .filter_map(|cell| Some((cell.figure("server_cpu")?, cell.figure("judged_s")? / 10.0)));
    let seen: Vec<(f64, f64)> = seen.collect();
    let sampled: f64 = seen.iter().map(|(cores, seconds)| cores * seconds).sum();
    assert!(!seen.is_empty() && sampled > 0.0, "{ended}");
    // Samples are a second apart, so a step may be given what was used a second before it.
    assert!(sampled < 1.5 * kernel + 0.5, "{sampled} s told, {kernel} s used\n{ended}");
    assert_eq!(found.facts["server processor time"], source["prometheus:".len()..]);
}

/// Answers every connection with this status and body.
fn answering(status: &str, body: &str) -> String {
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn find_max_without_prometheus_data_stops_before_the_search() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let nobody = format!("127.0.0.1:{}", free_port());
    for (address, output) in [
        (nobody, "refused"),
        (answering("503 Busy", "busy"), "503"),
        (answering("200 OK", "what"), "no JSON"),
        (
            answering("400 Bad", r#"{"status":"error","error":"parse \u001b[2J"}"#),
            "it answered: parse",
        ),
        (
            answering("200 OK", r#"{"status":"success","data":{"result":[]}}"#),
            "no series matches up{",
        ),
    ] {
        let source = format!("prometheus:http://{address}?query=up{{a=\"b\"}}");
        let search = brunt("").args(EASY).args(["--server-cpu", &source]).typed("-- http -c 2");
        let ended = search.arg(&url).run().expect(1);
        assert!(ended.output().contains(output), "{output}: {ended}");
        assert!(
            !ended.output().contains('\u{1b}'),
            "what a server says acts on no terminal: {ended}"
        );
    }
    assert!(target.stop().is_empty(), "nothing was tried");
}
