//! The cookie of a session: how it is set, and how it is read from a request.

use cookie::Cookie;

use crate::app::App;
use crate::auth::Secret;
use crate::provider::ATTEMPT_LASTS;

/// The cookie that carries a session. Browsers send it when a link on another site is followed, and with no form or
/// picture of another site; what changes something is checked beside it (`guard::own_page`).
pub(crate) fn cookie(app: &App, secret: &Secret) -> String {
    format!("{}={}; Path=/; HttpOnly; SameSite=Lax{}", name(app), secret.shown(), secure(app))
}

/// The cookie that makes a browser forget the session.
pub(crate) fn ended_cookie(app: &App) -> String {
    format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{}", name(app), secure(app))
}

/// The values that a header gives for a cookie: one for each occurrence, in order.
pub fn cookie_values<'a>(header: &'a str, name: &'a str) -> impl Iterator<Item = String> {
    let all = Cookie::split_parse(header).filter_map(Result::ok);
    all.filter(move |cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}

/// The name of the cookie.
pub(crate) fn name(app: &App) -> &'static str {
    // Browsers accept a name with this prefix only over TLS.
    if app.secure { "__Host-brunt" } else { "brunt" }
}

/// The cookie of an attempt to sign in at the provider, which is sent back with the provider's answer.
pub(crate) fn attempt_cookie(app: &App, value: &str) -> String {
    let lasts = ATTEMPT_LASTS;
    let name = attempt_name(app);
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={lasts}{}", secure(app))
}

/// The cookie that makes a browser forget the attempt.
pub(crate) fn ended_attempt(app: &App) -> String {
    format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{}", attempt_name(app), secure(app))
}

/// The name of the cookie of an attempt.
pub(crate) fn attempt_name(app: &App) -> &'static str {
    if app.secure { "__Host-brunt-attempt" } else { "brunt-attempt" }
}

/// The cookie with which a person chose how times are shown: `utc`, or as those of the browser. Scripts read it.
const TIMES: &str = "brunt-times";
/// How long it lasts, in seconds.
const TIMES_LASTS: i64 = 365 * 24 * 3_600;

/// The cookie that shows times in UTC, or the one that forgets it.
pub(crate) fn times_cookie(app: &App, is_utc: bool) -> String {
    let (value, lasts) = if is_utc { ("utc", TIMES_LASTS) } else { ("", 0) };
    format!("{TIMES}={value}; Path=/; SameSite=Lax; Max-Age={lasts}{}", secure(app))
}

/// Whether one of these cookies shows times in UTC.
pub(crate) fn has_utc_times(call: &super::Call) -> bool {
    call.cookies(TIMES).iter().any(|value| value == "utc")
}

fn secure(app: &App) -> &'static str {
    if app.secure { "; Secure" } else { "" }
}
