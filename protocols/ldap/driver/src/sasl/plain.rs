//! The mechanisms that end after one response: PLAIN (RFC 4616), EXTERNAL (RFC 4422), ANONYMOUS (RFC 4505) and
//! OAUTHBEARER (RFC 7628). The response is made together with the conversation, so a step only returns it.

use super::{Identity, Mechanism, SaslError, Step};

/// What separates the parts of an OAUTHBEARER message, and acknowledges the server's reason for a refusal.
const CONTROL_A: u8 = 1;

pub(super) struct Plain {
    response: Vec<u8>,
    /// The answer to a challenge after the response.
    acknowledgement: &'static [u8],
    sent: bool,
}

impl Plain {
    pub(super) fn new(mechanism: Mechanism, identity: &Identity<'_>) -> Result<Self, SaslError> {
        let response = match mechanism {
            Mechanism::External => identity.authzid.as_bytes().to_vec(),
            Mechanism::Anonymous => identity.authid.as_bytes().to_vec(),
            Mechanism::OauthBearer => bearer(identity)?,
            _ => message(identity)?,
        };
        let acknowledgement: &[u8] =
            if mechanism == Mechanism::OauthBearer { &[CONTROL_A] } else { &[] };
        Ok(Self { response, acknowledgement, sent: false })
    }

    /// A server that ignored the initial response requests it again with an empty challenge.
    pub(super) fn step(&mut self, challenge: Option<&[u8]>, out: &mut Vec<u8>) -> Step {
        if challenge.is_none() || !self.sent {
            out.extend_from_slice(&self.response);
            self.sent = true;
        } else {
            out.extend_from_slice(self.acknowledgement);
        }
        Step::Respond
    }
}

/// RFC 4616 section 2: `[authzid] NUL authcid NUL passwd`.
fn message(identity: &Identity<'_>) -> Result<Vec<u8>, SaslError> {
    let parts = [
        ("authorization identity", identity.authzid.as_bytes()),
        ("user name", identity.authid.as_bytes()),
        ("password", identity.password),
    ];
    if let Some((what, _)) = parts.iter().find(|(_, bytes)| bytes.contains(&0)) {
        return Err(SaslError::Characters { what, mechanism: Mechanism::Plain });
    }
    Ok(parts.map(|(_, bytes)| bytes).join(&0))
}

/// RFC 7628 section 3.1: a header of GS2 with the identity to act as, and the token. The host and the port are only for
/// tokens that are signed, which a bearer token is not.
fn bearer(identity: &Identity<'_>) -> Result<Vec<u8>, SaslError> {
    let mechanism = Mechanism::OauthBearer;
    if identity.password.iter().any(|byte| !byte.is_ascii_graphic()) {
        return Err(SaslError::Characters { what: "access token", mechanism });
    }
    if identity.authzid.as_bytes().contains(&CONTROL_A) {
        return Err(SaslError::Characters { what: "authorization identity", mechanism });
    }
    let header = match identity.authzid {
        "" => "n,,".to_owned(),
        authzid => format!("n,a={},", authzid.replace('=', "=3D").replace(',', "=2C")),
    };
    let token = identity.password;
    Ok([header.as_bytes(), b"\x01auth=Bearer ", token, b"\x01\x01"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(mechanism: Mechanism, authid: &str, act_as: &str, password: &[u8]) -> Vec<u8> {
        let identity = Identity {
            authid,
            authzid: act_as,
            password,
            realm: None,
            host: "h",
            digest_uri: None,
        };
        let mut out = Vec::new();
        assert_eq!(Plain::new(mechanism, &identity).unwrap().step(None, &mut out), Step::Respond);
        out
    }

    #[test]
    fn plain_example_of_rfc_4616() {
        assert_eq!(
            first(Mechanism::Plain, "tim", "", b"tanstaaftanstaaf"),
            b"\0tim\0tanstaaftanstaaf"
        );
        assert_eq!(
            first(Mechanism::Plain, "Kurt", "Ursel", b"xipj3plmq"),
            b"Ursel\0Kurt\0xipj3plmq"
        );
    }

    #[test]
    fn external_sends_only_the_authzid() {
        assert_eq!(first(Mechanism::External, "nobody", "", b"x"), b"");
        assert_eq!(first(Mechanism::External, "nobody", "u:kurt", b"x"), b"u:kurt");
    }

    #[test]
    fn oauthbearer_example_of_rfc_7628_and_refusal() {
        let token = b"vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==";
        let sent = first(Mechanism::OauthBearer, "", "user@example.com", token);
        let expected = "n,a=user@example.com,\x01auth=Bearer vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\x01\x01";
        assert_eq!(String::from_utf8(sent).unwrap(), expected);
        assert_eq!(first(Mechanism::OauthBearer, "", "", b"t"), b"n,,\x01auth=Bearer t\x01\x01");
        let identity = Identity {
            authid: "",
            authzid: "",
            password: b"t",
            realm: None,
            host: "h",
            digest_uri: None,
        };
        let mut plain = Plain::new(Mechanism::OauthBearer, &identity).unwrap();
        let mut out = Vec::new();
        plain.step(None, &mut out);
        out.clear();
        plain.step(Some(br#"{"status":"invalid_token"}"#), &mut out);
        assert_eq!(out, b"\x01");
        let broken = Identity { password: b"two words", ..identity };
        assert!(Plain::new(Mechanism::OauthBearer, &broken).is_err());
    }

    #[test]
    fn plain_refuses_nul_characters() {
        let identity = Identity {
            authid: "a\0b",
            authzid: "",
            password: b"p",
            realm: None,
            host: "h",
            digest_uri: None,
        };
        let error = Plain::new(Mechanism::Plain, &identity).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("the user name has characters that PLAIN forbids"));
    }
}
