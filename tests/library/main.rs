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

#[test]
fn each_run_of_a_process_has_a_policy_of_its_own() {
    let server = |ip: [u8; 4]| {
        let config = Config { listen: SocketAddr::from((ip, 0)), ..Config::default() };
        Server::start(config).expect("it starts")
    };
    let servers = [server([127, 0, 0, 1]), server([127, 0, 0, 2])];
    for (allowed, ip) in ["127.0.0.1", "127.0.0.2"].into_iter().enumerate() {
        for (own, server) in servers.iter().enumerate() {
            let url = format!("http://{}/bytes/10", server.address());
            let before = server.stats().requests_total();
            let run = ["brunt", "http", "-c", "1", "-n", "3", "--quiet", "--allow", ip, &url];
            let ended = carry_out(&line(&run));
            let answered = server.stats().requests_total() - before;
            if own == allowed {
                assert!(matches!(ended, Ok(Exit::Ok | Exit::Undecided)), "{ended:?}");
                assert_eq!(answered, 3);
            } else {
                let refused = ended.expect_err("it is not allowed");
                assert_eq!((refused.exit, answered), (Exit::Unsafe, 0));
                assert!(refused.text.contains("add it with --allow"), "{}", refused.text);
            }
        }
    }
}
