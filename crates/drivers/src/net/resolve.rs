//! [`Lookup`]: a host name that is being resolved, on a separate thread.
//!
//! The C library's resolver cannot be interrupted, and waits for minutes for name servers that do not answer. So a
//! caller that needs an address waits for the thread only until its time limit, and then abandons it: the thread keeps
//! no resources, and ends with the process. The number of these threads is limited.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How long a resolver may take if no limit for connections is set.
const LIMIT: Duration = Duration::from_secs(10);

/// The most names that are resolved at the same time.
const LOOKUPS_MAX: usize = 64;

static LOOKUPS: AtomicUsize = AtomicUsize::new(0);

/// A host name that is being resolved. Begin several before waiting for the first.
#[derive(Debug)]
pub struct Lookup {
    limit: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The name was an address, or no thread could be started.
    Known(io::Result<Vec<SocketAddr>>),
    Asked(Receiver<io::Result<Vec<SocketAddr>>>),
}

impl Lookup {
    /// Begins to resolve a name, within `limit`. An address needs no resolver.
    pub fn begin(host: &str, port: u16, limit: Option<Duration>) -> Self {
        let limit = limit.unwrap_or(LIMIT);
        if let Ok(address) = host.parse::<IpAddr>() {
            let state = State::Known(Ok(vec![SocketAddr::new(address, port)]));
            return Self { limit, state };
        }
        let asked = host.to_owned();
        let state = match ask(move || Ok((asked.as_str(), port).to_socket_addrs()?.collect())) {
            Ok(answer) => State::Asked(answer),
            Err(error) => State::Known(Err(error)),
        };
        Self { limit, state }
    }

    /// Waits for its addresses, without duplicates.
    pub fn wait(self) -> io::Result<Vec<SocketAddr>> {
        let all = match self.state {
            State::Known(known) => known?,
            State::Asked(answer) => match answer.recv_timeout(self.limit) {
                Ok(answer) => answer?,
                Err(RecvTimeoutError::Timeout) => {
                    let words = format!(
                        "the resolver did not answer within {:?}; check the name servers, or give an address",
                        self.limit
                    );
                    return Err(io::Error::new(io::ErrorKind::TimedOut, words));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the resolver panicked"));
                }
            },
        };
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
}

/// Answers a question on a separate thread.
fn ask(
    resolve: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> io::Result<Receiver<io::Result<Vec<SocketAddr>>>> {
    if LOOKUPS.fetch_add(1, Ordering::Relaxed) >= LOOKUPS_MAX {
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
        let words = format!(
            "{LOOKUPS_MAX} names are being resolved already; check the name servers, or give addresses"
        );
        return Err(io::Error::new(io::ErrorKind::WouldBlock, words));
    }
    let (sender, answer) = sync_channel(1);
    let act = move || {
        let resolved = resolve();
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
        // The caller may have stopped waiting.
        let _ = sender.send(resolved);
    };
    match std::thread::Builder::new().name("resolver".to_owned()).spawn(act) {
        Ok(_) => Ok(answer),
        Err(error) => {
            LOOKUPS.fetch_sub(1, Ordering::Relaxed);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn addresses_and_names_are_found() {
        let found = |host: &str| Lookup::begin(host, 80, None).wait();
        assert_eq!(found("127.0.0.1").unwrap(), ["127.0.0.1:80".parse().unwrap()]);
        assert_eq!(found("::1").unwrap(), ["[::1]:80".parse().unwrap()]);
        assert!(found("localhost").unwrap().iter().all(|address| address.ip().is_loopback()));
        assert!(found("nowhere.invalid").is_err());
    }

    /// The largest number of lookups hangs, and a further caller is not delayed; when they end, there is room again.
    #[test]
    fn a_resolver_that_hangs_holds_nobody_up() {
        let mut held = Vec::new();
        let mut refused = None;
        let limit = Duration::from_millis(10);
        for _ in 0..=LOOKUPS_MAX {
            let (hang, hangs) = channel::<()>();
            match ask(move || Ok(hangs.recv().into_iter().flat_map(|()| Vec::new()).collect())) {
                Ok(answer) => held.push((Lookup { limit, state: State::Asked(answer) }, hang)),
                Err(error) => refused = Some(error.to_string()),
            }
        }
        assert!(refused.unwrap().contains("already"));
        for (lookup, hang) in held {
            assert_eq!(lookup.wait().unwrap_err().kind(), io::ErrorKind::TimedOut);
            drop(hang);
        }
    }
}
