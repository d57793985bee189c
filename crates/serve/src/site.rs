//! [`Site`]: the directory of a site, and the operations of an operator: serve it, make a link, rebuild the index,
//! verify the audit trail.

use std::fs::{DirBuilder, File};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use brunt_web::listen::{self, AcceptorError, Hosts, Proxies};
use ipnet::IpNet;
use rustix::fs::{FlockOperation, flock};
use tokio::runtime::Builder;

use crate::agents::Cluster;
use crate::app::{App, Services};
use crate::auth::{KeyFileError, Limiter, PasswordError, Passwords, Role};
use crate::cache::Cache;
use crate::child::Children;
use crate::comparison::compare_ended;
use crate::counters::Counters;
use crate::directory_checks::{self, KeysError, RightsError};
use crate::history::{Entry, History, HistoryError};
use crate::in_flight::InFlight;
use crate::levels::Levels;
use crate::pages::people::is_name;
use crate::problem::Problem;
use crate::provider::Provider;
use crate::queue::{Queue, machine_lock};
use crate::retention;
use crate::routes;
use crate::schedule;
use crate::store::{AuditKey, BrokenAt, Store, StoreError};
use crate::trial::{self, Trial, TrialError};
use crate::vault::{SecretSource, Vault};

/// The name of the first administrator of a new site.
const FIRST: &str = "admin";
/// The lock file of a directory, locked by the process that serves it.
const LOCK: &str = "serve.lock";
/// How long the runs of a trial may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(15);
/// How long active requests may take when the site ends.
const HANDLERS_END_WITHIN: Duration = Duration::from_secs(1);
/// How often the site checks for runs that ended.
const INDEXED_EVERY: Duration = Duration::from_secs(5);

/// How a site is served.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Host names that browsers may use, in addition to `localhost` and numeric addresses.
    pub hosts: Vec<String>,
    /// The certificate chain and the private key, as PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The address under which people find the site, if it is not the one that follows from the rest.
    pub public_url: Option<String>,
    /// Proxies that terminate TLS in front of the site, and that report the client's address.
    pub proxies: Vec<IpNet>,
    /// The directory of systemd credentials, for the key of the secrets if it must not be in the site's directory.
    pub credentials: Option<PathBuf>,
    /// The directory of what this user's programs need while they run, for the lock that all runs share.
    pub runtime: Option<PathBuf>,
    /// Whether keys that are missing from a directory that was used before are replaced by new ones.
    pub new_keys: bool,
    /// The contents of a trial, if the site is one.
    pub trial: Option<Trial>,
    /// The length that counts as one second in searches for the highest rate, where tests shorten it.
    pub search_second: Option<String>,
    /// The cluster whose agents are shown, if there is one.
    pub cluster: Option<Cluster>,
}

impl Settings {
    /// The address under which people find a site that listens here, without a slash at the end.
    pub fn origin(&self, at: SocketAddr) -> String {
        if let Some(url) = &self.public_url {
            return url.trim_end_matches('/').to_owned();
        }
        let is_proxied = !self.proxies.is_empty();
        let scheme = if self.tls.is_some() || is_proxied { "https" } else { "http" };
        match self.hosts.first() {
            Some(host) if is_proxied => format!("{scheme}://{host}"),
            Some(host) => format!("{scheme}://{host}:{}", at.port()),
            None => format!("{scheme}://{at}"),
        }
    }
}

/// Why an operation on a site failed. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Its directory or its lock could not be made or opened.
    #[error("{act} {}: {source}", path.display())]
    Io {
        /// What was done.
        act: &'static str,
        /// The directory or the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another process serves the directory.
    #[error("open {}: another brunt serve uses it; end that one, or name another directory", .0.display())]
    InUse(PathBuf),
    /// Other users have too many rights in the directory.
    #[error(transparent)]
    Rights(#[from] RightsError),
    /// It is no directory for a trial.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// A key is missing.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A key cannot be used.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The runs.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The hash for users who do not exist.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The certificate or its key.
    #[error(transparent)]
    Tls(#[from] AcceptorError),
    /// Its address.
    #[error("serve: {0}")]
    Serve(#[source] io::Error),
    /// The queue of the runs.
    #[error("open the queue: {0}")]
    Queue(#[source] io::Error),
    /// There is no link for this user.
    #[error("make a link for {name}: {why}")]
    Link {
        /// The name of the user.
        name: String,
        /// Why.
        why: LinkError,
    },
    /// The audit trail is not what was written.
    #[error("verify the audit trail: line {0} was changed or is missing")]
    Audit(i64),
    /// What a user would be shown as a problem.
    #[error(transparent)]
    Problem(#[from] Problem),
}

/// Why a user gets no link for choosing a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The name is none.
    #[error("a name has only letters, digits and -._@, without spaces")]
    Name,
    /// The user is disabled.
    #[error("this user is disabled; enable them on the page People")]
    Disabled,
    /// The user has no password.
    #[error("this user signs in at the provider, and has no password here")]
    Elsewhere,
    /// There is no such user.
    #[error("there is no user of that name; add one on the page People")]
    Unknown,
}

/// A site whose directory is open.
pub struct Site {
    app: Arc<App>,
    settings: Settings,
    /// The lock that makes this process the only server of the directory.
    _lock: File,
}

impl Site {
    /// Opens a directory, and creates it if it does not exist. `log` receives messages for operators.
    pub fn open(
        directory: &Path,
        settings: Settings,
        log: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Self, SiteError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(failed("make the directory", directory))?;
        let directory =
            &directory.canonicalize().map_err(failed("open the directory", directory))?;
        if let Some(warning) = directory_checks::check_rights(directory)? {
            log(&warning);
        }
        let lock = locked(directory)?;
        match &settings.trial {
            Some(_) => trial::mark(directory)?,
            None => trial::unmark(directory)?,
        }
        let store = Store::open(directory)?;
        let credentials = settings.credentials.as_deref();
        directory_checks::check_keys(directory, credentials, &store, settings.new_keys)?;
        let vault = Vault::open(directory, credentials)?;
        let history = Arc::new(History::open(directory)?);
        let children = Arc::new(Children::default());
        let provider = provider(&children);
        let services = Services {
            vault: Arc::new(vault),
            history,
            children,
            all_runs: OnceLock::new(),
            passwords: Passwords::new()?,
            provider,
            limiter: Limiter::default(),
            hosts: Hosts::new(&settings.hosts),
            in_flight: InFlight::default(),
            secure: settings.tls.is_some() || !settings.proxies.is_empty(),
            origin: OnceLock::new(),
            public: settings.public_url.clone(),
            trial: settings.trial.as_ref().map(|trial| trial.promise.clone()),
            audit_key: AuditKey::stored(directory)?,
            search_second: settings.search_second.clone(),
            cluster: settings.cluster.clone(),
            runtime: settings.runtime.clone(),
            levels: Levels::default(),
            trends: Cache::default(),
            counters: Counters::default(),
            now: || jiff::Timestamp::now().as_second(),
            log,
        };
        let app = Arc::new(App::new(store, services));
        if let Some(trial) = &settings.trial {
            trial::fill(&app, trial)?;
        }
        Ok(Self { app, settings, _lock: lock })
    }

    /// Serves forever. `begun` receives what to print: the address of the site, and, while it has no administrator who
    /// can sign in, the path of a link with which the first one chooses a password.
    pub fn serve(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
    ) -> Result<(), SiteError> {
        self.serve_while(listener, begun, std::future::pending())
    }

    /// Serves until `comes` returns, which may block, and then stops all runs: for a trial, whose servers end as well.
    /// Returns whether every run ended in time.
    pub fn serve_until(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
        comes: impl FnOnce() + Send + 'static,
    ) -> Result<bool, SiteError> {
        let app = Arc::clone(&self.app);
        let waited = async {
            // Even if the wait failed, there is nothing to wait for any more.
            drop(tokio::task::spawn_blocking(comes).await);
        };
        self.serve_while(listener, begun, waited)?;
        let ended = app.all_runs.get().is_none_or(|queue| queue.end_all(ENDED_WITHIN));
        trial::clear(&app)?;
        Ok(ended)
    }

    fn serve_while(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
        until: impl Future<Output = ()>,
    ) -> Result<(), SiteError> {
        let tls = self.settings.tls.as_ref();
        let tls = tls.map(|(chain, key)| listen::acceptor(chain, key)).transpose()?;
        let at = listener.local_addr().map_err(SiteError::Serve)?;
        listener.set_nonblocking(true).map_err(SiteError::Serve)?;
        let link = self.first_link()?;
        let app = self.app;
        // A site is served only once, so this cannot fail.
        let _ = app.origin.set(self.settings.origin(at));
        open_queue(&app)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(SiteError::Serve)?;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener);
            let listener = listener.map_err(SiteError::Serve)?;
            begun(at, link);
            let proxies = Proxies(self.settings.proxies);
            tokio::spawn(index_periodically(Arc::clone(&app)));
            tokio::spawn(schedule::run(Arc::clone(&app)));
            tokio::spawn(retention::run(Arc::clone(&app)));
            let serving = listen::serve(listener, routes::router(&app), tls, proxies);
            tokio::select! {
                served = serving => served.map_err(SiteError::Serve),
                () = until => Ok(()),
            }
        });
        runtime.shutdown_timeout(HANDLERS_END_WITHIN);
        served
    }

    fn first_link(&self) -> Result<Option<String>, SiteError> {
        if self.app.trial.is_none() && self.app.store.has_admin()? {
            return Ok(None);
        }
        self.link(FIRST).map(Some)
    }

    /// The path of a link with which a user chooses a password. If the site has no administrator, an unknown name is
    /// added as one.
    pub fn link(&self, name: &str) -> Result<String, SiteError> {
        let store = &self.app.store;
        let refused = |why| SiteError::Link { name: name.to_owned(), why };
        if !is_name(name) {
            return Err(refused(LinkError::Name));
        }
        let id = match store.user_named(name)? {
            Some(user) if user.disabled => return Err(refused(LinkError::Disabled)),
            Some(user) if user.elsewhere => return Err(refused(LinkError::Elsewhere)),
            Some(user) => user.id,
            None if store.has_admin()? => return Err(refused(LinkError::Unknown)),
            // Nothing else adds a user while there is no administrator.
            None => store
                .add_user(name, Role::Admin, self.app.now())?
                .ok_or_else(|| refused(LinkError::Unknown))?,
        };
        self.app.audit_by("the operator", "make link", name)?;
        Ok(self.app.invite(id)?)
    }

    /// Rebuilds the index of runs from their directories, and the figures of a run for comparisons if they are missing
    /// or of another version. Returns the number of runs.
    pub fn reindex(&self) -> Result<usize, SiteError> {
        let (app, mut entries) = (&self.app, Vec::new());
        for id in app.history.ids()? {
            match app.history.entry(&id) {
                Ok(Some(entry)) => {
                    self.figure(&entry);
                    entries.push(entry);
                }
                Ok(None) => {}
                Err(error) => (app.log)(&format!("failed to {error}; it is left out")),
            }
        }
        Ok(app.store.put_all_runs(entries.into_iter())?)
    }

    /// Creates the figures of a run for comparisons, if they are missing. Without them comparisons read its record,
    /// which takes longer.
    fn figure(&self, run: &Entry) {
        let app = &self.app;
        // Searches are not compared.
        if run.summary.capacity.is_some() || app.history.is_figured(&run.id) {
            return;
        }
        if let Err(error) = app.children.figures(app.history.files(&run.id).directory()) {
            (app.log)(&format!("failed to make the figures of the run {}: {error}", run.id));
        }
    }

    /// How many lines the audit trail has, and the first that its key seals, if every line from there on is unchanged.
    /// The error names the line that is not.
    pub fn verify_audit(&self) -> Result<(i64, i64), SiteError> {
        let verified = self.app.store.verify_audit(&self.app.audit_key)?;
        let lines = verified.map_err(|BrokenAt(line)| SiteError::Audit(line))?;
        Ok((lines, self.app.audit_key.from()))
    }
}

/// The conversation with the provider, by children.
fn provider(children: &Arc<Children>) -> Provider {
    let children = Arc::clone(children);
    Provider::new(Box::new(move |fetch| children.fetch(fetch)))
}

/// Opens the queue, and indexes runs that ended while the site was not served.
fn open_queue(app: &App) -> Result<(), SiteError> {
    let (history, children) = (Arc::clone(&app.history), Arc::clone(&app.children));
    let meeting = app.cluster.as_ref().map(|cluster| cluster.meeting.clone());
    let (store, vault) = (Arc::clone(&app.store), Arc::clone(&app.vault));
    let secrets = SecretSource { store, vault, now: app.now };
    let lock = machine_lock(app.runtime.as_deref());
    let queue = Queue::open_with(history, children, lock, (Some(secrets), meeting));
    // A site is served only once, so this cannot fail.
    let _ = app.all_runs.set(queue.map_err(SiteError::Queue)?);
    let ids = app.history.ids()?;
    let completed = retention::complete(app);
    if let Err(problem) = app.index_runs(ids).and(completed) {
        (app.log)(&format!("failed to index runs: {problem}"));
    }
    Ok(())
}

/// Indexes runs as they end and compares them with their baselines, whether or not the site is visited.
async fn index_periodically(app: Arc<App>) {
    let mut due = tokio::time::interval(INDEXED_EVERY);
    loop {
        due.tick().await;
        let app = Arc::clone(&app);
        let done = tokio::task::spawn_blocking(move || {
            app.index_ended()?;
            compare_ended(&app)
        });
        // What cannot be read now may be readable later; the list of runs reports the reason.
        drop(done.await);
    }
}

fn locked(directory: &Path) -> Result<File, SiteError> {
    let path = directory.join(LOCK);
    let file = brunt_record::create_private(&path).map_err(failed("open", &path))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| SiteError::InUse(directory.to_owned()))?;
    Ok(file)
}

fn failed<'a>(act: &'static str, path: &'a Path) -> impl Fn(io::Error) -> SiteError + 'a {
    move |source| SiteError::Io { act, path: path.to_owned(), source }
}
