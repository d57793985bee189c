//! What an answer is: a success or a failure, by the checks of its step.

use super::User;
use crate::check::Check;
use crate::compiled_flow::ExchangeInfo;
use crate::extract::Missing;
use crate::http_client::HttpClient;
use crate::journey::Journey;
use crate::last_page::LastPage;
use crate::ldap_client::LdapClient;
use crate::plan::{ExchangeStep, Payload};
use crate::refusal;
use crate::reply::{Parsed, Reply};
use crate::step_id::StepId;
use crate::variables::Variables;
use brunt_dhcp_driver::DhcpClient;
use brunt_exchange::{Class, Outcome, Watch};
use brunt_feed::Values;

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
        let outcome = judge(act, &parsed, refused, &mut self.variables, watch);
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
    let says = |bytes: &[u8]| memchr::memmem::find(bytes, b"use_dpop_nonce").is_some();
    matches!(reply.code(), 400 | 401)
        && reply.value("dpop-nonce").is_some()
        && (says(reply.body()) || reply.value("www-authenticate").is_some_and(says))
}

/// Checks whether an answer is what the plan expects, and performs the plan's extractions. A refusal, of this class, is
/// a failure unless the plan checks the code.
fn judge(
    act: &ExchangeStep,
    parsed: &Parsed<'_>,
    refused: Option<Class>,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let code = parsed.reply().code();
    if let Some(class) = refused
        && !act.checks.iter().any(Check::is_of_the_code)
    {
        if watch.wants_text()
            && let Some(said) = refusal_of(parsed.reply(), variables.values())
        {
            watch.explain(format_args!("{said}"));
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
                    match refusal_of(parsed.reply(), values).filter(|_| check.is_of_the_code()) {
                        Some(said) => watch.explain(format_args!("{words}: {said}")),
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
            Ok(true) => {
                let lifetime = extract.expires.as_ref().map(|expiry| expiry.lifetime(parsed));
                // A value that was kept expires as before.
                let kept = extract.missing == Missing::Keep;
                if let Some(lifetime) = lifetime.filter(|one| one.is_some() || !kept) {
                    let until = lifetime.map(|lifetime| watch.now() + lifetime);
                    variables.expires(extract.into, until);
                }
            }
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

/// The reason that a web server gives for a refusal.
fn refusal_of(reply: &Reply<'_>, values: &Values) -> Option<String> {
    match reply {
        Reply::Http(response) if response.status() >= 400 => refusal::words(response, values),
        _ => None,
    }
}
