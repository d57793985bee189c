//! Sessions against sockets of the test, with the answers of real daemons and with invalid ones.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use brunt_exchange::{Clock, Moment, Monotonic};
use brunt_net::resend::Resend;

use super::*;
use crate::distribution::Distribution;
use crate::keys::Keys;
use crate::question::{Answer, By};
use crate::questions::Part as Kind;

/// What a listener does with each connection, in turn; after the last one the listener is closed.
type Turn = Box<dyn FnOnce(UnixStream) + Send>;

fn listener(path: &Path, turns: Vec<Turn>) -> JoinHandle<()> {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        for turn in turns {
            turn(listener.accept().unwrap().0);
        }
    })
}

/// Reads a request and answers it with these bytes.
fn sends(bytes: Vec<u8>) -> Turn {
    Box::new(move |mut stream| {
        let mut request = [0; 512];
        let _ = stream.read(&mut request).unwrap();
        // The other side may have closed the connection already.
        let _ = stream.write_all(&bytes);
    })
}

fn words(numbers: &[u32], behind: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    bytes.extend_from_slice(behind);
    bytes
}

fn network(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// A user as nscd would answer for u7.
fn seven(uid: u32) -> Vec<u8> {
    words(&[2, 1, 3, 2, uid, 7, 1, 2, 8], b"u7\0x\0\0/\0/bin/sh\0")
}

fn questions(by: By, negative: f64) -> Arc<Questions> {
    let keys = Arc::new(Keys::range(7..=7, Some("u%d")).unwrap());
    let parts = [Kind { by, weight: 1, keys }];
    Arc::new(Questions::new(&parts, Distribution::Once, negative, 1).unwrap())
}

/// The outcome of one lookup, and its text.
fn look_up(session: &mut NamesSession) -> (Outcome, String) {
    let clock = Monotonic::new();
    let mut words = String::new();
    let mut watch = Watch::new(&clock, Some(&mut words));
    if !session.is_ready() {
        session.ready(&mut watch);
    }
    let outcome =
        session.exchange(&Ticket { number: 0, session: 0, turn: 0, phase: 0 }, &mut watch);
    (outcome, words)
}

/// Long enough for any answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

fn nscd(path: &Path) -> AccessPaths {
    AccessPaths::Nscd { socket: path.into(), timeout: Some(PATIENCE) }
}

/// The same, for a test that waits for an answer that never comes.
fn impatient_nscd(path: &Path) -> AccessPaths {
    AccessPaths::Nscd { socket: path.into(), timeout: Some(Duration::from_secs(2)) }
}

fn nslcd(path: &Path) -> AccessPaths {
    AccessPaths::Nslcd { socket: path.into(), timeout: Some(PATIENCE) }
}

fn outcomes(paths: fn(&Path) -> AccessPaths, by: By, turns: Vec<Turn>) -> Vec<(Outcome, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let count = turns.len();
    let daemon = listener(&path, turns);
    let mut session = NamesSession::new(&questions(by, 0.0), &paths(&path), 0, 1);
    let outcomes = (0..count).map(|_| look_up(&mut session)).collect();
    daemon.join().unwrap();
    outcomes
}

#[test]
fn nscd_answers_are_compared_with_the_expected() {
    let group = || words(&[2, 1, 3, 2, 7, 0], b"u7\0x\0");
    let found = outcomes(
        nscd,
        By::User,
        vec![
            sends(seven(7)),
            sends(seven(8)),
            sends(words(&[2, 0, 0], b"")),
            sends(words(&[2, u32::MAX], b"")),
        ],
    );
    let expected = [
        Outcome::Ok(FOUND),
        Outcome::Failed(Class::Check, WRONG),
        Outcome::Failed(Class::Check, UNRESOLVED),
        Outcome::Failed(Class::Check, LookupError::OFF),
    ];
    assert_eq!(found.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>(), expected);
    assert!(found[1].1.contains("user u7 has another number"), "{}", found[1].1);
    assert!(found[3].1.contains("enable-cache"), "{}", found[3].1);
    let found = outcomes(nscd, By::Gid, vec![sends(group())]);
    assert_eq!(found[0].0, Outcome::Ok(FOUND));
    let of_two = || words(&[2, 1, 2, 20, 21], b"\0");
    let found =
        outcomes(nscd, By::Memberships, vec![sends(of_two()), sends(words(&[2, 1, 0], b""))]);
    assert_eq!((found[0].0, found[1].0), (Outcome::Ok(FOUND), Outcome::Ok(ABSENT)));
}

#[test]
fn nslcd_answers_are_compared_with_the_expected() {
    let user = |uid: u32| {
        let mut bytes = network(&[2, 0x0008_0002, 1, 2]);
        bytes.extend(b"u7");
        bytes.extend(network(&[0, uid, 7, 0, 0, 0, 2]));
        bytes
    };
    let found = outcomes(
        nslcd,
        By::Uid,
        vec![
            sends(user(7)),
            sends(user(8)),
            sends(network(&[2, 0x0008_0002, 2])),
            sends(network(&[2, 0x0008_0001, 2])),
        ],
    );
    let expected = [
        Outcome::Ok(FOUND),
        Outcome::Failed(Class::Check, WRONG),
        Outcome::Failed(Class::Check, UNRESOLVED),
        Outcome::Failed(Class::Protocol, 0),
    ];
    assert_eq!(found.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>(), expected);
    let group = |gid: u32| [network(&[1, 1]), b"g".to_vec(), network(&[0, gid, 0])].concat();
    let groups = [network(&[2, 0x0004_0006]), group(20), group(21), network(&[2])].concat();
    let found = outcomes(nslcd, By::Memberships, vec![sends(groups)]);
    assert_eq!(found[0].0, Outcome::Ok(FOUND));
}

#[test]
fn invalid_replies_are_counted_and_the_next_lookup_works() {
    let evil: Vec<Vec<u8>> = vec![
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        words(&[2, 1, u32::MAX, 2, 0, 0, 1, 1, 1], b""),
        words(&[2, 1, 1, 1, 0, 0, 1, 1, 1], b"ab\0\0\0\0"),
        words(&[2, 5], b""),
    ];
    for bytes in evil {
        let found = outcomes(nscd, By::User, vec![sends(bytes), sends(seven(7))]);
        assert_eq!(found[0].0, Outcome::Failed(Class::Protocol, 0), "{}", found[0].1);
        assert!(found[0].1.starts_with("failed to understand the answer: "), "{}", found[0].1);
        assert_eq!(found[1].0, Outcome::Ok(FOUND));
    }
}

#[test]
fn truncated_reply_is_closed_and_a_missing_one_times_out() {
    let clock = Monotonic::new();
    let silent: Turn = Box::new(|mut stream| {
        // Until the session closes the connection.
        while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    });
    let began = clock.now();
    let found = outcomes(
        impatient_nscd,
        By::User,
        vec![sends(seven(7)[..20].to_vec()), sends(Vec::new()), silent, sends(seven(7))],
    );
    let expected = [
        Outcome::Failed(Class::Closed, 0),
        Outcome::Failed(Class::Closed, 0),
        Outcome::TimedOut,
        Outcome::Ok(FOUND),
    ];
    assert_eq!(found.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>(), expected);
    assert!(clock.now() - began < Duration::from_secs(10));
}

#[test]
fn endless_reply_is_limited_in_memory() {
    let endless: Turn = Box::new(|mut stream| {
        let _ = stream.read(&mut [0; 64]).unwrap();
        let head = network(&[2, 0x0004_0006]);
        let entries = network(&[1, 0, 0, 5, 0]).repeat(1000);
        let mut sent = stream.write_all(&head);
        while sent.is_ok() {
            sent = stream.write_all(&entries);
        }
    });
    let found = outcomes(nslcd, By::Memberships, vec![endless]);
    assert_eq!(found[0].0, Outcome::Failed(Class::Protocol, 0));
    assert!(found[0].1.contains("are allowed"), "{}", found[0].1);
}

#[test]
fn missing_socket_is_a_connect_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none");
    let mut session = NamesSession::new(&questions(By::User, 0.0), &nscd(&path), 0, 1);
    let (outcome, words) = look_up(&mut session);
    assert_eq!(outcome, Outcome::Failed(Class::Connect, 2));
    assert!(words.contains(path.to_str().unwrap()), "{words}");
}

#[test]
fn absent_key_that_is_found_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let daemon = listener(&path, vec![sends(seven(7)), sends(words(&[2, 0], b""))]);
    let mut session = NamesSession::new(&questions(By::User, 1.0), &nscd(&path), 0, 1);
    let unexpected = look_up(&mut session);
    assert_eq!(unexpected.0, Outcome::Failed(Class::Check, UNEXPECTED));
    assert!(unexpected.1.contains("brunt-absent-0"), "{}", unexpected.1);
    assert_eq!(look_up(&mut session).0, Outcome::Ok(ABSENT));
    daemon.join().unwrap();
}

#[test]
fn outcomes_have_names() {
    let named = |outcome| outcome_named(&AccessPaths::Nss, outcome).name;
    assert_eq!(named(Outcome::Ok(FOUND)), "found");
    assert_eq!(named(Outcome::Ok(ABSENT)), "absent");
    assert_eq!(named(Outcome::Failed(Class::Check, UNRESOLVED)), "unresolved");
    assert!(named(Outcome::Failed(Class::Result, 2)).starts_with("No such file"));
    assert_eq!(named(Outcome::TimedOut), "timed out");
}

/// A path that loses its connection before its second question.
struct LosingPath {
    /// Whether a check reports the loss; otherwise the question fails.
    detectable: bool,
    again: bool,
    paths: u32,
    requested: u32,
    open: bool,
    /// How long the question that fails takes, by this clock.
    works: Duration,
    clock: Arc<StandingClock>,
}

/// A clock that only the path and the test advance.
#[derive(Default)]
struct StandingClock(AtomicU64);

impl StandingClock {
    fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Moment {
        Moment::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl AccessPath for LosingPath {
    fn is_ready(&self) -> bool {
        self.open
    }

    fn ready(&mut self) -> Result<(), LookupError> {
        if self.paths == 0 {
            return Err(LookupError::Connect { to: "it".into(), error: refused() });
        }
        (self.paths, self.open) = (self.paths - 1, true);
        Ok(())
    }

    fn has_lapsed(&mut self) -> bool {
        self.open &= !(self.detectable && self.requested == 1);
        !self.open
    }

    fn unanswered(&self) -> Option<Resend> {
        self.again.then_some(Resend::Safe)
    }

    fn look_up(&mut self, _: &Question<'_>) -> Result<Answer<'_>, LookupError> {
        self.requested += 1;
        if self.requested == 2 && !self.detectable {
            self.open = false;
            self.clock.pass(self.works);
            return Err(LookupError::Closed);
        }
        Ok(Answer::Account { id: 7, name: b"u7" })
    }
}

fn refused() -> std::io::Error {
    std::io::Error::from_raw_os_error(libc::ECONNREFUSED)
}

/// The result of the second of two lookups with this pause between them: its outcome, how many connections were opened
/// again for it, how often the lookup was repeated, and why a path could not be opened.
fn second(path: LosingPath, pause: Duration) -> (Outcome, u32, u32, Option<Outcome>) {
    let mut session = NamesSession::new(&questions(By::User, 0.0), &AccessPaths::Nss, 0, 1);
    let clock = Arc::clone(&path.clock);
    session.path_state.path = Box::new(path);
    session.ready(&mut Watch::new(&*clock, None));
    let mut seen = None;
    for number in 0..2 {
        clock.pass(pause * number);
        let mut watch = Watch::new(&*clock, None);
        watch.sent();
        let ticket = Ticket { number: number.into(), ..Ticket::default() };
        let outcome = session.exchange(&ticket, &mut watch);
        let parts: Vec<Part> = watch.parts().iter().map(|(part, _)| *part).collect();
        let anew = watch.times_reconnected();
        assert_eq!(parts, vec![RECONNECT; anew as usize]);
        seen = Some((outcome, anew, watch.times_resent(), watch.why_not_ready()));
    }
    seen.unwrap()
}

#[test]
fn lapsed_connection_costs_no_lookup() {
    let long = Duration::from_secs(1);
    let closed = Outcome::Failed(Class::Closed, 0);
    let refused = Outcome::Failed(Class::Connect, 111);
    let losing = |detectable, again, paths| LosingPath {
        detectable,
        again,
        paths,
        requested: 0,
        open: false,
        works: Duration::ZERO,
        clock: Arc::default(),
    };
    assert_eq!(second(losing(true, false, 2), long), (Outcome::Ok(FOUND), 1, 0, None));
    assert_eq!(second(losing(true, false, 1), long), (refused, 0, 0, Some(refused)));
    assert_eq!(second(losing(false, true, 2), long), (Outcome::Ok(FOUND), 1, 1, None));
    // A connection that ends while the question is worked on was not idle.
    for (millis, expected) in [(10, (Outcome::Ok(FOUND), 1, 1, None)), (500, (closed, 0, 0, None))]
    {
        let works = Duration::from_millis(millis);
        assert_eq!(second(LosingPath { works, ..losing(false, true, 2) }, long), expected);
    }
    assert_eq!(second(losing(false, true, 1), long), (closed, 0, 0, Some(refused)));
    assert_eq!(second(losing(false, false, 2), long), (closed, 0, 0, None));
    // A busy connection is not checked, as a check needs system calls.
    let busy = Duration::from_millis(1);
    assert_eq!(second(losing(true, false, 2), busy), (Outcome::Ok(FOUND), 0, 0, None));
}
