//! [`TokenReply`]: what the token endpoint of a provider answers (RFC 6749, section 5).

use serde::Deserialize;

/// Tokens that a provider issued.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct TokenReply {
    /// Who signed in. A renewal may leave it out.
    pub id_token: Option<String>,
    /// Authorizes the request for the user info.
    pub access_token: Option<String>,
    /// Authorizes the request for the next tokens, if the provider issues any.
    pub refresh_token: Option<String>,
}

#[derive(Deserialize)]
struct ErrorReply {
    error: String,
    error_description: Option<String>,
}

/// Why the token endpoint issued no tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// An answer of success without tokens.
    #[error("its tokens cannot be read")]
    Form,
    /// Another status, without a reason.
    #[error("it answered the request for tokens with {0}")]
    Status(u16),
    /// What was given is no longer valid: a code that was used, or a session that has ended.
    #[error("{0}")]
    Ended(String),
    /// Another reason, in the provider's words.
    #[error("{0}")]
    Refused(String),
}

/// Reads an answer of this status.
pub fn read_reply(status: u16, text: &[u8]) -> Result<TokenReply, ReplyError> {
    if status == 200 {
        return serde_json::from_slice(text).map_err(|_| ReplyError::Form);
    }
    let ErrorReply { error, error_description } =
        serde_json::from_slice(text).map_err(|_| ReplyError::Status(status))?;
    let more = error_description.map(|more| format!(" ({})", super::words(&more)));
    let reason = super::words(&error) + &more.unwrap_or_default();
    let is_ended = status == 400 && error == "invalid_grant";
    Err(if is_ended { ReplyError::Ended(reason) } else { ReplyError::Refused(reason) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_reply_tells_tokens_from_errors() {
        let tokens = read_reply(200, br#"{"id_token": "a.b.c", "token_type": "Bearer"}"#).ok();
        assert_eq!(tokens.and_then(|tokens| tokens.id_token).as_deref(), Some("a.b.c"));
        let refused = r#"{"error": "invalid_grant", "error_description": "Code not\nvalid"}"#;
        let reason = || "invalid_grant (Code not valid)".to_owned();
        for (status, text, expected) in [
            (400, refused, ReplyError::Ended(reason())),
            (401, refused, ReplyError::Refused(reason())),
            (400, "{}", ReplyError::Status(400)),
            (400, "<html>", ReplyError::Status(400)),
            (200, "<html>", ReplyError::Form),
        ] {
            assert_eq!(
                read_reply(status, text.as_bytes()).err(),
                Some(expected),
                "{status} {text}"
            );
        }
    }
}
