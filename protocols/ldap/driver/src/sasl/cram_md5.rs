//! CRAM-MD5 (RFC 2195): the user name and a keyed MD5 of the server's challenge. The server does not prove its
//! identity.

use super::{Identity, Step, push_hex};
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;

pub(super) struct CramMd5 {
    authid: String,
    /// Keyed with the password, so that the password itself need not be kept. `None` does not occur: HMAC accepts keys
    /// of every length.
    keyed: Option<Hmac<Md5>>,
}

impl CramMd5 {
    pub(super) fn new(identity: &Identity<'_>) -> Self {
        Self {
            authid: identity.authid.to_owned(),
            keyed: Hmac::new_from_slice(identity.password).ok(),
        }
    }

    pub(super) fn step(&mut self, challenge: Option<&[u8]>, out: &mut Vec<u8>) -> Step {
        let (Some(challenge), Some(keyed)) = (challenge, &self.keyed) else {
            return Step::Listen;
        };
        let digest = keyed.clone().chain_update(challenge).finalize().into_bytes();
        out.extend_from_slice(self.authid.as_bytes());
        out.push(b' ');
        push_hex(&digest, out);
        Step::Respond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cram_md5_example_of_rfc_2195() {
        let identity = Identity {
            authid: "tim",
            authzid: "",
            password: b"tanstaaftanstaaf",
            realm: None,
            host: "postoffice.reston.mci.net",
            digest_uri: None,
        };
        let mut cram = CramMd5::new(&identity);
        let mut out = Vec::new();
        assert_eq!(cram.step(None, &mut out), Step::Listen);
        assert!(out.is_empty());
        cram.step(Some(b"<1896.697170952@postoffice.reston.mci.net>"), &mut out);
        assert_eq!(out, b"tim b913a602c7eda7a495b4e6e7334d3890");
    }
}
