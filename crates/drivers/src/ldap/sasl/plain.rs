//! The mechanisms that end after one response: PLAIN (RFC 4616), EXTERNAL (RFC 4422) and ANONYMOUS (RFC 4505). The
//! response is made together with the conversation, so a step only returns it.

use super::{Identity, Mechanism, SaslError, Step};

pub(super) struct Plain {
    response: Vec<u8>,
    sent: bool,
}

impl Plain {
    pub(super) fn new(mechanism: Mechanism, identity: &Identity<'_>) -> Result<Self, SaslError> {
        let response = match mechanism {
            Mechanism::External => identity.authzid.as_bytes().to_vec(),
            Mechanism::Anonymous => identity.authid.as_bytes().to_vec(),
            _ => message(identity)?,
        };
        Ok(Self { response, sent: false })
    }

    /// A server that ignored the initial response requests it again with an empty challenge.
    pub(super) fn step(&mut self, challenge: Option<&[u8]>, out: &mut Vec<u8>) -> Step {
        if challenge.is_none() || !self.sent {
            out.extend_from_slice(&self.response);
            self.sent = true;
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
    fn plain_is_the_example_of_rfc_4616() {
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
    fn external_says_only_who_to_act_as() {
        assert_eq!(first(Mechanism::External, "nobody", "", b"x"), b"");
        assert_eq!(first(Mechanism::External, "nobody", "u:kurt", b"x"), b"u:kurt");
    }

    #[test]
    fn a_nul_inside_a_part_is_refused() {
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
