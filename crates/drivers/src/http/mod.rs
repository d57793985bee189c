//! HTTP: the client side of a virtual user, over HTTP/1.1 and HTTP/2.
//!
//! A [`Request`] is rendered into buffers that are used again and again, a [`Response`] is read into others, and what
//! lies between is written for as few instructions as the kernel allows. A client must not know when anything is due,
//! nor what a plan makes of an answer.

pub mod request;
pub mod response;

pub use request::{Body, Request};
pub use response::Response;

/// How long connecting took, the resolved address given.
pub const CONNECT: brunt_exchange::Part = brunt_exchange::Part(0);
/// How long the TLS handshake took.
pub const TLS: brunt_exchange::Part = brunt_exchange::Part(1);
/// From the first byte of the request leaving to the first byte of the answer.
pub const FIRST_BYTE: brunt_exchange::Part = brunt_exchange::Part(2);
/// The names of the parts, by number.
pub const PARTS: [&str; 3] = ["connect", "tls", "first byte"];
