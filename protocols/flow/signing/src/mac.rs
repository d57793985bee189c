//! [`Mac`]: a message authentication code (HMAC, RFC 2104) as an API expects it in a header.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use brunt_net::secret::Secret;
use ring::hmac;
use std::fmt::Write as _;

/// The hash function of a code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digest {
    /// SHA-1.
    Sha1,
    /// SHA-256.
    #[default]
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// How the bytes of a code are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// In hexadecimal, in lower case.
    #[default]
    Hex,
    /// In base64 with padding.
    Base64,
    /// In base64 for URLs, without padding.
    Base64Url,
}

/// A key for codes, and how they are made.
#[derive(Clone, Debug)]
pub struct Mac {
    key: hmac::Key,
    notation: Notation,
}

impl Digest {
    pub(crate) const fn hmac(self) -> hmac::Algorithm {
        match self {
            Self::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha256 => hmac::HMAC_SHA256,
            Self::Sha384 => hmac::HMAC_SHA384,
            Self::Sha512 => hmac::HMAC_SHA512,
        }
    }
}

impl Mac {
    /// Codes under this secret.
    pub fn new(secret: &Secret, digest: Digest, notation: Notation) -> Self {
        Self { key: hmac::Key::new(digest.hmac(), secret.expose()), notation }
    }

    /// The code of a message.
    pub fn code(&self, message: &[u8]) -> String {
        let tag = hmac::sign(&self.key, message);
        match self.notation {
            Notation::Hex => tag.as_ref().iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            }),
            Notation::Base64 => STANDARD.encode(tag),
            Notation::Base64Url => URL_SAFE_NO_PAD.encode(tag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mac_equals_rfc_4231() {
        // Test case 2; for SHA-1, the same case of RFC 2202.
        let code = |digest, notation| {
            let mac = Mac::new(&Secret::from("Jefe"), digest, notation);
            mac.code(b"what do ya want for nothing?")
        };
        assert_eq!(code(Digest::Sha1, Notation::Hex), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        assert_eq!(
            code(Digest::Sha256, Notation::Hex),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert!(
            code(Digest::Sha384, Notation::Hex).starts_with("af45d2e376484031617f78d2b58a6b1b")
        );
        assert!(
            code(Digest::Sha512, Notation::Hex).starts_with("164b7a7bfcf819e2e395fbe73b56e0a3")
        );
        assert_eq!(code(Digest::Sha1, Notation::Base64), "7/zfauXrL6LSdBbV8YTfnCWafHk=");
        assert_eq!(code(Digest::Sha1, Notation::Base64Url), "7_zfauXrL6LSdBbV8YTfnCWafHk");
    }
}
