//! The [`Hub`] of a worker: its socket, and the exchanges of all its sessions.
//!
//! The [datagram hub](brunt_net::hub) sends and receives the messages. The [`ExchangeTable`] handles their contents
//! and counts them. This module connects the two with a worker's sessions.

mod exchange_table;
#[cfg(test)]
mod exchange_table_tests;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod phase_tests;
mod slot;
#[cfg(test)]
mod tests;

pub(super) use slot::{EndedExchange, Terms};

use super::Kind;
use super::dialogue::{Dialogue, ExchangeRequest, Step};
use super::setup::Opener;
use super::shared::Shared;
use brunt_net::carrier::{Carrier, OutgoingDatagram};
use brunt_net::hub;
use exchange_table::ExchangeTable;
use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Hub<D: Dialogue, C: Carrier + 'static> {
    shared: Arc<Shared<D>>,
    worker: usize,
    datagrams: Rc<hub::Hub<ExchangeTable<D>, C>>,
    preloaded: Cell<bool>,
}

impl<D: Dialogue, C: Carrier + 'static> Hub<D, C> {
    /// Opens a hub with this number of slots and starts its I/O task.
    pub(super) fn start(
        shared: Arc<Shared<D>>,
        socket: Option<Opener<C>>,
        worker: usize,
        slots: usize,
    ) -> Rc<Self> {
        let missing = || io::Error::from_raw_os_error(libc::EBADF);
        let carrier = socket.ok_or_else(missing).and_then(|open| open());
        Self::start_on(shared, carrier, worker, slots)
    }

    /// Opens a hub on a socket, or on the error from opening one.
    fn start_on(
        shared: Arc<Shared<D>>,
        carrier: io::Result<C>,
        worker: usize,
        slots: usize,
    ) -> Rc<Self> {
        let table = ExchangeTable::new(Arc::clone(&shared), worker, slots);
        let datagrams = hub::Hub::start(table, carrier, Arc::clone(&shared.clock), slots);
        Rc::new(Self { shared, worker, datagrams, preloaded: Cell::new(false) })
    }

    pub(super) fn shared(&self) -> &Shared<D> {
        &self.shared
    }

    pub(super) fn take_lease(&self, draw: u64) -> Option<D::Lease> {
        self.datagrams.table().take_lease(draw)
    }

    /// Performs an exchange in a free slot. If the future is dropped before it completes, the exchange is cut off.
    pub(super) async fn carry_out(
        &self,
        slot: u32,
        request: ExchangeRequest<D::Lease>,
        terms: Terms,
    ) -> EndedExchange<D::Lease> {
        self.datagrams.carry_out(slot, |table, now| table.begin(slot, request, terms, now)).await
    }

    /// Keeps the reply that ends each exchange from now on.
    pub(super) fn keep_answers(&self) {
        self.datagrams.table().keep_answers();
    }

    /// Passes the reply that ended the exchange of a slot to `look`, if replies are kept; an unexpected reply is always
    /// kept.
    pub(super) fn with_answer<T>(&self, slot: u32, look: impl FnOnce(&[u8]) -> T) -> T {
        look(self.datagrams.table().answer(slot))
    }

    /// Records that a session has closed; the I/O task ends with the last one.
    pub(super) fn leave(&self) {
        self.datagrams.leave();
    }

    /// Sends the messages that precede the run, if no other session has done so.
    pub(super) async fn preload(&self) {
        let count = self.shared.preload_of(self.worker);
        if self.preloaded.replace(true) || count == 0 {
            return;
        }
        let Some(carrier) = self.datagrams.carrier() else { return };
        let (mut dialogue, mut out) = (D::default(), Vec::new());
        for n in 0..count {
            let (number, client) = self.shared.preload(self.worker, n);
            let (kind, at) = (Kind::Acquire, Duration::ZERO);
            let request = ExchangeRequest { kind, number, client, lease: None, at };
            let Step::Send(outgoing) =
                dialogue.begin(&self.shared.plans[self.worker], request, &mut out)
            else {
                continue;
            };
            let to = outgoing.to.unwrap_or(self.shared.destination);
            let sent = loop {
                let datagram = OutgoingDatagram { bytes: &out, to };
                match carrier.try_send(std::iter::once(datagram)).map_err(|error| error.kind()) {
                    Err(io::ErrorKind::WouldBlock) if carrier.writable().await.is_ok() => {}
                    Ok(0) => tokio::task::yield_now().await,
                    other => break other.is_ok(),
                }
            };
            self.datagrams.table().preloaded(&outgoing, sent);
            // The answers to earlier messages are already arriving.
            tokio::task::coop::consume_budget().await;
        }
    }
}
