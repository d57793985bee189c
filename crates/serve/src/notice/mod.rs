//! [`Notice`]: a message to a webhook, in the format that it accepts, and how it is sent.
//!
//! Messages are signed as Standard Webhooks defines (`webhook-id`, `webhook-timestamp`, `webhook-signature`), with a
//! key that only the site and the receiver have, in every format: a relay in front of a service without support for
//! signatures can verify them.

mod format;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_envelope::Delivery;
use ring::hmac;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Secret;
use crate::child::ChildError;
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::store::Hook;

pub(crate) use format::Format;

/// The prefix of a webhook's key, in the form in which the receiver gets it.
const KEY_BEGINS: &str = "whsec_";

/// A message to a webhook.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// The same for each attempt, so that a receiver can detect duplicates.
    pub(crate) id: String,
    /// What it is about, in a few words.
    pub(crate) title: String,
    /// The result, in a sentence.
    pub(crate) sentence: String,
    /// The whole address of the page about it.
    pub(crate) link: String,
    /// The message of the format for programs.
    pub(crate) message: Value,
}

/// Makes a key for a webhook, and seals it, with the URL if that is a secret. The sealed form is bound to the webhook
/// as it is given.
pub(crate) fn sealed_key(app: &App, hook: &Hook, url: &str) -> Result<(String, Vec<u8>), Problem> {
    let secret = Secret::new().map_err(Problem::bug)?;
    let key = format!("{KEY_BEGINS}{}", BASE64.encode(secret.bytes()));
    let kept = if hook.format.has_secret_url() { format!("{key}\n{url}") } else { key.clone() };
    let sealed = app.vault.seal_key(hook, &kept).map_err(Problem::bug)?;
    Ok((key, sealed))
}

/// Why a notice did not arrive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeliveryError {
    #[error("its key was encrypted with another secrets.key; add it again")]
    OtherKey,
    #[error("its key is not valid; add it again")]
    Key,
    #[error(transparent)]
    Child(#[from] ChildError),
}

/// Sends a notice to a webhook, and stores the result. The inner error is the reason why it did not arrive.
pub(crate) fn send(
    app: &App,
    (hook, sealed): (&Hook, &[u8]),
    notice: &Notice,
) -> Result<Result<(), DeliveryError>, Problem> {
    let sent = deliver(app, (hook, sealed), notice);
    let result = sent.as_ref().err().map_or("it arrived".to_owned(), ToString::to_string);
    app.store.hook_tried(hook.id, app.now(), &result)?;
    Ok(sent)
}

/// A notice that nothing happened: to find out whether a webhook arrives.
pub(crate) fn test(app: &App, hook: &Hook) -> Notice {
    let (at, link) = (rfc3339(app.now()), format!("{}/schedules", app.origin()));
    let sentence = "This is a test message; nothing was run.".to_owned();
    Notice {
        id: format!("test-{}-{}", hook.id, app.now()),
        title: "brunt".to_owned(),
        message: json!({
            "type": "test",
            "timestamp": at,
            "data": { "sentence": sentence, "link": link },
        }),
        sentence,
        link,
    }
}

fn deliver(
    app: &App,
    (hook, sealed): (&Hook, &[u8]),
    notice: &Notice,
) -> Result<(), DeliveryError> {
    let kept = app.vault.unseal_key(hook, sealed).ok_or(DeliveryError::OtherKey)?;
    let (key, url) = kept.split_once('\n').unwrap_or((&kept, &hook.url));
    let (at, body) = (app.now(), hook.format.body(notice, &hook.to).to_string());
    let signature = signature(key, &notice.id, at, &body).ok_or(DeliveryError::Key)?;
    let headers = [
        ("webhook-id", notice.id.clone()),
        ("webhook-timestamp", at.to_string()),
        ("webhook-signature", format!("v1,{signature}")),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let delivery = Delivery { url: url.to_owned(), headers, body };
    Ok(app.children.deliver(delivery)?)
}

/// The signature of a message; `None` if the key does not have the form that its receiver got.
fn signature(key: &str, id: &str, at: i64, body: &str) -> Option<String> {
    let key = BASE64.decode(key.strip_prefix(KEY_BEGINS)?).ok()?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let signed = hmac::sign(&key, format!("{id}.{at}.{body}").as_bytes());
    Some(BASE64.encode(signed.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_signature_equals_the_standard_example() {
        // The example of the Standard Webhooks specification's reference libraries.
        let found = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            "{\"test\": 2432232314}",
        );
        assert_eq!(found.as_deref(), Some("g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert_eq!(signature("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "m", 1, ""), None);
    }
}
