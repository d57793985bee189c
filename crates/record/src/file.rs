//! [`replace`]: writes a file that is always complete; [`create_private`]: creates a file that grows;
//! [`check_writable`]: finds out beforehand whether either will succeed.
//!
//! A run may be killed while it writes its results. So a file is written beside the old one, under a temporary name in
//! the same directory, synced to disk and renamed: a reader sees the old file or the new one and never a part of
//! either. Only its owner may read it, because a command line may contain more than its author intended to publish.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::pipe::Pipe;

/// Writes a file in place of an existing one, with the output of `print`.
///
/// A path that is not a regular file, such as a pipe or a device, is written to directly. A symbolic link still points
/// to the same file.
pub fn replace(
    path: &Path,
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if Pipe::is_at(path) {
        return flushed(Pipe::open(path)?, print);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return flushed(File::options().write(true).open(&path)?, print);
    }
    let temporary = tempfile::NamedTempFile::new_in(directory_of(&path))?;
    flushed(temporary.as_file(), print)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether a write failed because the disk is full, or because the quota of its user is used up.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Opens a file for writing from its beginning, which only its owner may read, whether or not it existed. Anything
/// else, such as a pipe or a device, keeps its permissions.
pub fn create_private(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    if file.metadata()?.is_file() {
        // A file that another user owns may be writable without allowing this change; then its owner has decided who
        // reads it.
        let _ = file.set_permissions(Permissions::from_mode(0o600));
    }
    Ok(file)
}

/// Finds out whether a file can be written, and changes nothing: a new one is tried without a name in its directory,
/// because a process that is killed at this moment would leave an empty file under the name of a result.
///
/// A named pipe is not opened: its reader would take that for the end.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.file_type().is_fifo() => Ok(()),
        Ok(_) => File::options().append(true).open(path).map(drop),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if path.as_os_str().as_bytes().ends_with(b"/") => {
            Err(io::ErrorKind::IsADirectory.into())
        }
        Err(_) => tempfile::tempfile_in(directory_of(path)).map(drop),
    }
}

fn directory_of(path: &Path) -> &Path {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}

fn flushed(
    out: impl Write,
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    print(&mut out)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::inotify;
    use std::mem::MaybeUninit;
    use std::os::unix::fs::symlink;

    #[test]
    fn failed_write_keeps_the_old_file_and_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        fs::write(&path, "older").unwrap();
        let half = replace(&path, |out| {
            out.write_all(&vec![b'x'; 100_000])?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(half.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        replace(&path, |out| out.write_all(b"newer")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn growing_file_is_private_to_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.hlog");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        create_private(&path).unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        fs::write(&path, "older").unwrap();
        create_private(&path).unwrap().write_all(b"new").unwrap();
        assert_eq!((mode(), fs::read_to_string(&path).unwrap()), (0o600, "new".to_owned()));
        create_private(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn replace_shows_nothing_until_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        replace(&path, |out| {
            out.write_all(&vec![b'x'; 100_000])?;
            assert!(!path.exists());
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 100_000);
    }

    #[test]
    fn check_writable_creates_no_visible_file() {
        let directory = tempfile::tempdir().unwrap();
        let (new, old) = (directory.path().join("new.json"), directory.path().join("old.json"));
        fs::write(&old, "older").unwrap();
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&watch, directory.path(), inotify::WatchFlags::CREATE).unwrap();
        check_writable(&new).unwrap();
        check_writable(&old).unwrap();
        let (mut buffer, mut names) = ([MaybeUninit::uninit(); 4096], Vec::new());
        let mut created = inotify::Reader::new(&watch, &mut buffer);
        while let Ok(event) = created.next() {
            names.extend(event.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        assert_eq!(names, Vec::<String>::new());
        assert_eq!(fs::read_to_string(&old).unwrap(), "older");
    }

    #[test]
    fn check_writable_refuses_unwritable_paths() {
        let directory = tempfile::tempdir().unwrap();
        let refused = |name: &str| check_writable(&directory.path().join(name)).unwrap_err().kind();
        assert_eq!(refused(""), io::ErrorKind::IsADirectory);
        assert_eq!(refused("new/"), io::ErrorKind::IsADirectory);
        assert_eq!(refused("none/run.json"), io::ErrorKind::NotFound);
        assert_eq!(refused(&"x".repeat(300)), io::ErrorKind::InvalidFilename);
    }

    #[test]
    fn replace_keeps_a_symlink() {
        let directory = tempfile::tempdir().unwrap();
        let (link, file) = (directory.path().join("latest"), directory.path().join("run.json"));
        fs::write(&file, "older").unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, |out| out.write_all(b"newer")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "newer");
    }
}
