//! [`Proxy`]: a proxy server, and how connections go through it (RFC 9110 sections 7.6 and 9.3.6).
//!
//! Requests to `http` are sent to the proxy with their absolute URL; for `https`, and for HTTP/2, the proxy opens a
//! tunnel, whose content it does not see. If the proxy refuses a tunnel, this is a failure to connect, with its status;
//! for a request that it relays, its answer is the answer of the exchange. It must not depend on the content of a
//! tunnel.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use brunt_exchange::{Class, Clock};
use brunt_net::secret::Secret;
use brunt_net::stream::Stream;
use brunt_net::tcp::{self, Dialer, DialerError, Endpoint};
use brunt_net::{Failure as NetFailure, Network, tls, within};
use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use std::io;
use std::net::IpAddr;
use std::str::FromStr;
use url::{Host, Url};

/// The most bytes of a proxy's answer to `CONNECT`.
const ANSWER_MAX: usize = 16 << 10;

/// A proxy, as the settings describe it.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Its host, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether the connection to it uses TLS.
    pub secure: bool,
    /// A user and a password with a colon between them, if the proxy requires authentication.
    pub credentials: Option<Secret>,
    /// The hosts that are reached without it.
    pub except: Exceptions,
    /// The TLS options for the connection to it; `None` means [`tls::Options::default`].
    pub tls: Option<tls::Options>,
}

/// Why a text is not a proxy.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// It is not the URL of a proxy.
    #[error("read the proxy: {0}; give one such as http://proxy.example:3128")]
    NotOne(String),
}

/// Hosts that are reached without the proxy, in the format of the variable `NO_PROXY`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exceptions(Vec<Exception>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Exception {
    Everything,
    Network(IpNet),
    /// A name, in lower case, that includes its subdomains; for this port only, if there is one.
    Name(String, Option<u16>),
}

/// Why a connection through a proxy could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ProxyFailure {
    /// It refused.
    #[error("open a tunnel to {to}: the proxy answered {status}{hint}", hint = hint(*status))]
    Refused {
        /// The host and the port.
        to: String,
        /// The status it answered.
        status: u16,
    },
    /// It ended the connection.
    #[error("open a tunnel: the proxy ended the connection before it answered")]
    Closed,
    /// The connection broke.
    #[error("open a tunnel: {0}")]
    Broken(io::Error),
    /// Its answer is not HTTP.
    #[error("open a tunnel: what the proxy answered is not HTTP/1; does it listen on this port?")]
    Garbage,
    /// It took too long.
    #[error("open a tunnel: the proxy gave no answer in time")]
    TimedOut,
}

fn hint(status: u16) -> &'static str {
    match status {
        407 => " (it wants to know who you are: give a user and a password)",
        403 | 405 => " (it opens no tunnels, or none to there)",
        502..=504 => " (it did not get there)",
        _ => "",
    }
}

impl ProxyFailure {
    /// The class a failed exchange is counted under.
    pub fn class(&self) -> Class {
        Class::Connect
    }

    /// The status it answered, or the error number of the operating system, else 0.
    pub fn code(&self) -> u32 {
        match self {
            Self::Refused { status, .. } => u32::from(*status),
            Self::Broken(error) => error.raw_os_error().map_or(0, i32::unsigned_abs),
            Self::TimedOut => libc::ETIMEDOUT.unsigned_abs(),
            Self::Closed | Self::Garbage => 0,
        }
    }
}

impl FromStr for Proxy {
    type Err = ProxyError;

    /// Reads a URL, whose scheme decides whether the connection to the proxy uses TLS. Without a scheme, it is in the
    /// clear.
    fn from_str(text: &str) -> Result<Self, ProxyError> {
        let not_one = |why: &str| ProxyError::NotOne(why.to_owned());
        let with_scheme =
            if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&with_scheme).map_err(|why| not_one(&why.to_string()))?;
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(not_one(&format!("'{other}' is neither http nor https"))),
        };
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => return Err(not_one("it names no host")),
        };
        let unescaped = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
        let credentials = (!url.username().is_empty()).then(|| {
            let password = unescaped(url.password().unwrap_or_default());
            Secret::new([unescaped(url.username()), vec![b':'], password].concat())
        });
        let port = url.port_or_known_default().unwrap_or(if secure { 443 } else { 80 });
        Ok(Self { host, port, secure, credentials, except: Exceptions::default(), tls: None })
    }
}

impl FromStr for Exceptions {
    type Err = std::convert::Infallible;

    /// Reads names, addresses and networks separated by commas. A name includes its subdomains, with or without a
    /// leading dot; `*` matches every host.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = |item: &str| match item {
            "*" => Exception::Everything,
            item => {
                let bare = item.trim_start_matches('[').trim_end_matches(']');
                if let Ok(network) = item.parse() {
                    return Exception::Network(network);
                }
                if let Ok(address) = bare.parse::<IpAddr>() {
                    return Exception::Network(address.into());
                }
                let (name, port) = match item.rsplit_once(':') {
                    Some((name, port)) if port.parse::<u16>().is_ok() => (name, port.parse().ok()),
                    _ => (item, None),
                };
                let name = name.trim_start_matches("*.").trim_start_matches('.');
                Exception::Name(name.to_ascii_lowercase(), port)
            }
        };
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        Ok(Self(items.map(read).collect()))
    }
}

impl Exceptions {
    /// Whether this origin is reached without the proxy. The host is in lower case and without brackets.
    pub fn hold(&self, host: &str, port: u16) -> bool {
        let address = host.parse::<IpAddr>().ok();
        self.0.iter().any(|exception| match exception {
            Exception::Everything => true,
            Exception::Network(network) => address.is_some_and(|it| network.contains(&it)),
            Exception::Name(name, at) => {
                let below = host.strip_suffix(name.as_str());
                at.is_none_or(|at| at == port)
                    && below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
        })
    }
}

/// A proxy that is ready to be used.
#[derive(Debug)]
pub(super) struct Gateway {
    dialer: Dialer,
    secured: Option<(tls::Client, tls::Name)>,
    /// The value of `Proxy-Authorization`.
    authorization: Option<Secret>,
}

/// Why a proxy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Its name cannot be resolved.
    #[error("use the proxy: failed to {0}")]
    Dialer(#[from] DialerError),
    /// TLS to it cannot be set up.
    #[error("use the proxy: failed to {0}")]
    Tls(#[from] tls::TlsError),
}

impl Gateway {
    /// Resolves the proxy's name and prepares the connections to it.
    pub(super) fn new(
        proxy: &Proxy,
        dialing: &tcp::Options,
        way: &Network,
    ) -> Result<Self, GatewayError> {
        let endpoint = Endpoint { host: proxy.host.clone(), port: proxy.port };
        let secured = if proxy.secure {
            let options = proxy.tls.clone().unwrap_or_default();
            let options = tls::Options { alpn: vec![b"http/1.1".to_vec()], ..options };
            let client = tls::Client::new(&options, way.files())?;
            let name = client.name_for(&proxy.host)?;
            Some((client, name))
        } else {
            None
        };
        let basic = |secret: &Secret| {
            Secret::from(format!("Basic {}", BASE64_STANDARD.encode(secret.expose())))
        };
        Ok(Self {
            dialer: Dialer::new(way, &[endpoint], dialing.clone())?,
            secured,
            authorization: proxy.credentials.as_ref().map(basic),
        })
    }

    /// The value of `Proxy-Authorization`, if the proxy requires authentication.
    pub(super) fn authorization(&self) -> Option<&[u8]> {
        self.authorization.as_ref().map(Secret::expose)
    }

    /// Connects to the proxy.
    pub(super) async fn connect(
        &self,
        number: u64,
        clock: &dyn Clock,
    ) -> Result<Stream, NetFailure> {
        let stream = self.dialer.open(number).await?;
        match &self.secured {
            None => Ok(stream),
            Some((client, name)) => {
                let limit = self.dialer.options().timeout;
                tls::limited(stream.secure(client, name), limit, clock).await
            }
        }
    }

    /// Makes the proxy open a tunnel: from then on the stream leads to `host` and `port`.
    pub(super) async fn tunnel(
        &self,
        stream: &mut Stream,
        (host, port): (&str, u16),
        clock: &dyn Clock,
    ) -> Result<(), ProxyFailure> {
        let to =
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n").into_bytes();
        if let Some(authorization) = self.authorization() {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(authorization);
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        let status = spec(stream, &request);
        let status = match self.dialer.options().timeout {
            None => status.await,
            Some(limit) => {
                within(limit, clock, status).await.unwrap_or(Err(ProxyFailure::TimedOut))
            }
        }?;
        if matches!(status, 200..300) { Ok(()) } else { Err(ProxyFailure::Refused { to, status }) }
    }
}

/// Sends a request for a tunnel and returns the status of the answer. Reads no byte beyond the head, as the next byte
/// may already come through the tunnel.
async fn spec(stream: &mut Stream, request: &[u8]) -> Result<u16, ProxyFailure> {
    stream.send(request).await.map_err(ProxyFailure::Broken)?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") && !answer.ends_with(b"\n\n") {
        let mut byte = [0];
        if stream.receive(&mut byte).await.map_err(ProxyFailure::Broken)? == 0 {
            return Err(ProxyFailure::Closed);
        }
        answer.extend_from_slice(&byte);
        if answer.len() > ANSWER_MAX || !b"HTTP/1.".starts_with(&answer[..answer.len().min(7)]) {
            return Err(ProxyFailure::Garbage);
        }
    }
    status(&answer).ok_or(ProxyFailure::Garbage)
}

/// The status of a head that begins with `HTTP/1.`.
fn status(head: &[u8]) -> Option<u16> {
    let digits = head.strip_prefix(b"HTTP/1.")?.get(1..)?.strip_prefix(b" ")?.first_chunk::<3>()?;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|status| (100..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    use brunt_exchange::Monotonic;

    #[test]
    fn proxy_url_is_parsed() {
        let read = |text: &str| {
            let proxy: Proxy = text.parse().unwrap();
            let secret = proxy.credentials.map(|secret| secret.expose_str().unwrap().to_owned());
            (proxy.host, proxy.port, proxy.secure, secret)
        };
        let known = |host: &str, port, secure, secret: Option<&str>| {
            (host.to_owned(), port, secure, secret.map(str::to_owned))
        };
        assert_eq!(read("http://proxy.example:3128"), known("proxy.example", 3128, false, None));
        assert_eq!(read("proxy:8080"), known("proxy", 8080, false, None));
        assert_eq!(read("https://[::1]/"), known("::1", 443, true, None));
        assert_eq!(
            read("http://me:p%40ss%3aword%@p"),
            known("p", 80, false, Some("me:p@ss:word%"))
        );
        let words = "socks5://p".parse::<Proxy>().unwrap_err().to_string();
        assert!(words.contains("socks5") && words.contains("http://proxy.example:3128"), "{words}");
        let debug = format!("{:?}", "http://me:hunter2@p".parse::<Proxy>().unwrap());
        assert!(!debug.contains("hunter2"), "{debug}");
    }

    #[test]
    fn no_proxy_exceptions_cover_subdomains() {
        let except: Exceptions =
            "localhost, .corp.example,*.test , 10.0.0.0/8,[::1],api.example:8443,".parse().unwrap();
        for (host, port, held) in [
            ("localhost", 1, true),
            ("a.localhost", 1, true),
            ("notlocalhost", 1, false),
            ("corp.example", 1, true),
            ("a.b.corp.example", 1, true),
            ("corp.example.org", 1, false),
            ("x.test", 1, true),
            ("10.9.8.7", 1, true),
            ("11.0.0.1", 1, false),
            ("::1", 1, true),
            ("::2", 1, false),
            ("api.example", 8443, true),
            ("api.example", 443, false),
        ] {
            assert_eq!(except.hold(host, port), held, "{host}:{port}");
        }
        assert!(!Exceptions::default().hold("anything", 1));
        assert!("*".parse::<Exceptions>().unwrap().hold("anything", 1));
    }

    /// The result of a request for a tunnel if the proxy gives this answer, and the request it received.
    fn tunnel(answer: &'static [u8], host: &str) -> (Result<Vec<u8>, ProxyFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let proxy = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut requested = Vec::new();
            while !requested.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                peer.read_exact(&mut byte).unwrap();
                requested.push(byte[0]);
            }
            peer.write_all(answer).unwrap();
            if answer.is_empty() {
                // Waits until the other side closes the connection.
                let _ = peer.read(&mut [0]);
            }
            String::from_utf8(requested).unwrap()
        });
        let proxy_url = format!("http://me:secret@127.0.0.1:{port}");
        let options =
            tcp::Options { timeout: Some(Duration::from_millis(500)), ..Default::default() };
        let gateway =
            Gateway::new(&proxy_url.parse().unwrap(), &options, &Network::private()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let clock = Monotonic::new();
        let opened = runtime.block_on(async {
            let mut stream = gateway.connect(0, &clock).await.unwrap();
            gateway.tunnel(&mut stream, (host, 443), &clock).await?;
            let mut rest = vec![0; 64];
            let count = stream.receive(&mut rest).await.unwrap();
            Ok(rest[..count].to_vec())
        });
        (opened, proxy.join().unwrap())
    }

    #[test]
    fn tunnel_begins_after_the_head() {
        let (opened, requested) =
            tunnel(b"HTTP/1.1 200 Connected\r\nVia: x\r\n\r\nthrough", "a.example");
        assert_eq!(opened.unwrap(), b"through");
        assert_eq!(
            requested,
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\
             Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"
        );
        let (_, requested) = tunnel(b"HTTP/1.0 204 x\n\nx", "::1");
        assert!(requested.starts_with("CONNECT [::1]:443 HTTP/1.1\r\n"), "{requested}");
    }

    #[test]
    fn proxy_refusal_is_named() {
        for (answer, code, word) in [
            (&b"HTTP/1.1 407 Who\r\n\r\n"[..], 407, "password"),
            (b"HTTP/1.1 403 No\r\n\r\n", 403, "no tunnels"),
            (b"HTTP/1.1 502 Bad\r\n\r\n", 502, "did not get there"),
            (b"HTTP/1.1 999 Odd\r\n\r\n", 0, "not HTTP/1"),
            (b"SSH-2.0-x\r\n", 0, "not HTTP/1"),
            (b"HTTP/1.1 200 cut", 0, "ended the connection"),
            (b"", 110, "in time"),
        ] {
            let failure = tunnel(answer, "a.example").0.unwrap_err();
            let words = failure.to_string();
            assert_eq!((failure.class(), failure.code()), (Class::Connect, code), "{words}");
            assert!(words.contains(word), "{words}");
        }
    }
}
