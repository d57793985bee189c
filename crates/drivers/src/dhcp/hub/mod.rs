//! The [`Hub`] of a worker: its socket, and the exchanges of all its sessions.
//!
//! Sessions put what they want to send into the table's queue. One task, the I/O task, does everything that touches the
//! socket: it reads in batches, lets the table answer at once (so that an OFFER becomes a REQUEST without waking a
//! session), sends what has been queued in batches, and checks drop times, only after everything in the socket has been
//! read, however late that is. It is woken at the end of a turn of the runtime, by when everything that fell due at the
//! same moment is in the queue. Otherwise it sleeps until the next drop time, or for a tenth of a second while anything
//! is in flight: with nothing in flight, a hub does nothing. It must not know what is in a packet.

mod exchange_table;
#[cfg(test)]
mod exchange_table_tests;
mod gap;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod phase_tests;
mod slot;
#[cfg(test)]
mod tests;
mod transactions;

pub(super) use exchange_table::EndedExchange;
pub(super) use slot::Terms;

use super::Kind;
use super::dialogue::{Dialogue, ExchangeRequest, Step};
use super::setup::Opener;
use super::shared::Shared;
use crate::net::carrier::{Carrier, Inbox, OutgoingDatagram};
use crate::net::{BATCH, fence};
use brunt_exchange::Moment;
use exchange_table::{Arrival, ExchangeTable};
use gap::{BEAT, Gap};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

/// How many datagrams are stamped together, so that none waits long between its stamp and its call.
const STAMPED_MAX: usize = 64;
/// How often the kernel is asked what it dropped.
const OVERFLOW_EVERY: Duration = Duration::from_millis(50);
/// After so many consecutive failed receptions the socket counts as broken.
const FAULTS_MAX: u32 = 100;
/// How many batches are read at most before drop times are looked at, by a hub that is busy all the time.
const READ_FIRST_MAX: usize = 16;
/// How long a hub that stood still may take to read what came in meanwhile.
const CATCH_UP_MAX: Duration = Duration::from_secs(1);
/// How much later than a drop time a busy hub may notice it.
const BUSY_MAX: Duration = Duration::from_millis(100);

pub(super) struct Hub<D: Dialogue, C: Carrier + 'static> {
    shared: Arc<Shared<D>>,
    worker: usize,
    table: RefCell<ExchangeTable<D>>,
    /// The socket, or why there is none.
    carrier: Result<C, i32>,
    wake_flag: WakeFlag,
    preloaded: Cell<bool>,
    /// Sessions that have not closed.
    present: Cell<usize>,
    io_task: RefCell<Option<AbortHandle>>,
}

/// Wakes the I/O task.
#[derive(Default)]
struct WakeFlag {
    raised: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// What the I/O task was woken for.
enum Wakeup {
    /// Something came in, or could not.
    Inbox(io::Result<()>),
    /// A session has something to send, there is room to send again, or a drop time is over.
    Other,
}

/// The result of a flush.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flushed {
    /// Nothing is left.
    All,
    /// There is more.
    Some,
    /// There is no room for more.
    Blocked,
}

/// Frees a slot whose exchange is cancelled.
struct SlotGuard<'a, D: Dialogue> {
    table: &'a RefCell<ExchangeTable<D>>,
    slot: u32,
}

impl<D: Dialogue> Drop for SlotGuard<'_, D> {
    fn drop(&mut self) {
        self.table.borrow_mut().call_off(self.slot);
    }
}

impl<D: Dialogue, C: Carrier + 'static> Hub<D, C> {
    /// Opens a hub with so many slots and starts its I/O task.
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

    /// Opens a hub on a socket, or on the error that there is none.
    fn start_on(
        shared: Arc<Shared<D>>,
        carrier: io::Result<C>,
        worker: usize,
        slots: usize,
    ) -> Rc<Self> {
        let hub = Rc::new(Self {
            table: RefCell::new(ExchangeTable::new(Arc::clone(&shared), worker, slots)),
            carrier: carrier.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO)),
            shared,
            worker,
            wake_flag: WakeFlag::default(),
            preloaded: Cell::new(false),
            present: Cell::new(slots),
            io_task: RefCell::default(),
        });
        let io_task = tokio::task::spawn_local(run_io(Rc::clone(&hub)));
        *hub.io_task.borrow_mut() = Some(io_task.abort_handle());
        hub
    }

    pub(super) fn shared(&self) -> &Shared<D> {
        &self.shared
    }

    pub(super) fn take_lease(&self, draw: u64) -> Option<D::Lease> {
        self.table.borrow_mut().take_lease(draw)
    }

    /// Carries out an exchange in a slot that is free. Dropped before its end, it is cut off.
    pub(super) async fn carry_out(
        &self,
        slot: u32,
        request: ExchangeRequest<D::Lease>,
        terms: Terms,
    ) -> EndedExchange<D::Lease> {
        let now = self.shared.clock.now();
        self.table.borrow_mut().begin(slot, request, terms, now);
        self.wake_flag.raise();
        let guard = SlotGuard { table: &self.table, slot };
        let ended = poll_fn(|cx| match self.table.borrow_mut().poll_end(slot, cx) {
            Some(ended) => Poll::Ready(ended),
            None => Poll::Pending,
        })
        .await;
        drop(guard);
        ended
    }

    /// Keeps the reply that ends each exchange from now on.
    pub(super) fn keep_answers(&self) {
        self.table.borrow_mut().keep_answers();
    }

    /// Passes on the reply that ended the exchange of a slot, where such are kept; one that was not as expected always
    /// is.
    pub(super) fn with_answer<T>(&self, slot: u32, look: impl FnOnce(&[u8]) -> T) -> T {
        look(self.table.borrow().answer(slot))
    }

    /// A session closes; with the last, the I/O task ends.
    pub(super) fn leave(&self) {
        self.present.set(self.present.get().saturating_sub(1));
        if self.present.get() == 0
            && let Some(io_task) = self.io_task.borrow_mut().take()
        {
            io_task.abort();
        }
    }

    /// Sends what is to be sent before the run, if no other session has done it.
    pub(super) async fn preload(&self) {
        let count = self.shared.preload_of(self.worker);
        if self.preloaded.replace(true) || count == 0 {
            return;
        }
        let Ok(carrier) = &self.carrier else { return };
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
            self.table.borrow_mut().preloaded(&outgoing, sent);
            // The answers to those before are coming in already.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Sends a batch of what is queued.
    fn flush(&self) -> Flushed {
        let mut table = self.table.borrow_mut();
        if !table.has_outgoing() {
            return Flushed::All;
        }
        let now = self.shared.clock.now();
        let sent = match &self.carrier {
            Ok(carrier) => carrier.try_send(table.datagrams(STAMPED_MAX)),
            Err(errno) => Err(io::Error::from_raw_os_error(*errno)),
        };
        match sent {
            Ok(count) => table.sent(count, now),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Flushed::Blocked,
            Err(error) => table.refused(number_of(&error), now),
        }
        if table.has_outgoing() { Flushed::Some } else { Flushed::All }
    }

    /// Processes what came in by `now`.
    fn receive(&self, inbox: &Inbox, now: Moment) {
        let origin = self.shared.origin(now);
        let mut table = self.table.borrow_mut();
        for datagram in inbox.iter() {
            let arrival = Arrival { at: datagram.at.unwrap_or(now), stamp: datagram.stamp, origin };
            table.receive(datagram.bytes, datagram.truncated, arrival);
        }
    }

    /// Reads what is in the socket although it was not reported readable: after a stop, the timer fires before the
    /// runtime has learned what came in. Everything that came before `now` is read if there was a gap, else a bounded
    /// amount, so that other tasks can run. Returns whether there is more.
    fn read_first(&self, inbox: &mut Inbox, now: Moment, gap: Option<Gap>) -> bool {
        let Ok(carrier) = &self.carrier else { return false };
        let clock = &*self.shared.clock;
        for turn in 0.. {
            let until = if gap.is_some() { CATCH_UP_MAX } else { BUSY_MAX };
            if gap.is_none() && turn == READ_FIRST_MAX || clock.now() - now > until {
                return true;
            }
            match carrier.try_receive(inbox, clock) {
                Ok(()) => inbox.stamp(clock),
                Err(_) => break,
            }
            self.receive(inbox, clock.now());
            if inbox.iter().any(|datagram| datagram.stamp.is_some_and(|stamp| stamp > now)) {
                break;
            }
        }
        false
    }

    /// Ends what has waited too long. A reply that has come in already must not be missed, so while
    /// there is more to read, drops wait a little.
    fn tick(&self, now: Moment, more: bool) {
        let mut table = self.table.borrow_mut();
        let due = table.wheel.next().filter(|due| *due <= now);
        if due.is_some_and(|due| !more || now - due > BUSY_MAX) {
            table.tick(now);
        }
    }

    fn note_overflow(&self) {
        if let Ok(carrier) = &self.carrier {
            self.shared.socket_drops[self.worker].store(carrier.overflowed(), Ordering::Relaxed);
            self.table.borrow_mut().came_back(carrier.unreachable());
        }
    }
}

impl<D: Dialogue, C: Carrier + 'static> Drop for Hub<D, C> {
    fn drop(&mut self) {
        self.note_overflow();
        let table = self.table.get_mut();
        self.shared.give_back(table.drain_leases());
        let origin = self.shared.origin(self.shared.clock.now());
        self.shared.fell_silent(table.listening.since(origin));
    }
}

impl WakeFlag {
    fn raise(&self) {
        if !self.raised.replace(true)
            && let Some(waker) = &*self.waker.borrow()
        {
            waker.wake_by_ref();
        }
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        if self.raised.replace(false) {
            return Poll::Ready(());
        }
        let mut kept = self.waker.borrow_mut();
        if !kept.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *kept = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// Fires at the next drop time.
struct DropTimer {
    sleep: Pin<Box<Sleep>>,
    at: Option<Moment>,
}

impl DropTimer {
    #[expect(
        clippy::disallowed_methods,
        reason = "replies are judged by their stamps; this only bounds when a drop is noticed"
    )]
    fn new() -> Self {
        Self { sleep: Box::pin(tokio::time::sleep(Duration::ZERO)), at: None }
    }

    fn set(&mut self, at: Option<Moment>, now: Moment) {
        if self.at != at {
            self.at = at;
            if let Some(at) = at {
                self.sleep.as_mut().reset(Instant::now() + (at - now));
            }
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.at.is_none() || self.sleep.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.at = None;
        Poll::Ready(())
    }
}

/// The I/O task.
async fn run_io<D: Dialogue, C: Carrier + 'static>(hub: Rc<Hub<D, C>>) {
    let mut inbox = Inbox::new();
    let mut timer = DropTimer::new();
    let (mut asked, mut faults) = (Moment::ZERO, 0);
    let mut woke = hub.shared.clock.now();
    loop {
        let flushed = hub.flush();
        let looked = hub.shared.clock.now();
        let stopped = Gap::midway(woke, looked);
        // While anything is in flight, the hub looks often enough to see that it stood still.
        let next = hub.table.borrow().wheel.next().map(|next| next.min(looked + BEAT));
        timer.set(next, looked);
        if flushed == Flushed::Some || inbox.len() > BATCH / 2 {
            // There is more to do, so the other tasks of this thread must run in between, and the timer
            // that paces them as well.
            tokio::task::yield_now().await;
        }
        inbox.clear();
        let wakeup = next_wakeup(&hub, &mut inbox, &mut timer, flushed, faults < FAULTS_MAX).await;
        let now = hub.shared.clock.now();
        let due = hub.table.borrow().wheel.next().filter(|due| *due <= now);
        woke = now;
        let gap = stopped.or_else(|| next.and_then(|next| Gap::between(looked, next, now)));
        if gap.is_some() {
            hub.table.borrow_mut().stood_still(gap);
        }
        match wakeup {
            Wakeup::Inbox(Ok(())) => {
                faults = 0;
                if due.is_some() {
                    inbox.stamp(&*hub.shared.clock);
                }
                hub.receive(&inbox, now);
            }
            // An error caused by an ICMP message does not end the socket.
            Wakeup::Inbox(Err(_)) => faults += 1,
            Wakeup::Other => {}
        }
        if due.is_some() {
            let more = hub.read_first(&mut inbox, now, gap);
            hub.tick(now, more);
        }
        if now - asked > OVERFLOW_EVERY {
            asked = now;
            hub.note_overflow();
        }
    }
}

/// Waits until there is something for the I/O task to do. Received datagrams go first.
async fn next_wakeup<D: Dialogue, C: Carrier + 'static>(
    hub: &Hub<D, C>,
    inbox: &mut Inbox,
    timer: &mut DropTimer,
    flushed: Flushed,
    receives: bool,
) -> Wakeup {
    let Ok(carrier) = &hub.carrier else {
        if flushed == Flushed::All {
            poll_fn(|cx| hub.wake_flag.poll(cx)).await;
        }
        return Wakeup::Other;
    };
    let mut receive = pin!(carrier.receive(inbox, &*hub.shared.clock));
    let mut writable = pin!(carrier.writable());
    poll_fn(|cx| {
        if receives && let Poll::Ready(received) = receive.as_mut().poll(cx) {
            return Poll::Ready(Wakeup::Inbox(received));
        }
        let raised = hub.wake_flag.poll(cx).is_ready();
        let ready = match flushed {
            Flushed::All => raised,
            Flushed::Some => true,
            Flushed::Blocked => writable.as_mut().poll(cx).is_ready(),
        };
        if ready || timer.poll(cx).is_ready() {
            return Poll::Ready(Wakeup::Other);
        }
        Poll::Pending
    })
    .await
}

/// The number of an error that sending met.
fn number_of(error: &io::Error) -> i32 {
    fence::number(error).unwrap_or(libc::EIO)
}
