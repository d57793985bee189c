//! Texts that stand for a number, which nobody but the server can make up.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use brunt_embedded::script::mix;

/// Writes numbers as texts with a MAC, and reads them back. Only texts of the same secret are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal {
    secret: u64,
}

impl Seal {
    pub(super) const fn new(secret: u64) -> Self {
        Self { secret }
    }

    /// The text of a number.
    pub(super) fn write(self, number: u64) -> String {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&mix(number ^ self.secret).to_le_bytes());
        bytes[8..16].copy_from_slice(&(number ^ self.secret).to_le_bytes());
        bytes[16..].copy_from_slice(&self.proof(number).to_le_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The number of a text that was written here.
    pub(super) fn read(self, text: &str) -> Option<u64> {
        let mut bytes = [0; 24];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
        let word = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let number = word(8)? ^ self.secret;
        (length == bytes.len() && word(16)? == self.proof(number) && self.write(number) == text)
            .then_some(number)
    }

    fn proof(self, number: u64) -> u64 {
        mix(mix(number) ^ mix(self.secret))
    }
}
