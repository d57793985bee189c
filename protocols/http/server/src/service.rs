//! The answer to one request, for every version of HTTP.
//!
//! In HTTP/2, faults that concern bytes do not apply. Silence, delays, statuses and bodies that are long, truncated,
//! chunked or slow are supported; every other action ends the connection.

use std::future::{pending, poll_fn};
use std::pin::Pin;

use brunt_embedded::counter::add;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{HeaderName, StatusCode};
use hyper::body::{Body as _, Incoming};
use tokio::sync::Notify;

use super::call::Call;
use super::outgoing::Outgoing;
use super::reply::{FILLING, Reply};
use super::request::{Fields, Malformed, Request, Version, target};
use super::script::{Action, Faults};
use super::wire::Wire;
use super::worker::Worker;

/// The most of a long body that is sent with a fault of its bytes.
const WHOLE_BYTES: u64 = 1 << 20;

/// Answers one request. `wire` is the connection, if it is one of HTTP/1; the connection has a number, and TLS or not.
pub(super) async fn answer(
    worker: &Worker,
    wire: Option<&Wire>,
    request: http::Request<Incoming>,
    (connection, secured): (u64, bool),
    end: &Notify,
) -> http::Response<Outgoing> {
    let (mut parts, incoming) = request.into_parts();
    let head = wire.and_then(|wire| wire.head(&parts));
    if wire.is_none() {
        name_host(&mut parts);
    } else if let Err(malformed) = Malformed::check(&parts) {
        return refuse(worker, malformed);
    }
    let received = receive(incoming, worker.realm.config.body_bytes_kept).await;
    if let Some(wire) = wire {
        wire.body_ended();
    }
    let Ok((body, body_bytes)) = received else { return refuse(worker, Malformed::Body) };
    worker.stand_still().await;
    let target = target(&parts);
    let mut reply = worker.reply();
    let mut call = Call {
        realm: &worker.realm,
        request: Request {
            method: parts.method.as_str(),
            target: &target,
            version: Version::from_http(parts.version),
            fields: Fields::new(&parts.headers, head.as_deref()),
            body: &body,
            body_bytes,
        },
        number: worker.realm.number(),
        now: worker.clock.now(),
        secured,
        login_fault: None,
        scim_fault: None,
    };
    let faults = worker.answer(&mut call, connection, &mut reply);
    let until = call.now + faults.delay + reply.wait;
    if until > call.now {
        worker.timer.sleep().until(until).await;
        worker.stand_still().await;
    }
    let body = match wire {
        Some(wire) => on_the_wire(wire, &mut reply, faults).await,
        None => Outgoing::in_stream(worker, &reply, faults),
    };
    let Some(body) = body else {
        if wire.is_some() || !matches!(faults.done, Some((Action::Silence, _))) {
            end.notify_one();
        }
        // It ends with the connection.
        return pending().await;
    };
    let mut response = respond(&reply, body);
    if parts.method == http::Method::HEAD {
        announce(&mut response, &reply);
    }
    if let (Some(_), Some((Action::UntilClose, _))) = (wire, faults.done) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    worker.keep(reply);
    response
}

/// In HTTP/2 the authority names the host; the handlers expect the field of HTTP/1.
fn name_host(parts: &mut Parts) {
    if let Some(authority) = parts.uri.authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.entry(header::HOST).or_insert(host);
    }
}

/// The part of a request's body that is kept, and the length of the whole.
async fn receive(mut incoming: Incoming, room: usize) -> Result<(Vec<u8>, u64), hyper::Error> {
    let (mut kept, mut bytes) = (Vec::new(), 0);
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut incoming).poll_frame(cx)).await {
        if let Ok(data) = frame?.into_data() {
            let more = data.len().min(room - kept.len());
            kept.extend_from_slice(&data[..more]);
            bytes += data.len() as u64;
        }
    }
    Ok((kept, bytes))
}

/// The body of an answer over HTTP/1 after the faults of a script, with those of bytes prepared; `None` if the
/// connection must end without an answer.
async fn on_the_wire(wire: &Wire, reply: &mut Reply, faults: Faults) -> Option<Outgoing> {
    let Some((action, random)) = faults.done else { return Some(Outgoing::new(reply)) };
    match action {
        Action::Silence => wire.ignore().await,
        Action::Drop => {}
        Action::Reset => wire.reset_on_drop(),
        Action::Body(filler) => return Some(Outgoing::filler(filler)),
        Action::Chunked(bytes) => {
            make_whole(reply);
            return Some(Outgoing::new(reply).in_pieces(bytes));
        }
        _ => {
            make_whole(reply);
            wire.distort(action, random);
            return Some(Outgoing::new(reply));
        }
    }
    None
}

/// Replaces a body that is too long for memory by its beginning.
fn make_whole(reply: &mut Reply) {
    if let Some(filler) = reply.filler.take() {
        let bytes = filler.bytes.min(WHOLE_BYTES) as usize;
        reply.body.extend(FILLING.iter().cycle().take(bytes));
    }
}

fn respond(reply: &Reply, body: Outgoing) -> http::Response<Outgoing> {
    let mut response = http::Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or_default();
    let fields = response.headers_mut();
    if reply.has_body() {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    }
    for (name, value) in &reply.fields {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(*name), HeaderValue::from_str(value)) {
            fields.append(name, value);
        }
    }
    response
}

/// Leaves the body of an answer out, and its length in.
fn announce(response: &mut http::Response<Outgoing>, reply: &Reply) {
    let body = std::mem::take(response.body_mut());
    if let Some(length) = body.length().filter(|_| reply.has_body()) {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
}

/// Answers something that is not a valid request, after which the connection ends.
fn refuse(worker: &Worker, malformed: Malformed) -> http::Response<Outgoing> {
    add(&worker.counters.malformed, 1);
    let mut reply = Reply::new();
    reply.error(malformed.status(), &malformed.to_string());
    let mut response = respond(&reply, Outgoing::new(&reply));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
