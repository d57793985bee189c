//! A connection as its sessions share it: opened, bound, replaced and closed when they need it.
//!
//! The first session that finds the connection down opens it; the others wait for it. Every attempt fails at most one
//! exchange. A connection for one operation, or one that replaces another after a number of operations, is opened by
//! the exchange that needs it, as a part of it. The future that opens a connection is boxed, since it is rare and its
//! state is large: an idle connection stores none of it.

use super::channel::Channel;
use super::failure::Failure;
use super::link::Link;
use super::login::BindContext;
use super::lost::Return;
use super::plan::{BIND, CONNECT, RECONNECT, TLS};
use super::route::Security;
use super::setup::Mode;
use super::slot::{Keep, Reply};
use super::tally::Tally;
use super::worker::Worker;
use brunt_exchange::{Class, Clock, Moment, Watch};
use brunt_feed::Position;
use brunt_ldap_wire::{code, op, request};
use brunt_net::kept::Kept;
use brunt_net::opening::Opening;
use brunt_net::resend::KEPT;
use brunt_net::stream::Stream;
use brunt_net::within;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How long closing may take: a server that does not read must not keep a run from ending.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long a session may take to find out whether a lost server is there again.
const TRY_WITHIN: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    pub(super) link: Link,
    pub(super) worker: Rc<Worker>,
    number: u32,
    kept: Cell<Kept>,
    /// Why the last attempt failed, as long as none has succeeded since.
    why_down: RefCell<Option<Failure>>,
    /// Operations since it was opened.
    pub(super) carried: Cell<u64>,
    /// A bind was interrupted, so the identity of the connection is unknown.
    pub(super) unsettled: Cell<bool>,
    /// It has carried as many operations as it may.
    pub(super) worn: Cell<bool>,
    /// We closed it ourselves.
    left: Cell<bool>,
    /// It goes to another server because its own was lost.
    pub(super) displaced: Cell<bool>,
    /// When it was last opened.
    opened: Cell<Moment>,
    opening: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
    leaving: Cell<u32>,
}

impl Connection {
    pub(super) fn new(worker: &Rc<Worker>, number: u32, sessions: u32) -> Self {
        Self {
            link: Link::new(sessions as usize, worker.plan.tally.clone()),
            worker: Rc::clone(worker),
            number,
            kept: Cell::default(),
            why_down: RefCell::default(),
            carried: Cell::new(0),
            unsettled: Cell::new(false),
            worn: Cell::new(false),
            left: Cell::new(false),
            displaced: Cell::new(false),
            opened: Cell::new(Moment::ZERO),
            opening: Cell::new(false),
            waiting: RefCell::default(),
            leaving: Cell::new(sessions),
        }
    }

    pub(super) fn channel(&self, slot: usize) -> Channel<'_> {
        Channel { link: &self.link, buffers: &self.worker.buffers, slot }
    }

    /// Whether operations can use it. While it is being opened it may be up and still in the clear, or not bound yet.
    pub(super) fn is_open(&self) -> bool {
        self.link.is_up() && !self.opening.get()
    }

    /// The number that selects the server: the connection's own, increased by each attempt.
    fn way(&self) -> u64 {
        u64::from(self.number) + self.kept.get().attempts().saturating_sub(1)
    }

    /// The number of the server that it last went to; `None` if there is only one.
    #[inline]
    pub(super) fn server(&self) -> Option<u16> {
        let route = &self.worker.plan.route;
        if route.servers.are_several() { route.server(self.way()) } else { None }
    }

    /// The number of the server that it goes to first, and that the others are a substitute for.
    fn own_server(&self) -> Option<u16> {
        self.worker.plan.route.server(u64::from(self.number))
    }

    /// Leaves the substitute of its own server if that is there again. To be called when nothing is in flight here.
    pub(super) async fn come_back(&self, watch: &Watch<'_>) {
        let plan = &self.worker.plan;
        let Some(own) = self.own_server() else { return };
        if self.server() != Some(own) {
            match plan.lost.returns(own, watch.now()) {
                Return::Wait => return,
                Return::Now => {}
                Return::Try(attempt) => {
                    let reached = plan.route.connect(u64::from(self.number));
                    if !matches!(within(TRY_WITHIN, watch.clock(), reached).await, Some(Ok(_))) {
                        return;
                    }
                    attempt.succeeded();
                }
            }
            self.link.lapsed.set(false);
            self.leave(watch.clock()).await;
            // The next attempt is the first of a round of the servers.
            let round = plan.route.servers.count();
            self.note(|kept| kept.begin_round(round));
        }
        self.displaced.set(false);
    }

    pub(super) fn host(&self) -> &str {
        self.worker.plan.route.host(self.way())
    }

    /// Checks whether the server has closed the connection meanwhile. Needs no system call unless bytes or the end have
    /// arrived.
    pub(super) fn check_idle(&self) {
        let mut context = Context::from_waker(Waker::noop());
        self.link.poll_idle(&mut context, &mut self.worker.buffers.input.borrow_mut());
    }

    /// Checks the same right before an exchange, because time may have passed since the session was ready; opens the
    /// connection again if it is down.
    pub(super) async fn keep(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        self.check_idle();
        if self.is_open() {
            Ok(())
        } else if self.is_opened_by_exchange() {
            Box::pin(self.open_own(slot, watch)).await
        } else {
            Box::pin(self.reopen(slot, watch)).await
        }
    }

    /// Whether the next connection is opened by the exchange that needs it.
    pub(super) fn is_opened_by_exchange(&self) -> bool {
        self.worker.plan.mode == Mode::PerOperation || self.worn.get()
    }

    /// Opens the connection as part of an exchange.
    async fn open_own(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let mut opened = self.open(slot, watch).await;
        if opened.is_ok() && self.worker.plan.mode == Mode::Rebind {
            opened = self.rebind(slot, watch).await;
        }
        if let Err(failure) = &opened {
            watch.not_ready(failure.as_outcome());
        }
        opened
    }

    /// Opens the connection again during an exchange, without a back-off: if the last attempt failed, no other is made
    /// now.
    async fn reopen(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        if self.opening.get() {
            self.opened().await;
        }
        if !self.is_open() && self.kept.get().has_failed() {
            // The failure that kept it from being opened also fails this exchange.
            let why = self.why_down.borrow().clone();
            return Err(
                why.unwrap_or_else(|| Failure::new(Class::Closed, 0, "the connection is down"))
            );
        }
        let opened = self.open(slot, watch).await;
        if let Err(failure) = &opened {
            watch.not_ready(failure.as_outcome());
        }
        opened
    }

    /// Whether a request may be sent again that failed because a connection ended that had been `used` before or not;
    /// `safe` says whether it may be carried out twice.
    pub(super) fn repeats(
        &self,
        failure: &Failure,
        (used, safe): (bool, bool),
        watch: &Watch<'_>,
    ) -> bool {
        let connection = (self.opened.get(), used);
        let request = self.kept.get().unanswered(connection, watch.sent_at(), safe, watch.now());
        failure.unanswered && self.worker.plan.resend.repeats(&request)
    }

    /// Opens the connection again for a request that failed because the connection ended; `Err` is the failure of that
    /// request, if no connection can be opened.
    pub(super) async fn renew(
        &self,
        slot: usize,
        failure: Failure,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        // One session opens it again for all sessions whose requests were on it.
        self.link.lapsed.set(!self.link.is_up());
        self.reopen(slot, watch).await.map_err(|_| failure)?;
        watch.resent();
        Ok(())
    }

    /// Binds again over a connection that stays open; over a new one if the server closed it just now.
    pub(super) async fn rebind(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let used = self.link.used.get();
        match self.login(slot, watch).await {
            Err(failure) if used && self.repeats(&failure, (used, true), watch) => {
                self.renew(slot, failure, watch).await
            }
            bound => bound,
        }
    }

    /// Opens the connection if it is down, or waits for the session that does.
    pub(super) async fn open(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        while !self.is_open() {
            if self.opening.get() {
                if self.is_opened_by_exchange() {
                    watch.opens();
                }
                self.opened().await;
                watch.waited();
                continue;
            }
            let mut guard = OpenGuard::take(self);
            self.rest(watch).await;
            if self.is_opened_by_exchange() {
                watch.opens();
            }
            self.note(|kept| _ = kept.begin());
            let opened = self.attempt(slot, watch).await;
            match &opened {
                Ok(()) => {
                    guard.succeeded = true;
                    self.opened.set(watch.now());
                    watch.waited();
                    self.note(Kept::succeeded);
                    self.why_down.take();
                }
                Err(failure) => {
                    // A server that refuses a bind is reachable, and is tried again at the pace of the run.
                    let refused = failure.class == Class::Login;
                    self.note(if refused { Kept::succeeded } else { Kept::failed });
                    self.why_down.replace(Some(failure.clone()));
                }
            }
            return opened;
        }
        Ok(())
    }

    /// Waits if the last attempt failed, or if connections end without an answer. The next attempt is then made without
    /// a wait.
    pub(super) async fn rest(&self, watch: &Watch<'_>) {
        if self.kept.get().is_rested() {
            return;
        }
        let kept = self.kept.get();
        if !kept.has_failed() && kept.attempts() > 0 {
            self.note_end(watch);
        }
        let lost = !self.left.replace(false) && kept.attempts() > 0;
        if let Some(server) = self.server().filter(|_| lost) {
            self.worker.plan.lost.lost(server, watch.now());
            self.displaced.set(self.displaced.get() || Some(server) == self.own_server());
        }
        let mut kept = self.kept.get();
        kept.rest(self.worker.plan.seed, self.number, watch.clock()).await;
        self.note(Kept::rested);
    }

    fn note(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept.get();
        change(&mut kept);
        self.kept.set(kept);
    }

    /// Notes that a connection ended. One on which nothing was answered and that was not idle either was not kept: a
    /// server that does this again and again is left alone for longer each time.
    fn note_end(&self, watch: &Watch<'_>) {
        let used = self.link.used.get();
        self.note(|kept| kept.ended(used));
        if !used && watch.now() - self.opened.get() < KEPT {
            self.link.lapsed.set(false);
        }
    }

    /// Waits until another session's attempt is over.
    async fn opened(&self) {
        poll_fn(|cx| {
            if !self.opening.get() {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    async fn attempt(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let plan = &self.worker.plan;
        // Opening again what the server had closed is reported as one part, separate from connections that the run
        // itself opens.
        let opening = Opening::begin(self.link.lapsed.get(), watch);
        let stream = plan.route.connect(self.way()).await?;
        let connected = watch.now();
        let took = connected - opening.began();
        self.note(|kept| kept.reached(took));
        opening.part(CONNECT, took, watch);
        let stream = match &plan.route.security {
            Security::Plain => stream,
            Security::Tls(client) => {
                plan.route.secure(stream, client, self.way(), watch.clock()).await?
            }
            Security::StartTls(client) => {
                let stream = self.start_tls(stream, slot, watch.clock()).await?;
                plan.route.secure(stream, client, self.way(), watch.clock()).await?
            }
        };
        if stream.is_secured() {
            opening.part(TLS, watch.now() - connected, watch);
        }
        if stream.is_resumed() {
            Tally::one(&plan.tally.resumed);
        }
        self.link.attach(stream);
        Tally::one(&plan.tally.opened);
        self.carried.set(0);
        self.unsettled.set(false);
        self.worn.set(false);
        if !opening.is_again() {
            return self.login(slot, watch).await;
        }
        self.log_in(slot, watch.clock()).await?;
        opening.succeeded(RECONNECT, watch);
        self.link.lapsed.set(false);
        Ok(())
    }

    /// Negotiates TLS in the clear. Only the answer may have arrived by then.
    async fn start_tls(
        &self,
        stream: Stream,
        slot: usize,
        clock: &dyn Clock,
    ) -> Result<Stream, Failure> {
        self.link.attach(stream);
        let channel = self.channel(slot);
        let request = channel.request(op::EXTENDED_RESPONSE, Keep::Nothing, |id, out| {
            request::start_tls().encode(id, &(), out);
        });
        let request = async { Ok(request.await) };
        let reply = self.worker.plan.route.within("StartTLS", clock, request).await?;
        match reply {
            Reply::Result(code::SUCCESS) => {}
            Reply::Result(refused) => {
                let text = format!(
                    "StartTLS: result {refused} ({}): {}",
                    code::name(refused),
                    channel.diagnostic()
                );
                return Err(Failure::new(Class::Tls, refused, text));
            }
            Reply::Broken(failure) => return Err(failure),
        }
        match self.link.detach() {
            Some((stream, false)) => Ok(stream),
            Some((_, true)) => {
                Err(Failure::protocol("bytes in the clear follow the answer to StartTLS"))
            }
            None => Err(Failure::new(
                Class::Closed,
                0,
                "the server closed the connection after StartTLS",
            )),
        }
    }

    /// Binds as the identity of the connection, if it has one.
    async fn login(&self, slot: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        if self.worker.plan.login.is_none() {
            return Ok(());
        }
        let started = watch.now();
        self.log_in(slot, watch.clock()).await?;
        watch.part(BIND, watch.now() - started);
        Ok(())
    }

    async fn log_in(&self, slot: usize, clock: &dyn Clock) -> Result<(), Failure> {
        let plan = &self.worker.plan;
        let Some(credentials) = &plan.login else { return Ok(()) };
        let none = brunt_feed::Arguments::default();
        let context = BindContext {
            host: self.host(),
            arguments: &none,
            position: Position::alone(0),
            found: None,
            traces: None,
        };
        let channel = self.channel(slot);
        let guard = IdentityGuard(&self.unsettled);
        Tally::one(&plan.tally.binds);
        let request = credentials.bind(channel, context, None);
        let bound = plan.route.within("the bind", clock, request).await;
        if bound.is_ok() {
            guard.settle();
        }
        let code = bound?;
        if code == code::SUCCESS {
            return Ok(());
        }
        Err(Failure::refused_bind(credentials.about(&context), code, channel.refusal(code)))
    }

    /// Sends the unbind request and closes, at once or within a second.
    pub(super) async fn leave(&self, clock: &dyn Clock) {
        if !self.link.is_up() {
            return;
        }
        self.left.set(true);
        self.link.notify(|id, out| request::encode_unbind(out, id));
        let flush = poll_fn(|cx| self.link.poll_flush(cx));
        // It does not matter whether the server received the unbind request.
        let _ = within(FAREWELL, clock, flush).await;
        if let Some((stream, _)) = self.link.detach() {
            let _ = within(FAREWELL, clock, stream.close(self.worker.plan.route.close())).await;
        }
    }

    /// One session has ended; the last one closes the connection.
    pub(super) fn is_last_to_leave(&self) -> bool {
        self.leaving.set(self.leaving.get().saturating_sub(1));
        self.leaving.get() == 0
    }
}

/// The turn to open the connection, released and announced however the attempt ends. A half-opened connection is
/// closed: it might be in the clear although TLS was requested.
struct OpenGuard<'a> {
    connection: &'a Connection,
    succeeded: bool,
}

impl<'a> OpenGuard<'a> {
    fn take(connection: &'a Connection) -> Self {
        connection.opening.set(true);
        Self { connection, succeeded: false }
    }
}

impl Drop for OpenGuard<'_> {
    fn drop(&mut self) {
        if !self.succeeded {
            drop(self.connection.link.detach());
        }
        self.connection.opening.set(false);
        for waker in self.connection.waiting.borrow_mut().drain(..) {
            waker.wake();
        }
    }
}

/// Marks the identity of the connection as unknown, unless the bind is completed.
pub(super) struct IdentityGuard<'a>(pub(super) &'a Cell<bool>);

impl IdentityGuard<'_> {
    pub(super) fn settle(self) {
        std::mem::forget(self);
    }
}

impl Drop for IdentityGuard<'_> {
    fn drop(&mut self) {
        self.0.set(true);
    }
}
