//! Proofs of possession of a key (DPoP, RFC 9449).

use std::sync::Arc;

use brunt_embedded::script::mix;

use super::client::TOLERANCE;
use super::jose::{PublicKey, Signed, hash};
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::reply::Reply;
use crate::script::LoginFault;

/// The thumbprint of the key whose possession the request proves, if it has a proof. `token` is the access token that
/// it must be about.
pub(super) fn check(call: &Call<'_>, token: Option<&str>) -> Result<Option<Arc<str>>, Refusal> {
    let Some(text) = call.request.fields.text("dpop") else { return Ok(None) };
    let status = if token.is_some() { 401 } else { 400 };
    let wrong = |why| refused(status, "invalid_dpop_proof", why);
    let proof = Signed::read(text).ok_or(wrong("DPoP proof is no signed JWT"))?;
    let key = proof.header.get("jwk").and_then(PublicKey::from_jwk);
    let key = key.ok_or(wrong("DPoP proof has no public key"))?;
    if proof.head("typ") != "dpop+jwt" || !proof.is_of(&key) {
        return Err(wrong("DPoP proof signature validation failed"));
    }
    if proof.claim("htm") != call.request.method {
        return Err(wrong("DPoP HTTP method mismatch"));
    }
    if proof.claim("htu") != format!("{}{}", call.origin(), call.request.path()) {
        return Err(wrong("DPoP HTTP URL mismatch"));
    }
    let now = call.seconds_since_1970();
    if proof.time("iat").is_none_or(|at| at.abs_diff(now) > TOLERANCE) {
        return Err(wrong("DPoP proof is not active"));
    }
    if token.is_some_and(|token| proof.claim("ath") != hash(token.as_bytes())) {
        return Err(wrong("DPoP proof access token hash verification failed"));
    }
    let (thumbprint, id) = (key.thumbprint(), proof.claim("jti"));
    if id.is_empty() || !call.realm.provider.used.first(call.now, &["dpop", &thumbprint, id]) {
        return Err(wrong("DPoP proof has already been used"));
    }
    Ok(Some(thumbprint.into()))
}

/// Demands a nonce, if a script wants that and the request has a proof without one.
pub(super) fn nonce(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    if call.login_fault != Some(LoginFault::DemandNonce) {
        return Ok(());
    }
    let Some(text) = call.request.fields.text("dpop") else { return Ok(()) };
    let minute = call.seconds_since_1970() / 60;
    let of = |minute: u64| format!("{:016x}", mix(call.realm.provider.shift ^ minute));
    reply.field("DPoP-Nonce", of(minute));
    let known = Signed::read(text).is_some_and(|proof| {
        let nonce = proof.claim("nonce");
        [minute, minute.wrapping_sub(1)].into_iter().any(|minute| of(minute) == nonce)
    });
    let status = if call.request.path() == "/idp/userinfo" { 401 } else { 400 };
    known.then_some(()).ok_or(refused(
        status,
        "use_dpop_nonce",
        "Authorization server requires nonce in DPoP proof",
    ))
}
