//! PEM files, single DER certificates, and keys encrypted by PKCS#5.
//!
//! A PEM file may contain certificates, a key, or both; the key belongs to the first certificate and the rest are its
//! chain, the order that every server uses. Sections are read here and not by a crate because the crate in use skips
//! encrypted keys silently. It must not depend on whether the file is trusted or presented.

use super::old_pem::{self, Form, OldKey};
use super::{Contents, KeyEntry, KeyError, Locked, ROUNDS_MAX, Wrong, pkcs12};
use crate::secret::Secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pkcs8::EncryptedPrivateKeyInfoRef;
use pkcs8::pkcs5::EncryptionScheme;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs1KeyDer, PrivateSec1KeyDer};
use zeroize::Zeroizing;

/// The most memory that scrypt may use: the cost times the block size times 128.
const SCRYPT_BYTES_MAX: u64 = 256 << 20;

/// Whether a section begins anywhere in the file.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|window| window == b"-----BEGIN ")
}

/// A file that is one DER certificate.
pub(super) fn one_certificate(bytes: &[u8]) -> Contents {
    Contents { trusted: vec![CertificateDer::from(bytes.to_vec())], ..Contents::default() }
}

/// Parses a whole file.
pub(super) fn open(file: &[u8]) -> Result<Contents, Wrong> {
    let text = String::from_utf8_lossy(file);
    let mut certificates = Vec::new();
    let mut key = None;
    for section in sections(&text) {
        let (label, body) = section?;
        let locked = match label {
            "CERTIFICATE" | "X509 CERTIFICATE" => {
                certificates.push(CertificateDer::from(decode(label, body)?.to_vec()));
                continue;
            }
            "PRIVATE KEY" => Locked::Open(decode(label, body)?),
            "ENCRYPTED PRIVATE KEY" => Locked::Pkcs5(decode(label, body)?.to_vec()),
            "RSA PRIVATE KEY" if old_pem::is_encrypted(body) => old(label, body, Form::Rsa)?,
            "EC PRIVATE KEY" if old_pem::is_encrypted(body) => old(label, body, Form::Ec)?,
            "RSA PRIVATE KEY" => Locked::OpenPem(PrivateKeyDer::Pkcs1(PrivatePkcs1KeyDer::from(
                decode(label, body)?.to_vec(),
            ))),
            "EC PRIVATE KEY" => Locked::OpenPem(PrivateKeyDer::Sec1(PrivateSec1KeyDer::from(
                decode(label, body)?.to_vec(),
            ))),
            // Parameters, requests, revocation lists.
            _ => continue,
        };
        if key.replace(locked).is_some() {
            return Err(Wrong::Damaged("it holds more than one private key".to_owned()));
        }
    }
    Ok(match key {
        None => Contents { trusted: certificates, ..Contents::default() },
        // A PEM key has no name of its own.
        Some(key) => {
            let entry = KeyEntry { alias: String::new(), chain: certificates, key };
            Contents { keys: vec![entry], ..Contents::default() }
        }
    })
}

/// Unlocks an `EncryptedPrivateKeyInfo` of PKCS#5 (RFC 8018), or under an older algorithm of PKCS#12, yielding PKCS#8.
pub(super) fn unlock(protected: &[u8], password: &Secret) -> Result<Vec<u8>, KeyError> {
    let Ok(info) = EncryptedPrivateKeyInfoRef::try_from(protected) else {
        return pkcs12::unlock(protected, password);
    };
    if let EncryptionScheme::Pbes2(parameters) = &info.encryption_algorithm {
        let rounds = parameters.kdf.pbkdf2().map_or(0, |pbkdf2| pbkdf2.iteration_count);
        let memory = parameters.kdf.scrypt().map_or(0, |scrypt| {
            scrypt.cost_parameter.saturating_mul(128 * u64::from(scrypt.block_size))
        });
        if rounds > ROUNDS_MAX || memory > SCRYPT_BYTES_MAX {
            return Err(KeyError::Rounds);
        }
    }
    let opened = info.decrypt(password.expose()).map_err(|error| match error {
        pkcs8::Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::DecryptFailed)
        | pkcs8::Error::Asn1(_) => KeyError::Password,
        _ => KeyError::Unsupported,
    })?;
    Ok(opened.as_bytes().to_vec())
}

/// The sections of a file: the text after BEGIN, and the text before its END.
fn sections(text: &str) -> impl Iterator<Item = Result<(&str, &str), Wrong>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, begun) = rest.split_once("-----BEGIN ")?;
        rest = "";
        let Some((label, after)) = begun.split_once("-----") else {
            return Some(Err(Wrong::Damaged("a BEGIN line does not end".to_owned())));
        };
        let end = format!("-----END {label}-----");
        let Some((body, after)) = after.split_once(end.as_str()) else {
            return Some(Err(Wrong::Damaged(format!("the section '{label}' does not end"))));
        };
        rest = after;
        Some(Ok((label, body)))
    })
}

/// A key that is encrypted in OpenSSL's old way.
fn old(label: &str, body: &str, form: Form) -> Result<Locked, Wrong> {
    let wrong = || {
        Wrong::Damaged(format!(
            "the section '{label}' is encrypted, and its line DEK-Info does not name a cipher and its beginning"
        ))
    };
    let (info, rest) = old_pem::split(body).ok_or_else(wrong)?;
    let key = OldKey::new(info, decode(label, rest)?.to_vec(), form).ok_or_else(wrong)?;
    Ok(Locked::OldPem(key))
}

fn decode(label: &str, body: &str) -> Result<Zeroizing<Vec<u8>>, Wrong> {
    let compact: Zeroizing<String> = Zeroizing::new(body.split_whitespace().collect());
    match STANDARD.decode(compact.as_bytes()) {
        Ok(bytes) => Ok(Zeroizing::new(bytes)),
        Err(error) => Err(Wrong::Damaged(format!("the section '{label}' is not base64: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem_certificates_and_key_are_distinguished() {
        let file = b"subject=x\n-----BEGIN CERTIFICATE-----\nAQID\r\n-----END CERTIFICATE-----\n\
            -----BEGIN EC PARAMETERS-----\nAQ==\n-----END EC PARAMETERS-----\n\
            -----BEGIN PRIVATE KEY-----\nBAU=\n-----END PRIVATE KEY-----\n";
        let contents = open(file).unwrap();
        assert_eq!(contents.keys.len(), 1);
        assert_eq!(contents.keys[0].chain, [CertificateDer::from(vec![1, 2, 3])]);
        assert!(matches!(&contents.keys[0].key, Locked::Open(key) if **key == [4, 5]));
        assert!(contents.trusted.is_empty());
    }

    #[test]
    fn pem_damage_is_named() {
        for (file, words) in [
            ("-----BEGIN CERTIFICATE-----\nAQID", "does not end"),
            ("-----BEGIN CERTIFICATE", "does not end"),
            ("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----", "not base64"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n-----END RSA PRIVATE KEY-----",
                "DEK-Info",
            ),
        ] {
            let Err(Wrong::Damaged(what)) = open(file.as_bytes()) else { panic!("{file}") };
            assert!(what.contains(words), "{what}");
        }
    }
}
