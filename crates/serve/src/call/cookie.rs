//! The cookie of a session.

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

/// What it is called.
pub(crate) fn name(app: &App) -> &'static str {
    // Browsers take a name with this prefix over TLS alone.
    if app.secure { "__Host-brunt" } else { "brunt" }
}

fn secure(app: &App) -> &'static str {
    if app.secure { "; Secure" } else { "" }
}
