//! Webhooks that are added, tried and removed.

use std::net::IpAddr;

use http::{StatusCode, Uri};

use super::is_name;
use crate::app::App;
use crate::auth::Requester;
use crate::notice::{self, DeliveryError, Format};
use crate::problem::Problem;
use crate::reach::is_barred;
use crate::store::Hook;

/// The most characters of a name, of a URL and of an address of mail.
pub(crate) const NAME_MAX: usize = 60;
pub(crate) const URL_MAX: usize = 1_000;
pub(crate) const ADDRESS_MAX: usize = 254;
/// The most addresses of mail.
pub(crate) const ADDRESSES_MAX: usize = 20;
pub(crate) const TRIAL: &str = "This is a trial, which can reach only its built-in servers. To add webhooks, start \
                                the site without --trial.";

/// A webhook as a user describes it.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) format: Format,
    /// Who receives mail.
    pub(crate) to: Vec<String>,
}

/// Adds a webhook. Returns it, and the key that verifies its messages, which is returned only this once.
pub(crate) fn add(app: &App, who: &Requester, draft: &Draft) -> Result<(Hook, String), Problem> {
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let (name, url, format) = (draft.name.trim(), draft.url.trim(), draft.format);
    if !is_name(name, NAME_MAX) {
        let wanted = format!("1 to {NAME_MAX} characters on one line");
        return Err(Problem::field("name", name, &wanted, format!("A name has {wanted}.")));
    }
    check_url(url, format)?;
    check_recipients(&draft.to, format)?;
    let hook = Hook {
        name: name.to_owned(),
        url: if format.has_secret_url() { host_of(url) } else { url.to_owned() },
        format,
        to: draft.to.clone(),
        by: who.user.name.clone(),
        at: app.now(),
        ..Hook::default()
    };
    let (key, sealed) = notice::sealed_key(app, &hook, url)?;
    let Some(id) = app.store.add_hook(&hook, &sealed)? else {
        let why = format!("A webhook named {name} already exists.");
        let problem = Problem::field("name", name, "a name that no other webhook has", why);
        return Err(Problem { status: StatusCode::CONFLICT, ..problem });
    };
    app.audit(who, "add webhook", &format!("{name}: {}", hook.url))?;
    Ok((Hook { id, ..hook }, key))
}

/// Sends a test message. The inner error is the reason why it did not arrive.
pub(crate) fn test(
    app: &App,
    who: &Requester,
    id: i64,
) -> Result<Result<(), DeliveryError>, Problem> {
    let (hook, sealed) = app.store.hook(id)?.ok_or_else(|| Problem::missing("webhook"))?;
    app.audit(who, "test webhook", &hook.name)?;
    notice::send(app, (&hook, &sealed), &notice::test(app, &hook))
}

/// Removes a webhook. Its schedules send no more messages.
pub(crate) fn end(app: &App, who: &Requester, id: i64) -> Result<(), Problem> {
    let (hook, _) = app.store.hook(id)?.ok_or_else(|| Problem::missing("webhook"))?;
    app.store.end_hook(id)?;
    app.audit(who, "remove webhook", &hook.name)
}

fn check_url(url: &str, format: Format) -> Result<(), Problem> {
    // What was given may be a secret, so it is not repeated.
    let wrong = |why: String| Problem::field("url", "", "a URL of http or https", why);
    if !is_url(url, format.has_secret_url()) {
        let query = if format.has_secret_url() { "" } else { "a query, " };
        let why = format!(
            "Write a URL of http or https without {query}a fragment or a password, such as \
             https://ci.example.com/hook."
        );
        return Err(wrong(why));
    }
    if let Some(address) = address(url).filter(|address| is_barred(*address)) {
        let why = format!(
            "{address} is an address that nothing of this site is sent to: it is link-local, multicast, broadcast or \
             unspecified."
        );
        return Err(wrong(why));
    }
    Ok(())
}

fn check_recipients(to: &[String], format: Format) -> Result<(), Problem> {
    let wrong = |given: &str, why: String| {
        let wanted = "addresses such as team@example.com, for mail";
        Err(Problem::field("to", given, wanted, why))
    };
    if format != Format::Mail {
        let is_none = to.is_empty();
        return if is_none { Ok(()) } else { wrong(&to[0], "Only mail has addresses.".to_owned()) };
    }
    if to.is_empty() || to.len() > ADDRESSES_MAX {
        let why = format!("Mail needs 1 to {ADDRESSES_MAX} addresses, one a line.");
        return wrong(&format!("{} addresses", to.len()), why);
    }
    match to.iter().find(|address| !is_mail(address)) {
        Some(other) => {
            wrong(other, format!("'{other}' is no address; write one such as team@example.com."))
        }
        None => Ok(()),
    }
}

fn is_mail(text: &str) -> bool {
    let is_plain =
        text.chars().all(|letter| letter.is_ascii_graphic() && !",;<>\"()".contains(letter));
    let parts = text.split_once('@').filter(|(name, host)| !name.is_empty() && !host.is_empty());
    is_plain && text.len() <= ADDRESS_MAX && parts.is_some_and(|(_, host)| !host.contains('@'))
}

fn is_url(text: &str, may_have_query: bool) -> bool {
    let plain = text.len() <= URL_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let uri: Option<Uri> = text.parse().ok();
    let has_place = uri.is_some_and(|uri| {
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        known
            && (may_have_query || uri.query().is_none())
            && uri.authority().is_some_and(|of| !of.as_str().contains('@'))
    });
    plain && has_place && !text.contains('#')
}

/// What is shown of a URL that is a secret.
fn host_of(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let of = |uri: Uri| Some(format!("{}://{}/", uri.scheme_str()?, uri.authority()?));
    uri.and_then(of).unwrap_or_default()
}

/// The address that a URL names, if it names one. What a name resolves to is checked when a message is sent.
fn address(url: &str) -> Option<IpAddr> {
    let uri: Uri = url.parse().ok()?;
    uri.host()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_url_with_a_barred_address_is_recognized() {
        for (url, barred) in [
            ("http://169.254.169.254/latest", true),
            ("http://[::ffff:169.254.169.254]:80/", true),
            ("https://[fe80::1]/", true),
            ("http://0.0.0.0:8080/", true),
            ("http://224.0.0.1/", true),
            ("http://127.0.0.1:8080/", false),
            ("http://10.1.0.7/", false),
            ("https://ci.example.com/", false),
        ] {
            assert_eq!(address(url).is_some_and(is_barred), barred, "{url}");
        }
    }

    #[test]
    fn webhook_url_is_validated() {
        for (text, fits) in [
            ("https://ci.example.com/hook", true),
            ("http://10.1.0.7:8080/", true),
            ("http://[2001:db8::1]/x", true),
            ("ftp://ci.example.com/", false),
            ("/hook", false),
            ("https://me:secret@ci.example.com/", false),
            ("https://ci.example.com/?a=b", false),
            ("https://ci.example.com/#x", false),
            ("https://ci.example.com/a b", false),
            ("", false),
        ] {
            assert_eq!(is_url(text, false), fits, "{text}");
        }
    }

    #[test]
    fn webhook_secret_url_shows_only_its_host() {
        let url = "https://flow.example.com:443/workflows/1/run?api-version=1&sig=s3cret";
        assert!(is_url(url, true) && !is_url(url, false));
        assert_eq!(host_of(url), "https://flow.example.com:443/");
        assert!(!is_url("https://me:x@flow.example.com/?sig=1", true));
    }

    #[test]
    fn webhook_mail_address_is_validated() {
        for (text, fits) in [
            ("team@example.com", true),
            ("a+b@x", true),
            ("team", false),
            ("a@b@c", false),
            ("Ada <a@b>", false),
            ("a@b,c@d", false),
            ("@b", false),
        ] {
            assert_eq!(is_mail(text), fits, "{text}");
        }
    }
}
