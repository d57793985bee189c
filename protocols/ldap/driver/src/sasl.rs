//! The client side of SASL: a mechanism is a [`Conversation`] of challenges and responses.
//!
//! A conversation is a state machine over bytes. It does no I/O, so every mechanism is tested against the examples of
//! its RFC, and only the driver decides how a response is sent. All steps of a conversation are one exchange of a run,
//! as the response time that a user sees is that of the whole conversation. This module does not depend on LDAP
//! messages, connections or templates.

mod cram_md5;
mod digest_md5;
pub mod gssapi;
mod options;
mod plain;
mod scram;

pub use options::{OptionError, SaslOptions};
pub use scram::KeyCache;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// A SASL mechanism that brunt can speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mechanism {
    /// RFC 4505: no identity, at most a trace text.
    Anonymous,
    /// RFC 2195: a keyed MD5 of the server's challenge.
    CramMd5,
    /// RFC 2831: digest authentication, `qop=auth`.
    DigestMd5,
    /// RFC 4422 appendix A: the identity of the TLS client certificate.
    External,
    /// RFC 4752: Kerberos 5 through the library installed on the machine, without a security layer.
    Gssapi,
    /// RFC 7628: an access token of OAuth 2.0, which takes the place of the password.
    OauthBearer,
    /// RFC 4616: the password in the clear.
    Plain,
    /// RFC 5802, over SHA-1.
    ScramSha1,
    /// RFC 7677: SCRAM over SHA-256.
    ScramSha256,
    /// SCRAM over SHA-512, which several directories offer.
    ScramSha512,
}

impl Mechanism {
    /// Every mechanism, in the order in which messages list them.
    pub const ALL: [Self; 10] = [
        Self::Anonymous,
        Self::CramMd5,
        Self::DigestMd5,
        Self::External,
        Self::Gssapi,
        Self::OauthBearer,
        Self::Plain,
        Self::ScramSha1,
        Self::ScramSha256,
        Self::ScramSha512,
    ];

    /// The registered name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "ANONYMOUS",
            Self::CramMd5 => "CRAM-MD5",
            Self::DigestMd5 => "DIGEST-MD5",
            Self::External => "EXTERNAL",
            Self::Gssapi => "GSSAPI",
            Self::OauthBearer => "OAUTHBEARER",
            Self::Plain => "PLAIN",
            Self::ScramSha1 => "SCRAM-SHA-1",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
        }
    }

    /// The mechanism with this registered name, exactly as spelt.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mechanism| mechanism.name() == name)
    }

    /// Whether this mechanism needs an authentication identity.
    pub const fn needs_authid(self) -> bool {
        !matches!(self, Self::Anonymous | Self::External | Self::OauthBearer)
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The identity to be authenticated, and the server. Templates are rendered before this is made.
#[derive(Clone, Copy)]
pub struct Identity<'a> {
    /// The authentication identity: a user name, or `dn:` or `u:` and a name (RFC 4513).
    pub authid: &'a str,
    /// The identity to act as; empty for the authentication identity itself.
    pub authzid: &'a str,
    /// The password.
    pub password: &'a [u8],
    /// The requested realm, where the mechanism has one.
    pub realm: Option<&'a str>,
    /// The name of the server, as it appears in `ldap/HOST` and `ldap@HOST`.
    pub host: &'a str,
    /// The service name of DIGEST-MD5, where `ldap/HOST` is not right.
    pub digest_uri: Option<&'a str>,
}

/// What a conversation does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The response to send was appended to the buffer; it may be empty.
    Respond,
    /// The client sends nothing before the server's first challenge.
    Listen,
}

/// Why a conversation cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum SaslError {
    /// This mechanism cannot read the server's challenge.
    #[error("the server's {mechanism} challenge {problem}")]
    Challenge {
        /// The mechanism.
        mechanism: Mechanism,
        /// What is wrong with the challenge.
        problem: &'static str,
    },
    /// The server did not prove that it knows the password.
    #[error(
        "the server's {0} proof is wrong: it does not know the password, or the connection is intercepted"
    )]
    Impostor(Mechanism),
    /// The server ended the conversation and gave a reason in the form of the mechanism.
    #[error("the server ended {mechanism} with \"{text}\"")]
    Refused {
        /// The mechanism.
        mechanism: Mechanism,
        /// The server's reason.
        text: String,
    },
    /// The user name or password contains characters that the mechanism forbids.
    #[error("the {what} has characters that {mechanism} forbids")]
    Characters {
        /// `user name`, `password` or `authorization identity`.
        what: &'static str,
        /// The mechanism.
        mechanism: Mechanism,
    },
    /// The system has no random bytes for a nonce.
    #[error("no random bytes for a nonce: {0}")]
    Random(getrandom::Error),
    /// Kerberos failed.
    #[error("GSSAPI: {0}")]
    Gssapi(#[from] gssapi::GssError),
}

/// One run through a mechanism, from the first response to the server's verdict.
pub struct Conversation {
    state: State,
}

enum State {
    Plain(plain::Plain),
    CramMd5(cram_md5::CramMd5),
    DigestMd5(Box<digest_md5::DigestMd5>),
    Scram(Box<scram::Scram>),
    Gssapi(Box<gssapi::Gssapi>),
}

impl Conversation {
    /// A conversation that has not begun, with random nonces.
    pub fn new(mechanism: Mechanism, identity: &Identity<'_>) -> Result<Self, SaslError> {
        let nonce = match mechanism {
            Mechanism::DigestMd5
            | Mechanism::ScramSha1
            | Mechanism::ScramSha256
            | Mechanism::ScramSha512 => nonce().map_err(SaslError::Random)?,
            _ => String::new(),
        };
        Self::with_nonce(mechanism, identity, nonce)
    }

    /// A conversation whose nonce is given, as in the examples of the RFCs.
    pub fn with_nonce(
        mechanism: Mechanism,
        identity: &Identity<'_>,
        nonce: String,
    ) -> Result<Self, SaslError> {
        let state = match mechanism {
            Mechanism::Anonymous
            | Mechanism::External
            | Mechanism::OauthBearer
            | Mechanism::Plain => State::Plain(plain::Plain::new(mechanism, identity)?),
            Mechanism::CramMd5 => State::CramMd5(cram_md5::CramMd5::new(identity)),
            Mechanism::DigestMd5 => {
                State::DigestMd5(Box::new(digest_md5::DigestMd5::new(identity, nonce)))
            }
            Mechanism::ScramSha1 | Mechanism::ScramSha256 | Mechanism::ScramSha512 => {
                State::Scram(Box::new(scram::Scram::new(mechanism, identity, nonce)?))
            }
            Mechanism::Gssapi => State::Gssapi(Box::new(gssapi::Gssapi::new(identity))),
        };
        Ok(Self { state })
    }

    /// Takes the server's challenge, or `None` at the start, and appends the response to `out`.
    ///
    /// With `keys`, SCRAM does not derive the same keys again. GSSAPI may contact a KDC in this call and block; see
    /// [`blocks`](Self::blocks).
    pub fn step(
        &mut self,
        challenge: Option<&[u8]>,
        keys: &mut KeyCache,
        out: &mut Vec<u8>,
    ) -> Result<Step, SaslError> {
        match &mut self.state {
            State::Plain(plain) => Ok(plain.step(challenge, out)),
            State::CramMd5(cram) => Ok(cram.step(challenge, out)),
            State::DigestMd5(digest) => digest.step(challenge, out),
            State::Scram(scram) => scram.step(challenge, keys, out),
            State::Gssapi(gssapi) => gssapi.step(challenge, out),
        }
    }

    /// Checks the credentials that the server sent with success: its own proof, where the mechanism has one.
    pub fn finish(&mut self, credentials: Option<&[u8]>) -> Result<(), SaslError> {
        match &mut self.state {
            State::Plain(_) | State::CramMd5(_) => Ok(()),
            State::DigestMd5(digest) => digest.finish(credentials),
            State::Scram(scram) => scram.finish(credentials),
            State::Gssapi(gssapi) => gssapi.finish(),
        }
    }

    /// Whether a step may wait for something other than the server, and so must run on another thread.
    pub fn blocks(&self) -> bool {
        matches!(self.state, State::Gssapi(_))
    }
}

/// Compares in time that does not depend on the position of the first difference.
fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

/// Appends `bytes` in lower-case hexadecimal.
fn push_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    out.extend(
        bytes
            .iter()
            .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
    );
}

/// A fresh nonce of 32 characters.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)?;
    Ok(STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mechanism_names_round_trip() {
        for mechanism in Mechanism::ALL {
            assert_eq!(Mechanism::by_name(mechanism.name()), Some(mechanism));
        }
        assert_eq!(Mechanism::by_name("plain"), None);
    }

    #[test]
    fn constant_time_comparison_sees_length_and_bytes() {
        assert!(same_bytes(b"abc", b"abc"));
        assert!(!same_bytes(b"abc", b"abd"));
        assert!(!same_bytes(b"abc", b"ab"));
    }

    #[test]
    fn nonce_is_unique_and_printable() {
        let (one, other) = (nonce().unwrap(), nonce().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        assert!(!one.contains([',', '"', '\\']));
    }
}
