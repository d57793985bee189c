//! DIGEST-MD5 (RFC 2831) with `qop=auth`: no integrity or privacy layer, as a load generator has no use for one. The
//! server's `rspauth` is verified, so a server that does not know the password is detected.

use super::{Identity, Mechanism, SaslError, Step, push_hex, same_bytes};
use md5::{Digest, Md5};

/// RFC 2831 section 2.1.1: a challenge is shorter than this.
const CHALLENGE_MAX: usize = 2048;

pub(super) struct DigestMd5 {
    authid: String,
    authzid: String,
    password: zeroize::Zeroizing<Vec<u8>>,
    realm: Option<String>,
    uri: String,
    cnonce: String,
    /// What the server must send as `rspauth`, once we have answered its challenge.
    expected: Option<[u8; 32]>,
    proven: bool,
}

impl DigestMd5 {
    pub(super) fn new(identity: &Identity<'_>, cnonce: String) -> Self {
        Self {
            authid: identity.authid.to_owned(),
            authzid: identity.authzid.to_owned(),
            password: zeroize::Zeroizing::new(identity.password.to_vec()),
            realm: identity.realm.map(str::to_owned),
            uri: identity
                .digest_uri
                .map_or_else(|| format!("ldap/{}", identity.host), str::to_owned),
            cnonce,
            expected: None,
            proven: false,
        }
    }

    pub(super) fn step(
        &mut self,
        challenge: Option<&[u8]>,
        out: &mut Vec<u8>,
    ) -> Result<Step, SaslError> {
        match challenge {
            None => Ok(Step::Listen),
            Some(proof) if self.expected.is_some() => {
                self.verify(proof)?;
                Ok(Step::Respond)
            }
            Some(challenge) => {
                self.respond(&Challenge::parse(challenge)?, out)?;
                Ok(Step::Respond)
            }
        }
    }

    pub(super) fn finish(&mut self, credentials: Option<&[u8]>) -> Result<(), SaslError> {
        match credentials {
            Some(proof) if !proof.is_empty() => self.verify(proof),
            _ if self.proven => Ok(()),
            _ => Err(SaslError::Impostor(Mechanism::DigestMd5)),
        }
    }

    fn verify(&mut self, proof: &[u8]) -> Result<(), SaslError> {
        let expected = self.expected.ok_or(problem("proves something before it was asked"))?;
        let mut proven = false;
        for directive in Directives(proof) {
            let (name, value) = directive?;
            proven |= name == "rspauth" && same_bytes(&value, &expected);
        }
        self.proven = proven;
        if proven { Ok(()) } else { Err(SaslError::Impostor(Mechanism::DigestMd5)) }
    }

    fn respond(&mut self, challenge: &Challenge, out: &mut Vec<u8>) -> Result<(), SaslError> {
        let realm = self.realm.as_deref().or(challenge.realm.as_deref());
        let username = charset(&self.authid, challenge.utf8)?;
        let realm_bytes = realm.map(|realm| charset(realm, challenge.utf8)).transpose()?;
        let secret =
            self.secret(&username, realm_bytes.as_deref().unwrap_or_default(), challenge.utf8);
        let mut a1 = Md5::new();
        a1.update(secret);
        for part in [&b":"[..], &challenge.nonce, b":", self.cnonce.as_bytes()] {
            a1.update(part);
        }
        if !self.authzid.is_empty() {
            a1.update(b":");
            a1.update(self.authzid.as_bytes());
        }
        let a1 = hex(&a1.finalize());
        let response = self.proof(&a1, b"AUTHENTICATE:", &challenge.nonce);
        self.expected = Some(self.proof(&a1, b":", &challenge.nonce));

        if challenge.utf8 {
            out.extend_from_slice(b"charset=utf-8,");
        }
        push_quoted("username", &username, out);
        if let Some(realm) = realm_bytes {
            push_quoted("realm", &realm, out);
        }
        push_quoted("nonce", &challenge.nonce, out);
        out.extend_from_slice(b"nc=00000001,");
        push_quoted("cnonce", self.cnonce.as_bytes(), out);
        push_quoted("digest-uri", self.uri.as_bytes(), out);
        if !self.authzid.is_empty() {
            push_quoted("authzid", self.authzid.as_bytes(), out);
        }
        out.extend_from_slice(b"response=");
        out.extend_from_slice(&response);
        out.extend_from_slice(b",qop=auth");
        Ok(())
    }

    /// `H({username, ":", realm, ":", passwd})`. Section 2.1.2.1: each of the three is converted to ISO 8859-1 where
    /// its characters allow it.
    fn secret(&self, username: &[u8], realm: &[u8], utf8: bool) -> [u8; 16] {
        let narrow = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).ok().filter(|_| utf8);
            text.and_then(latin1).unwrap_or_else(|| bytes.to_vec())
        };
        // Both sides convert a UTF-8 password to ISO 8859-1, independent of the character set of the names.
        let password = std::str::from_utf8(&self.password).ok().and_then(latin1);
        let password = zeroize::Zeroizing::new(password.unwrap_or_else(|| self.password.to_vec()));
        let mut hash = Md5::new();
        for part in [&narrow(username)[..], b":", &narrow(realm), b":", &password] {
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// `KD(HEX(H(A1)), nonce:nc:cnonce:qop:HEX(H(A2)))`, where A2 is `method` and the digest-uri.
    fn proof(&self, a1: &[u8; 32], method: &[u8], nonce: &[u8]) -> [u8; 32] {
        let a2 = hex(&Md5::new().chain_update(method).chain_update(self.uri.as_bytes()).finalize());
        let mut hash = Md5::new();
        for part in [&a1[..], b":", nonce, b":00000001:", self.cnonce.as_bytes(), b":auth:", &a2] {
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

struct Challenge {
    realm: Option<String>,
    nonce: Vec<u8>,
    utf8: bool,
}

impl Challenge {
    /// RFC 2831 section 2.1.1. Of several realms the first is used, unless the user named one.
    fn parse(bytes: &[u8]) -> Result<Self, SaslError> {
        if bytes.len() >= CHALLENGE_MAX {
            return Err(problem("is longer than the 2047 bytes that RFC 2831 allows"));
        }
        let (mut realm, mut nonce, mut utf8, mut auth, mut algorithm) =
            (None, None, false, true, false);
        for directive in Directives(bytes) {
            let (name, value) = directive?;
            match name.as_str() {
                "realm" if realm.is_none() => {
                    realm = Some(String::from_utf8_lossy(&value).into_owned());
                }
                "nonce" if nonce.is_some() => return Err(problem("has two nonces")),
                "nonce" => nonce = Some(value),
                "charset" => utf8 = value.eq_ignore_ascii_case(b"utf-8"),
                "qop" => {
                    auth = value.split(|byte| *byte == b',').any(|qop| qop.trim_ascii() == b"auth");
                }
                "algorithm" => algorithm = value.eq_ignore_ascii_case(b"md5-sess"),
                _ => {}
            }
        }
        if !auth {
            return Err(problem("offers no qop=auth: it insists on a security layer"));
        }
        if !algorithm {
            return Err(problem("does not name the algorithm md5-sess"));
        }
        Ok(Self { realm, nonce: nonce.ok_or(problem("has no nonce"))?, utf8 })
    }
}

/// Iterates over `name=value` and `name="value"` pairs separated by commas. Names are yielded in lower case.
struct Directives<'a>(&'a [u8]);

impl Iterator for Directives<'_> {
    type Item = Result<(String, Vec<u8>), SaslError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let [b',' | b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.0 {
            self.0 = rest;
        }
        if self.0.is_empty() {
            return None;
        }
        let directive = self.directive().ok_or(problem("is not a list of name=value"));
        if directive.is_err() {
            self.0 = &[];
        }
        Some(directive)
    }
}

impl Directives<'_> {
    fn directive(&mut self) -> Option<(String, Vec<u8>)> {
        let equals = self.0.iter().position(|byte| *byte == b'=')?;
        let (name, rest) =
            (self.0.get(..equals)?.trim_ascii(), self.0.get(equals + 1..)?.trim_ascii_start());
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let [b'"', quoted @ ..] = rest else {
            let end = rest.iter().position(|byte| *byte == b',').unwrap_or(rest.len());
            let (value, rest) = rest.split_at(end);
            self.0 = rest;
            return Some((name, value.trim_ascii().to_vec()));
        };
        let mut value = Vec::new();
        let mut bytes = quoted.iter().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    self.0 = quoted.get(at + 1..)?;
                    return Some((name, value));
                }
                b'\\' => value.push(*bytes.next()?.1),
                _ => value.push(*byte),
            }
        }
        None
    }
}

/// The encoded name: UTF-8 where the server accepts it, otherwise ISO 8859-1, otherwise an error.
fn charset(text: &str, utf8: bool) -> Result<Vec<u8>, SaslError> {
    if utf8 {
        return Ok(text.as_bytes().to_vec());
    }
    latin1(text).ok_or(SaslError::Characters { what: "user name", mechanism: Mechanism::DigestMd5 })
}

fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect()
}

fn push_quoted(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    for byte in value {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.extend_from_slice(b"\",");
}

fn hex(digest: &[u8]) -> [u8; 32] {
    let mut text = Vec::with_capacity(32);
    push_hex(digest, &mut text);
    std::array::from_fn(|at| text.get(at).copied().unwrap_or_default())
}

fn problem(problem: &'static str) -> SaslError {
    SaslError::Challenge { mechanism: Mechanism::DigestMd5, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: &[u8] =
        br#"realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8"#;

    fn chris() -> DigestMd5 {
        let identity = Identity {
            authid: "chris",
            authzid: "",
            password: b"secret",
            realm: None,
            host: "elwood.innosoft.com",
            digest_uri: Some("imap/elwood.innosoft.com"),
        };
        DigestMd5::new(&identity, "OA6MHXh6VqTrRk".into())
    }

    fn answered() -> (DigestMd5, String) {
        let (mut digest, mut out) = (chris(), Vec::new());
        assert_eq!(digest.step(None, &mut out).unwrap(), Step::Listen);
        assert_eq!(digest.step(Some(CHALLENGE), &mut out).unwrap(), Step::Respond);
        (digest, String::from_utf8(out).unwrap())
    }

    #[test]
    fn digest_md5_example_of_rfc_2831() {
        let (mut digest, response) = answered();
        assert_eq!(
            response,
            "charset=utf-8,username=\"chris\",realm=\"elwood.innosoft.com\",nonce=\"OA6MG9tEQGm2hh\",\
             nc=00000001,cnonce=\"OA6MHXh6VqTrRk\",digest-uri=\"imap/elwood.innosoft.com\",\
             response=d388dad90d4bbd760a152321f2143af7,qop=auth"
        );
        digest.finish(Some(b"rspauth=ea40f60335c427b5527b84dbabcdfffd")).unwrap();
    }

    #[test]
    fn digest_md5_proof_may_be_a_further_challenge() {
        let (mut digest, _) = answered();
        let mut out = Vec::new();
        let step =
            digest.step(Some(b"rspauth=ea40f60335c427b5527b84dbabcdfffd"), &mut out).unwrap();
        assert_eq!((step, out.len()), (Step::Respond, 0));
        digest.finish(None).unwrap();
    }

    #[test]
    fn digest_md5_requires_the_proof_of_the_server() {
        for proof in
            [None, Some(&b"rspauth=00000000000000000000000000000000"[..]), Some(b"other=1")]
        {
            let (mut digest, _) = answered();
            assert!(matches!(digest.finish(proof), Err(SaslError::Impostor(_))), "{proof:?}");
        }
    }

    #[test]
    fn digest_md5_challenges_are_validated() {
        for (challenge, words) in [
            (&b"realm=\"x"[..], "is not a list"),
            (b"nonsense", "is not a list"),
            (b"nonce=\"a\\", "is not a list"),
            (
                b"nonce=a,qop=\"auth-int,auth-conf\",algorithm=md5-sess",
                "insists on a security layer",
            ),
            (b"nonce=a,qop=auth", "md5-sess"),
            (b"qop=auth,algorithm=md5-sess", "has no nonce"),
            (b"nonce=a,nonce=b,algorithm=md5-sess", "two nonces"),
            (&[b','; CHALLENGE_MAX], "longer than"),
        ] {
            let error = chris().step(Some(challenge), &mut Vec::new()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn digest_md5_quoting_round_trips() {
        let mut out = Vec::new();
        push_quoted("username", br#"a"b\c"#, &mut out);
        let (name, value) = Directives(&out).next().unwrap().unwrap();
        assert_eq!((name.as_str(), value.as_slice()), ("username", &br#"a"b\c"#[..]));
    }

    #[test]
    fn digest_md5_hashes_latin_1_names_as_latin_1() {
        let mut digest = chris();
        digest.password = zeroize::Zeroizing::new("geh\u{e9}im".into());
        let mut by_hand = Md5::new();
        by_hand.update(b"ren\xe9:r:geh\xe9im");
        let by_hand: [u8; 16] = by_hand.finalize().into();
        assert_eq!(digest.secret("ren\u{e9}".as_bytes(), b"r", true), by_hand);
        assert_ne!(digest.secret("ren\u{e9}\u{142}".as_bytes(), b"r", true), by_hand);
    }
}
