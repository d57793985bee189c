//! [`Vault`]: secrets of targets, stored encrypted and decrypted only for the process of a run.
//!
//! The key is in a file of its own, or in systemd's credentials, so that a copy of the database reveals nothing. It
//! protects only such copies: root on this machine, and the user of the server, can read the memory of its processes. A
//! secret belongs to one target and to the addresses that the target had when the secret was stored. Both are
//! authenticated with it: a target that is extended later cannot use the secret for its new addresses.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brunt_envelope::{Grant, RequestedSecrets};
use ipnet::IpNet;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::auth::Secret;
use crate::store::{Hook, SecretRow, Store};

/// The file of the key, in the directory of the site or in the credentials.
pub(crate) const KEY_FILE: &str = "secrets.key";

/// Encrypts and decrypts secrets.
pub(crate) struct Vault(LessSafeKey);

impl Vault {
    /// Reads the key from the credentials, if it is there, otherwise from the directory, where it is created if it does
    /// not exist. The error reads after "failed to".
    pub(crate) fn open(directory: &Path, credentials: Option<&Path>) -> Result<Self, String> {
        let path = key_path(directory, credentials);
        let secret = Secret::kept(&path)
            .map_err(|why| format!("use the key of the secrets, {}: {why}", path.display()))?;
        let key = UnboundKey::new(&AES_256_GCM, secret.bytes());
        let key = key.map_err(|_| "use the key of the secrets".to_owned())?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Encrypts a secret for storing. The error reads after "failed to".
    pub(crate) fn seal(&self, of: &SecretRow, value: &str) -> Result<Vec<u8>, String> {
        self.seal_for(&parts(of), value)
    }

    /// Encrypts a value that can be decrypted only for the same parts, for storing. The error reads after "failed to".
    pub(crate) fn seal_for(
        &self,
        parts: &[impl AsRef<str>],
        value: &str,
    ) -> Result<Vec<u8>, String> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|error| format!("draw random numbers: {error}"))?;
        let mut bytes = value.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound(parts), &mut bytes)
            .map_err(|_| "seal the secret".to_owned())?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    /// Encrypts the key of a webhook, which signs the messages to its URL, for storing. The error reads after "failed
    /// to".
    pub(crate) fn seal_key(&self, hook: &Hook, key: &str) -> Result<Vec<u8>, String> {
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

/// The function that gives runs their secrets when they begin. The error says why a run does not get them.
pub(crate) fn keeper(
    store: Arc<Store>,
    vault: Arc<Vault>,
    now: fn() -> i64,
) -> impl Fn(&RequestedSecrets, &Grant) -> Result<BTreeMap<String, String>, String> + Send + Sync {
    move |requested, grant| {
        let mut given = BTreeMap::new();
        for name in &requested.names {
            let found = store.secret(&requested.target, name).map_err(|error| error.to_string())?;
            let (row, sealed) = found
                .ok_or_else(|| format!("the secret {name} of {} was removed", requested.target))?;
            if !holds(&row.allow, &grant.allow) {
                return Err(format!(
                    "the secret {name} was stored for other addresses than {} has now; store it again",
                    requested.target
                ));
            }
            let value = vault.unseal(&row, &sealed).ok_or_else(|| {
                format!("the secret {name} was sealed with another {KEY_FILE}; store it again")
            })?;
            store.secret_used(&requested.target, name, now()).map_err(|error| error.to_string())?;
            given.insert(name.clone(), value);
        }
        Ok(given)
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
