//! An OpenID provider: logins through pages, with the second factor, codes, tokens, devices and SAML.
//!
//! It does what a relying party and a browser meet at a real one, and counts it under the names of Keycloak's events.
//! Clients need no registration, but those that sign. A client that shows a secret must show the administrators'
//! password. Everything that is kept ends with its time and is limited in number; the oldest is dropped.

mod authorize;
mod client;
mod device;
mod discovery;
mod event;
mod grant;
mod jose;
mod kept;
mod login;
mod page;
mod proof;
pub(super) mod provider;
mod resource;
mod saml;
mod shelf;
mod token;
mod used;

use super::call::Call;
use super::oauth::Refusal;
use super::reply::Reply;

pub(super) use saml::receive;

/// The path of a page, and whether it was shown.
type Answered = Option<&'static str>;

/// Answers a request below `/idp`. Returns the path that it is counted under, if there is anything.
pub(super) fn answer(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    let method = call.request.method;
    let read = matches!(method, "GET" | "HEAD");
    let path = match segments {
        [".well-known", "openid-configuration"] if read => {
            discovery::configuration(call, reply);
            "/idp/.well-known/openid-configuration"
        }
        ["jwks"] if read => {
            discovery::keys(call, reply);
            "/idp/jwks"
        }
        ["authorize"] if read => {
            authorize::authorize(call, call.query(), reply);
            "/idp/authorize"
        }
        ["authorize"] if method == "POST" => {
            authorize::authorize(call, call.form(), reply);
            "/idp/authorize"
        }
        ["login"] if read => {
            login::again(call, reply);
            "/idp/login"
        }
        ["login"] if method == "POST" => {
            login::submitted(call, reply);
            "/idp/login"
        }
        ["verify"] if read => {
            device::verify(call, reply);
            "/idp/verify"
        }
        ["verify"] if method == "POST" => {
            device::decide(call, reply);
            "/idp/verify"
        }
        ["logout"] if read => {
            resource::log_out(call, reply);
            "/idp/logout"
        }
        ["saml"] if read => {
            saml::requested(call, reply);
            "/idp/saml"
        }
        _ => return endpoint(call, segments, reply),
    };
    reply.field("Cache-Control", "no-store".to_owned());
    Some(path)
}

/// Answers a program.
fn endpoint(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Answered {
    type Endpoint = fn(&Call<'_>, &mut Reply) -> Result<(), Refusal>;
    let (path, endpoint): (_, Endpoint) = match segments {
        ["token"] => ("/idp/token", token::token),
        ["par"] => ("/idp/par", authorize::push),
        ["introspect"] => ("/idp/introspect", resource::introspect),
        ["revoke"] => ("/idp/revoke", resource::revoke),
        ["userinfo"] => ("/idp/userinfo", resource::user_info),
        ["device"] => ("/idp/device", device::authorize),
        ["register"] => ("/idp/register", client::register),
        ["logout"] => ("/idp/logout", resource::end_session),
        ["authorize" | "login" | "verify" | "saml" | "jwks"] => {
            Refusal::wrong_method().answer(reply);
            return Some("/idp/(method)");
        }
        _ => return None,
    };
    let method = call.request.method;
    let result = match method {
        "POST" => endpoint(call, reply),
        "GET" | "HEAD" if path == "/idp/userinfo" => endpoint(call, reply),
        _ => Err(Refusal::wrong_method()),
    };
    if let Err(refused) = result {
        refused.answer(reply);
        client::slow_clock(call, reply);
    }
    reply.field("Cache-Control", "no-store".to_owned());
    Some(path)
}
