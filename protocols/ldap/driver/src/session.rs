//! One session: a slot on a connection, which carries out the plan's operation repeatedly.
//!
//! The simple operations write one request and read one answer without allocating. Operations that need more (a search
//! before a bind, pages, a read before a modify) are boxed or rare.

use super::buffers::Scratch;
use super::channel::Channel;
use super::churn::Churn;
use super::connection::{Connection, IdentityGuard};
use super::failure::Failure;
use super::live::AddAction;
use super::login::{BindContext, Credentials};
use super::plan::{BIND, MODIFY, Operation, Plan, READ, SEARCH};
use super::rename::{Names, Renaming};
use super::request::{Ready, Request};
use super::setup::Mode;
use super::slot::Keep;
use super::tally::LeftRenamed;
use brunt_exchange::{Class, Clock, Outcome, Ticket, Watch};
use brunt_feed::Position;
use brunt_ldap_wire::{code, op};
use brunt_net::backoff;
use brunt_net::chance::mix;
use std::cell::Cell;
use std::rc::Rc;

/// How long a bind is withheld that the run will not send, as the number of an attempt: up to 80 ms.
const WITHHELD_FOR: u32 = 3;

/// A session that speaks LDAP.
pub struct Session {
    connection: Rc<Connection>,
    slot: usize,
    /// The connection of its binds, if they have one of their own.
    binds: Option<Rc<Connection>>,
    /// A failed attempt to get ready, which the next exchange counts.
    failed: Option<Failure>,
    /// DNs found and not modified yet, each preceded by its length.
    found: Vec<u8>,
    /// The entry that is renamed.
    names: Names,
}

impl Session {
    pub(super) fn new(connection: Rc<Connection>, slot: usize) -> Self {
        let (found, names) = (Vec::new(), Names::default());
        Self { connection, slot, binds: None, failed: None, found, names }
    }

    /// The same session, whose binds have this connection for themselves.
    pub(super) fn binding_over(self, connection: Rc<Connection>) -> Self {
        Self { binds: Some(connection), ..self }
    }

    fn plan(&self) -> &Plan {
        &self.connection.worker.plan
    }

    /// Restores the name of an entry, outside all measurements. The end of the run may not wait for the answer.
    async fn put_back(&mut self) {
        let plan = Rc::clone(&self.connection.worker).plan.clone();
        let Operation::Rename(renaming) = &plan.operation else { return };
        let Some(undo) = &renaming.undo else { return };
        let mut left = LeftRenamed::unless_restored(&plan.tally);
        if self.connection.is_open() {
            let (values, position) = (self.names.values(), Position::alone(0));
            let mut scratch = Scratch::default();
            let request = &undo.request;
            if let Ok(ready) = request.fill(&plan.arguments, &position, None, &values, &mut scratch)
            {
                let encode = |id: i32, out: &mut Vec<u8>| ready.encode(id, out);
                let channel = self.connection.channel(self.slot);
                let reply = channel.request(op::MODIFY_DN_RESPONSE, Keep::Nothing, encode).await;
                if matches!(reply.code(), Ok(code::SUCCESS)) {
                    left.restored();
                }
            }
        }
        self.names.away = false;
    }

    /// Whether no other session has an exchange in flight on the connection.
    fn is_alone(&self, connection: &Connection) -> bool {
        let waits = |slot: usize| connection.link.with_slot(slot, |slot| slot.is_waiting());
        let others = (0..self.plan().per_connection as usize).filter(|slot| *slot != self.slot);
        !others.into_iter().any(|slot| waits(slot) == Some(true))
    }

    async fn prepare(&self, watch: &mut Watch<'_>) -> Result<(), Failure> {
        self.prepare_on(&self.connection, watch).await?;
        match &self.binds {
            Some(binds) => Box::pin(self.prepare_on(binds, watch)).await,
            None => Ok(()),
        }
    }

    async fn prepare_on(
        &self,
        connection: &Connection,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let plan = self.plan();
        connection.check_idle();
        let used = connection.carried.get();
        let worn = plan.mode == Mode::PerOperation && used > 0
            || plan.reconnect_every > 0 && used >= plan.reconnect_every;
        if worn || connection.unsettled.get() {
            // The connection was due to be replaced, whatever the server did.
            connection.link.lapsed.set(false);
            connection.worn.set(worn);
            if worn {
                // Connections that are replaced take turns among the servers anyway.
                connection.displaced.set(false);
            }
            Box::pin(connection.leave(watch.clock())).await;
        } else if connection.displaced.get() && connection.is_open() && self.is_alone(connection) {
            Box::pin(connection.come_back(watch)).await;
        }
        if !connection.is_open() {
            if connection.is_opened_by_exchange() {
                Box::pin(connection.rest(watch)).await;
                return Ok(());
            }
            Box::pin(connection.open(self.slot, watch)).await?;
        }
        if plan.mode == Mode::Rebind && plan.login.is_some() {
            Box::pin(connection.rebind(self.slot, watch)).await?;
        }
        Ok(())
    }
}

impl brunt_exchange::Session for Session {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        if self.failed.is_none() {
            self.failed = self.prepare(watch).await.err();
            if let Some(failure) = &self.failed {
                watch.not_ready(failure.as_outcome());
            }
        }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let outcome = self.carry_out(ticket, watch).await;
        if matches!(outcome, Outcome::Failed(..) | Outcome::TimedOut) {
            let _ = self.plan().first_failure.set(outcome);
        }
        outcome
    }

    async fn close(&mut self, clock: &dyn Clock) {
        if self.names.away {
            self.put_back().await;
        }
        if self.connection.is_last_to_leave() {
            self.connection.leave(clock).await;
        }
        if let Some(binds) = &self.binds {
            Box::pin(binds.leave(clock)).await;
        }
    }
}

impl Session {
    async fn carry_out(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let connection = &self.connection;
        watch.server(connection.server());
        if let Some(failure) = self.failed.take() {
            return failure.outcome(watch);
        }
        let kept = connection.keep(self.slot, watch).await;
        watch.server(connection.server());
        if let Err(failure) = kept {
            return failure.outcome(watch);
        }
        connection.carried.set(connection.carried.get() + 1);
        let channel = connection.channel(self.slot);
        let again = Cell::new(true);
        let in_flight = ExchangeInFlight { connection, channel, ticket, again };
        match &connection.worker.plan.operation {
            Operation::Bind(credentials) => in_flight.bind(credentials, watch).await,
            Operation::Search { search, paged: false } => in_flight.search(search, watch).await,
            Operation::Modify(modify) => in_flight.modify(modify, watch).await,
            Operation::Search { search, paged: true } => {
                Box::pin(in_flight.pages(search, watch)).await
            }
            Operation::SearchThenBind { search, bind, .. } => {
                let binds = self.binds.as_deref();
                in_flight.search_then_bind(search, bind, binds, watch).await
            }
            Operation::ReadModify { read, modify } => {
                in_flight.read_modify(read, modify, watch).await
            }
            Operation::Compare(compare) => in_flight.compare(compare, watch).await,
            Operation::Delete(delete) => in_flight.delete_given(delete, watch).await,
            Operation::Rename(renaming) => in_flight.rename(renaming, &mut self.names, watch).await,
            Operation::AddAndDelete(churn) => in_flight.add_or_delete(churn, watch).await,
            Operation::Given => Outcome::Skipped,
            Operation::SearchAndModify { search, modify } => match take_dn(&mut self.found) {
                None => in_flight.find(search, &mut self.found, watch).await,
                Some(dn) => in_flight.modify_found(modify, &dn, watch).await,
            },
        }
    }
}

/// One exchange being carried out.
struct ExchangeInFlight<'a> {
    connection: &'a Connection,
    channel: Channel<'a>,
    ticket: &'a Ticket,
    /// Whether its request may be sent again: it was not sent again before, and no part of it was answered.
    again: Cell<bool>,
}

impl ExchangeInFlight<'_> {
    fn plan(&self) -> &Plan {
        &self.connection.worker.plan
    }

    fn position(&self) -> Position {
        self.connection.worker.position(self.ticket)
    }

    /// Sends one request and waits for its answer.
    async fn send(
        &self,
        request: &Request,
        extra: &[&[u8]],
        expected: u8,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<u32, Failure> {
        let plan = self.plan();
        let position = self.position();
        let with_values = |send: &mut dyn FnMut(Ready<'_>)| {
            let mut scratch = self.channel.buffers.scratch.borrow_mut();
            request.fill(&plan.arguments, &position, None, extra, &mut scratch).map(send)
        };
        if request.may_fail() {
            // Only a filter that is parsed late can fail, and then the request must not be sent.
            with_values(&mut |_| {})?;
        }
        let encode = |id: i32, out: &mut Vec<u8>| {
            let encoded = with_values(&mut |ready| ready.encode(id, out));
            debug_assert!(encoded.is_ok(), "a request that cannot fail has failed");
        };
        self.answer(expected, keep, watch, encode).await
    }

    /// Sends what `encode` writes and waits for its answer; sends it again if this is allowed.
    async fn answer(
        &self,
        expected: u8,
        keep: Keep,
        watch: &mut Watch<'_>,
        encode: impl Fn(i32, &mut Vec<u8>),
    ) -> Result<u32, Failure> {
        let plan = self.plan();
        let encode = |id: i32, out: &mut Vec<u8>| {
            let from = out.len();
            encode(id, out);
            plan.traces.identify(self.ticket.number, from, out);
        };
        plan.traces.name(self.ticket.number, watch);
        loop {
            let used = self.connection.link.used.get();
            match self.channel.exchange(expected, keep, watch, &encode).await.code() {
                Ok(code) => {
                    self.again.set(false);
                    return Ok(code);
                }
                Err(failure) => self.retry(failure, used, expected, watch).await?,
            }
        }
    }

    /// Opens the connection again, so that a request can be resent that failed because a connection ended that had been
    /// `used` before; otherwise returns the failure.
    async fn retry(
        &self,
        failure: Failure,
        used: bool,
        expected: u8,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let again = self.connection.repeats(&failure, (used, is_safe(expected)), watch);
        if !(again && self.again.replace(false)) {
            return Err(failure);
        }
        let renewed = Box::pin(self.connection.renew(self.channel.slot, failure, watch)).await;
        watch.server(self.connection.server());
        renewed?;
        self.connection.carried.set(self.connection.carried.get() + 1);
        Ok(())
    }

    /// A number for a random choice: a function of the seed and the exchange's number.
    fn draw(&self) -> u64 {
        mix(self.plan().seed ^ mix(self.ticket.number))
    }

    /// The outcome of an exchange that has one answer.
    fn outcome(
        &self,
        reply: Result<u32, Failure>,
        about: impl FnOnce() -> String,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        match reply {
            Ok(code::SUCCESS) => Outcome::Ok(code::SUCCESS),
            Ok(refused) => {
                if watch.wants_text() {
                    let about = about();
                    watch.explain(format_args!("{} [{about}]", self.channel.refusal(refused)));
                    let sent = self.plan().traces.about(self.ticket.number, about);
                    watch.requested(format_args!("{sent}"));
                }
                Outcome::Failed(self.channel.class_of_refusal(), refused)
            }
            Err(failure) => failure.outcome(watch),
        }
    }

    fn about(&self, request: &Request) -> String {
        request.about(&self.plan().arguments, &self.position(), None)
    }

    async fn bind(&self, credentials: &Credentials, watch: &mut Watch<'_>) -> Outcome {
        self.bind_found(credentials, None, watch).await
    }

    async fn bind_found(
        &self,
        credentials: &Credentials,
        found: Option<&[u8]>,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = || BindContext {
            host: self.connection.host(),
            arguments: &self.plan().arguments,
            position: self.position(),
            found,
            traces: Some(self.plan().traces),
        };
        let lockout = self.plan().lockout.as_ref();
        if lockout.is_some_and(|lockout| !lockout.lets_through()) {
            return Outcome::Skipped;
        }
        let first = self.plan().first_binds.as_ref();
        if first.is_some_and(|first| first.all_refused().is_some()) {
            // The run is about to end. Without a wait, a closed load would skip thousands of binds until then.
            let (seed, session) = (self.plan().seed, self.ticket.session);
            Box::pin(backoff::wait(seed, session, WITHHELD_FOR, watch.clock())).await;
            return Outcome::Skipped;
        }
        let guard = IdentityGuard(&self.connection.unsettled);
        self.plan().traces.name(self.ticket.number, watch);
        let reply = loop {
            let used = self.connection.link.used.get();
            match credentials.bind(self.channel, context(), Some(&mut *watch)).await {
                Ok(code) => break Ok(code),
                Err(failure) => match self.retry(failure, used, op::BIND_RESPONSE, watch).await {
                    Ok(()) => {}
                    Err(failure) => break Err(failure),
                },
            }
        };
        guard.settle();
        if let (Some(first), Ok(code)) = (first, &reply) {
            first.answered(*code);
        }
        let about = || credentials.about(&context());
        if let (Some(lockout), Ok(code)) = (lockout, &reply) {
            let reported_locked = self.channel.class_of_refusal() == Class::Locked;
            if lockout.answered(*code, reported_locked, about) {
                self.channel.mark_locked();
            }
        }
        self.outcome(reply, about, watch)
    }

    async fn search(&self, search: &Request, watch: &mut Watch<'_>) -> Outcome {
        let reply = self.send(search, &[], op::SEARCH_DONE, Keep::Nothing, watch).await;
        watch.items(self.channel.entries());
        self.outcome(reply, || self.about(search), watch)
    }

    /// All pages of a search; an empty cookie begins and ends them (RFC 2696 section 3).
    async fn pages(&self, search: &Request, watch: &mut Watch<'_>) -> Outcome {
        let mut cookie = Vec::new();
        loop {
            let reply = self.send(search, &[&cookie], op::SEARCH_DONE, Keep::Cookie, watch).await;
            watch.items(self.channel.entries());
            cookie = self.channel.kept(<[u8]>::to_vec);
            if cookie.is_empty() || !matches!(reply, Ok(code::SUCCESS)) {
                return self.outcome(reply, || self.about(search), watch);
            }
        }
    }

    async fn modify(&self, modify: &Request, watch: &mut Watch<'_>) -> Outcome {
        let reply = self.send(modify, &[], op::MODIFY_RESPONSE, Keep::Nothing, watch).await;
        self.outcome(reply, || self.about(modify), watch)
    }

    /// A comparison: both "true" and "false" count as success.
    async fn compare(&self, compare: &Request, watch: &mut Watch<'_>) -> Outcome {
        match self.send(compare, &[], op::COMPARE_RESPONSE, Keep::Nothing, watch).await {
            Ok(code @ (code::COMPARE_TRUE | code::COMPARE_FALSE)) => Outcome::Ok(code),
            reply => self.outcome(reply, || self.about(compare), watch),
        }
    }

    async fn delete_given(&self, delete: &Request, watch: &mut Watch<'_>) -> Outcome {
        let reply = self.send(delete, &[], op::DELETE_RESPONSE, Keep::Nothing, watch).await;
        self.outcome(reply, || self.about(delete), watch)
    }

    /// Renames an entry, or restores the name of the entry that the previous exchange renamed.
    async fn rename(
        &self,
        renaming: &Renaming,
        names: &mut Names,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        if let Some(undo) = renaming.undo.as_ref().filter(|_| names.away) {
            let (values, expected) = (names.values(), op::MODIFY_DN_RESPONSE);
            let reply = self.send(&undo.request, &values, expected, Keep::Nothing, watch).await;
            // Without an answer it is tried again; a refusal would only be repeated.
            names.away = reply.is_err();
            return self.outcome(reply, || names.current(), watch);
        }
        let rename = &renaming.rename;
        let reply = self.send(rename, &[], op::MODIFY_DN_RESPONSE, Keep::Nothing, watch).await;
        if let (Ok(code::SUCCESS), Some(undo)) = (&reply, &renaming.undo) {
            names.renamed(renaming, undo, &self.plan().arguments, &self.position());
        }
        self.outcome(reply, || self.about(rename), watch)
    }

    async fn search_then_bind(
        &self,
        search: &Request,
        bind: &Credentials,
        binds: Option<&Connection>,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let started = watch.now();
        let reply = self.send(search, &[], op::SEARCH_DONE, Keep::FirstDn, watch).await;
        let searched = watch.now();
        watch.part(SEARCH, searched - started);
        let entries = self.channel.entries();
        watch.items(entries);
        // With a size limit of 1, a second match appears as a second entry or as an exceeded limit.
        let reply = match (reply, entries) {
            (Ok(code::SUCCESS), 0) => Ok(code::NO_RESULTS_RETURNED),
            (Ok(code::SUCCESS), 2..) | (Ok(code::SIZE_LIMIT_EXCEEDED), 1..) => {
                Ok(code::UNEXPECTED_RESULTS_RETURNED)
            }
            (reply, _) => reply,
        };
        if !matches!(reply, Ok(code::SUCCESS)) {
            return self.outcome(reply, || self.about(search), watch);
        }
        let mut dn = self.channel.take_kept();
        let outcome = match binds {
            Some(connection) => self.bind_over(connection, bind, &dn, watch).await,
            None => self.bind_found(bind, Some(&dn), watch).await,
        };
        watch.part(BIND, watch.now() - searched);
        dn.clear();
        self.channel.give_back(dn);
        outcome
    }

    /// Binds over a connection of its own.
    async fn bind_over(
        &self,
        connection: &Connection,
        bind: &Credentials,
        dn: &[u8],
        watch: &mut Watch<'_>,
    ) -> Outcome {
        if let Err(failure) = connection.keep(0, watch).await {
            return failure.outcome(watch);
        }
        connection.carried.set(connection.carried.get() + 1);
        let (channel, again) = (connection.channel(0), Cell::new(true));
        let in_flight = ExchangeInFlight { connection, channel, ticket: self.ticket, again };
        in_flight.bind_found(bind, Some(dn), watch).await
    }

    async fn read_modify(
        &self,
        read: &Request,
        modify: &Request,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let started = watch.now();
        let reply = self.send(read, &[], op::SEARCH_DONE, Keep::FirstValue, watch).await;
        let was_read = watch.now();
        watch.part(READ, was_read - started);
        let version = self.channel.take_kept();
        let reply = match reply {
            Ok(code::SUCCESS) if self.channel.entries() == 0 => Ok(code::NO_RESULTS_RETURNED),
            Ok(code::SUCCESS) if version.is_empty() => Ok(code::NO_SUCH_ATTRIBUTE),
            other => other,
        };
        if !matches!(reply, Ok(code::SUCCESS)) {
            return self.outcome(reply, || self.about(read), watch);
        }
        let reply = self.send(modify, &[&version], op::MODIFY_RESPONSE, Keep::Nothing, watch).await;
        watch.part(MODIFY, watch.now() - was_read);
        self.channel.give_back(version);
        self.outcome(reply, || self.about(modify), watch)
    }

    /// The search of search-and-modify: the next exchanges modify the entries it finds.
    async fn find(&self, search: &Request, found: &mut Vec<u8>, watch: &mut Watch<'_>) -> Outcome {
        let reply = self.send(search, &[], op::SEARCH_DONE, Keep::EveryDn, watch).await;
        watch.items(self.channel.entries());
        if matches!(reply, Ok(code::SUCCESS)) {
            self.channel.kept(|dns| found.extend_from_slice(dns));
        }
        self.outcome(reply, || self.about(search), watch)
    }

    async fn modify_found(&self, modify: &Request, dn: &[u8], watch: &mut Watch<'_>) -> Outcome {
        watch.operation(1);
        let reply = self.send(modify, &[dn], op::MODIFY_RESPONSE, Keep::Nothing, watch).await;
        self.outcome(reply, || String::from_utf8_lossy(dn).into_owned(), watch)
    }

    async fn add_or_delete(&self, churn: &Churn, watch: &mut Watch<'_>) -> Outcome {
        match churn.live.next(watch.now(), self.draw()) {
            AddAction::Add(number) => self.add(churn, number, watch).await,
            AddAction::Delete(number) => self.delete(churn, number, watch).await,
        }
    }

    async fn add(&self, churn: &Churn, number: u64, watch: &mut Watch<'_>) -> Outcome {
        if !churn.has(number) {
            watch.explain(format_args!(
                "the template makes no entry {number}, counted from 0: let it make more"
            ));
            return Outcome::Failed(Class::Check, 0);
        }
        let open = churn.live.open(number);
        let scratch = &self.channel.buffers.scratch;
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_add(number, &mut scratch.borrow_mut().entry, id, out);
        };
        let reply = self.answer(op::ADD_RESPONSE, Keep::Nothing, watch, encode).await;
        if let Ok(code) = reply {
            open.settle();
            match code {
                code::SUCCESS => churn.live.added(number, watch.now()),
                code::ENTRY_ALREADY_EXISTS => churn.live.collided(number),
                _ => churn.live.gone(number),
            }
        }
        self.outcome(reply, || churn.dn(number), watch)
    }

    async fn delete(&self, churn: &Churn, number: u64, watch: &mut Watch<'_>) -> Outcome {
        watch.operation(1);
        let open = churn.live.open(number);
        let scratch = &self.channel.buffers.scratch;
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_delete(number, &mut scratch.borrow_mut().text, id, out);
        };
        let reply = self.answer(op::DELETE_RESPONSE, Keep::Nothing, watch, encode).await;
        if matches!(reply, Ok(code::SUCCESS | code::NO_SUCH_OBJECT)) {
            open.settle();
            churn.live.gone(number);
        }
        self.outcome(reply, || churn.dn(number), watch)
    }
}

/// Whether an operation, given the tag of its response, has the same effect when it is carried out twice.
pub(super) const fn is_safe(expected: u8) -> bool {
    matches!(expected, op::BIND_RESPONSE | op::SEARCH_DONE | op::COMPARE_RESPONSE)
}

/// Removes and returns the last of the DNs.
fn take_dn(found: &mut Vec<u8>) -> Option<Vec<u8>> {
    let (length, rest) = found.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length) as usize;
    let dn = rest.get(..length)?.to_vec();
    found.drain(..4 + length);
    Some(dn)
}
