//! A thread of a server: one socket, from which datagrams are read and answered in batches.
//!
//! It polls only when there was nothing to read, so a busy server makes two system calls for a whole batch. The leases
//! are locked once per batch.

use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_embedded::clock::Clock;
use brunt_embedded::delay_queue::DelayQueue;
use brunt_embedded::threads::Stop;

use super::batch::{Inbox, Outbox};
use super::handler::{Context, Handler, Reply};
use super::script::Rules;
use super::stats::{Counters, NoReply};
use super::words::Answer;

/// What a thread receives at its start.
pub(super) struct Worker<H> {
    pub(super) socket: UdpSocket,
    pub(super) stop: Stop,
    pub(super) clock: Clock,
    pub(super) handler: Arc<Mutex<H>>,
    pub(super) rules: Option<Arc<Rules>>,
    pub(super) counters: Arc<Counters>,
}

/// The most replies that a thread holds back.
const DELAYED_MAX: usize = 1 << 20;

/// A reply that is held back.
#[derive(Debug)]
struct DelayedReply {
    to: SocketAddr,
    bytes: Vec<u8>,
    /// The counter for it, if it is counted.
    answer: Option<Answer>,
}

/// Sends the replies of a thread, or holds them back.
struct ReplySender<'a> {
    outbox: Outbox,
    queue: DelayQueue<DelayedReply>,
    counters: &'a Counters,
    now: Duration,
}

impl<H: Handler> Worker<H> {
    /// Answers until it is stopped.
    pub(super) fn run(self) {
        let mut inbox = Inbox::new();
        let mut answer = Vec::with_capacity(4096);
        let mut replies = ReplySender {
            outbox: Outbox::new(),
            queue: DelayQueue::default(),
            counters: &self.counters,
            now: Duration::ZERO,
        };
        while !self.stop.is_now() {
            let now = self.clock.now();
            let rules = self.rules.as_deref();
            if let Some(end) = rules.and_then(|rules| rules.stalled_until(now)) {
                self.wait(false, Some(end.saturating_sub(now)));
                continue;
            }
            replies.now = now;
            // An error is about an earlier datagram that could not be delivered, and is reported once.
            let received = inbox.receive(&self.socket).unwrap_or(0);
            // While the script makes the server not listen, datagrams are lost.
            let refuses = rules.is_some_and(|rules| rules.refuses(now));
            let count = if refuses { 0 } else { received };
            if count > 0 {
                self.counters.datagrams(count);
                self.answer(&inbox, &mut replies, &mut answer);
            }
            replies.send_what_is_due();
            self.counters.unsent(replies.outbox.flush(&self.socket));
            if count == 0 {
                let stall = rules.and_then(|rules| rules.next_stall(now));
                let next = replies.queue.due().into_iter().chain(stall).min();
                self.wait(true, next.map(|next| next.saturating_sub(self.clock.now())));
            }
        }
    }

    fn answer(&self, inbox: &Inbox, replies: &mut ReplySender<'_>, answer: &mut Vec<u8>) {
        // The leases are consistent even if another thread panicked: each changes in one step.
        let mut handler = self.handler.lock().unwrap_or_else(PoisonError::into_inner);
        for (from, message) in inbox.datagrams() {
            answer.clear();
            let Some(from) = from else {
                self.counters.no_reply(NoReply::Malformed);
                continue;
            };
            let (now, counters) = (replies.now, &*self.counters);
            let context = Context { now, from, rules: self.rules.as_deref(), counters };
            match handler.answer(&context, message, answer) {
                Ok(reply) => replies.take(&reply, answer),
                Err(why) => self.counters.no_reply(why),
            }
        }
    }

    /// Waits for the stop, for a datagram if `reads`, and at most for `timeout`.
    fn wait(&self, reads: bool, timeout: Option<Duration>) {
        // The loop checks everything again, whatever ended the wait.
        let _ = self.stop.wait(reads.then_some(&self.socket), timeout);
    }
}

impl ReplySender<'_> {
    /// Sends an answer, after applying the faults of the script.
    fn take(&mut self, reply: &Reply, bytes: &mut Vec<u8>) {
        let (faults, answer) = (&reply.faults, reply.spoil(bytes));
        for _ in 0..reply.copies() {
            if faults.delay.is_zero() && !faults.reorder {
                self.send(reply.to, bytes, answer);
                continue;
            }
            let waiting = DelayedReply { to: reply.to, bytes: bytes.clone(), answer };
            if self.queue.held() >= DELAYED_MAX {
                self.counters.unsent(1);
            } else if faults.delay.is_zero() {
                self.queue.push_behind(waiting);
            } else {
                self.queue.push(self.now + faults.delay, waiting);
            }
        }
    }

    fn send_what_is_due(&mut self) {
        while let Some(waiting) = self.queue.pop(self.now) {
            self.send(waiting.to, &waiting.bytes, waiting.answer);
        }
    }

    fn send(&mut self, to: SocketAddr, bytes: &[u8], answer: Option<Answer>) {
        self.push(to, bytes, answer);
        for behind in self.queue.take_behind() {
            self.push(behind.to, &behind.bytes, behind.answer);
        }
    }

    fn push(&mut self, to: SocketAddr, bytes: &[u8], answer: Option<Answer>) {
        self.outbox.push(to, bytes);
        if let Some(answer) = answer {
            self.counters.sent(answer);
        }
    }
}
