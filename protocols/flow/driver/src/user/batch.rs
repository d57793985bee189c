//! Steps that a user performs at once, as a browser loads what a page consists of.
//!
//! Every request is made before the first is sent, and every answer is judged when the last has come, in the order of
//! the steps. So what one of them extracts has its value from the step after the group on, and so have cookies. The
//! user's own client carries requests, and further ones beside it, which are kept for the next batch. A batch that is
//! called off counts what was answered until then.

use super::conclude::Counted;
use super::traced::Traced;
use super::{User, unfinished};
use crate::compiled_flow::{CompiledFlow, ExchangeInfo};
use crate::counters::StepResult;
use crate::http_client::Message;
use crate::plan::{ExchangeStep, Payload};
use crate::step_id::StepId;
use brunt_exchange::{Class, Clock, Concurrent, Moment, Outcome, Watch};
use brunt_feed::{Hole, Values};
use brunt_http_driver::cookies::Jar;
use brunt_http_driver::{Client, ClientActions};
use brunt_net::within;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

/// The exchanges that are made at once, and the connections for them.
#[derive(Default)]
pub(super) struct Batch {
    /// The clients beside the user's own.
    lanes: Vec<Client>,
    /// The cookies that they were given.
    lent: Jar,
    members: Vec<Member>,
    /// How many members there are now; the buffers of others are kept.
    size: usize,
    most: usize,
}

/// One of the exchanges.
#[derive(Default)]
struct Member {
    step: usize,
    message: Message,
    /// Its number among the exchanges of the iteration.
    exchange: u32,
    /// When it began, if it was called off.
    began: Option<Moment>,
    /// How it ended: the status of the answer, or the outcome without one.
    over: Option<(Result<u32, Outcome>, Concurrent)>,
    actions: ClientActions,
    traced: Option<Box<Traced>>,
}

/// What all members have in common while they are sent.
struct Sending<'a> {
    compiled: &'a CompiledFlow,
    scenario: usize,
    values: &'a Values,
    clock: &'a dyn Clock,
    wants_text: bool,
}

/// A member that is over, and what is counted of it.
struct Ended {
    exchange: Concurrent,
    counted: Option<(u16, StepResult, Duration)>,
}

impl User {
    /// Performs the steps that the cursor has gathered, of which this is the first.
    pub(super) async fn act_at_once(&mut self, id: StepId, watch: &mut Watch<'_>) -> Outcome {
        let began = watch.now();
        self.write_batch(id, watch);
        if self.batch.as_ref().is_some_and(|batch| batch.begins()) {
            self.cursor.act_begins(began);
        }
        self.in_flight = Some(id);
        self.send_batch(id.scenario, watch).await;
        self.in_flight = None;
        self.conclude_batch(id, Outcome::CutOff, watch)
    }

    /// How long they may take, one after the other as far as they have to wait for a connection.
    pub(super) fn time_of_batch(&self, id: StepId) -> Option<Duration> {
        let gathered = self.cursor.gathered()?;
        let act = |step: &usize| self.context.compiled.act(StepId { step: *step, ..id });
        let timeouts = gathered.steps.iter().map(|step| act(step).and_then(|(act, _)| act.timeout));
        let longest = timeouts.collect::<Option<Vec<_>>>()?.into_iter().max()?;
        let rounds = gathered.steps.len().div_ceil(gathered.most.max(1));
        Some(longest.saturating_mul(u32::try_from(rounds).unwrap_or(u32::MAX)))
    }

    /// Ends those that are called off with this outcome, which is that of the exchange of this watch.
    #[cold]
    pub(super) fn call_off_batch(&mut self, outcome: Outcome, watch: &mut Watch<'_>) {
        let Some(id) = self.in_flight.take() else { return };
        self.conclude_batch(id, outcome, watch);
        if outcome == Outcome::TimedOut {
            self.measure(outcome, watch);
        }
    }

    /// Makes the requests.
    fn write_batch(&mut self, id: StepId, watch: &Watch<'_>) {
        let mut batch = self.batch.take().unwrap_or_default();
        let Some(gathered) = self.cursor.gathered() else { return };
        (batch.size, batch.most) = (gathered.steps.len(), gathered.most);
        let size = batch.size.max(batch.members.len());
        batch.members.resize_with(size, Member::default);
        for (member, step) in batch.members.iter_mut().zip(&gathered.steps) {
            member.step = *step;
        }
        for at in 0..batch.size {
            let member = &mut batch.members[at];
            self.write_member(StepId { step: member.step, ..id }, member, watch);
        }
        let cookies = self.context.compiled.network().settings().cookies;
        batch.open_lanes(self.http_client.client_mut(), cookies);
        self.batch = Some(batch);
    }

    fn write_member(&mut self, id: StepId, member: &mut Member, watch: &Watch<'_>) {
        let context = Rc::clone(&self.context);
        let Some((act, info)) = context.compiled.act(id) else { return };
        let mut text = String::new();
        let mut own = Watch::new(watch.clock(), watch.wants_text().then_some(&mut text));
        own.operation(act.operation);
        (member.began, member.over) = (None, None);
        let written = self.written((id, act, info), member, &mut own);
        self.http_client.swap(&mut member.message);
        if let Err(outcome) = written {
            let exchange = Concurrent::new(&mut own, outcome);
            member.over = Some((Err(outcome), exchange.explained(text)));
        }
    }

    /// Writes a request; the error is how the exchange ended because of what it lacks.
    fn written(
        &mut self,
        (id, act, info): (StepId, &ExchangeStep, &ExchangeInfo),
        member: &mut Member,
        own: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        let context = Rc::clone(&self.context);
        let empty = |hole: &Hole| self.variables.values().value(*hole).is_none_or(<[u8]>::is_empty);
        let bare = info.needs.iter().any(empty);
        let begun = if bare {
            Ok(())
        } else {
            self.variables.begin_exchange(&context.compiled, &info.uses)
        };
        if bare || begun.as_ref().is_err_and(|spent| self.ends_data(spent)) {
            context.counters.skipped(self.cursor.phase(), act.operation);
            self.trace_skipped(id, act, info);
            return Err(Outcome::Skipped);
        }
        member.exchange = self.variables.exchanges();
        if let Some(trace) = &context.compiled.flow().trace {
            self.begin_trace(trace, own);
            member.traced = self.traced.take();
        }
        begun.map_err(|spent| spent.as_outcome(own))?;
        let Payload::Http(http) = &act.payload else { return Err(Outcome::Skipped) };
        let given = (&mut self.variables, self.last_page.as_deref());
        self.http_client.write((id, http, info), &context.compiled, given, own)
    }

    /// Sends the requests and reads the answers.
    async fn send_batch(&mut self, scenario: usize, watch: &Watch<'_>) {
        let Self { context, http_client, variables, batch, .. } = self;
        let Some(batch) = batch else { return };
        let Batch { lanes, members, size, most, .. } = &mut **batch;
        let (clock, wants_text) = (watch.clock(), watch.wants_text());
        let (compiled, values) = (&*context.compiled, variables.values());
        let sending = Sending { compiled, scenario, values, clock, wants_text };
        let members = members.iter_mut().take(*size);
        let waiting = RefCell::new(members.filter(|member| member.over.is_none()));
        let clients = std::iter::once(http_client.client_mut()).chain(lanes).take(*most);
        let carried = clients.map(|client| carry(client, &waiting, &sending));
        all(carried.map(|lane| Box::pin(lane) as Pin<Box<dyn Future<Output = ()>>>).collect())
            .await;
    }

    /// Judges the answers, counts the exchanges and reports them. Those without an answer were called off with this
    /// outcome.
    fn conclude_batch(
        &mut self,
        id: StepId,
        called_off: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        let Some(mut batch) = self.batch.take() else { return Outcome::Skipped };
        let size = batch.size;
        batch.rejoin(self.http_client.client_mut());
        let mut ended = Vec::with_capacity(size);
        for member in &mut batch.members[..size] {
            let of = StepId { step: member.step, ..id };
            ended.extend(self.conclude_member(of, member, called_off, watch));
        }
        self.batch = Some(batch);
        self.pass_batch(id, &ended, watch);
        let Some(main) = main(&ended) else { return Outcome::Skipped };
        let Ended { mut exchange, mut counted } = ended.swap_remove(main);
        if let (Some(why), Outcome::Ok(code)) = (self.exceeded(), exchange.outcome) {
            (exchange.outcome, exchange.text) = (Outcome::Failed(Class::Check, code), why);
            counted = counted.map(|(operation, _, took)| (operation, StepResult::Failed, took));
        }
        let phase = self.cursor.phase();
        let all = ended.iter().filter_map(|one| one.counted).chain(counted);
        all.for_each(|(operation, result, took)| {
            context.counters.ended(phase, operation, result, took);
        });
        watch.stands_for(&exchange);
        for other in ended {
            watch.beside(other.exchange);
        }
        exchange.outcome
    }

    /// Moves on to what follows the group.
    fn pass_batch(&mut self, id: StepId, ended: &[Ended], watch: &Watch<'_>) {
        let past = self.cursor.gathered().map_or(id.step + 1, |gathered| gathered.past);
        let performed = ended.iter().filter(|one| one.exchange.outcome != Outcome::Skipped);
        let last = performed.clone().map(|one| one.exchange.ended).max().unwrap_or(watch.now());
        for one in performed.clone() {
            self.cursor.act_ended(last, one.exchange.outcome, true);
        }
        let failed = performed.clone().any(|one| !matches!(one.exchange.outcome, Outcome::Ok(_)));
        let over = StepId { step: past - 1, ..id };
        self.cursor.done(over, failed, &self.context.compiled);
        self.look_ahead(watch.now());
    }

    /// Judges the answer to a member, or gives it up.
    fn conclude_member(
        &mut self,
        id: StepId,
        member: &mut Member,
        called_off: Outcome,
        watch: &Watch<'_>,
    ) -> Option<Ended> {
        let context = Rc::clone(&self.context);
        let (act, info) = context.compiled.act(id)?;
        self.variables.return_to(member.exchange);
        self.http_client.swap(&mut member.message);
        let mut text = String::new();
        let ended = if let Some((sent, known)) = member.over.take() {
            let mut own = known.watch(watch.clock(), watch.wants_text().then_some(&mut text));
            if member.traced.is_some() {
                own.keep_words();
                own.explain(format_args!("{}", known.text));
            }
            let came = sent.is_ok();
            let outcome = sent
                .map_or_else(|outcome| outcome, |code| self.judge((id, act, info), code, &mut own));
            let counted = self.counted_member(act, outcome, &mut own);
            let outcome = counted.as_ref().map_or(outcome, |counted| counted.outcome);
            if matches!(outcome, Outcome::Failed(..)) {
                self.show_request(act, &mut own);
            }
            if let Some(traced) = member.traced.take() {
                self.http_client.client_mut().show(std::mem::take(&mut member.actions));
                self.report(id, act, &traced, (outcome, came), &own);
            }
            let counted = counted.map(|one| (act.operation, one.result, one.took));
            Ended { exchange: Concurrent::new(&mut own, outcome), counted }
        } else {
            let mut own = Watch::new(watch.clock(), watch.wants_text().then_some(&mut text));
            own.operation(act.operation);
            own.ended_as(watch.now());
            member.began.into_iter().for_each(|began| own.sent_as(began));
            self.show_request(act, &mut own);
            self.explain_overdue(true, &mut own);
            self.traced = member.traced.take();
            self.trace_given_up(id, act, watch.now());
            let timeout = act.timeout.unwrap_or_default();
            let counted = Some((act.operation, StepResult::Exceeded, timeout));
            Ended { exchange: Concurrent::new(&mut own, called_off), counted }
        };
        self.http_client.put_away();
        self.http_client.swap(&mut member.message);
        Some(Ended { exchange: ended.exchange.explained(text), ..ended })
    }

    /// How a member is counted; one that was skipped is counted already.
    fn counted_member(
        &self,
        act: &ExchangeStep,
        outcome: Outcome,
        own: &mut Watch<'_>,
    ) -> Option<Counted> {
        if outcome == Outcome::Skipped {
            return None;
        }
        let counted = self.counted(act, outcome, own);
        let late = outcome == Outcome::TimedOut;
        let result = if late { StepResult::Exceeded } else { counted.result };
        Some(Counted { result, ..counted })
    }
}

/// The member that the engine records as the exchange that it started: the first that was called off, else the first
/// that failed, else the last that ended.
fn main(ended: &[Ended]) -> Option<usize> {
    let first = |of: fn(Outcome) -> bool| ended.iter().position(|one| of(one.exchange.outcome));
    let called_off = |outcome| matches!(outcome, Outcome::TimedOut | Outcome::CutOff);
    let failed = |outcome| !matches!(outcome, Outcome::Ok(_) | Outcome::Skipped);
    let last = || (0..ended.len()).max_by_key(|at| rank(&ended[*at]));
    first(called_off).or_else(|| first(failed)).or_else(last)
}

/// What was skipped did not end last.
fn rank(one: &Ended) -> (bool, Moment) {
    (one.exchange.outcome != Outcome::Skipped, one.exchange.ended)
}

impl Batch {
    /// Makes sure that there are clients for all members, with the cookies of the user.
    fn open_lanes(&mut self, own: &Client, cookies: bool) {
        let lanes = self.most.min(self.size).saturating_sub(1);
        while self.lanes.len() < lanes {
            self.lanes.push(own.lane());
        }
        if cookies {
            self.lent.clone_from(own.jar());
            self.lanes.iter_mut().for_each(|lane| own.lend(lane));
        }
    }

    /// Whether any exchange begins: not all are skipped.
    fn begins(&self) -> bool {
        let skipped = |over: &(Result<u32, Outcome>, Concurrent)| over.0 == Err(Outcome::Skipped);
        self.members[..self.size].iter().any(|member| !member.over.as_ref().is_some_and(skipped))
    }

    /// Gives the user the cookies of the answers.
    fn rejoin(&self, own: &mut Client) {
        self.lanes.iter().for_each(|lane| own.rejoin(&self.lent, lane));
    }

    /// Closes every connection.
    pub(super) async fn close(&mut self, clock: &dyn Clock) {
        for lane in &mut self.lanes {
            lane.close(clock).await;
        }
    }
}

impl Member {
    async fn send(&mut self, client: &mut Client, sending: &Sending<'_>) {
        let id = StepId { scenario: sending.scenario, step: self.step };
        let Some((act, info)) = sending.compiled.act(id) else { return };
        let mut text = String::new();
        let mut own = Watch::new(sending.clock, sending.wants_text.then_some(&mut text));
        own.operation(act.operation);
        if self.traced.is_some() {
            own.keep_words();
        }
        let sent = {
            let unended = Unended { watch: &mut own, began: &mut self.began };
            let sent = self.message.send(client, info, sending.values, unended.watch);
            match act.timeout {
                None => sent.await,
                Some(limit) => {
                    within(limit, sending.clock, sent).await.unwrap_or(Err(Outcome::TimedOut))
                }
            }
        };
        let outcome = sent.map_or_else(|outcome| outcome, Outcome::Ok);
        if outcome == Outcome::TimedOut {
            let response = &self.message.response;
            match response.status() {
                0 => own.explain(format_args!(
                    "no answer within {:?}",
                    act.timeout.unwrap_or_default()
                )),
                status => own.explain(format_args!(
                    "the time was over after {status}: {}",
                    unfinished(response)
                )),
            }
        }
        if self.traced.is_some() {
            self.actions = client.actions().clone();
        }
        let exchange = Concurrent::new(&mut own, outcome);
        self.over = Some((sent, exchange.explained(text)));
    }
}

/// A watch whose exchange may be called off: then when it began is all that is known.
struct Unended<'w, 'a> {
    watch: &'w mut Watch<'a>,
    began: &'w mut Option<Moment>,
}

impl Drop for Unended<'_, '_> {
    fn drop(&mut self) {
        *self.began = self.watch.began_at();
    }
}

/// Sends what waits, one after the other, with one client.
async fn carry<'m>(
    client: &mut Client,
    waiting: &RefCell<impl Iterator<Item = &'m mut Member>>,
    sending: &Sending<'_>,
) {
    loop {
        let next = waiting.borrow_mut().next();
        let Some(member) = next else { return };
        member.send(client, sending).await;
    }
}

/// Waits for all of these.
async fn all(mut futures: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>) {
    poll_fn(|cx| {
        futures.retain_mut(|future| future.as_mut().poll(cx).is_pending());
        if futures.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
