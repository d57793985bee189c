//! [`Settings`]: what holds for every connection and every answer of a run.
//!
//! All of it is settled before the run. Nothing here knows a URL.

use super::limits::Limits;
use super::proxy::Proxy;
use super::redirect::CrossOrigin;
use crate::net::{tcp, tls};
use crate::resend::Resend;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What holds for every connection and every answer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which version is spoken.
    pub version: Version,
    /// How connections are opened and closed. Its timeout holds for the TLS handshake as well.
    pub dialing: tcp::Options,
    /// How `https` is secured; where it is `None`, as [`tls::Options::default`] has it. The application protocols to
    /// offer follow from the version and need not be filled in. What servers gave to resume sessions with is shared by
    /// all users of the process, and rustls keeps eight tickets of TLS 1.3 for each server, each good for one
    /// handshake: users that come back in a crowd shake hands in full. [`Network::handshakes`] says how many did.
    ///
    /// [`Network::handshakes`]: super::Network::handshakes
    pub tls: Option<tls::Options>,
    /// How long a connection is kept.
    pub keep: Keep,
    /// Which requests are sent again that met the end of a kept connection before any answer. The safe ones are those
    /// of idempotent methods (RFC 9110 section 9.2.2).
    pub resend: Resend,
    /// How many users share a connection over HTTP/2.
    pub streams: u32,
    /// How many redirects of one exchange are followed; 0 follows none, and a redirect is the answer.
    pub redirects: u8,
    /// What may follow a redirect to another origin.
    pub cross_origin: CrossOrigin,
    /// Whether each user keeps the cookies it is given.
    pub cookies: bool,
    /// Whether answers are asked for compressed. Bodies that are wanted are unpacked; the others are counted as sent.
    pub decompress: bool,
    /// What stands between, unless `unix` is given.
    pub proxy: Option<Proxy>,
    /// A Unix socket to which every connection goes, whichever origin a URL names.
    pub unix: Option<PathBuf>,
    /// Addresses that are not asked of a resolver.
    pub resolve: Vec<Resolve>,
    /// What no answer may exceed.
    pub limits: Limits,
    /// What the spread of back-offs is drawn from.
    pub seed: u64,
}

/// Which version of HTTP is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: agreed on by ALPN over `https`; over `http` there is nothing to agree on, and it is spoken at once.
    Http2,
    /// Over `https` HTTP/2 if the server agrees by ALPN, else HTTP/1.1.
    Negotiate,
    /// HTTP/2 whatever the server agreed to (RFC 9113 section 3.3).
    Http2PriorKnowledge,
}

/// How long a connection is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// As long as the server keeps it.
    #[default]
    Alive,
    /// For so many requests, the last of which says `Connection: close`. With 1, each has a connection of its own.
    Requests(u64),
}

/// An address for a host and a port, in place of what a resolver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// The host as URLs name it.
    pub host: String,
    /// The port as URLs name it, or as their scheme implies it.
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
