//! [`Format`]: the formats of messages to webhooks.

use serde_json::{Value, json};

use super::Notice;

/// The words of the link.
const OPEN: &str = "Open it";

/// What a webhook takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON for programs, with everything that is known.
    #[default]
    Json,
    /// An incoming webhook of Slack, or of what imitates it.
    Slack,
    /// A workflow of Microsoft Teams that begins with a webhook request.
    Teams,
    /// JSON with recipients, a subject and a text, for a service that sends mail.
    Mail,
}

impl Format {
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Slack, Self::Teams, Self::Mail];

    /// Its name in forms and in the database.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::Mail => "mail",
        }
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Json => "JSON, for programs",
            Self::Slack => "Slack",
            Self::Teams => "Microsoft Teams",
            Self::Mail => "Mail, sent by a service",
        }
    }

    pub(crate) fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.key() == key)
    }

    /// Whether who knows the URL may post messages: then it is stored and shown like a password.
    pub(crate) const fn has_secret_url(self) -> bool {
        !matches!(self, Self::Json)
    }

    /// The body of a message.
    pub(super) fn body(self, notice: &Notice, to: &[String]) -> Value {
        let Notice { title, sentence, link, message, .. } = notice;
        match self {
            Self::Json => message.clone(),
            Self::Slack => {
                let [title, sentence, link] = [title, sentence, link].map(|text| for_slack(text));
                let linked = format!("*{title}*: {sentence} <{link}|{OPEN}>");
                json!({
                    "text": format!("{title}: {sentence} {link}"),
                    "blocks": [{ "type": "section", "text": { "type": "mrkdwn", "text": linked } }],
                })
            }
            Self::Teams => json!({
                "type": "message",
                "attachments": [{
                    "contentType": "application/vnd.microsoft.card.adaptive",
                    "contentUrl": null,
                    "content": card(notice),
                }],
            }),
            Self::Mail => json!({
                "to": to,
                "subject": format!("{title}: {sentence}").chars().take(200).collect::<String>(),
                "text": format!("{title}: {sentence}\n\n{link}\n"),
            }),
        }
    }
}

/// A card. Its text has no markup, so names cannot add any.
fn card(notice: &Notice) -> Value {
    let Notice { title, sentence, link, .. } = notice;
    json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "fallbackText": format!("{title}: {sentence} {link}"),
        "body": [{ "type": "RichTextBlock", "inlines": [
            { "type": "TextRun", "text": format!("{title}: "), "weight": "bolder" },
            { "type": "TextRun", "text": sentence },
        ] }],
        "actions": [{ "type": "Action.OpenUrl", "title": OPEN, "url": link }],
    })
}

/// A text in which Slack sees no markup.
fn for_slack(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace(['*', '`', '~'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice() -> Notice {
        Notice {
            id: "n".to_owned(),
            title: "Logins <!channel> [x](y)".to_owned(),
            sentence: "p99 was 8.1 ms & more".to_owned(),
            link: "https://load.example.com/runs/0a1b".to_owned(),
            message: json!({ "type": "run.ended" }),
        }
    }

    #[test]
    fn webhook_formats_contain_sentence_and_link_without_markup() {
        let body = |format: Format| format.body(&notice(), &["ada@example.com".to_owned()]);
        assert_eq!(body(Format::Json), json!({ "type": "run.ended" }));
        let slack = body(Format::Slack);
        let wanted = "*Logins &lt;!channel&gt; [x](y)*: p99 was 8.1 ms &amp; more \
                      <https://load.example.com/runs/0a1b|Open it>";
        assert_eq!(slack["blocks"][0]["text"]["text"], wanted);
        let text = slack["text"].as_str().unwrap_or_default();
        assert!(text.ends_with("more https://load.example.com/runs/0a1b"), "{text}");
        let teams = body(Format::Teams);
        let card = &teams["attachments"][0]["content"];
        assert_eq!(card["body"][0]["inlines"][1]["text"], "p99 was 8.1 ms & more");
        assert_eq!(card["actions"][0]["url"], "https://load.example.com/runs/0a1b");
        let mail = body(Format::Mail);
        assert_eq!(mail["to"], json!(["ada@example.com"]));
        assert_eq!(mail["subject"], "Logins <!channel> [x](y): p99 was 8.1 ms & more");
        let text = "Logins <!channel> [x](y): p99 was 8.1 ms & more\n\n\
                    https://load.example.com/runs/0a1b\n";
        assert_eq!(mail["text"], text);
    }

    #[test]
    fn webhook_format_keys_are_unique() {
        for format in Format::ALL {
            assert_eq!(Format::from_key(format.key()), Some(format));
        }
        assert_eq!(Format::from_key("fax"), None);
    }
}
