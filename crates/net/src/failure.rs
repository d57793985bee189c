//! [`Failure`]: why a connection, or TLS on it, could not be established.
//!
//! One type for both, because a session counts both the same way: a class, a code and, for the first few, a text.
//! Making one allocates nothing; the text is made only when it is printed. It must not depend on the purpose of the
//! connection.

use super::address_policy;
use brunt_exchange::{Class, Outcome};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Why a connection could not be opened or secured.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No server listens at this address.
    #[error("connect to {0}: connection refused; is the server running and the port right?")]
    Refused(SocketAddr),
    /// The connect timeout passed.
    #[error("connect to {0}: no answer within {1:?}")]
    ConnectTimedOut(SocketAddr, Duration),
    /// The network reports that there is no route to this address.
    #[error("connect to {to}: {error}")]
    Unreachable {
        /// The target.
        to: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// This machine has no local port left for that target.
    #[error(
        "connect to {0}: this machine has no local port left for that target; use more source addresses, \
         keep connections open, or reset them when closing"
    )]
    Ports(SocketAddr),
    /// This process may open no more descriptors.
    #[error("connect to {0}: this process may open no more files; raise its limit (ulimit -n)")]
    Descriptors(SocketAddr),
    /// The source address is not one of this machine's.
    #[error("bind to the source address {from}: {error}")]
    Source {
        /// The requested address.
        from: IpAddr,
        /// The system's error.
        error: io::Error,
    },
    /// This process may not reach that address.
    #[error("connect to {to}: {error}")]
    Fenced {
        /// The target.
        to: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// Anything else that went wrong while connecting.
    #[error("connect to {to}: {error}")]
    Connect {
        /// The target.
        to: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The Unix socket does not exist, no process listens on it, or this process may not use it.
    #[error("connect to unix:{}: {error}; is the server running and the path right?", path.display())]
    Unix {
        /// The socket.
        path: Arc<Path>,
        /// The system's error.
        error: io::Error,
    },
    /// The handshake did not end within the timeout.
    #[error("complete the TLS handshake: no end within {0:?}")]
    TlsTimedOut(Duration),
    /// The handshake failed: a certificate, a version, an alert. This is also used for an error of a later read: under
    /// TLS 1.3 a server refuses a client's certificate only then.
    #[error("complete the TLS handshake: {}", TlsWords(.0))]
    Tls(io::Error),
    /// TLS was requested on a connection that already has it.
    #[error("start TLS: the connection is already secured")]
    AlreadySecured,
}

impl Failure {
    /// The class a failed exchange is counted under.
    pub fn class(&self) -> Class {
        match self {
            Self::Ports(_) => Class::Ports,
            Self::Descriptors(_) => Class::Descriptors,
            Self::Fenced { .. } => Class::Fenced,
            Self::TlsTimedOut(_) | Self::Tls(_) | Self::AlreadySecured => Class::Tls,
            _ => class_of_errno(Some(self.code().cast_signed())),
        }
    }

    /// The error number of the operating system, else 0.
    pub fn code(&self) -> u32 {
        let number = match self {
            Self::Refused(_) => libc::ECONNREFUSED,
            Self::ConnectTimedOut(..) | Self::TlsTimedOut(_) => libc::ETIMEDOUT,
            Self::Ports(_) => libc::EADDRNOTAVAIL,
            Self::Descriptors(_) => libc::EMFILE,
            Self::Unreachable { error, .. }
            | Self::Source { error, .. }
            | Self::Connect { error, .. }
            | Self::Unix { error, .. }
            | Self::Tls(error) => error.raw_os_error().unwrap_or(0),
            Self::Fenced { .. } => libc::EACCES,
            Self::AlreadySecured => 0,
        };
        number.cast_unsigned()
    }

    /// Hands on the address that could not be reached, and the error. This machine's own limits concern no address.
    pub fn unreached<T>(
        &self,
        take: impl FnOnce(&dyn fmt::Display, &dyn fmt::Display) -> T,
    ) -> Option<T> {
        Some(match self {
            Self::Refused(to) => take(to, &"connection refused"),
            Self::ConnectTimedOut(to, limit) => {
                take(to, &format_args!("no answer within {limit:?}"))
            }
            Self::Unreachable { to, error } | Self::Connect { to, error } => take(to, error),
            Self::Unix { path, error } => take(&format_args!("unix:{}", path.display()), error),
            _ => return None,
        })
    }

    /// How an exchange that needed the connection ended.
    pub fn outcome(&self) -> Outcome {
        Outcome::Failed(self.class(), self.code())
    }

    /// Converts the system's error from `connect`.
    pub(super) fn of_connect(to: SocketAddr, error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ECONNREFUSED) => Self::Refused(to),
            Some(libc::EADDRNOTAVAIL | libc::EADDRINUSE) => Self::Ports(to),
            Some(libc::EMFILE | libc::ENFILE) => Self::Descriptors(to),
            Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::ENETDOWN | libc::EHOSTDOWN) => {
                Self::Unreachable { to, error }
            }
            _ => Self::Connect { to, error },
        }
    }
}

/// The class of an attempt to reach a target that failed with this error. Without a descriptor, and behind an address
/// policy, nothing was sent to the target, whatever the protocol.
pub fn class_of_connecting(error: &io::Error) -> Class {
    if address_policy::is_refusal(error) {
        Class::Fenced
    } else {
        class_of_errno(error.raw_os_error())
    }
}

fn class_of_errno(errno: Option<i32>) -> Class {
    match errno {
        Some(libc::EMFILE | libc::ENFILE) => Class::Descriptors,
        _ => Class::Connect,
    }
}

/// The class of an error of sending a datagram. The carrier has already removed errors that belong to an earlier
/// datagram, so the others are local.
pub fn class_of_sending(error: &io::Error) -> Class {
    match class_of_connecting(error) {
        Class::Connect => Class::Unsent,
        other => other,
    }
}

/// The number of an error of sending, as outcomes have it.
pub fn number_of_sending(error: &io::Error) -> i32 {
    address_policy::number(error).unwrap_or(libc::EIO)
}

/// Describes the cause of an error of a secured stream, and the remedy if it is known.
struct TlsWords<'a>(&'a io::Error);

impl fmt::Display for TlsWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use rustls::{AlertDescription as Alert, CertificateError, Error};
        if self.0.kind() == io::ErrorKind::UnexpectedEof {
            return f
                .write_str("the server closed the connection; does it speak TLS on this port?");
        }
        let Some(error) = self.0.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
            return self.0.fmt(f);
        };
        match error {
            Error::InvalidCertificate(CertificateError::Other(refusal)) => refusal.0.fmt(f),
            Error::InvalidMessage(_) => {
                write!(f, "{error}; does the server speak TLS on this port?")
            }
            Error::AlertReceived(Alert::CertificateRequired) => f.write_str(
                "the server demands a client certificate and got none (CertificateRequired)",
            ),
            Error::AlertReceived(alert @ (Alert::ProtocolVersion | Alert::HandshakeFailure)) => {
                write!(f, "the server shares no version or cipher suite with us ({alert:?})")
            }
            Error::AlertReceived(
                alert @ (Alert::UnknownCA
                | Alert::BadCertificate
                | Alert::CertificateUnknown
                | Alert::AccessDenied),
            ) => write!(f, "the server refused our certificate ({alert:?})"),
            _ => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_ports_have_their_own_class() {
        let to = SocketAddr::from(([192, 0, 2, 1], 389));
        let failure = Failure::of_connect(to, io::Error::from_raw_os_error(libc::EADDRNOTAVAIL));
        assert_eq!(failure.outcome(), Outcome::Failed(Class::Ports, 99));
        assert!(failure.to_string().contains("192.0.2.1:389"));
    }

    #[test]
    fn connect_failures_keep_the_errno() {
        let to = SocketAddr::from(([192, 0, 2, 1], 389));
        for number in [111, 113, 13] {
            let failure = Failure::of_connect(to, io::Error::from_raw_os_error(number));
            assert_eq!(failure.outcome(), Outcome::Failed(Class::Connect, number.cast_unsigned()));
        }
        let files = Failure::of_connect(to, io::Error::from_raw_os_error(libc::EMFILE));
        assert_eq!(
            files.outcome(),
            Outcome::Failed(Class::Descriptors, 24),
            "no fault of the target"
        );
        let path = Path::new("/run/x").into();
        let socket = Failure::Unix { path, error: io::Error::from_raw_os_error(libc::ENFILE) };
        assert_eq!(socket.outcome(), Outcome::Failed(Class::Descriptors, 23));
        let tls = Failure::Tls(io::Error::other("bad certificate"));
        assert_eq!(tls.outcome(), Outcome::Failed(Class::Tls, 0));
    }
}
