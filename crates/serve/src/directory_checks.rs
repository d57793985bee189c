//! What is checked of the directory of a site before it is used: who else may read and write it, and whether its keys
//! are still there.
//!
//! A missing key is not replaced without a message: what it protected would be lost unnoticed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::auth::KeyFileError;
use crate::store::{AUDIT_KEY, AuditKey, Store, StoreError};
use crate::vault::{KEY_FILE, key_path};

/// Files that no other user may read.
const PRIVATE: [&str; 5] = [AUDIT_KEY, KEY_FILE, "brunt.db", "brunt.db-wal", "brunt.db-shm"];
/// What else no other user may write.
const OWN: [&str; 3] = ["runs", "plans", "incoming"];
const GROUP_AND_OTHERS: u32 = 0o077;
const WRITE: u32 = 0o022;
const READ: u32 = 0o044;

/// Why other users have too many rights in the directory of a site. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum RightsError {
    /// They may write the directory.
    #[error(
        "use the directory {at}: other users may write it (its mode is {mode:o}), and could replace its keys and \
         accounts; run 'chmod -R go= {at}'",
        at = directory.display()
    )]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// They may read or write something in it.
    #[error(
        "use the directory {at}: other users may read or write {inside} (its mode is {mode:o}); run \
         'chmod -R go= {at}'. If they did, change what it contains: passwords, tokens and secrets",
        at = directory.display(),
        inside = path.display()
    )]
    Inside {
        /// The directory.
        directory: PathBuf,
        /// What is in it.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
}

/// Refuses a directory whose files other users may change, or whose keys and accounts they may read. Returns a warning
/// if they may only list it.
pub(crate) fn check_rights(directory: &Path) -> Result<Option<String>, RightsError> {
    let mode = mode(directory).unwrap_or_default();
    // Other users have no access to what is inside.
    if mode & GROUP_AND_OTHERS == 0 {
        return Ok(None);
    }
    if mode & WRITE != 0 {
        return Err(RightsError::Directory { directory: directory.to_owned(), mode });
    }
    let open = |names: &[&str], rights: u32| {
        let paths = names.iter().map(|name| directory.join(name));
        let mut paths = paths.filter_map(|path| Some((self::mode(&path)?, path)));
        paths.find(|(mode, _)| mode & rights != 0)
    };
    let found = open(&PRIVATE, READ | WRITE).or_else(|| open(&OWN, WRITE));
    if let Some((mode, path)) = found {
        return Err(RightsError::Inside { directory: directory.to_owned(), path, mode });
    }
    let at = directory.display();
    Ok(Some(format!(
        "Other users may list the directory {at} (its mode is {mode:o}): run 'chmod -R go= {at}'."
    )))
}

fn mode(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.permissions().mode() & 0o7777)
}

/// Why the keys of a directory cannot be used. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// That of the audit trail is missing.
    #[error(
        "use the key {}: it is missing, and this directory was used with it before. Restore it from a backup. Without \
         it, it cannot be verified any more that the {lines} lines of the audit trail were not changed. To continue \
         without it, start once with --new-keys",
        path.display()
    )]
    Audit {
        /// Its file.
        path: PathBuf,
        /// How many lines it sealed.
        lines: i64,
    },
    /// That of the secrets is missing.
    #[error(
        "use the key {}: it is missing, and this directory was used with it before. Restore it from a backup. If it is \
         a systemd credential, check LoadCredential. Without it, the {sealed} secrets of targets, keys of webhooks and \
         client secrets that are stored here cannot be decrypted, and have to be entered again. To continue without \
         it, start once with --new-keys",
        path.display()
    )]
    Secrets {
        /// Its file.
        path: PathBuf,
        /// How many secrets it encrypted.
        sealed: i64,
    },
    /// A new one could not be made.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// It is unknown whether they were used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Refuses a directory that was used before and whose keys are missing. With `renew` they are replaced by new ones.
pub(crate) fn check_keys(
    directory: &Path,
    credentials: Option<&Path>,
    store: &Store,
    renew: bool,
) -> Result<(), KeysError> {
    let (path, lines) = (directory.join(AUDIT_KEY), store.audit_lines()?);
    if lines > 0 && !path.exists() {
        if !renew {
            return Err(KeysError::Audit { path, lines });
        }
        AuditKey::renew(directory, lines + 1)?;
    }
    let (path, sealed) = (key_path(directory, credentials), store.sealed()?);
    if sealed > 0 && !path.exists() && !renew {
        return Err(KeysError::Secrets { path, sealed });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Hook;
    use crate::vault::Vault;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn site_directory_writable_by_others_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let (key, runs) = (at.join(KEY_FILE), at.join("runs"));
        fs::write(&key, "").unwrap();
        fs::create_dir(&runs).unwrap();
        for (mode, of_key, of_runs, expected) in [
            (0o700, 0o666, 0o777, "fine"),
            (0o755, 0o600, 0o755, "warned"),
            (0o750, 0o600, 0o700, "warned"),
            (0o711, 0o600, 0o700, "warned"),
            (0o755, 0o640, 0o700, "secrets.key"),
            (0o755, 0o602, 0o700, "secrets.key"),
            (0o755, 0o600, 0o775, "runs"),
            (0o770, 0o600, 0o700, "other users may write it"),
            (0o1777, 0o600, 0o700, "other users may write it"),
        ] {
            set(at, mode);
            set(&key, of_key);
            set(&runs, of_runs);
            let found = match check_rights(at) {
                Ok(None) => "fine".to_owned(),
                Ok(Some(warning)) => format!("warned: {warning}"),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{mode:o} {of_key:o} {of_runs:o}: {found}");
            assert!(found == "fine" || found.contains("chmod -R go= "), "{found}");
        }
        set(at, 0o700);
    }

    #[test]
    fn missing_key_is_not_recreated_silently() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let store = Store::open(at).unwrap();
        // A new directory has none, and needs none.
        check_keys(at, None, &store, false).unwrap();
        let key = AuditKey::stored(at).unwrap();
        for who in ["ada", "bob"] {
            store.note(&key, (1, who), "sign in", "").unwrap();
        }
        let vault = Vault::open(at, None).unwrap();
        let (name, url) = ("ci".into(), "http://a/".into());
        let hook = Hook { name, url, by: "ada".into(), at: 1, ..Hook::default() };
        store.add_hook(&hook, &vault.seal_key(&hook, "k").unwrap()).unwrap();
        check_keys(at, None, &store, false).unwrap();
        for (file, lost) in
            [(AUDIT_KEY, "2 lines of the audit trail"), (KEY_FILE, "1 secrets of targets")]
        {
            let (kept, away) = (at.join(file), at.join("away"));
            fs::rename(&kept, &away).unwrap();
            let why = check_keys(at, None, &store, false).unwrap_err().to_string();
            assert!(
                why.contains(lost) && why.contains(file) && why.contains("--new-keys"),
                "{why}"
            );
            assert!(!kept.exists(), "nothing is made by the check");
            fs::rename(&away, &kept).unwrap();
        }
        // As a credential it need not be here.
        let other = tempfile::tempdir().unwrap();
        fs::rename(at.join(KEY_FILE), other.path().join(KEY_FILE)).unwrap();
        check_keys(at, Some(other.path()), &store, false).unwrap();
        fs::remove_file(at.join(AUDIT_KEY)).unwrap();
        check_keys(at, None, &store, true).unwrap();
        // Lines under the old key are not verified, and those that follow are.
        let key = AuditKey::stored(at).unwrap();
        assert_eq!((key.from(), store.verify_audit(&key).unwrap()), (3, Ok(0)));
        store.note(&key, (2, "ada"), "sign in", "").unwrap();
        store.note(&key, (3, "ada"), "sign in", "").unwrap();
        assert_eq!(store.verify_audit(&key).unwrap(), Ok(2));
        store
            .write(|file| Ok(file.execute_batch("UPDATE audit SET who = 'x' WHERE id = 4")?))
            .unwrap();
        assert_eq!(store.verify_audit(&key).unwrap(), Err(crate::store::BrokenAt(4)));
        store.write(|file| Ok(file.execute_batch("DELETE FROM audit WHERE id = 1")?)).unwrap();
        assert_eq!(store.verify_audit(&key).unwrap(), Err(crate::store::BrokenAt(1)));
        // A key that is there stays as it is.
        check_keys(at, None, &store, true).unwrap();
        assert_eq!(AuditKey::stored(at).unwrap().from(), 3);
    }
}
