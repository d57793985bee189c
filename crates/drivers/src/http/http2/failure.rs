//! [`Http2Failure`]: what only HTTP/2 can fail of, and what h2's errors mean.
//!
//! A stream that the server gave up and a connection that it is leaving are its own decisions, and count as closed;
//! what h2 found wrong with what came counts against the protocol.

use crate::http::failure::{Failure, When};
use brunt_exchange::Class;
use h2::{Error, Reason};

/// Why an exchange over HTTP/2 has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Http2Failure {
    /// Another protocol, or none, was agreed on in the handshake.
    #[error(
        "speak HTTP/2: the server did not agree to it in the TLS handshake (ALPN); ask for HTTP/1.1"
    )]
    NotAgreed,
    /// The server leaves, and the request came too late for it.
    #[error("read the answer: the server was leaving the connection (GOAWAY, {0:?})")]
    GoAway(Reason),
    /// The server gave the request up.
    #[error("read the answer: the server gave the request up (RST_STREAM, {0:?})")]
    Reset(Reason),
    /// What came is not HTTP/2, or breaks its rules.
    #[error(
        "read the answer: what came is against the rules of HTTP/2 ({0:?}); does the server speak it on this port?"
    )]
    Violation(Reason),
}

impl Http2Failure {
    /// The class a failed exchange is counted under.
    pub fn class(self) -> Class {
        match self {
            Self::NotAgreed | Self::Violation(_) => Class::Protocol,
            Self::GoAway(_) | Self::Reset(_) => Class::Closed,
        }
    }

    /// The error code of RFC 9113 section 7.
    pub fn code(self) -> u32 {
        match self {
            Self::NotAgreed => 0,
            Self::GoAway(reason) | Self::Reset(reason) | Self::Violation(reason) => reason.into(),
        }
    }

    /// Whether the server said that it left the request alone as it was leaving in good order, so that anything may be
    /// sent once more (RFC 9113 section 6.8).
    pub(in crate::http) fn is_unprocessed(self) -> bool {
        self == Self::GoAway(Reason::NO_ERROR)
    }
}

/// What an error of h2 means to an exchange that had come so far.
pub(super) fn of(error: Error, when: When) -> Failure {
    let own = |reason| match () {
        () if error.is_remote() && error.is_go_away() => Http2Failure::GoAway(reason),
        () if error.is_remote() => Http2Failure::Reset(reason),
        () => Http2Failure::Violation(reason),
    };
    if let Some(reason) = error.reason() {
        return own(reason).into();
    }
    match error.into_io() {
        Some(error) if error.raw_os_error().is_some() => Failure::Broken { when, error },
        Some(_) => Failure::Closed(when),
        None => Failure::Unsendable("HTTP/2 has no such request"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_that_was_left_alone_may_be_sent_again() {
        assert!(Http2Failure::GoAway(Reason::NO_ERROR).is_unprocessed());
        for other in [
            Http2Failure::GoAway(Reason::ENHANCE_YOUR_CALM),
            Http2Failure::Reset(Reason::REFUSED_STREAM),
            Http2Failure::Violation(Reason::NO_ERROR),
            Http2Failure::NotAgreed,
        ] {
            assert!(!other.is_unprocessed(), "{other}");
        }
        let reset = Http2Failure::Reset(Reason::REFUSED_STREAM);
        assert_eq!((reset.class(), reset.code()), (Class::Closed, 7));
        assert!(reset.to_string().contains("REFUSED_STREAM"), "{reset}");
    }
}
