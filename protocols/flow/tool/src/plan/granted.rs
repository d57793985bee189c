//! Plans that another user submitted: what [`Granted`] allows, what is wrong with one, and a run of it.
//!
//! A user who may submit a plan to a server must not get all the rights of the server's own user. The address policy of
//! the process limits the addresses it reaches, and the kernel its files. The remaining limits are checked here, before
//! anything is sent: how much load a plan makes, and ways around the address policy. The check is a pure function of
//! the plan.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{fmt, io};

use brunt_engine::Load;
use brunt_envelope::{Checked, Finding, Grant, LoadFigures, PathPart, RunSpec};
use brunt_feed::file;
use brunt_feed::files::{Files, Kind};
use brunt_flow_driver::{Flow, Payload, Scenario, Step};
use brunt_flow_plan::compile::Compiled;
use brunt_flow_plan::key_error::{KeyError, PlanError};
use brunt_flow_plan::model::Plan;
use brunt_flow_plan::path::{KeyPath, Segment};
use brunt_net::secret::Secret;
use brunt_redact::HIDDEN;
use brunt_run::options::surroundings::{FileNotPermitted, Surroundings};

/// The source of a plan's files and variables, and what it may do.
#[derive(Clone, Debug)]
pub struct Granted<'a> {
    /// What was submitted.
    pub submitted: &'a RunSpec,
    /// Whether the kernel keeps this process from files that are not its own.
    pub confined: bool,
    /// The files that it may read.
    pub files: Files,
    /// Its secrets.
    pub secrets: Secrets<'a>,
}

/// The secrets of a submitted plan. A caller that only checks the plan knows just their names.
#[derive(Clone, Default)]
pub struct Secrets<'a> {
    values: Option<&'a BTreeMap<String, String>>,
    named: RefCell<BTreeSet<String>>,
}

impl<'a> Secrets<'a> {
    /// With their values, for a run.
    pub fn new(values: &'a BTreeMap<String, String>) -> Self {
        Self { values: Some(values), named: RefCell::default() }
    }

    /// Those that the plan has named so far.
    pub fn named(&self) -> Vec<String> {
        self.named.borrow().iter().cloned().collect()
    }
}

impl fmt::Debug for Secrets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secrets").field(&self.named.borrow()).finish()
    }
}

impl Surroundings for Granted<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.submitted.variables.get(name).cloned()
    }

    fn hidden(&self, name: &str) -> Option<String> {
        let offered = self.submitted.secrets.as_ref();
        if !offered.is_some_and(|offered| offered.names.iter().any(|known| known == name)) {
            return self.variable(name);
        }
        self.secrets.named.borrow_mut().insert(name.to_owned());
        match self.secrets.values {
            Some(values) => values.get(name).cloned(),
            None => Some(HIDDEN.to_owned()),
        }
    }

    fn files(&self) -> Files {
        self.files.clone()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read(path, file::DATA_MAX)
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read_secret(path, file::DATA_MAX)
    }

    fn permits(&self, path: &Path) -> Result<(), FileNotPermitted> {
        if !self.confined {
            return Err(FileNotPermitted::Unconfined);
        }
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if inside { Ok(()) } else { Err(FileNotPermitted::Outside) }
    }

    fn interactive(&self) -> bool {
        false
    }

    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Checks that a plan does nothing beyond its grant.
pub(super) fn examine(
    plan: &Plan,
    compiled: &Compiled,
    submitted: &RunSpec,
) -> Result<(), KeyError> {
    ways_around(plan)?;
    unlimited(compiled, &submitted.grant)?;
    let (at, load, grant) = (KeyPath::new("run"), load(compiled), &submitted.grant);
    if submitted.search.is_some() {
        // The search sets the rate and the duration, within the grant. The plan may set the users.
        let users = plan.run.users.is_some().then_some(load.users);
        return few_users(users, grant, &at);
    }
    few_users(Some(load.users), grant, &at)?;
    if let Some(most) = grant.seconds_max {
        let within = load.seconds.is_some_and(|seconds| seconds <= most as f64);
        if !within {
            let what = format!("must end by itself within {most} s: set a duration");
            return Err(KeyError::new(&at.key("duration"), what));
        }
    }
    let Some(most) = grant.rate_max else { return Ok(()) };
    match (load.iterations, load.exchanges) {
        (Some(_), Some(exchanges)) if exchanges <= most => Ok(()),
        (Some(iterations), Some(exchanges)) => {
            let what = format!(
                "begins {iterations} iterations a second, which are up to {exchanges} requests, and this target may \
                 get at most {most}"
            );
            Err(KeyError::new(
                &at.key(if plan.run.rate.is_some() { "rate" } else { "stages" }),
                what,
            ))
        }
        _ if grant.closed && matches!(compiled.settings.load, Load::Closed(_)) => Ok(()),
        _ => {
            let what = format!(
                "needs a rate: this target may get at most {most} requests a second, and how many a closed load or a \
                 trace makes is not known before"
            );
            Err(KeyError::new(&at, what))
        }
    }
}

/// Refuses requests before or after the load, which no rate limits, where there is a limit.
fn unlimited(compiled: &Compiled, grant: &Grant) -> Result<(), KeyError> {
    let Some(most) = grant.rate_max.filter(|_| !grant.closed) else { return Ok(()) };
    let flow = &compiled.flow;
    for (key, around) in [("prepare", &flow.prepare), ("clean-up", &flow.clean_up)] {
        if around.is_some() {
            let what = format!(
                "has no rate: this target may get at most {most} requests a second, and the steps are performed one \
                 after the other"
            );
            return Err(KeyError::new(&KeyPath::new(key), what));
        }
    }
    Ok(())
}

/// Checks that there are no more users than allowed.
fn few_users(users: Option<u32>, grant: &Grant, at: &KeyPath) -> Result<(), KeyError> {
    let Some((users, most)) = users.zip(grant.users_max).filter(|(users, most)| users > most)
    else {
        return Ok(());
    };
    let what = format!("has {users} virtual users, and this target may have at most {most}");
    Err(KeyError::new(&at.key("users"), what))
}

/// The most iterations a second that a grant allows.
pub(super) fn ceiling(compiled: &Compiled, grant: &Grant) -> Option<f64> {
    let each = exchanges(&compiled.flow, compiled.http.redirects);
    grant.rate_max.map(|most| most / each.max(1) as f64)
}

/// Refuses keys by which a plan would reach something that has no address the address policy could check.
fn ways_around(plan: &Plan) -> Result<(), KeyError> {
    let refused = |table: &str, key: &str| {
        let what = "is not offered here: the addresses a run may reach are those of its target";
        Err(KeyError::new(&KeyPath::new(table).key(key), what))
    };
    if let Some(http) = &plan.http {
        let given = [
            ("proxy", http.proxy.is_some()),
            ("unix", http.unix.is_some()),
            ("source-ips", http.source_ips.is_some()),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            return refused("http", key);
        }
    }
    match &plan.dhcp {
        Some(dhcp) if dhcp.local.is_some() => refused("dhcp", "local"),
        _ => Ok(()),
    }
}

/// The load of a plan in figures.
pub(super) fn load(compiled: &Compiled) -> LoadFigures {
    let settings = &compiled.settings;
    let (iterations, lasting) = match &settings.load {
        // A trace has no rate. Stages cannot contain a trace, so all of them have a rate or none has.
        Load::Open(schedule) => (schedule.peak_per_second(), schedule.lasting()),
        Load::Closed(_) => (None, None),
    };
    let ends = [settings.stop.time, lasting].into_iter().flatten().min();
    let each = exchanges(&compiled.flow, compiled.http.redirects);
    LoadFigures {
        users: settings.sessions,
        iterations,
        exchanges: iterations.map(|iterations| iterations * each as f64),
        seconds: ends.map(|time| (time + settings.warm_up).as_secs_f64()),
    }
}

/// The most exchanges of an iteration, including redirects that are followed.
fn exchanges(flow: &Flow, redirects: u8) -> u64 {
    if flow.scenarios.iter().any(Scenario::is_steered) {
        return flow.bounds.iter().map(|bound| bound.requests).max().unwrap_or(0);
    }
    let each = |step: &Step| match step {
        Step::Pause(_) | Step::Control(_) => 0,
        Step::Exchange(act) if matches!(act.payload, Payload::Http(_)) => 1 + u64::from(redirects),
        Step::Exchange(_) => 1,
    };
    let all = flow.scenarios.iter().map(|scenario| scenario.steps.iter().map(each).sum());
    all.max().unwrap_or(0)
}

/// Why a plan that was read cannot be sent to other machines: it takes a secret from a file.
pub(super) fn stays_here(files: &Files) -> Option<String> {
    let secret = |(path, kind): (PathBuf, Kind)| (kind == Kind::Secret).then_some(path);
    let path = files.opened().into_iter().find_map(secret)?;
    Some(format!(
        "takes a secret from {}, and secrets do not leave this machine: run it without agents",
        path.display()
    ))
}

/// What is wrong with a plan, for a user who edits its text.
pub(super) fn finding(error: &PlanError, submitted: &RunSpec) -> Finding {
    let PlanError::Wrong { place, fault } = error else {
        return Finding { text: error.to_string(), ..Finding::default() };
    };
    let mut numbers = place.rsplit(':').map_while(|number| number.parse().ok());
    let (column, line) = (numbers.next(), numbers.next());
    let what = on_a_site(&fault.what, submitted);
    Finding {
        line,
        column: column.filter(|_| line.is_some()),
        field: fault.at.to_string(),
        path: if place.starts_with("--") { Vec::new() } else { path(&fault.at) },
        text: if line.is_some() { what } else { format!("{place}: {what}") },
    }
}

/// A path in the notation of a plan's forms.
fn path(at: &KeyPath) -> Vec<PathPart> {
    let parts = at.segments().iter().map(|segment| match segment {
        Segment::Key(key) => PathPart::Key(key.clone()),
        Segment::Index(index) => PathPart::Index(*index),
    });
    parts.collect()
}

/// What is wrong, with a remedy that works without an environment.
fn on_a_site(what: &str, submitted: &RunSpec) -> String {
    let secrets = submitted.secrets.iter().flat_map(|secrets| &secrets.names);
    let mut named =
        secrets.filter(|name| what.starts_with(&format!("names the environment variable {name},")));
    match named.next() {
        Some(name) => format!(
            "names {name}, which is a secret of the target: write {{ env = \"{name}\" }} as the value of a variable or \
             a password"
        ),
        None => what.replace(
            "which is not set; set it",
            "which is no setting of the target; an administrator can add it",
        ),
    }
}

/// A plan that is wrong.
pub(super) fn wrong(finding: Finding) -> Checked {
    Checked { findings: vec![finding], ..Checked::default() }
}
