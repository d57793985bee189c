//! perfdhcp against the DHCP server in memory, which needs neither privileges nor a network.
//!
//! Its behaviour with real servers, and its packets on the wire, are tested elsewhere.

use brunt_record::Record;
use brunt_testbed::free_port;
use rustix::process::Signal;

use brunt_test_program::{Ended, Program, binary, command, run, scratch};

/// A DHCP server in memory.
pub(crate) struct LeaseTarget {
    program: Program,
    /// Its port on the loopback interface.
    pub(crate) port: String,
}

impl LeaseTarget {
    /// Starts one, and waits until it listens.
    pub(crate) fn start() -> Self {
        let listen = ["target", "dhcp", "--listen", "127.0.0.1:0", "--reply-to-source"];
        let mut program = Program::start(command(binary()).args(listen));
        let mut port = String::new();
        program.wait_until("its address", |stdout, _| {
            let address = stdout.strip_prefix("dhcp4://127.0.0.1:");
            let address = address.and_then(|address| address.split_once('\n'));
            port = address.map_or_else(String::new, |(port, _)| port.to_owned());
            !port.is_empty()
        });
        Self { program, port }
    }

    /// perfdhcp against it, to its end.
    pub(crate) fn measure(&self, line: &[&str]) -> Ended {
        let local = free_port().to_string();
        let words = ["perfdhcp", "-L", &local, "-N", &self.port];
        run(words.iter().chain(line).chain(&["127.0.0.1"]))
    }

    /// Stops it; what it says then is its own account.
    pub(crate) fn stop(self) -> Ended {
        self.program.signal(Signal::INT);
        self.program.wait().expect(0)
    }
}

#[test]
fn a_node_is_held_against_its_share_of_the_rate() {
    let directory = scratch();
    let path = directory.path().join("record.json");
    let target = LeaseTarget::start();
    let line = ["-r", "400", "-p", "1", "--node", "3/4", "--seed", "7", "--record"];
    let line = [&line[..], &[path.to_str().unwrap()]].concat();
    let ended = target.measure(&line).expect(0);
    assert!(ended.stdout.contains(" 4-way exchanges/second, expected rate: 100\n"), "{ended}");
    let record = Record::read(&path).unwrap_or_else(|error| panic!("failed to {error}"));
    assert_eq!((record.rates.target, record.counts.sent), (Some(100.0), 100), "{ended}");
    assert!(target.stop().said().contains(" DISCOVER 100 REQUEST 100 "));
}

#[test]
fn the_stages_of_a_fleet_keep_their_places() {
    let target = LeaseTarget::start();
    let line = ["--scenario", "fleet", "-R", "50", "--births", "over 1s", "--time-scale", "1000"];
    let more = ["--release-share", "50%", "--inform-share", "10%", "-p", "4", "-t", "1"];
    let ended = target.measure(&[&line[..], &more].concat()).expect(0);
    let stages = ended.stdout.matches("***Statistics for: ").count();
    assert_eq!(stages, 6, "{ended}");
    let lines: Vec<_> = ended.stdout.lines().filter(|line| line.starts_with("sent: ")).collect();
    assert!(lines.len() >= 3, "{ended}");
    for line in lines {
        let (sent, _) = line.split_once(';').unwrap_or_default();
        assert_eq!(sent.split('/').count(), stages, "{line}");
    }
    // Leases of an hour are renewed every other second.
    assert!(ended.stdout.contains("***Statistics for: REQUEST-ACK (renewal)***\n"), "{ended}");
    target.stop();
}

#[test]
fn who_is_answered_by_nobody_is_told_what_to_look_at() {
    let (local, nobody) = (free_port().to_string(), free_port().to_string());
    let line = ["perfdhcp", "-L", &local, "-N", &nobody, "-r", "50", "-n", "3", "-d", "0.2"];
    let ended = run(line.iter().chain(&["127.0.0.1"])).expect(3);
    let advice = format!(
        "note: no answer from 127.0.0.1:{nobody} to any of 3 messages; 3 messages were rejected because nothing \
         listens there (ICMP port unreachable): start the server, or name its port (-N)"
    );
    assert!(ended.stderr.contains(&advice), "{ended}");
    // If a socket listens and stays silent, nothing comes back.
    let deaf = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = deaf.local_addr().expect("it has an address").port().to_string();
    let line = ["perfdhcp", "-L", &local, "-N", &port, "-r", "50", "-n", "3", "-d", "0.2"];
    let ended = run(line.iter().chain(&["127.0.0.1"])).expect(3);
    let advice = format!(
        "note: no answer from 127.0.0.1:{port} to any of 3 messages. Is there a server, and does it have a subnet for \
         the relay 127.0.0.1? It answers to port 67 and not to {local}, unless "
    );
    assert!(ended.stderr.contains(&advice), "{ended}");
    // Where there is an answer there is no such advice.
    let target = LeaseTarget::start();
    let ended = target.measure(&["-r", "50", "-n", "3"]).expect(0);
    assert!(!ended.stderr.contains("no answer from"), "{ended}");
    target.stop();
}
