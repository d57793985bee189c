//! [`Settings`]: the settings for every connection and every answer of a run.
//!
//! All of them are set before the run. They do not depend on a URL.

use super::limits::Limits;
use super::proxy::Proxy;
use super::redirect::CrossOrigin;
use brunt_net::resend::Resend;
use brunt_net::{tcp, tls};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The settings for every connection and every answer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version of HTTP.
    pub version: Version,
    /// How connections are opened and closed. The timeout applies to the TLS handshake as well.
    pub dialing: tcp::Options,
    /// The TLS options for `https`; `None` means [`tls::Options::default`]. The application protocols to offer follow
    /// from the version and need not be filled in. Session tickets are shared by all users of the process, and rustls
    /// keeps eight tickets of TLS 1.3 for each server, each valid for one handshake: if many users reconnect at once,
    /// most do a full handshake. [`Network::handshakes`] counts them.
    ///
    /// [`Network::handshakes`]: super::Network::handshakes
    pub tls: Option<tls::Options>,
    /// How long a connection is kept.
    pub keep: Keep,
    /// Which requests are sent again if a kept connection ended before any answer. The safe requests are those with
    /// idempotent methods (RFC 9110 section 9.2.2).
    pub resend: Resend,
    /// How many users share a connection over HTTP/2.
    pub streams: u32,
    /// How many redirects of one exchange are followed; with 0, none is followed, and a redirect is the answer.
    pub redirects: u8,
    /// What may be sent to another origin after a redirect.
    pub cross_origin: CrossOrigin,
    /// The only origins that redirects and URLs which are not known before the run may lead to, in the form of
    /// [`origin_of`](super::origin_of); if there is none, they may lead anywhere.
    pub origins: Vec<String>,
    /// Whether each user keeps the cookies it receives.
    pub cookies: bool,
    /// Whether compressed answers are requested. Bodies that are wanted are decoded; the others are counted as
    /// received.
    pub decompress: bool,
    /// The proxy, unless `unix` is given.
    pub proxy: Option<Proxy>,
    /// A Unix socket to which every connection goes, whatever origin a URL names.
    pub unix: Option<PathBuf>,
    /// Addresses that are used in place of a resolver's answer.
    pub resolve: Vec<Resolve>,
    /// The limits for every answer.
    pub limits: Limits,
    /// The seed of the random spread of back-offs.
    pub seed: u64,
}

/// The version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: negotiated by ALPN over `https`; over `http` it is used without negotiation.
    Http2,
    /// Over `https`, HTTP/2 if the server selects it by ALPN, otherwise HTTP/1.1.
    Negotiate,
    /// HTTP/2, whatever the server selected (RFC 9113 section 3.3).
    Http2PriorKnowledge,
}

/// How long a connection is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// As long as the server keeps it.
    #[default]
    Alive,
    /// For this number of requests, the last of which sends `Connection: close`. With 1, each request has its own
    /// connection.
    Requests(u64),
}

/// An address for a host and a port, in place of a resolver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// The host as URLs name it.
    pub host: String,
    /// The port as URLs name it, or the default of their scheme.
    pub port: u16,
    /// Where to connect.
    pub to: SocketAddr,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: Version::default(),
            dialing: tcp::Options::default(),
            tls: None,
            keep: Keep::default(),
            resend: Resend::default(),
            streams: 1,
            redirects: 0,
            cross_origin: CrossOrigin::default(),
            origins: Vec::new(),
            cookies: false,
            decompress: false,
            proxy: None,
            unix: None,
            resolve: Vec::new(),
            limits: Limits::default(),
            seed: 0,
        }
    }
}
