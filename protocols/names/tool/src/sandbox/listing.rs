//! A directory of files with owners, and the output of `ls -l` for it: the article's measure of a lookup.
//!
//! `ls` looks up each owner and each group once and shows a number if it gets no name, so the names in its output are
//! counted, and each must be that of the file's owner: a time is valid only if all names were resolved.

use std::fs::{self, File};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::request::Listed;
use super::sandbox_error::SandboxError;
use super::sandbox_paths::SandboxPaths;
use super::spec::{Users, id, name};
use super::tools;

/// Makes files for some of these users, spread evenly over all of them: a file of accounts is read from its beginning,
/// so the position of a name determines how long its lookup takes.
pub(super) fn make(place: &SandboxPaths, users: &Users, files: u32) -> Result<u32, SandboxError> {
    let directory = directory(place);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).map_err(SandboxError::file("make", &directory))?;
    let owners = owners(users, files);
    for owner in &owners {
        let path = directory.join(format!("f{owner}"));
        File::create(&path).map_err(SandboxError::file("make", &path))?;
        chown(&path, Some(*owner), Some(*owner)).map_err(SandboxError::file("give away", &path))?;
    }
    Ok(owners.len() as u32)
}

/// Lists the directory.
pub(super) fn list(
    place: &SandboxPaths,
    numeric: bool,
    limit: Duration,
) -> Result<Listed, SandboxError> {
    let directory = directory(place);
    let files =
        fs::read_dir(&directory).map_err(SandboxError::file("read", &directory))?.count() as u64;
    let mut command = tools::command(&place.program("ls")?);
    command.arg(if numeric { "-ln" } else { "-l" }).arg(&directory);
    let ran = tools::run(command, &[], limit)?;
    Ok(Listed { seconds: ran.seconds, requested: 2 * files, resolved: resolved(&ran.output) })
}

fn directory(place: &SandboxPaths) -> PathBuf {
    // In memory even if the data is on a disk, since only the names must be waited for.
    place.root.join("files")
}

/// The ids of the owners of the files.
fn owners(users: &Users, files: u32) -> Vec<u32> {
    let all = u64::from(users.end.saturating_sub(users.start));
    let files = u64::from(files).min(all);
    (0..files).map(|file| id(users.start + (file * all / files) as u32)).collect()
}

/// How many owners and groups in a listing have the right names.
fn resolved(listing: &str) -> u64 {
    listing.lines().map(|line| right(line).unwrap_or_default()).sum()
}

fn right(line: &str) -> Option<u64> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (owner, group, file) = (fields.get(2)?, fields.get(3)?, fields.last()?);
    let wanted = name(Path::new(file).file_name()?.to_str()?.strip_prefix('f')?.parse().ok()?);
    Some(u64::from(**owner == *wanted) + u64::from(**group == *wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_spread_over_all_users() {
        assert_eq!(owners(&(0..4), 10), [10_000, 10_001, 10_002, 10_003]);
        assert_eq!(owners(&(0..11), 4), [10_000, 10_002, 10_005, 10_008]);
        let thousand = owners(&(0..11_000), 1_000);
        assert_eq!((thousand.len(), thousand[1], thousand[999]), (1_000, 10_011, 20_989));
        assert!(owners(&(5..5), 3).is_empty());
    }

    #[test]
    fn unresolved_and_wrong_owners_are_not_counted() {
        let listing = "total 0\n\
            -rw-r--r-- 1 u10001 u10001 0 Nov 21 11:00 f10001\n\
            -rw-r--r-- 1 10002 u10002 0 Nov 21 11:00 f10002\n\
            -rw-r--r-- 1 10003 10003 0 Nov 21 11:00 f10003\n\
            -rw-r--r-- 1 u10001 u10004 0 Nov 21 11:00 f10004\n";
        assert_eq!(resolved(listing), 4);
        assert_eq!(resolved(""), 0);
    }
}
