//! Keys that OpenSSL encrypted before PKCS#8: `Proc-Type: 4,ENCRYPTED` in the PEM section of an RSA or EC key.
//!
//! The form is that of RFC 1421 with OpenSSL's ciphers: the key of the cipher is MD5 of the password and the first
//! eight bytes of the initialisation vector, repeated until it is long enough. Server administrators still have such
//! files; no crate in use reads them.

use super::{KeyError, is_whole_sequence};
use crate::secret::Secret;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockCipherDecrypt, BlockModeDecrypt, KeyInit, KeyIvInit};
use md5::{Digest, Md5};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs1KeyDer, PrivateSec1KeyDer};
use zeroize::Zeroizing;

/// A key as the section has it.
pub(super) struct OldKey {
    cipher: String,
    iv: Vec<u8>,
    sealed: Vec<u8>,
    form: Form,
}

/// The form of the key inside.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// PKCS#1.
    Rsa,
    /// SEC 1.
    Ec,
}

/// Whether the body of a section is encrypted in this way.
pub(super) fn is_encrypted(body: &str) -> bool {
    body.contains("Proc-Type:")
}

/// Splits the body of a section: its headers, up to an empty line, and the rest, which is base64.
pub(super) fn split(body: &str) -> Option<(&str, &str)> {
    let at = body.find("DEK-Info:")?;
    let (_, from) = body.split_at(at);
    let (line, rest) = from.split_once('\n')?;
    Some((line.strip_prefix("DEK-Info:")?.trim(), rest))
}

impl OldKey {
    /// A key under the cipher that `info` names, such as `AES-256-CBC,` and the initialisation vector in hexadecimal.
    pub(super) fn new(info: &str, sealed: Vec<u8>, form: Form) -> Option<Self> {
        let (cipher, iv) = info.split_once(',')?;
        let digits = iv.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        });
        let iv = digits.collect::<Option<Vec<u8>>>().filter(|iv| iv.len() >= 8)?;
        Some(Self { cipher: cipher.to_owned(), iv, sealed, form })
    }

    /// The key, in the form that the section named.
    pub(super) fn unlock(&self, password: &Secret) -> Result<PrivateKeyDer<'static>, KeyError> {
        let opened = match self.cipher.as_str() {
            "DES-EDE3-CBC" => self.open::<des::TdesEde3>(password, 24),
            "AES-128-CBC" => self.open::<aes::Aes128>(password, 16),
            "AES-192-CBC" => self.open::<aes::Aes192>(password, 24),
            "AES-256-CBC" => self.open::<aes::Aes256>(password, 32),
            _ => Err(KeyError::Unsupported),
        }?;
        Ok(match self.form {
            Form::Rsa => PrivateKeyDer::Pkcs1(PrivatePkcs1KeyDer::from(opened)),
            Form::Ec => PrivateKeyDer::Sec1(PrivateSec1KeyDer::from(opened)),
        })
    }

    fn open<C: BlockCipherDecrypt + KeyInit>(
        &self,
        password: &Secret,
        length: usize,
    ) -> Result<Vec<u8>, KeyError> {
        let key = self.derive(password, length);
        let cipher =
            cbc::Decryptor::<C>::new_from_slices(&key, &self.iv).map_err(|_| KeyError::Damaged)?;
        let opened =
            cipher.decrypt_padded_vec::<Pkcs7>(&self.sealed).map_err(|_| KeyError::Password)?;
        // One wrong password in 256 gives padding that looks correct.
        if is_whole_sequence(&opened) { Ok(opened) } else { Err(KeyError::Password) }
    }

    fn derive(&self, password: &Secret, length: usize) -> Zeroizing<Vec<u8>> {
        let salt = self.iv.get(..8).unwrap_or_default();
        let mut key = Zeroizing::new(Vec::with_capacity(length + 16));
        let mut link = Zeroizing::new(Vec::new());
        while key.len() < length {
            let digest = Md5::new()
                .chain_update(&*link)
                .chain_update(password.expose())
                .chain_update(salt)
                .finalize();
            *link = digest.to_vec();
            key.extend_from_slice(&link);
        }
        key.truncate(length);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pem_headers_are_parsed_or_refused() {
        let body = "\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-EDE3-CBC,0102030405060708\n\nAAAA\n";
        assert!(is_encrypted(body));
        assert_eq!(split(body), Some(("DES-EDE3-CBC,0102030405060708", "\nAAAA\n")));
        assert_eq!(split("\nProc-Type: 4,ENCRYPTED\n\nAAAA\n"), None);
        for info in ["DES-EDE3-CBC", "DES-EDE3-CBC,01", "DES-EDE3-CBC,010203040506070", "x,é234567"]
        {
            assert!(OldKey::new(info, Vec::new(), Form::Rsa).is_none(), "{info}");
        }
        let other = OldKey::new("RC4,0102030405060708", Vec::new(), Form::Rsa).unwrap();
        assert_eq!(other.unlock(&"x".into()).unwrap_err(), KeyError::Unsupported);
    }
}
