//! A protocol that the program does not know has what every protocol has.

use std::collections::HashSet;
use std::net::UdpSocket;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_test_program::{Ended, Program, command, scratch};

/// How often the server looks whether it must end.
const TICK: Duration = Duration::from_millis(50);

/// A server that sends back what it receives, except every message whose exchange it was told to lose.
struct Server {
    port: u16,
    ends: Arc<AtomicBool>,
    exchanges: Arc<Mutex<Vec<u64>>>,
    thread: JoinHandle<()>,
}

impl Server {
    fn start(loses: impl Fn(u64) -> bool + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port is free");
        socket.set_read_timeout(Some(TICK)).expect("it takes a limit");
        let port = socket.local_addr().expect("it has an address").port();
        let (ends, exchanges) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let (ended, seen): (_, Arc<Mutex<Vec<u64>>>) = (Arc::clone(&ends), Arc::clone(&exchanges));
        let thread = std::thread::spawn(move || {
            let mut bytes = [0; 64];
            while !ended.load(Ordering::Relaxed) {
                let Ok((len, from)) = socket.recv_from(&mut bytes) else { continue };
                let number = bytes[4..len].try_into().map(u64::from_be_bytes).expect("a number");
                seen.lock().expect("no test panicked").push(number);
                if !loses(number) {
                    socket.send_to(&bytes[..len], from).expect("it can be sent");
                }
            }
        });
        Self { port, ends, exchanges, thread }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The numbers of the exchanges whose messages arrived.
    fn stop(self) -> Vec<u64> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("the server does not panic");
        std::mem::take(&mut self.exchanges.lock().expect("no test panicked"))
    }
}

fn run(words: &[&str]) -> Ended {
    let binary = Path::new(env!("CARGO_BIN_EXE_brunt-echo"));
    Program::start(command(binary).args(words)).wait()
}

#[test]
fn echo_runs_have_all_outputs_and_agree_with_the_server() {
    let server = Server::start(|number| number % 10 == 3);
    let directory = scratch();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let [record, html, events, hgrm, junit] =
        ["run.json", "run.html", "run.ndjson", "run.hgrm", "run.xml"].map(file);
    let ended = run(&[
        "echo",
        "--rate",
        "200",
        "--messages",
        "100",
        "--timeout",
        "300ms",
        "--seed",
        "7",
        "--record",
        &record,
        "--html",
        &html,
        "--events",
        &events,
        "--hgrm",
        &hgrm,
        "--junit",
        &junit,
        "--slo",
        "errors<50%",
        &server.address(),
    ]);
    let read = brunt_record::Record::read(Path::new(&record)).expect("a record");
    let seen = server.stop();
    assert_eq!(seen.iter().copied().collect::<HashSet<u64>>(), (0..100).collect(), "{ended}");
    let counts = &read.conservation.counts;
    assert_eq!((counts.planned, counts.ok, counts.timed_out), (100, 90, 10), "{ended}");
    assert!(ended.stdout.contains("messages"), "{ended}");
    for path in [html, events, hgrm, junit] {
        assert!(std::fs::metadata(&path).is_ok_and(|file| file.len() > 0), "{path}: {ended}");
    }
}

#[test]
fn echo_is_in_the_help_and_refuses_like_other_commands() {
    let help = run(&["help"]).expect(0);
    assert!(help.stdout.contains("echo"), "{help}");
    let own = run(&["echo", "--help"]).expect(0).stdout;
    for text in ["Messages per second", "--stages", "--think", "--record", "--slo"] {
        assert!(own.contains(text), "{text}: {own}");
    }
    let wrong = run(&["echo", "--think", "1s", "--rate", "5", "127.0.0.1:9"]).expect(2);
    assert!(wrong.output().contains("--think cannot be used with --rate"), "{wrong}");
    let fenced = ["echo", "--rate", "5", "--messages", "5", "--allow", "127.0.0.2", "127.0.0.1:9"];
    let refused = run(&fenced).expect(8);
    assert!(refused.output().contains("127.0.0.1"), "{refused}");
}

/// What a search claims depends on the machine; that it made its steps, each with messages of its own, does not.
#[test]
fn echo_find_max_steps_repeat_no_message() {
    let server = Server::start(|_| false);
    let address = server.address();
    let search = [
        "find-max",
        "--second",
        "100ms",
        "--confirm",
        "80s",
        "--from",
        "100/s",
        "--to",
        "200/s",
        "--slo",
        "p90<2s",
        "--",
        "echo",
    ];
    let ended = run(&[&search[..], &[&address]].concat());
    let seen = server.stop();
    assert!(seen.len() > 500, "{}\n{ended}", seen.len());
    let different: HashSet<u64> = seen.iter().copied().collect();
    assert_eq!(different.len(), seen.len(), "{ended}");
    let paced = run(&["find-max", "--slo", "p99<1s", "--", "echo", "--rate", "5", &address]);
    assert!(paced.expect(2).output().contains("--rate sets a rate"));
}

#[test]
fn echo_messages_are_shared_by_agents() {
    if !brunt_testbed::require(&["nats-server"]) {
        return;
    }
    let server = Server::start(|_| false);
    let directory = scratch();
    let record = directory.path().join("run.json").display().to_string();
    let address = server.address();
    let ended = run(&[
        "cluster",
        "run",
        "--local",
        "2",
        "--seed",
        "3",
        "--record",
        &record,
        "--",
        "echo",
        "--rate",
        "100",
        "--messages",
        "60",
        &address,
    ]);
    let seen = server.stop();
    assert_eq!(seen.iter().copied().collect::<HashSet<u64>>(), (0..60).collect(), "{ended}");
    assert_eq!(seen.len(), 60, "{ended}");
    let read = brunt_record::Record::read(Path::new(&record)).expect("a record");
    assert_eq!(read.conservation.counts.ok, 60, "{ended}");
}
