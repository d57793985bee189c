//! [`Lookup`]: a host name that is being resolved, on a separate thread.
//!
//! The C library's resolver cannot be interrupted, and waits for minutes for name servers that do not answer. So a
//! caller that needs an address waits for the thread only until its time limit, and then abandons it: the thread keeps
//! no resources, and ends with the process. The number of these threads is limited; names beyond it wait, within the
//! same time limit, until a thread has finished another one.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

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
    state: State,
}

enum State {
    /// The name was an address, or no thread could be started.
    Known(Found),
    Queued(Arc<Query>, Receiver<Found>),
}

impl Lookup {
    /// Begins to resolve a name, within `limit`. An address needs no resolver.
    pub fn begin(host: &str, port: u16, limit: Option<Duration>) -> Self {
        let limit = limit.unwrap_or(LIMIT);
        if let Ok(address) = host.parse::<IpAddr>() {
            let state = State::Known(Ok(vec![SocketAddr::new(address, port)]));
            return Self { limit, state };
        }
        let host = host.to_owned();
        let resolve = move || Ok((host.as_str(), port).to_socket_addrs()?.collect());
        Self::new(&THREADS, limit, resolve)
    }

    fn new(
        threads: &'static Threads,
        limit: Duration,
        resolve: impl FnOnce() -> Found + Send + 'static,
    ) -> Self {
        let (sender, answer) = sync_channel(1);
        let query = Arc::new(Query(Mutex::new(Some((Box::new(resolve), sender)))));
        let state = match threads.submit(&query) {
            Ok(()) => State::Queued(query, answer),
            Err(error) => State::Known(Err(error)),
        };
        Self { limit, state }
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
        let (query, answer) = match self.state {
            State::Known(found) => return found,
            State::Queued(query, answer) => (query, answer),
        };
        let limit = self.limit;
        match answer.recv_timeout(limit) {
            Ok(found) => found,
            Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the resolver panicked")),
            Err(RecvTimeoutError::Timeout) => {
                let words = match query.take() {
                    Some(_) => "the resolver was busy with other names for",
                    None => "the resolver did not answer within",
                };
                let words =
                    format!("{words} {limit:?}; check the name servers, or give an address");
                Err(io::Error::new(io::ErrorKind::TimedOut, words))
            }
        }
    }
}

/// A name to resolve and where its addresses go, until a thread takes it.
struct Query(Mutex<Option<(Resolve, SyncSender<Found>)>>);

impl Query {
    fn take(&self) -> Option<(Resolve, SyncSender<Found>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The threads that resolve names. Each ends when no query is left.
struct Threads {
    most: usize,
    work: Mutex<Work>,
}

struct Work {
    threads: usize,
    /// In the order in which they were submitted. Those whose callers have given up are passed over.
    queries: VecDeque<Weak<Query>>,
}

impl Threads {
    const fn new(most: usize) -> Self {
        Self { most, work: Mutex::new(Work { threads: 0, queries: VecDeque::new() }) }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves a query, at once or when a thread is free.
    fn submit(&'static self, query: &Arc<Query>) -> io::Result<()> {
        let mut work = self.work();
        if work.threads < self.most {
            let named = std::thread::Builder::new().name("resolver".to_owned());
            named.spawn(|| self.answer_all())?;
            work.threads += 1;
        }
        work.queries.retain(|requested| requested.strong_count() > 0);
        work.queries.push_back(Arc::downgrade(query));
        Ok(())
    }

    fn answer_all(&self) {
        while let Some((resolve, answer)) = self.next() {
            // After a panic, the caller finds that nobody will answer.
            if let Ok(found) = catch_unwind(AssertUnwindSafe(resolve)) {
                // The caller may have stopped waiting.
                let _ = answer.send(found);
            }
        }
    }

    /// The next query; without one, the calling thread ends.
    fn next(&self) -> Option<(Resolve, SyncSender<Found>)> {
        let mut work = self.work();
        while let Some(requested) = work.queries.pop_front() {
            let taken = requested.upgrade().and_then(|query| query.take());
            if taken.is_some() {
                return taken;
            }
        }
        work.threads -= 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(10);

    #[test]
    fn lookup_finds_addresses_and_names() {
        let found = |host: &str| Lookup::begin(host, 80, None).wait();
        assert_eq!(found("127.0.0.1").unwrap(), ["127.0.0.1:80".parse().unwrap()]);
        assert_eq!(found("::1").unwrap(), ["[::1]:80".parse().unwrap()]);
        assert!(found("localhost").unwrap().iter().all(|address| address.ip().is_loopback()));
        assert!(found("nowhere.invalid").is_err());
    }

    /// All threads hang: neither their callers nor further ones wait longer than allowed, and those who have given up
    /// are forgotten.
    #[test]
    fn lookup_is_bounded_when_the_resolver_hangs() {
        static THREADS: Threads = Threads::new(LOOKUPS_MAX);
        let hanging: Vec<_> = (0..LOOKUPS_MAX).map(|_| hanging(&THREADS, LONG)).collect();
        for (_, _, taken) in &hanging {
            taken.recv().unwrap();
        }
        for _ in 0..3 {
            let error = plain(&THREADS, SHORT).wait().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(error.to_string().contains("busy with other names for 10ms"), "{error}");
        }
        assert_eq!(THREADS.work().queries.len(), 1, "the last, until the next is submitted");
        for (mut lookup, _end, _) in hanging {
            lookup.limit = SHORT;
            let error = lookup.wait().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(error.to_string().contains("did not answer within 10ms"), "{error}");
        }
    }

    /// More names than threads are no error: the last are resolved when the first have been.
    #[test]
    fn lookup_beyond_the_threads_waits_for_a_free_one() {
        static THREADS: Threads = Threads::new(2);
        let (first, end, taken) = hanging(&THREADS, LONG);
        let (_second, _hangs, also) = hanging(&THREADS, LONG);
        taken.recv().unwrap();
        also.recv().unwrap();
        let further: Vec<_> = (0..5).map(|_| plain(&THREADS, LONG)).collect();
        assert_eq!(THREADS.work().queries.len(), 5);
        drop(end);
        assert_eq!(first.wait().unwrap_err().kind(), io::ErrorKind::NotFound);
        // Nobody has to wait for one of them, so that the next begins.
        for lookup in further.into_iter().rev() {
            assert_eq!(lookup.wait().unwrap(), [address()]);
        }
    }

    #[test]
    fn lookup_survives_a_panic_of_the_resolver() {
        static THREADS: Threads = Threads::new(1);
        let panics = Lookup::new(&THREADS, LONG, || panic!("as the test wants"));
        let next = plain(&THREADS, LONG);
        assert!(panics.wait().unwrap_err().to_string().contains("panicked"));
        assert_eq!(next.wait().unwrap(), [address()]);
    }

    /// A lookup that signals when a thread has taken it, and finds nothing once its sender is dropped.
    fn hanging(threads: &'static Threads, limit: Duration) -> (Lookup, Sender<()>, Receiver<()>) {
        let (end, ends) = channel::<()>();
        let (take, taken) = channel();
        let resolve = move || {
            take.send(()).unwrap();
            let _ = ends.recv();
            Ok(Vec::new())
        };
        (Lookup::new(threads, limit, resolve), end, taken)
    }

    /// A lookup whose name has one address.
    fn plain(threads: &'static Threads, limit: Duration) -> Lookup {
        Lookup::new(threads, limit, || Ok(vec![address()]))
    }

    fn address() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 80))
    }
}
