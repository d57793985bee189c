//! The beginning of a login: the authorization request of a client.

use std::sync::Arc;

use serde_json::json;

use super::event::Event;
use super::kept::{Login, Purpose, Request};
use super::login;
use super::page::{message_page, post_elsewhere, redirect, with_parameters};
use super::{client, proof};
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::query::Parameters;
use crate::reply::Reply;
use crate::script::LoginFault;

/// The prefix of the name of a pushed request.
const PUSHED: &str = "urn:ietf:params:oauth:request_uri:";

/// Why a client is sent back at once.
type Wrong = (&'static str, &'static str);

/// A parameter, if it is no longer than that.
pub(super) fn bounded(
    parameters: Parameters<'_>,
    name: &str,
    most: usize,
) -> Result<Option<Box<str>>, Wrong> {
    match parameters.first(name) {
        Some(value) if value.len() > most => {
            Err(("invalid_request", "a parameter is too long for this provider"))
        }
        value => Ok(value.map(|value| value.into_owned().into_boxed_str())),
    }
}

impl Request {
    /// Reads the parameters; `Err` is shown to the person, since there is no client to send back to.
    fn read(parameters: Parameters<'_>) -> Result<(Self, Result<(), Wrong>), &'static str> {
        let text = |name, most| bounded(parameters, name, most);
        let Ok(Some(client)) = text("client_id", 256) else {
            return Err("The client_id is missing or too long.");
        };
        let redirect = text("redirect_uri", 2048).ok().flatten();
        let redirect = redirect.filter(|url| {
            let web = url.starts_with("http://") || url.starts_with("https://");
            web && !url.contains('#') && url.bytes().all(|byte| byte.is_ascii_graphic())
        });
        let redirect = redirect.ok_or("Invalid parameter: redirect_uri")?;
        let mut request = Self {
            client: client.into(),
            redirect,
            state: None,
            nonce: None,
            scope: "".into(),
            challenge: None,
            form_post: false,
            second_factor: false,
        };
        let rest = request.read_rest(parameters);
        Ok((request, rest))
    }

    fn read_rest(&mut self, parameters: Parameters<'_>) -> Result<(), Wrong> {
        let text = |name, most| bounded(parameters, name, most);
        // First, since it goes back with an error.
        self.state = text("state", 2048)?;
        self.nonce = text("nonce", 512)?;
        self.scope = text("scope", 512)?.unwrap_or_default().into();
        self.challenge = text("code_challenge", 128)?;
        self.second_factor = text("acr_values", 64)?.is_some_and(|values| &*values == "otp");
        match text("response_mode", 32)?.as_deref() {
            None | Some("query") => {}
            Some("form_post") => self.form_post = true,
            Some(_) => return Err(("invalid_request", "the response_mode is not supported")),
        }
        if text("response_type", 64)?.as_deref() != Some("code") {
            return Err(("unsupported_response_type", "only the response_type code is supported"));
        }
        let method = text("code_challenge_method", 16)?;
        if self.challenge.is_some() && method.as_deref() != Some("S256") {
            return Err(("invalid_request", "the code_challenge_method must be S256"));
        }
        Ok(())
    }

    /// Answers the client: through the browser, with these parameters and the state.
    pub(super) fn reply(&self, call: &Call<'_>, parameters: &[(&str, &str)], reply: &mut Reply) {
        let mut all = Vec::with_capacity(4);
        all.extend_from_slice(parameters);
        if let Some(state) = &self.state {
            let other = call.login_fault == Some(LoginFault::WrongState);
            all.push(("state", if other { "another-state" } else { state }));
        }
        let issuer = call.issuer();
        all.push(("iss", &issuer));
        if self.form_post {
            post_elsewhere(reply, &self.redirect, &all);
        } else {
            redirect(reply, with_parameters(&self.redirect, &all));
        }
    }
}

/// GET or POST `authorize`: shows the login page, unless the person is signed in.
pub(super) fn authorize(call: &Call<'_>, parameters: Parameters<'_>, reply: &mut Reply) {
    let provider = &call.realm.provider;
    let request = match parameters.first("request_uri") {
        Some(name) => {
            let number = name.strip_prefix(PUSHED).and_then(|text| provider.pushed.number(text));
            let pushed = number.and_then(|number| provider.pushed.take(number, call.now));
            pushed.ok_or("The request_uri is unknown, used or expired.")
        }
        None => Request::read(parameters).and_then(|(request, rest)| match rest {
            Ok(()) => Ok(Arc::new(request)),
            Err((error, description)) => {
                let parameters = [("error", error), ("error_description", description)];
                request.reply(call, &parameters, reply);
                Err("")
            }
        }),
    };
    let request = match request {
        Ok(request) => request,
        Err(why) => {
            provider.count(Event::Login, false);
            if !why.is_empty() {
                message_page(reply, 400, "We are sorry...", why, true);
            }
            return;
        }
    };
    let prompt = parameters.first("prompt");
    let signed_in = login::session(call).filter(|session| {
        let strong = session.second_factor || !request.second_factor;
        strong && prompt.as_deref() != Some("login")
    });
    match (signed_in, prompt.as_deref()) {
        (Some(session), _) => {
            provider.count(Event::Login, true);
            login::give_code(call, &request, &session, reply);
        }
        (None, Some("none")) => {
            provider.count(Event::Login, false);
            request.reply(call, &[("error", "login_required")], reply);
        }
        (None, _) => Login::begin(call, Purpose::Code(request), reply),
    }
}

/// POST `par`: a request that the client sends itself (RFC 9126).
pub(super) fn push(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let pushed = (|| {
        let client = client::authenticate(call)?;
        proof::nonce(call, reply)?;
        let (request, rest) =
            Request::read(call.form()).map_err(|why| refused(400, "invalid_request", why))?;
        rest.map_err(|(error, description)| refused(400, error, description))?;
        if request.client != client.id {
            return Err(refused(400, "invalid_request", "the client_id is that of another client"));
        }
        Ok(provider.pushed.issue(call.now, Arc::new(request)))
    })();
    provider.count(Event::Pushed, pushed.is_ok());
    let name = format!("{PUSHED}{}", pushed?);
    let lifetime = call.lifetime(provider.pushed.lasts());
    reply.json(201, &json!({"request_uri": name, "expires_in": lifetime}));
    Ok(())
}
