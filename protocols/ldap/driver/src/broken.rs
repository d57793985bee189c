//! The failures that the end or the bytes of a server's connection mean.
//!
//! A server that does not understand what it is sent often ends the connection without a message, so the text names the
//! likely cause. This module must not depend on which exchanges were in flight.

use super::failure::Failure;
use brunt_exchange::Class;
use brunt_ldap_wire::code;
use brunt_ldap_wire::response::Scan;
use std::io;

/// The likely cause if a server ends a connection in the clear without a word.
const MUTE: &str = "does this port need LDAPS (-Z, ldaps://)?";

/// The server ended the connection, or the system did with this error. A `mute` server had answered nothing in the
/// clear.
pub(super) fn closed(error: Option<&io::Error>, mute: bool) -> Failure {
    let (code, mut text) = match error {
        None => (0, "the server closed the connection".to_owned()),
        Some(error) => (error.raw_os_error().map_or(0, i32::unsigned_abs), error.to_string()),
    };
    if mute {
        text += if error.is_some() {
            ", before the server sent anything; "
        } else {
            " before it sent anything; "
        };
        text += MUTE;
    }
    Failure::new(Class::Closed, code, text).ended()
}

/// The failure that an unsolicited notification means (RFC 4511 section 4.4).
pub(super) fn notice(scan: &Scan<'_>) -> Failure {
    let Ok(result) = scan.result() else {
        return Failure::protocol("a message without an id is no notice of disconnection");
    };
    let text = String::from_utf8_lossy(result.diagnostic);
    let name = code::name(result.code);
    let failure = Failure::new(
        Class::Closed,
        result.code,
        format!("notice of disconnection: {} ({name}): {text}", result.code),
    );
    // These two codes concern a request that the server could not read or does not carry out in the clear.
    match result.code {
        code::PROTOCOL_ERROR | code::STRONGER_AUTH_REQUIRED => failure,
        _ => failure.ended(),
    }
}

/// A port for LDAPS answers a message in the clear with an alert of TLS.
#[cold]
pub(super) fn no_frame(bytes: &[u8], error: impl std::fmt::Display) -> Failure {
    if bytes.starts_with(&[0x15, 3]) {
        return Failure::protocol(
            "the server answers in TLS: this port needs LDAPS (-Z, ldaps://)",
        );
    }
    malformed(error)
}

pub(super) fn malformed(error: impl std::fmt::Display) -> Failure {
    Failure::protocol(format!("the server's bytes are not LDAP: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_clear_text_server_suggests_ldaps() {
        let reset = io::Error::from_raw_os_error(libc::ECONNRESET);
        assert_eq!(&*closed(None, false).text, "the server closed the connection");
        assert!(
            closed(None, true)
                .text
                .ends_with("it sent anything; does this port need LDAPS (-Z, ldaps://)?")
        );
        let failure = closed(Some(&reset), true);
        assert!(failure.text.contains("reset by peer") && failure.text.ends_with(MUTE));
        assert_eq!((failure.code, failure.unanswered), (libc::ECONNRESET.unsigned_abs(), true));
        assert!(!closed(Some(&reset), false).text.contains(MUTE));
    }
}
