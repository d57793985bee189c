//! The `/etc` of a sandbox: a copy of all world-readable files, and our own files where the measurement depends on
//! them.
//!
//! Everything is copied and not only what is known to be needed, since tools may read any file; files that only root
//! can read are left out, so that no secret is copied. Accounts start with only `root` and `nobody`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::accounts;
use super::sandbox_error::SandboxError;

/// Larger files are databases for other purposes (hardware, for example).
const FILE_MAX: u64 = 1 << 20;
/// Deeper trees do not contain configuration.
const DEPTH_MAX: u32 = 8;
const READABLE_BY_ALL: u32 = 0o004;

/// The settings of shadow's tools. Sub-ids are off: at 65,536 a user, those of a default configuration are used up by
/// user 9,156, and `useradd` refuses from then on.
const LOGIN_DEFS: &str = "UID_MIN 1000
UID_MAX 1000000000
GID_MIN 1000
GID_MAX 1000000000
SUB_UID_COUNT 0
SUB_GID_COUNT 0
USERGROUPS_ENAB yes
ENCRYPT_METHOD SHA512
UMASK 022
PASS_MAX_DAYS 99999
PASS_MIN_DAYS 0
PASS_WARN_AGE 7
CREATE_HOME no
MAIL_DIR /var/mail
";

/// Copies the world-readable part of a tree.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), SandboxError> {
    fs::create_dir_all(to).map_err(SandboxError::file("make", to))?;
    branch(from, to, 0).map_err(SandboxError::file("copy", from))
}

fn branch(from: &Path, to: &Path, depth: u32) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let about = entry.metadata()?;
        if about.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
            continue;
        }
        let mode = about.permissions().mode();
        if mode & READABLE_BY_ALL == 0 {
            continue;
        }
        if about.is_dir() && depth < DEPTH_MAX {
            fs::create_dir(&target)?;
            branch(&source, &target, depth + 1)?;
        } else if about.is_file() && about.len() <= FILE_MAX {
            // Files may be replaced or deleted while they are copied; the host keeps running.
            match fs::read(&source) {
                Ok(bytes) => fs::write(&target, bytes)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            fs::set_permissions(&target, fs::Permissions::from_mode(mode & 0o777))?;
        }
    }
    Ok(())
}

/// Writes our own files, and deletes what would add to them.
pub(super) fn furnish(etc: &Path) -> Result<(), SandboxError> {
    for name in ["subuid", "subgid", "ldap/ldap.conf", "nslcd.conf", ".pwd.lock"] {
        let _ = fs::remove_file(etc.join(name));
    }
    for (name, mode, text) in accounts::bare() {
        write(etc, name, mode, &text)?;
    }
    write(etc, "login.defs", 0o644, LOGIN_DEFS)?;
    switch(etc, "files", None)
}

/// Sets the sources that answer lookups, and their order.
pub(super) fn switch(etc: &Path, sources: &str, instead: Option<&str>) -> Result<(), SandboxError> {
    let names = match instead {
        Some(lines) => lines.to_owned(),
        None => format!("passwd: {sources}\ngroup: {sources}"),
    };
    let text = format!("{names}\nshadow: files\ngshadow: files\nhosts: files\n");
    write(etc, "nsswitch.conf", 0o644, &text)
}

/// Writes a file of `/etc`.
pub(super) fn write(etc: &Path, name: &str, mode: u32, text: &str) -> Result<(), SandboxError> {
    let path = etc.join(name);
    // The existing file may be a link that leads elsewhere.
    let _ = fs::remove_file(&path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(SandboxError::file("make", directory))?;
    }
    fs::write(&path, text).map_err(SandboxError::file("write", &path))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(mode))
        .map_err(SandboxError::file("write", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etc_copy_omits_secrets_and_huge_files() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |name: &str, mode: u32, bytes: &[u8]| {
            let path = from.path().join(name);
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        fs::create_dir(from.path().join("ldap")).unwrap();
        put("hosts", 0o644, b"127.0.0.1 localhost\n");
        put("ldap/schema", 0o644, b"schema");
        put("shadow", 0o640, b"secret");
        put("hwdb.bin", 0o444, &vec![0; FILE_MAX as usize + 1]);
        symlink("hosts", from.path().join("link")).unwrap();
        let target = to.path().join("etc");
        copy(from.path(), &target).unwrap();
        assert_eq!(fs::read(target.join("ldap/schema")).unwrap(), b"schema");
        assert_eq!(fs::read_link(target.join("link")).unwrap(), Path::new("hosts"));
        assert!(!target.join("shadow").exists() && !target.join("hwdb.bin").exists());
    }

    #[test]
    fn etc_file_replaces_a_link_and_not_its_target() {
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().join("outside");
        fs::write(&outside, "theirs").unwrap();
        let etc = directory.path().join("etc");
        fs::create_dir(&etc).unwrap();
        symlink(&outside, etc.join("nsswitch.conf")).unwrap();
        furnish(&etc).unwrap();
        assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
        let switch = fs::read_to_string(etc.join("nsswitch.conf")).unwrap();
        assert!(switch.starts_with("passwd: files\ngroup: files\n"));
        assert_eq!(etc.join("shadow").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!etc.join("subuid").exists());
    }
}
