//! A [`Table`]: the exchanges of a protocol that a worker has in flight, as its hub drives them.
//!
//! It has no socket and reads no clock: the hub passes it what was sent, what was received and the time, so that late,
//! duplicate and forged answers are tested to the nanosecond without a network. Its building blocks are provided:
//! [`Transactions`](super::Transactions) finds the exchange of an answer, [`Wheel`](super::Wheel) the exchanges whose
//! time is over.

use super::Gap;
use crate::carrier::{Inbox, OutgoingDatagram};
use brunt_exchange::Moment;
use std::io;
use std::task::Context;

/// Exchanges in flight, each in its own slot.
pub trait Table: 'static {
    /// What a session receives about an exchange that has ended.
    type Ended;

    /// Polls whether the exchange of a slot has ended; the caller is woken when it has.
    fn poll_end(&mut self, slot: u32, cx: &Context<'_>) -> Option<Self::Ended>;

    /// Frees a slot whose session no longer waits. It may have ended already.
    fn call_off(&mut self, slot: u32);

    /// Whether there is anything to send.
    fn has_outgoing(&self) -> bool;

    /// The datagrams to send next, at most `max`.
    fn datagrams(&mut self, max: usize) -> impl Iterator<Item = OutgoingDatagram<'_>>;

    /// The first `count` of [`datagrams`](Self::datagrams) were sent at `now`.
    fn sent(&mut self, count: usize, now: Moment);

    /// The first of [`datagrams`](Self::datagrams) was refused by this machine.
    fn refused(&mut self, error: &io::Error, now: Moment);

    /// Datagrams were received and read `now`; some may have the kernel's stamp, and are judged by it.
    fn receive(&mut self, inbox: &Inbox, now: Moment);

    /// When the next exchange may have waited too long; `None` if none waits.
    fn next(&self) -> Option<Moment>;

    /// Ends exchanges that have waited too long.
    fn tick(&mut self, now: Moment);

    /// The hub did not run in this time.
    fn stood_still(&mut self, gap: Option<Gap>);

    /// Since the beginning, the kernel dropped `overflowed` datagrams because they were not read in time, and
    /// `unreachable` messages came back because no socket has the port they were sent to.
    fn lost(&mut self, overflowed: u64, unreachable: u64);

    /// The hub ends.
    fn close(&mut self, now: Moment);
}
