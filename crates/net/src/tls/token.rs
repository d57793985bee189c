//! [`Token`]: a client key that stays in a PKCS#11 token and signs there.
//!
//! Hashing is done here and the token carries out only the bare operations (`CKM_RSA_PKCS_PSS`, `CKM_RSA_PKCS`,
//! `CKM_ECDSA`), which more tokens support than the combined ones. One session is kept for all connections, behind a
//! lock that is held for one signature: a token makes one at a time. As in Java, a key belongs to the certificate with
//! the same `CKA_ID`, whose label is the alias.

use super::provider_argument::{SlotChoice, TokenModule};
use crate::certificate::{self, Certificate, KeyKind};
use crate::secret::Secret;
use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::mechanism::rsa::{PkcsMgfType, PkcsPssParams};
use cryptoki::mechanism::{Mechanism, MechanismType};
use cryptoki::object::{Attribute, AttributeType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::Slot;
use cryptoki::types::AuthPin;
use rustls::pki_types::CertificateDer;
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A key in a token.
#[derive(Clone, Debug)]
pub struct Token {
    /// The library and the slot.
    pub module: TokenModule,
    /// The PIN that the token requires before it signs.
    pub pin: Option<Secret>,
    /// The label of the certificate; the first with a key if none is named.
    pub alias: Option<String>,
}

/// Why a token cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The library cannot be loaded.
    #[error("load the PKCS#11 library {library}: {error}")]
    Load {
        /// The file.
        library: PathBuf,
        /// What went wrong.
        error: CryptokiError,
    },
    /// There is no such slot.
    #[error("find the slot {wanted:?} of {library}: its slots are {known:?}")]
    NoSlot {
        /// The file.
        library: PathBuf,
        /// The requested slot.
        wanted: SlotChoice,
        /// The numbers of the slots that exist.
        known: Vec<u64>,
    },
    /// The PIN is wrong.
    #[error("log in to the token in slot {slot} of {library}: the PIN is wrong")]
    Pin {
        /// The file.
        library: PathBuf,
        /// The slot.
        slot: u64,
    },
    /// The PIN of the token is locked.
    #[error(
        "log in to the token in slot {slot} of {library}: its PIN is locked; its security officer can reset it"
    )]
    PinLocked {
        /// The file.
        library: PathBuf,
        /// The slot.
        slot: u64,
    },
    /// No certificate with this label has a key.
    #[error("find the key '{alias}' in the token: the certificates with a key there are {known:?}")]
    NoSuchAlias {
        /// The requested label.
        alias: String,
        /// The labels that exist.
        known: Vec<String>,
    },
    /// No certificate has a key.
    #[error(
        "find a key in the token in slot {slot} of {library}: it has {certificates} certificate(s) and {keys} \
         private key(s) to be seen, and none of the same CKA_ID{hint}"
    )]
    NoKey {
        /// The file.
        library: PathBuf,
        /// The slot.
        slot: u64,
        /// Certificates seen.
        certificates: usize,
        /// Keys seen.
        keys: usize,
        /// What may help.
        hint: &'static str,
    },
    /// Neither RSA nor one of the curves of TLS.
    #[error(
        "sign with the key '{0}' of the token: it is neither RSA nor on the curve P-256, P-384 or P-521, \
         or the token has no mechanism for it"
    )]
    Kind(String),
    /// Any other error of the library.
    #[error("use the PKCS#11 library {library}: {error}")]
    Library {
        /// The file.
        library: PathBuf,
        /// The error.
        error: CryptokiError,
    },
}

/// A certificate of a token.
struct TokenCertificate {
    label: String,
    id: Vec<u8>,
    der: Vec<u8>,
}

/// Logs in and finds the certificate and its key.
pub(super) fn certified(token: &Token) -> Result<CertifiedKey, TokenError> {
    let library = &token.module.library;
    let failed = |error| TokenError::Library { library: library.clone(), error };
    let context = load(library)?;
    let slot = find_slot(&context, &token.module)?;
    let session = context.open_ro_session(slot).map_err(failed)?;
    log_in(&session, token, slot)?;
    let certificates = certificates(&session).map_err(failed)?;
    let keys = keys(&session).map_err(failed)?;
    let (own, key) = choose(token, slot, &certificates, &keys)?;
    let mechanisms = context.get_mechanism_list(slot).map_err(failed)?;
    let schemes = schemes(&own.der, &mechanisms);
    if schemes.is_empty() {
        return Err(TokenError::Kind(own.label.clone()));
    }
    let key = TokenKey { session: Arc::new(Mutex::new(session)), key, schemes };
    Ok(CertifiedKey::new(chain(own, &certificates), Arc::new(key)))
}

fn load(library: &PathBuf) -> Result<Pkcs11, TokenError> {
    let unloaded = |error| TokenError::Load { library: library.clone(), error };
    let context = Pkcs11::new(library).map_err(unloaded)?;
    match context.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
        // A library is initialised once per process, possibly by other code.
        Ok(()) | Err(CryptokiError::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => Ok(context),
        Err(error) => Err(unloaded(error)),
    }
}

fn find_slot(context: &Pkcs11, module: &TokenModule) -> Result<Slot, TokenError> {
    let failed = |error| TokenError::Library { library: module.library.clone(), error };
    let slots = context.get_all_slots().map_err(failed)?;
    let found = match module.slot {
        SlotChoice::First => {
            context.get_slots_with_initialized_token().map_err(failed)?.first().copied()
        }
        SlotChoice::Id(id) => slots.iter().find(|slot| slot.id() == id).copied(),
        SlotChoice::Index(index) => slots.get(index).copied(),
    };
    found.ok_or_else(|| TokenError::NoSlot {
        library: module.library.clone(),
        wanted: module.slot,
        known: slots.iter().map(Slot::id).collect(),
    })
}

fn log_in(session: &Session, token: &Token, slot: Slot) -> Result<(), TokenError> {
    let Some(pin) = &token.pin else { return Ok(()) };
    let library = token.module.library.clone();
    let slot = slot.id();
    let Some(text) = pin.expose_str() else { return Err(TokenError::Pin { library, slot }) };
    match session.login(UserType::User, Some(&AuthPin::new(text.into()))) {
        Ok(()) | Err(CryptokiError::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
        Err(CryptokiError::Pkcs11(
            RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange,
            _,
        )) => Err(TokenError::Pin { library, slot }),
        Err(CryptokiError::Pkcs11(RvError::PinLocked, _)) => {
            Err(TokenError::PinLocked { library, slot })
        }
        Err(error) => Err(TokenError::Library { library, error }),
    }
}

fn certificates(session: &Session) -> Result<Vec<TokenCertificate>, CryptokiError> {
    let mut found = Vec::new();
    for handle in session.find_objects(&[Attribute::Class(ObjectClass::CERTIFICATE)])? {
        let wanted = [AttributeType::Label, AttributeType::Id, AttributeType::Value];
        let mut one = TokenCertificate { label: String::new(), id: Vec::new(), der: Vec::new() };
        for attribute in session.get_attributes(handle, &wanted)? {
            match attribute {
                Attribute::Label(label) => one.label = String::from_utf8_lossy(&label).into_owned(),
                Attribute::Id(id) => one.id = id,
                Attribute::Value(der) => one.der = der,
                _ => {}
            }
        }
        found.push(one);
    }
    Ok(found)
}

fn keys(session: &Session) -> Result<Vec<(Vec<u8>, ObjectHandle)>, CryptokiError> {
    let mut found = Vec::new();
    for handle in session.find_objects(&[Attribute::Class(ObjectClass::PRIVATE_KEY)])? {
        for attribute in session.get_attributes(handle, &[AttributeType::Id])? {
            if let Attribute::Id(id) = attribute {
                found.push((id, handle));
            }
        }
    }
    Ok(found)
}

fn choose<'a>(
    token: &Token,
    slot: Slot,
    certificates: &'a [TokenCertificate],
    keys: &[(Vec<u8>, ObjectHandle)],
) -> Result<(&'a TokenCertificate, ObjectHandle), TokenError> {
    let pairs: Vec<_> = certificates
        .iter()
        .filter_map(|one| keys.iter().find(|(id, _)| *id == one.id).map(|(_, key)| (one, *key)))
        .collect();
    let Some(first) = pairs.first() else {
        return Err(TokenError::NoKey {
            library: token.module.library.clone(),
            slot: slot.id(),
            certificates: certificates.len(),
            keys: keys.len(),
            hint: if token.pin.is_none() {
                "; no PIN is given, and most tokens show keys only after one"
            } else {
                ""
            },
        });
    };
    let Some(alias) = &token.alias else { return Ok(*first) };
    let exact = pairs.iter().find(|(one, _)| one.label == *alias);
    let alike = || pairs.iter().find(|(one, _)| one.label.to_lowercase() == alias.to_lowercase());
    exact.or_else(alike).copied().ok_or_else(|| TokenError::NoSuchAlias {
        alias: alias.clone(),
        known: pairs.iter().map(|(one, _)| one.label.clone()).collect(),
    })
}

/// The certificate and its issuers, as far as the token has them.
fn chain(own: &TokenCertificate, all: &[TokenCertificate]) -> Vec<CertificateDer<'static>> {
    let all: Vec<&[u8]> = all.iter().map(|one| one.der.as_slice()).collect();
    let chain = certificate::chain(&own.der, &all).into_iter();
    chain.map(|der| CertificateDer::from(der.to_vec())).collect()
}

/// The signature schemes that the certificate's key supports with these mechanisms, the best first.
fn schemes(der: &[u8], mechanisms: &[MechanismType]) -> Vec<SignatureScheme> {
    let Some(kind) = Certificate::parse(der).and_then(|it| it.key_kind()) else {
        return Vec::new();
    };
    let has = |mechanism| mechanisms.contains(&mechanism);
    let on_curve = match kind {
        KeyKind::Rsa => {
            let mut schemes = Vec::new();
            if has(MechanismType::RSA_PKCS_PSS) {
                schemes.extend([
                    SignatureScheme::RSA_PSS_SHA256,
                    SignatureScheme::RSA_PSS_SHA384,
                    SignatureScheme::RSA_PSS_SHA512,
                ]);
            }
            if has(MechanismType::RSA_PKCS) {
                schemes.extend([
                    SignatureScheme::RSA_PKCS1_SHA256,
                    SignatureScheme::RSA_PKCS1_SHA384,
                    SignatureScheme::RSA_PKCS1_SHA512,
                ]);
            }
            return schemes;
        }
        KeyKind::P256 => SignatureScheme::ECDSA_NISTP256_SHA256,
        KeyKind::P384 => SignatureScheme::ECDSA_NISTP384_SHA384,
        KeyKind::P521 => SignatureScheme::ECDSA_NISTP521_SHA512,
    };
    if has(MechanismType::ECDSA) { vec![on_curve] } else { Vec::new() }
}

/// A key in a token, as a signing key of rustls.
#[derive(Debug)]
struct TokenKey {
    session: Arc<Mutex<Session>>,
    key: ObjectHandle,
    schemes: Vec<SignatureScheme>,
}

impl SigningKey for TokenKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let scheme = *self.schemes.iter().find(|scheme| offered.contains(scheme))?;
        Some(Box::new(TokenSigner { session: Arc::clone(&self.session), key: self.key, scheme }))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.schemes.first() {
            Some(
                SignatureScheme::ECDSA_NISTP256_SHA256
                | SignatureScheme::ECDSA_NISTP384_SHA384
                | SignatureScheme::ECDSA_NISTP521_SHA512,
            ) => SignatureAlgorithm::ECDSA,
            _ => SignatureAlgorithm::RSA,
        }
    }
}

#[derive(Debug)]
struct TokenSigner {
    session: Arc<Mutex<Session>>,
    key: ObjectHandle,
    scheme: SignatureScheme,
}

impl Signer for TokenSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let (mechanism, input) = prepare(self.scheme, message);
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let signature = session
            .sign(&mechanism, self.key, &input)
            .map_err(|error| rustls::Error::General(format!("the token did not sign: {error}")))?;
        if matches!(mechanism, Mechanism::Ecdsa) {
            Ok(ecdsa_in_der(&signature))
        } else {
            Ok(signature)
        }
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}

/// The operation that a token carries out, and the bytes that it receives.
fn prepare(scheme: SignatureScheme, message: &[u8]) -> (Mechanism<'static>, Vec<u8>) {
    let sha256 = || Sha256::digest(message).to_vec();
    let sha384 = || Sha384::digest(message).to_vec();
    let sha512 = || Sha512::digest(message).to_vec();
    let pss = |hash_alg, mgf, salt: u32| {
        Mechanism::RsaPkcsPss(PkcsPssParams { hash_alg, mgf, s_len: u64::from(salt).into() })
    };
    match scheme {
        SignatureScheme::RSA_PSS_SHA256 => {
            (pss(MechanismType::SHA256, PkcsMgfType::MGF1_SHA256, 32), sha256())
        }
        SignatureScheme::RSA_PSS_SHA384 => {
            (pss(MechanismType::SHA384, PkcsMgfType::MGF1_SHA384, 48), sha384())
        }
        SignatureScheme::RSA_PSS_SHA512 => {
            (pss(MechanismType::SHA512, PkcsMgfType::MGF1_SHA512, 64), sha512())
        }
        SignatureScheme::RSA_PKCS1_SHA256 => (Mechanism::RsaPkcs, digest_info(1, &sha256())),
        SignatureScheme::RSA_PKCS1_SHA384 => (Mechanism::RsaPkcs, digest_info(2, &sha384())),
        SignatureScheme::RSA_PKCS1_SHA512 => (Mechanism::RsaPkcs, digest_info(3, &sha512())),
        SignatureScheme::ECDSA_NISTP384_SHA384 => (Mechanism::Ecdsa, sha384()),
        SignatureScheme::ECDSA_NISTP521_SHA512 => (Mechanism::Ecdsa, sha512()),
        _ => (Mechanism::Ecdsa, sha256()),
    }
}

/// The `DigestInfo` of RFC 8017 section 9.2; `kind` is the last arc of the hash's identifier.
fn digest_info(kind: u8, digest: &[u8]) -> Vec<u8> {
    let length = digest.len() as u8;
    let identifier =
        [0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, kind, 0x05, 0x00];
    let mut bytes = vec![0x30, identifier.len() as u8 + 2 + length];
    bytes.extend(identifier);
    bytes.extend([0x04, length]);
    bytes.extend(digest);
    bytes
}

/// A token returns both numbers side by side; TLS requires a sequence of two integers (RFC 3279).
fn ecdsa_in_der(raw: &[u8]) -> Vec<u8> {
    let (first, second) = raw.split_at(raw.len() / 2);
    let numbers = [integer(first), integer(second)].concat();
    let mut bytes = vec![0x30];
    if numbers.len() > 0x7f {
        bytes.push(0x81);
    }
    bytes.push(numbers.len() as u8);
    bytes.extend(numbers);
    bytes
}

fn integer(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let digits = &number[zeros..];
    let padding = usize::from(digits.first().is_none_or(|byte| byte & 0x80 != 0));
    let mut bytes = vec![0x02, (digits.len() + padding) as u8];
    bytes.extend(std::iter::repeat_n(0, padding));
    bytes.extend(digits);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ecdsa_signature_is_encoded_in_der() {
        // r = 1, s = 0x80: the second needs a zero before it, so that it is not negative.
        assert_eq!(ecdsa_in_der(&[0, 1, 0, 0x80]), [0x30, 7, 2, 1, 1, 2, 2, 0, 0x80]);
        assert_eq!(ecdsa_in_der(&[0, 0]), [0x30, 6, 2, 1, 0, 2, 1, 0]);
        // P-521: two numbers of 66 bytes need the long form of the length.
        let long = ecdsa_in_der(&[1; 132]);
        assert_eq!(long[..5], [0x30, 0x81, 136, 2, 66]);
        assert_eq!(long.len(), 3 + 136);
    }

    #[test]
    fn digest_info_equals_the_rfc() {
        let prefix = [
            0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ];
        assert_eq!(digest_info(1, &[7; 32])[..19], prefix);
        assert_eq!(digest_info(2, &[7; 48])[..2], [0x30, 0x41]);
        assert_eq!(digest_info(3, &[7; 64])[..2], [0x30, 0x51]);
    }
}
