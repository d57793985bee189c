//! `brunt serve --trial`: the website with servers to load, and nothing to set up.
//!
//! The servers are threads of this program and end with it, as do the runs that load them.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use brunt_http_server as rest;
use brunt_ldap_server as ldap;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::{Awaited, Signal};
use brunt_serve::{Settings, Site, Trial};
use tempfile::TempDir;

use super::failed;
use crate::cli::serve::ServeArgs;

/// Serves a trial site until ^C.
pub(super) fn trial(
    args: &ServeArgs,
    listener: TcpListener,
    world: &World,
) -> Result<Exit, Refusal> {
    let place = TrialDirectory::new(args)?;
    let directory = ldap::Server::start(ldap::Config::default()).map_err(failed)?;
    let identity = rest::Server::start(rest::Config::default()).map_err(failed)?;
    let trial = Trial {
        settings: vec![
            ("SERVER".to_owned(), format!("ldap://{}", directory.address())),
            ("BASE".to_owned(), format!("http://{}/openam/json", identity.address())),
        ],
        allow: [directory.address(), identity.address()].map(|at| at.to_string()).into(),
        promise: place.promise(),
    };
    let search_second = args.search_second.clone();
    let runtime = world.environment.path("XDG_RUNTIME_DIR");
    let settings = Settings { trial: Some(trial), search_second, runtime, ..Settings::default() };
    let console = world.console.clone();
    let log = Box::new(move |text: &str| console.message(text));
    let site = Site::open(place.path(), settings, log).map_err(failed)?;
    let awaited = Awaited::begin(&world.console)
        .map_err(|error| failed(format!("listen for signals: {error}")))?;
    let (sender, signals) = mpsc::channel();
    let begun =
        |at, link: Option<String>| begin(&place, at, &link.unwrap_or_default(), &world.console);
    let comes = move || {
        // The receiver outlives this closure, so sending cannot fail.
        let _ = sender.send(awaited.wait());
    };
    let ended = site.serve_until(listener, begun, comes);
    place.end(ended.map_err(failed)?, &world.console)?;
    Ok(match signals.try_recv().ok().flatten() {
        Some(Signal::Terminate | Signal::HangUp) => Exit::Terminated,
        _ => Exit::Ok,
    })
}

/// Prints what the trial contains, and its address.
fn begin(place: &TrialDirectory, at: SocketAddr, link: &str, console: &Console) {
    console.message(
        "A trial with a directory and an identity API in memory, and plans that load them.\n\
         Open this address to sign in; it works once:",
    );
    // Complete on one line, so that it can be copied.
    console.report(&format!("serve: http://{at}{link}\n"));
    console.message(&format!("{}\n^C ends it.", place.promise()));
}

/// Where a trial stores its runs.
enum TrialDirectory {
    /// A given directory, which remains.
    Named(PathBuf),
    /// A temporary directory, which is removed with the trial.
    Own(TempDir),
}

impl TrialDirectory {
    fn new(args: &ServeArgs) -> Result<Self, Refusal> {
        if let Some(path) = &args.dir {
            return Ok(Self::Named(path.clone()));
        }
        let own = tempfile::Builder::new().prefix("brunt-trial-").tempdir();
        own.map(Self::Own).map_err(|error| failed(format!("make a temporary directory: {error}")))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Own(own) => own.path(),
        }
    }

    /// What happens to the runs.
    fn promise(&self) -> String {
        match self {
            Self::Named(path) => format!("Runs are kept in {}.", path.display()),
            Self::Own(own) => format!(
                "Runs are kept in {} and removed when the trial ends.",
                own.path().display()
            ),
        }
    }

    /// Prints what happened to the runs, and removes them if that was promised.
    fn end(self, is_over: bool, console: &Console) -> Result<(), Refusal> {
        let runs = fs::read_dir(self.path().join("runs")).map_or(0, Iterator::count);
        let runs = match runs {
            0 => "no run".to_owned(),
            1 => "one run".to_owned(),
            many => format!("{many} runs"),
        };
        let path = self.path().to_owned();
        let place = path.display();
        match self {
            Self::Named(_) => console.message(&format!(
                "The trial has ended; {place} has {runs}.\n\
                 'brunt serve --dir {place}' shows them, and 'brunt report' reads each\n\
                 runs/*/record.json.gz of it."
            )),
            Self::Own(own) if is_over => {
                own.close()
                    .map_err(|error| failed(format!("remove {place}: {error}; remove it")))?;
                console.message(&format!("The trial has ended; {place}, with {runs}, is removed."));
            }
            Self::Own(own) => {
                let left = own.keep();
                console.message(&format!(
                    "The trial has ended, but one of its runs is still running, so {} is kept; remove it later.",
                    left.display()
                ));
            }
        }
        Ok(())
    }
}
