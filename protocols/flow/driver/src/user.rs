//! [`User`]: a virtual user, who performs one step of a flow in each exchange.
//!
//! A user has its own clients, with their connections and cookies, and its own variables. It is ready when the
//! connection for its next step is open. The step's request is rendered only when it is due, because in the open model
//! an arrival decides what is sent.

mod batch;
mod conclude;
mod judge;
mod traced;

use super::compiled_flow::{CompiledFlow, ExchangeInfo};
use super::counters::{FlowCounters, StepResult};
use super::cursor::{Cursor, IterationStart, Upcoming};
use super::data_end::DataEnd;
use super::handover::Handover;
use super::http_client::HttpClient;
use super::last_page::LastPage;
use super::ldap_client::LdapClient;
use super::plan::{ExchangeStep, Payload, Start, Times};
use super::poll::Pending;
use super::source::Exhausted;
use super::step_id::StepId;
use super::trace::{answer_in_lines, in_lines};
use super::variables::Variables;
use batch::Batch;
use brunt_dhcp_driver::{DhcpAccess, DhcpClient};
use brunt_exchange::{Clock, Moment, Outcome, Part, Session, Ticket, Want, Watch};
use brunt_feed::{Hole, TraceContext};
use brunt_http_driver::{self as http, Group};
use brunt_ldap_driver::LdapPool;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use traced::Traced;

/// The part that measures an iteration from beginning to end, including pauses: the duration of a visit.
pub const ITERATION: Part = Part(6);
/// The same without pauses: the time spent in the target and waiting for it. It is measured for flows whose iterations
/// have pauses.
pub const ITERATION_WORK: Part = Part(7);
/// The names of the parts, by number.
pub const PARTS: [&str; 9] = [
    "connect",
    "tls",
    "bind",
    "reconnect",
    "first byte",
    "name lookup",
    "iteration",
    "iteration work",
    "closed after",
];

/// What the users of one worker share.
#[derive(Debug)]
pub struct WorkerContext {
    compiled: Arc<CompiledFlow>,
    counters: Arc<FlowCounters>,
    group: Rc<Group>,
    ldap: Option<LdapPool>,
    access: Option<DhcpAccess>,
    iteration_start: IterationStart,
    data_end: Arc<DataEnd>,
    /// Where users get values from that were extracted before they began.
    handover: Option<Arc<Handover>>,
    /// Whether they leave theirs there when they end.
    hands_over: bool,
}

impl WorkerContext {
    /// Creates the context of this number of users, those of the worker that writes these counters. Call it within the
    /// worker's runtime.
    pub fn new(compiled: &Arc<CompiledFlow>, counters: &Arc<FlowCounters>, users: usize) -> Self {
        let access = compiled.flow().dhcp.as_deref();
        Self {
            group: Group::new(compiled.network()),
            ldap: compiled.flow().ldap.as_ref().map(LdapPool::new),
            access: access.map(|access| DhcpAccess::new(access, users)),
            compiled: Arc::clone(compiled),
            counters: Arc::clone(counters),
            iteration_start: IterationStart { first: 0, arrivals: compiled.flow().arrivals },
            data_end: Arc::default(),
            handover: None,
            hands_over: false,
        }
    }

    /// Gives the users values of others; `leaves` is whether they hand theirs over in turn, when they end.
    #[must_use]
    pub fn handing(self, handover: &Arc<Handover>, leaves: bool) -> Self {
        Self { handover: Some(Arc::clone(handover)), hands_over: leaves, ..self }
    }

    /// Replaces the default course of the flow.
    #[must_use]
    pub fn on(self, iteration_start: IterationStart) -> Self {
        Self { iteration_start, ..self }
    }

    /// Reports to `data_end` that no rows are left for an arrival.
    #[must_use]
    pub fn reporting(self, data_end: &Arc<DataEnd>) -> Self {
        Self { data_end: Arc::clone(data_end), ..self }
    }
}

/// A virtual user.
pub struct User {
    context: Rc<WorkerContext>,
    number: u32,
    cursor: Cursor,
    variables: Variables,
    http_client: HttpClient,
    ldap_client: Option<Box<LdapClient>>,
    dhcp_client: Option<DhcpClient>,
    /// What is kept of the last page of the iteration, if later steps need one.
    last_page: Option<Box<LastPage>>,
    /// How long the connection for the next step took to open.
    opening: Duration,
    /// The step that has begun and has not ended.
    in_flight: Option<StepId>,
    /// When the iteration began.
    began: Moment,
    /// The total time of the pauses before that moment, which precede its first exchange.
    paused_before: Duration,
    started: bool,
    /// Whether the connection for the next step was closed before, as the step demands.
    reconnected: bool,
    /// The answer to the current step, if it means "not yet".
    pending: Option<Box<Pending>>,
    /// Whether the answer to the current step demands a nonce that it did not have.
    challenged: bool,
    /// Why the variables of an iteration could not be filled.
    spent: Option<Exhausted>,
    /// The values that the current step was sent with, while it is traced.
    traced: Option<Box<Traced>>,
    /// The exchanges that are made at once, and the connections for them.
    batch: Option<Box<Batch>>,
}

impl User {
    /// Creates user `number` of the whole run.
    pub fn new(context: &Rc<WorkerContext>, number: u32) -> Self {
        let compiled = &context.compiled;
        let mut variables = Variables::new(compiled, number);
        if let Some(handover) = &context.handover {
            handover.give(number, &mut variables);
        }
        Self {
            number,
            cursor: Cursor::new(number, context.iteration_start),
            variables,
            http_client: HttpClient::new(compiled, &context.group, number),
            ldap_client: context.ldap.as_ref().map(|ldap| Box::new(LdapClient::new(ldap, number))),
            dhcp_client: context.access.as_ref().map(|access| DhcpClient::new(access, number)),
            last_page: None,
            opening: Duration::ZERO,
            in_flight: None,
            began: Moment::ZERO,
            paused_before: Duration::ZERO,
            started: false,
            reconnected: false,
            pending: None,
            challenged: false,
            spent: None,
            traced: None,
            batch: None,
            context: Rc::clone(context),
        }
    }

    fn upcoming(&mut self) -> Upcoming {
        self.cursor.upcoming(&self.context.compiled, &self.context.counters, &mut self.variables)
    }

    /// The next step; an arrival begins an iteration.
    fn next(&mut self, ticket: &Ticket) -> Option<StepId> {
        self.cursor.due_in(ticket.phase);
        match self.upcoming() {
            Upcoming::Step(id, _) => Some(id),
            Upcoming::Unknown | Upcoming::Nothing => None,
            Upcoming::Arrival => {
                let context = &self.context;
                let (compiled, counters) = (&context.compiled, &context.counters);
                match self.cursor.arrive(ticket.number, compiled, counters, &mut self.variables) {
                    Ok(id) => id,
                    Err(exhausted) => {
                        self.spent = Some(exhausted);
                        None
                    }
                }
            }
        }
    }

    /// How long after the beginning of the run this user begins.
    fn start(&self) -> Duration {
        let flow = self.context.compiled.flow();
        if let Some(own) = &flow.own {
            return own.begins(self.number);
        }
        match flow.start {
            Start::Together => Duration::ZERO,
            Start::Groups { size, every } => every * (self.number / size.max(1)),
            Start::Over(all) => {
                let share = f64::from(self.number) / f64::from(flow.users.max(1));
                all.mul_f64(share.min(1.0))
            }
        }
    }

    /// Handles an exchange that has begun and not ended: the run cancelled it.
    #[inline]
    fn settle(&mut self, now: Moment) {
        if let Some(id) = self.in_flight.take() {
            self.settle_cancelled(id, now);
        }
    }

    #[cold]
    fn settle_cancelled(&mut self, id: StepId, now: Moment) {
        let context = Rc::clone(&self.context);
        if let Some((act, _)) = context.compiled.act(id) {
            self.trace_given_up(id, act, now);
            let timeout = act.timeout.unwrap_or_default();
            context.counters.ended(
                self.cursor.phase(),
                act.operation,
                StepResult::Exceeded,
                timeout,
            );
        }
        self.http_client.give_up();
        let act = context.compiled.act(id).map(|(act, _)| act);
        if !act.is_some_and(|act| self.is_tried_again((id, act), Outcome::TimedOut, now)) {
            self.cursor.done(id, true, &context.compiled);
        }
    }

    /// Opens the connection for a step, a new one if it has one of its own.
    async fn open(&mut self, act: &ExchangeStep, info: &ExchangeInfo, watch: &mut Watch<'_>) {
        if act.reconnects && !std::mem::replace(&mut self.reconnected, true) {
            self.disconnect(act, watch.clock()).await;
        }
        match (&act.payload, &info.origin, &mut self.ldap_client) {
            (Payload::Http(_), Some((origin, _)), _) => self.http_client.open(origin, watch).await,
            (Payload::Ldap(_), _, Some(ldap_client)) => ldap_client.open(watch).await,
            _ => {}
        }
    }

    /// Closes the connection that a step would use.
    async fn disconnect(&mut self, act: &ExchangeStep, clock: &dyn Clock) {
        match (&act.payload, &mut self.ldap_client) {
            (Payload::Http(_), _) => self.http_client.renew(clock).await,
            (Payload::Ldap(_), Some(ldap_client)) => ldap_client.close(clock).await,
            _ => {}
        }
    }

    /// Performs one step.
    async fn act(&mut self, id: StepId, watch: &mut Watch<'_>) -> Outcome {
        let context = Rc::clone(&self.context);
        let Some((act, info)) = context.compiled.act(id) else { return Outcome::Skipped };
        watch.operation(act.operation);
        if context.compiled.expires() {
            self.variables.expire(watch.now());
        }
        if let Some(why) = self.exceeded() {
            return self.fail_unsent((id, act), &why, watch);
        }
        if self.cursor.is_together() {
            return Box::pin(self.act_at_once(id, watch)).await;
        }
        let empty = |hole: &Hole| self.variables.values().value(*hole).is_none_or(<[u8]>::is_empty);
        let bare = info.needs.iter().any(empty);
        if self.cursor.skips() || bare || self.cursor.is_empty() {
            context.counters.skipped(self.cursor.phase(), act.operation);
            self.trace_skipped(id, act, info);
            self.cursor.done(id, false, &context.compiled);
            return Outcome::Skipped;
        }
        let begun = self.variables.begin_exchange(&context.compiled, &info.uses);
        let spent = begun.err();
        if let Some(spent) = &spent
            && self.ends_data(spent)
        {
            context.counters.skipped(self.cursor.phase(), act.operation);
            self.trace_skipped(id, act, info);
            self.cursor.done(id, true, &context.compiled);
            return Outcome::Skipped;
        }
        self.in_flight = Some(id);
        if context.compiled.is_steered() {
            self.cursor.act_begins(watch.now());
            if self.cursor.is_repeat() {
                watch.repeats();
            }
        }
        if let Some(trace) = &context.compiled.flow().trace {
            self.begin_trace(trace, watch);
        }
        let (outcome, answered) = match &spent {
            Some(spent) => (spent.as_outcome(watch), false),
            None => self.exchange_of((id, act, info), &context.compiled, watch).await,
        };
        self.in_flight = None;
        let outcome = self.conclude(id, act, outcome, watch);
        if let Outcome::Failed(_, code) = outcome {
            self.show_request(act, watch);
            if answered && watch.wants_text() {
                self.show_answer(act, code, watch);
            }
        }
        if let Some(traced) = self.traced.take() {
            self.report(id, act, &traced, (outcome, answered), watch);
        }
        if matches!(act.payload, Payload::Http(_)) {
            self.http_client.put_away();
        }
        outcome
    }

    /// Keeps what was sent with the text of a failure, as a trace shows it, with its identity for the target's traces.
    fn show_request(&self, act: &ExchangeStep, watch: &mut Watch<'_>) {
        if !watch.wants_text() || watch.sent_at().is_none() {
            return;
        }
        let values = self.variables.values();
        let of_page = matches!(&act.payload, Payload::Http(http) if http.page.is_some());
        let sent = if of_page {
            // What a page put into its request may be secret.
            values.shown(&self.http_client.page_request_line())
        } else {
            in_lines(&act.payload, values)
        };
        let trace = self.variables.trace_context(self.context.compiled.flow());
        let field = TraceContext::FIELD;
        // Of several lines the first has it: the others may be cut.
        let (line, rest) = sent.split_once('\n').unwrap_or((&sent, ""));
        let trace = trace.map(|trace| format!(" ({field} {trace})")).unwrap_or_default();
        let rest = if rest.is_empty() { String::new() } else { format!("\n{rest}") };
        watch.requested(format_args!("{line}{trace}{rest}"));
    }

    /// Keeps what was answered with the text of a failure, as a trace shows it.
    fn show_answer(&self, act: &ExchangeStep, code: u32, watch: &mut Watch<'_>) {
        let clients = (&self.http_client, self.ldap_client.as_deref(), self.dhcp_client.as_ref());
        if let Some(reply) = judge::reply(act, code, clients) {
            watch.answered(format_args!("{}", answer_in_lines(&reply, self.variables.values())));
        }
    }

    /// Whether an arrival found no row for a variable. This ends the run, and is no failure of the target.
    fn ends_data(&self, spent: &Exhausted) -> bool {
        let Exhausted::Rows(variable) = spent else { return false };
        if self.context.iteration_start.arrivals {
            self.context.data_end.reached(variable);
        }
        self.context.iteration_start.arrivals
    }

    /// Sends the request and checks whether the answer is what the plan expects. Also returns whether there was an
    /// answer.
    async fn exchange_of(
        &mut self,
        (id, act, info): (StepId, &ExchangeStep, &ExchangeInfo),
        compiled: &CompiledFlow,
        watch: &mut Watch<'_>,
    ) -> (Outcome, bool) {
        if act.reconnects && !std::mem::take(&mut self.reconnected) {
            // What an arrival begins with was not known when the session was made ready.
            self.open(act, info, watch).await;
            self.reconnected = false;
        }
        let variables = &mut self.variables;
        let sent = match (&act.payload, &mut self.ldap_client, &mut self.dhcp_client) {
            (Payload::Http(http), ..) => {
                let given = (variables, self.last_page.as_deref());
                self.http_client.exchange((id, http, info), compiled, given, watch).await
            }
            (Payload::Ldap(ldap), Some(ldap_client), _) => {
                ldap_client.exchange(ldap, compiled, variables, watch).await
            }
            (Payload::Dhcp(kind), _, Some(dhcp_client)) => {
                let phase = self.cursor.phase().unwrap_or_default();
                let wanted = info.wanted.fields || watch.keeps_words();
                match dhcp_client.carry_out(*kind, wanted, phase, watch).await {
                    Outcome::Ok(code) => Ok(code),
                    outcome => Err(outcome),
                }
            }
            (Payload::Ldap(_), None, _) | (Payload::Dhcp(_), _, None) => Err(Outcome::Skipped),
        };
        match sent {
            Ok(code) => (self.judge((id, act, info), code, watch), true),
            Err(outcome) => (outcome, false),
        }
    }

    /// Explains how much of an answer had arrived at the timeout.
    fn explain_overdue(&self, http: bool, watch: &mut Watch<'_>) {
        let Some(response) = self.http_client.begun().filter(|_| http) else { return };
        response.began().into_iter().for_each(|began| watch.answer_began_at(began));
        if watch.wants_text() {
            let after = watch.sent_at().zip(response.began()).map(|(sent, first)| first - sent);
            let after = after.map(|after| format!(" (first byte after {after:.0?})"));
            watch.explain(format_args!(
                "the time was over after {}{}: {}",
                response.status(),
                after.unwrap_or_default(),
                unfinished(response)
            ));
        }
    }
}

/// The message about an answer whose head had arrived at the timeout of its exchange.
fn unfinished(response: &http::Response) -> String {
    format!("the body was not complete, {} bytes of it had come", response.received())
}

impl Session for User {
    async fn ready(&mut self, watch: &mut Watch<'_>) {
        let context = Rc::clone(&self.context);
        let coarse = context.compiled.flow().times == Times::Coarse;
        let before = coarse.then(|| watch.now());
        match self.upcoming() {
            Upcoming::Arrival => {
                for id in context.compiled.firsts() {
                    if let Some((act, info)) = context.compiled.act(*id)
                        && !act.reconnects
                    {
                        self.open(act, info, watch).await;
                    }
                }
            }
            Upcoming::Step(id, _) if !self.cursor.skips() => {
                if let Some((act, info)) = context.compiled.act(id) {
                    self.open(act, info, watch).await;
                }
            }
            _ => return,
        }
        if let Some(before) = before {
            self.opening = watch.now() - before;
        }
    }

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        if self.context.compiled.expires() {
            self.cursor.at_time(watch.now());
        }
        let Some(id) = self.next(ticket) else {
            return match &self.spent {
                Some(spent) if !self.ends_data(spent) => spent.as_outcome(watch),
                _ => Outcome::Skipped,
            };
        };
        let (first, last) = self.context.compiled.ends(id.scenario);
        if self.cursor.is_fresh() {
            if let Some(own) = &self.context.compiled.flow().own {
                self.context.counters.begun(self.cursor.phase(), id.scenario);
                if let Some(due) = self.cursor.due() {
                    watch.span(own.loads[id.scenario].lag, Outcome::Ok(0), watch.now() - due);
                }
            }
            if first != last || self.context.compiled.is_steered() {
                self.began = watch.now();
                self.paused_before = self.cursor.paused();
            }
            if self.last_page.is_some() {
                self.last_page = None;
            }
            if self.context.compiled.network().settings().cookies {
                self.http_client.begin_visit();
            }
        }
        let outcome = self.act(id, watch).await;
        if self.context.compiled.is_steered() {
            self.measure(outcome, watch);
        } else if id.step == last {
            if first != last && !self.cursor.skips() {
                self.measure_iteration(watch.now(), self.cursor.paused(), watch);
            }
            if self.context.compiled.flow().own.is_some() {
                // The run may end before the user is asked what follows.
                self.look_ahead(watch.now());
            }
        }
        outcome
    }

    fn wants(&mut self, free: Moment) -> Want {
        self.settle(free);
        self.cursor.at_time(free);
        self.cursor.begun_by(free);
        match (self.upcoming(), self.cursor.due()) {
            (Upcoming::Arrival, _) => Want::Next,
            (Upcoming::Step(..), Some(due)) => Want::At(due),
            (Upcoming::Step(_, pause), None) => {
                let first = !std::mem::replace(&mut self.started, true);
                let pause = if first { pause + self.start() } else { pause };
                let midway = self.context.iteration_start.arrivals;
                if pause.is_zero() && !midway { Want::Next } else { Want::At(free + pause) }
            }
            (Upcoming::Nothing | Upcoming::Unknown, _) => Want::Nothing,
        }
    }

    fn timeout(&mut self, ticket: &Ticket) -> Option<Duration> {
        if self.context.compiled.expires() && self.upcoming() == Upcoming::Arrival {
            // What an arrival begins with depends on what has expired when it begins.
            return self.context.compiled.longest_timeout();
        }
        let id = self.next(ticket)?;
        if self.cursor.is_together() {
            return self.time_of_batch(id);
        }
        self.context.compiled.act(id).and_then(|(act, _)| act.timeout)
    }

    fn called_off(&mut self, outcome: Outcome, watch: &mut Watch<'_>) {
        match outcome {
            _ if self.in_flight.is_some() && self.cursor.is_together() => {
                self.call_off_batch(outcome, watch);
            }
            Outcome::TimedOut => self.overdue(watch),
            _ => {}
        }
    }

    fn overdue(&mut self, watch: &mut Watch<'_>) {
        let Some((act, _)) = self.in_flight.and_then(|id| self.context.compiled.act(id)) else {
            return;
        };
        let http = matches!(act.payload, Payload::Http(_));
        self.show_request(act, watch);
        self.explain_overdue(http, watch);
        if self.context.compiled.is_steered() {
            self.settle(watch.now());
            self.measure(Outcome::TimedOut, watch);
        }
    }

    async fn close(&mut self, clock: &dyn Clock) {
        self.cursor.give_back(&self.context.compiled);
        if let Some(handover) = self.context.handover.as_ref().filter(|_| self.context.hands_over) {
            handover.keep(&self.context.compiled, self.number, &self.variables);
        }
        self.http_client.close(clock).await;
        if let Some(batch) = &mut self.batch {
            batch.close(clock).await;
        }
        if let Some(ldap_client) = &mut self.ldap_client {
            ldap_client.close(clock).await;
        }
        if let Some(dhcp_client) = &mut self.dhcp_client {
            dhcp_client.leave();
        }
    }
}

#[cfg(test)]
mod tests;
