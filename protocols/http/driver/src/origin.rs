//! [`Origin`]: where a URL leads, with its name resolved; and how a rendered URL is split.
//!
//! The part of a URL that names an origin is parsed once, by the rules of WHATWG, and then recognised by its bytes. The
//! rest of the URL is sent unchanged. It must not depend on a connection.

use super::proxy::Gateway;
use super::route::Route;
use brunt_net::tcp::DialerError;
use brunt_net::tls;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use url::{Host, Url};

/// A scheme, a host and a port, and everything that a connection to them needs.
#[derive(Debug)]
pub struct Origin {
    /// The number of this origin, unique in this process.
    number: u64,
    secure: bool,
    host: String,
    port: u16,
    authority: Vec<u8>,
    prefix: String,
    pub(super) route: Route,
    /// The proxy that relays the requests.
    relay: Option<Arc<Gateway>>,
    pub(super) name: Option<tls::Name>,
}

/// Why a URL cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    /// It is not a valid URL.
    #[error("read the URL '{url}': {why}; give one such as http://localhost:8080/path")]
    NotOne {
        /// The part that names an origin.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// It is a path.
    #[error("use the URL '{0}': it is a path, and no base URL to add it to is set")]
    Path(String),
    /// A scheme other than those supported.
    #[error("use the URL '{0}': its scheme is neither http nor https")]
    Scheme(String),
    /// It contains a user or a password.
    #[error(
        "use the URL of the host '{0}': it holds a user or a password; send them in an Authorization field"
    )]
    Credentials(String),
    /// A byte that is not allowed in a request line.
    #[error("use the path '{path}': byte {byte:#04x} may not be in a URL; percent-encode it")]
    Byte {
        /// The path.
        path: String,
        /// The byte.
        byte: u8,
    },
    /// The host cannot be reached.
    #[error(transparent)]
    Dialer(#[from] DialerError),
    /// TLS cannot be set up, or cannot use the name.
    #[error(transparent)]
    Tls(#[from] Arc<tls::TlsError>),
    /// Too many origins.
    #[error("go to '{0}': this run has met {max} hosts already, which is the most it may", max = super::ORIGINS_MAX)]
    TooMany(String),
}

/// The origin as a URL names it.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) secure: bool,
    /// Without brackets, as a resolver needs it.
    pub(super) host: String,
    pub(super) port: u16,
    /// In the form of the `Host` field.
    authority: String,
    /// In the normalised form of the URL.
    pub(super) prefix: String,
}

impl Named {
    /// Reads the part of a URL that [`origin_length`] found.
    pub(super) fn parse(text: &[u8]) -> Result<Self, UrlError> {
        let not_one =
            |why: String| UrlError::NotOne { url: String::from_utf8_lossy(text).into_owned(), why };
        let text = std::str::from_utf8(text).map_err(|_| not_one("it is not UTF-8".to_owned()))?;
        let url = Url::parse(text)
            .map_err(|error| not_one(zone(text).unwrap_or_else(|| error.to_string())))?;
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::Scheme(text.to_owned())),
        };
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => IpAddr::from(address).to_string(),
            Some(Host::Ipv6(address)) => IpAddr::from(address).to_string(),
            None => return Err(not_one("it names no host".to_owned())),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::Credentials(host));
        }
        let port = url.port_or_known_default().unwrap_or(if secure { 443 } else { 80 });
        let bare = url.host_str().unwrap_or_default();
        let authority = url.port().map_or_else(|| bare.to_owned(), |port| format!("{bare}:{port}"));
        let prefix = format!("{}://{authority}", url.scheme());
        Ok(Self { secure, host, port, authority, prefix })
    }
}

/// What to do instead, if the host is an address with the zone it belongs to (RFC 6874), which URLs of WHATWG exclude.
fn zone(text: &str) -> Option<String> {
    let (_, host) = text.split_once("://[")?;
    let (host, _) = host.split_once(']')?;
    let (address, zone) = host.split_once('%')?;
    let zone = zone.strip_prefix("25").unwrap_or(zone);
    Some(format!(
        "it names the interface '{zone}', which a URL cannot; put a name in its place that leads there, with \
         --connect-to NAME:PORT:[{address}%{zone}]:PORT or 'resolve' in a plan"
    ))
}

impl Origin {
    pub(super) fn new(
        named: Named,
        route: Route,
        relay: Option<Arc<Gateway>>,
        name: Option<tls::Name>,
    ) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Self {
            number: MADE.fetch_add(1, Ordering::Relaxed),
            secure: named.secure,
            host: named.host,
            port: named.port,
            authority: named.authority.into_bytes(),
            prefix: named.prefix,
            route,
            relay,
            name,
        }
    }

    /// The number that distinguishes it from every other origin.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether connections to it are secured: the scheme is `https`.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The proxy that receives requests with their absolute URL, if there is one and no tunnel is used.
    pub(super) fn relay(&self) -> Option<&Gateway> {
        self.relay.as_deref()
    }

    /// The host, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, given or implied.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of the `Host` field, if the request does not set the field itself.
    pub fn authority(&self) -> &[u8] {
        &self.authority
    }

    /// Scheme and authority: `http://localhost:8080`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }
}

/// The origin of a URL in one spelling: scheme, host and port, without a port that the scheme implies.
pub fn origin_of(url: &str) -> Result<String, UrlError> {
    Named::parse(&url.as_bytes()[..origin_length(url.as_bytes())]).map(|named| named.prefix)
}

/// How many bytes of a URL name its origin: up to the path, the query or the fragment.
pub(super) fn origin_length(url: &[u8]) -> usize {
    let after_scheme = url.windows(3).position(|three| three == b"://").map_or(0, |at| at + 3);
    let rest = url.get(after_scheme..).unwrap_or_default();
    after_scheme
        + rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len())
}

/// Whether the rest of a URL begins a path, query or fragment and does not continue the origin.
pub(super) fn begins_path(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idn_host_names_are_encoded() {
        for (url, host) in [
            ("http://b\u{fc}cher.example", "xn--bcher-kva.example"),
            ("http://STRASSE.stra\u{df}e.example:81", "strasse.xn--strae-oqa.example"),
            ("http://\u{5d0}\u{5d1}.example", "xn--4dbc.example"),
            ("http://\u{65e5}\u{672c}\u{3002}jp", "xn--wgv71a.jp"),
            // A joiner is significant where a script needs it (RFC 5892 appendix A).
            ("http://\u{915}\u{94d}\u{200d}\u{937}.example", "xn--11b2ezcw70k.example"),
        ] {
            let named = Named::parse(url.as_bytes()).unwrap();
            assert_eq!(named.host, host, "{url}");
        }
        // Letters of both directions, a joiner where none can be, and an invalid encoding.
        for url in ["http://\u{5d0}a.example", "http://a\u{200d}b.example", "http://xn--a.example"]
        {
            let error = Named::parse(url.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("domain"), "{error}");
        }
    }

    #[test]
    fn origin_ends_where_the_path_begins() {
        for (url, prefix) in [
            ("http://a/b?c", "http://a"),
            ("https://a.example:8443", "https://a.example:8443"),
            ("http://[::1]:80?x://y", "http://[::1]:80"),
            ("http://a#b", "http://a"),
            ("nonsense", "nonsense"),
            ("", ""),
        ] {
            assert_eq!(&url[..origin_length(url.as_bytes())], prefix);
        }
    }

    #[test]
    fn origin_spelling_is_normalized() {
        let read = |text: &str| {
            Named::parse(text.as_bytes()).map(|named| (named.prefix, named.host, named.port))
        };
        let known = |prefix: &str, host: &str, port| (prefix.to_owned(), host.to_owned(), port);
        assert_eq!(
            read("HTTP://Example.COM:80").unwrap(),
            known("http://example.com", "example.com", 80)
        );
        assert_eq!(read("https://[0:0::1]").unwrap(), known("https://[::1]", "::1", 443));
        assert_eq!(
            read("http://127.1:8080").unwrap(),
            known("http://127.0.0.1:8080", "127.0.0.1", 8080)
        );
        assert_eq!(read("http://bücher.example").unwrap().1, "xn--bcher-kva.example");
    }

    #[test]
    fn invalid_url_is_refused_with_a_reason() {
        let words = |text: &[u8]| Named::parse(text).unwrap_err().to_string();
        for zoned in [&b"http://[fe80::1%25lo]:8080"[..], b"http://[fe80::1%lo]"] {
            let message = words(zoned);
            assert!(message.contains("the interface 'lo'"), "{message}");
            assert!(message.contains("--connect-to NAME:PORT:[fe80::1%lo]:PORT"), "{message}");
        }
        assert!(words(b"localhost/x").contains("http://localhost:8080/path"));
        assert!(words(b"ftp://a").contains("neither http nor https"));
        assert!(words(b"http://a:99999").contains("port"));
        assert!(words(b"http://\xff").contains("UTF-8"));
        let credentials = words(b"http://me:secret@a");
        assert!(
            credentials.contains("Authorization") && !credentials.contains("secret"),
            "{credentials}"
        );
    }
}
