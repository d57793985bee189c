//! Which sources are configured, and which of them answer: reported after a run, so that the queries disturb no
//! measurement.
//!
//! The C library says neither which source an answer came from nor whether a cache had it. So each source of
//! nsswitch.conf is queried separately for some of the keys, bypassing all caches, and the keys it knows are counted.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_names_driver::{
    AccessPaths, Answer, By, Distribution, Expected, LookupError, NSCD_SOCKET, Part, Question,
    Sampler,
};

use super::getent::getent;
use crate::options::lookup::{LookupArgs, Through};

/// The file that configures the sources.
const NSSWITCH: &str = "/etc/nsswitch.conf";
/// How long a source may take for all keys.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long nscd may take to respond.
const CACHE_PATIENCE: Duration = Duration::from_millis(500);

/// The keys that each source of a database is queried for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// `passwd` or `group`.
    pub database: &'static str,
    /// Numbers or names.
    pub keys: Vec<String>,
}

/// Some of the keys of a run, for each database it uses.
pub(super) fn probes(args: &LookupArgs, parts: &[Part]) -> Vec<Probe> {
    if args.probe == 0 || args.through != Through::Nss {
        return Vec::new();
    }
    let probe = |database, of_group| {
        let part = parts.iter().find(|part| part.by.is_of_group() == of_group)?;
        let count = part.keys.len().min(args.probe as usize);
        let sampler = Sampler::new(Distribution::Once, part.keys.len());
        let key = |number| {
            let place = sampler.place(0, number);
            if part.by.is_by_id() {
                part.keys.id(place).to_string()
            } else {
                part.keys.name(place).to_string_lossy().into_owned()
            }
        };
        Some(Probe { database, keys: (0..count as u64).map(key).collect() })
    };
    [probe("passwd", false), probe("group", true)].into_iter().flatten().collect()
}

/// The report on sources and caches; none if it is not wanted.
pub(super) fn found(args: &LookupArgs, probes: &[Probe]) -> Option<String> {
    if probes.is_empty() {
        return None;
    }
    let configuration = fs::read_to_string(NSSWITCH).unwrap_or_default();
    let mut out = String::from("\nSources\n");
    for probe in probes {
        let line = configured(&configuration, probe.database);
        let _ = writeln!(out, "  {}: {}", probe.database, line.as_deref().unwrap_or("files"));
        let sources = match &args.source {
            Some(sources) => sources.replace(',', " "),
            None => line.unwrap_or_else(|| "files".to_owned()),
        };
        for source in names(&sources) {
            let _ = writeln!(out, "    {source:<12}{}", knows(source, probe));
        }
    }
    let _ = writeln!(out, "  nscd: {}", cache(Path::new(NSCD_SOCKET)));
    Some(out)
}

/// How many of the keys a source knows, as text.
fn knows(source: &str, probe: &Probe) -> String {
    let mut words = vec!["-s", source, probe.database];
    words.extend(probe.keys.iter().map(String::as_str));
    match getent(&words, PATIENCE) {
        Ok(text) => format!("knows {} of {} keys", text.lines().count(), probe.keys.len()),
        Err(error) => error.to_string(),
    }
}

/// The line of a database, without comments.
fn configured(text: &str, database: &str) -> Option<String> {
    let line = text.lines().find_map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        let (name, sources) = line.split_once(':')?;
        (name.trim() == database).then_some(sources)
    })?;
    let words: Vec<&str> = line.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The sources in a line, without the actions that follow them (`[NOTFOUND=return]`).
fn names(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        names.extend(rest[..open].split_whitespace());
        rest = rest[open..].find(']').map_or("", |close| &rest[open + close + 1..]);
    }
    names.extend(rest.split_whitespace());
    names
}

/// nscd's own report.
fn cache(socket: &Path) -> String {
    let paths = AccessPaths::Nscd { socket: socket.into(), timeout: Some(CACHE_PATIENCE) };
    let keeps = |by, name| {
        let question = Question { by, id: Some(0), name, expected: Expected::Either };
        paths.open().look_up(&question).map(|answer| answer != Answer::Absent)
    };
    match (keeps(By::Uid, c"root"), keeps(By::Gid, c"root")) {
        (Err(LookupError::Connect { .. }), _) => "does not run".to_owned(),
        (Ok(_), Ok(_)) => "runs, and keeps users and groups".to_owned(),
        (Ok(_), Err(LookupError::Off)) => "runs, and keeps users".to_owned(),
        (Err(LookupError::Off), Ok(_)) => "runs, and keeps groups".to_owned(),
        (Err(LookupError::Off), Err(LookupError::Off)) => {
            "runs, and keeps neither users nor groups".to_owned()
        }
        (Err(failure), _) | (_, Err(failure)) => format!("runs, and failed to {failure}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_names_driver::Keys;
    use std::sync::Arc;

    #[test]
    fn nsswitch_sources_are_parsed() {
        let text = "# passwd: no\n passwd :\tfiles [!UNAVAIL=return SUCCESS=continue] sss  # later\ngroup:\n";
        let line = configured(text, "passwd").unwrap();
        assert_eq!(names(&line), ["files", "sss"]);
        assert_eq!(configured(text, "group"), None);
        assert_eq!(configured(text, "shadow"), None);
        assert_eq!(names("files [open"), ["files"]);
    }

    #[test]
    fn nsswitch_probes_use_keys_of_each_database() {
        let keys = |from| Arc::new(Keys::range(from..=from + 99, Some("u%d")).unwrap());
        let part = |by, keys: &Arc<Keys>| Part { by, weight: 1, keys: Arc::clone(keys) };
        let (users, groups) = (keys(100), keys(500));
        let parts = [part(By::Uid, &users), part(By::User, &users), part(By::Group, &groups)];
        let args = LookupArgs { probe: 5, ..LookupArgs::default() };
        let probes = probes(&args, &parts);
        assert_eq!(
            probes.iter().map(|probe| probe.database).collect::<Vec<_>>(),
            ["passwd", "group"]
        );
        assert!(probes[0].keys.iter().all(|key| key.parse::<u32>().is_ok_and(|id| id < 200)));
        assert!(probes[1].keys.iter().all(|key| key.starts_with("u5")), "{probes:?}");
        assert_eq!(probes[0].keys.len(), 5);
        assert_eq!(super::probes(&LookupArgs { probe: 0, ..args.clone() }, &parts), []);
        let beneath = LookupArgs { through: Through::Nslcd, ..args };
        assert_eq!(super::probes(&beneath, &parts), []);
    }

    #[test]
    fn nsswitch_files_source_knows_root() {
        let probe =
            Probe { database: "passwd", keys: vec!["0".to_owned(), "3999999999".to_owned()] };
        assert_eq!(knows("files", &probe), "knows 1 of 2 keys");
        assert_eq!(cache(Path::new("/no/such/socket")), "does not run");
    }
}
