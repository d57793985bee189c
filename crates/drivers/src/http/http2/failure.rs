//! Converts h2's errors to failures of an exchange.
//!
//! A stream that the server reset and a connection that it is closing are its own decisions, and count as closed;
//! errors that h2 found in the received bytes count as protocol errors.

use crate::http::failure::{Failure, FailureStage, Http2Failure};
use h2::Error;

/// The failure for an error of h2 in an exchange that had reached this stage.
pub(super) fn of(error: Error, when: FailureStage) -> Failure {
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
