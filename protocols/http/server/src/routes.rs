//! Routes requests to their handlers, and names the path that each is counted under.

use super::call::Call;
use super::crest::brief;
use super::oauth::Endpoint;
use super::query::segment;
use super::refusal::Refusal;
use super::reply::Reply;
use super::{directory, idp, oauth, openam, plain, scim};

/// The most segments of a path.
const SEGMENTS: usize = 12;

/// The path that requests for unknown paths are counted under.
const NOWHERE: &str = "(elsewhere)";

/// Answers a request. Returns the path that it is counted under.
pub(super) fn answer(call: &Call<'_>, reply: &mut Reply) -> &'static str {
    let mut room = [""; SEGMENTS];
    let mut count = 0;
    for part in call.request.path().split('/').filter(|part| !part.is_empty()) {
        let Some(place) = room.get_mut(count) else {
            Refusal::nothing_there().answer(reply);
            return NOWHERE;
        };
        *place = part;
        count += 1;
    }
    if call.request.method == "OPTIONS" && room[0] != "echo" {
        reply.status = 204;
        reply.field("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS".to_owned());
        return "*";
    }
    let (path, result) = lead(call, &room[..count], reply);
    if let Err(refusal) = result {
        refusal.answer(reply);
    }
    path
}

type Answered = (&'static str, Result<(), Refusal>);

fn lead(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    match segments {
        ["openam" | "am", "json", rest @ ..] => of_openam(call, in_realm(rest), reply),
        ["openam" | "am", "oauth2", rest @ ..] | ["oauth2", rest @ ..] => {
            of_oauth(call, in_realm(rest), reply)
        }
        ["api", "users"] | ["users"] => {
            let users = &call.realm.opendj;
            ("/api/users", directory::users(call, users, None, reply))
        }
        ["api", "users", id] | ["users", id] => {
            let users = &call.realm.opendj;
            ("/api/users/{id}", directory::users(call, users, Some(&segment(id)), reply))
        }
        ["openidm", "managed", "user"] => {
            let users = &call.realm.openidm;
            ("/openidm/managed/user", directory::users(call, users, None, reply))
        }
        ["openidm", "managed", "user", id] => {
            let users = &call.realm.openidm;
            ("/openidm/managed/user/{id}", directory::users(call, users, Some(&segment(id)), reply))
        }
        ["openidm", "info", "ping"] => ("/openidm/info/ping", directory::ping(call, reply)),
        ["idp", rest @ ..] => match idp::answer(call, rest, reply) {
            Some(path) => (path, Ok(())),
            None => (NOWHERE, Err(Refusal::nothing_there())),
        },
        ["scim", rest @ ..] => match scim::answer(call, rest, reply) {
            Some(path) => (path, Ok(())),
            None => (NOWHERE, Err(Refusal::nothing_there())),
        },
        ["acs"] => ("/acs", idp::receive(call, reply)),
        ["agent", _, ..] => ("/agent/{path}", openam::agent(call, reply)),
        _ => of_plain(call, segments, reply),
    }
}

/// The segments after the realm: all realms have the same users here.
fn in_realm<'a, 'b>(mut segments: &'a [&'b str]) -> &'a [&'b str] {
    while let ["realms", _, rest @ ..] = segments {
        segments = rest;
    }
    segments
}

fn of_openam(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    match segments {
        ["authenticate"] => ("/openam/json/authenticate", openam::authenticate(call, reply)),
        ["sessions"] => ("/openam/json/sessions", openam::sessions(call, None, reply)),
        ["sessions", token] => {
            let token = segment(token);
            ("/openam/json/sessions/{token}", openam::sessions(call, Some(&token), reply))
        }
        ["users"] => ("/openam/json/users", openam::users(call, None, reply)),
        ["users", id] => {
            ("/openam/json/users/{id}", openam::users(call, Some(&segment(id)), reply))
        }
        _ => (NOWHERE, Err(Refusal::nothing_there())),
    }
}

fn of_oauth(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    let (path, endpoint) = match segments {
        ["access_token"] => ("/oauth2/access_token", Endpoint::AccessToken),
        ["introspect"] => ("/oauth2/introspect", Endpoint::Introspect),
        ["userinfo"] => ("/oauth2/userinfo", Endpoint::UserInfo),
        ["token", "revoke"] => ("/oauth2/token/revoke", Endpoint::Revoke),
        _ => return (NOWHERE, Err(Refusal::nothing_there())),
    };
    oauth::answer(call, endpoint, reply);
    (path, Ok(()))
}

fn of_plain(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    let always = |path| (path, Ok(()));
    if let ["echo", ..] = segments {
        plain::echo(call, reply);
        return always("/echo");
    }
    match segments {
        [] => {
            reply.text(200, plain::WELCOME);
            always("/")
        }
        ["sleep"] => ("/sleep", plain::sleep(call, reply)),
        ["status", status] => ("/status/{status}", plain::status(status, reply)),
        ["bytes", bytes] => ("/bytes/{bytes}", plain::bytes(call, bytes, reply)),
        ["headers"] => {
            plain::headers(call, reply);
            always("/headers")
        }
        ["cookies"] => {
            plain::cookies(call, reply);
            always("/cookies")
        }
        ["cookies", "set"] => ("/cookies/set", plain::set_cookies(call, reply)),
        ["redirect", left] => ("/redirect/{left}", plain::redirect(call, left, reply)),
        ["gzip"] => {
            plain::compressed("gzip", reply);
            always("/gzip")
        }
        ["deflate"] => {
            plain::compressed("deflate", reply);
            always("/deflate")
        }
        ["xml"] => {
            plain::xml(call, reply);
            always("/xml")
        }
        ["stats"] => {
            reply.json(200, &call.realm.stats().to_json());
            always("/stats")
        }
        [first, ..] => {
            let message = format!("there is no resource at /{}", brief(first));
            (NOWHERE, Err(Refusal::new(404, message)))
        }
    }
}
