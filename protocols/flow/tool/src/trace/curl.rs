//! [`CurlLine`]: a request over HTTP as a command line of curl, to be pasted into a shell.
//!
//! It sends what the exchange sent: the method, the URL, every header, no header that curl would add by itself, and the
//! body. What is replaced by stars is so here as well, and a note says where the reader has to fill something in. A
//! value that a terminal might act on is written as `$'..'`, which bash, zsh and ksh read.

use brunt_exchange::{Layout, inert};
use brunt_flow_driver::TracedExchange;
use brunt_flow_driver::trace::{Bytes, TracedRequest};
use brunt_http_driver::{Proxy, Settings, Version};
use brunt_net::tls::{self, Trust};
use brunt_redact::HIDDEN;
use std::fmt::Write as _;

/// The headers that curl sends by default, and whether only with a body.
const OF_CURL: [(&str, bool); 3] =
    [("Accept", false), ("User-Agent", false), ("Content-Type", true)];
/// The characters of words that need no quotes.
const PLAIN: &str = "-_./:=,@%+";

/// What a run's settings mean for every line of curl.
#[derive(Clone, Debug)]
pub(crate) struct CurlOptions {
    version: Version,
    /// Words for every line.
    words: Vec<String>,
    /// Words for `https`.
    secured: Vec<String>,
    /// What no word can express, for `https`.
    notes: Vec<&'static str>,
    proxy: Option<Proxy>,
    redirects: u8,
    cookies: bool,
}

/// A command line of curl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CurlLine {
    /// The line.
    pub(crate) line: String,
    /// What its reader has to know and to fill in.
    pub(crate) notes: Vec<String>,
}

impl CurlOptions {
    /// The options for the requests of a run with these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let mut words = Vec::new();
        if let Some(path) = &settings.unix {
            words.extend(["--unix-socket".to_owned(), path.display().to_string()]);
        }
        for resolve in &settings.resolve {
            let to = format!("{}:{}", resolve.host, resolve.port);
            words.extend(["--connect-to".to_owned(), format!("{to}:{}", resolve.to)]);
        }
        let (secured, notes) = settings.tls.as_ref().map(self::secured).unwrap_or_default();
        let proxy = settings.proxy.clone().filter(|_| settings.unix.is_none());
        let Settings { version, redirects, cookies, .. } = *settings;
        Self { version, words, secured, notes, proxy, redirects, cookies }
    }

    /// The line of an exchange, if it is a request over HTTP.
    pub(crate) fn line(&self, exchange: &TracedExchange) -> Option<CurlLine> {
        let Some(TracedRequest::Http { method, url, fields, body }) = &exchange.request else {
            return None;
        };
        // These methods have no body.
        let empty = Bytes { text: Some(String::new()), length: 0, cut: false };
        let has_body = ["POST", "PUT", "PATCH"].contains(&method.as_str());
        let body = body.as_ref().or(has_body.then_some(&empty));
        let mut words = vec!["curl".to_owned()];
        words.extend(self.connection(url));
        if url.contains(['[', ']', '{', '}']) {
            words.push("--globoff".to_owned());
        }
        if ["/../", "/./"].iter().any(|dots| url.contains(dots)) || url.ends_with("/..") {
            words.push("--path-as-is".to_owned());
        }
        if !exchange.hops.is_empty() {
            // The cookies of a redirect are sent to where it leads.
            if self.cookies {
                words.extend(["--cookie", ""].map(str::to_owned));
            }
            words.extend(["--location", "--max-redirs"].map(str::to_owned));
            words.push(self.redirects.to_string());
        }
        words.extend(method_words(method, body.is_some()));
        words.extend(header_words(fields, body.is_some()));
        words.extend(body.map(body_words).into_iter().flatten());
        words.push(url.clone());
        let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        Some(CurlLine { line, notes: self.notes(url, fields, body) })
    }

    /// The words about the connection to a URL.
    fn connection(&self, url: &str) -> Vec<String> {
        let secure = is_secure(url);
        let version = match self.version {
            Version::Http1 if secure => Some("--http1.1"),
            Version::Http2 if secure => Some("--http2"),
            Version::Http2 | Version::Http2PriorKnowledge => Some("--http2-prior-knowledge"),
            Version::Http1 | Version::Negotiate => None,
        };
        let mut words: Vec<String> = version.map(str::to_owned).into_iter().collect();
        words.extend(self.words.iter().cloned());
        words.extend(self.secured.iter().filter(|_| secure).cloned());
        if let Some(proxy) = self.proxy_of(url) {
            let scheme = if proxy.secure { "https" } else { "http" };
            let host = &proxy.host;
            let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
            words.extend(["--proxy".to_owned(), format!("{scheme}://{host}:{}", proxy.port)]);
            if proxy.credentials.is_some() {
                words.extend(["--proxy-user".to_owned(), HIDDEN.to_owned()]);
            }
        }
        words
    }

    /// The proxy on the way to a URL.
    fn proxy_of(&self, url: &str) -> Option<&Proxy> {
        let proxy = self.proxy.as_ref()?;
        let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
        let named = authority.rsplit('@').next()?;
        let (host, port) = match named.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (named, if is_secure(url) { 443 } else { 80 }),
        };
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        Some(proxy).filter(|proxy| !proxy.except.hold(&host, port))
    }

    fn notes(&self, url: &str, fields: &[(String, String)], body: Option<&Bytes>) -> Vec<String> {
        let mut starred: Vec<String> = Vec::new();
        if url.contains(HIDDEN) {
            starred.push("the URL".to_owned());
        }
        let hidden = fields.iter().filter(|(_, value)| value.contains(HIDDEN));
        starred.extend(hidden.map(|(name, _)| format!("the header {}", inert(name, Layout::Line))));
        if body.and_then(|body| body.text.as_ref()).is_some_and(|text| text.contains(HIDDEN)) {
            starred.push("the body".to_owned());
        }
        if self.proxy_of(url).is_some_and(|proxy| proxy.credentials.is_some()) {
            starred.push("the user and the password of the proxy".to_owned());
        }
        let mut notes = Vec::new();
        if !starred.is_empty() {
            notes.push(format!("put in what is {HIDDEN}: {}", starred.join(", ")));
        }
        if body.is_some_and(|body| body.cut) {
            let length = body.map_or(0, |body| body.length);
            notes.push(format!("put the whole body, of {length} bytes, into the file 'body'"));
        }
        notes.extend(self.notes.iter().filter(|_| is_secure(url)).map(|note| (*note).to_owned()));
        notes
    }
}

/// The words about TLS, and what has to be added to them.
fn secured(tls: &tls::Options) -> (Vec<String>, Vec<&'static str>) {
    let (mut words, mut notes) = (Vec::new(), Vec::new());
    match tls.trust {
        Trust::Anything => words.push("--insecure".to_owned()),
        Trust::System => {}
        Trust::Stores(_) => notes.push("add --cacert with the certificates that are trusted"),
    }
    if tls.identity.is_some() {
        notes.push("add --cert and --key of the client");
    }
    if tls.lowest == tls::Version::Tls13 {
        words.push("--tlsv1.3".to_owned());
    }
    if tls.highest == tls::Version::Tls12 {
        words.extend(["--tls-max".to_owned(), "1.2".to_owned()]);
    }
    (words, notes)
}

fn is_secure(url: &str) -> bool {
    url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// The words for a method. Curl uses GET, and POST with a body, by default; with -X it would repeat the
/// method after a redirect.
fn method_words(method: &str, has_body: bool) -> Vec<String> {
    match (method, has_body) {
        ("GET", false) | ("POST", true) => Vec::new(),
        ("HEAD", false) => vec!["--head".to_owned()],
        _ => vec!["--request".to_owned(), method.to_owned()],
    }
}

/// The words for the headers, and against those that curl would add. Curl computes the length.
fn header_words(fields: &[(String, String)], has_body: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut header = |line: String| words.extend(["--header".to_owned(), line]);
    let named = |name: &str| fields.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    for (name, value) in
        fields.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"))
    {
        // A name with a colon and nothing behind it is a header that is not sent.
        header(if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") });
    }
    let unsent = OF_CURL.iter().filter(|(name, of_body)| !named(name) && (has_body || !of_body));
    unsent.for_each(|(name, _)| header(format!("{name}:")));
    if named("accept-encoding") {
        words.push("--compressed".to_owned());
    }
    words
}

fn body_words(body: &Bytes) -> [String; 2] {
    match &body.text {
        Some(text) if !body.cut => ["--data-raw".to_owned(), text.clone()],
        _ => ["--data-binary".to_owned(), "@body".to_owned()],
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || PLAIN.contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if inert(word, Layout::Line) == word {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut out = "$'".to_owned();
    for char in word.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\'' | '\\' => out.extend(['\\', char]),
            char if inert(char.encode_utf8(&mut [0; 4]), Layout::Line).starts_with('\\') => {
                // Octal digits, because a hexadecimal number might go on with the text.
                for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            char => out.push(char),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn shell_quoting_round_trips() {
        let words = [
            "plain/word:1",
            "",
            "it's",
            "a \"b\" $c `d` \\e !f",
            "two\nlines\r\n\tand a 'quote' \\ end",
            "\u{1b}[2J\u{9b}0\u{202e}7é",
            "#*?~{a,b}[0]",
        ];
        for word in words {
            let quoted = quoted(word);
            assert!(!quoted.contains(['\n', '\u{1b}', '\u{202e}', '\u{9b}']), "{quoted}");
            let shell = Command::new("bash").args(["-c", &format!("printf %s {quoted}")]).output();
            let message = shell.unwrap().stdout;
            assert_eq!(String::from_utf8_lossy(&message), word, "{quoted}");
        }
    }
}
