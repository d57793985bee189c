//! The text of a body, with its secrets replaced by variables.
//!
//! The shape of a text decides how it is read, not its declared type: scripts send JSON as `text/plain`, and cURL
//! declares everything a form unless an option gives another type. Only the values of secrets are replaced and every
//! other byte stays, so a text may be malformed, or have holes already. All texts are in the notation of plans.

use crate::notation::literal;
use crate::pairs;
use crate::secrets::Variables;
use brunt_redact::is_secret_name;
use std::ops::Range;

/// A text of any type with its secrets replaced.
pub(crate) fn text(text: &str, variables: &mut Variables) -> String {
    shaped(text, variables).unwrap_or_else(|| pairs::text(text, variables))
}

/// A text that is JSON, XML or a form of several parts by its shape, with its secrets replaced.
pub(crate) fn shaped(text: &str, variables: &mut Variables) -> Option<String> {
    match text.trim_start().as_bytes().first()? {
        b'{' | b'[' => Some(json(text, variables)),
        b'<' => Some(xml(text, variables)),
        b'-' => parts(text, variables),
        _ => None,
    }
}

/// The content of a part of a form.
pub(crate) fn part(name: &str, content: &str, variables: &mut Variables) -> String {
    if is_secret_name(name) {
        variables.secret(name, content, &format!("what the part '{name}' of a form held"))
    } else {
        text(content, variables)
    }
}

/// A note about the secrets in a body that is not text, which cannot have variables.
pub(crate) fn left_in(bytes: &[u8], variables: &Variables) -> Option<String> {
    let mut found = variables.none_yet();
    text(&literal(&String::from_utf8_lossy(bytes)), &mut found);
    let names: Vec<String> = found.into_list().into_iter().map(|known| known.name).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("a body is not text, so secrets stay in the file that contains it: {names}")
    })
}

/// A text whose pieces are replaced from the front to the back.
struct Replaced<'a> {
    text: &'a str,
    out: String,
    /// Up to where it was copied.
    kept: usize,
}

impl<'a> Replaced<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, out: String::with_capacity(text.len()), kept: 0 }
    }

    fn replace(&mut self, range: Range<usize>, by: &str) {
        self.out.push_str(&self.text[self.kept..range.start]);
        self.out.push_str(by);
        self.kept = range.end;
    }

    fn finish(self) -> String {
        self.out + &self.text[self.kept..]
    }
}

/// JSON: texts and numbers that are the value of a member whose name is that of a secret.
/// `{"name":"password","value":"x"}` is such a member too: the callbacks of OpenAM and recordings write members like
/// that.
fn json(text: &str, variables: &mut Variables) -> String {
    let mut out = Replaced::new(text);
    let mut before: Option<Range<usize>> = None;
    let mut named = None;
    let mut at = 0;
    while let Some(string) = quoted(text, at, '"') {
        at = string.end + 1;
        let key = before.replace(string.clone());
        let between = key.as_ref().map_or("{", |key| &text[key.end + 1..string.start - 1]);
        if between.contains(['{', '}']) {
            named = None;
        }
        // A text that is the value of the last one, or else the name of a number.
        let is_value = between.trim() == ":";
        let (key, value) = match (key.filter(|_| is_value), number(text, at)) {
            (Some(key), _) => (key, string),
            (None, Some(number)) => (string, number),
            (None, None) => continue,
        };
        let (key, inside) = (unescaped(&text[key]), &text[value.clone()]);
        if key == "name" {
            named = Some(unescaped(inside));
        }
        let name = named.as_ref().filter(|_| key == "value").unwrap_or(&key);
        if is_secret_name(name) && (is_value || names_it(name)) {
            let comment = format!("what the member '{name}' of a body held");
            out.replace(value, &variables.secret(name, inside, &comment));
        }
    }
    out.finish()
}

/// Whether a name is that of the secret itself, and not of a number about one: `max_tokens`, `password_age`.
fn names_it(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = ["password", "passwd", "passphrase", "pass", "pw", "pwd", "secret", "token", "key"];
    ends.iter()
        .chain(&["credential", "sid", "session_id", "sessionid"])
        .any(|end| lower.ends_with(end))
}

/// The number that follows the name of a member which ends before `at`.
fn number(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.trim_start().strip_prefix(':')?.trim_start();
    let from = text.len() - rest.len();
    let length = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
    let length = length.unwrap_or(rest.len());
    (length > 0).then(|| from..from + length)
}

/// The next text in quotes from `at` on, without its quotes.
fn quoted(text: &str, at: usize, quote: char) -> Option<Range<usize>> {
    let from = at + text.get(at..)?.find(quote)? + 1;
    let mut escaped = false;
    let end = text[from..].find(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(from..from + end)
}

/// A text of JSON without its escapes.
fn unescaped(inside: &str) -> String {
    serde_json::from_str(&format!("\"{inside}\"")).unwrap_or_else(|_| inside.to_owned())
}

/// XML: attributes and elements with text whose names are those of secrets, in any namespace.
fn xml(text: &str, variables: &mut Variables) -> String {
    let mut out = Replaced::new(text);
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|open| at + open + 1) {
        let length = text[open..].find('>').unwrap_or(text.len() - open);
        let tag = &text[open..open + length];
        at = open + length;
        if tag.starts_with(['/', '!', '?']) {
            continue;
        }
        attributes(text, open..at, &mut out, variables);
        let name = local(tag.split(|c: char| c.is_whitespace() || c == '/').next());
        if tag.ends_with('/') || !is_secret_name(name) || at == text.len() {
            continue;
        }
        let content = content(text, at + 1);
        if !text[content.clone()].trim().is_empty() {
            let comment = format!("what the element '{name}' of a body held, as XML writes it");
            at = content.end;
            let stands = variables.secret(name, &text[content.clone()], &comment);
            out.replace(content, &stands);
        }
    }
    out.finish()
}

/// The attributes of the tag at `tag`.
fn attributes(text: &str, tag: Range<usize>, out: &mut Replaced<'_>, variables: &mut Variables) {
    let mut at = tag.start;
    while let Some(equals) = text[at..tag.end].find('=').map(|equals| at + equals) {
        let spaces = text[equals + 1..tag.end].len() - text[equals + 1..tag.end].trim_start().len();
        let from = equals + 1 + spaces;
        let quote = text[from..tag.end].chars().next().filter(|c| matches!(c, '"' | '\''));
        let end = quote.and_then(|quote| text[from + 1..tag.end].find(quote));
        let (Some(_), Some(length)) = (quote, end) else { return };
        let value = from + 1..from + 1 + length;
        let full = text[at..equals].trim().rsplit(char::is_whitespace).next();
        let name = local(full);
        at = value.end + 1;
        if !full.is_some_and(|full| full.starts_with("xmlns")) && is_secret_name(name) {
            let comment = format!("what the attribute '{name}' of a body held, as XML writes it");
            let stands = variables.secret(name, &text[value.clone()], &comment);
            out.replace(value, &stands);
        }
    }
}

/// A name without its namespace.
fn local(name: Option<&str>) -> &str {
    name.and_then(|name| name.rsplit(':').next()).unwrap_or_default()
}

/// The text at the beginning of an element: up to the next tag, or within a CDATA section.
fn content(text: &str, from: usize) -> Range<usize> {
    const OPEN: &str = "<![CDATA[";
    let (from, end) =
        if text[from..].starts_with(OPEN) { (from + OPEN.len(), "]]>") } else { (from, "<") };
    from..text[from..].find(end).map_or(text.len(), |length| from + length)
}

/// A form of several parts (RFC 7578), whose first line is its delimiter.
fn parts(text: &str, variables: &mut Variables) -> Option<String> {
    let delimiter = text.lines().next()?.trim_end();
    let named = delimiter.strip_prefix("--").is_some_and(|boundary| !boundary.is_empty());
    let whole = text.split(delimiter).count() > 2;
    let pieces = named.then(|| text.split(delimiter)).filter(|_| whole)?;
    let replaced = pieces.map(|piece| {
        let Some((name, content)) = disposed(piece) else { return piece.to_owned() };
        let stands = part(name, &piece[content.clone()], variables);
        [&piece[..content.start], &stands, &piece[content.end..]].concat()
    });
    Some(replaced.collect::<Vec<_>>().join(delimiter))
}

/// The name of a part, and where its content is.
fn disposed(piece: &str) -> Option<(&str, Range<usize>)> {
    let ends = ["\r\n\r\n", "\n\n"];
    let from = ends.iter().filter_map(|end| Some(piece.find(end)? + end.len())).min()?;
    let disposition = piece[..from].lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    let name = disposition.split(';').find_map(|message| message.trim().strip_prefix("name="))?;
    let content = &piece[from..];
    let content = content.strip_suffix('\n').unwrap_or(content);
    let content = content.strip_suffix('\r').unwrap_or(content);
    Some((name.trim_matches('"'), from..from + content.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secrets;
    use proptest::prelude::*;

    fn named(given: &str) -> String {
        text(given, &mut Variables::new(Secrets::Named))
    }

    #[test]
    fn secrets_in_json_members_become_variables() {
        let text = "{ \"user\" : \"p\\\"w\", \"list\":[{\"Password\" :\n \"p\\\"w\"}], \"n\": 1.50, \"password\":7 }";
        assert_eq!(
            named(text),
            "{ \"user\" : \"p\\\"w\", \"list\":[{\"Password\" :\n \"${Password}\"}], \"n\": 1.50, \
             \"password\":${password} }"
        );
        for (given, expected) in [
            (r#"{"token_type":"x"}"#, r#"{"token_type":"x"}"#),
            (r#"{"user":"${U}","pwd":"x"}"#, r#"{"user":"${U}","pwd":"${pwd}"}"#),
            (r#"{"n":${N},"p\u0061ss":"x""#, r#"{"n":${N},"p\u0061ss":"${pass}""#),
            (r#"{"pwd":"${P}","secret":""}"#, r#"{"pwd":"${P}","secret":""}"#),
            (
                r#"[{"name":"IDToken2","value":"x"},{"value":"y"}]"#,
                r#"[{"name":"IDToken2","value":"${IDToken2}"},{"value":"y"}]"#,
            ),
            (r#"{"pwd":"cut"#, r#"{"pwd":"cut"#),
        ] {
            assert_eq!(named(given), expected, "{given}");
        }
    }

    #[test]
    fn secrets_in_xml_become_variables() {
        for (given, expected) in [
            (
                "<a><password>x</password><b>c</b></a>",
                "<a><password>${password}</password><b>c</b></a>",
            ),
            (
                "<?xml version=\"1.0\"?>\n<s:Password Type='t'>x&amp;y</s:Password>",
                "<?xml version=\"1.0\"?>\n<s:Password Type='t'>${Password}</s:Password>",
            ),
            ("<secret><![CDATA[<x>]]></secret>", "<secret><![CDATA[${secret}]]></secret>"),
            ("<user name=\"a\" pwd = 'x'/>", "<user name=\"a\" pwd = '${pwd}'/>"),
            (
                "<UsernameToken xmlns:token=\"urn:t\"> <Username>a</Username></UsernameToken>",
                "<UsernameToken xmlns:token=\"urn:t\"> <Username>a</Username></UsernameToken>",
            ),
            ("<!-- <pwd>x --><pwd/>", "<!-- <pwd>x --><pwd/>"),
            ("<pwd", "<pwd"),
        ] {
            assert_eq!(named(given), expected, "{given}");
        }
    }

    #[test]
    fn secrets_in_multipart_and_forms_become_variables() {
        let parts = |secret: &str, inside: &str| {
            format!(
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n{secret}\r\n--b\r\n\
                 content-disposition: form-data; filename=\"f\"; name=doc\r\nContent-Type: application/json\r\n\r\n\
                 {{\"pwd\":\"{inside}\"}}\r\n--b--\r\n"
            )
        };
        assert_eq!(named(&parts("a\r\nb", "x")), parts("${password}", "${pwd}"));
        for (given, expected) in [
            ("user=a\r\npassword=x\r\n", "user=a\r\npassword=${password|form}\r\n"),
            ("a=1&password=x y!", "a=1&password=${password}"),
            ("${U}=1&pwd=${P}", "${U}=1&pwd=${P}"),
            ("the password = is \"x\"", "the password = is \"x\""),
            ("-- a list\n- password", "-- a list\n- password"),
        ] {
            assert_eq!(named(given), expected, "{given}");
        }
    }

    #[test]
    fn secrets_in_binary_bodies_are_noted() {
        let bytes = b"--b\r\nContent-Disposition: form-data; name=\"pwd\"\r\n\r\nx\r\n--b\r\n\r\n\xff\r\n--b--";
        let note = |secrets| left_in(bytes, &Variables::new(secrets));
        assert!(note(Secrets::Named).unwrap().ends_with("contains it: pwd"));
        assert_eq!(note(Secrets::Kept), None);
        assert_eq!(left_in(b"\xff\xfe", &Variables::new(Secrets::Named)), None);
    }

    proptest! {
        #[test]
        fn secrets_parser_accepts_arbitrary_text(given in "[-<{][a-z=:\"'{}<>/!\\\\ é\n&;$\\[-]{0,200}") {
            text(&given, &mut Variables::new(Secrets::Named));
        }
    }
}
