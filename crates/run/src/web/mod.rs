//! The live page of a run: a small server on this machine that shows a run in any number of browser tabs.
//!
//! It is given a page, the view of the run so far, rows and sections, and does not depend on their meaning. The run
//! passes these on and continues: a separate thread, away from the cores of workers, serves them from one shared
//! [`History`] by server-sent events. A client needs the token of the printed address, and one of the names of this
//! machine.

mod routes;
mod serve;
mod tabs;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use brunt_web::listen::Hosts;
use brunt_web::watch::History;
use bytes::Bytes;
use tokio::sync::watch;

use crate::options::web::WebAddress;

use tabs::Tabs;

/// Starts a thread on the cores that the run chooses.
pub type Spawn<'a> = &'a dyn Fn(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

/// Why the page of a run cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("failed to serve the page of --web on {at}: {cause}; name another address with --web=ADDR")]
pub struct ServeError {
    at: WebAddress,
    #[source]
    cause: ServeCause,
}

/// What serving a page failed at.
#[derive(Debug, thiserror::Error)]
enum ServeCause {
    #[error(transparent)]
    Listen(#[from] io::Error),
    #[error("draw a random token: {0}")]
    Token(#[from] getrandom::Error),
}

/// The server of a run's page. When it is dropped, it notifies every tab that the run is over, and waits until they
/// have been notified: for [`serve::GOODBYE_MAX`] at most.
pub struct Server {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The data that the run and the server share.
struct Shared {
    address: String,
    token: Token,
    hosts: Hosts,
    page: Bytes,
    history: Mutex<History>,
    /// Signals that the history has grown.
    changed: watch::Sender<()>,
    tabs: watch::Sender<Tabs>,
}

impl Shared {
    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Begins to serve a page, on a thread that `spawn` starts. The error says what failed and what to do.
    pub fn start(at: WebAddress, page: String, spawn: Spawn<'_>) -> Result<Self, ServeError> {
        Self::serve(at, page, spawn).map_err(|cause| ServeError { at, cause })
    }

    fn serve(at: WebAddress, page: String, spawn: Spawn<'_>) -> Result<Self, ServeCause> {
        let listener = TcpListener::bind(at.0)?;
        let bound = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let token = Token::new()?;
        let own = own_name().filter(|_| !at.is_private());
        // If the server listens on all addresses, a remote reader needs one that leads here.
        let host = match &own {
            Some(name) if bound.ip().is_unspecified() => format!("{name}:{}", bound.port()),
            _ => bound.to_string(),
        };
        let shared = Arc::new(Shared {
            address: format!("http://{host}/{token}/"),
            token,
            hosts: Hosts::new(own.as_slice()),
            page: Bytes::from(page),
            history: Mutex::default(),
            changed: watch::Sender::default(),
            tabs: watch::Sender::default(),
        });
        let act = {
            let shared = Arc::clone(&shared);
            Box::new(move || serve::serve(listener, &shared))
        };
        let thread = Some(spawn(act)?);
        Ok(Self { shared, thread })
    }

    /// Where the page is, with its token.
    pub fn address(&self) -> &str {
        &self.shared.address
    }

    /// Whether a tab is open on it.
    pub fn is_watched(&self) -> bool {
        self.shared.tabs.borrow().open > 0
    }

    /// Replaces the view by this one, in JSON of one line.
    pub fn show(&self, view: &str) {
        self.change(|history| history.show(view));
    }

    /// Adds a row to the view, in JSON of one line.
    pub fn append(&self, row: &str) {
        self.change(|history| history.append(row));
    }

    /// Replaces texts and tables, in JSON of one line.
    pub fn report(&self, sections: &str) {
        self.change(|history| history.report("sections", sections));
    }

    fn change(&self, change: impl FnOnce(&mut History)) {
        change(&mut self.shared.history());
        self.shared.changed.send_replace(());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.change(History::end);
        // A thread that panicked serves nothing more, and has reported that.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// The name of this machine that remote browsers may use, if it has one.
fn own_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    let plain = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// The secret in the address of a page: 128 random bits, so that knowing the port is not enough to watch a run.
#[derive(Clone, PartialEq, Eq)]
struct Token(String);

impl Token {
    /// A new one.
    fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Ok(Self(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()))
    }

    /// Whether this is the token. The time of the comparison does not reveal how much of it is right.
    fn is(&self, text: &str) -> bool {
        let differ =
            self.0.bytes().zip(text.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
        self.0.len() == text.len() && differ == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
