//! What is checked of the directory of a site before it is used: who else may read and write it, and whether its keys
//! are still there.
//!
//! A missing key is not made anew in silence: what it protected would be lost without anybody having noticed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::app::AUDIT_KEY;
use crate::auth::Secret;
use crate::store::{AuditKey, Store};
use crate::vault::{KEY_FILE, key_path};

/// Files that nobody else may read.
const PRIVATE: [&str; 5] = [AUDIT_KEY, KEY_FILE, "brunt.db", "brunt.db-wal", "brunt.db-shm"];
/// What else nobody else may write.
const OWN: [&str; 3] = ["runs", "plans", "incoming"];
const GROUP_AND_OTHERS: u32 = 0o077;
const WRITE: u32 = 0o022;
const READ: u32 = 0o044;

/// Refuses a directory whose files other users may change, or whose keys and accounts they may read. Returns a warning
/// if they may only look at it. The error reads after "failed to".
pub(crate) fn check_rights(directory: &Path) -> Result<Option<String>, String> {
    let mode = mode(directory).unwrap_or_default();
    let (at, mend) = (directory.display(), mend(directory));
    // Nobody else comes to what is inside.
    if mode & GROUP_AND_OTHERS == 0 {
        return Ok(None);
    }
    if mode & WRITE != 0 {
        return Err(format!(
            "use the directory {at}: other users may write it (its mode is {mode:o}), and could replace its keys and \
             accounts; {mend}"
        ));
    }
    let open = |names: &[&str], rights: u32| {
        let paths = names.iter().map(|name| directory.join(name));
        let mut paths = paths.filter_map(|path| Some((self::mode(&path)?, path)));
        paths.find(|(mode, _)| mode & rights != 0)
    };
    let found = open(&PRIVATE, READ | WRITE).or_else(|| open(&OWN, WRITE));
    if let Some((mode, path)) = found {
        let path = path.display();
        return Err(format!(
            "use the directory {at}: other users may read or write {path} (its mode is {mode:o}); {mend}. If they did, \
             change what it contains: passwords, tokens and secrets"
        ));
    }
    Ok(Some(format!(
        "Other users may look into the directory {at} (its mode is {mode:o}): {mend}."
    )))
}

fn mode(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.permissions().mode() & 0o7777)
}

fn mend(directory: &Path) -> String {
    format!("run 'chmod -R go= {}'", directory.display())
}

/// Refuses a directory that was used before and whose keys are missing. With `renew` it goes on without them. The error
/// reads after "failed to".
pub(crate) fn check_keys(
    directory: &Path,
    credentials: Option<&Path>,
    store: &Store,
    renew: bool,
) -> Result<(), String> {
    let path = directory.join(AUDIT_KEY);
    let lines = store.audit_lines().map_err(|error| error.to_string())?;
    if lines > 0 && !path.exists() {
        if !renew {
            let lost = format!(
                "nobody can check any more that the {lines} lines of the audit trail were not changed"
            );
            return Err(missing(&path, &lost, ""));
        }
        AuditKey::renew(&path, lines + 1)
            .map_err(|why| format!("make a key, {}: {why}", path.display()))?;
    }
    let path = key_path(directory, credentials);
    let sealed = store.sealed().map_err(|error| error.to_string())?;
    if sealed > 0 && !path.exists() && !renew {
        let lost = format!(
            "the {sealed} secrets of targets, keys of webhooks and client secrets that are stored here cannot be \
             opened, and have to be entered again"
        );
        let credential = " If it is a systemd credential, check LoadCredential.";
        return Err(missing(&path, &lost, credential));
    }
    Ok(())
}

fn missing(path: &Path, lost: &str, more: &str) -> String {
    format!(
        "use the key {}: it is missing, and this directory was used with it before. Restore it from a backup.{more} \
         Without it, {lost}. To go on without it, start once with --new-keys",
        path.display()
    )
}

impl AuditKey {
    /// Reads the key in a file, or makes one. The error says why it cannot be used.
    pub(crate) fn kept(path: &Path) -> Result<Self, String> {
        let secret = Secret::kept(path)?;
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let from = text.lines().nth(1).and_then(|line| line.strip_prefix(FROM)?.parse().ok());
        Ok(Self::new(secret.bytes(), from.unwrap_or(1)))
    }

    /// Makes a key for the lines from this one on, in place of one that was lost.
    fn renew(path: &Path, from: i64) -> Result<(), String> {
        let secret = Secret::new()?;
        let text = format!("{}\n{FROM}{from}\n", secret.shown());
        let written = brunt_record::replace(path, |out| out.write_all(text.as_bytes()));
        written.map_err(|error| error.to_string())
    }
}

/// What precedes the number of the first line that a key seals, if it is not the first of all.
const FROM: &str = "from line ";

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
                Err(why) => why,
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
        let key = AuditKey::kept(&at.join(AUDIT_KEY)).unwrap();
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
            let why = check_keys(at, None, &store, false).unwrap_err();
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
        let key = AuditKey::kept(&at.join(AUDIT_KEY)).unwrap();
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
        assert_eq!(AuditKey::kept(&at.join(AUDIT_KEY)).unwrap().from(), 3);
    }
}
