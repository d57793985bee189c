//! A [`Plan`]: the LDAP part of a run, compiled once and shared by all workers.
//!
//! All mistakes that can be found before the first connection are refused here: templates, filters, numbers of
//! arguments, combinations that cannot work. Every request is built once as a check.

use super::buffers::Scratch;
use super::churn::Churn;
use super::error::PlanError;
use super::first_binds::FirstBinds;
use super::live::LiveEntries;
use super::lockout::LockoutGuard;
use super::login::{Credentials, WrongPasswords};
use super::lost::LostServers;
use super::rename::Renaming;
use super::request::{Compiler, Request};
use super::route::{Route, Security, Servers};
use super::sasl::Mechanism;
use super::setup::{BindControls, Identity, Mode, ModifySetup, SearchSetup, Setup, Task};
use super::tally::Tally;
use super::trace::TraceIds;
use brunt_exchange::{Outcome, Part};
use brunt_feed::{Arguments, Position};
use brunt_ldap_wire::control::Control;
use brunt_net::resend::Resend;
use brunt_net::tcp::Dialer;
use std::sync::{Arc, OnceLock};

/// The names of the parts that sessions report, in the order of their numbers.
pub const PARTS: [&str; 7] = ["connect", "tls", "bind", "reconnect", "search", "read", "modify"];

/// Opening the TCP connection.
pub(super) const CONNECT: Part = Part(0);
/// The TLS handshake, with StartTLS before it where requested.
pub(super) const TLS: Part = Part(1);
/// A bind: to open a connection, before every operation, or after a search.
pub(super) const BIND: Part = Part(2);
/// Opening a connection again that the server had closed, including TLS and the bind.
pub(super) const RECONNECT: Part = Part(3);
/// The search before a bind.
pub(super) const SEARCH: Part = Part(4);
/// The read before a modify.
pub(super) const READ: Part = Part(5);
/// The modify after a read.
pub(super) const MODIFY: Part = Part(6);

/// A compiled plan.
#[derive(Debug)]
pub struct Plan {
    pub(super) route: Route,
    pub(super) mode: Mode,
    pub(super) per_connection: u32,
    pub(super) reconnect_every: u64,
    pub(super) resend: Resend,
    pub(super) login: Option<Credentials>,
    pub(super) operation: Operation,
    pub(super) arguments: Arguments,
    pub(super) sessions: u32,
    pub(super) seed: u64,
    pub(super) traces: TraceIds,
    pub(super) tally: Arc<Tally>,
    pub(super) lost: LostServers,
    /// Withholds binds once accounts lock, if this is requested.
    pub(super) lockout: Option<LockoutGuard>,
    /// Ends a run whose first binds are all refused, if this is requested.
    pub(super) first_binds: Option<FirstBinds>,
    /// How the first exchange ended that failed.
    pub(super) first_failure: OnceLock<Outcome>,
    exchanges_max: Option<u64>,
}

/// What is measured, compiled.
#[derive(Debug)]
pub(super) enum Operation {
    Bind(Credentials),
    SearchThenBind { search: Request, bind: Credentials, apart: bool },
    Search { search: Request, paged: bool },
    Modify(Request),
    ReadModify { read: Request, modify: Request },
    SearchAndModify { search: Request, modify: Request },
    Compare(Request),
    Delete(Request),
    Rename(Box<Renaming>),
    AddAndDelete(Box<Churn>),
    Given,
}

impl Plan {
    /// Compiles `setup`, or reports what cannot work and what works instead.
    pub fn compile(setup: Setup) -> Result<Self, PlanError> {
        check_concurrency(&setup)?;
        check_external(&setup.login, &setup)?;
        let controls = bind_controls(&setup.bind_controls);
        let none = Arguments::default();
        let login = Credentials::compile(
            &setup.login,
            &controls,
            Compiler::new(&none, 0, setup.raw),
            WrongPasswords::default(),
        )?;
        let operation = Operation::compile(&setup, &controls)?;
        let plan = Self {
            lost: LostServers::new(setup.route.servers.count()),
            route: setup.route,
            mode: setup.mode,
            per_connection: setup.requests_per_connection.max(1),
            reconnect_every: setup.reconnect_every,
            resend: setup.resend,
            login,
            operation,
            arguments: setup.arguments,
            sessions: setup.sessions,
            seed: setup.seed,
            traces: TraceIds::new(setup.seed, setup.traceparent),
            tally: Arc::default(),
            lockout: None,
            first_binds: None,
            first_failure: OnceLock::new(),
            exchanges_max: match &setup.task {
                Task::AddAndDelete(adding) => adding.exchanges_max,
                _ => None,
            },
        };
        plan.preflight()?;
        Ok(plan)
    }

    /// The servers, in the order of the numbers that sessions report; none if there is only one.
    pub fn servers(&self) -> Vec<String> {
        if self.route.servers.count() > 1 { self.route.servers.names() } else { Vec::new() }
    }

    /// The names of the operations, in the order of the numbers that sessions report.
    pub const fn operations(&self) -> &'static [&'static str] {
        match self.operation {
            Operation::Bind(_) => &["bind"],
            Operation::SearchThenBind { .. } => &["search-and-bind"],
            Operation::Search { .. } => &["search"],
            Operation::Modify(_) => &["modify"],
            Operation::ReadModify { .. } => &["read-modify"],
            Operation::SearchAndModify { .. } => &["search", "modify"],
            Operation::Compare(_) => &["compare"],
            Operation::Delete(_) => &["delete"],
            Operation::Rename(_) => &["modify-dn"],
            Operation::AddAndDelete(_) => &["add", "delete"],
            Operation::Given => &[],
        }
    }

    /// The same plan, but it sends no more binds once more than `tolerated` accounts were found locked, or about to be.
    /// In a run that ends when accounts lock, every bind until the end may lock one more.
    #[must_use]
    pub fn withholding_after(self, tolerated: u64) -> Self {
        Self { lockout: Some(LockoutGuard::new(tolerated)), ..self }
    }

    /// The same plan, but it sends no more binds once its first `tries` were all refused for their passwords.
    #[must_use]
    pub fn trying_first(self, tries: u64) -> Self {
        Self { first_binds: Some(FirstBinds::new(tries)), ..self }
    }

    /// What to do when the first binds were all refused for their passwords.
    pub fn end_if_refused(&self, end: impl Fn() + Send + 'static) {
        if let Some(first) = &self.first_binds {
            first.end_with(end);
        }
    }

    /// How many binds were refused for their passwords, if the first ones all were.
    pub fn first_binds_refused(&self) -> Option<u64> {
        self.first_binds.as_ref().and_then(FirstBinds::all_refused)
    }

    /// How the first exchange ended that failed, in the warm-up or after it.
    pub fn first_failure(&self) -> Option<Outcome> {
        self.first_failure.get().copied()
    }

    /// Whether each session has a second connection, for its binds.
    pub(super) const fn binds_apart(&self) -> bool {
        matches!(self.operation, Operation::SearchThenBind { apart: true, .. })
    }

    /// How many sessions share a connection.
    pub const fn requests_per_connection(&self) -> u32 {
        self.per_connection
    }

    /// How many connections the sessions need.
    pub const fn connections(&self) -> u32 {
        let connections = self.sessions.div_ceil(self.per_connection);
        if self.binds_apart() { connections.saturating_mul(2) } else { connections }
    }

    /// How many exchanges there can be, if their number is limited.
    pub const fn exchanges_max(&self) -> Option<u64> {
        self.exchanges_max
    }

    /// Opens the connections, unless they go to Unix sockets.
    pub fn dialer(&self) -> Option<&Dialer> {
        match &self.route.servers {
            Servers::Network(dialer) => Some(dialer),
            Servers::Sockets(..) => None,
        }
    }

    /// Counts of events outside the exchanges.
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// How many entries the run has added and not deleted; `None` if the plan adds no entries.
    pub fn live_entries(&self) -> Option<u64> {
        match &self.operation {
            Operation::AddAndDelete(churn) => Some(churn.live_entries()),
            _ => None,
        }
    }

    /// Builds every request once.
    fn preflight(&self) -> Result<(), PlanError> {
        let mut scratch = Scratch::default();
        for (request, appended) in self.operation.requests() {
            let ready =
                request.fill(&self.arguments, &Position::alone(0), appended, &[], &mut scratch);
            ready.map_err(|failure| PlanError::FirstRequest(failure.text))?;
        }
        Ok(())
    }
}

impl Operation {
    fn compile(setup: &Setup, controls: &[Control]) -> Result<Self, PlanError> {
        let compiler = |appended| Compiler::new(&setup.arguments, appended, setup.raw);
        let credentials = |identity: &Identity, appended, percent: u8| {
            if percent > 100 {
                return Err(PlanError::Percent(percent));
            }
            check_external(identity, setup)?;
            let wrong = WrongPasswords { seed: setup.seed, percent };
            Credentials::compile(identity, controls, compiler(appended), wrong)?
                .ok_or(PlanError::Nobody)
        };
        let search = |search: &SearchSetup, limit| compiler(0).search(search, limit);
        let modify = |modify: &ModifySetup, found, version| {
            if modify.values.is_empty() {
                return Err(PlanError::NoChange);
            }
            compiler(0).modify(modify, found, version)
        };
        Ok(match &setup.task {
            Task::Bind { identity, invalid_percent } => {
                Self::Bind(credentials(identity, 0, *invalid_percent)?)
            }
            Task::SearchThenBind { search: find, identity, invalid_percent, apart } => {
                Self::SearchThenBind {
                    search: search(&SearchSetup { page_size: None, ..find.clone() }, 1)?,
                    bind: credentials(identity, 1, *invalid_percent)?,
                    apart: *apart,
                }
            }
            Task::Search(find) => Self::Search {
                search: search(find, find.size_limit)?,
                paged: find.page_size.is_some(),
            },
            Task::Modify(change) => Self::Modify(modify(change, false, None)?),
            Task::ReadModify { modify: change, version } => Self::ReadModify {
                read: compiler(0).read(&change.dn, version)?,
                modify: modify(change, false, Some(version))?,
            },
            Task::SearchAndModify { search: find, modify: change } => Self::SearchAndModify {
                search: search(&SearchSetup { page_size: None, ..find.clone() }, find.size_limit)?,
                modify: modify(change, true, None)?,
            },
            Task::Compare(compare) => Self::Compare(compiler(0).compare(compare)?),
            Task::Delete(delete) => Self::Delete(compiler(0).delete(delete)?),
            Task::Rename(rename) => Self::Rename(Box::new(Renaming {
                rename: compiler(0).rename(rename)?,
                undo: rename.undo.then(|| compiler(0).undo(rename)).transpose()?,
            })),
            Task::Given => Self::Given,
            Task::AddAndDelete(adding) => {
                let share = (adding.share.0, adding.share.1.max(1));
                let names = adding.entries.names();
                let live = LiveEntries::new(adding.delete, adding.threshold, share, names);
                let controls =
                    Compiler::new(&Arguments::default(), 0, true).controls(&adding.controls)?;
                Self::AddAndDelete(Box::new(Churn::new(adding.entries.clone(), live, &controls)))
            }
        })
    }

    /// Every compiled request, with a sample of the value that a search appends.
    fn requests(&self) -> Vec<(&Request, Option<&'static [u8]>)> {
        const FOUND: Option<&[u8]> = Some(b"cn=found");
        match self {
            Self::Bind(bind) => bind.request().map(|request| (request, None)).into_iter().collect(),
            Self::SearchThenBind { search, bind, .. } => [(search, None)]
                .into_iter()
                .chain(bind.request().map(|request| (request, FOUND)))
                .collect(),
            Self::Search { search, .. } => vec![(search, None)],
            Self::Modify(modify) => vec![(modify, None)],
            Self::ReadModify { read, modify } => vec![(read, None), (modify, None)],
            Self::SearchAndModify { search, modify } => vec![(search, None), (modify, None)],
            Self::Compare(request) | Self::Delete(request) => vec![(request, None)],
            Self::Rename(renaming) => vec![(&renaming.rename, None)],
            Self::AddAndDelete(_) | Self::Given => Vec::new(),
        }
    }
}

fn check_concurrency(setup: &Setup) -> Result<(), PlanError> {
    let requests = setup.requests_per_connection;
    if requests > 1 {
        if matches!(setup.task, Task::Bind { .. } | Task::SearchThenBind { .. }) {
            return Err(PlanError::ConcurrentBinds(requests));
        }
        if setup.mode != Mode::Bound {
            return Err(PlanError::Concurrency(requests));
        }
        if setup.reconnect_every > 0 {
            return Err(PlanError::Reconnect(setup.reconnect_every));
        }
    }
    Ok(())
}

/// EXTERNAL uses the certificate of the underlying TLS connection, or the user of this process on a Unix socket.
fn check_external(identity: &Identity, setup: &Setup) -> Result<(), PlanError> {
    let Route { servers, security, .. } = &setup.route;
    match (identity, security, servers) {
        (Identity::Sasl { options, .. }, Security::Plain, Servers::Network(_))
            if options.mechanism == Mechanism::External =>
        {
            Err(PlanError::ExternalWithoutTls)
        }
        _ => Ok(()),
    }
}

fn bind_controls(setup: &BindControls) -> Vec<Control> {
    let mut controls = setup.other.clone();
    if setup.authorization_identity {
        controls.push(Control::authorization_identity());
    }
    if setup.password_policy {
        controls.push(Control::password_policy());
    }
    controls
}
