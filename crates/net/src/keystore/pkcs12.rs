//! PKCS#12 files, read with `p12-keystore`, which limits the work that a file may cause.
//!
//! This module does the matching that Java does: a key's chain is the certificate with its local key id and the issuers
//! of that, and a trusted certificate is one that is marked as trusted. In a file without any key and without any mark
//! (OpenSSL writes these) all certificates are trusted, as it has no other use.

use super::{Contents, KeyEntry, KeyError, Locked, Wrong, is_whole_sequence};
use crate::certificate;
use crate::secret::Secret;
use p12_keystore::error::Error;
use p12_keystore::{CertificateBag, Pkcs12Archive, PrivateKeyBag};
use pkcs8::der::asn1::AnyRef;
use pkcs8::der::{Reader as _, SliceReader, Tag, Tagged};
use rustls::pki_types::CertificateDer;
use zeroize::Zeroizing;

/// Whether the bytes start as a PFX does (RFC 7292): a sequence whose first element is a number.
pub(super) fn is_pfx(bytes: &[u8]) -> bool {
    let first = || {
        let outer: AnyRef<'_> = SliceReader::new(bytes).ok()?.decode().ok()?;
        let inner: AnyRef<'_> = SliceReader::new(outer.value()).ok()?.decode().ok()?;
        Some(inner.tag())
    };
    // A truncated file, or one in BER, is recognised by the byte after the outer length.
    first().is_some_and(|tag| tag == Tag::Integer)
        || matches!(bytes, [0x30, 0x80, 0x02, 0x01, 0x03, ..])
}

/// Parses a whole file with its keys, which have the same password.
pub(super) fn open(file: &[u8], password: Option<&Secret>) -> Result<Contents, Wrong> {
    let text = match password {
        None => "",
        Some(password) => password.expose_str().ok_or(Wrong::Password)?,
    };
    let archive = Pkcs12Archive::from_pkcs12(file, text).map_err(|error| match error {
        Error::MacError(_) | Error::UnpadError | Error::Pkcs5Error(_) if password.is_none() => {
            Wrong::PasswordMissing
        }
        Error::MacError(_) | Error::UnpadError | Error::Pkcs5Error(_) => Wrong::Password,
        Error::UnsupportedEncryptionScheme | Error::UnsupportedMacAlgorithm => Wrong::Damaged(
            "its encryption is not supported; write it again with AES-256 and HMAC-SHA256"
                .to_owned(),
        ),
        other => Wrong::Damaged(other.to_string()),
    })?;
    let keys: Vec<KeyEntry> = archive.keys.iter().map(|key| entry(key, &archive)).collect();
    let unmarked = keys.is_empty() && !archive.certs.iter().any(|bag| bag.trusted);
    let trusted = archive.certs.iter().filter(|bag| bag.trusted || unmarked).map(der).collect();
    Ok(Contents { keys, trusted, ..Contents::default() })
}

/// Unlocks an `EncryptedPrivateKeyInfo` under an algorithm of PKCS#12 itself, as `openssl pkcs8 -v1 PBE-SHA1-3DES`
/// writes it outside of any archive, yielding PKCS#8. The library opens only archives, so the key becomes the only one
/// of an archive.
pub(super) fn unlock(protected: &[u8], password: &Secret) -> Result<Vec<u8>, KeyError> {
    /// 1.2.840.113549.1.7.1: data.
    const DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
    /// 1.2.840.113549.1.12.10.1.2: a shrouded key.
    const KEY: &[u8] = b"\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x02";
    if !is_whole_sequence(protected) {
        return Err(KeyError::Damaged);
    }
    let text = password.expose_str().ok_or(KeyError::Password)?;
    let typed =
        |kind: &[u8], content: &[u8]| tagged(0x30, &[kind, &tagged(0xa0, content)].concat());
    let data = |content: &[u8]| typed(DATA, &tagged(0x04, &tagged(0x30, content)));
    let safe = data(&data(&typed(KEY, protected)));
    let archive = tagged(0x30, &[b"\x02\x01\x03", safe.as_slice()].concat());
    let archive = Pkcs12Archive::from_pkcs12(&archive, text).map_err(|error| match error {
        Error::UnsupportedEncryptionScheme => KeyError::Unsupported,
        Error::InvalidParameters => KeyError::Rounds,
        _ => KeyError::Password,
    })?;
    archive.keys.first().map(|key| key.key.as_der().to_vec()).ok_or(KeyError::Damaged)
}

/// An element of DER.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length: Vec<u8> =
        content.len().to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
    let head = match length.as_slice() {
        [] => vec![tag, 0],
        [short] if *short < 0x80 => vec![tag, *short],
        long => [&[tag, 0x80 | long.len() as u8], long].concat(),
    };
    [head.as_slice(), content].concat()
}

fn entry(key: &PrivateKeyBag, archive: &Pkcs12Archive) -> KeyEntry {
    let own = archive.certs.iter().find(|bag| match (&bag.local_key_id, &key.local_key_id) {
        (Some(of_certificate), Some(of_key)) => of_certificate.as_slice() == of_key.as_ref(),
        // A file without ids has one key, and its certificate is the first.
        (None, None) => !bag.trusted && archive.keys.len() == 1,
        _ => false,
    });
    let all: Vec<&[u8]> = archive.certs.iter().map(|bag| bag.cert.as_der()).collect();
    let chain = own.map(|bag| certificate::chain(bag.cert.as_der(), &all)).unwrap_or_default();
    let alias = key.friendly_name.clone().or_else(|| own.and_then(|bag| bag.friendly_name.clone()));
    KeyEntry {
        alias: alias.unwrap_or_default(),
        chain: chain.into_iter().map(|der| CertificateDer::from(der.to_vec())).collect(),
        key: Locked::Open(Zeroizing::new(key.key.as_der().to_vec())),
    }
}

fn der(bag: &CertificateBag) -> CertificateDer<'static> {
    CertificateDer::from(bag.cert.as_der().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pkcs12_is_distinguished_from_a_certificate() {
        assert!(is_pfx(&[0x30, 3, 2, 1, 3]));
        assert!(is_pfx(&[0x30, 0x80, 2, 1, 3, 0x30]));
        assert!(!is_pfx(&[0x30, 2, 0x30, 0]));
        assert!(!is_pfx(&[0x30]));
        assert!(!is_pfx(b""));
    }

    #[test]
    fn pkcs12_cut_short_is_damage() {
        assert!(matches!(open(&[0x30, 3, 2, 1, 3], Some(&"x".into())), Err(Wrong::Damaged(_))));
    }
}
