//! Idempotency keys (draft-ietf-httpapi-idempotency-key-header): a request that is sent again is not carried out again.
//!
//! A key belongs to a user and to one request: its path, its query and its body. It is written before the request is
//! carried out, and the answer after that. So a request whose answer was lost, even because the server ended, is never
//! carried out twice; the answer then states that its result is unknown.

use http::{StatusCode, header};
use ring::digest::{SHA256, digest};

use crate::app::App;
use crate::call::{Answer, Call, Handler, JSON, PROBLEM};
use crate::problem::{InvalidValue, ParameterLocation, Problem};
use crate::store::{KeptAnswer, Keyed};

/// The header of a key.
pub(crate) const HEADER: &str = "Idempotency-Key";
/// The header of an answer that was given before.
pub(crate) const REPLAYED: &str = "idempotency-replayed";
/// The most characters of a key.
pub(crate) const KEY_MAX: usize = 255;

/// Carries out a request, or repeats the answer that its key has.
pub(crate) fn answered(act: Handler, call: &Call) -> Result<Answer, Problem> {
    let Some(key) = key(call)? else { return act(call) };
    let (app, user) = (&call.app, call.who()?.user.id);
    let Some(_held) = app.in_flight.hold((user, key.clone())) else {
        return Err(conflict(
            "The first request with this key has no answer yet. Wait for it, and try again.",
        ));
    };
    let owned = (user, key.as_str());
    match app.store.begin_keyed(owned, &fingerprint(&call.path, &call.body), app.now())? {
        Keyed::New => Ok(kept(app, owned, act(call))),
        Keyed::Answered(answer) => Ok(again(answer)),
        Keyed::Other => {
            let sentence =
                "This key belongs to another request. Use a new key for each new request.";
            let fault = InvalidValue::new(
                ParameterLocation::Header,
                HEADER,
                Some(&key),
                "a key that was not used yet",
            );
            Err(Problem { faults: Box::new([fault]), ..Problem::unusable(sentence) })
        }
        Keyed::Unanswered => Err(conflict(
            "The first request with this key has no answer, because the server ended meanwhile. Find out whether it \
             was carried out; if not, send it with a new key.",
        )),
    }
}

fn conflict(detail: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, "No answer yet", detail)
}

/// The key of a request: a string of RFC 8941, whose quotation marks may be left out.
fn key(call: &Call) -> Result<Option<String>, Problem> {
    let mut given = call.headers.get_all(HEADER).iter();
    let Some(first) = given.next() else { return Ok(None) };
    let text = first.to_str().unwrap_or_default().trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let plain = inner.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\,;".contains(&byte));
    if plain && (1..=KEY_MAX).contains(&inner.len()) && given.next().is_none() {
        return Ok(Some(inner.to_owned()));
    }
    let wanted = format!(
        "one key of 1 to {KEY_MAX} characters, such as a UUID, without spaces and \" \\ , ;"
    );
    Err(Problem::faulty(vec![InvalidValue::new(
        ParameterLocation::Header,
        HEADER,
        Some(text),
        wanted,
    )]))
}

/// A hash of the whole request.
pub(crate) fn fingerprint(path: &str, body: &[u8]) -> Vec<u8> {
    digest(&SHA256, &[path.as_bytes(), b"\n", body].concat()).as_ref().to_vec()
}

/// The answer to a request that was carried out, once it is kept.
fn kept(app: &App, owned: (i64, &str), done: Result<Answer, Problem>) -> Answer {
    let answer = done.unwrap_or_else(|problem| Answer::problem(&problem, &app.numbered(&problem)));
    let (status, body) = answer.kept();
    let location = answer.header(&header::LOCATION).unwrap_or_default().to_owned();
    let kept = KeptAnswer { status: status.as_u16(), location, body: body.to_vec() };
    if let Err(error) = app.store.end_keyed(owned, &kept) {
        // It was carried out, and its sender must hear of it.
        (app.log)(&format!(
            "failed to keep the answer to a request with an idempotency key: {error}"
        ));
    }
    answer
}

/// An answer that was given before.
fn again(kept: KeptAnswer) -> Answer {
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = if status.is_success() { JSON } else { PROBLEM };
    let answer = Answer::new(kind, kept.body).status(status);
    let answer = answer.with(http::HeaderName::from_static(REPLAYED), "true");
    if kept.location.is_empty() { answer } else { answer.with(header::LOCATION, &kept.location) }
}
