//! [`App`]: what every request can use, as the user who sends it sees it.
//!
//! What is about tests is reached through the store and the queue, and these find only what may be seen. The rest is in
//! [`Services`], which all requests share.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use brunt_history::RunId;
use brunt_web::listen::Hosts;

use crate::agents::Cluster;
use crate::auth::{Limiter, Passwords, Requester, Secret};
use crate::cache::Cache;
use crate::child::{Children, Trended};
use crate::counters::Counters;
use crate::history::History;
use crate::in_flight::InFlight;
use crate::levels::Levels;
use crate::problem::Problem;
use crate::provider::Provider;
use crate::queue::{Queue, SeenQueue};
use crate::store::{AuditKey, Store, Visibility};
use crate::vault::Vault;

/// The most trends that are remembered: one of many runs takes some hundred KiB.
const TRENDS_MAX: usize = 8;
/// How long a link is valid with which a person chooses a password, in seconds.
const LINK_LASTS: i64 = 30 * 60;
/// How long a link is valid that signs in to a trial, in seconds.
const TRIAL_LINK_LASTS: i64 = 24 * 3_600;

/// What every request can use, and what the site uses itself, which sees everything.
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    services: Arc<Services>,
}

/// What all requests share.
pub(crate) struct Services {
    pub(crate) vault: Arc<Vault>,
    /// The directories of the runs. Callers have found the run in the store or in the queue before.
    pub(crate) history: Arc<History>,
    pub(crate) children: Arc<Children>,
    /// Set while the site is served. The code that opens the queue starts the waiting runs. Requests use
    /// [`App::queue`], which finds only what may be seen.
    pub(crate) all_runs: OnceLock<Queue>,
    pub(crate) passwords: Passwords,
    /// The conversation with the provider at which people sign in, if they do.
    pub(crate) provider: Provider,
    pub(crate) limiter: Limiter,
    pub(crate) hosts: Hosts,
    /// The requests with an idempotency key that are being carried out.
    pub(crate) in_flight: InFlight,
    /// Whether browsers reach this site only by TLS.
    pub(crate) secure: bool,
    /// The address under which people find the site, without a slash at the end. Set while the site is served.
    pub(crate) origin: OnceLock<String>,
    /// The address that the operator gave for it.
    pub(crate) public: Option<String>,
    /// What happens to all data at the end, if this is a trial.
    pub(crate) trial: Option<String>,
    pub(crate) audit_key: AuditKey,
    /// The length that counts as one second in searches, where tests shorten it.
    pub(crate) search_second: Option<String>,
    /// The cluster whose agents are shown, if there is one.
    pub(crate) cluster: Option<Cluster>,
    /// The directory of what this user's programs need while they run.
    pub(crate) runtime: Option<PathBuf>,
    /// The levels of figures that were followed lately.
    pub(crate) levels: Levels,
    /// The trends that were made last.
    pub(crate) trends: Cache<Arc<Trended>, TRENDS_MAX>,
    /// What is counted while the site is served.
    pub(crate) counters: Counters,
    /// Seconds since 1970.
    pub(crate) now: fn() -> i64,
    /// The log in which operators read what went wrong.
    pub(crate) log: Box<dyn Fn(&str) + Send + Sync>,
}

impl Deref for App {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl App {
    pub(crate) fn new(store: Store, services: Services) -> Self {
        Self { store: Arc::new(store), services: Arc::new(services) }
    }

    /// The same, limited to what a user may see.
    pub(crate) fn seen_by(&self, visibility: Visibility) -> Self {
        Self {
            store: Arc::new(self.store.seen_by(visibility)),
            services: Arc::clone(&self.services),
        }
    }

    /// The current time, in seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.now)()
    }

    /// The address under which people find the site, without a slash at the end.
    pub(crate) fn origin(&self) -> &str {
        self.origin.get().map_or("", String::as_str)
    }

    /// The runs that were submitted here and may be seen.
    pub(crate) fn queue(&self) -> Result<SeenQueue<'_>, Problem> {
        let queue = self.all_runs.get().ok_or_else(|| Problem::bug("the queue is not open"))?;
        Ok(SeenQueue::new(queue, self.store.hidden_plans()?))
    }

    /// Adds runs that have ended to the index.
    pub(crate) fn index_ended(&self) -> Result<(), Problem> {
        let runs = self.queue()?.list();
        self.index_runs(runs.into_iter().filter(|run| run.state.is_over()).map(|run| run.id))
    }

    /// Adds these runs to the index, if they are not yet in it.
    pub(crate) fn index_runs(&self, ids: impl IntoIterator<Item = RunId>) -> Result<(), Problem> {
        let store = self.store.seen_by(Visibility::All);
        for id in ids {
            if store.run(id.as_str())?.is_none()
                && let Some(entry) = self.history.entry(&id).map_err(Problem::failed)?
            {
                store.put_run(&entry)?;
            }
        }
        Ok(())
    }

    /// Removes a run that could not be stored completely.
    pub(crate) fn forget(&self, id: &RunId) {
        // Removing it frees the room that the index needs to forget it.
        drop(self.history.remove(id));
        drop(self.store.forget_run(id.as_str()));
    }

    /// Adds a line to the audit trail.
    pub(crate) fn audit(&self, who: &Requester, act: &str, what: &str) -> Result<(), Problem> {
        self.audit_by(&who.named(), act, what)
    }

    /// Adds a line to the audit trail for an actor who is not signed in.
    pub(crate) fn audit_by(&self, who: &str, act: &str, what: &str) -> Result<(), Problem> {
        Ok(self.store.note(&self.audit_key, (self.now(), who), act, what)?)
    }

    /// The number of a problem, which the log has as well if there is something for the operator.
    pub(crate) fn numbered(&self, problem: &Problem) -> String {
        let id =
            Secret::new().map_or_else(|_| String::new(), |secret| secret.shown()[..8].to_owned());
        if let Some(hidden) = &problem.hidden {
            (self.log)(&format!("request {id} failed: {hidden}"));
        }
        id
    }

    /// Makes a link with which a person chooses a password, or signs in to a trial, as a path. Its secret is in the
    /// fragment, which browsers send to no server.
    pub(crate) fn invite(&self, user: i64) -> Result<String, Problem> {
        let secret = Secret::new().map_err(Problem::bug)?;
        let lasts = if self.trial.is_some() { TRIAL_LINK_LASTS } else { LINK_LASTS };
        self.store.invite(user, &secret.hash(), self.now() + lasts)?;
        Ok(format!("/welcome#{}", secret.shown()))
    }
}
