//! The program as a library: `brunt http` is carried out in this process, against an embedded server in this process.

use std::net::SocketAddr;

use brunt_app::{Exit, carry_out};
use brunt_http_server::{Config, Server};
use brunt_record::Record;

fn line(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn a_run_over_http_leaves_its_record_and_its_exit_code_in_the_process_that_called_it() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(Config { listen, ..Config::default() }).expect("it starts");
    let directory = tempfile::tempdir().expect("a directory");
    let record = directory.path().join("run.json");
    let (url, file) =
        (format!("http://{}/sleep?ms=1", server.address()), record.display().to_string());
    let run = ["brunt", "http", "-c", "2", "-n", "50", "--quiet", "--record", &file, &url];
    let exit = carry_out(&line(&run)).expect("it is carried out");
    // A busy machine may have disturbed it.
    assert!(matches!(exit, Exit::Ok | Exit::Undecided), "{exit:?}");
    let record = Record::read(&record).expect("a record");
    assert_eq!(record.counts.ok, 50);
    assert_eq!(server.stats().requests_total(), 50);

    let objective = ["brunt", "http", "-c", "1", "-n", "5", "--quiet", "--slo", "p99<1us", &url];
    let missed = carry_out(&line(&objective)).expect("it is carried out");
    assert!(matches!(missed, Exit::Missed | Exit::Undecided), "{missed:?}");
    let refused = carry_out(&line(&["brunt", "http", "--slo", "p99", &url])).expect_err("no limit");
    assert_eq!(refused.exit, Exit::Usage);
    assert!(refused.text.contains("p99"), "{}", refused.text);
    assert_eq!(server.stats().requests_total(), 55);
}
