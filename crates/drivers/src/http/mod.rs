//! HTTP: the client side of a virtual user, over HTTP/1.1 and HTTP/2.
//!
//! A [`Request`] is rendered into buffers that are used again and again, a [`Response`] is read into others, and what
//! lies between is written for as few instructions as the kernel allows. A client must not know when anything is due,
//! nor what a plan makes of an answer.

mod client;
mod connection;
pub mod cookies;
pub mod encoding;
mod failure;
mod group;
mod http2;
mod limits;
mod message;
mod network;
mod origin;
mod origin_connection;
pub mod proxy;
mod redirect;
pub mod request;
mod request_cache;
mod request_flags;
mod request_spec;
pub mod response;
mod route;
mod settings;
mod tally;

pub use client::{Client, Course, Hop};
pub use failure::{Failure, Http2Failure, When};
pub use group::Group;
pub use limits::Limits;
pub use network::{Network, NetworkError, ORIGINS_MAX};
pub use origin::{Origin, UrlError};
pub use proxy::{Exceptions, Proxy, ProxyError};
pub use redirect::CrossOrigin;
pub use request::{Body, Request};
pub use response::{Response, Wanted};
pub use settings::{Keep, Resolve, Settings, Version};
pub use tally::{Counts, Tally};

use brunt_exchange::{Part, Watch};
use std::time::Duration;

/// How long connecting took, the resolved address given.
pub const CONNECT: Part = Part(0);
/// How long the TLS handshake took.
pub const TLS: Part = Part(1);
/// Opening a connection again that the server had closed, with the TLS handshake.
pub const RECONNECT: Part = Part(3);
/// From the first byte of the request leaving to the first byte of the answer.
pub const FIRST_BYTE: Part = Part(4);

/// Reports a part, as far as an exchange has room: one that was redirected has several of a kind.
fn report(watch: &mut Watch<'_>, part: Part, took: Duration) {
    if watch.parts().len() < Watch::PARTS_MAX {
        watch.part(part, took);
    }
}
