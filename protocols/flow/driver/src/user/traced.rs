//! A step that is traced: what is remembered about it until it has ended, and what is shown then.

use super::judge::reply;
use super::{User, WorkerContext};
use crate::compiled_flow::ExchangeInfo;
use crate::plan::{ExchangeStep, Payload};
use crate::step_id::StepId;
use crate::trace::{Answered, Performed, SentByPage, Trace};
use brunt_exchange::{Moment, Outcome, Watch};
use brunt_feed::{Hole, Values};

/// A step that is traced.
pub(super) struct Traced {
    began: Moment,
    /// The values it was sent with: extractions from its answer may change them.
    values: Values,
    /// The groups that contain it, in words.
    group: String,
    /// Whether its answer means "not yet".
    pub(super) pending: bool,
}

impl WorkerContext {
    /// Where exchanges are shown, if they are.
    fn trace(&self) -> Option<&Trace> {
        self.compiled.flow().trace.as_ref()
    }

    /// A step that a user performed with these values.
    fn performed<'a>(
        &'a self,
        (id, act): (StepId, &'a ExchangeStep),
        user: u32,
        (values, group): (&'a Values, String),
    ) -> Performed<'a> {
        Performed {
            flow: self.compiled.flow(),
            id,
            act,
            user,
            group,
            pending: false,
            values,
            sent: None,
            trace: None,
        }
    }
}

impl User {
    /// Starts tracing the step that begins, if another exchange may be shown.
    #[cold]
    pub(super) fn begin_trace(&mut self, trace: &Trace, watch: &mut Watch<'_>) {
        if trace.wants() {
            watch.keep_words();
            let values = self.variables.values().clone();
            let group = self.cursor.within(&self.context.compiled);
            self.traced =
                Some(Box::new(Traced { began: watch.now(), values, group, pending: false }));
        }
    }

    /// Shows a step that was traced; `came` is whether there was an answer.
    #[cold]
    pub(super) fn report(
        &self,
        id: StepId,
        act: &ExchangeStep,
        traced: &Traced,
        (outcome, came): (Outcome, bool),
        watch: &Watch<'_>,
    ) {
        let well = matches!(outcome, Outcome::Ok(_));
        let Some(trace) = self.context.trace().filter(|trace| !well || trace.wants_every()) else {
            return;
        };
        let code = match outcome {
            Outcome::Ok(code) | Outcome::Failed(_, code) => code,
            _ => 0,
        };
        let clients = (&self.http_client, self.ldap_client.as_deref(), self.dhcp_client.as_ref());
        let reply = if came { reply(act, code, clients) } else { None };
        let http = matches!(act.payload, Payload::Http(_));
        let answered = Answered {
            outcome,
            reply,
            actions: http.then(|| self.http_client.actions()),
            values: self.variables.values(),
        };
        let sent_with = (&traced.values, traced.group.clone());
        let performed = self.context.performed((id, act), self.number, sent_with);
        let context = self.variables.trace_context(self.context.compiled.flow());
        let (pending, sent) = (traced.pending, self.sent_by_page(act));
        let performed = Performed { pending, sent, trace: context, ..performed };
        trace.show(|| performed.ended(&answered, traced.began, watch));
    }

    /// Shows a step whose answer did not arrive in time, if it was traced.
    pub(super) fn trace_given_up(&mut self, id: StepId, act: &ExchangeStep, now: Moment) {
        if let (Some(traced), Some(trace)) = (self.traced.take(), self.context.trace()) {
            let sent_with = (&traced.values, traced.group.clone());
            let performed = self.context.performed((id, act), self.number, sent_with);
            let context = self.variables.trace_context(self.context.compiled.flow());
            let performed = Performed { sent: self.sent_by_page(act), trace: context, ..performed };
            let http = matches!(act.payload, Payload::Http(_));
            let begun = self.http_client.begun().filter(|_| http);
            let begun = begun.map(|response| (response, super::unfinished(response)));
            trace.show(|| performed.given_up((traced.began, now), begun));
        }
    }

    /// The request of a step that a page decided, if it was made.
    fn sent_by_page(&self, act: &ExchangeStep) -> Option<SentByPage<'_>> {
        let Payload::Http(http) = &act.payload else { return None };
        let sent = self.http_client.sent();
        http.page.as_ref().filter(|_| !sent.1.is_empty()).map(|_| sent)
    }

    /// Shows why a step was skipped, if every step is shown.
    pub(super) fn trace_skipped(&self, id: StepId, act: &ExchangeStep, info: &ExchangeInfo) {
        let context = &self.context;
        let Some(trace) = context.trace().filter(|trace| trace.wants_every()) else { return };
        let values = self.variables.values();
        let why = if self.cursor.is_empty() {
            "every step of the iteration was passed over".to_owned()
        } else if self.cursor.skips() {
            "an earlier step failed".to_owned()
        } else {
            let empty = |hole: &&Hole| values.value(**hole).is_none_or(<[u8]>::is_empty);
            let name = |hole: &Hole| {
                let variable = context.compiled.flow().variables.get(usize::from(hole.0));
                variable.map_or("?", |variable| variable.name.as_str())
            };
            let names: Vec<&str> = info.needs.iter().filter(empty).map(name).collect();
            format!("it needs a value of {}", names.join(", "))
        };
        let group = self.cursor.within(&context.compiled);
        let state = (values, group);
        trace.show(|| context.performed((id, act), self.number, state).skipped(why));
    }
}
