//! Webhooks, as programs of administrators list, add, try and remove them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use crate::call::{Answer, Call};
use crate::changes::hooks::{
    self as changes, ADDRESS_MAX, ADDRESSES_MAX, Draft, NAME_MAX, URL_MAX,
};
use crate::moment::rfc3339;
use crate::notice::Format;
use crate::problem::Problem;
use crate::store::Hook;

/// A webhook that is added.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookRequest {
    /// Its name, which no other webhook has.
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: String,
    /// Where messages are sent. All but those of the format json are kept secret.
    #[schemars(length(min = 1, max = URL_MAX))]
    url: String,
    /// What it takes.
    #[serde(default)]
    format: FormatWord,
    /// For mail: the addresses that receive it.
    #[serde(default)]
    #[schemars(length(max = ADDRESSES_MAX), inner(length(min = 1, max = ADDRESS_MAX)))]
    to: Vec<String>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HookFormat")]
enum FormatWord {
    #[default]
    Json,
    Slack,
    Teams,
    Mail,
}

impl From<FormatWord> for Format {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Json => Self::Json,
            FormatWord::Slack => Self::Slack,
            FormatWord::Teams => Self::Teams,
            FormatWord::Mail => Self::Mail,
        }
    }
}

impl From<Format> for FormatWord {
    fn from(format: Format) -> Self {
        match format {
            Format::Json => Self::Json,
            Format::Slack => Self::Slack,
            Format::Teams => Self::Teams,
            Format::Mail => Self::Mail,
        }
    }
}

/// A webhook, without its key.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Hook")]
pub(crate) struct HookReply {
    id: i64,
    name: String,
    /// Where messages are sent; only the host of it if it is kept secret.
    url: String,
    format: FormatWord,
    /// For mail: the addresses that receive it.
    to: Vec<String>,
    /// Who added it.
    by: String,
    /// When it was added, in RFC 3339.
    at: String,
    /// When a message was last sent, in RFC 3339.
    tried: Option<String>,
    /// What came of that message; empty if there is none.
    #[serde(rename = "told")]
    result: String,
}

/// All webhooks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Hooks {
    hooks: Vec<HookReply>,
}

/// A webhook that was added.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HookMade {
    #[serde(flatten)]
    hook: HookReply,
    /// The key that verifies the signatures of its messages. It is told only this once.
    key: String,
}

/// What came of a test message.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HookTried {
    /// Whether it arrived.
    arrived: bool,
    /// Why it did not; empty otherwise.
    why: String,
}

impl From<Hook> for HookReply {
    fn from(hook: Hook) -> Self {
        let (tried, result) = hook.tried.map(|(at, result)| (rfc3339(at), result)).unzip();
        Self {
            id: hook.id,
            name: hook.name,
            url: hook.url,
            format: hook.format.into(),
            to: hook.to,
            by: hook.by,
            at: rfc3339(hook.at),
            tried,
            result: result.unwrap_or_default(),
        }
    }
}

/// `GET /api/v1/hooks`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let hooks = call.app.store.hooks()?.into_iter().map(HookReply::from);
    Answer::json(&Hooks { hooks: hooks.collect() })
}

/// `POST /api/v1/hooks`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let HookRequest { name, url, format, to } = body::read(call)?;
    let draft = Draft { name, url, format: format.into(), to };
    let (hook, key) = changes::add(&call.app, call.who()?, &draft)?;
    let address = format!("/api/v1/hooks/{}", hook.id);
    Answer::made(&HookMade { hook: hook.into(), key }, &address)
}

/// `POST /api/v1/hooks/{hook}/test`.
pub(crate) fn test(call: &Call) -> Result<Answer, Problem> {
    let sent = changes::test(&call.app, call.who()?, id(call))?;
    let why = sent.as_ref().err().map(ToString::to_string).unwrap_or_default();
    Answer::json(&HookTried { arrived: sent.is_ok(), why })
}

/// `DELETE /api/v1/hooks/{hook}`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::end(&call.app, call.who()?, id(call))?;
    Ok(Answer::empty())
}

fn id(call: &Call) -> i64 {
    call.segment("hook").parse().unwrap_or_default()
}
