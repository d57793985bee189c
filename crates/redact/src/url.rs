//! [`url`]: a URL without the secrets in it.

use crate::HIDDEN;
use crate::names::is_secret_name;
use crate::text;

/// The least length of a path segment that is a secret by its shape.
const OPAQUE_LENGTH: usize = 24;

/// A URL, or a part of one, in which its password, its secret parameters and the secrets in its path are replaced by
/// stars: `mysql://kea:***@db/kea`.
pub fn url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return path_and_query(url) };
    let query = rest.find(['?', '#']).unwrap_or(rest.len());
    let (address, query) = rest.split_at(query);
    // A password in a command line may contain a slash that is not encoded: the last @ ends it.
    let (login, address) = match address.rsplit_once('@') {
        Some((who, host)) => match who.split_once(':') {
            Some((user, _)) => (format!("{user}:{HIDDEN}@"), host),
            None => (format!("{who}@"), host),
        },
        None => (String::new(), address),
    };
    let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    format!("{scheme}://{login}{host}{}", path_and_query(&format!("{path}{query}")))
}

fn path_and_query(text_of: &str) -> String {
    let (path, query) = text_of.split_at(text_of.find(['?', '#']).unwrap_or(text_of.len()));
    let mut shown: Vec<String> = Vec::new();
    let mut before = "";
    for segment in path.split('/') {
        let named = is_secret_name(before) && is_drawn(segment) || is_opaque(segment);
        shown.push(if named { HIDDEN.to_owned() } else { text(segment) });
        before = segment;
    }
    shown.join("/") + &text(query)
}

/// Whether a segment after one such as `token` is the token itself.
fn is_drawn(segment: &str) -> bool {
    segment.len() >= 6
        && !segment.contains("${")
        && segment.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a segment is a secret by its shape: long, of letters of both cases and digits, as keys are.
fn is_opaque(segment: &str) -> bool {
    segment.len() >= OPAQUE_LENGTH
        && !segment.contains("${")
        && segment.bytes().any(|byte| byte.is_ascii_digit())
        && segment.bytes().any(|byte| byte.is_ascii_lowercase())
        && segment.bytes().any(|byte| byte.is_ascii_uppercase())
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~:%*=+".contains(&byte))
        && !segment.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_a_url_are_hidden() {
        for (given, expected) in [
            ("mysql://kea:hunter2@db/kea", "mysql://kea:***@db/kea"),
            ("mysql://kea@db", "mysql://kea@db"),
            ("mysql://kea:p@ss:w@db:3306/", "mysql://kea:***@db:3306/"),
            ("http://h/x?a=1&access_token=pw&b=2", "http://h/x?a=1&access_token=***&b=2"),
            ("/x?access_token=pw", "/x?access_token=***"),
            ("http://h/x#access_token=pw", "http://h/x#access_token=***"),
            ("http://h/a;jsessionid=AB/b", "http://h/a;jsessionid=***/b"),
            ("http://h/reset/token/a1b2c3d4", "http://h/reset/token/***"),
            ("http://h/services/T0/B1/aBcDeFgHiJkLmN0123456789", "http://h/services/T0/B1/***"),
            ("sqlite:/tmp/a@b:c", "sqlite:/tmp/a@b:c"),
        ] {
            assert_eq!(url(given), expected);
        }
    }

    #[test]
    fn url_paths_without_secrets_are_kept() {
        for given in [
            "http://h:8080/auth/realms/demo/protocol/openid-connect/token",
            "http://h/users/7f9c24e5-2f4b-4d5e-9b1a-0c1d2e3f4a5b",
            "http://h/oauth2/token/revoke?user=${user}",
            "http://h/token/${token}",
            "http://[::1]:80/x",
            "--mix",
        ] {
            assert_eq!(url(given), given);
        }
    }
}
