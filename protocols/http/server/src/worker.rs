//! The state that the connections of one thread share, and the execution of their requests.
//!
//! A request is executed within one call, for every version of HTTP; waiting and writing are done by the connection.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use brunt_embedded::clock::Clock;
use brunt_embedded::tcp::server::ThreadContext;
use brunt_embedded::timer::Timer;
use tokio_rustls::TlsAcceptor;

use super::call::Call;
use super::log::RequestContext;
use super::realm::Realm;
use super::reply::Reply;
use super::routes;
use super::script::{Facts, Faults};
use super::stats::Counters;

/// How much is read at once. A thread has one buffer of this size for all its connections, so that thousands of idle
/// connections need little memory.
const READ_BYTES: usize = 64 << 10;

/// The path under which requests are counted that a script answers.
const BY_SCRIPT: &str = "(script)";

/// How many answers are kept for reuse.
const SPARE: usize = 64;

/// What the connections of one thread share.
pub(super) struct Worker {
    pub(super) realm: Arc<Realm>,
    pub(super) counters: Arc<Counters>,
    pub(super) acceptor: TlsAcceptor,
    pub(super) clock: Clock,
    pub(super) timer: Rc<Timer>,
    /// The buffer to read into, used within a single poll.
    pub(super) input: RefCell<Vec<u8>>,
    /// Answers that were written.
    pub(super) spare: RefCell<Vec<Reply>>,
}

impl Worker {
    /// What the connections of this thread share.
    pub(super) fn new(realm: Arc<Realm>, counters: Arc<Counters>, context: ThreadContext) -> Self {
        let ThreadContext { acceptor, clock, timer } = context;
        let input = RefCell::new(vec![0; READ_BYTES]);
        Self { realm, counters, acceptor, clock, timer, input, spare: RefCell::default() }
    }

    /// An answer to fill in.
    pub(super) fn reply(&self) -> Reply {
        self.spare.borrow_mut().pop().unwrap_or_else(Reply::new)
    }

    /// Takes back an answer that was written.
    pub(super) fn keep(&self, mut reply: Reply) {
        let mut spare = self.spare.borrow_mut();
        if spare.len() < SPARE {
            reply.clear();
            spare.push(reply);
        }
    }

    /// Executes a request. Returns the faults of the script.
    pub(super) fn answer(&self, call: &mut Call<'_>, connection: u64, reply: &mut Reply) -> Faults {
        let request = &call.request;
        self.counters.request(request.version);
        let faults = self.realm.rules.as_ref().map(|rules| {
            let facts = Facts { method: request.method, path: request.path(), connection };
            rules.faults(&facts, call.now)
        });
        let faults = faults.unwrap_or_default();
        (call.login_fault, call.scim_fault) = (faults.login_fault, faults.scim);
        let (call, request) = (&*call, &call.request);
        let path = match faults.status {
            None => routes::answer(call, reply),
            Some(status) => {
                reply.error(status, "as the script has it");
                BY_SCRIPT
            }
        };
        if !reply.has_body() {
            reply.body.clear();
        }
        self.counters.answer(request.method, path, reply.status);
        if let Some(log) = &self.realm.log {
            let (number, now, status) = (call.number, call.now, reply.status);
            log.write(request, &RequestContext { number, connection, now, status });
        }
        faults
    }

    /// Waits until the current stall ends, if there is one.
    pub(super) async fn stand_still(&self) {
        let Some(rules) = &self.realm.rules else { return };
        while let Some(end) = rules.stalled_until(self.clock.now()) {
            self.timer.sleep().until(end).await;
        }
    }
}
