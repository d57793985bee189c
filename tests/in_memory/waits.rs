//! Servers that leave a client waiting before an exchange or at its end: each wait is over when its limit says so, by
//! the clock of the run.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brunt_engine::virtual_time::VirtualTime;
use brunt_exchange::{Clock as _, Moment};
use brunt_ldap_server::Operation;
use brunt_test_program::Ended;
use brunt_testbed::PASSWORD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::directory::Directory;
use crate::machine::{Server, own};
use crate::planned::{InMemory as _, Plan};
use crate::stalls::Mute;
use crate::wire::WAY;

/// The way to a server and back.
const ROUND_TRIP: Duration = WAY.saturating_mul(2);
/// What connecting, a handshake, StartTLS and a bind may take each, unless an option says so.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a body waits for `100 Continue` (RFC 9110 section 10.1.1 leaves that to the client).
const CONTINUE_WAIT: Duration = Duration::from_secs(1);
/// How long a session may take to close.
const CLOSING_MAX: Duration = Duration::from_secs(1);

/// A run, and how long it took by its clock.
fn timed(run: impl FnOnce() -> Ended) -> (Ended, Duration) {
    let now = || own(|machine| machine.time().now());
    let began = now();
    let ended = run();
    (ended, now() - began)
}

/// A command with these options, divided at spaces, and these arguments.
fn carried_out(words: &str, arguments: &[&str]) -> Ended {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.extend(arguments);
    own(|machine| machine.record(&words[..1], &words[1..]))
}

/// Requires that a run took this long, of which the first millisecond is that between the moment when all is prepared
/// and its begin.
fn lasted(run: &Ended, took: Duration, expected: Duration) {
    assert_eq!(took, ms(1) + expected, "{run}");
}

/// One search by this way to a directory.
fn search(way: &str) -> Ended {
    let to = "-h 10.0.0.2 -p 389 -X --connectTimeout 700 -F -c 1 -m 1 -b dc=example,dc=com";
    carried_out(&format!("searchrate {to} {way}"), &["(uid=user.1)"])
}

#[test]
fn connect_timeout_ends_a_start_tls_and_a_bind_without_an_answer() {
    let ways = [("-q", "StartTLS"), ("-D uid=user.1 -w password", "the bind")];
    for (way, step) in ways {
        own(|machine| machine.serve("10.0.0.2:389", Arc::new(Mute)));
        let (run, took) = timed(|| search(way));
        assert_eq!((run.code(), took), (81, Duration::from_millis(700)), "{way}\n{run}");
        let expected = format!("no answer to {step} within 700ms; if the server expects TLS");
        assert!(run.text().contains(&expected), "{run}");
    }
}

/// The connection that is tried before the run is the first.
#[test]
fn connect_timeout_ends_the_steps_of_a_connection_within_a_run() {
    let bind = format!("-D uid=user.1,ou=people,dc=example,dc=com -w {PASSWORD}");
    // Before the run: a round trip for the bind, or for StartTLS and one for the handshake.
    for (way, on, trips) in [(bind.as_str(), "bind", 1), ("-q", "start-tls", 2)] {
        let script = format!("[[rule]]\non = [\"{on}\"]\nfirst = 2\naction = \"drop\"\n");
        let directory = Directory::scripted(&script);
        let (run, took) = timed(|| search(way));
        assert_eq!((run.count("failed"), run.of_class("closed")), (1, 1), "{way}\n{run}");
        lasted(&run, took, trips * ROUND_TRIP + ms(700));
        assert_eq!(directory.answered(Operation::Search), 0, "{way}\n{run}");
    }
}

/// The server carries out the first renaming and says nothing to what would undo it.
#[test]
fn moddnrate_counts_the_entry_that_it_could_not_rename_back() {
    let script = "[[rule]]\non = [\"modify-dn\"]\nfirst = 2\naction = \"drop\"\n";
    let _directory = Directory::scripted(script);
    let line = format!(
        "moddnrate -h 10.0.0.2 -p 389 -F -c 1 -m 1 -D uid=admin,dc=example,dc=com -w {PASSWORD} \
         -b uid=user.1,ou=people,dc=example,dc=com uid=moved.1"
    );
    let (run, took) = timed(|| carried_out(&line, &[]));
    assert_eq!(run.count("ok"), 1, "{run}");
    assert!(run.stderr.contains("1 entries keep their new names"), "{run}");
    // The bind before the run and that of the run, the renaming, and the wait.
    lasted(&run, took, 3 * ROUND_TRIP + CLOSING_MAX);
}

/// A request for a new connection, or for a tunnel, over HTTP.
fn page(http: &str) -> Ended {
    let plan = format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"https://10.0.0.1\"\n{http}\n\
         [http.tls]\ninsecure = true\n[[scenario]]\nsteps = [{{ name = \"page\", get = \"/\" }}]\n"
    );
    Plan::from_text(&plan).run(&[])
}

#[test]
fn proxy_without_an_answer_is_a_connect_failure_after_the_connect_timeout() {
    own(|machine| machine.serve("10.0.0.9:3128", Arc::new(Mute)));
    for (limit, after) in [("", CONNECT_TIMEOUT), ("connect-timeout = \"1500ms\"", ms(1_500))] {
        for (scheme, class, why) in [
            ("http", "connect", "open a tunnel: the proxy gave no answer in time"),
            ("https", "tls", "complete the TLS handshake"),
        ] {
            let (run, took) =
                timed(|| page(&format!("proxy = \"{scheme}://10.0.0.9:3128\"\n{limit}")));
            assert_eq!((run.count("failed"), run.of_class(class)), (1, 1), "{scheme}\n{run}");
            lasted(&run, took, after);
            assert!(run.text().contains(why), "{scheme}\n{run}");
        }
    }
}

/// What a web server says to the head of a request that expects `100 Continue`, after how long.
const HESITATIONS: [(&str, Duration); 3] = [
    ("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", ms(20)),
    ("", CONTINUE_WAIT),
    ("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", ms(30)),
];

/// A web server whose connections hesitate one after the other, and when each got a head and a body.
struct Hesitant {
    time: VirtualTime,
    seen: Mutex<Vec<(Moment, Option<Moment>)>>,
}

impl Server for Hesitant {
    fn serve(self: Arc<Self>, mut connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move {
            while head_of(&mut connection).await.is_some() {
                let (head, mut body) = (self.time.now(), [0; 4]);
                let number = self.seen.lock().expect("nobody panics").len();
                let (says, after) = HESITATIONS[number];
                if !says.is_empty() {
                    self.time.pass(after).await;
                    connection.write_all(says.as_bytes()).await.expect("a client");
                }
                let whole = connection.read_exact(&mut body).await.is_ok();
                let came = whole.then(|| self.time.now());
                self.seen.lock().expect("nobody panics").push((head, came));
                if !whole {
                    return;
                }
                let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                connection.write_all(ok).await.expect("a client");
            }
        })
    }
}

#[test]
fn expect_100_continue_holds_the_body_back_for_a_second() {
    let time = own(|machine| machine.time());
    let server = Arc::new(Hesitant { time, seen: Mutex::default() });
    own(|machine| machine.serve("10.0.0.1:80", Arc::clone(&server) as Arc<dyn Server>));
    let arguments = ["-H", "Expect: 100-continue", "http://10.0.0.1/"];
    let run = carried_out("http -c 1 -n 3 -m POST -d body", &arguments);
    assert_eq!((run.count("ok"), run.count("failed")), (2, 1), "{run}");
    let seen = server.seen.lock().expect("nobody panics").clone();
    let waits: Vec<Option<Duration>> =
        seen.iter().map(|(head, body)| body.map(|body| body - *head)).collect();
    let [(_, continued), (_, silent), _] = HESITATIONS;
    assert_eq!(waits, [Some(continued), Some(silent), None], "{run}");
    let service = run.json()["operations"][0]["service"]["sum_ns"].as_u64();
    let all: Duration = HESITATIONS.iter().map(|(_, after)| *after).sum();
    assert_eq!(service.map(Duration::from_nanos), Some(all), "{run}");
}

/// The head of the next request, if there is one.
async fn head_of(connection: &mut DuplexStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}
