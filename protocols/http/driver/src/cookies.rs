//! [`Jar`]: the cookies of one user, by RFC 6265.
//!
//! A jar has few cookies, so it is a list that is searched linearly, and its size is limited, as a server fills it. It
//! has no list of public suffixes: a server under load has no reason to set cookies for its neighbours, and a domain
//! without a dot is always refused. Cookies that are not UTF-8 are not kept. It must not depend on a connection.

use cookie::{Cookie, Expiration};
use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

/// The most cookies of a user (RFC 6265 section 6.1 recommends 50 for each domain).
pub const COOKIES_MAX: usize = 50;
/// The most bytes of a cookie's name, value and attributes.
pub const COOKIE_MAX: usize = 4096;

/// The cookies of one user.
#[derive(Clone, Debug, Default)]
pub struct Jar {
    /// The cookies in order of creation, which is also their order if their paths have the same length.
    kept: Vec<StoredCookie>,
}

/// Why a cookie is not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// It is too long.
    #[error("it is longer than {COOKIE_MAX} bytes")]
    Long,
    /// It cannot be read.
    #[error("it is not of the form NAME=VALUE, not UTF-8, or has control characters")]
    NoPair,
    /// Another host would get it.
    #[error("its Domain '{0}' is neither the host nor a domain that the host is in")]
    Domain(String),
    /// Only a secured connection may set it.
    #[error("it is Secure, and came over http from another host than localhost")]
    Insecure,
}

/// The destination of a request, as far as it matters for cookies.
#[derive(Clone, Copy, Debug)]
pub struct RequestScope<'a> {
    /// The host, in lower case and without brackets.
    pub host: &'a str,
    /// Whether the connection is secured.
    pub secure: bool,
    /// The target of the request: the path, and the query if there is one.
    pub target: &'a [u8],
}

impl RequestScope<'_> {
    /// Whether a connection is private: secured, or to this machine, by the rules of browsers and curl.
    fn is_trusted(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        self.secure
            || self.host == "localhost"
            || self.host.ends_with(".localhost")
            || address.is_ok_and(|address| address.is_loopback())
    }
}

#[derive(Clone, Debug, PartialEq)]
struct StoredCookie {
    /// `name=value`, as it is sent.
    pair: Box<str>,
    name_length: usize,
    /// In lower case, without a leading dot.
    domain: Box<str>,
    /// Whether the cookie is for this domain only and not for its subdomains.
    host_only: bool,
    path: Box<str>,
    secure: bool,
    /// In seconds of the wall clock.
    expires: Option<i64>,
}

impl Jar {
    /// Appends the value of the `Cookie` field of a request; returns whether there is one.
    pub fn fill(&self, place: RequestScope<'_>, out: &mut Vec<u8>) -> bool {
        if self.kept.is_empty() {
            return false;
        }
        self.fill_at(place, seconds_now, out)
    }

    /// Processes the value of a `Set-Cookie` field of an answer from this destination.
    pub fn absorb(&mut self, place: RequestScope<'_>, set_cookie: &[u8]) -> Result<(), NotKept> {
        self.absorb_at(place, set_cookie, seconds_now)
    }

    /// The value of a cookie, for any domain and path; of several, the one created last.
    pub fn value(&self, name: &str) -> Option<&str> {
        let kept = self.kept.iter().rev().find(|kept| kept.name() == name)?;
        Some(&kept.pair[kept.name_length + 1..])
    }

    /// Makes the changes that were made to a copy since it was like `before`.
    pub(super) fn follow(&mut self, before: &Self, after: &Self) {
        let gone = |kept: &StoredCookie| {
            before.kept.iter().any(|old| old.is_same(kept))
                && !after.kept.iter().any(|new| new.is_same(kept))
        };
        self.kept.retain(|kept| !gone(kept));
        for changed in after.kept.iter().filter(|new| !before.kept.contains(new)) {
            self.keep(changed.clone(), seconds_now);
        }
    }

    /// Removes all cookies.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    fn fill_at(&self, place: RequestScope<'_>, now: impl Fn() -> i64, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let path = path_of(place.target);
        let goes = |kept: &&StoredCookie| kept.goes_to(place, path) && !kept.is_over(&now);
        // RFC 6265 section 5.4: longer paths first, then in order of creation. The search for the next shorter path is
        // quadratic in the number of different lengths, of which there are one or two.
        let mut below = usize::MAX;
        loop {
            let lengths = self.kept.iter().filter(goes).map(|kept| kept.path.len());
            let Some(length) = lengths.filter(|length| *length < below).max() else { break };
            for kept in self.kept.iter().filter(goes).filter(|kept| kept.path.len() == length) {
                if out.len() > start {
                    out.extend_from_slice(b"; ");
                }
                out.extend_from_slice(kept.pair.as_bytes());
            }
            below = length;
        }
        out.len() > start
    }

    fn absorb_at(
        &mut self,
        place: RequestScope<'_>,
        set_cookie: &[u8],
        now: impl Fn() -> i64,
    ) -> Result<(), NotKept> {
        if set_cookie.len() > COOKIE_MAX {
            return Err(NotKept::Long);
        }
        // Browsers keep none with control characters, which no request may contain.
        let text = std::str::from_utf8(set_cookie).ok();
        let text =
            text.filter(|text| !text.contains(|it: char| it.is_ascii_control() && it != '\t'));
        let cookie = text.and_then(parse).ok_or(NotKept::NoPair)?;
        self.keep(StoredCookie::new(&cookie, place, &now)?, now);
        Ok(())
    }

    fn keep(&mut self, kept: StoredCookie, now: impl Fn() -> i64) {
        let before = self.kept.iter().position(|other| other.is_same(&kept));
        if kept.is_over(&now) {
            before.map(|index| self.kept.remove(index));
        } else if let Some(index) = before {
            // A cookie that gets another value keeps its creation order.
            self.kept[index] = kept;
        } else {
            if self.kept.len() == COOKIES_MAX {
                let over = self.kept.iter().position(|kept| kept.is_over(&now));
                self.kept.remove(over.unwrap_or(0));
            }
            self.kept.push(kept);
        }
    }
}

impl StoredCookie {
    /// The cookie to keep, by RFC 6265 section 5.3, unless this destination must not set it.
    fn new(
        cookie: &Cookie<'_>,
        place: RequestScope<'_>,
        now: impl Fn() -> i64,
    ) -> Result<Self, NotKept> {
        let own_host = || (Box::from(place.host), true);
        let (domain, host_only) = match cookie.domain().filter(|domain| !domain.is_empty()) {
            None => own_host(),
            Some(domain) if domain.eq_ignore_ascii_case(place.host) => {
                (own_host().0, is_address(place.host))
            }
            Some(domain) if domain.contains('.') && is_below(place.host, domain) => {
                (domain.to_ascii_lowercase().into(), false)
            }
            Some(domain) => return Err(NotKept::Domain(domain.to_owned())),
        };
        let secure = cookie.secure() == Some(true);
        if secure && !place.is_trusted() {
            return Err(NotKept::Insecure);
        }
        let path = match cookie.path().filter(|path| path.starts_with('/')) {
            Some(path) => path.into(),
            None => default_path(place.target),
        };
        // `Max-Age` takes precedence over `Expires`, in any order.
        let expires = match (cookie.max_age(), cookie.expires()) {
            (Some(age), _) => Some(now().saturating_add(age.whole_seconds())),
            (None, Some(Expiration::DateTime(at))) => Some(at.unix_timestamp()),
            _ => None,
        };
        let pair = format!("{}={}", cookie.name(), cookie.value()).into_boxed_str();
        Ok(Self {
            pair,
            name_length: cookie.name().len(),
            domain,
            host_only,
            path,
            secure,
            expires,
        })
    }

    fn name(&self) -> &str {
        &self.pair[..self.name_length]
    }

    /// Whether one takes the place of the other (RFC 6265 section 5.3).
    fn is_same(&self, other: &Self) -> bool {
        self.name() == other.name() && self.domain == other.domain && self.path == other.path
    }

    fn is_over(&self, now: impl Fn() -> i64) -> bool {
        self.expires.is_some_and(|at| at <= now())
    }

    fn goes_to(&self, place: RequestScope<'_>, path: &[u8]) -> bool {
        let host =
            *self.domain == *place.host || !self.host_only && is_below(place.host, &self.domain);
        host && (!self.secure || place.is_trusted()) && is_within(path, self.path.as_bytes())
    }
}

/// Parses the value of a `Set-Cookie` field. A pair without a name gives no cookie.
fn parse(text: &str) -> Option<Cookie<'_>> {
    Cookie::parse(text).ok().filter(|cookie| !cookie.name().is_empty())
}

/// Whether `host` is a subdomain of `domain` (RFC 6265 section 5.1.3). An address is never one.
fn is_below(host: &str, domain: &str) -> bool {
    let (host_bytes, domain) = (host.as_bytes(), domain.as_bytes());
    let Some(at) = host_bytes.len().checked_sub(domain.len()).filter(|at| *at > 0) else {
        return false;
    };
    host_bytes[at..].eq_ignore_ascii_case(domain) && host_bytes[at - 1] == b'.' && !is_address(host)
}

fn is_address(host: &str) -> bool {
    host.parse::<IpAddr>().is_ok()
}

/// Whether a request for `path` is within `scope` (RFC 6265 section 5.1.4).
fn is_within(path: &[u8], scope: &[u8]) -> bool {
    match path.strip_prefix(scope) {
        Some(rest) => rest.is_empty() || scope.ends_with(b"/") || rest.starts_with(b"/"),
        None => false,
    }
}

/// The default path of a cookie: that of the request up to its last slash.
fn default_path(target: &[u8]) -> Box<str> {
    let path = path_of(target);
    let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    match std::str::from_utf8(&path[..slash]) {
        Ok(folder) if !folder.is_empty() && folder.starts_with('/') => folder.into(),
        _ => "/".into(),
    }
}

/// The path of a target, without the query.
fn path_of(target: &[u8]) -> &[u8] {
    let end = target.iter().position(|byte| matches!(byte, b'?' | b'#'));
    match &target[..end.unwrap_or(target.len())] {
        [] => b"/",
        path => path,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server says by the wall clock when a cookie ends, and no figure depends on it"
)]
fn seconds_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mon, 09 Nov 2026 00:00:00 GMT.
    const NOW: i64 = 1_794_182_400;

    fn place(url: &str) -> RequestScope<'_> {
        let (scheme, rest) = url.split_once("://").unwrap();
        let slash = rest.find('/').unwrap_or(rest.len());
        let target = &rest.as_bytes()[slash..];
        RequestScope { host: &rest[..slash], secure: scheme == "https", target }
    }

    /// The cookies sent to `to` after `from` has set all of `set`.
    fn sent(from: &str, set: &[&str], to: &str) -> String {
        let mut jar = Jar::default();
        for set in set {
            let _ = jar.absorb_at(place(from), set.as_bytes(), || NOW);
        }
        let mut out = Vec::new();
        let some = jar.fill_at(place(to), || NOW + 1, &mut out);
        assert_eq!(some, !out.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn jar_copy_merges_only_its_changes() {
        let from = place("https://www.example.com/");
        let set = |jar: &mut Jar, text: &str| jar.absorb(from, text.as_bytes()).unwrap();
        let mut jar = Jar::default();
        for text in ["a=1", "b=1", "c=1"] {
            set(&mut jar, text);
        }
        let before = jar.clone();
        let (mut one, mut other) = (before.clone(), before.clone());
        for text in ["a=2", "b=; Max-Age=0", "d=4"] {
            set(&mut one, text);
        }
        set(&mut other, "c=3");
        jar.follow(&before, &one);
        jar.follow(&before, &other);
        let values = ["a", "b", "c", "d"].map(|name| jar.value(name).map(str::to_owned));
        assert_eq!(values, [Some("2"), None, Some("3"), Some("4")].map(|it| it.map(str::to_owned)));
    }

    #[test]
    fn cookie_examples_of_rfc_6265_work() {
        let home = "https://www.example.com/";
        assert_eq!(sent(home, &["SID=31d4d96e407aad42"], home), "SID=31d4d96e407aad42");
        let domain = &["SID=31d4d96e407aad42; Path=/; Domain=example.com"];
        for to in ["https://example.com/", "http://site.example.com/x", home] {
            assert_eq!(sent(home, domain, to), "SID=31d4d96e407aad42", "{to}");
        }
        let two = &[
            "SID=31d4d96e407aad42; Path=/; Secure; HttpOnly",
            "lang=en-US; Path=/; Domain=example.com",
        ];
        assert_eq!(sent(home, two, home), "SID=31d4d96e407aad42; lang=en-US");
        assert_eq!(sent(home, two, "http://www.example.com/"), "lang=en-US");
        assert_eq!(sent(home, two, "https://example.com/"), "lang=en-US");
        let gone = &[
            two[0],
            two[1],
            "lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Path=/; Domain=example.com",
        ];
        assert_eq!(sent(home, gone, home), "SID=31d4d96e407aad42");
    }

    #[test]
    fn cookie_is_sent_only_within_its_domain() {
        let from = "http://a.example.com/";
        for (set, to, goes) in [
            ("k=v", "http://a.example.com/", true),
            ("k=v", "http://b.a.example.com/", false),
            ("k=v", "http://example.com/", false),
            ("k=v; Domain=a.example.com", "http://b.a.example.com/", true),
            ("k=v; Domain=.EXAMPLE.com", "http://c.example.com/", true),
            ("k=v; Domain=example.com", "http://badexample.com/", false),
            ("k=v; Domain=example.com", "http://example.org/", false),
            ("k=v; Domain=", "http://a.example.com/", true),
            // This server must not set them.
            ("k=v; Domain=b.example.com", "http://b.example.com/", false),
            ("k=v; Domain=b.a.example.com", "http://b.a.example.com/", false),
            ("k=v; Domain=com", "http://b.com/", false),
            ("k=v; Domain=com", "http://a.example.com/", false),
        ] {
            assert_eq!(sent(from, &[set], to), if goes { "k=v" } else { "" }, "{set} {to}");
        }
        let address = "http://10.0.0.1/";
        assert_eq!(sent(address, &["k=v; Domain=10.0.0.1"], address), "k=v");
        assert_eq!(sent(address, &["k=v; Domain=0.0.1"], address), "");
        assert_eq!(
            sent("http://localhost/", &["k=v; Domain=localhost"], "http://localhost/"),
            "k=v"
        );
        assert_eq!(sent("http://::1/", &["k=v"], "http://::1/x"), "k=v");
    }

    #[test]
    fn cookie_secure_is_kept_over_tls_and_on_localhost() {
        let set = "k=v; Secure";
        for host in ["localhost", "app.localhost", "127.0.0.1", "127.9.0.1", "::1"] {
            let url = format!("http://{host}/");
            assert_eq!(sent(&url, &[set], &url), "k=v", "{host}");
        }
        for host in ["x.test", "10.0.0.1", "localhost.test", "notlocalhost"] {
            let url = format!("http://{host}/");
            let why = Jar::default().absorb_at(place(&url), set.as_bytes(), || NOW);
            assert_eq!(why, Err(NotKept::Insecure), "{host}");
        }
    }

    #[test]
    fn cookie_rejection_has_a_reason() {
        let long = format!("k={}", "v".repeat(COOKIE_MAX));
        for (set, why) in [
            ("k=v; Domain=b.test", NotKept::Domain("b.test".to_owned())),
            ("novalue", NotKept::NoPair),
            (&long, NotKept::Long),
        ] {
            let kept = Jar::default().absorb_at(place("https://a.test/"), set.as_bytes(), || NOW);
            assert_eq!(kept, Err(why), "{set}");
        }
    }

    #[test]
    fn cookie_is_sent_only_within_its_path() {
        for (from, set, to, goes) in [
            ("/a/b?x", "k=v", "/a/c", true),
            ("/a/b", "k=v", "/a", true),
            ("/a/b", "k=v", "/ab", false),
            ("/a/b/", "k=v", "/a/b/c?y=/", true),
            ("/a/b/", "k=v", "/a", false),
            ("/a", "k=v", "/", true),
            ("", "k=v", "/x", true),
            ("/a/b", "k=v; Path=/", "/", true),
            ("/", "k=v; Path=/a", "/a/b", true),
            ("/", "k=v; Path=/a", "/ab", false),
            ("/", "k=v; Path=/a", "/a?b", true),
            ("/", "k=v; Path=/a/", "/a", false),
            ("/a/b", "k=v; Path=relative", "/a/z", true),
        ] {
            let (from, to) = (format!("http://x.test{from}"), format!("http://x.test{to}"));
            assert_eq!(
                sent(&from, &[set], &to),
                if goes { "k=v" } else { "" },
                "{from} {set} {to}"
            );
        }
    }

    #[test]
    fn cookie_order_is_longer_path_then_older() {
        let from = "http://x.test/a/b";
        let set = &[
            "one=1; Path=/",
            "two=2; Path=/a",
            "three=3; Path=/",
            "four=4; Path=/a",
            "one=5; Path=/",
        ];
        assert_eq!(sent(from, set, "http://x.test/a/b"), "two=2; four=4; one=5; three=3");
        let apart = &["k=1; Path=/", "k=2; Path=/a"];
        assert_eq!(sent(from, apart, "http://x.test/a"), "k=2; k=1");
    }

    #[test]
    fn cookie_expires() {
        let from = "http://x.test/";
        for (set, goes) in [
            ("k=v; Max-Age=2", true),
            ("k=v; Max-Age=1", false),
            ("k=v; Max-Age=0", false),
            ("k=v; Max-Age=-1", false),
            ("k=v; Expires=Mon, 09 Nov 2026 00:00:02 GMT", true),
            ("k=v; Expires=Mon, 09 Nov 2026 00:00:01 GMT", false),
            ("k=v; expires=Monday, 09-Nov-26 00:00:02 GMT", true),
            ("k=v; Max-Age=2; Expires=Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("k=v; Expires=Mon, 09 Nov 2026 00:00:02 GMT; Max-Age=0", false),
            ("k=v; Expires=whenever", true),
            ("k=v; Max-Age=99999999999999999999", true),
        ] {
            assert_eq!(sent(from, &[set], from), if goes { "k=v" } else { "" }, "{set}");
        }
    }

    #[test]
    fn cookie_syntax_errors_are_ignored() {
        let from = "http://x.test/";
        for (set, shown) in [
            ("", ""),
            ("novalue", ""),
            ("=v", ""),
            ("  k  =  v ; path=/", "k=v"),
            ("k=a=b", "k=a=b"),
            ("k=\"quoted\"", "k=\"quoted\""),
            ("k=%20; HttpOnly; SameSite=Lax; Unheard=of", "k=%20"),
            ("k=", "k="),
        ] {
            assert_eq!(sent(from, &[set], from), shown, "{set}");
        }
        let mut jar = Jar::default();
        for odd in [&b"k=\xff"[..], b"k\0=v", b"k=v\r\nX: y", b"k=\x7f", b"k=v; Path=/\x01"] {
            assert_eq!(jar.absorb_at(place(from), odd, || NOW), Err(NotKept::NoPair), "{odd:?}");
        }
        assert!(jar.is_empty());
    }

    #[test]
    fn jar_size_is_limited() {
        let mut jar = Jar::default();
        let from = place("http://x.test/");
        jar.absorb_at(from, b"over=1; Max-Age=1", || NOW).unwrap();
        for number in 0..=COOKIES_MAX {
            jar.absorb_at(from, format!("k{number}={number}").as_bytes(), || NOW + 2).unwrap();
        }
        assert_eq!(jar.len(), COOKIES_MAX);
        // The expired cookie was removed first, then the oldest.
        assert_eq!((jar.value("over"), jar.value("k0"), jar.value("k1")), (None, None, Some("1")));
        jar.clear();
        assert!(jar.is_empty() && !jar.fill(from, &mut Vec::new()));
    }

    #[test]
    fn clock_is_plausible() {
        assert!(seconds_now() > 1_700_000_000);
    }
}
