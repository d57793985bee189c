//! OpenDJ's REST to LDAP, and OpenIDM's managed users: every request is authenticated by itself.

use std::borrow::Cow;

use serde_json::json;

use super::call::Call;
use super::crest::{self, Collection, Product, Verb};
use super::openam::permit;
use super::realm::Principal;
use super::refusal::Refusal;
use super::reply::Reply;

/// `users` of OpenDJ, and `managed/user` of OpenIDM.
pub(super) fn users(
    call: &Call<'_>,
    users: &Collection,
    id: Option<&str>,
    reply: &mut Reply,
) -> Result<(), Refusal> {
    let who = identify(call, users)?;
    let verb = Verb::new(&call.request, id.is_some())?;
    // A directory shows its users to every authenticated client.
    let shown = users.product == Product::Ds && matches!(verb, Verb::Read | Verb::Query);
    if !shown {
        permit(&who, verb, id)?;
    }
    crest::answer(users, verb, id.unwrap_or_default(), &call.request, reply)
}

/// GET `info/ping`, without authentication.
pub(super) fn ping(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    if !matches!(call.request.method, "GET" | "HEAD") {
        return Err(Refusal::wrong_method());
    }
    reply.json(200, &json!({"_id": "", "state": "ACTIVE_READY", "shortDesc": "OpenIDM ready"}));
    Ok(())
}

fn identify(call: &Call<'_>, users: &Collection) -> Result<Principal, Refusal> {
    let (name, password) = if let Some(name) = call.field("x-openidm-username") {
        (name, call.field("x-openidm-password").unwrap_or_default())
    } else {
        let basic = call.basic().ok_or_else(|| Refusal::new(401, "Access Denied"))?;
        (Cow::Owned(basic.0), Cow::Owned(basic.1))
    };
    call.realm
        .identify(users, &name, &password)
        .ok_or_else(|| Refusal::new(401, "Invalid Credentials"))
}
