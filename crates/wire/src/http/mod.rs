//! HTTP/1.1 as bytes (RFC 9112): the head of a request written, the head of a response scanned, the bodies told from
//! what follows them.
//!
//! A head is scanned once, by `httparse`, for what decides where its message ends; whoever wants its fields is shown
//! them on the way. Wherever two readers of the same bytes might disagree about that end (a length beside a transfer
//! coding, two lengths), the answer is refused rather than guessed at: a load generator that guesses would count the
//! answers of one request as those of the next. Nothing here knows a socket, and nothing is kept but a few words.

mod chunked;
mod framing;
mod heads;
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
pub use response::{FIELDS_MAX, Head, RequestKind, scan};
