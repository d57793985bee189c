//! [`NoCertificate`]: a client without a certificate, that knows whether the server demanded one.
//!
//! Before TLS 1.3 a server that got no certificate reports only that the handshake failed, as it does for ciphers.
//! rustls calls a resolver when the demand arrives; all connections share it, so a thread-local flag identifies the
//! handshake that was being read.

use rustls::client::ResolvesClientCert;
use rustls::sign::CertifiedKey;
use rustls::{AlertDescription as Alert, Error, SignatureScheme};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;

thread_local! {
    /// Whether a server demanded a certificate since this was last cleared.
    static DEMANDED: Cell<bool> = const { Cell::new(false) };
}

/// The certificate of a client that has none.
#[derive(Debug)]
pub(super) struct NoCertificate;

impl ResolvesClientCert for NoCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        DEMANDED.set(true);
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// Does a handshake. If it failed after the server had demanded a certificate and got none, the error reports that,
/// with every version of TLS.
pub(super) async fn explained<T>(handshake: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let mut handshake = pin!(handshake);
    let mut demanded = false;
    let shaken = poll_fn(|context| {
        DEMANDED.set(false);
        let polled = handshake.as_mut().poll(context);
        demanded |= DEMANDED.get();
        polled
    });
    shaken.await.map_err(|error| if demanded { required(error) } else { error })
}

/// The error of a server that ended the handshake, as TLS 1.3 has it.
fn required(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let ended = match cause {
        Some(Error::AlertReceived(alert)) => {
            matches!(alert, Alert::HandshakeFailure | Alert::BadCertificate)
        }
        Some(_) => false,
        None => error.kind() == io::ErrorKind::UnexpectedEof,
    };
    if !ended {
        return error;
    }
    io::Error::new(io::ErrorKind::InvalidData, Error::AlertReceived(Alert::CertificateRequired))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    #[tokio::test]
    async fn certificate_request_has_one_message_in_every_tls_version() {
        let alert = |alert| io::Error::new(io::ErrorKind::InvalidData, Error::AlertReceived(alert));
        let message = async |demands: bool, error: io::Error| {
            let handshake = async move {
                // The demand and the end arrive at different times.
                if demands {
                    NoCertificate.resolve(&[], &[]);
                }
                tokio::task::yield_now().await;
                Err::<(), _>(error)
            };
            Failure::Tls(explained(handshake).await.unwrap_err()).to_string()
        };
        let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let expected = message(true, alert(Alert::CertificateRequired)).await;
        assert!(expected.contains("demands a client certificate and got none"), "{expected}");
        for error in [alert(Alert::HandshakeFailure), alert(Alert::BadCertificate), ended()] {
            assert_eq!(message(true, error).await, expected);
        }
        let other = message(true, alert(Alert::ProtocolVersion)).await;
        assert!(other.contains("shares no version"), "{other}");
        let nothing = message(false, alert(Alert::HandshakeFailure)).await;
        assert!(nothing.contains("shares no version or cipher suite"), "{nothing}");
        assert!(message(false, ended()).await.contains("does it speak TLS"));
    }
}
