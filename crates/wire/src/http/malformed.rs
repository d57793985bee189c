//! [`Malformed`]: what is wrong with bytes that should be a response.

use std::fmt;

/// What is wrong with bytes that should be a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// The first line is not that of a response.
    StatusLine,
    /// A field that is not one.
    Field,
    /// More fields than there is room for.
    TooManyFields,
    /// A length that is not a number, or that is several.
    Length,
    /// A length beside a transfer coding: how a request is smuggled past somebody (RFC 9112 section 6.3).
    LengthAndCoding,
    /// A transfer coding other than chunked, which nobody asked for.
    Coding,
    /// The size of a chunk is not a number, or none that fits.
    ChunkSize,
    /// A chunk does not end where it should.
    ChunkEnd,
    /// Extensions of a chunk, or fields after the last, longer than anybody needs.
    ChunkOverhead,
    /// Interim answers without end.
    Interim,
    /// Another protocol, which nobody asked for.
    Switching,
    /// More bytes than the answer said it had.
    Excess,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StatusLine => "it does not begin with a status line of HTTP/1.1",
            Self::Field => "a line of its head is not a field",
            Self::TooManyFields => "its head has too many fields",
            Self::Length => "its Content-Length is not one number",
            Self::LengthAndCoding => "it has a Content-Length and a Transfer-Encoding",
            Self::Coding => "its Transfer-Encoding is not chunked alone",
            Self::ChunkSize => "the size of a chunk is not a number",
            Self::ChunkEnd => "a chunk does not end where it should",
            Self::ChunkOverhead => "the extensions of a chunk or its trailer are too long",
            Self::Interim => "interim answers do not end",
            Self::Switching => "it switches to a protocol that was not requested",
            Self::Excess => "more bytes follow than it said it had",
        })
    }
}

impl std::error::Error for Malformed {}
