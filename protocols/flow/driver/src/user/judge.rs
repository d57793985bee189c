//! What an answer is: a success or a failure, by the checks of its step.

use super::User;
use crate::check::Check;
use crate::clock_offset;
use crate::compiled_flow::{CompiledFlow, ExchangeInfo};
use crate::extract::{Extract, Missing};
use crate::http_client::HttpClient;
use crate::journey::Journey;
use crate::last_page::LastPage;
use crate::ldap_client::LdapClient;
use crate::plan::{ExchangeStep, Payload};
use crate::refusal;
use crate::reply::{Parsed, Reply};
use crate::step_id::StepId;
use crate::token_age;
use crate::variables::Variables;
use brunt_dhcp_driver::DhcpClient;
use brunt_exchange::{Class, Moment, Outcome, Watch};
use brunt_feed::{Hole, since_1970};
use std::time::Duration;

/// The clients of a user, for each protocol.
pub(super) type Clients<'a> = (&'a HttpClient, Option<&'a LdapClient>, Option<&'a DhcpClient>);

impl User {
    /// Checks whether the answer to a step, which has this code, is what the plan expects, and performs the plan's
    /// extractions.
    pub(super) fn judge(
        &mut self,
        (id, act, info): (StepId, &ExchangeStep, &ExchangeInfo),
        code: u32,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let refused = self.refused(act, code);
        if info.is_unexamined && refused.is_none() {
            return Outcome::Ok(code);
        }
        let clients = (&self.http_client, self.ldap_client.as_deref(), self.dhcp_client.as_ref());
        let Some(reply) = reply(act, code, clients) else { return Outcome::Ok(code) };
        let compiled = &self.context.compiled;
        let draw = self.variables.draw(compiled, id, act, self.cursor.turns());
        let parsed = Parsed::drawing(reply, draw);
        if act.challenge.is_some() && demands_nonce(parsed.reply()) {
            self.challenged = self.cursor.journey_mut().is_some_and(Journey::is_challenged);
            if self.challenged {
                return Outcome::Ok(code);
            }
        }
        if let Some(poll) = &act.poll {
            self.pending = poll.pending(&parsed, self.variables.values()).map(Box::new);
            if self.pending.is_some() {
                return Outcome::Ok(code);
            }
        }
        let known = Known { act, info, compiled, http_client: &self.http_client };
        let outcome = judge(&known, &parsed, refused, &mut self.variables, watch);
        if let Some(wish) = &info.page {
            LastPage::renew(&mut self.last_page, &parsed, (act.operation, wish));
        }
        outcome
    }

    /// The class of a refusal with this code, if it is one. A web server refuses with 400 and beyond; the codes of a
    /// directory have their own meaning; a DHCP server's answers have none.
    fn refused(&self, act: &ExchangeStep, code: u32) -> Option<Class> {
        match (&act.payload, &self.ldap_client) {
            (Payload::Http(_), _) => (code >= 400).then_some(Class::Result),
            (Payload::Ldap(ldap), Some(client)) => {
                (!ldap.succeeded(code)).then(|| client.class_of_refusal())
            }
            _ => None,
        }
    }
}

/// The answer to a step, which has this code.
pub(super) fn reply<'a>(
    act: &ExchangeStep,
    code: u32,
    (http_client, ldap_client, dhcp_client): Clients<'a>,
) -> Option<Reply<'a>> {
    match &act.payload {
        Payload::Http(_) => Some(http_client.reply()),
        Payload::Ldap(_) => ldap_client.map(LdapClient::reply),
        Payload::Dhcp(_) => {
            dhcp_client.map(|client| Reply::Named { code, values: client.values() })
        }
    }
}

/// Whether an answer demands a nonce in the proof of the request and gives one: that of a token endpoint says so in its
/// body, that of a resource in a field (RFC 9449 sections 8 and 9).
fn demands_nonce(reply: &Reply<'_>) -> bool {
    let mentions = |bytes: &[u8]| memchr::memmem::find(bytes, b"use_dpop_nonce").is_some();
    matches!(reply.code(), 400 | 401)
        && reply.value("dpop-nonce").is_some()
        && (mentions(reply.body()) || reply.value("www-authenticate").is_some_and(mentions))
}

/// What is known about a step.
struct Known<'a> {
    act: &'a ExchangeStep,
    info: &'a ExchangeInfo,
    compiled: &'a CompiledFlow,
    http_client: &'a HttpClient,
}

/// Checks whether an answer is what the plan expects, and performs the plan's extractions. A refusal, of this class, is
/// a failure unless the plan checks the code.
fn judge(
    known: &Known<'_>,
    parsed: &Parsed<'_>,
    refused: Option<Class>,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let (act, code) = (known.act, parsed.reply().code());
    if let Some(class) = refused
        && !act.checks.iter().any(Check::is_of_the_code)
    {
        if watch.wants_text()
            && let Some(message) = known.refusal_of(parsed.reply(), variables, watch.now())
        {
            watch.explain(format_args!("{message}"));
        }
        return Outcome::Failed(class, code);
    }
    for check in &act.checks {
        let values = variables.values();
        match check.holds(parsed, values) {
            Ok(true) => {}
            Ok(false) => {
                if watch.wants_text() {
                    let words = check.words(parsed, values);
                    let message = known.refusal_of(parsed.reply(), variables, watch.now());
                    match message.filter(|_| check.is_of_the_code()) {
                        Some(message) => watch.explain(format_args!("{words}: {message}")),
                        None => watch.explain(format_args!("{words}")),
                    }
                }
                let class = if check.is_of_the_code() { Class::Result } else { Class::Check };
                return Outcome::Failed(class, code);
            }
            Err(why) => {
                if watch.wants_text() {
                    watch.explain(format_args!("{}", check.words_unexamined(why, values)));
                }
                return Outcome::Failed(Class::Unexamined, code);
            }
        }
    }
    for extract in &act.extracts {
        match extract.keep(parsed, variables.values_mut()) {
            Ok(true) => known.note_age(extract, parsed, variables, watch),
            Ok(false) => {
                watch.explain(format_args!("{}", extract.words()));
                return Outcome::Failed(Class::Check, code);
            }
            Err(why) => {
                watch.explain(format_args!("failed to look for {extract}: {why}"));
                return Outcome::Failed(Class::Unexamined, code);
            }
        }
    }
    Outcome::Ok(code)
}

impl Known<'_> {
    /// Records when a variable got the value that was extracted, if that is of use, and when it expires.
    fn note_age(
        &self,
        extract: &Extract,
        parsed: &Parsed<'_>,
        variables: &mut Variables,
        watch: &Watch<'_>,
    ) {
        let hole = extract.into;
        let keeps = extract.missing == Missing::Keep;
        let (lifetime, early) = match &extract.expires {
            Some(expiry) => (expiry.lifetime(parsed), expiry.early),
            None if keeps || !self.compiled.is_carried(hole) => return,
            None => (None, Duration::ZERO),
        };
        // A value that was kept expires as before.
        if lifetime.is_some() || !keeps {
            variables.taken(hole, watch.now(), (lifetime, early));
        }
    }

    /// The reason that a web server gives for a refusal, with the age of what it may be about and a cookie that it
    /// misses.
    fn refusal_of(&self, reply: &Reply<'_>, variables: &Variables, now: Moment) -> Option<String> {
        let Reply::Http(response) = reply else { return None };
        if response.status() < 400 {
            return None;
        }
        let message = refusal::words(response, variables.values());
        let ages = self.ages(variables, now).filter(|_| token_age::is_refusal(response));
        let clocks = clock_offset::words(response, since_1970());
        let cookie = self.http_client.refused_cookie();
        let parts: Vec<String> =
            cookie.into_iter().chain(message).chain(ages).chain(clocks).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The ages of the values from answers that the request carried; if the lifetime of some is known, of these.
    fn ages(&self, variables: &Variables, now: Moment) -> impl Iterator<Item = String> {
        let age = |hole: &Hole| {
            let name = &self.compiled.flow().variables.get(usize::from(hole.0))?.name;
            let (age, lifetime) = variables.age(*hole, now)?;
            Some((token_age::words(name, age, lifetime), lifetime.is_some()))
        };
        let ages: Vec<(String, bool)> = self.info.carries.iter().filter_map(age).collect();
        let expires = ages.iter().any(|(_, expires)| *expires);
        ages.into_iter().filter(move |(_, known)| *known || !expires).map(|(words, _)| words)
    }
}
