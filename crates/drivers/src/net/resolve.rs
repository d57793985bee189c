//! [`Lookup`]: a host name that is being resolved, on a separate thread.
//!
//! The C library's resolver cannot be interrupted, and waits for minutes for name servers that do not answer. So a
//! caller that needs an address waits for the thread only until its time limit, and then abandons it: the thread keeps
//! no resources, and ends with the process. The number of these threads is limited; a lookup beyond it waits, within
//! the same time limit, until another one ends.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a resolver may take if no limit for connections is set.
const LIMIT: Duration = Duration::from_secs(10);

/// The most names that are resolved at the same time.
const LOOKUPS_MAX: usize = 64;

static THREADS: Threads = Threads::new(LOOKUPS_MAX);

type Found = io::Result<Vec<SocketAddr>>;
type Resolve = Box<dyn FnOnce() -> Found + Send>;

/// A host name that is being resolved. Begin several before waiting for the first.
pub struct Lookup {
    limit: Duration,
    threads: &'static Threads,
    state: State,
}

enum State {
    /// The name was an address, or no thread could be started.
    Known(Found),
    Asked(Receiver<Found>),
    /// All threads were busy.
    Queued(Resolve),
}

impl Lookup {
    /// Begins to resolve a name, within `limit`. An address needs no resolver.
    pub fn begin(host: &str, port: u16, limit: Option<Duration>) -> Self {
        let limit = limit.unwrap_or(LIMIT);
        if let Ok(address) = host.parse::<IpAddr>() {
            let state = State::Known(Ok(vec![SocketAddr::new(address, port)]));
            return Self { limit, threads: &THREADS, state };
        }
        let host = host.to_owned();
        let resolve = move || Ok((host.as_str(), port).to_socket_addrs()?.collect());
        Self::of(&THREADS, Box::new(resolve), limit)
    }

    fn of(threads: &'static Threads, resolve: Resolve, limit: Duration) -> Self {
        let free = threads.take(Duration::ZERO);
        let state = if free { asked(threads, resolve) } else { State::Queued(resolve) };
        Self { limit, threads, state }
    }

    /// Waits for its addresses, without duplicates.
    pub fn wait(self) -> io::Result<Vec<SocketAddr>> {
        let all = self.found()?;
        let mut addresses = Vec::with_capacity(all.len());
        for address in all {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        Ok(addresses)
    }

    fn found(self) -> Found {
        let Self { limit, threads, state } = self;
        let begun = Instant::now();
        let left = || limit.saturating_sub(begun.elapsed());
        let state = match state {
            State::Queued(resolve) if threads.take(left()) => asked(threads, resolve),
            state => state,
        };
        let late = match state {
            State::Known(known) => return known,
            State::Asked(answer) => match answer.recv_timeout(left()) {
                Ok(found) => return found,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the resolver panicked"));
                }
                Err(RecvTimeoutError::Timeout) => format!(
                    "the resolver did not answer within {limit:?}; check the name servers, or give an address"
                ),
            },
            State::Queued(_) => format!(
                "{} other names were not resolved within {limit:?}; check the name servers, or give addresses",
                threads.most
            ),
        };
        Err(io::Error::new(io::ErrorKind::TimedOut, late))
    }
}

/// Resolves on a thread that was taken.
fn asked(threads: &'static Threads, resolve: Resolve) -> State {
    let (sender, answer) = sync_channel(1);
    let act = move || {
        let taken = Taken(threads);
        let found = resolve();
        drop(taken);
        // The caller may have stopped waiting.
        let _ = sender.send(found);
    };
    match std::thread::Builder::new().name("resolver".to_owned()).spawn(act) {
        Ok(_) => State::Asked(answer),
        Err(error) => {
            drop(Taken(threads));
            State::Known(Err(error))
        }
    }
}

/// How many threads resolve names, and how many may.
struct Threads {
    most: usize,
    busy: Mutex<usize>,
    ended: Condvar,
}

impl Threads {
    const fn new(most: usize) -> Self {
        Self { most, busy: Mutex::new(0), ended: Condvar::new() }
    }

    /// Whether one more may run, after waiting at most `patience` for the end of another.
    fn take(&self, patience: Duration) -> bool {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(busy, patience, |busy| *busy >= self.most);
        let (mut busy, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return false;
        }
        *busy += 1;
        true
    }
}

/// A thread that was taken; given back when dropped, also by a panic.
struct Taken(&'static Threads);

impl Drop for Taken {
    fn drop(&mut self) {
        *self.0.busy.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(10);

    #[test]
    fn addresses_and_names_are_found() {
        let found = |host: &str| Lookup::begin(host, 80, None).wait();
        assert_eq!(found("127.0.0.1").unwrap(), ["127.0.0.1:80".parse().unwrap()]);
        assert_eq!(found("::1").unwrap(), ["[::1]:80".parse().unwrap()]);
        assert!(found("localhost").unwrap().iter().all(|address| address.ip().is_loopback()));
        assert!(found("nowhere.invalid").is_err());
    }

    /// All threads hang: whoever waits for them, or for their end, waits no longer than allowed.
    #[test]
    fn a_resolver_that_hangs_holds_nobody_up() {
        static THREADS: Threads = Threads::new(LOOKUPS_MAX);
        let hanging: Vec<_> = (0..LOOKUPS_MAX).map(|_| hanging(&THREADS, SHORT)).collect();
        let further = Lookup::of(&THREADS, Box::new(one), SHORT);
        let error = further.wait().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().contains("64 other names"), "{error}");
        for (lookup, _end) in hanging {
            assert_eq!(lookup.wait().unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
    }

    /// More names than threads are no error: the last are resolved when the first have been.
    #[test]
    fn names_beyond_the_threads_wait_until_others_end() {
        static THREADS: Threads = Threads::new(2);
        let (first, end) = hanging(&THREADS, LONG);
        let (second, _hangs) = hanging(&THREADS, LONG);
        let further: Vec<_> = (0..5).map(|_| Lookup::of(&THREADS, Box::new(one), LONG)).collect();
        assert!(further.iter().all(|lookup| matches!(lookup.state, State::Queued(_))));
        drop(end);
        assert_eq!(first.wait().unwrap_err().kind(), io::ErrorKind::NotFound);
        for lookup in further {
            assert_eq!(lookup.wait().unwrap(), one().unwrap());
        }
        assert!(matches!(second.state, State::Asked(_)));
    }

    #[test]
    fn a_resolver_that_panics_gives_its_thread_back() {
        static THREADS: Threads = Threads::new(1);
        let panics = Lookup::of(&THREADS, Box::new(|| panic!("as the test wants")), LONG);
        assert!(panics.wait().unwrap_err().to_string().contains("panicked"));
        assert_eq!(Lookup::of(&THREADS, Box::new(one), LONG).wait().unwrap(), one().unwrap());
    }

    /// A lookup that finds nothing, once its sender is dropped.
    fn hanging(threads: &'static Threads, limit: Duration) -> (Lookup, Sender<()>) {
        let (end, ends) = channel::<()>();
        let resolve = move || {
            let _ = ends.recv();
            Ok(Vec::new())
        };
        (Lookup::of(threads, Box::new(resolve), limit), end)
    }

    fn one() -> Found {
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], 80))])
    }
}
