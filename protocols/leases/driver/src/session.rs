//! Sessions that do the [`Work`] of a run on a backend: [`LeaseSessions`] makes them, each a [`LeaseSession`].
//!
//! A session opens its connection when it is first needed and again when it is lost, with a back-off between failed
//! attempts. Each answer is compared with what must be stored: a lease that should have been found and was not is a
//! failed check and not a miss. A session must not depend on which backend it works on.

use super::backend::{Backend, Connection, Renewal};
use super::error::BackendError;
use super::leases::{Identity, Lease, Leases};
use super::panics::{Panicked, caught};
use super::share::Share;
use super::workload::{self, By, HIT, MISS, Mix, Operation, Search, Work};
use brunt_exchange::{BlockingSession, Class, Outcome, Part, Ticket, Watch};
use brunt_net::kept::Kept;
use brunt_net::opening::Opening;
use brunt_net::resend::{Resend, Unanswered, reopening, repeating};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The parts sessions report: opening the store, and opening one again that its server had closed while it was idle.
pub const PARTS: &[&str] = &["connect", "reconnect"];
const CONNECT: Part = Part(0);
const RECONNECT: Part = Part(1);
/// The lifetime a renewal gives, in seconds, as in 2012.
const RENEWED_LIFETIME: u32 = 1_002;
/// How much later than the first transactions a renewal is, in seconds: leases that were never renewed have expired by
/// then.
const RENEWED_AFTER: i64 = 2_000;

/// What the sessions of a run share.
pub struct LeaseSessions {
    backend: Arc<dyn Backend>,
    work: Work,
    leases: Leases,
    seed: u64,
    group: u32,
    total: u64,
    resend: Resend,
    shares: Vec<Mutex<Share>>,
}

impl LeaseSessions {
    /// The factory of `sessions` that do `work` with `leases` on `backend`, with one operation per exchange.
    pub fn new(
        backend: Arc<dyn Backend>,
        work: Work,
        leases: Leases,
        seed: u64,
        sessions: u32,
    ) -> Self {
        let shares = match &work {
            Work::Mix(mix) => {
                (0..sessions).map(|n| Mutex::new(Share::new(mix, n, sessions))).collect()
            }
            _ => Vec::new(),
        };
        let resend = Resend::default();
        Self { backend, work, leases, seed, group: 1, total: u64::MAX, resend, shares }
    }

    /// Which operations are sent again if their connection was closed before they were answered. Looking a lease up is
    /// safe; changing one is not.
    #[must_use]
    pub fn resending(mut self, resend: Resend) -> Self {
        self.resend = resend;
        self
    }

    /// Makes an exchange a transaction of `group` operations, of `total` operations in all: the last exchange may have
    /// fewer. A mix has no groups.
    #[must_use]
    pub fn grouped(mut self, group: u32, total: u64) -> Self {
        (self.group, self.total) = (group.max(1), total);
        self
    }

    /// How many exchanges it takes to do `total` operations.
    pub fn exchanges(&self) -> u64 {
        self.total.div_ceil(u64::from(self.group))
    }

    /// The session with this number.
    pub fn session(self: &Arc<Self>, number: u32) -> LeaseSession {
        LeaseSession {
            factory: Arc::clone(self),
            number,
            open: None,
            error: None,
            kept: Kept::default(),
        }
    }

    /// The operation of this ticket's exchange.
    pub fn operation(&self, ticket: &Ticket) -> u16 {
        match &self.work {
            Work::Mix(mix) => mix.act(self.seed, ticket.number) as u16,
            work => work.operation(),
        }
    }

    /// The share of the pool of session `number`.
    fn share(&self, number: u32) -> MutexGuard<'_, Share> {
        // A thread that panicked while it held the lock has left the share consistent: each change is a single push or
        // removal.
        self.shares[number as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One session: its connection and its state.
pub struct LeaseSession {
    factory: Arc<LeaseSessions>,
    number: u32,
    open: Option<OpenConnection>,
    error: Option<BackendError>,
    kept: Kept,
}

/// An open store, and memory that is reused with each operation.
struct OpenConnection {
    connection: Box<dyn Connection>,
    lease: Lease,
    identity: Identity,
    /// The store was idle before this exchange.
    idle: bool,
    /// How long opening it took.
    opened_in: Duration,
}

/// How an operation ended, before it is counted.
type OperationEnd = Result<u32, OperationFailure>;

/// Why an operation failed.
enum OperationFailure {
    /// The backend refused.
    Backend(BackendError),
    /// The store's answer did not match what must be stored.
    Check { what: &'static str, number: u64 },
    /// There was no lease for the operation.
    Nothing,
}

impl From<BackendError> for OperationFailure {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

impl BlockingSession for LeaseSession {
    fn is_ready(&self) -> bool {
        self.open.is_some()
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        if self.open.is_some() {
            return;
        }
        self.kept.rest_blocking(self.factory.seed, self.number);
        let opening = Opening::begin(false, watch);
        match self.factory.backend.open() {
            Ok(connection) => {
                let opened_in = watch.now() - opening.began();
                opening.part(CONNECT, opened_in, watch);
                let (lease, identity) = (Lease::empty(), Identity::Address(0));
                let idle = false;
                self.open = Some(OpenConnection { connection, lease, identity, idle, opened_in });
                self.kept.succeeded();
            }
            Err(error) => {
                self.kept.failed();
                watch.not_ready(error.outcome());
                self.error = Some(error);
            }
        }
    }

    #[inline]
    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let factory = &*self.factory;
        watch.operation(factory.work.operation());
        if let Some(pause) = self.kept.pause(watch.sent_at()) {
            self.poll(pause, watch);
        } else if let Some(open) = &mut self.open {
            open.idle = false;
        }
        let factory = &*self.factory;
        let Some(open) = &mut self.open else {
            return not_open(self.error.take(), watch);
        };
        let number = self.number;
        let ended = caught(|| match &factory.work {
            Work::Mix(mix) => open.mixed(factory, mix, number, ticket.number, watch),
            _ if factory.group > 1 => open.group(factory, ticket.number, watch),
            _ => open.operate(factory, ticket.number, watch),
        });
        match ended {
            Ok(Ok(code)) => Outcome::Ok(code),
            Ok(Err(failed)) => self.failed(failed, watch),
            Err(panicked) => self.panicked(&panicked, watch),
        }
    }

    fn finished(&self) -> bool {
        let Work::Mix(mix) = &self.factory.work else { return false };
        if mix.expire + mix.search > 0 {
            return false;
        }
        let (held, free) = self.factory.share(self.number).counts();
        (held == 0 || mix.renew + mix.release == 0) && (free == 0 || mix.allocate == 0)
    }

    fn close(&mut self) {
        self.open = None;
    }
}

impl LeaseSession {
    /// A library that panicked leaves a connection in an unknown state.
    #[cold]
    fn panicked(&mut self, panicked: &Panicked, watch: &mut Watch<'_>) -> Outcome {
        self.open = None;
        self.kept.failed();
        panicked.failure("carry out the operation").report(watch)
    }

    /// Checks, after a pause, whether the server closed the connection meanwhile, and opens the store again.
    #[cold]
    fn poll(&mut self, idle: Duration, watch: &mut Watch<'_>) {
        let Some(open) = &mut self.open else { return };
        open.idle = true;
        if !open.connection.has_lapsed(idle) {
            return;
        }
        let mut error = None;
        let reopen = |watch: &mut Watch<'_>| match open.reopen(&self.factory, watch) {
            Ok(()) => true,
            Err(why) => {
                error = Some(why);
                false
            }
        };
        if !reopening(watch, reopen) {
            self.open = None;
            self.kept.failed();
            self.error = error;
        }
    }

    #[cold]
    fn failed(&mut self, failed: OperationFailure, watch: &mut Watch<'_>) -> Outcome {
        if self.open.as_ref().is_some_and(|open| open.connection.broken()) {
            self.open = None;
            self.kept.failed();
        }
        match failed {
            OperationFailure::Nothing => Outcome::Skipped,
            OperationFailure::Backend(error) => error.report(watch),
            OperationFailure::Check { what, number } => {
                let address = self.factory.leases.lease(number).notation();
                watch.explain(format_args!("{what}: number {number}, {address}"));
                Outcome::Failed(Class::Check, 0)
            }
        }
    }
}

impl OpenConnection {
    /// Opens the store again after its server closed the connection.
    fn reopen(
        &mut self,
        factory: &LeaseSessions,
        watch: &mut Watch<'_>,
    ) -> Result<(), BackendError> {
        let opening = Opening::begin(true, watch);
        let opened = factory.backend.open();
        self.connection = opened.inspect_err(|error| watch.not_ready(error.outcome()))?;
        self.idle = false;
        self.opened_in = watch.now() - opening.began();
        opening.succeeded(RECONNECT, watch);
        Ok(())
    }

    /// Makes a call to the store; repeats it if this is allowed. `safe` says whether it may be carried out twice.
    #[inline]
    fn attempt<T>(
        &mut self,
        factory: &LeaseSessions,
        watch: &mut Watch<'_>,
        safe: bool,
        attempt: impl FnMut(&mut Self) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        repeating(self, watch, attempt, |open, error, watch| {
            open.again(factory, error, safe, watch)
        })
    }

    /// Whether a failed operation may be repeated, over a store that was opened again: it failed because a connection
    /// that had been idle ended within a round trip.
    #[cold]
    fn again(
        &mut self,
        factory: &LeaseSessions,
        error: &BackendError,
        safe: bool,
        watch: &mut Watch<'_>,
    ) -> bool {
        let in_flight = watch.sent_at().map_or(Duration::ZERO, |sent| watch.now() - sent);
        let (kept, round_trip) = (self.idle, self.opened_in);
        let request = Unanswered { kept, in_flight, round_trip, safe };
        error.class == Class::Closed
            && self.connection.broken()
            && factory.resend.repeats(&request)
            && self.reopen(factory, watch).is_ok()
    }

    /// One operation of a phase.
    // Each nested call above a system call costs a return that the processor mispredicts, so the calls on the path to a
    // store are inlined.
    #[inline]
    fn operate(
        &mut self,
        factory: &LeaseSessions,
        number: u64,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let leases = &factory.leases;
        match &factory.work {
            Work::Create { first } => {
                leases.write(first + number, &mut self.lease);
                self.attempt(factory, watch, false, |open| open.connection.create(&open.lease))?;
                Ok(HIT)
            }
            Work::Search(search) => {
                let (number, there) = search.pick(factory.seed, number);
                self.find(factory, search, number, there, watch)
            }
            Work::Update { population } => {
                let number = workload::updated(factory.seed, number, *population);
                let renewal = renewal(leases, number);
                let renewed =
                    self.attempt(factory, watch, false, |open| open.connection.renew(&renewal))?;
                checked(renewed, "the lease to renew was not there", number)
            }
            Work::Delete { first } => {
                let number = first + number;
                let address = leases.address(number);
                let released =
                    self.attempt(factory, watch, false, |open| open.connection.release(address))?;
                checked(released, "the lease to delete was not there", number)
            }
            Work::Mix(_) => Err(OperationFailure::Nothing),
        }
    }

    #[inline]
    fn find(
        &mut self,
        factory: &LeaseSessions,
        search: &Search,
        number: u64,
        there: Option<bool>,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let found = self.look_up(factory, search.by, number, watch)?;
        match there {
            Some(true) if !found => {
                Err(OperationFailure::Check { what: "the lease looked for was not found", number })
            }
            Some(false) if found => Err(OperationFailure::Check {
                what: "a lease was found that was never made",
                number,
            }),
            _ => Ok(if found { HIT } else { MISS }),
        }
    }

    /// Looks lease `number` up.
    #[inline]
    fn look_up(
        &mut self,
        factory: &LeaseSessions,
        by: By,
        number: u64,
        watch: &mut Watch<'_>,
    ) -> Result<bool, BackendError> {
        let leases = &factory.leases;
        match by {
            By::Address => self.identity = Identity::Address(leases.address(number)),
            By::ClientId | By::Hardware => {
                leases.write(number, &mut self.lease);
                identify(&mut self.identity, &self.lease, by);
            }
        }
        self.attempt(factory, watch, true, |open| open.connection.find(&open.identity))
    }

    /// A transaction of several operations, of which either all are done or none.
    fn group(
        &mut self,
        factory: &LeaseSessions,
        exchange: u64,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let size = u64::from(factory.group);
        let first = exchange.saturating_mul(size);
        let last = first.saturating_add(size).min(factory.total);
        // Beginning a transaction changes nothing, so it may be repeated; an operation that fails within one is lost
        // with it.
        self.attempt(factory, watch, true, |open| open.connection.begin())?;
        self.idle = false;
        let ended =
            (first..last).try_for_each(|number| self.operate(factory, number, watch).map(drop));
        match ended.and_then(|()| Ok(self.connection.commit()?)) {
            Ok(()) => {
                watch.items(last - first);
                Ok(HIT)
            }
            Err(failed) => {
                self.roll_back(factory);
                Err(failed)
            }
        }
    }

    /// Rolls a transaction back; if that fails, the store is opened again, and if that fails as well, the next
    /// operation reports the reason.
    fn roll_back(&mut self, factory: &LeaseSessions) {
        if self.connection.roll_back().is_err()
            && let Ok(connection) = factory.backend.open()
        {
            self.connection = connection;
        }
    }

    /// One operation of a mixed workload.
    fn mixed(
        &mut self,
        factory: &LeaseSessions,
        mix: &Mix,
        session: u32,
        number: u64,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let act = mix.act(factory.seed, number);
        watch.operation(act as u16);
        let draw = brunt_net::chance::mix(factory.seed.rotate_left(32) ^ number);
        match act {
            Operation::Allocate => self.allocate(factory, session, draw, watch),
            Operation::Expire => {
                let now = factory.leases.epoch + RENEWED_AFTER;
                let expire = |open: &mut Self| open.connection.expire(now, mix.reclaim);
                let reclaimed = self.attempt(factory, watch, false, expire)?;
                watch.items(u64::from(reclaimed));
                Ok(if reclaimed == 0 { MISS } else { HIT })
            }
            Operation::Renew | Operation::Release | Operation::Search => {
                self.on_held(factory, mix, (session, act), draw, watch)
            }
        }
    }

    fn allocate(
        &mut self,
        factory: &LeaseSessions,
        session: u32,
        draw: u64,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let taken = factory.share(session).take_free(draw);
        let number = taken.ok_or(OperationFailure::Nothing)?;
        factory.leases.write(number, &mut self.lease);
        let created =
            self.attempt(factory, watch, false, |open| open.connection.create(&open.lease));
        if answered(&created) {
            factory.share(session).put(number, created.is_ok());
        }
        created?;
        Ok(HIT)
    }

    /// Renews, releases or looks up a lease that this session holds. It may have been deleted if leases are reclaimed:
    /// any session's call deletes the leases that expired first.
    fn on_held(
        &mut self,
        factory: &LeaseSessions,
        mix: &Mix,
        (session, act): (u32, Operation),
        draw: u64,
        watch: &mut Watch<'_>,
    ) -> OperationEnd {
        let taken = factory.share(session).take_held(draw);
        let number = taken.ok_or(OperationFailure::Nothing)?;
        let answer = match act {
            Operation::Renew => {
                let renewal = renewal(&factory.leases, number);
                self.attempt(factory, watch, false, |open| open.connection.renew(&renewal))
            }
            Operation::Release => {
                let address = factory.leases.address(number);
                self.attempt(factory, watch, false, |open| open.connection.release(address))
            }
            Operation::Allocate | Operation::Expire | Operation::Search => {
                self.look_up(factory, mix.by, number, watch)
            }
        };
        if answered(&answer) {
            let there = answer.as_ref().map_or(true, |there| *there && act != Operation::Release);
            factory.share(session).put(number, there);
        }
        match answer? {
            true => Ok(HIT),
            false if mix.expire > 0 => Ok(MISS),
            false => {
                Err(OperationFailure::Check { what: "a lease that was held was not there", number })
            }
        }
    }
}

/// The outcome of an exchange for which there is no store.
#[cold]
fn not_open(error: Option<BackendError>, watch: &mut Watch<'_>) -> Outcome {
    watch.never_sent();
    match error {
        Some(error) => error.report(watch),
        None => Outcome::Failed(Class::Closed, 0),
    }
}

/// Whether the store answered, with success or refusal, so that the stored state is known.
fn answered<T>(answer: &Result<T, BackendError>) -> bool {
    !matches!(answer, Err(error) if error.class != Class::Result)
}

fn checked(there: bool, what: &'static str, number: u64) -> OperationEnd {
    if there { Ok(HIT) } else { Err(OperationFailure::Check { what, number }) }
}

fn renewal(leases: &Leases, number: u64) -> Renewal {
    Renewal {
        address: leases.address(number),
        valid_lifetime: RENEWED_LIFETIME,
        cltt: leases.epoch + RENEWED_AFTER,
    }
}

/// Writes the column by which `lease` is searched into `identity`, whose memory is reused.
fn identify(identity: &mut Identity, lease: &Lease, by: By) {
    let wanted = if by == By::ClientId { &lease.client_id } else { &lease.hardware };
    match (by, identity) {
        (By::ClientId, Identity::ClientId(octets)) | (By::Hardware, Identity::Hardware(octets)) => {
            octets.clear();
            octets.extend_from_slice(wanted);
        }
        (By::ClientId, identity) => *identity = Identity::ClientId(wanted.clone()),
        (_, identity) => *identity = Identity::Hardware(wanted.clone()),
    }
}
