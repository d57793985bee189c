//! [`starred`]: secrets in texts for people, replaced by stars.

use crate::Escape;

/// The ways in which a value may have been sent.
const SENT_AS: [Escape; 7] = [
    Escape::None,
    Escape::Json,
    Escape::Url,
    Escape::Form,
    Escape::Dn,
    Escape::Filter,
    Escape::Base64,
];
/// Shorter values are parts of other words too often: a text without its `a`s is unreadable, and reveals the secret.
const ANYWHERE: usize = 4;
/// What stands in place of a secret.
const STARS: &str = "***";

/// A text with `***` in place of each of these values, unescaped and escaped in any way. A value of fewer than four
/// characters is replaced only where it stands by itself, between spaces, quotes, `=`, `&` and the like.
pub fn starred<'a>(text: &str, secrets: impl Iterator<Item = &'a [u8]>) -> String {
    let mut shown = text.to_owned();
    for secret in secrets.filter(|secret| !secret.is_empty()) {
        for escape in SENT_AS {
            let mut bytes = secret.to_vec();
            escape.apply(&mut bytes, 0);
            let Ok(secret) = std::str::from_utf8(&bytes) else { continue };
            if !shown.contains(secret) {
                continue;
            }
            shown = match secret.chars().count() {
                ..ANYWHERE => alone(&shown, secret),
                _ => shown.replace(secret, STARS),
            };
        }
    }
    shown
}

/// The text with stars where the secret stands by itself.
fn alone(text: &str, secret: &str) -> String {
    let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(secret) {
        let end = at + secret.len();
        let around = [text[..at].chars().next_back(), text[end..].chars().next()];
        if !around.into_iter().flatten().any(continues) {
            shown.push_str(&text[from..at]);
            shown.push_str(STARS);
            from = end;
        }
    }
    shown.push_str(&text[from..]);
    shown
}

/// Whether this character beside a value makes it a part of a longer one.
fn continues(character: char) -> bool {
    character.is_alphanumeric() || "_-.%+~*".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, secret: &str) -> String {
        starred(text, std::iter::once(secret.as_bytes()))
    }

    #[test]
    fn secret_is_starred_in_every_encoding() {
        assert_eq!(shown("xopensesamex opensesame", "opensesame"), "x***x ***");
        assert_eq!(shown("p=a%20b%26c d=a b&c", "a b&c"), "p=*** d=***");
        assert_eq!(shown("{\"p\": \"a\\\"bc\"}", "a\"bc"), "{\"p\": \"***\"}");
        assert_eq!(shown("abcd", "abcd"), "***");
    }

    #[test]
    fn secret_that_is_short_is_starred_only_as_a_whole_value() {
        let page = "an answer has many a's: {\"pin\":\"a\",\"data\":\"bar\"} /a?a=a&b=banana";
        let expected =
            "an answer has many ***'s: {\"pin\":\"***\",\"data\":\"bar\"} /***?***=***&b=banana";
        assert_eq!(shown(page, "a"), expected);
        assert_eq!(shown("pin=12 412 12.5 x12 '12' 12", "12"), "pin=*** 412 12.5 x12 '***' ***");
        // The last of a word is not the first of the next.
        assert_eq!(shown("aa a", "a"), "aa ***");
        assert_eq!(shown("é caé", "é"), "*** caé");
        for odd in ["*", "**", "***", ".", "-"] {
            assert_eq!(shown("a.b-c ***", odd).matches("***").count(), 1, "{odd}");
        }
    }

    #[test]
    fn secret_that_escaping_lengthens_is_starred_anywhere() {
        assert_eq!(shown("xYQ==x", "a"), "x***x");
        assert_eq!(shown("x%2F%2Fx //", "//"), "x***x ***");
    }
}
