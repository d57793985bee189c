//! Signatures of orders: who may make an agent generate load.
//!
//! A broker reports on which subject a message was published, not by whom, so an order has the signature of its
//! coordinator, and an agent obeys the keys that its owner names. The key pairs are Ed25519 in the notation of NATS
//! (nkeys). A key that signs is an *account* key (`A...`, its seed `SA...`), while a login is a *user* key (`U...`): in
//! a login the broker chooses the bytes that are signed, and a key with both uses would sign whatever bytes a broker
//! chooses. For the same reason the signed bytes begin with a prefix of our own. A seed is read from a file, and is
//! never shown.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nkeys::{KeyPair, KeyPairType};
use zeroize::Zeroizing;

/// The prefix of all bytes that are signed, so that our signature is never valid for anything else.
const PURPOSE: &[u8] = b"brunt cluster order 1\0";
/// The octets of a signature.
pub const SIGNATURE_LENGTH: usize = 64;
/// More than the size of any seed file, comments included.
const SEED_FILE_MAX: u64 = 4096;

/// Why a key or a signature is not accepted. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// The file of a seed cannot be read.
    #[error("read the key {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Every user of the machine can read the file.
    #[error("use the key {0}: every user of this machine can read or write it: chmod 600 {0}")]
    Open(PathBuf),
    /// The file contains no seed that signs orders.
    #[error(
        "use the key {0}: it holds no seed of an order key, which begins with SA: brunt cluster keys writes \
         coordinator/order.seed"
    )]
    NoSeed(PathBuf),
    /// A text is not the public key of a signer.
    #[error(
        "read the key '{0}': write the public key of a coordinator, which begins with A and has 56 letters"
    )]
    NoKey(String),
    /// The signature was not made by this key over these bytes.
    #[error("accept the order: its signature is not one of {0}")]
    Foreign(String),
}

/// A key that signs orders.
#[derive(Clone)]
pub struct Signer {
    pair: KeyPair,
}

impl Signer {
    /// Reads a seed from a file that only its owner, or its group, can read.
    pub fn from_seed_file(path: &Path) -> Result<Self, SignatureError> {
        let unreadable = |source| SignatureError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        // A group may read it: Kubernetes gives secrets to processes that are not root in this way.
        if file.metadata().map_err(unreadable)?.mode() & 0o027 != 0 {
            return Err(SignatureError::Open(path.to_owned()));
        }
        let mut text = Zeroizing::new(String::new());
        file.take(SEED_FILE_MAX).read_to_string(&mut text).map_err(unreadable)?;
        let seed =
            text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        seed.and_then(Self::from_seed).ok_or_else(|| SignatureError::NoSeed(path.to_owned()))
    }

    /// The signer of a seed, if the seed belongs to a signing key.
    pub fn from_seed(seed: &str) -> Option<Self> {
        let pair = KeyPair::from_seed(seed).ok()?;
        (pair.key_pair_type() == KeyPairType::Account).then_some(Self { pair })
    }

    /// A new key, and its seed.
    pub fn generate() -> (Self, Zeroizing<String>) {
        let pair = KeyPair::new_account();
        let seed = pair.seed().map(Zeroizing::new).unwrap_or_default();
        (Self { pair }, seed)
    }

    /// The public key, which agents receive.
    pub fn public(&self) -> String {
        self.pair.public_key()
    }

    /// The signature over these bytes.
    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        // The pair was made from a seed, and signing fails only without one.
        self.pair.sign(&purposed(bytes)).unwrap_or_default()
    }
}

/// Shows only the public key.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signer").field(&self.public()).finish()
    }
}

/// Whether a text is the public key of a signer.
pub fn is_public(text: &str) -> bool {
    KeyPair::from_public_key(text).is_ok_and(|pair| pair.key_pair_type() == KeyPairType::Account)
}

/// Checks that the owner of `public` signed these bytes.
pub fn verify(public: &str, bytes: &[u8], signature: &[u8]) -> Result<(), SignatureError> {
    let no_key = || SignatureError::NoKey(shown(public));
    let pair = KeyPair::from_public_key(public).map_err(|_| no_key())?;
    if pair.key_pair_type() != KeyPairType::Account {
        return Err(no_key());
    }
    pair.verify(&purposed(bytes), signature).map_err(|_| SignatureError::Foreign(shown(public)))
}

fn purposed(bytes: &[u8]) -> Vec<u8> {
    [PURPOSE, bytes].concat()
}

/// The part of a key received over the network that may be shown.
fn shown(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).take(56).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn signature_is_valid_for_one_key_and_text() {
        let (ours, seed) = Signer::generate();
        let (other, _) = Signer::generate();
        let signature = ours.sign(b"authrate 250/s");
        assert_eq!(signature.len(), SIGNATURE_LENGTH);
        verify(&ours.public(), b"authrate 250/s", &signature).unwrap();
        let again = Signer::from_seed(&seed).unwrap();
        assert_eq!(again.sign(b"authrate 250/s"), signature);

        for (key, text, signature) in [
            (other.public(), &b"authrate 250/s"[..], signature.clone()),
            (ours.public(), b"authrate 999/s", signature.clone()),
            (ours.public(), b"authrate 250/s", other.sign(b"authrate 250/s")),
            (ours.public(), b"authrate 250/s", Vec::new()),
            (ours.public(), b"authrate 250/s", signature[1..].to_vec()),
        ] {
            assert!(
                matches!(verify(&key, text, &signature), Err(SignatureError::Foreign(_))),
                "{key}"
            );
        }
        for key in ["", "\u{1b}[2J", &*KeyPair::new_user().public_key()] {
            let error = verify(key, b"", &signature).unwrap_err();
            assert!(
                matches!(error, SignatureError::NoKey(_)) && !error.to_string().contains('\u{1b}'),
                "{error}"
            );
        }
    }

    #[test]
    fn signature_of_a_login_is_not_valid_for_an_order() {
        let (signer, seed) = Signer::generate();
        // A login signs the broker's bytes as they are.
        let login = KeyPair::from_seed(&seed).unwrap().sign(b"an order").unwrap();
        assert!(verify(&signer.public(), b"an order", &login).is_err());
        assert!(Signer::from_seed(&KeyPair::new_user().seed().unwrap()).is_none());
    }

    #[test]
    fn seed_file_must_be_private_and_is_never_shown() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("order.seed");
        let (signer, seed) = Signer::generate();
        fs::write(&path, format!("# the key of the lab\n{}\n", *seed)).unwrap();
        for (mode, fits) in
            [(0o600, true), (0o440, true), (0o644, false), (0o606, false), (0o620, false)]
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let read = Signer::from_seed_file(&path);
            assert_eq!(read.is_ok(), fits, "{mode:o}: {read:?}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let read = Signer::from_seed_file(&path).unwrap();
        assert_eq!(read.public(), signer.public());
        assert!(is_public(&signer.public()) && !is_public(&seed));
        assert!(!format!("{read:?}").contains(&**seed));
        fs::write(&path, "SUAxx\n").unwrap();
        let error = Signer::from_seed_file(&path).unwrap_err().to_string();
        assert!(error.contains("order.seed") && !error.contains("SUAxx"), "{error}");
    }
}
