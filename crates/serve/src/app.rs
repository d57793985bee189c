//! [`App`]: what every request has at hand.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ring::hmac;

use crate::agents::Cluster;
use crate::auth::{Limiter, Passwords, Secret, Who};
use crate::child::Children;
use crate::history::{History, RunId};
use crate::listen::Hosts;
use crate::problem::Problem;
use crate::queue::Queue;
use crate::store::Store;
use crate::vault::Vault;

/// How long a link holds by which somebody chooses a password, in seconds.
const LINK_LASTS: i64 = 30 * 60;
/// How long one holds that signs in to a trial.
const TRIAL_LINK_LASTS: i64 = 24 * 3_600;
/// The file of the key that seals the audit trail.
const AUDIT_KEY: &str = "audit.key";

/// What every request has at hand.
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) history: Arc<History>,
    pub(crate) children: Arc<Children>,
    /// Open while the site is served: whoever opens it starts the runs that wait.
    pub(crate) queue: OnceLock<Queue>,
    pub(crate) passwords: Passwords,
    pub(crate) limiter: Limiter,
    pub(crate) hosts: Hosts,
    /// Whether browsers reach this by TLS alone.
    pub(crate) secure: bool,
    /// What becomes of everything at the end, where this is a trial.
    pub(crate) trial: Option<String>,
    pub(crate) audit_key: hmac::Key,
    /// The length of what counts as a second in searches, where tests shorten it.
    pub(crate) search_second: Option<String>,
    /// The cluster whose agents are shown, if there is one.
    pub(crate) cluster: Option<Cluster>,
    /// Seconds since 1970.
    pub(crate) now: fn() -> i64,
    /// Where operators read what went wrong.
    pub(crate) log: Box<dyn Fn(&str) + Send + Sync>,
}

impl App {
    /// The time.
    pub(crate) fn now(&self) -> i64 {
        (self.now)()
    }

    /// Runs that were submitted here.
    pub(crate) fn queue(&self) -> Result<&Queue, Problem> {
        self.queue.get().ok_or_else(|| Problem::bug("the queue is not open"))
    }

    /// Puts runs into the index that have come to their end.
    pub(crate) fn absorb(&self) -> Result<(), Problem> {
        let runs = self.queue()?.list();
        self.absorb_of(runs.into_iter().filter(|run| run.state.is_over()).map(|run| run.id))
    }

    /// The same of these, if they are not in it.
    pub(crate) fn absorb_of(&self, ids: impl IntoIterator<Item = RunId>) -> Result<(), Problem> {
        for id in ids {
            if self.store.run(id.as_str())?.is_none()
                && let Some(entry) = self.history.entry(&id).map_err(Problem::bug)?
            {
                self.store.put_run(&entry)?;
            }
        }
        Ok(())
    }

    /// Adds a line to the audit trail.
    pub(crate) fn audit(&self, who: &Who, act: &str, what: &str) -> Result<(), Problem> {
        self.audit_by(&who.named(), act, what)
    }

    /// The same of somebody who did not sign in.
    pub(crate) fn audit_by(&self, who: &str, act: &str, what: &str) -> Result<(), Problem> {
        Ok(self.store.note(&self.audit_key, (self.now(), who), act, what)?)
    }

    /// Makes a link by which somebody chooses a password, or signs in to a trial, as a path. What opens it is in the
    /// fragment, which browsers send to no server.
    pub(crate) fn invite(&self, user: i64) -> Result<String, Problem> {
        let secret = Secret::new().map_err(Problem::bug)?;
        let lasts = if self.trial.is_some() { TRIAL_LINK_LASTS } else { LINK_LASTS };
        self.store.invite(user, &secret.hash(), self.now() + lasts)?;
        Ok(format!("/welcome#{}", secret.shown()))
    }
}

/// Reads the key of the audit trail, or makes one. The error reads after "failed to".
pub(crate) fn audit_key(directory: &Path) -> Result<hmac::Key, String> {
    let path = directory.join(AUDIT_KEY);
    let secret = Secret::kept(&path)
        .map_err(|why| format!("use the key of the audit trail, {}: {why}", path.display()))?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, secret.bytes()))
}
