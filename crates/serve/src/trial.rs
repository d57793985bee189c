//! A trial site: built-in servers that may be loaded, plans that are ready to run, and a link that signs in.
//!
//! Nothing else can be added as a target there, so a trial reaches only this machine. A directory records that it was
//! made by a trial: a site with people's passwords is never opened as a trial, because a link would then replace a
//! password.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use brunt_envelope::Grant;

use crate::app::App;
use crate::store::{DATABASE, StoreError, Target};

/// The file that marks the directory of a trial.
const MARK: &str = "trial";
/// The name of the built-in servers in the list of targets.
const TARGET: &str = "Built-in servers";
/// The author of the plans.
const AUTHOR: &str = "brunt";
/// Longer than a trial runs without a restart, in seconds.
const LISTED_FOR: i64 = 30 * 24 * 3_600;
const USERS_MAX: u32 = 2_000;
/// Enough for a search for the highest rate: a quick one takes five minutes.
const SECONDS_MAX: u64 = 1_800;

const PLANS: [(&str, &str); 3] = [
    ("Log in, read, log out", include_str!("trial/login.toml")),
    ("Look people up in a directory", include_str!("trial/lookup.toml")),
    ("Monday morning: a login storm", include_str!("trial/storm.toml")),
];

/// The contents of a trial site.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// The names that plans use for the built-in servers, and their addresses, such as `SERVER` and
    /// `ldap://127.0.0.1:35455`.
    pub settings: Vec<(String, String)>,
    /// Their addresses, in the syntax of `--allow`.
    pub allow: Vec<String>,
    /// What happens to all data when the trial ends, as a sentence for all pages.
    pub promise: String,
}

/// Why a directory is not used for a trial, or no longer for one. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// It has a site whose users would lose their passwords.
    #[error(
        "try brunt in {}: the directory contains a site that is not a trial; name another directory with --dir, or \
         leave --dir out",
        .0.display()
    )]
    OtherSite(PathBuf),
    /// The mark could not be written or removed.
    #[error("{act} {}: {source}", path.display())]
    Mark {
        /// What was done.
        act: &'static str,
        /// The mark.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Marks a directory as a trial's.
pub(crate) fn mark(directory: &Path) -> Result<(), TrialError> {
    let path = directory.join(MARK);
    if directory.join(DATABASE).exists() && !path.exists() {
        return Err(TrialError::OtherSite(directory.to_owned()));
    }
    fs::write(&path, "").map_err(|source| TrialError::Mark { act: "write", path, source })
}

/// Removes the mark of a trial from a directory, so that no trial opens it any more.
pub(crate) fn unmark(directory: &Path) -> Result<(), TrialError> {
    let path = directory.join(MARK);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(TrialError::Mark { act: "remove", path, source })
        }
        _ => Ok(()),
    }
}

/// Adds the servers to the list of targets, and the plans that are missing.
pub(crate) fn fill(app: &App, trial: &Trial) -> Result<(), StoreError> {
    let settings = trial.settings.iter().map(|(name, value)| format!("{name}={value}\n"));
    let grant = Grant {
        allow: trial.allow.clone(),
        users_max: Some(USERS_MAX),
        seconds_max: Some(SECONDS_MAX),
        ..Grant::default()
    };
    let target = Target {
        name: TARGET.to_owned(),
        settings: settings.collect(),
        grant,
        expires: app.now() + LISTED_FOR,
        reason: "A directory and an identity API in memory, with 2,000 users, for this trial"
            .to_owned(),
        ..Target::default()
    };
    app.store.put_target(&target)?;
    for (name, text) in PLANS {
        app.store.add_plan(name, text, (AUTHOR, app.now()))?;
    }
    Ok(())
}

/// Removes the servers from the list of targets, because they end with the trial.
pub(crate) fn clear(app: &App) -> Result<(), StoreError> {
    for target in app.store.targets()? {
        if target.name == TARGET {
            app.store.end_target(target.id)?;
        }
    }
    Ok(())
}
