//! A [`TableHarness`]: a table with invented times, for tests of what a network can do.

use super::exchange_table::{Arrival, ExchangeTable};
use super::slot::{EndedExchange, Terms};
use crate::dialogue::ExchangeRequest;
use crate::run::Dhcp;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::tally::{Counter, Overall, Tally};
use crate::toy::{Rules, Toy, ToyLease, at, message, parts, setup};
use crate::{Kind, Stage};
use brunt_exchange::{Moment, Outcome, Ticket};
use brunt_net::hub::Table as _;
use brunt_net::wire::Wire;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

/// The phase of the exchanges, if all have the same phase.
pub(super) const STEADY: u8 = 3;

/// A table whose clock is advanced only by the test.
pub(super) struct TableHarness {
    pub(super) table: ExchangeTable<Toy>,
    pub(super) shared: Arc<Shared<Toy>>,
    pub(super) now: Moment,
    /// Whether exchanges belong to phases 1 to 3 in turn.
    pub(super) phased: bool,
}

impl TableHarness {
    pub(super) fn new(slots: usize, rules: Rules) -> Self {
        Self::with(slots, setup(rules))
    }

    pub(super) fn with(slots: usize, mut setup: Setup<Toy, Wire>) -> Self {
        setup.sockets.push(Box::new(|| Ok(Wire::new(Box::new(|_| vec![]), Rc::default()))));
        let shared = Arc::clone(Dhcp::new(setup, 1).shared());
        Self {
            table: ExchangeTable::new(Arc::clone(&shared), 0, slots),
            shared,
            now: at(5),
            phased: false,
        }
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.shared.tallies[0]
    }

    pub(super) fn begin(&mut self, slot: u32, number: u64) {
        self.begin_kind(slot, number, Kind::Acquire, None);
    }

    pub(super) fn begin_kind(
        &mut self,
        slot: u32,
        number: u64,
        kind: Kind,
        lease: Option<ToyLease>,
    ) {
        let request = ExchangeRequest { kind, number, client: number, lease, at: Duration::ZERO };
        let phase = if self.phased { (number % 3 + 1) as u8 } else { STEADY };
        self.table.begin(slot, request, Terms { phase, until: None }, self.now);
    }

    /// Sends everything that is queued.
    pub(super) fn send(&mut self) -> Vec<(u8, u32)> {
        let sent: Vec<_> = self
            .table
            .datagrams(usize::MAX)
            .map(|datagram| parts(datagram.bytes))
            .map(|(what, xid, _)| (what, xid))
            .collect();
        self.table.sent(sent.len(), self.now);
        sent
    }

    pub(super) fn receive(&mut self, what: u8, xid: u32, address: u32) {
        let now = self.now;
        self.receive_stamped(what, xid, address, None, now);
    }

    /// Reads, at `now`, a message that the kernel received at `stamp`.
    pub(super) fn receive_stamped(
        &mut self,
        what: u8,
        xid: u32,
        address: u32,
        stamp: Option<Moment>,
        now: Moment,
    ) {
        let arrival = Arrival { at: now, stamp, origin: at(0) };
        self.table.take_in(&message(what, xid, address), false, arrival);
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now = self.now + time;
    }

    pub(super) fn end(&mut self, slot: u32) -> Option<EndedExchange<ToyLease>> {
        self.table.poll_end(slot, &Context::from_waker(Waker::noop()))
    }

    pub(super) fn outcome(&mut self, slot: u32) -> Option<Outcome> {
        self.end(slot).map(|ended| ended.outcome)
    }

    /// The counters of a stage that are not zero.
    pub(super) fn counts(&self, stage: Stage) -> Vec<(&'static str, u64)> {
        let counts = Counter::ALL.into_iter().map(|it| (it.word(), self.tally().stage(stage, it)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    pub(super) fn overall(&self) -> Vec<(&'static str, u64)> {
        let counts = Overall::ALL.into_iter().map(|it| (it.word(), self.tally().overall(it)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    pub(super) fn assert_nothing_waits(&self) {
        for stage in Stage::ALL {
            assert_eq!(self.tally().waiting(stage), 0, "{stage:?}: {:?}", self.counts(stage));
            for phase in 0..Ticket::PHASES as u8 {
                assert_eq!(self.tally().waiting_in(phase, stage), 0, "{stage:?} in phase {phase}");
            }
        }
    }
}
