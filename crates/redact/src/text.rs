//! [`text`]: a text of any kind with its secrets replaced by stars.
//!
//! Text from a server may be cut at any place and have any format, so nothing is parsed: a secret is found by the name
//! before it, as JSON, forms, queries, headers and XML write names, or by its shape. Where the end of a secret is not
//! clear, more is replaced rather than less.

use crate::HIDDEN;
use crate::names::{is_secret_header, is_secret_name};

/// The value of a header, its secrets replaced by stars. The scheme of credentials is kept, and so are the names of
/// cookies, with the attributes of one that is set: `Bearer ***`, `sid=***; theme=***`, `sid=***; Path=/`.
pub fn header(name: &str, given: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if !is_secret_header(&lower) {
        return text(given);
    }
    let cookie = |pair: &str| match pair.split_once('=') {
        Some((name, given)) => format!("{name}={}", value(given)),
        None => value(pair),
    };
    if lower == "cookie" {
        return given.split("; ").map(cookie).collect::<Vec<_>>().join("; ");
    }
    if lower == "set-cookie" {
        let (pair, attributes) = given.split_at(given.find(';').unwrap_or(given.len()));
        return cookie(pair) + &text(attributes);
    }
    match given.split_once(' ').filter(|_| lower.ends_with("authorization")) {
        Some((scheme, rest)) => format!("{scheme} {}", value(rest)),
        None => value(given),
    }
}

/// What is shown of a secret value: only the names of the variables in it, as plans write them.
pub fn value(given: &str) -> String {
    let mut shown = String::new();
    let mut rest = given;
    while let Some(at) = hole(rest) {
        let (before, holes) = rest.split_at(at.start);
        let (this, after) = holes.split_at(at.len());
        shown.push_str(if before.is_empty() { "" } else { HIDDEN });
        shown.push_str(this);
        rest = after;
    }
    shown.push_str(if rest.is_empty() { "" } else { HIDDEN });
    shown
}

/// Where the first variable of a plan stands in a text.
fn hole(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.find("${")?;
    let length = text[start..].find('}')?;
    Some(start..start + length + 1)
}

/// A text with its secrets replaced by stars.
pub fn text(text: &str) -> String {
    let mut scan =
        Scan { text, out: String::with_capacity(text.len()), kept: 0, at: 0, named: false };
    while let Some(byte) = text.as_bytes().get(scan.at) {
        match byte {
            b'=' => scan.assigned(),
            b':' => scan.colon(),
            b'>' => scan.element(),
            b'{' | b'}' => scan.named = false,
            b'@' => scan.login(),
            byte if byte.is_ascii_alphabetic() && scan.begins_word() => scan.word(),
            _ => {}
        }
        scan.at += 1;
    }
    scan.out.push_str(&text[scan.kept..]);
    scan.out
}

/// How far a text has been read. Every position lies between characters, because the scan looks only for ASCII.
struct Scan<'a> {
    text: &'a str,
    out: String,
    /// Up to where it was copied.
    kept: usize,
    at: usize,
    /// Whether a member 'name' of the current object names a secret, whose value is in a member 'value'.
    named: bool,
}

impl<'a> Scan<'a> {
    /// Replaces the text between these positions by stars, and continues after it.
    fn star(&mut self, from: usize, to: usize) {
        if from < to && from >= self.kept {
            self.out.push_str(&self.text[self.kept..from]);
            self.out.push_str(&value(&self.text[from..to]));
            self.kept = to;
        }
        self.at = self.at.max(to.saturating_sub(1));
    }

    /// `name=value`, of forms, queries, cookies, attributes and messages.
    fn assigned(&mut self) {
        let (name, _) = self.name_before(self.at);
        if !is_secret_name(name) {
            return;
        }
        let from = self.at + 1;
        let spaces = self.until(from, |c| c != ' ');
        let (from, to) = self.quoted(spaces).unwrap_or_else(|| {
            let ends = |c: char| c.is_whitespace() || c.is_control() || "&;,\"\\'<>".contains(c);
            (from, self.until(from, ends))
        });
        self.star(from, to);
    }

    /// `"name": value` of JSON, and `Name: value` at the beginning of a line.
    fn colon(&mut self) {
        let (name, start) = self.name_before(self.at);
        let in_quotes = self.text[..self.at].trim_end().ends_with(['"', '\'']);
        let from = self.at + 1;
        let from = from + (self.text[from..].len() - self.text[from..].trim_start().len());
        if !in_quotes {
            let secret = is_secret_header(name) || is_secret_name(name);
            let line = || self.text[..start].rsplit(['\n', '\r']).next().unwrap_or_default();
            if secret && line().trim().is_empty() {
                let same_line = self.until(self.at + 1, |c| !matches!(c, ' ' | '\t'));
                self.star(same_line, self.until(same_line, |c| matches!(c, '\n' | '\r')));
            }
            return;
        }
        if name.eq_ignore_ascii_case("name") {
            let value = self.quoted(from).map(|(from, to)| &self.text[from..to]);
            self.named = value.is_some_and(is_secret_name);
        }
        let of_named = name.eq_ignore_ascii_case("value") && std::mem::take(&mut self.named);
        if of_named || is_secret_name(name) {
            let (from, to) = self.value(from);
            self.star(from, to);
        }
    }

    /// Where a value of JSON lies, as far as it is present. The keywords of JSON are not secrets.
    fn value(&self, from: usize) -> (usize, usize) {
        if let Some(quoted) = self.quoted(from) {
            return quoted;
        }
        let rest = &self.text[from..];
        if rest.starts_with(['[', '{']) {
            return (from, self.nested(from));
        }
        let to = self.until(from, |c| c.is_whitespace() || ",}]".contains(c));
        if matches!(&self.text[from..to], "true" | "false" | "null") {
            return (from, from);
        }
        (from, to)
    }

    /// Where an array or an object that begins at `from` ends.
    fn nested(&self, from: usize) -> usize {
        let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
        for (at, byte) in self.text.bytes().enumerate().skip(from) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'[' | b'{' if !quoted => depth += 1,
                b']' | b'}' if !quoted => {
                    depth -= 1;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.text.len()
    }

    /// The range within the quotes that begin at `from`, which may themselves be escaped: JSON within JSON.
    fn quoted(&self, from: usize) -> Option<(usize, usize)> {
        let rest = &self.text[from..];
        if let Some(inside) = rest.strip_prefix("\\\"") {
            let from = from + 2;
            return Some((from, inside.find("\\\"").map_or(self.text.len(), |at| from + at)));
        }
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => return Some((from + 1, from + at)),
                _ => {}
            }
        }
        Some((from + 1, self.text.len()))
    }

    /// `<name>value<`, of XML.
    fn element(&mut self) {
        let Some(open) = self.text[..self.at].rfind('<') else { return };
        let tag = &self.text[open + 1..self.at];
        let name = tag.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        if !tag.starts_with('/') && !tag.ends_with('/') && is_secret_name(name) {
            let from = self.at + 1;
            self.star(from, self.until(from, |c| c == '<'));
        }
    }

    /// `//user:password@host`.
    fn login(&mut self) {
        let ends = |c: char| c.is_ascii_whitespace() || "/?#\"'<>".contains(c);
        let before = &self.text[self.kept..self.at];
        let start = before.rfind(ends).map_or(0, |at| at + 1);
        if !before[..start].ends_with("//") {
            return;
        }
        if let Some(colon) = before[start..].find(':') {
            let from = self.kept + start + colon + 1;
            self.star(from, self.at);
        }
    }

    /// A secret by its shape: a JSON web token, or the text after the name of a scheme of credentials.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let token = |c: char| !(c.is_ascii_alphanumeric() || "-._~+/=".contains(c));
        if rest.starts_with("eyJ") {
            let to = self.until(self.at, token);
            if self.text[self.at..to].contains('.') {
                self.star(self.at, to);
            }
            return;
        }
        let scheme = ["bearer ", "basic "].into_iter().find(|scheme| {
            rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        if let Some(scheme) = scheme {
            let from = self.at + scheme.len();
            let to = self.until(from, token);
            let parameter = self.text[to..].starts_with('"');
            if !parameter && is_opaque(&self.text[from..to]) {
                self.star(from, to);
            }
        }
    }

    /// Whether a word begins here.
    fn begins_word(&self) -> bool {
        let before = self.text[..self.at].bytes().next_back();
        before.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || b"-_".contains(&byte)))
    }

    /// The name that ends before `at`, without quotes and spaces, and where it begins.
    fn name_before(&self, at: usize) -> (&'a str, usize) {
        let text: &'a str = self.text;
        let before = text[self.kept..at].trim_end_matches([' ', '\t']);
        let before = before.trim_end_matches(['"', '\'', '\\']);
        let named = |c: char| c.is_ascii_alphanumeric() || "_-.$".contains(c);
        let start = before
            .rfind(|c| !named(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        (&before[start..], self.kept + start)
    }

    /// The first position from `from` on whose character satisfies `such`, or the end.
    fn until(&self, from: usize, such: impl Fn(char) -> bool) -> usize {
        self.text[from..].find(such).map_or(self.text.len(), |at| from + at)
    }
}

/// Whether a word looks generated by a machine and not written by a person.
fn is_opaque(word: &str) -> bool {
    if word.len() < 6 || word.trim_end_matches('=').contains('=') {
        return false;
    }
    let mixed = word.as_bytes().windows(2).any(|two| {
        let [first, second] = two else { return false };
        first.is_ascii_lowercase() && second.is_ascii_uppercase()
    });
    mixed || word.ends_with('=') || word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_are_found_in_every_notation() {
        for (given, expected) in [
            (
                r#"{"user":"jo","password":"s3\"cret","n":1}"#,
                r#"{"user":"jo","password":"***","n":1}"#,
            ),
            (
                r#"{ "access_token" : "abc" , "token_type":"Bearer"}"#,
                r#"{ "access_token" : "***" , "token_type":"Bearer"}"#,
            ),
            (r#"{"pin":1,"secret":["a]","b"],"x":[1]}"#, r#"{"pin":1,"secret":***,"x":[1]}"#),
            (
                r#"{"password":12,"passwordExpired":true}"#,
                r#"{"password":***,"passwordExpired":true}"#,
            ),
            (r#"{"tokenId":"cut off"#, r#"{"tokenId":"***"#),
            (r#"{\"password\":\"x\",\"a\":1}"#, r#"{\"password\":\"***\",\"a\":1}"#),
            (
                r#"{"name":"IDToken2","value":"pw"},{"name":"x","value":"y"}"#,
                r#"{"name":"IDToken2","value":"***"},{"name":"x","value":"y"}"#,
            ),
            (
                "grant_type=password&client_secret=x%20y&a=b",
                "grant_type=password&client_secret=***&a=b",
            ),
            ("https://h/?access_token=abc#x", "https://h/?access_token=***"),
            ("/x;jsessionid=AB12?y=1", "/x;jsessionid=***"),
            ("the password='a b' is wrong", "the password='***' is wrong"),
            ("sid=1; theme=dark", "sid=***; theme=dark"),
            (
                "<a><p:password x=\"1\">pw</p:password><b>c</b></a>",
                "<a><p:password x=\"1\">***</p:password><b>c</b></a>",
            ),
            ("X-Api-Key: k 1\r\nAccept: a", "X-Api-Key: ***\r\nAccept: a"),
            ("http://jo:pw@h/x", "http://jo:***@h/x"),
            ("Bearer abc123def", "Bearer ***"),
            ("password = \"p w\" # why", "password = \"***\" # why"),
            ("token=${token}&password=a${b}", "token=${token}&password=***${b}"),
            ("t eyJhbGciOi.eyJzdWI.c2ln, x", "t ***, x"),
        ] {
            let shown = text(given);
            assert_eq!(shown, expected, "{given}");
            assert_eq!(text(&shown), shown, "twice: {given}");
        }
    }

    #[test]
    fn failure_reasons_are_kept() {
        for text_of in [
            r#"{"code":401,"reason":"Unauthorized","message":"Authentication Failed"}"#,
            r#"Bearer realm="x", error="invalid_token", error_description="The token expired""#,
            "Basic realm=\"Keycloak\"",
            "Invalid token: it has expired at 12:30",
            "grant_type=password&username=jo",
            "Basic authentication is required",
            "mail=jo@example.com, see http://h/a@b:c",
            "caf\u{e9}: na\u{ef}ve=\u{1f600}",
        ] {
            assert_eq!(text(text_of), text_of);
        }
    }

    #[test]
    fn headers_are_redacted_by_name() {
        assert_eq!(header("Authorization", "Bearer x y"), "Bearer ***");
        assert_eq!(header("X-API-Key", "a b"), "***");
        assert_eq!(header("Authorization", "Bearer ${token}"), "Bearer ${token}");
        assert_eq!(header("X-Auth-Token", "a-${token}"), "***${token}");
        assert_eq!(header("Cookie", "sid=1; theme=${theme}"), "sid=***; theme=${theme}");
        assert_eq!(header("Set-Cookie", "sid=1=2; Path=/; Secure"), "sid=***; Path=/; Secure");
        assert_eq!(header("set-cookie", "odd"), "***");
        assert_eq!(header("Location", "/x?token=1"), "/x?token=***");
        assert_eq!(header("Accept", "*/*"), "*/*");
    }

    proptest! {
        #[test]
        fn quoted_passwords_are_redacted_in_any_text(
            before in ".{0,40}",
            secret in "[a-zA-Z0-9 ]{12,20}",
            after in ".{0,40}",
        ) {
            let shown = text(&format!("{before}\n{{\"password\":\"{secret}\"}}{after}"));
            prop_assert!(!shown.contains(&secret));
        }

        #[test]
        fn arbitrary_text_never_panics(given in "[a-z=:\"'{}<>@/\\\\ é\u{3000}\n&;$]{0,200}") {
            text(&given);
        }
    }
}
