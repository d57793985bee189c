//! Why a lookup had no answer: [`LookupError`], and how it is counted.

use std::io;
use std::sync::Arc;

use brunt_exchange::{Class, Outcome};
use brunt_ldap_wire::code;
use brunt_names_wire::account::Malformed;
use brunt_net::class_of_connecting;

use super::conversation::ConversationError;

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// No connection.
    #[error("connect to {to}: {error}")]
    Connect {
        /// The target.
        to: Arc<str>,
        /// The system's error.
        error: io::Error,
    },
    /// No TLS on the connection.
    #[error("complete the TLS handshake with {to}: {error}")]
    Tls {
        /// The target.
        to: Arc<str>,
        /// The error.
        error: io::Error,
    },
    /// The identity was refused.
    #[error("log in to {to}: {} ({code})", code::name(*code))]
    Login {
        /// The server.
        to: Arc<str>,
        /// The result code.
        code: u32,
    },
    /// The connection broke.
    #[error("talk over the connection: {0}")]
    Broken(io::Error),
    /// The connection ended too early.
    #[error("read the answer: the connection was closed before its end")]
    Closed,
    /// Nothing arrived within the time limit.
    #[error("read the answer: nothing came in time")]
    Late,
    /// The bytes received are not a reply.
    #[error("understand the answer: {0}")]
    Malformed(#[from] Malformed),
    /// The bytes received are not an LDAP message.
    #[error("understand the answer: {0}")]
    Message(#[from] brunt_ldap_wire::ber::DecodeError),
    /// The message received does not answer the question.
    #[error("understand the answer: it is {0}")]
    Strange(&'static str),
    /// The C library returned an error number.
    #[error("look it up: {}; is every source of nsswitch.conf available?", io::Error::from_raw_os_error(*.0))]
    System(i32),
    /// The directory refused.
    #[error("search: {} ({code})", code::name(*code))]
    Refused {
        /// The result code.
        code: u32,
    },
    /// The cache does not store this kind of entry.
    #[error("ask the cache: it keeps nothing of that kind (enable-cache in nscd.conf)")]
    Off,
    /// The key is longer than the path can take.
    #[error("ask: the daemon takes no key of this length")]
    Key,
}

impl From<ConversationError> for LookupError {
    fn from(error: ConversationError) -> Self {
        match error {
            ConversationError::Broken(error) => Self::of_stream(error),
            ConversationError::Closed => Self::Closed,
            ConversationError::Message(error) => Self::Message(error),
            ConversationError::Other => Self::Strange("the answer to another request"),
        }
    }
}

impl LookupError {
    /// The codes of [`Class::Check`] that do not concern the answer.
    pub(super) const OFF: u32 = 4;
    pub(super) const KEY: u32 = 5;

    /// Converts an error of a stream.
    pub(super) fn of_stream(error: io::Error) -> Self {
        match error.kind() {
            // The error of a blocking socket after a timeout depends on the system call.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Late,
            io::ErrorKind::UnexpectedEof => Self::Closed,
            _ => Self::Broken(error),
        }
    }

    /// How the lookup is counted.
    pub fn outcome(&self) -> Outcome {
        let number = |error: &io::Error| error.raw_os_error().unwrap_or_default().cast_unsigned();
        match self {
            Self::Connect { error, .. } => {
                Outcome::Failed(class_of_connecting(error), number(error))
            }
            Self::Tls { error, .. } => Outcome::Failed(Class::Tls, number(error)),
            Self::Login { code, .. } => Outcome::Failed(Class::Login, *code),
            Self::Broken(error) => Outcome::Failed(Class::Closed, number(error)),
            Self::Closed => Outcome::Failed(Class::Closed, 0),
            Self::Late => Outcome::TimedOut,
            Self::Malformed(_) | Self::Message(_) | Self::Strange(_) => {
                Outcome::Failed(Class::Protocol, 0)
            }
            Self::System(errno) => Outcome::Failed(Class::Result, errno.cast_unsigned()),
            Self::Refused { code } => Outcome::Failed(Class::Result, *code),
            Self::Off => Outcome::Failed(Class::Check, Self::OFF),
            Self::Key => Outcome::Failed(Class::Check, Self::KEY),
        }
    }

    /// Whether the lookup failed before the question was sent.
    pub(super) const fn is_before_request(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Tls { .. } | Self::Login { .. } | Self::Key)
    }
}
