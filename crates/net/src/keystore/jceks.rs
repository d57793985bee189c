//! What JCEKS adds to JKS: keys under `PBEWithMD5AndTripleDES`, and secret keys that are skipped.
//!
//! Secret keys are Java objects, written by serialisation without a length, so skipping one means reading its class
//! description and fields. Only the form of Java's `SealedObject` is read (Java Object Serialization Specification,
//! chapter 6); no object is made from it.

use super::reader::Reader;
use super::{KeyError, ROUNDS_MAX, is_whole_sequence};
use crate::secret::Secret;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use md5::{Digest, Md5};
use pkcs8::der::asn1::{AnyRef, OctetStringRef};
use pkcs8::der::{self, Reader as _, SliceReader};
use zeroize::Zeroizing;

const SALT_LENGTH: usize = 8;

/// Unlocks a key under `PBEWithMD5AndTripleDES`, given its parameters, yielding PKCS#8.
pub(super) fn unlock(
    parameters: Option<AnyRef<'_>>,
    sealed: &[u8],
    password: &Secret,
) -> Result<Vec<u8>, KeyError> {
    let (salt, rounds) =
        parse_parameters(parameters.ok_or(KeyError::Damaged)?).map_err(|_| KeyError::Damaged)?;
    let salt: [u8; SALT_LENGTH] = salt.try_into().map_err(|_| KeyError::Damaged)?;
    if rounds == 0 || rounds > ROUNDS_MAX {
        return Err(KeyError::Rounds);
    }
    let derived = derive(salt, rounds, password);
    let (key, iv) = derived.split_at(24);
    let cipher =
        cbc::Decryptor::<des::TdesEde3>::new_from_slices(key, iv).map_err(|_| KeyError::Damaged)?;
    let opened = cipher.decrypt_padded_vec::<Pkcs7>(sealed).map_err(|_| KeyError::Password)?;
    // One wrong password in 256 gives padding that looks correct, but not a sequence of the right length.
    if is_whole_sequence(&opened) { Ok(opened) } else { Err(KeyError::Password) }
}

/// Skips a serialised `SealedObject`.
pub(super) fn skip_sealed(reader: &mut Reader<'_>) -> Option<()> {
    if reader.u32()? != 0xaced_0005 || reader.u8()? != TC_OBJECT {
        return None;
    }
    let mut classes = Vec::new();
    skip_class(reader, &mut classes, 0)?;
    // The fields of the uppermost class come first.
    for fields in classes.iter().rev() {
        for field in fields {
            skip_value(reader, *field)?;
        }
    }
    Some(())
}

fn parse_parameters(parameters: AnyRef<'_>) -> der::Result<(&[u8], u32)> {
    let mut reader = SliceReader::new(parameters.value())?;
    let salt: &OctetStringRef = reader.decode()?;
    let rounds: u32 = reader.decode()?;
    Ok((salt.as_bytes(), rounds))
}

/// Key and initialisation vector: each half of the salt is digested with the password repeatedly. Java uses the low
/// seven bits of each character. If both halves are equal, the first is reversed, by two swaps that both write to the
/// third byte: a mistake on which all stores now depend.
fn derive(mut salt: [u8; SALT_LENGTH], rounds: u32, password: &Secret) -> Zeroizing<[u8; 32]> {
    if salt[..4] == salt[4..] {
        let [first, second, _, fourth, ..] = salt;
        salt[..4].copy_from_slice(&[fourth, first, second, fourth]);
    }
    let password: Zeroizing<Vec<u8>> = Zeroizing::new(ascii(password));
    let mut derived = Zeroizing::new([0; 32]);
    for (half, out) in salt.chunks(4).zip(derived.chunks_mut(16)) {
        let mut link = half.to_vec();
        for _ in 0..rounds {
            link = Md5::new().chain_update(&link).chain_update(&*password).finalize().to_vec();
        }
        out.copy_from_slice(&link);
    }
    derived
}

fn ascii(password: &Secret) -> Vec<u8> {
    match password.expose_str() {
        Some(text) => text.encode_utf16().map(|unit| (unit & 0x7f) as u8).collect(),
        None => password.expose().iter().map(|byte| byte & 0x7f).collect(),
    }
}

const TC_NULL: u8 = 0x70;
const TC_REFERENCE: u8 = 0x71;
const TC_CLASSDESC: u8 = 0x72;
const TC_OBJECT: u8 = 0x73;
const TC_STRING: u8 = 0x74;
const TC_ARRAY: u8 = 0x75;
const TC_ENDBLOCKDATA: u8 = 0x78;
/// A `SealedObject` and its subclass are two levels deep.
const CLASSES_MAX: usize = 8;

/// A class description and those of its superclasses: the types of their fields are kept.
fn skip_class(reader: &mut Reader<'_>, classes: &mut Vec<Vec<u8>>, depth: usize) -> Option<()> {
    match reader.u8()? {
        TC_NULL => return Some(()),
        // The class of an array may have been described before.
        TC_REFERENCE => return reader.u32().map(drop),
        TC_CLASSDESC if depth < CLASSES_MAX => {}
        _ => return None,
    }
    let _name = reader.text()?;
    let _serial_version = reader.bytes(8)?;
    let _flags = reader.u8()?;
    let count = reader.u16()?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let kind = reader.u8()?;
        let _name = reader.text()?;
        if matches!(kind, b'L' | b'[') {
            skip_value(reader, b'L')?;
        }
        fields.push(kind);
    }
    if reader.u8()? != TC_ENDBLOCKDATA {
        return None;
    }
    classes.push(fields);
    skip_class(reader, classes, depth + 1)
}

/// Skips a field's value: null, a reference, a string or an array of bytes.
fn skip_value(reader: &mut Reader<'_>, kind: u8) -> Option<()> {
    if !matches!(kind, b'L' | b'[') {
        return None;
    }
    match reader.u8()? {
        TC_NULL => Some(()),
        TC_REFERENCE => reader.u32().map(drop),
        TC_STRING => reader.text().map(drop),
        TC_ARRAY => {
            skip_class(reader, &mut Vec::new(), 0)?;
            reader.counted().map(drop)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jceks_salt_with_equal_halves_is_swapped_like_java() {
        // Computed by hand, from a b c d: the first swap gives d b a d, the second d a b d.
        let mixed = derive([1, 2, 3, 4, 1, 2, 3, 4], 1, &"pw".into());
        let by_hand = Md5::new().chain_update([4, 1, 2, 4]).chain_update(b"pw").finalize();
        assert_eq!(mixed[..16], by_hand[..]);
        let second = Md5::new().chain_update([1, 2, 3, 4]).chain_update(b"pw").finalize();
        assert_eq!(mixed[16..], second[..]);
    }

    #[test]
    fn jceks_hostile_objects_end_the_parsing() {
        for bytes in [
            &[][..],
            &[0xac, 0xed, 0, 5],
            &[0xac, 0xed, 0, 5, 0x73, 0x72, 0, 1, b'x', 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xff, 0xff],
            &[0xac, 0xed, 0, 5, 0x73, 0x7d],
        ] {
            assert_eq!(skip_sealed(&mut Reader::new(bytes)), None);
        }
    }
}
