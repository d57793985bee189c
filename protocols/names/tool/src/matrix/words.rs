//! The command lines by which this program makes lookups within a cell.
//!
//! A process that once found no cache does not try again for a hundred calls, so every pass of lookups has a process of
//! its own, and it is `brunt names lookup` as a user would call it. The names it looks up are spread over the whole
//! population, because a flat file is read from its beginning.

use super::plan::{Keys, Lookup, PathChoice};
use crate::sandbox::{FIRST_ID, GROUPS, PEOPLE};

/// The input of a pass's command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass<'a> {
    /// How many users there are.
    pub users: u32,
    /// How many keys are looked up.
    pub keys: u32,
    /// The address of the directory.
    pub url: Option<&'a str>,
    /// The seed.
    pub seed: u64,
    /// How long a lookup may take, in seconds.
    pub timeout_s: f64,
}

/// Which keys are looked up, how many and how fast.
#[derive(Clone, Copy, Debug)]
pub(super) enum LookupLoad<'a> {
    /// Each once, as fast as answers arrive.
    Once,
    /// Repeatedly.
    Over {
        /// In which distribution.
        distribution: &'a str,
        /// How many a second; as fast as answers arrive if not given.
        rate: Option<u32>,
        /// For how many seconds.
        lasting_s: f64,
    },
}

/// The words after `brunt`.
pub(super) fn words(pass: &Pass<'_>, lookup: Lookup, options: LookupLoad<'_>) -> Vec<String> {
    let by = match lookup.keys {
        Keys::UidGid | Keys::Absent => "uid,gid",
        Keys::Name => "user",
        Keys::Group => "group",
        Keys::Groups => "groups",
    };
    let last = FIRST_ID + pass.users;
    let mut words: Vec<String> = ["names", "lookup", "--by", by, "--through", through(lookup.path)]
        .map(str::to_owned)
        .into();
    let mut push = |name: &str, value: String| words.extend([name.to_owned(), value]);
    push("--keys", format!("{FIRST_ID}..{last}"));
    push("--pattern", "u%d".to_owned());
    push("-c", lookup.threads.to_string());
    push("--seed", pass.seed.to_string());
    push("--timeout", format!("{}s", pass.timeout_s));
    push("--record", "{record}".to_owned());
    // The sources are known here, and a probe would warm a cache that must be cold.
    push("--probe", "0".to_owned());
    if lookup.path == PathChoice::Ldap {
        push("--url", pass.url.unwrap_or_default().to_owned());
        // The base that nslcd uses.
        push("--users-base", PEOPLE.to_owned());
        push("--groups-base", GROUPS.to_owned());
        push("--scope", "one".to_owned());
    }
    if lookup.keys == Keys::Absent {
        push("--negative", "1".to_owned());
    }
    match options {
        LookupLoad::Once => {
            push("--distribution", "once".to_owned());
            push("-n", (pass.keys * lookup.keys.each()).to_string());
            words.push("--unlimited".to_owned());
        }
        LookupLoad::Over { distribution, rate, lasting_s } => {
            push("--distribution", distribution.to_owned());
            push("-d", format!("{lasting_s}s"));
            match rate {
                Some(rate) => push("--rate", rate.to_string()),
                None => words.push("--unlimited".to_owned()),
            }
        }
    }
    words.push("--quiet".to_owned());
    words
}

const fn through(path: PathChoice) -> &'static str {
    match path {
        PathChoice::Ls | PathChoice::Nss => "nss",
        PathChoice::Nscd => "nscd",
        PathChoice::Nslcd => "nslcd",
        PathChoice::Ldap => "ldap",
    }
}
