//! Converts h2's errors to failures of an exchange.
//!
//! A stream that the server reset and a connection that it is closing are its own decisions, and count as closed;
//! errors that h2 found in the received bytes count as protocol errors.

use crate::failure::{Failure, FailureStage, Http2Failure, QUOTED_MAX};
use h2::{Error, Reason};

/// The failure for an error of h2 in an exchange that had reached this stage.
pub(super) fn from_error(error: Error, when: FailureStage) -> Failure {
    if let Some(reason) = error.reason() {
        let own = match () {
            () if error.is_remote() && error.is_go_away() => {
                Http2Failure::GoAway { reason, message: message(&error.to_string()) }
            }
            () if error.is_remote() => Http2Failure::Reset(reason),
            () => Http2Failure::Violation(reason),
        };
        return own.into();
    }
    match error.into_io() {
        Some(error) if error.raw_os_error().is_some() => Failure::Broken { when, error },
        Some(_) => Failure::Closed(when),
        None => Failure::Unsendable("HTTP/2 has no such request"),
    }
}

/// The failure for an error of h2 before the head of an answer. If h2 itself refused only this stream, it refused its
/// head; it does not say why, and `longest` is its own limit.
pub(super) fn of_head(error: Error, longest: u32) -> Failure {
    if error.is_library() && error.is_reset() && error.reason() == Some(Reason::PROTOCOL_ERROR) {
        return Http2Failure::Head(longest as usize).into();
    }
    from_error(error, FailureStage::Waiting)
}

/// The text of a GOAWAY, which h2 shows in parentheses after the error code, as a byte string.
fn message(shown: &str) -> String {
    let text = shown.split_once(" (b\"").and_then(|(_, text)| text.strip_suffix("\")"));
    brunt_redact::text(text.unwrap_or_default()).chars().take(QUOTED_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goaway_text_is_extracted_from_h2() {
        let shown = "connection error received: detected excessive load (b\"too_many_pings (3)\")";
        assert_eq!(message(shown), "too_many_pings (3)");
        assert_eq!(message("connection error received: not a result of an error"), "");
    }
}
