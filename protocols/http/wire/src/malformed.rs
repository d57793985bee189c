//! [`Malformed`]: what is wrong with bytes that should be a response.

use std::fmt;

/// What is wrong with bytes that should be a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// The first line is not a status line.
    StatusLine,
    /// A line is not a valid field.
    Field,
    /// More fields than there is room for.
    TooManyFields,
    /// A length is not a number, or there are several lengths.
    Length,
    /// There are both a length and a transfer coding, which can be used for request smuggling (RFC 9112 section 6.3).
    LengthAndCoding,
    /// A transfer coding other than chunked, which was not requested.
    Coding,
    /// The size of a chunk is not a number, or is too large.
    ChunkSize,
    /// A chunk does not end where it should.
    ChunkEnd,
    /// Chunk extensions, or trailer fields, are longer than any legitimate use needs.
    ChunkOverhead,
    /// Too many interim responses.
    Interim,
    /// A switch to another protocol, which was not requested.
    Switching,
    /// More bytes than the answer announced.
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
