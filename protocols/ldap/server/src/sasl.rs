//! The SASL mechanisms that take two steps: CRAM-MD5 (RFC 2195) and SCRAM-SHA-256 (RFC 7677).
//!
//! Passwords are stored in clear, so keys are derived from them on each bind. A SCRAM bind therefore costs this server
//! thousands of hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use brunt_ldap_wire::code;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha2::{Digest, Sha256};

use super::refusal::Refusal;

/// The iteration count of SCRAM (RFC 7677 section 4 requires at least this).
const ITERATIONS: u32 = 4096;

/// What a mechanism waits for.
#[derive(Debug)]
pub(super) enum Steps {
    /// The answer to this challenge.
    Cram(Vec<u8>),
    /// The client's proof.
    Scram(Scram),
}

/// A SCRAM exchange after its first messages (RFC 5802 section 5).
#[derive(Debug)]
pub(super) struct Scram {
    user: String,
    acts_for: String,
    /// The header of the first message, which the last must repeat.
    header: String,
    nonce: String,
    salt: [u8; 16],
    /// The first messages of both sides.
    auth_message: String,
}

/// A client that has proved to know a password.
#[derive(Debug)]
pub(super) struct Proven {
    /// The authorization identity; empty if it is that of the client.
    pub(super) acts_for: Vec<u8>,
    /// The final message of the server.
    pub(super) last: Option<Vec<u8>>,
}

fn wrong() -> Refusal {
    Refusal::new(code::INVALID_CREDENTIALS, "")
}

fn malformed() -> Refusal {
    Refusal::new(code::INVALID_CREDENTIALS, "the credentials are not those of the mechanism")
}

/// The challenge of CRAM-MD5.
pub(super) fn cram() -> Result<(Steps, Vec<u8>), Refusal> {
    let challenge = format!("<{}@brunt>", nonce()?).into_bytes();
    Ok((Steps::Cram(challenge.clone()), challenge))
}

/// The name and the digest in the response to a CRAM-MD5 challenge.
pub(super) fn cram_name(credentials: &[u8]) -> Result<(&[u8], &[u8]), Refusal> {
    let space = credentials.iter().rposition(|byte| *byte == b' ').ok_or_else(malformed)?;
    Ok((&credentials[..space], &credentials[space + 1..]))
}

/// Whether the digest is that of the password.
pub(super) fn cram_check(
    challenge: &[u8],
    digest: &[u8],
    password: &[u8],
) -> Result<Proven, Refusal> {
    let mut mac = Hmac::<Md5>::new_from_slice(password).map_err(|_| wrong())?;
    mac.update(challenge);
    let expected = format!("{:032x}", u128::from_be_bytes(mac.finalize().into_bytes().into()));
    if expected.as_bytes().eq_ignore_ascii_case(digest) {
        Ok(Proven { acts_for: Vec::new(), last: None })
    } else {
        Err(wrong())
    }
}

impl Scram {
    /// Reads the client's first message and returns the server's.
    pub(super) fn begin(credentials: &[u8]) -> Result<(Steps, Vec<u8>), Refusal> {
        let text = std::str::from_utf8(credentials).map_err(|_| malformed())?;
        let mut parts = text.splitn(3, ',');
        let (Some(binding @ ("n" | "y")), Some(acts_for), Some(bare)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed());
        };
        let header = format!("{binding},{acts_for},");
        let acts_for = match acts_for.strip_prefix("a=") {
            Some(name) => unescape(name),
            None if acts_for.is_empty() => String::new(),
            None => return Err(malformed()),
        };
        let user = field(bare, 'n').map(unescape).ok_or_else(malformed)?;
        let nonce = format!("{}{}", field(bare, 'r').ok_or_else(malformed)?, nonce()?);
        let mut salt = [0; 16];
        getrandom::fill(&mut salt)
            .map_err(|_| Refusal::new(code::OTHER, "there is no randomness"))?;
        let first = format!("r={nonce},s={},i={ITERATIONS}", BASE64_STANDARD.encode(salt));
        let auth_message = format!("{bare},{first}");
        Ok((
            Steps::Scram(Self { user, acts_for, header, nonce, salt, auth_message }),
            first.into_bytes(),
        ))
    }

    pub(super) fn user(&self) -> &str {
        &self.user
    }

    /// Checks the client's proof, and proves that the server knows the password too.
    pub(super) fn finish(self, credentials: &[u8], password: &[u8]) -> Result<Proven, Refusal> {
        let text = std::str::from_utf8(credentials).map_err(|_| malformed())?;
        let (without_proof, proof) = text.rsplit_once(",p=").ok_or_else(malformed)?;
        let proof = BASE64_STANDARD.decode(proof).map_err(|_| malformed())?;
        let bound = field(without_proof, 'c') == Some(&BASE64_STANDARD.encode(&self.header));
        if !bound || field(without_proof, 'r') != Some(&self.nonce) {
            return Err(malformed());
        }
        let salted = pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password, &self.salt, ITERATIONS);
        let auth_message = format!("{},{without_proof}", self.auth_message);
        let client_key = mac(&salted, b"Client Key")?;
        let signature = mac(&Sha256::digest(client_key), auth_message.as_bytes())?;
        let expected: Vec<u8> =
            client_key.iter().zip(signature).map(|(key, bits)| key ^ bits).collect();
        if expected != proof {
            return Err(wrong());
        }
        let server = mac(&mac(&salted, b"Server Key")?, auth_message.as_bytes())?;
        let last = format!("v={}", BASE64_STANDARD.encode(server)).into_bytes();
        Ok(Proven { acts_for: self.acts_for.into_bytes(), last: Some(last) })
    }
}

fn mac(key: &[u8], text: &[u8]) -> Result<[u8; 32], Refusal> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| wrong())?;
    mac.update(text);
    Ok(mac.finalize().into_bytes().into())
}

/// A field such as `r=...` of a message.
fn field(message: &str, name: char) -> Option<&str> {
    message.split(',').find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
}

/// A name with `=2C` and `=3D` replaced by the comma and the equals sign.
fn unescape(name: &str) -> String {
    name.replace("=2C", ",").replace("=3D", "=")
}

fn nonce() -> Result<String, Refusal> {
    let mut bytes = [0; 18];
    getrandom::fill(&mut bytes).map_err(|_| Refusal::new(code::OTHER, "there is no randomness"))?;
    Ok(BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sasl_examples_of_the_rfcs() {
        // RFC 2195 section 2.
        let challenge = b"<1896.697170952@postoffice.reston.mci.net>";
        let (name, digest) = cram_name(b"tim b913a602c7eda7a495b4e6e7334d3890").unwrap();
        assert_eq!(name, b"tim");
        assert!(cram_check(challenge, digest, b"tanstaaftanstaaf").is_ok());
        assert!(cram_check(challenge, digest, b"tanstaaf").is_err());

        // RFC 7677 section 3.
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        let salt = BASE64_STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let scram = || Scram {
            user: "user".into(),
            acts_for: String::new(),
            header: "n,,".into(),
            nonce: nonce.into(),
            salt: salt.clone().try_into().unwrap(),
            auth_message: format!(
                "n=user,r=rOprNGfwEbeRWgbNEkqO,r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
            ),
        };
        let proof = format!("c=biws,r={nonce},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        let proven = scram().finish(proof.as_bytes(), b"pencil").unwrap();
        assert_eq!(proven.last.unwrap(), b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        assert!(scram().finish(proof.as_bytes(), b"pen").is_err());
        assert!(scram().finish(proof.replace("biws", "eSws").as_bytes(), b"pencil").is_err());
    }
}
