//! [`Flow`]: a plan that was read, with every name settled.

use super::check::Check;
use super::extract::Extract;
use super::http::HttpExchange;
use super::ldap::LdapExchange;
use super::source::Variable;
use super::trace::Trace;
use crate::{dhcp, ldap};
use brunt_exchange::ThinkTime;
use brunt_feed::Hole;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// What virtual users do.
#[derive(Debug, Default)]
pub struct Flow {
    /// What an iteration may be.
    pub scenarios: Vec<Scenario>,
    /// Which of them an iteration is.
    pub order: Order,
    /// The variables, by hole.
    pub variables: Vec<Variable>,
    /// Variables that were marked as secrets, or as none, whatever they are called.
    pub marks: Vec<(Hole, bool)>,
    /// The names of the operations, by number, as reports show them.
    pub operations: Vec<String>,
    /// When users begin.
    pub start: Start,
    /// How many iterations there are.
    pub iterations: Iterations,
    /// What a user of the closed model waits between two iterations.
    pub between: Between,
    /// The seed of the run.
    pub seed: u64,
    /// How many users there are in the whole run, over all nodes.
    pub users: u32,
    /// The first user of this node, for a preview: the run itself hands out the numbers.
    pub first_user: u32,
    /// Whether iterations begin with arrivals (the open model) or as soon as a user is free (the closed model).
    pub arrivals: bool,
    /// The way to a directory, where steps need one.
    pub ldap: Option<Arc<ldap::Plan>>,
    /// The way to a DHCP server, where steps need one. It has one socket, so that all users are of one worker.
    pub dhcp: Option<Arc<dhcp::DhcpEndpoint>>,
    /// Whether times are summed for a table.
    pub times: Times,
    /// Where exchanges are told of in full, if they are.
    pub trace: Option<Trace>,
}

impl Flow {
    /// Whether the values of a variable are secrets: it was marked as one, or is one by its source or its name.
    pub fn is_secret(&self, hole: Hole) -> bool {
        let mark = self.marks.iter().find(|(marked, _)| *marked == hole);
        let named = || self.variables.get(usize::from(hole.0)).is_some_and(Variable::is_secret);
        mark.map_or_else(named, |(_, secret)| *secret)
    }
}

/// What a user of the closed model waits between two iterations. It belongs to the iteration and not to one of its
/// steps, so it is waited whatever became of those: users who cannot log in do not log in faster than users who can.
#[derive(Clone, Debug, Default)]
pub struct Between {
    /// After every iteration.
    pub think: Option<Pause>,
    /// In addition, after an iteration in which a step failed.
    pub back_off: Option<Pause>,
}

impl Between {
    /// The pauses.
    pub(super) fn pauses(&self) -> impl Iterator<Item = &Pause> {
        self.think.iter().chain(&self.back_off)
    }
}

/// Whether and how times are summed for a table, beside the histograms of every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// Not at all.
    #[default]
    None,
    /// Service times, to the nanosecond.
    Service,
    /// In whole milliseconds and with the time it took to connect, as LoadGen takes them.
    Coarse,
}

/// Steps that belong together: one iteration of it is what a person would call a visit.
#[derive(Debug)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What becomes of the rest when a step has failed.
    pub after_failure: AfterFailure,
}

/// What becomes of the rest of an iteration when one of its steps has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// The remaining steps are skipped, and counted as such.
    #[default]
    Skip,
    /// It goes on.
    GoOn,
}

/// One step of a scenario.
#[derive(Debug)]
pub enum Step {
    /// A pause: never an exchange, and in no step's latency.
    Pause(Pause),
    /// An exchange.
    Exchange(Box<ExchangeStep>),
}

/// A pause between two steps.
#[derive(Clone, Debug)]
pub struct Pause {
    /// How long it lasts.
    pub time: ThinkTime,
    /// A name to count it under, where a table shows pauses.
    pub name: String,
}

/// One exchange of a scenario.
#[derive(Debug)]
pub struct ExchangeStep {
    /// What it is called, by number in [`Flow::operations`].
    pub operation: u16,
    /// What is sent.
    pub payload: Payload,
    /// What must hold of the answer.
    pub checks: Vec<Check>,
    /// What is kept of the answer.
    pub extracts: Vec<Extract>,
    /// An answer that takes longer counts as exceeded.
    pub threshold: Option<Duration>,
    /// How long to wait for the answer at most; where it is `None`, as long as the run allows.
    pub timeout: Option<Duration>,
    /// Skipped while one of these variables has no value or an empty one.
    pub needs: Vec<Hole>,
}

impl ExchangeStep {
    /// An exchange that expects nothing of its answer and waits for it as long as the run allows.
    pub fn new(operation: u16, payload: Payload) -> Self {
        Self {
            operation,
            payload,
            checks: Vec::new(),
            extracts: Vec::new(),
            threshold: None,
            timeout: None,
            needs: Vec::new(),
        }
    }
}

/// What is sent.
#[derive(Debug)]
pub enum Payload {
    /// A request over HTTP.
    Http(Box<HttpExchange>),
    /// An LDAP operation.
    Ldap(Box<LdapExchange>),
    /// An exchange with a DHCP server, by the client that the user is.
    Dhcp(dhcp::Kind),
}

/// Which scenario an iteration is.
#[derive(Debug, Default)]
pub enum Order {
    /// The scenarios in turn.
    #[default]
    Turns,
    /// Any, with these weights, as a function of the seed and the iteration's number.
    Weights(Vec<u32>),
    /// Each user goes through these rounds, one after the other, and is done after the last.
    Rounds(Vec<Vec<Repeat>>),
}

/// A scenario and how often it is repeated in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The scenario.
    pub scenario: usize,
    /// How often.
    pub times: u64,
}

/// When users begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// All at once.
    #[default]
    Together,
    /// So many at once, and the next group so much later, as LoadGen starts its threads.
    Groups {
        /// How many.
        size: u32,
        /// How much later.
        every: Duration,
    },
    /// One after the other, the last of them when this time is over.
    Over(Duration),
}

/// How many iterations there are.
#[derive(Debug, Default)]
pub enum Iterations {
    /// As many as there is time for.
    #[default]
    Endless,
    /// So many for each user.
    Each(u64),
    /// So many for all users of this node together.
    Shared(Pool),
}

/// Iterations that all users take from.
#[derive(Debug)]
pub struct Pool {
    count: u64,
    taken: AtomicU64,
}

impl Pool {
    /// So many iterations.
    pub fn new(count: u64) -> Self {
        Self { count, taken: AtomicU64::new(0) }
    }

    /// Takes one, if there is one left.
    pub fn take(&self) -> bool {
        self.taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < self.count
    }

    /// Takes one back that was taken and not begun.
    pub(super) fn give_back(&self) {
        self.taken.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }
}
