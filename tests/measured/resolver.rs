//! Name servers that do not answer, or late: a run ends on time, even if its name lookups wait, and a name that has to
//! wait for others is no failure.

use std::net::UdpSocket;
use std::process::Command;
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_testbed::{measured, until};

use brunt_test_program::{RestTarget, binary, scratch};

const THE_RESOLVER: &str = "the system resolves names in real time";

/// Whom the resolver asks, patiently.
const NAME_SERVER: &str = "127.0.0.98";

/// Where that name server is the one of the machine.
const THERE: &str = "mount --bind \"$1/resolv.conf\" /etc/resolv.conf && shift && exec \"$@\"";

/// Carries a plan out there and says how long that took and what was said; nothing, where it cannot be arranged.
fn run<S>(plan: &str, serve: impl FnOnce(UdpSocket) -> S) -> Option<(Duration, String)> {
    if !brunt_testbed::require(&["unshare", "mount"]) {
        return None;
    }
    let server = match UdpSocket::bind((NAME_SERVER, 53)) {
        Ok(socket) => serve(socket),
        Err(error) => {
            brunt_testbed::skip(&format!("failed to bind port 53 of {NAME_SERVER}: {error}"));
            return None;
        }
    };
    let directory = scratch();
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("it is ours");
    };
    let patient = format!("nameserver {NAME_SERVER}\noptions timeout:20 attempts:3\n");
    write("resolv.conf", &patient);
    write("plan.toml", plan);
    let there = |words: &[&std::ffi::OsStr]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", THERE, "sh"]);
        command.arg(directory.path()).args(words).output().expect("unshare was found")
    };
    if !there(&["true".as_ref()]).status.success() {
        brunt_testbed::skip("failed to mount a file in a namespace of its own, which takes root");
        return None;
    }
    let plan = directory.path().join("plan.toml");
    let clock = Monotonic::new();
    let began = clock.now();
    let ended =
        there(&[binary().as_os_str(), "run".as_ref(), "--details".as_ref(), plan.as_os_str()]);
    drop(server);
    let message = [ended.stdout, ended.stderr].concat();
    Some((clock.now() - began, String::from_utf8_lossy(&message).into_owned()))
}

/// A name server that takes what it is asked, and never answers.
fn silent(socket: UdpSocket) -> UdpSocket {
    socket
}

/// A name server that knows every name as 127.0.0.1, after 300 ms.
struct Slow {
    socket: UdpSocket,
    thread: Option<JoinHandle<()>>,
}

impl Slow {
    fn start(socket: UdpSocket) -> Self {
        let requested = socket.try_clone().expect("a socket");
        let thread = std::thread::spawn(move || {
            let mut query = [0; 512];
            while let Ok((length @ 1.., from)) = requested.recv_from(&mut query) {
                let (socket, query) =
                    (requested.try_clone().expect("a socket"), query[..length].to_vec());
                std::thread::spawn(move || {
                    until(Duration::from_millis(300), || false);
                    // The resolver may be gone.
                    let _ = socket.send_to(&answer(&query), from);
                });
            }
        });
        Self { socket, thread: Some(thread) }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let to_itself = self.socket.local_addr().expect("it is bound");
        self.socket.send_to(&[], to_itself).expect("loopback");
        self.thread.take().map(JoinHandle::join);
    }
}

/// The answer to a query (RFC 1035, section 4.1): one address if it asks for IPv4, otherwise none.
fn answer(query: &[u8]) -> Vec<u8> {
    let name = query[12..].iter().position(|byte| *byte == 0).expect("a name ends");
    let question = &query[12..12 + name + 5];
    let is_ipv4 = question[name + 1..name + 3] == [0, 1];
    let mut answer =
        [&query[..2], &[0x81, 0x80, 0, 1, 0, u8::from(is_ipv4), 0, 0, 0, 0], question].concat();
    if is_ipv4 {
        // The same name, type A, class IN, 60 s, four bytes.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    answer
}

#[test]
fn name_met_during_a_run_waits_no_longer_than_its_exchange() {
    measured(THE_RESOLVER, || {
        let plan = "[run]\nusers = 3\nduration = \"3s\"\ntimeout = \"1s\"\n\
        [variables]\nhost = { choice = { \"a.example\" = 1, \"b.example\" = 1 } }\n\
        [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nname = \"look\"\nget = \"http://${host}/\"\n";
        let Some((took, message)) = run(plan, silent) else { return };
        assert!(message.contains("timed out"), "{message}");
        assert!(took < Duration::from_secs(9), "{took:?}\n{message}");
    });
}

#[test]
fn name_known_before_the_run_stops_it_before_it_begins() {
    measured(THE_RESOLVER, || {
        let plan = "[http]\nbase = \"http://a.example\"\nconnect-timeout = \"2s\"\n\
        [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nname = \"look\"\nget = \"/\"\n";
        let Some((took, message)) = run(plan, silent) else { return };
        assert!(message.contains("the resolver did not answer within 2s"), "{message}");
        assert!(took < Duration::from_secs(8), "{took:?}\n{message}");
    });
}

/// A hundred users meet a name of their own at the same time, which is more than are resolved at once.
#[test]
fn names_waiting_for_the_resolver_are_not_failures() {
    measured(THE_RESOLVER, || {
        let target = RestTarget::start();
        let port = target.base.rsplit_once(':').expect("a port").1;
        let plan = format!(
            "[run]\nusers = 100\niterations = {{ each = 1 }}\ntimeout = \"30s\"\n\
         [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nname = \"look\"\n\
         get = \"http://n${{run.user}}.example:{port}/bytes/10\"\n"
        );
        let Some((_, message)) = run(&plan, Slow::start) else { return };
        let words: Vec<&str> = message.split_whitespace().collect();
        let message = words.join(" ");
        assert!(message.contains("none of 100 failed"), "{message}");
        // Each waited for its own name, most of them for others before, and none of it is the generator's lateness.
        let mean = |row: &str| -> f64 {
            let (_, figures) =
                message.split_once(row).unwrap_or_else(|| panic!("no {row} in {message}"));
            figures.split_whitespace().next().and_then(|mean| mean.parse().ok()).expect(row)
        };
        let lookup = mean(" name lookup ");
        assert!(lookup >= 300.0, "{message}");
        assert!(mean(" added by brunt ") < 0.3 * lookup, "{message}");
        let mut hosts: Vec<String> = target
            .stop()
            .iter()
            .filter_map(|seen| seen.header("host").map(str::to_owned))
            .collect();
        hosts.sort();
        hosts.dedup();
        assert_eq!(hosts.len(), 100, "{message}");
    });
}
