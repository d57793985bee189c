//! A [`Table`]: the exchanges of a protocol that a worker has in flight, as its hub drives them.
//!
//! It has no socket and reads no clock: it is told what left, what came in and what time it is, so that late, duplicate
//! and forged answers are tested to the nanosecond without a network. What it is made of is there to be used:
//! [`Transactions`](super::Transactions) tells whose an answer is, [`Wheel`](super::Wheel) whose time is over.

use super::Gap;
use crate::net::carrier::{Inbox, OutgoingDatagram};
use brunt_exchange::Moment;
use std::task::Context;

/// Exchanges in flight, each in a slot of its own.
pub(crate) trait Table: 'static {
    /// What a session is told of an exchange that has ended.
    type Ended;

    /// Polls whether the exchange of a slot has ended; the caller is woken when it has.
    fn poll_end(&mut self, slot: u32, cx: &Context<'_>) -> Option<Self::Ended>;

    /// Frees a slot whose session no longer waits. It may have ended already.
    fn call_off(&mut self, slot: u32);

    /// Whether anything is to be sent.
    fn has_outgoing(&self) -> bool;

    /// What is to be sent next, at most so many.
    fn datagrams(&mut self, max: usize) -> impl Iterator<Item = OutgoingDatagram<'_>>;

    /// The first so many of [`datagrams`](Self::datagrams) left at `now`.
    fn sent(&mut self, count: usize, now: Moment);

    /// The first of [`datagrams`](Self::datagrams) was refused by this machine.
    fn refused(&mut self, errno: i32, now: Moment);

    /// Datagrams came in and were read `now`; some may bear the kernel's stamp, and are judged by it.
    fn receive(&mut self, inbox: &Inbox, now: Moment);

    /// When the next exchange may have waited too long; nothing if none waits.
    fn next(&self) -> Option<Moment>;

    /// Ends what has waited too long.
    fn tick(&mut self, now: Moment);

    /// The hub did not run in this time.
    fn stood_still(&mut self, gap: Option<Gap>);

    /// So many datagrams were dropped by the kernel since the beginning because they were not read in time, and so many
    /// messages came back because nothing listens where they were sent.
    fn lost(&mut self, overflowed: u64, unreachable: u64);

    /// The hub ends.
    fn close(&mut self, now: Moment);
}
