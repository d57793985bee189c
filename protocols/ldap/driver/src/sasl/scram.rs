//! SCRAM (RFC 5802, RFC 7677) over SHA-1, SHA-256 and SHA-512, without channel binding (`n`).
//!
//! Deriving a key takes as many HMACs as the server's iteration count, 4096 and more, which would make the generator
//! the bottleneck of every SCRAM run. RFC 5802 section 3 lets a client keep the derived keys, so a worker keeps them in
//! a [`KeyCache`], and a user's keys are derived once for each salt.

use super::{Identity, Mechanism, SaslError, Step, same_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Digest;
use std::collections::HashMap;
use zeroize::Zeroizing;

/// A larger iteration count would let a hostile server stop a worker for minutes.
const ITERATIONS_MAX: u32 = 1_000_000;

/// The derived keys of the users of a worker, up to a bound.
#[derive(Default)]
pub struct KeyCache {
    keys: HashMap<KeyName, Keys>,
}

impl KeyCache {
    /// The number of users whose keys are kept, at about 300 bytes each. The keys of further users are derived again
    /// each time.
    const USERS_MAX: usize = 16_384;
}

/// The password's hash is part of the name: a deliberately wrong password (`--invalidPassword`) has its own keys.
#[derive(Clone, PartialEq, Eq, Hash)]
struct KeyName {
    mechanism: Mechanism,
    iterations: u32,
    salt: Vec<u8>,
    password: [u8; 32],
}

#[derive(Clone)]
struct Keys {
    client: Vec<u8>,
    stored: Vec<u8>,
    server: Vec<u8>,
}

pub(super) struct Scram {
    mechanism: Mechanism,
    header: String,
    first_bare: String,
    nonce: String,
    password: Zeroizing<Vec<u8>>,
    expected: Option<Vec<u8>>,
    proven: bool,
}

impl Scram {
    pub(super) fn new(
        mechanism: Mechanism,
        identity: &Identity<'_>,
        nonce: String,
    ) -> Result<Self, SaslError> {
        let forbidden = |what| SaslError::Characters { what, mechanism };
        let name = stringprep::saslprep(identity.authid).map_err(|_| forbidden("user name"))?;
        // A password that is not UTF-8 is used unchanged; the server then decides.
        let password = match std::str::from_utf8(identity.password) {
            Ok(text) => {
                stringprep::saslprep(text).map_err(|_| forbidden("password"))?.as_bytes().to_vec()
            }
            Err(_) => identity.password.to_vec(),
        };
        let header = match identity.authzid {
            "" => "n,,".to_owned(),
            authzid => format!("n,a={},", escaped(authzid)),
        };
        Ok(Self {
            mechanism,
            header,
            first_bare: format!("n={},r={nonce}", escaped(&name)),
            nonce,
            password: Zeroizing::new(password),
            expected: None,
            proven: false,
        })
    }

    pub(super) fn step(
        &mut self,
        challenge: Option<&[u8]>,
        keys: &mut KeyCache,
        out: &mut Vec<u8>,
    ) -> Result<Step, SaslError> {
        match challenge {
            // A server that ignored the initial response requests it with an empty challenge.
            None | Some([]) if self.expected.is_none() => {
                out.extend_from_slice(self.header.as_bytes());
                out.extend_from_slice(self.first_bare.as_bytes());
            }
            None => return Ok(Step::Listen),
            Some(proof) if self.expected.is_some() => self.verify(proof)?,
            Some(server_first) => self.prove(server_first, keys, out)?,
        }
        Ok(Step::Respond)
    }

    pub(super) fn finish(&mut self, credentials: Option<&[u8]>) -> Result<(), SaslError> {
        match credentials {
            Some(proof) if !proof.is_empty() => self.verify(proof),
            _ if self.proven => Ok(()),
            _ => Err(SaslError::Impostor(self.mechanism)),
        }
    }

    /// The client-final-message of RFC 5802 section 3.
    fn prove(
        &mut self,
        server_first: &[u8],
        cache: &mut KeyCache,
        out: &mut Vec<u8>,
    ) -> Result<(), SaslError> {
        let text = std::str::from_utf8(server_first).map_err(|_| self.problem("is not text"))?;
        let (nonce, salt, iterations) = self.server_first(text)?;
        let keys = self.keys(salt, iterations, cache);
        let without_proof = format!("c={},r={nonce}", STANDARD.encode(&self.header));
        let message = format!("{},{text},{without_proof}", self.first_bare);
        let signature = hmac(self.mechanism, &keys.stored, message.as_bytes());
        let proof: Vec<u8> =
            keys.client.iter().zip(&signature).map(|(key, signed)| key ^ signed).collect();
        self.expected = Some(hmac(self.mechanism, &keys.server, message.as_bytes()));
        out.extend_from_slice(without_proof.as_bytes());
        out.extend_from_slice(b",p=");
        out.extend_from_slice(STANDARD.encode(proof).as_bytes());
        Ok(())
    }

    fn server_first<'a>(&self, text: &'a str) -> Result<(&'a str, Vec<u8>, u32), SaslError> {
        let mut attributes = text.split(',');
        let mut next =
            |name: &str| attributes.next().and_then(|attribute| attribute.strip_prefix(name));
        let nonce = next("r=").ok_or_else(|| self.problem("has no nonce where one belongs"))?;
        if nonce.len() <= self.nonce.len() || !nonce.starts_with(&self.nonce) {
            return Err(self.problem("does not continue our nonce"));
        }
        let salt = next("s=").and_then(|salt| STANDARD.decode(salt).ok());
        let salt = salt
            .filter(|salt| !salt.is_empty())
            .ok_or_else(|| self.problem("has no usable salt"))?;
        let iterations = next("i=").and_then(|count| count.parse().ok());
        let iterations = iterations
            .filter(|count| (1..=ITERATIONS_MAX).contains(count))
            .ok_or_else(|| self.problem("asks for no iterations, or for more than 1000000"))?;
        Ok((nonce, salt, iterations))
    }

    fn verify(&mut self, proof: &[u8]) -> Result<(), SaslError> {
        let text = std::str::from_utf8(proof).map_err(|_| self.problem("is not text"))?;
        if let Some(error) = text.strip_prefix("e=") {
            return Err(SaslError::Refused { mechanism: self.mechanism, text: error.to_owned() });
        }
        let signature = text.strip_prefix("v=").and_then(|rest| rest.split(',').next());
        let signature = signature.and_then(|signature| STANDARD.decode(signature).ok());
        self.proven = match (&signature, &self.expected) {
            (Some(signature), Some(expected)) => same_bytes(signature, expected),
            _ => false,
        };
        if self.proven { Ok(()) } else { Err(SaslError::Impostor(self.mechanism)) }
    }

    fn keys(&self, salt: Vec<u8>, iterations: u32, cache: &mut KeyCache) -> Keys {
        let name = KeyName {
            mechanism: self.mechanism,
            iterations,
            salt,
            password: sha2::Sha256::digest(&self.password).into(),
        };
        if let Some(keys) = cache.keys.get(&name) {
            return keys.clone();
        }
        let salted = salted_password(self.mechanism, &self.password, &name.salt, iterations);
        let client = hmac(self.mechanism, &salted, b"Client Key");
        let stored = hash(self.mechanism, &client);
        let keys = Keys { client, stored, server: hmac(self.mechanism, &salted, b"Server Key") };
        if cache.keys.len() < KeyCache::USERS_MAX {
            cache.keys.insert(name, keys.clone());
        }
        keys
    }

    fn problem(&self, problem: &'static str) -> SaslError {
        SaslError::Challenge { mechanism: self.mechanism, problem }
    }
}

/// RFC 5802 section 5.1: `,` and `=` cannot occur in a name.
fn escaped(name: &str) -> String {
    name.replace('=', "=3D").replace(',', "=2C")
}

fn salted_password(
    mechanism: Mechanism,
    password: &[u8],
    salt: &[u8],
    rounds: u32,
) -> Zeroizing<Vec<u8>> {
    let mut key = Zeroizing::new(vec![0; hash(mechanism, b"").len()]);
    match mechanism {
        Mechanism::ScramSha1 => pbkdf2::pbkdf2_hmac::<sha1::Sha1>(password, salt, rounds, &mut key),
        Mechanism::ScramSha512 => {
            pbkdf2::pbkdf2_hmac::<sha2::Sha512>(password, salt, rounds, &mut key);
        }
        _ => pbkdf2::pbkdf2_hmac::<sha2::Sha256>(password, salt, rounds, &mut key),
    }
    key
}

fn hash(mechanism: Mechanism, bytes: &[u8]) -> Vec<u8> {
    match mechanism {
        Mechanism::ScramSha1 => sha1::Sha1::digest(bytes).to_vec(),
        Mechanism::ScramSha512 => sha2::Sha512::digest(bytes).to_vec(),
        _ => sha2::Sha256::digest(bytes).to_vec(),
    }
}

fn hmac(mechanism: Mechanism, key: &[u8], message: &[u8]) -> Vec<u8> {
    fn keyed<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
        // HMAC takes keys of every length; an empty vector would fail every later comparison.
        M::new_from_slice(key)
            .map(|mac| mac.chain_update(message).finalize().into_bytes().to_vec())
            .unwrap_or_default()
    }
    match mechanism {
        Mechanism::ScramSha1 => keyed::<Hmac<sha1::Sha1>>(key, message),
        Mechanism::ScramSha512 => keyed::<Hmac<sha2::Sha512>>(key, message),
        _ => keyed::<Hmac<sha2::Sha256>>(key, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pencil(mechanism: Mechanism, authzid: &str, nonce: &str) -> Scram {
        let identity = Identity {
            authid: "user",
            authzid,
            password: b"pencil",
            realm: None,
            host: "h",
            digest_uri: None,
        };
        Scram::new(mechanism, &identity, nonce.into()).unwrap()
    }

    fn respond(scram: &mut Scram, challenge: Option<&str>) -> Result<String, SaslError> {
        let mut out = Vec::new();
        scram.step(challenge.map(str::as_bytes), &mut KeyCache::default(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    const NONCE_SHA1: &str = "fyko+d2lbbFgONRv9qkxdawL";
    const FIRST_SHA1: &str =
        "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096";

    #[test]
    fn scram_sha_1_example_of_rfc_5802() {
        let mut scram = pencil(Mechanism::ScramSha1, "", NONCE_SHA1);
        assert_eq!(respond(&mut scram, None).unwrap(), "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL");
        assert_eq!(
            respond(&mut scram, Some(FIRST_SHA1)).unwrap(),
            "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
        );
        scram.finish(Some(b"v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")).unwrap();
    }

    #[test]
    fn scram_sha_256_example_of_rfc_7677() {
        let mut scram = pencil(Mechanism::ScramSha256, "", "rOprNGfwEbeRWgbNEkqO");
        assert_eq!(respond(&mut scram, None).unwrap(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let first = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        assert_eq!(
            respond(&mut scram, Some(first)).unwrap(),
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
             p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        scram.finish(Some(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).unwrap();
    }

    #[test]
    fn scram_requires_the_proof_of_the_server() {
        for proof in [None, Some("v=AAAAAAAAAAAAAAAAAAAAAAAAAAA="), Some("v=?"), Some("x")] {
            let mut scram = pencil(Mechanism::ScramSha1, "", NONCE_SHA1);
            respond(&mut scram, None).unwrap();
            respond(&mut scram, Some(FIRST_SHA1)).unwrap();
            assert!(
                matches!(scram.finish(proof.map(str::as_bytes)), Err(SaslError::Impostor(_))),
                "{proof:?}"
            );
        }
    }

    #[test]
    fn scram_authzid_is_part_of_the_proof() {
        let mut scram = pencil(Mechanism::ScramSha1, "dn:cn=a,b", NONCE_SHA1);
        assert!(respond(&mut scram, None).unwrap().starts_with("n,a=dn:cn=3Da=2Cb,n=user,"));
        let answer = respond(&mut scram, Some(FIRST_SHA1)).unwrap();
        assert!(
            answer.starts_with(&format!("c={},", STANDARD.encode("n,a=dn:cn=3Da=2Cb,"))),
            "{answer}"
        );
    }

    #[test]
    fn scram_challenges_are_validated() {
        for (first, words) in [
            ("r=other,s=QSXCR+Q6sek8bf92,i=4096", "does not continue our nonce"),
            ("r=fyko+d2lbbFgONRv9qkxdawL,s=QSXCR+Q6sek8bf92,i=4096", "does not continue our nonce"),
            ("m=ext,r=x", "has no nonce"),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=?,i=4096", "no usable salt"),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=AAAA,i=0", "iterations"),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=AAAA,i=4000000000", "iterations"),
        ] {
            let mut scram = pencil(Mechanism::ScramSha1, "", NONCE_SHA1);
            respond(&mut scram, None).unwrap();
            let error = respond(&mut scram, Some(first)).unwrap_err().to_string();
            assert!(error.contains(words), "{first}: {error}");
        }
    }

    #[test]
    fn scram_key_cache_depends_on_password_and_salt() {
        let mut cache = KeyCache::default();
        let scram = pencil(Mechanism::ScramSha256, "", "n");
        let one = scram.keys(vec![1], 10, &mut cache);
        let other_salt = scram.keys(vec![2], 10, &mut cache);
        let again = scram.keys(vec![1], 10, &mut cache);
        assert_eq!(one.client, again.client);
        assert_ne!(one.client, other_salt.client);
        assert_eq!(cache.keys.len(), 2);
    }
}
