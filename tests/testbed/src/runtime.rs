//! The directory of what the test runs of one user share while they last: permits, and where their servers are.

use rustix::fs::{FlockOperation, Mode, flock, mkdir};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// `brunt-tests` in the user's runtime directory, or else in that for temporary files. It is made if it is not there,
/// and nobody else may read it.
pub fn runtime_directory() -> PathBuf {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let path = match runtime.filter(|path| is_own(path)) {
        Some(runtime) => runtime.join("brunt-tests"),
        None => env::temp_dir().join(format!("brunt-tests-{}", geteuid().as_raw())),
    };
    private(&path);
    path
}

/// Makes a directory that is this user's alone, and checks it if it is there: in a directory that all may write to,
/// another user could have made it first.
pub(crate) fn private(path: &Path) {
    match mkdir(path, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => panic!("failed to make {}: {error}", path.display()),
    }
    let open = fs::symlink_metadata(path).map_or(0, |found| found.mode() & 0o077);
    assert!(is_own(path) && open == 0, "{} is not this user's alone; remove it", path.display());
}

/// Opens a file that is made if it is not there, and waits until nobody else has locked it. The kernel releases the
/// lock when the file is closed, and so that of a process that ends in whatever way.
pub(crate) fn locked(path: &Path) -> File {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.unwrap_or_else(|error| panic!("failed to open {}: {error}", path.display()));
    while let Err(error) = flock(&file, FlockOperation::LockExclusive) {
        assert_eq!(error, Errno::INTR, "failed to lock {}", path.display());
    }
    file
}

/// Whether it is a directory and no link to one, and this user's.
fn is_own(path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::panic::catch_unwind;

    #[test]
    fn locked_file_is_exclusive() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lock");
        let first = locked(&path);
        let second = File::open(&path).unwrap();
        let try_second = || flock(&second, FlockOperation::NonBlockingLockExclusive);
        assert_eq!(try_second(), Err(Errno::WOULDBLOCK));
        drop(first);
        assert_eq!(try_second(), Ok(()));
    }

    #[test]
    fn runtime_directory_of_others_or_elsewhere_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("here");
        private(&path);
        private(&path);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        let link = place.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(catch_unwind(|| private(&link)).is_err());
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(catch_unwind(|| private(&path)).is_err());
    }
}
