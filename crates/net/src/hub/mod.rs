//! The [`Hub`] of a worker: one carrier of datagrams, and the exchanges of all sessions of a protocol on it.
//!
//! Sessions enter what they want to send into the protocol's [`Table`]. One task, the I/O task, does everything that
//! uses the carrier: it reads in batches, lets the table answer at once (so that an OFFER becomes a REQUEST without
//! waking a session), sends what has been queued in batches, and checks drop times, only after everything in the socket
//! has been read, however late that is. It is woken at the end of a turn of the runtime, when everything that became
//! due at the same moment is in the queue. Otherwise it sleeps until the next drop time, or for a tenth of a second
//! while anything is in flight: with nothing in flight, a hub does nothing. It waits with the runtime's timers, unless
//! its clock has its own, as virtual time has. It must not depend on a protocol.

mod gap;
mod table;
#[cfg(test)]
mod tests;
mod transactions;
mod wheel;

pub use gap::Gap;
pub use table::Table;
pub use transactions::Transactions;
pub use wheel::Wheel;

use super::BATCH;
use super::carrier::{Carrier, Inbox};
use brunt_exchange::{Clock, Moment, Wait};
use gap::BEAT;
use std::cell::{Cell, RefCell, RefMut};
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

/// How many datagrams are stamped together, so that none waits long between its stamp and its call.
const STAMPED_MAX: usize = 64;
/// How often the kernel's drop counter is read.
const OVERFLOW_EVERY: Duration = Duration::from_millis(50);
/// After this number of consecutive failed receptions the socket counts as broken.
const FAULTS_MAX: u32 = 100;
/// How many batches a hub that is always busy reads at most before it checks drop times.
const READ_FIRST_MAX: usize = 16;
/// How long a hub may take after a gap to read what arrived meanwhile.
const CATCH_UP_MAX: Duration = Duration::from_secs(1);
/// How much later than a drop time a busy hub may notice it.
const BUSY_MAX: Duration = Duration::from_millis(100);

/// The carrier of a worker, and the exchanges of its sessions.
pub struct Hub<T: Table, C: Carrier + 'static> {
    table: RefCell<T>,
    /// The socket, or the number of the error if there is none.
    carrier: Result<C, i32>,
    clock: Arc<dyn Clock + Send + Sync>,
    wake_flag: WakeFlag,
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
    /// Something was received, or receiving failed.
    Inbox(io::Result<()>),
    /// A session has something to send, there is room to send again, or a drop time has ended.
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
struct SlotGuard<'a, T: Table> {
    table: &'a RefCell<T>,
    slot: u32,
}

impl<T: Table> Drop for SlotGuard<'_, T> {
    fn drop(&mut self) {
        self.table.borrow_mut().call_off(self.slot);
    }
}

impl<T: Table, C: Carrier + 'static> Hub<T, C> {
    /// Starts the I/O task of this number of sessions on a carrier, or on the error if there is none.
    pub fn start(
        table: T,
        carrier: io::Result<C>,
        clock: Arc<dyn Clock + Send + Sync>,
        sessions: usize,
    ) -> Rc<Self> {
        let hub = Rc::new(Self {
            table: RefCell::new(table),
            carrier: carrier.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO)),
            clock,
            wake_flag: WakeFlag::default(),
            present: Cell::new(sessions),
            io_task: RefCell::default(),
        });
        let io_task = tokio::task::spawn_local(run_io(Rc::clone(&hub)));
        *hub.io_task.borrow_mut() = Some(io_task.abort_handle());
        hub
    }

    /// The table; must not be kept across an `await`.
    pub fn table(&self) -> RefMut<'_, T> {
        self.table.borrow_mut()
    }

    /// The carrier, if there is one.
    pub fn carrier(&self) -> Option<&C> {
        self.carrier.as_ref().ok()
    }

    /// Carries out an exchange, which `begin` starts, in a free slot. If the future is dropped before the end, the
    /// exchange is cancelled.
    pub async fn carry_out(&self, slot: u32, begin: impl FnOnce(&mut T, Moment)) -> T::Ended {
        let now = self.clock.now();
        begin(&mut self.table.borrow_mut(), now);
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

    /// A session closes; with the last, the I/O task ends.
    pub fn leave(&self) {
        self.present.set(self.present.get().saturating_sub(1));
        if self.present.get() == 0
            && let Some(io_task) = self.io_task.borrow_mut().take()
        {
            io_task.abort();
        }
    }

    /// Sends a batch of what is queued.
    fn flush(&self) -> Flushed {
        let mut table = self.table.borrow_mut();
        if !table.has_outgoing() {
            return Flushed::All;
        }
        let now = self.clock.now();
        let sent = match &self.carrier {
            Ok(carrier) => carrier.try_send(table.datagrams(STAMPED_MAX)),
            Err(errno) => Err(io::Error::from_raw_os_error(*errno)),
        };
        match sent {
            Ok(count) => table.sent(count, now),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Flushed::Blocked,
            Err(error) => table.refused(&error, now),
        }
        if table.has_outgoing() { Flushed::Some } else { Flushed::All }
    }

    /// Reads what is in the socket although it was not reported readable: after a stop, the timer fires before the
    /// runtime has polled the socket. Everything that arrived before `now` is read if there was a gap, else a bounded
    /// amount, so that other tasks can run. Returns whether there is more.
    fn read_first(&self, inbox: &mut Inbox, now: Moment, gap: Option<Gap>) -> bool {
        let Ok(carrier) = &self.carrier else { return false };
        let clock = &*self.clock;
        for turn in 0.. {
            let until = if gap.is_some() { CATCH_UP_MAX } else { BUSY_MAX };
            if gap.is_none() && turn == READ_FIRST_MAX || clock.now() - now > until {
                return true;
            }
            match carrier.try_receive(inbox, clock) {
                Ok(()) => inbox.stamp(clock),
                Err(_) => break,
            }
            self.table.borrow_mut().receive(inbox, clock.now());
            if inbox.iter().any(|datagram| datagram.stamp.is_some_and(|stamp| stamp > now)) {
                break;
            }
        }
        false
    }

    /// Ends exchanges that have waited too long. A reply that has already arrived must not be missed, so while there is
    /// more to read, drops are delayed a little.
    fn tick(&self, now: Moment, more: bool) {
        let mut table = self.table.borrow_mut();
        let due = table.next().filter(|due| *due <= now);
        if due.is_some_and(|due| !more || now - due > BUSY_MAX) {
            table.tick(now);
        }
    }

    fn note_losses(&self) {
        if let Ok(carrier) = &self.carrier {
            self.table.borrow_mut().lost(carrier.overflowed(), carrier.unreachable());
        }
    }
}

impl<T: Table, C: Carrier + 'static> Drop for Hub<T, C> {
    fn drop(&mut self) {
        self.note_losses();
        let now = self.clock.now();
        self.table.get_mut().close(now);
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
    clock: Arc<dyn Clock + Send + Sync>,
    sleep: Pin<Box<Sleep>>,
    /// What the clock itself waits for, if the runtime's timers do not follow it.
    wait: Option<Wait>,
    at: Option<Moment>,
}

impl DropTimer {
    #[expect(
        clippy::disallowed_methods,
        reason = "replies are judged by their stamps; this only bounds when a drop is noticed"
    )]
    fn new(clock: Arc<dyn Clock + Send + Sync>) -> Self {
        let sleep = Box::pin(tokio::time::sleep(Duration::ZERO));
        Self { clock, sleep, wait: None, at: None }
    }

    fn set(&mut self, at: Option<Moment>, now: Moment) {
        if self.at != at {
            self.at = at;
            self.wait = at.and_then(|at| self.clock.wait(at));
            if let Some(at) = at.filter(|_| self.wait.is_none()) {
                self.sleep.as_mut().reset(Instant::now() + (at - now));
            }
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.at.is_none() {
            return Poll::Pending;
        }
        ready!(match &mut self.wait {
            Some(wait) => wait.as_mut().poll(cx),
            None => self.sleep.as_mut().poll(cx),
        });
        (self.at, self.wait) = (None, None);
        Poll::Ready(())
    }
}

/// The I/O task.
async fn run_io<T: Table, C: Carrier + 'static>(hub: Rc<Hub<T, C>>) {
    let mut inbox = Inbox::new();
    let mut timer = DropTimer::new(Arc::clone(&hub.clock));
    let (mut requested, mut faults) = (Moment::ZERO, 0);
    let mut woke = hub.clock.now();
    loop {
        let flushed = hub.flush();
        let looked = hub.clock.now();
        let stopped = Gap::midway(woke, looked);
        // While anything is in flight, the hub checks often enough to notice that it did not run.
        let next = hub.table.borrow().next().map(|next| next.min(looked + BEAT));
        timer.set(next, looked);
        if flushed == Flushed::Some || inbox.len() > BATCH / 2 {
            // There is more to do, so the other tasks of this thread, and the timer that paces them, must run in
            // between.
            tokio::task::yield_now().await;
        }
        inbox.clear();
        let wakeup = next_wakeup(&hub, &mut inbox, &mut timer, flushed, faults < FAULTS_MAX).await;
        let now = hub.clock.now();
        let due = hub.table.borrow().next().filter(|due| *due <= now);
        woke = now;
        let gap = stopped.or_else(|| next.and_then(|next| Gap::between(looked, next, now)));
        if gap.is_some() {
            hub.table.borrow_mut().stood_still(gap);
        }
        match wakeup {
            Wakeup::Inbox(Ok(())) => {
                faults = 0;
                if due.is_some() {
                    inbox.stamp(&*hub.clock);
                }
                hub.table.borrow_mut().receive(&inbox, now);
            }
            // An error caused by an ICMP message does not end the socket.
            Wakeup::Inbox(Err(_)) => faults += 1,
            Wakeup::Other => {}
        }
        if due.is_some() {
            let more = hub.read_first(&mut inbox, now, gap);
            hub.tick(now, more);
        }
        if now - requested > OVERFLOW_EVERY {
            requested = now;
            hub.note_losses();
        }
    }
}

/// Waits until there is something for the I/O task to do. Received datagrams go first.
async fn next_wakeup<T: Table, C: Carrier + 'static>(
    hub: &Hub<T, C>,
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
    let mut receive = pin!(carrier.receive(inbox, &*hub.clock));
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
