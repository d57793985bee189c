//! What an answer is: a success or a failure, by the checks of its step.

use crate::check::Check;
use crate::extract::Missing;
use crate::ldap::LdapExchange;
use crate::ldap_client::LdapClient;
use crate::plan::ExchangeStep;
use crate::refusal;
use crate::reply::{Parsed, Reply};
use crate::variables::Variables;
use brunt_exchange::{Class, Outcome, Watch};
use brunt_feed::Values;

/// Checks whether an answer is what the plan expects, and performs the plan's extractions.
pub(super) fn judge(
    act: &ExchangeStep,
    parsed: &Parsed<'_>,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let code = parsed.reply().code();
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

/// The same for a web server, whose status says whether it refused the request.
pub(super) fn judge_status(
    act: &ExchangeStep,
    parsed: &Parsed<'_>,
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let code_checked = act.checks.iter().any(Check::is_of_the_code);
    let code = parsed.reply().code();
    if !code_checked && code >= 400 {
        if watch.wants_text()
            && let Some(said) = refusal_of(parsed.reply(), variables.values())
        {
            watch.explain(format_args!("{said}"));
        }
        return Outcome::Failed(Class::Result, code);
    }
    judge(act, parsed, variables, watch)
}

/// The reason that a web server gives for a refusal.
fn refusal_of(reply: &Reply<'_>, values: &Values) -> Option<String> {
    match reply {
        Reply::Http(response) if response.status() >= 400 => refusal::words(response, values),
        _ => None,
    }
}

/// The same for a directory, whose result codes have their own meaning unless the plan gives them one.
pub(super) fn judge_result(
    act: &ExchangeStep,
    (parsed, ldap, ldap_client): (&Parsed<'_>, &LdapExchange, &LdapClient),
    variables: &mut Variables,
    watch: &mut Watch<'_>,
) -> Outcome {
    let code_checked = act.checks.iter().any(Check::is_of_the_code);
    let code = parsed.reply().code();
    if !code_checked && !ldap.succeeded(code) {
        return Outcome::Failed(ldap_client.class_of_refusal(), code);
    }
    judge(act, parsed, variables, watch)
}
