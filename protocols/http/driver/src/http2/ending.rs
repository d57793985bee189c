//! [`Ending`]: why a connection over HTTP/2 carries no more requests, as a failure of each exchange on it.
//!
//! A stream that the server reset and a connection that it is closing are its own decisions, and count as closed;
//! errors that were found in the received bytes count as protocol errors.

use crate::failure::{Failure, FailureStage, Http2Failure, QUOTED_MAX};
use brunt_http_wire::http2::ErrorCode;
use std::io;

/// Why a connection carries no more requests.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// The server closed it.
    Closed,
    /// The operating system reported an error, by number.
    System(i32),
    /// TLS failed.
    Tls(rustls::Error),
    /// The server announced that it will close it.
    GoAway { code: ErrorCode, message: String },
    /// The bytes received are against the rules.
    Violation(ErrorCode),
}

impl Ending {
    /// The end by an error of the socket.
    pub(super) fn from_error(error: &io::Error) -> Self {
        if let Some(code) = error.raw_os_error() {
            return Self::System(code);
        }
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        inner.map_or(Self::Closed, |error| Self::Tls(error.clone()))
    }

    /// The end by a GOAWAY with a text.
    pub(super) fn from_go_away(code: ErrorCode, text: &[u8]) -> Self {
        let text =
            brunt_redact::text(&String::from_utf8_lossy(text)).chars().take(QUOTED_MAX).collect();
        Self::GoAway { code, message: text }
    }

    /// The failure of an exchange that had reached this stage.
    pub(super) fn failure(&self, when: FailureStage) -> Failure {
        match self {
            Self::Closed => Failure::Closed(when),
            Self::System(code) => {
                Failure::Broken { when, error: io::Error::from_raw_os_error(*code) }
            }
            Self::Tls(error) => {
                Failure::broken(when, io::Error::new(io::ErrorKind::InvalidData, error.clone()))
            }
            Self::GoAway { code, message } => {
                Http2Failure::GoAway { code: *code, message: message.clone() }.into()
            }
            Self::Violation(code) => Http2Failure::Violation(*code).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_errors_keep_their_cause() {
        let reset = Ending::from_error(&io::Error::from_raw_os_error(104));
        assert_eq!(reset.failure(FailureStage::Body).code(), 104);
        let refused = rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired);
        let tls = Ending::from_error(&io::Error::new(io::ErrorKind::InvalidData, refused));
        let words = tls.failure(FailureStage::Waiting).to_string();
        assert!(words.contains("CertificateRequired"), "{words}");
        let end = Ending::from_error(&io::ErrorKind::UnexpectedEof.into());
        assert!(matches!(end.failure(FailureStage::Waiting), Failure::Closed(_)));
    }

    #[test]
    fn goaway_text_is_quoted_in_part_and_without_secrets() {
        let shown = |text: &[u8]| {
            let ending = Ending::from_go_away(ErrorCode::ENHANCE_YOUR_CALM, text);
            ending.failure(FailureStage::Waiting).to_string()
        };
        let text = shown(b"too_many_pings (3)");
        assert!(text.ends_with("(GOAWAY, ENHANCE_YOUR_CALM: too_many_pings (3))"), "{text}");
        assert!(!shown(b"token=hunter2").contains("hunter2"));
        assert!(shown(&[b'x'; 16_000]).len() < 300);
        assert!(shown(b"").ends_with("(GOAWAY, ENHANCE_YOUR_CALM)"));
    }
}
