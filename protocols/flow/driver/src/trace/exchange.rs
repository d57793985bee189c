//! [`TracedExchange`]: the description of one exchange, and how it is made from a user's state.

use super::bytes::{Bytes, cut};
use super::request::{self, SentByPage, TracedRequest};
use crate::check::Check;
use crate::extract::{Extract, Missing};
use crate::plan::{ExchangeStep, Flow, Payload};
use crate::reply::{Parsed, Reply};
use crate::step_id::StepId;
use brunt_exchange::{Class, Moment, Outcome, Watch};
use brunt_feed::{TraceContext, Values};
use brunt_http_driver::{ClientActions, FIRST_BYTE, NotKept, Response};
use brunt_redact::HIDDEN;
use std::time::Duration;

/// The maximum number of bytes shown of one value.
const VALUE_MAX: usize = 1_000;
/// The maximum number of fields or values of an answer that are shown.
const VALUES_MAX: usize = 60;

/// One exchange.
#[derive(Clone, Debug)]
pub struct TracedExchange {
    /// The scenario.
    pub scenario: String,
    /// The number of the scenario.
    pub scenario_number: usize,
    /// The name of the step.
    pub step: String,
    /// The names of the groups that contain it, with the rounds of repetitions; empty if there is none.
    pub group: String,
    /// The number of its operation.
    pub operation: u16,
    /// The user who performed it.
    pub user: u32,
    /// When the request was sent, since the origin of the run.
    pub sent: Option<Moment>,
    /// The time from then, or from when it should have been sent, to the end of the answer.
    pub took: Duration,
    /// The time from then to the first byte of the answer.
    pub first_byte: Option<Duration>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, in words; or why it is sent again.
    pub why: String,
    /// Whether its answer means "not yet", so that it is sent again.
    pub pending: bool,
    /// What was sent; `None` for a step that was skipped.
    pub request: Option<TracedRequest>,
    /// The form of a page that was sent, in words.
    pub form: Option<String>,
    /// The redirects that were followed.
    pub hops: Vec<TracedHop>,
    /// The cookies that were not kept, each with the reason.
    pub refused_cookies: Vec<String>,
    /// What was received.
    pub answer: Option<TracedAnswer>,
    /// The results of the checks.
    pub checks: Vec<Looked>,
    /// The results of the extractions.
    pub extracts: Vec<Kept>,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedHop {
    /// The status that redirected.
    pub status: u16,
    /// The method of the request that followed.
    pub method: String,
    /// The URL of that request.
    pub url: String,
}

/// What was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAnswer {
    /// The protocol's own code.
    pub code: u32,
    /// The HTTP fields; for other protocols, the values that were examined.
    pub values: Vec<(String, String)>,
    /// The body of HTTP.
    pub body: Option<Bytes>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// What was expected, and if the check failed, what was received.
    pub words: String,
    /// Whether it held.
    pub holds: bool,
}

/// The result of an extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The variable.
    pub name: String,
    /// The place in the answer where its value was looked for.
    pub from: String,
    /// The value of the variable afterwards.
    pub value: KeptValue,
}

/// The value of a variable after an extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptValue {
    /// A value; a secret is replaced by stars.
    Value {
        /// The value.
        shown: String,
        /// How many bytes it has.
        length: usize,
    },
    /// No value: the answer does not contain it.
    Missing,
    /// It was not looked for, because the step had failed.
    Unlooked,
}

/// A step that was performed, and the values it was sent with.
pub(crate) struct Performed<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) id: StepId,
    pub(crate) act: &'a ExchangeStep,
    pub(crate) user: u32,
    /// The groups that contain it, in words.
    pub(crate) group: String,
    /// Whether its answer means "not yet", so that nothing was checked.
    pub(crate) pending: bool,
    /// The values it was sent with.
    pub(crate) values: &'a Values,
    /// The request, if a page decided it.
    pub(crate) sent: Option<SentByPage<'a>>,
    /// Its identity for the traces of the target, if it has one.
    pub(crate) trace: Option<TraceContext>,
}

/// How it ended.
pub(crate) struct Answered<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) reply: Option<Reply<'a>>,
    pub(crate) actions: Option<&'a ClientActions>,
    /// The current values.
    pub(crate) values: &'a Values,
}

impl Performed<'_> {
    /// Describes a step that was not performed.
    pub(crate) fn skipped(&self, why: String) -> TracedExchange {
        TracedExchange { why, ..self.bare(Outcome::Skipped) }
    }

    /// Describes a step that was abandoned: when it began and ended, and the answer that had begun to arrive, with
    /// what there is to say about it.
    pub(crate) fn given_up(
        &self,
        (began, ended): (Moment, Moment),
        partial: Option<(&Response, String)>,
    ) -> TracedExchange {
        let (response, why) = partial.unzip();
        TracedExchange {
            took: ended - began,
            first_byte: response.and_then(Response::began).map(|first| first - began),
            why: why.unwrap_or_else(|| "no answer came in time".to_owned()),
            request: self.request(),
            form: self.form(),
            answer: response.map(|response| answer(&Reply::Http(response), self.values)),
            ..self.bare(Outcome::TimedOut)
        }
    }

    /// Describes a step that has ended.
    pub(crate) fn ended(
        &self,
        answered: &Answered<'_>,
        began: Moment,
        watch: &Watch<'_>,
    ) -> TracedExchange {
        let ended = watch.ended_at().unwrap_or_else(|| watch.now());
        let mut first = watch.parts().iter().filter(|(part, _)| *part == FIRST_BYTE);
        let parsed = answered.reply.map(Parsed::new);
        let mut request = self.request();
        if let (Some(actions), Some(TracedRequest::Http { fields, .. })) =
            (answered.actions, &mut request)
        {
            fields.extend(added(actions, self.values));
        }
        let parsed = parsed.filter(|_| !self.pending);
        let checks = parsed.map(|parsed| self.looked(&parsed)).unwrap_or_default();
        TracedExchange {
            sent: watch.sent_at(),
            took: ended - watch.sent_at().unwrap_or(began),
            first_byte: first.next_back().map(|(_, took)| *took),
            why: watch.words().to_owned(),
            pending: self.pending,
            request,
            form: self.form(),
            hops: answered.actions.map(|actions| hops(actions, self.values)).unwrap_or_default(),
            refused_cookies: answered.actions.map(refused).unwrap_or_default(),
            answer: answered.reply.map(|reply| answer(&reply, answered.values)),
            extracts: self.kept(answered, &checks),
            checks,
            ..self.bare(answered.outcome)
        }
    }

    /// The request. A step that finds nothing on its page sends none.
    fn request(&self) -> Option<TracedRequest> {
        let mut request = match (&self.act.payload, self.sent) {
            (Payload::Http(http), None) if http.page.is_some() => return None,
            (_, Some(sent)) => request::of_page(sent, self.values),
            (payload, None) => request::traced(payload, self.values),
        };
        match (self.trace, &mut request) {
            (Some(trace), TracedRequest::Http { fields, .. })
                if !fields
                    .iter()
                    .any(|(name, _)| name.eq_ignore_ascii_case(TraceContext::FIELD)) =>
            {
                fields.push((TraceContext::FIELD.to_owned(), trace.to_string()));
            }
            (Some(trace), TracedRequest::Words { lines, .. })
                if matches!(self.act.payload, Payload::Ldap(_)) =>
            {
                lines.push(format!("{}: {trace}", TraceContext::FIELD));
            }
            _ => {}
        }
        Some(request)
    }

    fn form(&self) -> Option<String> {
        self.sent.and_then(|(_, _, form)| form).map(request::form_words)
    }

    fn bare(&self, outcome: Outcome) -> TracedExchange {
        let operation = self.act.operation;
        let name = self.flow.operations.get(usize::from(operation));
        TracedExchange {
            scenario: self
                .flow
                .scenarios
                .get(self.id.scenario)
                .map(|one| one.name.clone())
                .unwrap_or_default(),
            scenario_number: self.id.scenario,
            step: name.cloned().unwrap_or_default(),
            group: self.group.clone(),
            operation,
            user: self.user,
            sent: None,
            took: Duration::ZERO,
            first_byte: None,
            outcome,
            why: String::new(),
            pending: false,
            request: None,
            form: None,
            hops: Vec::new(),
            refused_cookies: Vec::new(),
            answer: None,
            checks: Vec::new(),
            extracts: Vec::new(),
        }
    }

    /// Evaluates every check.
    fn looked(&self, parsed: &Parsed<'_>) -> Vec<Looked> {
        let looked = |check: &Check| {
            parsed.work().renew();
            let (holds, words) = match check.holds(parsed, self.values) {
                Ok(true) => (true, check.expected(self.values)),
                Ok(false) => (false, check.words(parsed, self.values)),
                Err(why) => (false, check.words_unexamined(why, self.values)),
            };
            Looked { words: brunt_redact::text(&words), holds }
        };
        self.act.checks.iter().map(looked).collect()
    }

    /// The results of the extractions. An extraction that fails ends the step, and the later ones are not made.
    fn kept(&self, answered: &Answered<'_>, checks: &[Looked]) -> Vec<Kept> {
        let refused = matches!(answered.outcome, Outcome::Failed(Class::Result, _));
        let mut over = answered.reply.is_none()
            || self.pending
            || refused
            || checks.iter().any(|check| !check.holds);
        let kept = |extract: &Extract| {
            let value =
                if over { KeptValue::Unlooked } else { KeptValue::new(extract, answered.values) };
            over |= value == KeptValue::Missing && extract.missing == Missing::Fail;
            let variable = self.flow.variables.get(usize::from(extract.into.0));
            let name = variable.map(|variable| variable.name.clone()).unwrap_or_default();
            Kept { name, from: extract.from.to_string(), value }
        };
        self.act.extracts.iter().map(kept).collect()
    }
}

impl KeptValue {
    /// The result for a variable.
    fn new(extract: &Extract, values: &Values) -> Self {
        let Some(value) = values.value(extract.into) else { return Self::Missing };
        let shown = if values.is_hidden(extract.into) {
            HIDDEN.to_owned()
        } else {
            let shown = values.shown(&text(value));
            let shown =
                if values.is_open(extract.into) { shown } else { brunt_redact::text(&shown) };
            cut(&shown, VALUE_MAX).to_owned()
        };
        Self::Value { shown, length: value.len() }
    }
}

/// The fields of an answer that say why a request failed, or who refused it.
const REASON_FIELDS: [&str; 8] = [
    "content-type",
    "location",
    "retry-after",
    "server",
    "via",
    "www-authenticate",
    "x-request-id",
    "diagnosticmessage",
];

/// An answer in lines, for the text of a failure: its code, the fields that say why, the beginning of its body.
pub(crate) fn answer_in_lines(reply: &Reply<'_>, values: &Values) -> String {
    let TracedAnswer { code, values, body } = answer(reply, values);
    let is_reason = |name: &str| REASON_FIELDS.iter().any(|one| name.eq_ignore_ascii_case(one));
    let fields = values.iter().filter(|(name, _)| is_reason(name));
    let fields = fields.map(|(name, value)| format!("{name}: {value}"));
    let body = body.map(|body| match body.text {
        Some(text) if !text.is_empty() => format!("\n{text}"),
        _ => format!("({} bytes)", body.length),
    });
    [code.to_string()].into_iter().chain(fields).chain(body).collect::<Vec<_>>().join("\n")
}

fn answer(reply: &Reply<'_>, values: &Values) -> TracedAnswer {
    let (pairs, body) = match reply {
        Reply::Http(response) => (fields(response), body(response, values)),
        Reply::Named { values, .. } => {
            let pairs = values.iter().map(|(name, value)| (name.clone(), text(value)));
            (pairs.take(VALUES_MAX).collect(), None)
        }
    };
    let shown = |(name, value): (String, String)| {
        let shown = brunt_redact::header(&name, &values.shown(&value));
        // Of a cookie only the value is a secret.
        let whole = brunt_redact::is_secret_name(&name) && !name.eq_ignore_ascii_case("set-cookie");
        let shown = if whole { HIDDEN.to_owned() } else { shown };
        (name, cut(&shown, VALUE_MAX).to_owned())
    };
    TracedAnswer { code: reply.code(), values: pairs.into_iter().map(shown).collect(), body }
}

fn fields(response: &Response) -> Vec<(String, String)> {
    response.fields().take(VALUES_MAX).map(|(name, value)| (text(name), text(value))).collect()
}

fn body(response: &Response, values: &Values) -> Option<Bytes> {
    let (body, received) = (response.body(), response.received());
    if received == 0 && body.is_empty() {
        return None;
    }
    // An unpacked body is longer than the number of bytes received.
    let length = if response.is_truncated() || body.is_empty() {
        received
    } else {
        received.max(body.len() as u64)
    };
    Some(Bytes::new(body, length, values))
}

/// The lines that the client added to a head.
fn added(actions: &ClientActions, values: &Values) -> Vec<(String, String)> {
    let lines = String::from_utf8_lossy(&actions.added);
    let pairs = lines.lines().filter_map(|line| line.split_once(": "));
    pairs
        .map(|(name, value)| (name.to_owned(), brunt_redact::header(name, &values.shown(value))))
        .collect()
}

/// The cookies of an answer that the client did not keep.
fn refused(actions: &ClientActions) -> Vec<String> {
    let words = |(name, why): &(String, NotKept)| format!("the cookie '{name}' is not kept: {why}");
    actions.refused_cookies.iter().map(words).collect()
}

fn hops(actions: &ClientActions, values: &Values) -> Vec<TracedHop> {
    let hop = |hop: &brunt_http_driver::Hop| TracedHop {
        status: hop.status,
        method: text(&hop.method),
        url: brunt_redact::url(&values.shown(&text(&hop.url))),
    };
    actions.hops.iter().map(hop).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
