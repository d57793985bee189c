//! [`Echoes`]: the messages of a worker that wait for their echoes.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Waker};
use std::time::Duration;

use brunt_exchange::{Class, Moment, Outcome};
use brunt_net::carrier::{Inbox, OutgoingDatagram};
use brunt_net::hub::{Gap, Table, Transactions, Wheel};
use brunt_net::number_of_sending;

use crate::message::{Message, decode, encode};

/// The messages in flight, each in the slot of its session.
pub(crate) struct Echoes {
    server: SocketAddr,
    patience: Duration,
    slots: Vec<Slot>,
    queue: VecDeque<u32>,
    transactions: Transactions<()>,
    wheel: Wheel,
    messages: u32,
}

/// How a message ended.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub outcome: Outcome,
    /// When it was sent, if it was.
    pub sent: Option<Moment>,
    /// When its echo arrived, if one did.
    pub heard: Option<Moment>,
}

#[derive(Clone, Default)]
struct Slot {
    id: u32,
    message: Message,
    sent: Option<Moment>,
    ended: Option<Ended>,
    waker: Option<Waker>,
}

impl Echoes {
    /// A table of this many slots.
    pub(crate) fn new(server: SocketAddr, patience: Duration, slots: usize) -> Self {
        Self {
            server,
            patience,
            slots: vec![Slot::default(); slots],
            queue: VecDeque::with_capacity(slots),
            transactions: Transactions::new(slots, 0),
            wheel: Wheel::new(slots),
            messages: 0,
        }
    }

    /// Queues the message of an exchange.
    pub(crate) fn begin(&mut self, slot: u32, exchange: u64) {
        self.messages = self.messages.wrapping_add(1);
        let id = self.messages;
        let Some(entry) = self.slots.get_mut(slot as usize) else { return };
        *entry = Slot { id, message: encode(id, exchange), ..Slot::default() };
        self.transactions.begin(id, slot);
        self.queue.push_back(slot);
    }

    fn end(&mut self, slot: u32, outcome: Outcome, heard: Option<Moment>) {
        let Some(entry) = self.slots.get_mut(slot as usize) else { return };
        entry.ended = Some(Ended { outcome, sent: entry.sent, heard });
        self.transactions.end(entry.id, slot, ());
        entry.waker.take().into_iter().for_each(Waker::wake);
    }
}

impl Table for Echoes {
    type Ended = Ended;

    fn poll_end(&mut self, slot: u32, cx: &Context<'_>) -> Option<Ended> {
        let entry = self.slots.get_mut(slot as usize)?;
        entry.waker = Some(cx.waker().clone());
        entry.ended.take()
    }

    fn call_off(&mut self, slot: u32) {
        self.queue.retain(|queued| *queued != slot);
        if let Some(entry) = self.slots.get(slot as usize) {
            self.transactions.end(entry.id, slot, ());
        }
    }

    fn has_outgoing(&self) -> bool {
        !self.queue.is_empty()
    }

    fn datagrams(&mut self, max: usize) -> impl Iterator<Item = OutgoingDatagram<'_>> {
        let (slots, to) = (&self.slots, self.server);
        let queued = self.queue.iter().take(max).filter_map(|slot| slots.get(*slot as usize));
        queued.map(move |entry| OutgoingDatagram { bytes: &entry.message, to })
    }

    fn sent(&mut self, count: usize, now: Moment) {
        for slot in self.queue.drain(..count) {
            if let Some(entry) = self.slots.get_mut(slot as usize) {
                entry.sent = Some(now);
            }
            self.wheel.arm(slot, now + self.patience);
        }
    }

    fn refused(&mut self, error: &io::Error, _: Moment) {
        if let Some(slot) = self.queue.pop_front() {
            let errno = number_of_sending(error);
            self.end(slot, Outcome::Failed(Class::Connect, errno.unsigned_abs()), None);
        }
    }

    fn receive(&mut self, inbox: &Inbox, now: Moment) {
        for datagram in inbox.iter() {
            // What is no echo, or comes too late, belongs to no message in flight.
            let Some(slot) = decode(datagram.bytes).and_then(|id| self.transactions.slot(id))
            else {
                continue;
            };
            self.end(slot, Outcome::Ok(0), Some(datagram.stamp.unwrap_or(now)));
        }
    }

    fn next(&self) -> Option<Moment> {
        self.wheel.next()
    }

    fn tick(&mut self, now: Moment) {
        while let Some(slot) = self.wheel.due(now) {
            let waits = |entry: &Slot| self.transactions.slot(entry.id) == Some(slot);
            if self.slots.get(slot as usize).is_some_and(waits) {
                self.end(slot, Outcome::TimedOut, None);
            }
        }
    }

    fn stood_still(&mut self, _: Option<Gap>) {}

    fn lost(&mut self, _: u64, _: u64) {}

    fn close(&mut self, _: Moment) {}
}
