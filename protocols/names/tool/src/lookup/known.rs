//! Which users and groups a run knows: [`Known`], from a range, a file, or what the machine lists.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use brunt_feed::{Files, file};
use brunt_names_driver::{By, Keys, KeysError};

use super::getent::{GetentError, getent};
use crate::options::lookup::LookupArgs;

/// How long listing all users may take. A large directory lists no users, or all of them for minutes.
const PATIENCE: Duration = Duration::from_secs(15);

/// The users and the groups, as far as lookups need them.
pub(super) struct Known {
    pub users: Option<Arc<Keys>>,
    pub groups: Option<Arc<Keys>>,
    pub notes: Vec<String>,
}

/// Why it is not known which users and groups there are. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub(super) enum OriginError {
    #[error("use --pattern: it names the users of a range, and --keys is not a range")]
    Pattern,
    #[error("read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("list the users and groups of this machine: {path}: {source}")]
    List { path: String, source: io::Error },
    #[error("{0}")]
    Keys(#[from] KeysError),
    #[error("{source} ({})", path.display())]
    File { path: PathBuf, source: KeysError },
    #[error(
        "understand the keys '{0}': write host, a range such as 10000-10999 or 10000..11000, or name a file"
    )]
    Origin(String),
}

/// Where keys come from.
enum Origin<'a> {
    Host,
    Range(RangeInclusive<u32>),
    File(&'a Path),
}

impl Known {
    /// Finds the keys of the lookups.
    pub(super) fn new(args: &LookupArgs, files: &Files) -> Result<Self, OriginError> {
        let includes = |wanted: fn(By) -> bool| args.by.iter().any(|(by, _)| wanted(*by));
        let mut known = Self { users: None, groups: None, notes: Vec::new() };
        let (users, groups) = (origin(&args.keys)?, group_origin(args)?);
        if args.pattern.is_some()
            && !matches!((&users, &groups), (Origin::Range(_), _) | (_, Origin::Range(_)))
        {
            return Err(OriginError::Pattern);
        }
        let pattern = args.pattern.as_deref();
        if includes(|by| !by.is_of_group()) {
            let mut keys = known.keys((&users, pattern), "passwd", files)?;
            if includes(|by| by == By::Memberships)
                && let Some(members) = known.members(&users, &groups, files)
            {
                keys = keys.with_members(&members);
            }
            known.users = Some(Arc::new(keys));
        }
        if includes(By::is_of_group) {
            known.groups = Some(Arc::new(known.keys((&groups, pattern), "group", files)?));
        }
        Ok(known)
    }

    /// The keys of lookups of this kind.
    pub(super) fn for_kind(&self, by: By) -> Arc<Keys> {
        let keys = if by.is_of_group() { &self.groups } else { &self.users };
        keys.clone().unwrap_or_default()
    }

    fn keys(
        &mut self,
        (origin, pattern): (&Origin<'_>, Option<&str>),
        database: &str,
        files: &Files,
    ) -> Result<Keys, OriginError> {
        let keys = match origin {
            Origin::Range(ids) => Keys::range(ids.clone(), pattern),
            Origin::File(path) => {
                let text = files
                    .read_lines(path, file::DATA_MAX)
                    .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
                    .map_err(|source| OriginError::Read { path: path.to_path_buf(), source })?;
                Keys::lines(&text)
            }
            Origin::Host => {
                let keys = Keys::lines(&self.listed(database)?);
                if let Ok(keys) = &keys {
                    let what = if database == "passwd" { "users" } else { "groups" };
                    self.notes.push(format!(
                        "looking up the {} {what} that this machine lists; --keys selects others",
                        keys.len()
                    ));
                }
                keys
            }
        };
        keys.map_err(|source| match origin {
            Origin::File(path) => OriginError::File { path: path.to_path_buf(), source },
            _ => OriginError::Keys(source),
        })
    }

    /// The machine's list of a database; if that takes too long, its local file.
    fn listed(&mut self, database: &str) -> Result<String, OriginError> {
        match getent(&[database], PATIENCE) {
            Ok(text) if !text.is_empty() => Ok(text),
            result => {
                let path = format!("/etc/{database}");
                let text = match fs::read_to_string(&path) {
                    Ok(text) => text,
                    Err(source) => return Err(OriginError::List { path, source }),
                };
                let why = result.err().unwrap_or(GetentError::Empty);
                self.notes.push(format!("getent {database}: {why}; {path} is used instead"));
                Ok(text)
            }
        }
    }

    /// Lines of groups with their members. For a range no members are known.
    fn members(
        &mut self,
        users: &Origin<'_>,
        groups: &Origin<'_>,
        files: &Files,
    ) -> Option<String> {
        match (users, groups) {
            (Origin::Range(_), Origin::Range(_) | Origin::Host) | (_, Origin::Range(_)) => None,
            (_, Origin::File(path)) => {
                String::from_utf8(files.read_lines(path, file::DATA_MAX).ok()?).ok()
            }
            (_, Origin::Host) => self.listed("group").ok(),
        }
    }
}

fn group_origin(args: &LookupArgs) -> Result<Origin<'_>, OriginError> {
    match &args.group_keys {
        Some(text) => origin(text),
        None => Ok(match origin(&args.keys)? {
            Origin::File(_) => Origin::Host,
            same => same,
        }),
    }
}

fn origin(text: &str) -> Result<Origin<'_>, OriginError> {
    if text == "host" {
        return Ok(Origin::Host);
    }
    let wrong = || OriginError::Origin(text.to_owned());
    if let Some((from, to)) = text.split_once("..") {
        let (from, to): (Result<u32, _>, Result<u32, _>) = (from.parse(), to.parse());
        if let (Ok(from), Ok(to)) = (from, to) {
            let last = to.checked_sub(1).filter(|last| from <= *last);
            return last.map(|last| Origin::Range(from..=last)).ok_or_else(wrong);
        }
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    if digits(from) && digits(to) {
        let (from, to) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
        return if from <= to { Ok(Origin::Range(from..=to)) } else { Err(wrong()) };
    }
    let path = Path::new(text);
    if path.exists() { Ok(Origin::File(path)) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(keys: &str, by: &[By]) -> LookupArgs {
        LookupArgs {
            keys: keys.to_owned(),
            by: by.iter().map(|by| (*by, 1)).collect(),
            ..LookupArgs::default()
        }
    }

    #[test]
    fn key_range_is_parsed_inclusive_and_exclusive() {
        for (text, first, count) in [("10-12", 10, 3), ("10..12", 10, 2), ("7", 7, 1)] {
            let known = Known::new(&args(text, &[By::Uid, By::Gid]), &Files::default()).unwrap();
            for by in [By::Uid, By::Gid] {
                let keys = known.for_kind(by);
                assert_eq!((keys.id(0), keys.len()), (first, count), "{text}");
            }
        }
        for text in ["12-10", "5..5", "a-b", "-5", "99999999999", "/no/such/file", ""] {
            assert!(Known::new(&args(text, &[By::Uid]), &Files::default()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn key_files_supply_users_and_memberships() {
        let folder = tempfile::tempdir().unwrap();
        let (users, groups) = (folder.path().join("passwd"), folder.path().join("group"));
        fs::write(&users, "u:x:7:9::/:/bin/sh\n").unwrap();
        fs::write(&groups, "g:x:9:\nh:x:20:u\n").unwrap();
        let mut args = args(users.to_str().unwrap(), &[By::User, By::Memberships, By::Group]);
        args.group_keys = Some(groups.to_str().unwrap().to_owned());
        let known = Known::new(&args, &Files::default()).unwrap();
        let (users, groups) = (known.for_kind(By::User), known.for_kind(By::Group));
        assert_eq!((users.name(0), users.group(0), groups.len()), (c"u", Some(20), 2));
        args.pattern = Some("u%d".to_owned());
        let error = Known::new(&args, &Files::default()).err().unwrap().to_string();
        assert!(error.contains("--pattern"), "{error}");
    }

    #[test]
    fn key_host_lists_at_least_root() {
        let known = Known::new(&args("host", &[By::User]), &Files::default()).unwrap();
        let users = known.for_kind(By::User);
        assert!((0..users.len()).any(|place| users.name(place) == c"root"));
        assert!(known.notes.iter().any(|note| note.contains("users")), "{:?}", known.notes);
    }
}
