//! [`Messages`]: checks what a PostgreSQL server sends before the crate reads it.
//!
//! The crate reads a message of the length that the server announces, up to 2 GB, and sends the password in clear to
//! any server that requests it. Both end the connection here, and so does a request for a password that there is none
//! of, which the crate reports only in words.

use std::io;

/// The longest message accepted, which is longer than any answer about leases.
const MESSAGE_MAX: u32 = 16 << 20;
/// A kind and a length.
const HEAD: usize = 5;
/// The head of an authentication request, and the requested method.
const REQUEST: usize = HEAD + 4;
/// The password in clear.
const CLEAR: u32 = 3;
/// The password hashed with MD5.
const MD5: u32 = 5;
/// An exchange of SASL, which proves that both know the password.
const SASL: u32 = 10;

/// The password that a server may request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passwords {
    /// None, since there is none.
    None,
    /// One that nobody on the way can read.
    Protected,
    /// Also one in clear.
    Clear,
}

/// The server requests a password, and there is none.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the server asks for a password, and the URL has none (postgres://USER:PASSWORD@HOST)")]
pub(super) struct PasswordMissing;

/// The position of a server's stream within its messages.
#[derive(Debug)]
pub(super) struct Messages {
    begun: [u8; REQUEST],
    /// How much of the message has arrived.
    come: usize,
    passwords: Passwords,
}

impl Messages {
    /// The state at the beginning of a stream, on which the server may request these passwords.
    pub(super) fn new(passwords: Passwords) -> Self {
        Self { begun: [0; REQUEST], come: 0, passwords }
    }

    /// Processes the bytes that have arrived.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let looked_at = if self.begun[0] == b'R' { REQUEST } else { HEAD };
            if self.come < looked_at {
                let (octet, rest) = (bytes[0], &bytes[1..]);
                self.begun[self.come] = octet;
                self.come += 1;
                bytes = rest;
                self.check()?;
            } else {
                let taken = (self.whole() - self.come).min(bytes.len());
                self.come += taken;
                bytes = &bytes[taken..];
            }
            if self.come >= HEAD && self.come >= self.whole() {
                (self.begun, self.come) = ([0; REQUEST], 0);
            }
        }
        Ok(())
    }

    fn length(&self) -> u32 {
        let [_, a, b, c, d, ..] = self.begun;
        u32::from_be_bytes([a, b, c, d])
    }

    /// The length of the whole message, including its kind.
    fn whole(&self) -> usize {
        self.length() as usize + 1
    }

    fn check(&self) -> io::Result<()> {
        if self.come == HEAD && self.length() > MESSAGE_MAX {
            let why = format!(
                "the server announces a message of {} bytes, and no answer about leases has more than {MESSAGE_MAX}",
                self.length()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        if self.come == REQUEST && self.begun[0] == b'R' { self.check_request() } else { Ok(()) }
    }

    /// Whether the server may request this.
    fn check_request(&self) -> io::Result<()> {
        let [.., a, b, c, d] = self.begun;
        match (u32::from_be_bytes([a, b, c, d]), self.passwords) {
            (CLEAR | MD5 | SASL, Passwords::None) => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, PasswordMissing))
            }
            (CLEAR, Passwords::Protected) => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the server asks for the password in clear, which anyone on the way could read: secure the connection \
                 (sslmode=verify-full), or allow it (require_auth=password)",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    /// Checks that every split of the bytes gives the same result.
    fn each_cut(bytes: &[u8], passwords: Passwords, fine: bool) {
        for cut in 0..=bytes.len() {
            let mut messages = Messages::new(passwords);
            let (first, rest) = bytes.split_at(cut);
            let followed = messages.follow(first).and_then(|()| messages.follow(rest));
            assert_eq!(followed.is_ok(), fine, "{cut} of {bytes:?}");
        }
    }

    #[test]
    fn messages_pass_until_one_is_too_long() {
        let mut bytes = message(b'R', &[0, 0, 0, 0]);
        bytes.extend(message(b'S', b"a\0b\0"));
        bytes.extend(message(b'Z', b"I"));
        each_cut(&bytes, Passwords::None, true);
        bytes.extend([b'D', 0x7f, 0xff, 0xff, 0xff, 0]);
        each_cut(&bytes, Passwords::None, false);
    }

    #[test]
    fn password_in_clear_text_must_be_allowed() {
        let request = message(b'R', &[0, 0, 0, 3]);
        each_cut(&request, Passwords::Protected, false);
        each_cut(&request, Passwords::Clear, true);
        each_cut(&message(b'R', &[0, 0, 0, 5, 1, 2, 3, 4]), Passwords::Protected, true);
        // A length that leaves no room for the requested method.
        each_cut(&[b'R', 0, 0, 0, 4, b'Z', 0, 0, 0, 5, b'I'], Passwords::None, true);
    }

    #[test]
    fn password_that_is_missing_may_not_be_requested() {
        for (method, is_password) in [(0, false), (3, true), (5, true), (7, false), (10, true)] {
            let mut messages = Messages::new(Passwords::None);
            let followed = messages.follow(&message(b'R', &[0, 0, 0, method, 1, 2, 3, 4]));
            let missing = followed.is_err_and(|error| error.downcast::<PasswordMissing>().is_ok());
            assert_eq!(missing, is_password, "{method}");
        }
    }
}
