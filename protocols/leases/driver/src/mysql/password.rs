//! How a password is proven to a MySQL server: hidden by the server's challenge, or encrypted with its key.
//!
//! `mysql_common` has both among 20,000 other lines, so it is not built for the program; the tests compare with it. The
//! server's key comes from the network: its size is limited.

use brunt_net::certificate::RsaKey;
use num_bigint::BigUint;
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject as _;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// How long a hash of the padding is.
const HASH: usize = 20;
/// The longest key, in octets.
const KEY_MAX: usize = 2048;

/// The proof of `mysql_native_password`.
pub(super) fn native(nonce: &[u8], password: &[u8]) -> Vec<u8> {
    let once = Sha1::digest(password);
    let hidden = Sha1::new().chain_update(nonce).chain_update(Sha1::digest(once)).finalize();
    xored(&once, &hidden)
}

/// The proof of `caching_sha2_password`.
pub(super) fn caching_sha2(nonce: &[u8], password: &[u8]) -> Vec<u8> {
    let once = Sha256::digest(password);
    let twice = Sha256::digest(once);
    let hidden = Sha256::new().chain_update(twice).chain_update(nonce).finalize();
    xored(&once, &hidden)
}

/// A text that is encrypted with an RSA key in PEM, padded as RSAES-OAEP with SHA-1 (RFC 8017 section 7.1.1); `None` if
/// `key` is not an RSA key, or too short for the text.
pub(super) fn encrypted(text: &[u8], key: &[u8], seed: [u8; HASH]) -> Option<Vec<u8>> {
    let key = SubjectPublicKeyInfoDer::from_pem_slice(key).ok()?;
    let key = RsaKey::of_public_key(&key)?;
    let modulus = BigUint::from_bytes_be(&key.modulus);
    let exponent = BigUint::from(key.exponent);
    let length = usize::try_from(modulus.bits().div_ceil(8)).ok().filter(|it| *it <= KEY_MAX)?;
    let padding = length.checked_sub(2 * HASH + 2 + text.len())?;
    let plain = [&Sha1::digest(b"")[..], &vec![0; padding], &[1], text].concat();
    let masked = xored(&plain, &mask(&seed, plain.len()));
    let seed = xored(&seed, &mask(&masked, HASH));
    let block = BigUint::from_bytes_be(&[seed, masked].concat());
    let encrypted = block.modpow(&exponent, &modulus).to_bytes_be();
    Some([vec![0; length - encrypted.len()], encrypted].concat())
}

/// The mask generation function MGF1 (RFC 8017 appendix B.2.1).
fn mask(seed: &[u8], length: usize) -> Vec<u8> {
    let block = |number: u32| Sha1::new().chain_update(seed).chain_update(number.to_be_bytes());
    (0..).flat_map(|number| block(number).finalize()).take(length).collect()
}

fn xored(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(one, other)| one ^ other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_common::crypto::rsa;
    use mysql_common::scramble::{scramble_native, scramble_sha256};

    const KEY: &[u8] = include_bytes!("testdata/public.pem");
    const NONCE: &[u8] = b"abcdefghijklmnopqrst";

    /// A source of fixed octets.
    struct Seed([u8; HASH]);

    impl rsa::Rng for Seed {
        type Error = std::io::Error;

        fn fill(&mut self, into: &mut [u8]) -> Result<(), Self::Error> {
            into.copy_from_slice(&self.0);
            Ok(())
        }
    }

    #[test]
    fn password_proofs_equal_the_mysql_crate() {
        for password in [&b"a"[..], b"secret", &[0xff; 300]] {
            let expected = scramble_native(NONCE, password).unwrap();
            assert_eq!(native(NONCE, password), expected);
            let expected = scramble_sha256(NONCE, password).unwrap();
            assert_eq!(caching_sha2(NONCE, password), expected);
        }
    }

    #[test]
    fn password_encryption_equals_the_rsa_crate() {
        for (text, first) in [(&b"secret\0"[..], 0), (&[7; 214], 0x5a), (b"", 0xff)] {
            let seed = std::array::from_fn(|at| first ^ at as u8);
            let padding = rsa::Pkcs1OaepPadding::new(Seed(seed));
            let expected = rsa::PublicKey::from_pem(KEY).encrypt_block(text, padding);
            assert_eq!(encrypted(text, KEY, seed), Some(expected), "{} octets", text.len());
        }
    }

    #[test]
    fn password_encryption_needs_a_valid_key() {
        assert_eq!(encrypted(&[7; 215], KEY, [0; HASH]), None);
        for key in [&b""[..], b"no key", &KEY[..KEY.len() / 2]] {
            assert_eq!(encrypted(b"secret", key, [0; HASH]), None);
        }
    }
}
