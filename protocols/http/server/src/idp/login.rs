//! A login: its pages, and what is typed into them; one-time passwords of it (RFC 6238) have six digits, 30 seconds and
//! SHA-1, and their seed is the SHA-1 hash of the user's name.

use std::sync::Arc;

use brunt_embedded::script::mix;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::hmac;

use super::event::Event;
use super::kept::{Login, Purpose, Request};
use super::page::{Form, message_page, redirect};
use super::provider::{Code, Session};
use crate::call::Call;
use crate::reply::Reply;
use crate::script::LoginFault;

/// The cookie of a login, and that of a session.
const LOGIN: &str = "IDP_LOGIN";
const SESSION: &str = "IDP_SESSION";

/// A session whose person is back.
pub(super) struct SignedIn {
    pub(super) number: u64,
    pub(super) user: Arc<str>,
    pub(super) second_factor: bool,
}

impl Login {
    /// Shows the first page.
    pub(super) fn begin(call: &Call<'_>, purpose: Purpose, reply: &mut Reply) {
        let login = Self { purpose, page: mix(call.number), user: None };
        let id = call.realm.provider.logins.issue(call.now, login.clone());
        match call.login_fault {
            Some(LoginFault::NoCookie) => {}
            Some(LoginFault::OtherHostCookie) => {
                let value = format!("{LOGIN}={id}; Domain=other.example.com; Path=/; Secure");
                reply.field("Set-Cookie", value);
            }
            _ => {
                let attributes = "Path=/idp; HttpOnly; Secure; SameSite=None";
                reply.field("Set-Cookie", format!("{LOGIN}={id}; {attributes}"));
            }
        }
        login.show(call, &id, None, reply);
    }

    fn show(&self, call: &Call<'_>, id: &str, error: Option<&str>, reply: &mut Reply) {
        let (action, page) = (place(id), self.page.to_string());
        let password = Form {
            id: "login-form",
            title: "Sign in",
            action: &action,
            hidden: &[("page", &page)],
            inputs: &[("username", "text", "Name"), ("password", "password", "Password")],
            buttons: &[("login", "Sign in")],
            error,
        };
        if self.user.is_none() {
            return password.show(call, reply);
        }
        let inputs = &[("otp", "text", "One-time password")];
        Form { id: "otp-form", title: "One-time password", inputs, ..password }.show(call, reply);
    }

    fn needs_second_factor(&self) -> bool {
        matches!(&self.purpose, Purpose::Code(request) if request.second_factor)
    }
}

fn place(id: &str) -> String {
    format!("/idp/login?login={id}")
}

/// GET `login`: the page of a login whose form was too old.
pub(super) fn again(call: &Call<'_>, reply: &mut Reply) {
    let logins = &call.realm.provider.logins;
    let id = call.query().first("login").unwrap_or_default();
    let login = logins.number(&id).and_then(|it| logins.with(it, call.now, |login| login.clone()));
    match login {
        Some(login) => login.show(call, &id, Some("You took too long to sign in."), reply),
        None => expired(reply),
    }
}

fn expired(reply: &mut Reply) {
    let text = "Your login attempt timed out. Please go back to the application and try again.";
    message_page(reply, 400, "We are sorry...", text, true);
}

/// What became of a form.
enum Outcome {
    /// It was not that of the last page.
    TooOld,
    /// The page comes again, with this error.
    Wrong(&'static str),
    /// The next page comes.
    Next,
    Passed(Arc<str>),
}

/// POST `login`: a form that was filled in.
pub(super) fn submitted(call: &Call<'_>, reply: &mut Reply) {
    let provider = &call.realm.provider;
    let id = call.query().first("login").unwrap_or_default();
    if call.cookie(LOGIN) != Some(&*id) {
        provider.count(Event::Login, false);
        let text = "Cookie not found. Please make sure cookies are enabled in your browser.";
        return message_page(reply, 400, "We are sorry...", text, true);
    }
    let Some(number) = provider.logins.number(&id) else {
        provider.count(Event::Login, false);
        return expired(reply);
    };
    let tried = provider.logins.with(number, call.now, |login| {
        let outcome = examine(call, login);
        login.page = mix(login.page ^ call.number);
        (outcome, login.clone())
    });
    let Some((outcome, login)) = tried else {
        provider.count(Event::Login, false);
        return expired(reply);
    };
    match outcome {
        Outcome::TooOld => {
            provider.count(Event::Login, false);
            redirect(reply, place(&id));
        }
        Outcome::Wrong(why) => {
            provider.count(Event::Login, false);
            login.show(call, &id, Some(why), reply);
        }
        Outcome::Next => login.show(call, &id, None, reply),
        Outcome::Passed(user) => {
            // Of two forms at once one ends the login.
            if provider.logins.take(number, call.now).is_none() {
                provider.count(Event::Login, false);
                return expired(reply);
            }
            passed(call, &login, user, reply);
        }
    }
}

fn examine(call: &Call<'_>, login: &mut Login) -> Outcome {
    let form = call.form();
    let text = |name| form.first(name).unwrap_or_default();
    let last = text("page").parse() == Ok(login.page);
    if !last || call.login_fault == Some(LoginFault::ExpiredForm) {
        return Outcome::TooOld;
    }
    let refused = call.login_fault == Some(LoginFault::WrongPassword);
    if let Some(user) = &login.user {
        let otp = text("otp");
        let period = totp_period(user, &otp, call.seconds_since_1970()).filter(|_| !refused);
        let unused = period.is_some_and(|period| {
            call.realm.provider.used.first(call.now, &["totp", user, &period.to_string()])
        });
        if unused {
            return Outcome::Passed(Arc::clone(user));
        }
        return Outcome::Wrong("Invalid authenticator code.");
    }
    let name = text("username");
    let known = call.realm.openam.check(&name, &text("password"));
    if !known || refused {
        return Outcome::Wrong("Invalid username or password.");
    }
    if login.needs_second_factor() {
        login.user = Some(name.into());
        return Outcome::Next;
    }
    Outcome::Passed(name.into())
}

/// The person is signed in.
fn passed(call: &Call<'_>, login: &Login, user: Arc<str>, reply: &mut Reply) {
    let provider = &call.realm.provider;
    if call.login_fault == Some(LoginFault::AccessDenied)
        && let Purpose::Code(request) = &login.purpose
    {
        provider.count(Event::Login, false);
        return request.reply(call, &[("error", "access_denied")], reply);
    }
    provider.count(Event::Login, true);
    let second_factor = login.user.is_some();
    let session = Session { user: Arc::clone(&user), since: call.now, second_factor };
    let number = provider.sessions.put(call.now, session);
    let text = provider.sessions.text(number);
    let attributes = "Path=/idp; HttpOnly; Secure; SameSite=None";
    reply.field("Set-Cookie", format!("{SESSION}={text}; {attributes}"));
    reply.field("Set-Cookie", format!("{LOGIN}=; Max-Age=0; {attributes}"));
    match &login.purpose {
        Purpose::Code(request) => {
            give_code(call, request, &SignedIn { number, user, second_factor }, reply);
        }
        Purpose::Device(code) => redirect(reply, format!("/idp/verify?user_code={code}")),
        Purpose::Saml(requested) => requested.respond(call, &user, reply),
    }
}

/// Sends a person who is signed in back to the client, with a code.
pub(super) fn give_code(
    call: &Call<'_>,
    request: &Arc<Request>,
    session: &SignedIn,
    reply: &mut Reply,
) {
    if call.login_fault == Some(LoginFault::AccessDenied) {
        return request.reply(call, &[("error", "access_denied")], reply);
    }
    let code = Code {
        request: Arc::clone(request),
        session: session.number,
        user: Arc::clone(&session.user),
    };
    let code = call.realm.provider.codes.issue(call.now, code);
    request.reply(call, &[("code", &code)], reply);
}

/// The session of the browser, if it has one.
pub(super) fn session(call: &Call<'_>) -> Option<SignedIn> {
    let sessions = &call.realm.provider.sessions;
    let number = sessions.number(call.cookie(SESSION)?)?;
    sessions.with(number, call.now, |session| SignedIn {
        number,
        user: Arc::clone(&session.user),
        second_factor: session.second_factor,
    })
}

/// The seconds for which a one-time password is the current one.
const TOTP_PERIOD: u64 = 30;

/// The period of a moment, in seconds since 1970, in which the password of a user is this one. It may be that before or
/// that after, since clocks differ.
fn totp_period(user: &str, password: &str, now: u64) -> Option<u64> {
    let seed = digest(&SHA1_FOR_LEGACY_USE_ONLY, user.as_bytes());
    let current = now / TOTP_PERIOD;
    let known = password.len() == 6;
    (current.saturating_sub(1)..=current + 1)
        .find(|step| known && totp_code(seed.as_ref(), *step, 1_000_000) == password.parse().ok())
}

/// The password of a period, as a number below `modulus` (RFC 4226 section 5.3).
fn totp_code(seed: &[u8], step: u64, modulus: u32) -> Option<u32> {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, seed);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let at = usize::from(tag.as_ref().last()? & 0xf);
    let word = tag.as_ref().get(at..at + 4)?.try_into().map(u32::from_be_bytes).ok()?;
    Some((word & 0x7fff_ffff) % modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totp_equals_rfc_6238() {
        for (time, expected) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            let step = time / TOTP_PERIOD;
            assert_eq!(totp_code(b"12345678901234567890", step, 100_000_000), Some(expected));
        }
    }

    #[test]
    fn totp_accepts_neighbouring_periods() {
        let seed = digest(&SHA1_FOR_LEGACY_USE_ONLY, b"user.7");
        let text = format!("{:06}", totp_code(seed.as_ref(), 100, 1_000_000).unwrap());
        let at = |now| totp_period("user.7", &text, now);
        assert_eq!([at(2969), at(2970), at(3059), at(3060)], [None, Some(100), Some(100), None]);
        assert_eq!(totp_period("user.8", &text, 3000), None);
        assert_eq!(totp_period("user.7", "", 3000), None);
    }
}
