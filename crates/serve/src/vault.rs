//! [`Vault`]: secrets of targets, stored encrypted and decrypted only for the process of a run.
//!
//! The key is in a separate file, or in systemd's credentials, so that a copy of the database reveals nothing. It
//! protects only such copies: root on this machine, and the user of the server, can read the memory of its processes. A
//! secret belongs to one target and to the addresses that the target had when the secret was stored. Both are
//! authenticated with it: a target that is extended later cannot use the secret for its new addresses.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brunt_envelope::{Grant, RequestedSecrets};
use ipnet::IpNet;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::auth::{KeyFileError, RandomError, Secret};
use crate::store::{Hook, SecretRow, Store, StoreError};

/// The file of the key, in the directory of the site or in the credentials.
pub(crate) const KEY_FILE: &str = "secrets.key";

/// Encrypts and decrypts secrets.
pub(crate) struct Vault(LessSafeKey);

/// Why a secret is not encrypted. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub(crate) enum SealError {
    #[error(transparent)]
    Random(#[from] RandomError),
    #[error("encrypt the secret: it has {0} bytes, which is too long")]
    Long(usize),
}

impl Vault {
    /// Reads the key from the credentials, if it is there, otherwise from the directory, where it is created if it does
    /// not exist.
    pub(crate) fn open(directory: &Path, credentials: Option<&Path>) -> Result<Self, KeyFileError> {
        let path = key_path(directory, credentials);
        let (secret, _) = Secret::stored(&path)?;
        let key = UnboundKey::new(&AES_256_GCM, secret.bytes());
        Ok(Self(LessSafeKey::new(key.map_err(|_| KeyFileError::NoKey(path))?)))
    }

    /// Encrypts a secret for storing.
    pub(crate) fn seal(&self, of: &SecretRow, value: &str) -> Result<Vec<u8>, SealError> {
        self.seal_for(&parts(of), value)
    }

    /// Encrypts a value that can be decrypted only for the same parts, for storing.
    pub(crate) fn seal_for(
        &self,
        parts: &[impl AsRef<str>],
        value: &str,
    ) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(RandomError::from)?;
        let mut bytes = value.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound(parts), &mut bytes)
            .map_err(|_| SealError::Long(value.len()))?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    /// Encrypts the key of a webhook, which signs the messages to its URL, for storing.
    pub(crate) fn seal_key(&self, hook: &Hook, key: &str) -> Result<Vec<u8>, SealError> {
        self.seal(&row_of(hook), key)
    }

    /// Decrypts the key of a webhook; `None` if it was encrypted with another key, or for another URL.
    pub(crate) fn unseal_key(&self, hook: &Hook, sealed: &[u8]) -> Option<String> {
        self.unseal(&row_of(hook), sealed)
    }

    /// Decrypts a secret; `None` if it was encrypted with another key, or was changed.
    pub(crate) fn unseal(&self, of: &SecretRow, sealed: &[u8]) -> Option<String> {
        self.unseal_for(&parts(of), sealed)
    }

    /// Decrypts a value; `None` if it was encrypted with another key, or for other parts.
    pub(crate) fn unseal_for(&self, parts: &[impl AsRef<str>], sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bytes = sealed.to_vec();
        let opened = self.0.open_in_place(nonce, bound(parts), &mut bytes).ok()?;
        String::from_utf8(opened.to_vec()).ok()
    }
}

/// The file of the key: in the credentials, if it is there, otherwise in the directory.
pub(crate) fn key_path(directory: &Path, credentials: Option<&Path>) -> PathBuf {
    let given = credentials.map(|at| at.join(KEY_FILE)).filter(|path| path.is_file());
    given.unwrap_or_else(|| directory.join(KEY_FILE))
}

/// A webhook in the form of a secret. Its target is empty, which no real target's name is.
fn row_of(hook: &Hook) -> SecretRow {
    SecretRow {
        target: String::new(),
        name: hook.name.clone(),
        allow: hook.url.clone(),
        by: String::new(),
        at: 0,
        used: None,
    }
}

/// What a secret belongs to.
fn parts(of: &SecretRow) -> [String; 3] {
    [of.target.to_lowercase(), of.name.clone(), of.allow.clone()]
}

/// The data that is authenticated together with a value: a list, so that no other parts read the same. Secrets of
/// targets and keys of webhooks have three parts.
fn bound(parts: &[impl AsRef<str>]) -> Aad<Vec<u8>> {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    Aad::from(serde_json::to_vec(&parts).unwrap_or_default())
}

/// Why a run does not get the secrets that its plan refers to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretsError {
    #[error("the secret {name} of {target} was removed; store it again")]
    Removed { name: String, target: String },
    #[error(
        "the secret {name} was stored for other addresses than {target} has now; store it again"
    )]
    OtherAddresses { name: String, target: String },
    #[error("the secret {0} was encrypted with another {KEY_FILE}; store it again")]
    OtherKey(String),
    #[error("failed to {0}")]
    Store(#[from] StoreError),
    #[error("this queue has no secrets")]
    None,
}

/// Gives runs their secrets when they begin.
pub(crate) struct SecretSource {
    pub(crate) store: Arc<Store>,
    pub(crate) vault: Arc<Vault>,
    /// Seconds since 1970.
    pub(crate) now: fn() -> i64,
}

impl SecretSource {
    /// The values of secrets of a target that permits this.
    pub(crate) fn values(
        &self,
        requested: &RequestedSecrets,
        grant: &Grant,
    ) -> Result<BTreeMap<String, String>, SecretsError> {
        let target = &requested.target;
        let value = |name: &String| {
            let of = || (name.clone(), target.clone());
            let Some((row, sealed)) = self.store.secret(target, name)? else {
                let (name, target) = of();
                return Err(SecretsError::Removed { name, target });
            };
            if !holds(&row.allow, &grant.allow) {
                let (name, target) = of();
                return Err(SecretsError::OtherAddresses { name, target });
            }
            let value = self.vault.unseal(&row, &sealed);
            let value = value.ok_or_else(|| SecretsError::OtherKey(name.clone()))?;
            self.store.secret_used(target, name, (self.now)())?;
            Ok((name.clone(), value))
        };
        requested.names.iter().map(value).collect()
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretSource")
    }
}

/// Whether the secret was stored for every address that a run may reach.
fn holds(stored: &str, reached: &[String]) -> bool {
    let stored: Vec<String> = serde_json::from_str(stored).unwrap_or_default();
    let stored: Vec<(IpNet, u16)> = stored.iter().filter_map(|text| place(text)).collect();
    let within = |(network, port): (IpNet, u16)| {
        stored.iter().any(|(own, own_port)| own.contains(&network) && *own_port == port)
    };
    !reached.is_empty() && reached.iter().all(|text| place(text).is_some_and(within))
}

/// A network and a port in the form of targets, or an address and a port.
fn place(text: &str) -> Option<(IpNet, u16)> {
    let (network, port) = text.rsplit_once(':')?;
    let plain = network.replace(['[', ']'], "");
    let network = match plain.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address),
        Err(_) => plain.parse().ok()?,
    };
    Some((network, port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(target: &str, allow: &str) -> SecretRow {
        SecretRow {
            target: target.to_owned(),
            name: "PW".to_owned(),
            allow: allow.to_owned(),
            by: "ada".to_owned(),
            at: 1,
            used: None,
        }
    }

    const ALLOW: &str = "[\"10.1.0.0/24:389\"]";

    #[test]
    fn vault_secret_opens_only_with_its_key_and_target() {
        let directory = tempfile::tempdir().unwrap();
        let vault = Vault::open(directory.path(), None).unwrap();
        let row = row("ds", ALLOW);
        let sealed = vault.seal(&row, "hunter2").unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_ne!(sealed, vault.seal(&row, "hunter2").unwrap(), "no two are alike");
        let again = Vault::open(directory.path(), None).unwrap();
        assert_eq!(again.unseal(&row, &sealed).as_deref(), Some("hunter2"));
        for other in [
            SecretRow { target: "other".to_owned(), ..row.clone() },
            SecretRow { name: "OTHER".to_owned(), ..row.clone() },
            SecretRow { allow: "[\"0.0.0.0/0:389\"]".to_owned(), ..row.clone() },
        ] {
            assert_eq!(again.unseal(&other, &sealed), None, "{other:?}");
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let other = Vault::open(elsewhere.path(), None).unwrap();
        assert_eq!(other.unseal(&row, &sealed), None);
        // A credential replaces the file.
        let given = Vault::open(elsewhere.path(), Some(directory.path())).unwrap();
        assert_eq!(given.unseal(&row, &sealed).as_deref(), Some("hunter2"));
        let mut changed = sealed;
        changed[NONCE_LEN] ^= 1;
        assert_eq!(again.unseal(&row, &changed), None);
        assert_eq!(again.unseal(&row, b""), None);
    }

    #[test]
    fn vault_secret_is_dropped_when_the_target_is_widened() {
        let reached = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        for (all, fits) in [
            (&["10.1.0.7/32:389"][..], true),
            (&["10.1.0.0/24:389", "10.1.0.7:389"], true),
            (&["10.1.0.0/24:390"], false),
            (&["10.1.0.0/16:389"], false),
            (&["10.1.0.0/24:389", "10.2.0.1/32:389"], false),
            (&["[::1]/128:389"], false),
            (&["x"], false),
            (&[], false),
        ] {
            assert_eq!(holds(ALLOW, &reached(all)), fits, "{all:?}");
        }
        assert!(holds("[\"[2001:db8::]/32:443\"]", &reached(&["[2001:db8::1]/128:443"])));
        assert!(!holds("no JSON", &reached(&["10.1.0.0/24:389"])));
    }
}
