//! The cookie of a session: how it is set, and how it is read from a request.

use cookie::Cookie;

use crate::app::App;
use crate::auth::Secret;

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

fn secure(app: &App) -> &'static str {
    if app.secure { "; Secure" } else { "" }
}
