//! The page for signing in, and where it leads.

use maud::{Markup, html};

use super::form::{Filled, Form, Input, PASSWORD, Script, TEXT};
use super::outer;
use crate::call::{Answer, Call};
use crate::problem::Problem;

/// The act of signing in, in the audit trail.
pub(super) const SIGN_IN: &str = "sign in";
/// The most bytes of the address of the page to open afterwards, which a cookie may carry.
const NEXT_MAX: usize = 1_500;

/// The page for signing in, with the page to open afterwards, and the reason why signing in failed elsewhere.
pub(super) fn page(call: &Call, next: &str, why: Option<&str>) -> Result<Answer, Problem> {
    let store = &call.app.store;
    let provider = store.provider()?.map(|(settings, _)| settings.name);
    let ready = store.has_admin()?;
    Ok(Answer::page(shown(call, next, (ready, provider.as_deref()), why)))
}

/// The page to open afterwards: always one of this site, whatever was requested.
pub(super) fn next(requested: &str) -> String {
    let is_ours =
        requested.starts_with('/') && !requested.starts_with("//") && !requested.contains('\\');
    let is_plain = requested.bytes().all(|byte| byte.is_ascii_graphic());
    let is_short = requested.len() <= NEXT_MAX;
    if is_ours && is_plain && is_short { requested.to_owned() } else { "/".to_owned() }
}

fn shown(
    call: &Call,
    next: &str,
    (ready, provider): (bool, Option<&str>),
    why: Option<&str>,
) -> Markup {
    let form = Form::new(call, "/sign-in");
    let next = form.value("next", next);
    let requested: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // Typing begins with the name only where that is the way to sign in.
    let filled = if provider.is_none() { Filled::First } else { Filled::ByHand };
    let fields = html! {
        input type="hidden" name="next" value=(next);
        (form.input("name", "Name", Input {
            required: true, autocomplete: "username", is_word: true, filled, ..TEXT
        }))
        (form.input("password", "Password", Input { autocomplete: "current-password", ..PASSWORD }))
        div { button.main[provider.is_none()] { "Sign in" } }
    };
    outer(
        "Sign in",
        &html! {
            div.narrow {
                h1.large { "brunt" }
                @if !ready {
                    p.warning {
                        "No user has a password yet. To set the password of the first administrator, open the link \
                         that brunt serve printed when it started."
                    }
                }
                @if let Some(why) = why { p.warning role="alert" { (why) } }
                @if let Some(name) = provider {
                    p { a.button.main href={ "/sign-in/provider?next=" (requested) } { "Sign in with " (name) } }
                    h2 { "With a password of this site" }
                }
                (form.whole("stack", Script::Nothing, &fields))
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{NEXT_MAX, next};

    #[test]
    fn sign_in_never_redirects_to_another_site() {
        assert_eq!(next("/runs/x?a=b"), "/runs/x?a=b");
        for foreign in [
            "",
            "http://evil.example",
            "//evil.example",
            "/\\evil.example",
            "x",
            "/a\nb",
            "/\u{e4}",
            &format!("/{}", "x".repeat(NEXT_MAX)),
        ] {
            assert_eq!(next(foreign), "/", "{foreign:?}");
        }
    }
}
