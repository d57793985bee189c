//! HTTP: the client side of a virtual user, over HTTP/1.1 and HTTP/2.
//!
//! A [`Request`] is rendered into buffers that are reused, a [`Response`] is read into other buffers, and the code
//! between them is written to use few instructions. A client must not depend on the schedule, nor on how a plan uses an
//! answer.

mod client;
mod connection;
pub mod cookies;
pub mod encoding;
mod failure;
mod group;
mod http2;
mod limits;
mod message;
pub mod naming;
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

pub use client::{Client, ClientActions, Hop};
pub use cookies::NotKept;
pub use failure::{Failure, FailureStage, Http2Failure};
pub use group::Group;
pub use limits::Limits;
pub use network::{Counts, Network, NetworkError, ORIGINS_MAX, Tally};
pub use origin::{Origin, UrlError, origin_of};
pub use proxy::{Exceptions, Proxy, ProxyError};
pub use redirect::CrossOrigin;
pub use request::{Body, Request};
pub use response::{Response, Wanted};
pub use settings::{Keep, Resolve, Settings, Version};

use brunt_exchange::{Part, Watch};
use std::time::Duration;

/// How long connecting took, without the name lookup.
pub const CONNECT: Part = Part(0);
/// How long the TLS handshake took.
pub const TLS: Part = Part(1);
/// Opening a connection again that the server had closed, including the TLS handshake.
pub const RECONNECT: Part = Part(3);
/// From the first byte of the request to the first byte of the answer.
pub const FIRST_BYTE: Part = Part(4);
/// How long an exchange waited for the address of a host that it is the first to need.
pub const NAME_LOOKUP: Part = Part(5);
/// From the first byte of a request until its connection ended without a whole answer.
pub const CLOSED_AFTER: Part = Part(8);

/// Reports a part, as long as the exchange has room: a redirected exchange has several parts of a kind.
fn report(watch: &mut Watch<'_>, part: Part, took: Duration) {
    if watch.parts().len() < Watch::PARTS_MAX {
        watch.part(part, took);
    }
}
