//! Signing in at the provider: the authorization code flow of OpenID Connect with PKCE, and signing out there.
//!
//! A browser is sent to the provider by a link and not by a form, because pages of this site may send forms nowhere
//! else; for the same reason, a page leads from signing out here to signing out there.

use http::StatusCode;
use http::header::{self, HeaderName};
use maud::html;

use super::outer;
use super::sign_in_page::{self, SIGN_IN};
use crate::auth::{Hash, Secret, Tried};
use crate::call::{Answer, Call, attempt_cookie, attempt_name, cookie, ended_attempt};
use crate::oidc::Metadata;
use crate::problem::Problem;
use crate::provider::{Attempt, Conversation, Failure, Person, Tokens, client_secret, person_of};
use crate::store::{ProviderSettings, User, Vouched};

/// Where the provider sends browsers back to, as a path.
pub(super) const CALLBACK: &str = "/sign-in/callback";
/// The path at which the provider reports that a user signed out.
pub(super) const BACK_CHANNEL: &str = "/sign-in/logout";
/// Where it sends browsers after signing out, as a path.
pub(super) const AFTER: &str = "/sign-in";
/// The most bytes of an ID token that is sent in an address.
const HINT_MAX: usize = 4_000;

/// `GET /sign-in/provider`.
pub(crate) fn begin(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let next = sign_in_page::next(call.query("next"));
    if call.who.is_some() {
        return Ok(Answer::see(&next));
    }
    let (settings, sealed) = provider(call)?;
    locked(call)?;
    let metadata = client_secret(app, &settings, &sealed)
        .and_then(|secret| app.provider.begin((&settings, &secret), app.now())?.reached());
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(failure) => return failed(call, (&settings, &next), failure),
    };
    let attempt = Attempt::new(&next, app.now()).map_err(Problem::bug)?;
    let back = format!("{}{CALLBACK}", call.origin());
    let (state, nonce, challenge) = (attempt.state(), attempt.nonce(), attempt.challenge());
    let url = with_query(
        &metadata.authorization,
        &[
            ("response_type", "code"),
            ("client_id", &settings.client),
            ("redirect_uri", &back),
            ("scope", &settings.scopes),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ],
    );
    Ok(Answer::see(&url).with(header::SET_COOKIE, &attempt_cookie(app, &attempt.shown())))
}

/// `GET /sign-in/callback`.
pub(crate) fn finish(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let (settings, sealed) = provider(call)?;
    locked(call)?;
    let (cookies, state) = (call.cookies(attempt_name(app)), call.query("state"));
    let attempt = cookies.iter().find_map(|value| Attempt::read(value, state, app.now()));
    let Some(attempt) = attempt else {
        let why =
            "This attempt to sign in was begun in another browser, or took too long. Try again.";
        return sign_in_again(call, (StatusCode::BAD_REQUEST, "/"), why);
    };
    let vouched = client_secret(app, &settings, &sealed).and_then(|secret| {
        let conversation = app.provider.begin((&settings, &secret), app.now())?;
        vouched(call, &conversation, &settings, &attempt)
    });
    match vouched {
        Ok((person, tokens)) => admitted(call, &settings, (person, tokens), &attempt.next),
        Err(failure) => failed(call, (&settings, &attempt.next), failure),
    }
}

/// What the provider states about the sender of this request.
fn vouched(
    call: &Call,
    conversation: &Conversation<'_>,
    settings: &ProviderSettings,
    attempt: &Attempt,
) -> Result<(Person, Tokens), Failure> {
    let refused = |why: String| Err(Failure::Refused(why));
    let metadata = conversation.metadata()?;
    if !is_of_issuer(call, &metadata, &settings.issuer) {
        return refused("the answer is that of another provider".to_owned());
    }
    let error = call.query("error");
    if !error.is_empty() {
        return refused(crate::oidc::words(error));
    }
    let back = format!("{}{CALLBACK}", call.origin());
    let reply = conversation.exchange(call.query("code"), attempt, &back)?;
    let Some(id) = reply.id_token.clone() else {
        return refused("it gave no ID token; is the scope openid asked for?".to_owned());
    };
    let person = person_of(conversation, settings, (&reply, &id), Some(&attempt.nonce()))?;
    Ok((person, Tokens { id, refresh: reply.refresh_token }))
}

/// Whether an answer to a browser is that of this provider (RFC 9207).
fn is_of_issuer(call: &Call, metadata: &Metadata, issuer: &str) -> bool {
    let named = call.query("iss");
    named == issuer || named.is_empty() && !metadata.names_issuer
}

/// Signs in a user whom the provider authenticated.
fn admitted(
    call: &Call,
    settings: &ProviderSettings,
    (person, tokens): (Person, Tokens),
    next: &str,
) -> Result<Answer, Problem> {
    let app = &call.app;
    let Some(user) = user_of(call, settings, &person)? else {
        let (issuer, subject) = (&person.identity.issuer, &person.identity.subject);
        app.store.end_vouched(issuer, subject, None)?;
        let who = format!("as {}, at {}, from {}", person.name, settings.name, call.from);
        app.audit_by("somebody", "fail to sign in", &format!("{who}: not permitted here"))?;
        let why = format!(
            "{} knows you, but you may not use this site: you are in none of its groups, or are disabled here. Ask an \
             administrator of this site.",
            settings.name
        );
        return sign_in_again(call, (StatusCode::FORBIDDEN, next), &why);
    };
    let session = Secret::new().map_err(Problem::bug)?;
    let (hash, now) = (session.hash(), app.now());
    let sealed = tokens.sealed(app, &hash)?;
    app.store.begin_session(user.id, &hash, (now, &call.visitor()))?;
    app.store.vouch(&hash, &Vouched { checked: now, tokens: sealed, sid: person.sid })?;
    let how = format!("at {}, from {}", settings.name, call.from);
    app.audit_by(&user.name, SIGN_IN, &how)?;
    let see = Answer::see(next).with(header::SET_COOKIE, &cookie(app, &session));
    Ok(see.with(header::SET_COOKIE, &ended_attempt(app)))
}

/// The user of an identity, added when they first sign in. `None` if they may not sign in.
fn user_of(
    call: &Call,
    settings: &ProviderSettings,
    person: &Person,
) -> Result<Option<User>, Problem> {
    let app = &call.app;
    let Person { identity, name, groups, .. } = person;
    let known = app.store.person(&identity.issuer, &identity.subject)?;
    if let Some(user) = &known {
        app.store.note_groups(user.id, groups)?;
    }
    let Some(role) = person.role else { return Ok(None) };
    let id = match known {
        Some(user) if user.disabled => return Ok(None),
        Some(user) => {
            app.store.note_person(user.id, identity, role, app.now())?;
            if user.role != role {
                let what = format!("{} from {} to {}", user.name, user.role.word(), role.word());
                app.audit_by(&settings.name, "change role", &what)?;
            }
            user.id
        }
        None => {
            let added = app.store.add_person(identity, name, role, app.now())?;
            let id = added.ok_or_else(|| Problem::bug(format!("no name is free for {name}")))?;
            let user = app.store.user(id)?.ok_or_else(|| Problem::bug("the user is gone"))?;
            app.store.note_groups(id, groups)?;
            let what = format!("{} as {}", user.name, role.word());
            app.audit_by(&settings.name, "add user", &what)?;
            id
        }
    };
    Ok(app.store.user(id)?)
}

/// `POST /sign-in/logout`: the provider reports that a user signed out there.
pub(crate) fn logged_out(call: &Call) -> Result<Answer, Problem> {
    let app = &call.app;
    let (settings, sealed) = provider(call)?;
    locked(call)?;
    let claims = client_secret(app, &settings, &sealed).and_then(|secret| {
        let conversation = app.provider.begin((&settings, &secret), app.now())?;
        conversation.logout_claims(call.field("logout_token"))
    });
    let claims = claims.map_err(|failure| {
        if matches!(failure, Failure::Refused(_)) {
            app.limiter.failed(&[Tried::Address(call.from)], app.now());
        }
        Problem::new(StatusCode::BAD_REQUEST, "Not accepted", words(&settings, &failure))
    })?;
    let ended = app.store.end_vouched(&settings.issuer, claims.subject(), claims.text("sid"))?;
    if ended > 0 {
        let what = format!("{ended}, signed out at {}", settings.name);
        app.audit_by(&settings.name, "end sessions", &what)?;
    }
    Ok(Answer::new("text/plain", Vec::new()))
}

/// The page that leads from signing out here to signing out at the provider, if this session began there.
pub(super) fn onward(call: &Call, session: &Hash) -> Result<Option<Answer>, Problem> {
    let app = &call.app;
    let (Some((settings, sealed)), Some(vouched)) =
        (app.store.provider()?, app.store.vouched(session)?)
    else {
        return Ok(None);
    };
    let metadata = client_secret(app, &settings, &sealed)
        .and_then(|secret| app.provider.try_begin((&settings, &secret), app.now())?.metadata());
    let Some(place) = metadata.ok().and_then(|metadata| metadata.end_session) else {
        return Ok(None);
    };
    let tokens = Tokens::unsealed(app, session, &vouched.tokens);
    let hint = tokens.map(|tokens| tokens.id).filter(|id| id.len() <= HINT_MAX);
    let after = format!("{}{AFTER}", call.origin());
    let mut fields =
        vec![("client_id", settings.client.as_str()), ("post_logout_redirect_uri", after.as_str())];
    fields.extend(hint.as_deref().map(|hint| ("id_token_hint", hint)));
    let url = with_query(&place, &fields);
    let body = html! {
        div.narrow {
            h1.large { "Signed out" }
            p { "You are signed out here. " a href=(url) { "Sign out at " (settings.name) " too" } }
        }
    };
    let refresh = HeaderName::from_static("refresh");
    Ok(Some(Answer::page(outer("Signed out", &body)).with(refresh, &format!("0; url={url}"))))
}

/// A URL with more parameters.
fn with_query(url: &str, fields: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    format!("{url}{}{query}", if url.contains('?') { '&' } else { '?' })
}

fn provider(call: &Call) -> Result<(ProviderSettings, Vec<u8>), Problem> {
    call.app.store.provider()?.ok_or_else(|| Problem::missing("page"))
}

/// Refuses an address from which too many attempts failed.
fn locked(call: &Call) -> Result<(), Problem> {
    let Some(wait) = call.app.limiter.wait(&[Tried::Address(call.from)], call.app.now()) else {
        return Ok(());
    };
    let detail = "There were too many failed attempts from this address.";
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "Try again later", detail);
    Err(Problem { wait: Some(wait), ..problem })
}

/// The page for signing in, with the reason why the provider did not authenticate the user.
fn failed(
    call: &Call,
    (settings, next): (&ProviderSettings, &str),
    failure: Failure,
) -> Result<Answer, Problem> {
    let app = &call.app;
    let why = words(settings, &failure);
    match failure {
        Failure::Down(hidden) => {
            (app.log)(&format!("sign in at {}: {hidden}", settings.name));
            sign_in_again(call, (StatusCode::SERVICE_UNAVAILABLE, next), &why)
        }
        Failure::Busy => sign_in_again(call, (StatusCode::SERVICE_UNAVAILABLE, next), &why),
        Failure::Refused(reason) | Failure::Ended(reason) => {
            app.limiter.failed(&[Tried::Address(call.from)], app.now());
            let who = format!("at {}, from {}: {reason}", settings.name, call.from);
            app.audit_by("somebody", "fail to sign in", &who)?;
            sign_in_again(call, (StatusCode::FORBIDDEN, next), &why)
        }
    }
}

/// Why, for the person who wants to sign in. Details about a provider that is down are for the operator.
fn words(settings: &ProviderSettings, failure: &Failure) -> String {
    let name = &settings.name;
    match failure {
        Failure::Down(_) => format!(
            "{name} does not answer. Try again in a minute, or sign in with a password if you have one here. The \
             operator of this site finds the reason in its log."
        ),
        Failure::Busy => format!("Too many people sign in at {name} just now. Try again."),
        Failure::Refused(why) | Failure::Ended(why) => {
            format!("{name} did not sign you in: {why}.")
        }
    }
}

fn sign_in_again(
    call: &Call,
    (status, next): (StatusCode, &str),
    why: &str,
) -> Result<Answer, Problem> {
    let answer = sign_in_page::page(call, next, Some(why))?.status(status);
    Ok(answer.with(header::SET_COOKIE, &ended_attempt(&call.app)))
}
