//! Java's own key stores, JKS and JCEKS: one container, two ways to lock a key.
//!
//! The container is that of Java's classes `JavaKeyStore` and `JceKeyStore`: a magic number, a version, a count of
//! entries, the entries, and a SHA-1 digest over the password and everything before it. Without a password the digest
//! is not checked, as in Java. It must not depend on how the entries are used.

use super::reader::Reader;
use super::{Contents, KeyEntry, KeyError, Locked, Wrong, jceks};
use crate::secret::Secret;
use pkcs8::der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use pkcs8::der::{self, Reader as _, SliceReader};
use rustls::pki_types::CertificateDer;
use sha1::{Digest, Sha1};
use zeroize::Zeroizing;

/// Java mixes these words into the digest of the whole file.
const SALTING: &[u8] = b"Mighty Aphrodite";
const DIGEST_LENGTH: usize = 20;
/// The protection of a key in JKS, `KeyProtector` under Sun's object identifiers.
const SUN_PROTECTOR: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.42.2.17.1.1");
/// The protection of a key in JCEKS, `PBEWithMD5AndTripleDES`.
const JCE_PROTECTOR: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.42.2.19.1");

/// Reads a whole file of either kind.
pub(super) fn open(file: &[u8], password: Option<&Secret>) -> Result<Contents, Wrong> {
    let cut = || Wrong::Damaged("the file ends within an entry".to_owned());
    let (body, digest) = file.split_last_chunk::<DIGEST_LENGTH>().ok_or_else(cut)?;
    if let Some(password) = password {
        let expected = Sha1::new()
            .chain_update(&*utf16(password))
            .chain_update(SALTING)
            .chain_update(body)
            .finalize();
        if expected[..] != digest[..] {
            return Err(Wrong::Password);
        }
    }
    let mut reader = Reader::new(body);
    let _magic = reader.u32().ok_or_else(cut)?;
    let version = reader.u32().ok_or_else(cut)?;
    if !matches!(version, 1 | 2) {
        return Err(Wrong::Damaged(format!("its version is {version}; 1 and 2 are known")));
    }
    let count = reader.u32().ok_or_else(cut)?;
    let mut contents = Contents::default();
    for _ in 0..count {
        read_entry(&mut reader, version, &mut contents)?.ok_or_else(cut)?;
    }
    if !reader.is_empty() {
        return Err(Wrong::Damaged(format!("bytes are left after its {count} entries")));
    }
    Ok(contents)
}

/// Unlocks a key of either kind, yielding PKCS#8.
pub(super) fn unlock(protected: &[u8], password: &Secret) -> Result<Vec<u8>, KeyError> {
    let (algorithm, parameters, sealed) =
        parse_protected(protected).map_err(|_| KeyError::Damaged)?;
    match algorithm {
        SUN_PROTECTOR => unlock_sun(sealed, password),
        JCE_PROTECTOR => jceks::unlock(parameters, sealed, password),
        _ => Err(KeyError::Unsupported),
    }
}

/// One entry; `None` if the bytes end within it.
fn read_entry(
    reader: &mut Reader<'_>,
    version: u32,
    contents: &mut Contents,
) -> Result<Option<()>, Wrong> {
    let Some(tag) = reader.u32() else { return Ok(None) };
    let Some(alias) = reader.text() else { return Ok(None) };
    if reader.bytes(8).is_none() {
        return Ok(None);
    }
    Ok(match tag {
        1 => read_key(reader, version, alias).map(|entry| contents.keys.push(entry)),
        2 => {
            read_certificate(reader, version).map(|certificate| contents.trusted.push(certificate))
        }
        3 => match jceks::skip_sealed(reader) {
            Some(()) => Some(()),
            None => {
                return Err(Wrong::Damaged(format!(
                    "its secret key '{alias}' is not laid out as Java does"
                )));
            }
        },
        _ => {
            return Err(Wrong::Damaged(format!(
                "its entry '{alias}' is of the unknown kind {tag}"
            )));
        }
    })
}

fn read_key(reader: &mut Reader<'_>, version: u32, alias: String) -> Option<KeyEntry> {
    let key = Locked::Java(reader.counted()?.to_vec());
    let count = reader.u32()?;
    let mut chain = Vec::new();
    for _ in 0..count {
        chain.push(read_certificate(reader, version)?);
    }
    Some(KeyEntry { alias, chain, key })
}

fn read_certificate(reader: &mut Reader<'_>, version: u32) -> Option<CertificateDer<'static>> {
    if version == 2 {
        let _type = reader.text()?;
    }
    Some(CertificateDer::from(reader.counted()?.to_vec()))
}

/// The algorithm, its parameters and the encrypted bytes of an `EncryptedPrivateKeyInfo` (RFC 5958).
fn parse_protected(bytes: &[u8]) -> der::Result<(ObjectIdentifier, Option<AnyRef<'_>>, &[u8])> {
    let mut reader = SliceReader::new(bytes)?;
    reader.sequence(|reader| {
        let (algorithm, parameters) = reader.sequence(|reader| {
            let algorithm: ObjectIdentifier = reader.decode()?;
            let parameters = if reader.is_finished() { None } else { Some(reader.decode()?) };
            Ok::<_, der::Error>((algorithm, parameters))
        })?;
        let sealed: &OctetStringRef = reader.decode()?;
        Ok((algorithm, parameters, sealed.as_bytes()))
    })
}

/// Sun's own cipher: a salt, the key under a stream of chained SHA-1 digests, a digest to check it.
fn unlock_sun(sealed: &[u8], password: &Secret) -> Result<Vec<u8>, KeyError> {
    let (salt, rest) = sealed.split_at_checked(DIGEST_LENGTH).ok_or(KeyError::Damaged)?;
    let (locked, check) = rest.split_last_chunk::<DIGEST_LENGTH>().ok_or(KeyError::Damaged)?;
    let password = utf16(password);
    let mut link = salt.to_vec();
    let mut key = Vec::with_capacity(locked.len());
    for piece in locked.chunks(DIGEST_LENGTH) {
        link = Sha1::new().chain_update(&*password).chain_update(&link).finalize().to_vec();
        key.extend(piece.iter().zip(&link).map(|(byte, mask)| byte ^ mask));
    }
    let expected = Sha1::new().chain_update(&*password).chain_update(&key).finalize();
    if expected[..] == check[..] { Ok(key) } else { Err(KeyError::Password) }
}

/// A password as Java digests it: each `char` as two bytes. If it is not UTF-8, each byte counts as a character.
fn utf16(password: &Secret) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(password.expose().len() * 2));
    match password.expose_str() {
        Some(text) => text.encode_utf16().for_each(|unit| bytes.extend(unit.to_be_bytes())),
        None => password.expose().iter().for_each(|byte| bytes.extend([0, *byte])),
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with this body, sealed with the digest of `password`.
    fn sealed(body: &[u8], password: &str) -> Vec<u8> {
        let digest = Sha1::new()
            .chain_update(&*utf16(&password.into()))
            .chain_update(SALTING)
            .chain_update(body);
        [body, &digest.finalize()[..]].concat()
    }

    fn body(count: u32, entries: &[u8]) -> Vec<u8> {
        [&0xfeed_feed_u32.to_be_bytes()[..], &2_u32.to_be_bytes(), &count.to_be_bytes(), entries]
            .concat()
    }

    fn certificate_entry(alias: &str, der: &[u8]) -> Vec<u8> {
        let alias = [&(alias.len() as u16).to_be_bytes()[..], alias.as_bytes()].concat();
        let der = [&(der.len() as u32).to_be_bytes()[..], der].concat();
        [&2_u32.to_be_bytes()[..], &alias, &[0; 8], &[0, 5], b"X.509", &der].concat()
    }

    #[test]
    fn jks_trusted_certificate_is_found() {
        let file = sealed(&body(1, &certificate_entry("ca", b"der")), "changeit");
        let contents = open(&file, Some(&"changeit".into())).unwrap();
        assert_eq!(contents.trusted, [CertificateDer::from(b"der".to_vec())]);
        assert!(matches!(open(&file, Some(&"other".into())), Err(Wrong::Password)));
        assert!(open(&file, None).is_ok(), "without a password the digest is not checked");
    }

    #[test]
    fn jks_damaged_file_never_panics() {
        let file = sealed(
            &body(2, &[certificate_entry("a", b"xyz"), certificate_entry("b", b"xyz")].concat()),
            "pw",
        );
        for length in 0..file.len() {
            assert!(open(&file[..length], Some(&"pw".into())).is_err(), "{length}");
            let _ = open(&file[..length], None);
        }
        for place in 0..file.len() {
            for bit in 0..8 {
                let mut flipped = file.clone();
                flipped[place] ^= 1 << bit;
                assert!(open(&flipped, Some(&"pw".into())).is_err());
                let _ = open(&flipped, None);
            }
        }
    }

    #[test]
    fn jks_wrong_count_is_damage() {
        let file = sealed(&body(u32::MAX, &certificate_entry("a", b"xyz")), "pw");
        assert!(matches!(open(&file, Some(&"pw".into())), Err(Wrong::Damaged(_))));
        let file = sealed(&body(0, &certificate_entry("a", b"xyz")), "pw");
        assert!(matches!(open(&file, Some(&"pw".into())), Err(Wrong::Damaged(_))));
    }

    #[test]
    fn jks_unknown_key_protection_is_named() {
        // SEQUENCE { SEQUENCE { OID 1.2.3 }, OCTET STRING 00 }
        let protected = [0x30, 9, 0x30, 4, 0x06, 2, 0x2a, 3, 0x04, 1, 0];
        assert_eq!(unlock(&protected, &"pw".into()), Err(KeyError::Unsupported));
        assert_eq!(unlock(&protected[..6], &"pw".into()), Err(KeyError::Damaged));
    }
}
