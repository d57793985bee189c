//! The cookie of a session: given, and found again in what a browser sends.

use cookie::Cookie;

use crate::app::App;
use crate::auth::Secret;

/// What a browser keeps of a session.
pub(crate) fn cookie(app: &App, secret: &Secret) -> String {
    format!("{}={}; Path=/; HttpOnly; SameSite=Strict{}", name(app), secret.shown(), secure(app))
}

/// What has a browser forget it.
pub(crate) fn ended_cookie(app: &App) -> String {
    format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{}", name(app), secure(app))
}

/// What a header says that a cookie is: as often as it names it, in that order.
pub fn cookie_values<'a>(header: &'a str, name: &'a str) -> impl Iterator<Item = String> {
    let all = Cookie::split_parse(header).filter_map(Result::ok);
    all.filter(move |cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}

/// What it is called.
pub(crate) fn name(app: &App) -> &'static str {
    // Browsers take a name with this prefix over TLS alone.
    if app.secure { "__Host-brunt" } else { "brunt" }
}

fn secure(app: &App) -> &'static str {
    if app.secure { "; Secure" } else { "" }
}
