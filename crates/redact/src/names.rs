//! The names whose values are secrets: of headers, of parameters, of members of a document, of columns.

/// Words in the name of a header that make its value a secret.
const HEADER_WORDS: [&str; 13] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "api-key",
    "apikey",
    "api_key",
    "access-key",
    "subscription-key",
    "session",
    "signature",
];

/// Headers whose values are secrets although their names do not show it.
const HEADERS: [&str; 8] = [
    "authorization",
    "cookie",
    "dpop",
    "iplanetdirectorypro",
    "proxy-authorization",
    "set-cookie",
    "x-auth",
    "x-key",
];

/// Words that make a parameter of a URL or a form, a member of a document, or a column a secret.
const WORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "access_key",
    "private_key",
    "credential",
    "assertion",
    "samlresponse",
    "signature",
    "subscription_key",
];

/// Names of secrets that are whole words of their own.
const NAMES: [&str; 13] = [
    "authorization",
    "code_verifier",
    "cookie",
    "jsessionid",
    "jwt",
    "pass",
    "phpsessid",
    "pw",
    "pwd",
    "session_id",
    "sessionid",
    "set_cookie",
    "sid",
];

/// Names that contain one of these words but are not names of secrets.
const NOT: [&str; 8] = [
    "password_policy",
    "passwordpolicy",
    "token_endpoint",
    "token_endpoint_auth_method",
    "token_format",
    "token_type_hint",
    "tokentype",
    "tokens",
];

/// Whether a header with this name, in any case, contains a secret.
pub fn is_secret_header(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    HEADERS.contains(&lower.as_str()) || HEADER_WORDS.iter().any(|word| lower.contains(word))
}

/// Whether the value with this name, in any case, in a query, a form, a document or a file of rows is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase().replace('-', "_");
    let named = NAMES.contains(&lower.as_str())
        || lower.ends_with("_pw")
        || lower.ends_with("bindpw")
        || WORDS.iter().any(|word| lower.contains(word));
    named && !lower.ends_with("_type") && !NOT.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_headers_are_recognized() {
        for name in [
            "Authorization",
            "cookie",
            "Set-Cookie",
            "X-OpenIDM-Password",
            "X-Api-Key",
            "X-Auth-Token",
            "iPlanetDirectoryPro",
            "X-Amz-Credential",
        ] {
            assert!(is_secret_header(name), "{name}");
        }
        for name in ["Accept", "X-Tenant", "X-Request-Id", "User-Agent", "Author"] {
            assert!(!is_secret_header(name), "{name}");
        }
    }

    #[test]
    fn secret_names_are_recognized_in_every_spelling() {
        for name in [
            "password",
            "client_secret",
            "Client-Secret",
            "access_token",
            "tokenId",
            "newPassword",
            "apiKey",
            "bindpw",
            "pwd",
            "JSESSIONID",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "user",
            "token_type",
            "grant_type",
            "client_assertion_type",
            "passport",
            "key",
            "code",
            "state",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
