//! The files of accounts and groups, as text: their initial content, and adding and removing users without tools.
//!
//! Each change of one user rewrites both files and renames them into place, as `useradd` does, so that a reader never
//! sees half a file; nothing is synced to disk, since only the tools that promise durability do that.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::spec::{FIRST_ID, Users, id, name};

/// The files that a sandbox starts with: name, mode and text.
pub(super) fn bare() -> [(&'static str, u32, String); 4] {
    let passwd =
        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n";
    let group = "root:x:0:\ntty:x:5:\nusers:x:100:\nnogroup:x:65534:\n";
    let shadow = "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n";
    let gshadow = "root:*::\ntty:*::\nusers:*::\nnogroup:*::\n";
    [
        ("passwd", 0o644, passwd),
        ("group", 0o644, group),
        ("shadow", 0o600, shadow),
        ("gshadow", 0o600, gshadow),
    ]
    .map(|(name, mode, text)| (name, mode, text.to_owned()))
}

/// The line of a user in `passwd`.
pub(super) fn account(id: u32) -> String {
    let name = name(id);
    format!("{name}:x:{id}:{id}::/home/{name}:/bin/sh\n")
}

/// The line of a user's own group in `group`.
pub(super) fn group(id: u32) -> String {
    format!("{}:x:{id}:\n", name(id))
}

/// The line of a user for `newusers`.
pub(super) fn newuser(id: u32) -> String {
    let name = name(id);
    format!("{name}:no-password:{id}:{id}::/home/{name}:/bin/sh\n")
}

/// Adds users to both files, all at once.
pub(super) fn add(etc: &Path, users: &Users) -> io::Result<()> {
    append(etc, "passwd", users, account)?;
    append(etc, "group", users, group)
}

/// Removes users from all files, all at once.
pub(super) fn remove(etc: &Path, users: &Users) -> io::Result<()> {
    for (file, ..) in bare() {
        rewrite(etc, file, |text| {
            let stays = |line: &&str| !owner(line).is_some_and(|number| users.contains(&number));
            text.split_inclusive('\n').filter(stays).collect()
        })?;
    }
    Ok(())
}

/// How many lines of a file are those of users of the population.
pub(super) fn count(etc: &Path, file: &str) -> io::Result<u64> {
    let text = fs::read_to_string(etc.join(file))?;
    Ok(counted(&text))
}

/// The same of a text in the format of those files: what `getent` prints.
pub(super) fn counted(text: &str) -> u64 {
    text.lines().filter(|line| owner(line).is_some()).count() as u64
}

/// Which user of the population a line belongs to, by its number.
fn owner(line: &str) -> Option<u32> {
    let digits = line.split(':').next()?.strip_prefix('u')?;
    digits.parse::<u32>().ok()?.checked_sub(FIRST_ID)
}

fn append(etc: &Path, file: &str, users: &Users, line: fn(u32) -> String) -> io::Result<()> {
    rewrite(etc, file, |text| {
        text + &users.clone().map(|number| line(id(number))).collect::<String>()
    })
}

fn rewrite(etc: &Path, file: &str, change: impl FnOnce(String) -> String) -> io::Result<()> {
    let (path, fresh) = (etc.join(file), etc.join(format!("{file}.new")));
    let mode = fs::metadata(&path)?.permissions().mode();
    fs::write(&fresh, change(fs::read_to_string(&path)?))?;
    fs::set_permissions(&fresh, fs::Permissions::from_mode(mode & 0o777))?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_added_and_removed_without_touching_others() {
        let directory = tempfile::tempdir().unwrap();
        let etc = directory.path();
        for (name, mode, text) in bare() {
            fs::write(etc.join(name), text).unwrap();
            fs::set_permissions(etc.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let before = fs::read_to_string(etc.join("passwd")).unwrap();
        add(etc, &(0..300)).unwrap();
        add(etc, &(300..301)).unwrap();
        assert_eq!((count(etc, "passwd").unwrap(), count(etc, "group").unwrap()), (301, 301));
        let text = fs::read_to_string(etc.join("passwd")).unwrap();
        assert!(text.contains("\nu10300:x:10300:10300::/home/u10300:/bin/sh\n"));
        remove(etc, &(1..301)).unwrap();
        assert_eq!((count(etc, "passwd").unwrap(), count(etc, "group").unwrap()), (1, 1));
        remove(etc, &(0..1)).unwrap();
        assert_eq!(fs::read_to_string(etc.join("passwd")).unwrap(), before);
        let mode = fs::metadata(etc.join("shadow")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn accounts_counted_are_those_of_the_population() {
        assert_eq!(
            counted("root:x:0:0\nuucp:x:10:10\nu10000:x:1:1\nu9999:x:1:1\nu10001x:x:1:1\n"),
            1
        );
    }
}
