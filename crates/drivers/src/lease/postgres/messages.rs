//! [`Messages`]: looks at what a PostgreSQL server sends before the crate does.
//!
//! The crate reads a message as long as the server says it is, up to 2 GB, and hands over a password in clear to
//! whoever asks for it. Both end the connection here.

use std::io;

/// Longer than any answer about leases.
const MESSAGE_MAX: u32 = 16 << 20;
/// A kind and a length.
const HEAD: usize = 5;
/// The head of a request to log in, and what it asks for.
const REQUEST: usize = HEAD + 4;
/// The password as it is.
const CLEAR: u32 = 3;

/// Where in the messages of a server its stream is.
#[derive(Debug)]
pub(super) struct Messages {
    begun: [u8; REQUEST],
    /// How much of the message has come.
    come: usize,
    /// Whether the password may be asked for in clear.
    clear: bool,
}

impl Messages {
    /// Of a stream at its beginning. `clear` is whether a password may be sent as it is.
    pub(super) fn new(clear: bool) -> Self {
        Self { begun: [0; REQUEST], come: 0, clear }
    }

    /// Follows what has come.
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

    /// How long the whole message is, its kind included.
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
        let [.., a, b, c, d] = self.begun;
        let asked = u32::from_be_bytes([a, b, c, d]);
        if self.come == REQUEST && self.begun[0] == b'R' && asked == CLEAR && !self.clear {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the server asks for the password in clear, which anyone on the way could read: secure the connection \
                 (sslmode=verify-full), or allow it (require_auth=password)",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    /// The same in every cut of the bytes.
    fn each_cut(bytes: &[u8], clear: bool, fine: bool) {
        for cut in 0..=bytes.len() {
            let mut messages = Messages::new(clear);
            let (first, rest) = bytes.split_at(cut);
            let followed = messages.follow(first).and_then(|()| messages.follow(rest));
            assert_eq!(followed.is_ok(), fine, "{cut} of {bytes:?}");
        }
    }

    #[test]
    fn messages_pass_until_one_has_no_end() {
        let mut bytes = message(b'R', &[0, 0, 0, 0]);
        bytes.extend(message(b'S', b"a\0b\0"));
        bytes.extend(message(b'Z', b"I"));
        each_cut(&bytes, false, true);
        bytes.extend([b'D', 0x7f, 0xff, 0xff, 0xff, 0]);
        each_cut(&bytes, false, false);
    }

    #[test]
    fn a_password_is_not_told_to_who_asks_for_it_in_clear() {
        let asks = message(b'R', &[0, 0, 0, 3]);
        each_cut(&asks, false, false);
        each_cut(&asks, true, true);
        each_cut(&message(b'R', &[0, 0, 0, 5, 1, 2, 3, 4]), false, true);
        // A length that leaves no room for what is asked.
        each_cut(&[b'R', 0, 0, 0, 4, b'Z', 0, 0, 0, 5, b'I'], false, true);
    }
}
