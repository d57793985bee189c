//! Executes the requests of a connection and collects their replies.
//!
//! It neither reads, writes nor waits: the connection writes and clears `out`.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use brunt_embedded::delay_queue::DelayQueue;
use brunt_ldap_wire::code;
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::reply::{self, Answer};

use crate::dispatch::{self, kind};
use crate::reply::Reply;
use crate::session::{Next, Session};
use crate::stats::add;
use crate::worker::Worker;

pub(super) struct Dialogue {
    pub(super) worker: Rc<Worker>,
    /// The number of the connection.
    pub(super) number: u64,
    pub(super) session: Session,
    /// The bytes to write.
    pub(super) out: Vec<u8>,
    /// What to do with the connection next.
    pub(super) next: Next,
    /// The time before each byte, and when the next one may be sent.
    pub(super) trickle: Option<(Duration, Duration)>,
    /// The replies that a script holds back.
    pub(super) held: DelayQueue<Reply>,
}

impl Dialogue {
    pub(super) fn new(worker: Rc<Worker>, number: u64, secure: bool) -> Self {
        Self {
            session: Session::new(Arc::clone(&worker.realm), secure),
            number,
            out: Vec::new(),
            next: Next::Continue,
            trickle: None,
            held: DelayQueue::default(),
            worker,
        }
    }

    /// Executes a request and appends its replies.
    pub(super) fn answer(&mut self, message: &Message<'_>) {
        let operation = kind(&message.request);
        let counters = &self.worker.counters;
        counters.request(operation);
        let (code, next) =
            dispatch::answer(&mut self.session, message, message.message_id, &mut self.out);
        if let Some(code) = code {
            counters.answer(operation, code);
        }
        add(&counters.entries_returned, self.session.entries);
        self.next = match next {
            // Without a script no reply is held back, so there is none to withdraw.
            Next::Abandon(_) | Next::Cancel(_) => Next::Continue,
            next => next,
        };
    }

    /// Sends a notice of disconnection for what is not LDAP (RFC 4511 section 4.1.1), and closes.
    pub(super) fn disconnect(&mut self, reason: &str) {
        add(&self.worker.counters.malformed, 1);
        let answer = Answer::because(code::PROTOCOL_ERROR, reason);
        reply::notice_of_disconnection(&mut self.out, &answer);
        self.next = Next::Close;
    }
}
