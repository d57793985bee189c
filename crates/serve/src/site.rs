//! [`Site`]: the directory of a site, and the operations of an operator: serve it, make a link, rebuild the index,
//! verify the audit trail.

use std::fs::{DirBuilder, File};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use brunt_web::listen::{self, Hosts, Proxies};
use ipnet::IpNet;
use rustix::fs::{FlockOperation, flock};
use tokio::runtime::Builder;

use crate::agents::Cluster;
use crate::app::{App, Services, audit_key};
use crate::auth::{Limiter, Passwords, Role};
use crate::child::Children;
use crate::comparison::compare_ended;
use crate::counters::Counters;
use crate::guarded;
use crate::history::{Entry, History};
use crate::in_flight::InFlight;
use crate::levels::Levels;
use crate::pages::people::is_name;
use crate::provider::Provider;
use crate::queue::{Queue, machine_lock};
use crate::remembered::Remembered;
use crate::retention;
use crate::routes;
use crate::schedule;
use crate::store::{BrokenAt, Store};
use crate::trial::{self, Trial};
use crate::vault::{self, Vault};

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
    /// Whether keys that are missing from a directory that was used before are made anew.
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

/// A site whose directory is open.
pub struct Site {
    app: Arc<App>,
    settings: Settings,
    /// The lock that makes this process the only server of the directory.
    _lock: File,
}

impl Site {
    /// Opens a directory, and creates it if it does not exist. `log` receives messages for operators. The error reads
    /// after "failed to".
    pub fn open(
        directory: &Path,
        settings: Settings,
        log: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Self, String> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| format!("make the directory {}: {error}", directory.display()))?;
        let directory = &directory
            .canonicalize()
            .map_err(|error| format!("open the directory {}: {error}", directory.display()))?;
        if let Some(warning) = guarded::check_rights(directory)? {
            log(&warning);
        }
        let lock = locked(directory)?;
        match &settings.trial {
            Some(_) => trial::claim(directory)?,
            None => trial::disclaim(directory)?,
        }
        let store = Store::open(directory).map_err(|error| error.to_string())?;
        let credentials = settings.credentials.as_deref();
        guarded::check_keys(directory, credentials, &store, settings.new_keys)?;
        let vault = Vault::open(directory, credentials)?;
        let history = Arc::new(History::open(directory).map_err(|error| error.to_string())?);
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
            audit_key: audit_key(directory)?,
            search_second: settings.search_second.clone(),
            cluster: settings.cluster.clone(),
            runtime: settings.runtime.clone(),
            levels: Levels::default(),
            trends: Remembered::default(),
            counters: Counters::default(),
            now: || jiff::Timestamp::now().as_second(),
            log,
        };
        let app = Arc::new(App::new(store, services));
        if let Some(trial) = &settings.trial {
            trial::furnish(&app, trial)?;
        }
        Ok(Self { app, settings, _lock: lock })
    }

    /// Serves forever. `begun` receives what to print: the address of the site, and, while it has no administrator who
    /// can sign in, the path of a link with which the first one chooses a password.
    pub fn serve(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
    ) -> Result<(), String> {
        self.serve_while(listener, begun, std::future::pending())
    }

    /// Serves until `comes` returns, which may block, and then stops all runs: for a trial, whose servers end as well.
    /// Returns whether every run ended in time.
    pub fn serve_until(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
        comes: impl FnOnce() + Send + 'static,
    ) -> Result<bool, String> {
        let app = Arc::clone(&self.app);
        let waited = async {
            // Even if the wait failed, there is nothing to wait for any more.
            drop(tokio::task::spawn_blocking(comes).await);
        };
        self.serve_while(listener, begun, waited)?;
        let message = |problem: crate::problem::Problem| problem.hidden.unwrap_or(problem.detail);
        let ended = app.all_runs.get().is_none_or(|queue| queue.end_all(ENDED_WITHIN));
        trial::clear(&app).map_err(message)?;
        Ok(ended)
    }

    fn serve_while(
        self,
        listener: TcpListener,
        begun: impl FnOnce(SocketAddr, Option<String>),
        until: impl Future<Output = ()>,
    ) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("serve: {error}");
        let tls = self
            .settings
            .tls
            .as_ref()
            .map(|(chain, key)| listen::acceptor(chain, key))
            .transpose()
            .map_err(|error| error.to_string())?;
        let at = listener.local_addr().map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let link = self.first_link()?;
        let app = self.app;
        // A site is served only once, so this cannot fail.
        let _ = app.origin.set(self.settings.origin(at));
        open_queue(&app)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
            begun(at, link);
            let proxies = Proxies(self.settings.proxies);
            tokio::spawn(index_for_good(Arc::clone(&app)));
            tokio::spawn(schedule::for_good(Arc::clone(&app)));
            tokio::spawn(retention::for_good(Arc::clone(&app)));
            let serving = listen::serve(listener, routes::router(&app), tls, proxies);
            tokio::select! {
                served = serving => served.map_err(failed),
                () = until => Ok(()),
            }
        });
        runtime.shutdown_timeout(HANDLERS_END_WITHIN);
        served
    }

    fn first_link(&self) -> Result<Option<String>, String> {
        if self.app.trial.is_none()
            && self.app.store.has_admin().map_err(|error| error.to_string())?
        {
            return Ok(None);
        }
        self.link(FIRST).map(Some)
    }

    /// The path of a link with which a user chooses a password. If the site has no administrator, an unknown name is
    /// added as one.
    pub fn link(&self, name: &str) -> Result<String, String> {
        let message = |error: crate::problem::Problem| error.hidden.unwrap_or(error.detail);
        let store = &self.app.store;
        if !is_name(name) {
            return Err(format!(
                "make a link for '{name}': a name has only letters, digits and -._@, without spaces"
            ));
        }
        let found = store.user_named(name).map_err(|error| error.to_string())?;
        let id = match found {
            Some(user) if user.disabled => {
                return Err(format!(
                    "make a link for {name}: this user is disabled; enable them on the page People"
                ));
            }
            Some(user) if user.elsewhere => {
                return Err(format!(
                    "make a link for {name}: this user signs in at the provider, and has no password here"
                ));
            }
            Some(user) => user.id,
            None if store.has_admin().map_err(|error| error.to_string())? => {
                return Err(format!(
                    "make a link for {name}: there is no user of that name; add one on the page People"
                ));
            }
            None => {
                let added = store.add_user(name, Role::Admin, self.app.now());
                added.map_err(|error| error.to_string())?.ok_or_else(|| format!("add {name}"))?
            }
        };
        self.app.audit_by("the operator", "make link", name).map_err(message)?;
        self.app.invite(id).map_err(message)
    }

    /// Rebuilds the index of runs from their directories, and the figures of a run for comparisons if they are missing
    /// or of another version. Returns the number of runs.
    pub fn reindex(&self) -> Result<usize, String> {
        let (app, mut entries) = (&self.app, Vec::new());
        for id in app.history.ids().map_err(|error| error.to_string())? {
            match app.history.entry(&id) {
                Ok(Some(entry)) => {
                    self.figure(&entry);
                    entries.push(entry);
                }
                Ok(None) => {}
                Err(error) => (app.log)(&format!("failed to {error}; it is left out")),
            }
        }
        app.store.put_all_runs(entries.into_iter()).map_err(|error| error.to_string())
    }

    /// Creates the figures of a run for comparisons, if they are missing. Without them comparisons read its record,
    /// which takes longer.
    fn figure(&self, run: &Entry) {
        let app = &self.app;
        // Searches are not compared.
        if run.summary.capacity.is_some() || app.history.is_figured(&run.id) {
            return;
        }
        let made = app.children.figures(app.history.files(&run.id).directory());
        let failed = match made {
            Ok(made) => made.err().map(|why| why.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = failed {
            (app.log)(&format!("failed to make the figures of the run {}: {why}", run.id));
        }
    }

    /// How many lines the audit trail has, and the first that its key seals, if every line from there on is unchanged.
    /// The error names the line that is not.
    pub fn verify_audit(&self) -> Result<(i64, i64), String> {
        let verified =
            self.app.store.verify_audit(&self.app.audit_key).map_err(|error| error.to_string())?;
        let broken = |BrokenAt(line)| {
            format!("verify the audit trail: line {line} was changed or is missing")
        };
        Ok((verified.map_err(broken)?, self.app.audit_key.from()))
    }
}

/// The conversation with the provider, by children.
fn provider(children: &Arc<Children>) -> Provider {
    let children = Arc::clone(children);
    Provider::new(Box::new(move |fetch| {
        let fetched = children.fetch(fetch).map_err(|error| error.to_string())?;
        fetched.map_err(|why| why.to_string())
    }))
}

/// Opens the queue, and indexes runs that ended while the site was not served.
fn open_queue(app: &App) -> Result<(), String> {
    let failed = |why: &dyn std::fmt::Display| format!("open the queue: {why}");
    let (history, children) = (Arc::clone(&app.history), Arc::clone(&app.children));
    let meeting = app.cluster.as_ref().map(|cluster| cluster.meeting.clone());
    let keeper = vault::keeper(Arc::clone(&app.store), Arc::clone(&app.vault), app.now);
    let lock = machine_lock(app.runtime.as_deref());
    let queue = Queue::open_with(history, children, lock, (Box::new(keeper), meeting));
    let queue = queue.map_err(|error| failed(&error))?;
    // A site is served only once, so this cannot fail.
    let _ = app.all_runs.set(queue);
    let ids = app.history.ids().map_err(|error| failed(&error))?;
    let completed = retention::complete(app);
    if let Err(problem) = app.absorb_of(ids).and(completed) {
        (app.log)(&format!("failed to index runs: {}", problem.hidden.unwrap_or(problem.detail)));
    }
    Ok(())
}

/// Indexes runs as they end and compares them with their baselines, whether or not the site is visited.
async fn index_for_good(app: Arc<App>) {
    let mut due = tokio::time::interval(INDEXED_EVERY);
    loop {
        due.tick().await;
        let app = Arc::clone(&app);
        let done = tokio::task::spawn_blocking(move || {
            app.absorb()?;
            compare_ended(&app)
        });
        // What cannot be read now may be readable later; the list of runs reports the reason.
        drop(done.await);
    }
}

fn locked(directory: &Path) -> Result<File, String> {
    let path = directory.join(LOCK);
    let file = brunt_record::create_private(&path)
        .map_err(|error| format!("open {}: {error}", path.display()))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        format!(
            "open {}: another brunt serve uses it; end that one, or name another directory",
            directory.display()
        )
    })?;
    Ok(file)
}
