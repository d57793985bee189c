//! `NssPath`: calls the C library, as any program does, and therefore the sources that the library is configured to
//! use.
//!
//! The library decides which source is used: files, a module, a daemon, a cache. A program that is linked statically
//! with another C library loads no modules, so these lookups are meaningful only in a dynamic build for glibc; there,
//! [`restrict`] can set the sources for this process only.

mod calls;

use std::ffi::CString;

use super::access_path::AccessPath;
use super::error::LookupError;
use super::question::{Answer, By, Question};

/// The initial size of buffers, which is enough for most users and small groups.
const BUFFER_FIRST: usize = 4 * 1024;
/// Buffers never grow beyond this.
pub(super) const BUFFER_MAX: usize = 16 * 1024 * 1024;
/// The initial room for the groups of a user.
const GROUPS_FIRST: usize = 64;
/// The most groups of a user that the kernel supports: `NGROUPS_MAX`.
pub(super) const GROUPS_MAX: usize = 65_536;

/// A session's access to the C library.
pub(super) struct NssPath {
    buffer: Vec<u8>,
    groups: Vec<u32>,
}

impl NssPath {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; BUFFER_FIRST], groups: vec![0; GROUPS_FIRST] }
    }
}

impl AccessPath for NssPath {
    fn look_up(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError> {
        let id = question.id.unwrap_or_default();
        let found = match question.by {
            By::Uid => calls::user_by_id(id, &mut self.buffer),
            By::Gid => calls::group_by_id(id, &mut self.buffer),
            By::User => calls::user_by_name(question.name, &mut self.buffer),
            By::Group => calls::group_by_name(question.name, &mut self.buffer),
            By::Memberships => {
                let groups = calls::memberships(question.name, &mut self.groups);
                return match groups.map_err(LookupError::System)? {
                    [] => Ok(Answer::Absent),
                    groups => Ok(Answer::Groups(groups)),
                };
            }
        };
        Ok(match found.map_err(LookupError::System)? {
            Some((id, name)) => Answer::Account { id, name },
            None => Answer::Absent,
        })
    }
}

/// Whether this program's C library uses the sources in `nsswitch.conf`, as the other programs of the machine do: true
/// of the GNU library, unless it is linked statically.
pub const fn loads_modules() -> bool {
    cfg!(all(target_env = "gnu", not(target_feature = "crt-static")))
}

/// Why sources cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestrictError {
    /// The C library is not the GNU library.
    #[error("name the sources of lookups: only the GNU C library lets a program do that")]
    Library,
    /// The library refused them.
    #[error(
        "name the sources '{0}': write names as in nsswitch.conf(5), and nothing else, such as 'files sss'"
    )]
    Sources(String),
}

/// Makes this process use these sources for users and groups, whatever the machine's configuration, until it ends. The
/// cache nscd is then not used. Must be called before the first lookup.
pub fn restrict(sources: &str) -> Result<(), RestrictError> {
    let wrong = || RestrictError::Sources(sources.to_owned());
    // Actions in brackets are not accepted: the library reads beyond the end of an unclosed bracket.
    let part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let names: Vec<&str> = sources.split([',', ' ']).filter(|name| !name.is_empty()).collect();
    if names.is_empty() || !names.iter().all(|name| name.bytes().all(part_of_name)) {
        return Err(wrong());
    }
    let text = CString::new(names.join(" ")).map_err(|_| wrong())?;
    for database in [c"passwd", c"group", c"initgroups"] {
        match calls::configure(database, &text) {
            None => return Err(RestrictError::Library),
            Some(false) => return Err(wrong()),
            Some(true) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Expected;

    fn question(by: By, id: u32, name: &std::ffi::CStr) -> Question<'_> {
        Question { by, id: Some(id), name, expected: Expected::Found }
    }

    /// A path that uses only the files of this machine, whatever its configuration.
    fn to_files(buffer: usize) -> NssPath {
        restrict("files").unwrap();
        NssPath { buffer: vec![0; buffer], groups: vec![0; 1] }
    }

    #[test]
    fn nss_source_errors_are_refused() {
        for wrong in ["", " , ", "[", "files [NOTFOUND=return]", "a\0b", "../x"] {
            assert_eq!(restrict(wrong), Err(RestrictError::Sources(wrong.to_owned())), "{wrong:?}");
        }
    }

    #[test]
    fn nss_finds_root() {
        let mut path = to_files(BUFFER_FIRST);
        for question in [
            question(By::Uid, 0, c""),
            question(By::User, 0, c"root"),
            question(By::Gid, 0, c""),
            question(By::Group, 0, c"root"),
        ] {
            let answer = path.look_up(&question).unwrap();
            assert_eq!(answer, Answer::Account { id: 0, name: b"root" }, "{question:?}");
        }
    }

    #[test]
    fn nss_reports_absent_accounts() {
        let mut path = to_files(BUFFER_FIRST);
        for by in By::ALL {
            let question = question(by, 3_999_999_999, c"brunt-absent-1");
            assert_eq!(path.look_up(&question).unwrap(), Answer::Absent, "{by:?}");
        }
    }

    #[test]
    fn nss_buffer_grows_and_stays() {
        let mut path = to_files(1);
        assert!(matches!(
            path.look_up(&question(By::Uid, 0, c"")),
            Ok(Answer::Account { id: 0, .. })
        ));
        let grown = path.buffer.len();
        assert!(grown > 1 && grown < 1024, "{grown}");
        path.look_up(&question(By::Uid, 0, c"")).unwrap();
        assert_eq!(path.buffer.len(), grown);
    }

    #[test]
    fn nss_memberships_equal_the_group_file() {
        let file = std::fs::read_to_string("/etc/group").unwrap();
        let mut path = to_files(0);
        let members = file.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            Some((
                fields.get(2)?.parse::<u32>().ok()?,
                fields.get(3)?.split(',').next()?.to_owned(),
            ))
        });
        for (gid, member) in members.filter(|(_, member)| !member.is_empty()).take(5) {
            let name = CString::new(member).unwrap();
            match path.look_up(&question(By::Memberships, gid, &name)).unwrap() {
                Answer::Groups(groups) => assert!(groups.contains(&gid), "{name:?}: {groups:?}"),
                other => panic!("{name:?} is in {gid}: {other:?}"),
            }
        }
    }
}
