//! The state that the connections of one thread share.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use brunt_embedded::clock::Clock;
use brunt_embedded::tcp::server::ThreadContext;
use brunt_embedded::timer::Timer;
use tokio_rustls::TlsAcceptor;

use super::session::Realm;
use super::stats::Counters;

/// How much is read at once. A thread has one buffer of this size for all its connections, so that thousands of idle
/// connections need little memory.
const READ_BYTES: usize = 64 << 10;

/// What the connections of one thread share.
pub(super) struct Worker {
    pub(super) realm: Arc<Realm>,
    pub(super) counters: Arc<Counters>,
    pub(super) acceptor: TlsAcceptor,
    pub(super) clock: Clock,
    pub(super) timer: Rc<Timer>,
    /// The buffer to read into, used within a single poll.
    pub(super) input: RefCell<Vec<u8>>,
}

impl Worker {
    /// What the connections of this thread share.
    pub(super) fn new(realm: Arc<Realm>, counters: Arc<Counters>, context: ThreadContext) -> Self {
        let ThreadContext { acceptor, clock, timer } = context;
        let input = RefCell::new(vec![0; READ_BYTES]);
        Self { realm, counters, acceptor, clock, timer, input }
    }
}
