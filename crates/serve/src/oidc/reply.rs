//! [`TokenReply`]: what the token endpoint of a provider answers (RFC 6749, section 5).

use serde::Deserialize;

/// Tokens that a provider issued.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct TokenReply {
    /// Who signed in. A renewal may leave it out.
    pub id_token: Option<String>,
    /// What the user info is asked for with.
    pub access_token: Option<String>,
    /// What the next tokens are asked for with, if the provider gives any.
    pub refresh_token: Option<String>,
}

#[derive(Deserialize)]
struct ErrorReply {
    error: String,
    error_description: Option<String>,
}

/// Reads an answer of this status. The error is the provider's reason, or says what is wrong with the answer.
pub fn read_reply(status: u16, text: &[u8]) -> Result<TokenReply, String> {
    if status == 200 {
        return serde_json::from_slice(text).map_err(|_| "its tokens cannot be read".to_owned());
    }
    let error_reply: ErrorReply = serde_json::from_slice(text)
        .map_err(|_| format!("it answered the request for tokens with {status}"))?;
    let more = error_reply.error_description.map(|more| format!(" ({})", super::words(&more)));
    Err(format!("{}{}", super::words(&error_reply.error), more.unwrap_or_default()))
}

/// Whether an answer says that what was given is no longer valid: a code that was used, or a session that has ended.
pub fn is_ended(status: u16, text: &[u8]) -> bool {
    let error_reply: Option<ErrorReply> = serde_json::from_slice(text).ok();
    status == 400 && error_reply.is_some_and(|error_reply| error_reply.error == "invalid_grant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_reply_tells_tokens_from_errors() {
        let tokens = read_reply(200, br#"{"id_token": "a.b.c", "token_type": "Bearer"}"#).ok();
        assert_eq!(tokens.and_then(|tokens| tokens.id_token).as_deref(), Some("a.b.c"));
        let refused = br#"{"error": "invalid_grant", "error_description": "Code not\nvalid"}"#;
        assert_eq!(read_reply(400, refused).err().unwrap(), "invalid_grant (Code not valid)");
        assert!(is_ended(400, refused) && !is_ended(401, refused) && !is_ended(400, b"{}"));
        assert!(read_reply(400, b"<html>").err().unwrap().contains("400"));
        assert!(read_reply(200, b"<html>").is_err());
    }
}
