//! HTTP/1.1 as bytes (RFC 9112): writing the head of a request, scanning the head of a response, and separating bodies
//! from the bytes after them. [`http2`] has the frames and the fields of HTTP/2.
//!
//! A head is scanned once, by `httparse`, for the fields that determine where its message ends; callers that need other
//! fields receive them in the same pass. If two readers of the same bytes could disagree about that end (a length
//! beside a transfer coding, two lengths), the answer is refused: a load generator that guesses would count the answers
//! of one request as those of the next. Nothing here depends on a socket, and only a few words of state are kept.
//!
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod chunked;
mod framing;
mod heads;
pub mod http2;
mod malformed;
mod request;
mod response;

pub use framing::{Framing, Taken};
pub use heads::Heads;
pub use malformed::Malformed;
pub use request::{
    chunk_size, field, finish, illegal_in_target, is_field_name, is_field_value, is_method, length,
    request_line,
};
pub use response::{FIELDS_MAX, Head, RequestKind, refused_field, scan, unfold};
