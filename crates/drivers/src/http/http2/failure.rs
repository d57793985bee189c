//! What h2's errors mean to an exchange.
//!
//! A stream that the server gave up and a connection that it is leaving are its own decisions, and count as closed;
//! what h2 found wrong with what came counts against the protocol.

use crate::http::failure::{Failure, Http2Failure, When};
use h2::Error;

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
