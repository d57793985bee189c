//! [`Flow`]: a plan that was read, with every name resolved.

use super::check::Check;
use super::control::{Control, Group};
use super::extract::Extract;
use super::http::HttpExchange;
use super::ldap::LdapExchange;
use super::own_load::OwnLoads;
use super::pause::Pause;
use super::poll::Poll;
use super::retry::Retry;
use super::signed::Signed;
use super::source::{Source, Variable};
use super::trace::Trace;
use brunt_dhcp_driver as dhcp;
use brunt_feed::Hole;
use brunt_flow_signing::Algorithm;
use brunt_ldap_driver as ldap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// What virtual users do.
#[derive(Debug, Default)]
pub struct Flow {
    /// The scenarios that iterations execute.
    pub scenarios: Vec<Scenario>,
    /// Which of them an iteration executes.
    pub order: Order,
    /// The variables, by hole.
    pub variables: Vec<Variable>,
    /// Variables that the plan marks as secret or not secret, regardless of their names.
    pub marks: Vec<(Hole, bool)>,
    /// The keys that each user generates for itself: their algorithms and identifiers.
    pub own_keys: Vec<(Algorithm, Option<String>)>,
    /// The certificates of the keys that are in files.
    pub certificates: Vec<KeyCertificate>,
    /// The names of the operations, by number, as reports show them.
    pub operations: Vec<String>,
    /// The names of what consists of several exchanges and is measured as one, by number.
    pub spans: Vec<String>,
    /// The groups of steps, by number.
    pub groups: Vec<Group>,
    /// The names of the steps and groups that are performed only under a condition, by number of the branch.
    pub branches: Vec<String>,
    /// What is counted of groups of which one step is performed: how often each was come to, and its steps.
    pub choices: Vec<Choice>,
    /// The most exchanges that an iteration of each scenario makes, and the most requests with the redirects that are
    /// followed; empty if no scenario has an instruction between its steps.
    pub bounds: Vec<Bound>,
    /// When users begin.
    pub start: Start,
    /// How many iterations there are.
    pub iterations: Iterations,
    /// What a user of the closed model waits between two iterations.
    pub between: Between,
    /// The loads of scenarios that have one of their own. They stand in place of the order, the start, the iterations
    /// and the pause between them.
    pub own: Option<Box<OwnLoads>>,
    /// What is done before the load.
    pub prepare: Option<Box<Around>>,
    /// What is done after it.
    pub clean_up: Option<Box<Around>>,
    /// The origins that requests of a page may go to, each in the form of [`brunt_http_driver::origin_of`].
    pub origins: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// How many users there are in the whole run, over all nodes.
    pub users: u32,
    /// The first user of this node, for a preview; in the run itself the engine assigns the numbers.
    pub first_user: u32,
    /// Whether iterations begin with arrivals (the open model) or as soon as a user is free (the closed model).
    pub arrivals: bool,
    /// The LDAP connection settings, if steps need them.
    pub ldap: Option<Arc<ldap::Plan>>,
    /// The DHCP server, if steps need one. It has one socket, so all users belong to one worker.
    pub dhcp: Option<Arc<dhcp::DhcpEndpoint>>,
    /// Whether times are summed up for a table.
    pub times: Times,
    /// Where complete exchanges are shown, if they are.
    pub trace: Option<Trace>,
    /// Whether each request over HTTP or LDAP carries an identity for the traces of the target.
    pub traceparent: bool,
}

/// The certificate of a key that is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCertificate {
    /// What the plan calls the key.
    pub key: String,
    /// The file.
    pub file: String,
    /// When it begins and ends to be valid, in seconds since 1970.
    pub valid: (i64, i64),
}

/// Steps that are performed before the load or after it: a flow of its own, with the variables of the load.
#[derive(Debug)]
pub struct Around {
    /// The steps, as the only scenario.
    pub flow: Flow,
    /// Who performs them.
    pub each: Each,
    /// Whether they are performed here at all, and not by another node.
    pub here: bool,
    /// How long they may take.
    pub within: Duration,
}

/// Who performs the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// One user of the whole run.
    Run,
    /// One user of each node.
    #[default]
    Node,
    /// Each user.
    User,
}

impl Flow {
    /// Whether the values of a variable are secrets: the plan marks it as secret, or its source or its name makes it
    /// one.
    pub fn is_secret(&self, hole: Hole) -> bool {
        let mark = self.marks.iter().find(|(marked, _)| *marked == hole);
        let named = || self.variables.get(usize::from(hole.0)).is_some_and(Variable::is_secret);
        mark.map_or_else(named, |(_, secret)| *secret)
    }

    /// Whether users go on until something else ends the run.
    pub fn is_endless(&self) -> bool {
        match &self.own {
            Some(own) => !own.are_bounded(),
            None => matches!(self.iterations, Iterations::Endless),
        }
    }

    /// Whether any variable is a one-time password.
    pub(super) fn has_codes(&self) -> bool {
        let is_code = |variable: &Variable| match &variable.source {
            Source::Signed(signed) => matches!(**signed, Signed::Code { .. }),
            _ => false,
        };
        self.variables.iter().any(is_code)
    }
}

/// A group of which one step is performed, or one of these steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name of the group.
    pub group: String,
    /// The name of the step; none for the group itself.
    pub step: Option<String>,
}

/// The most that one iteration of a scenario can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Exchanges.
    pub exchanges: u64,
    /// The same with the redirects that are followed.
    pub requests: u64,
}

/// What a user of the closed model waits between two iterations. The wait belongs to the iteration and not to one of
/// its steps, so it follows whatever the results of the steps are: users who cannot log in do not try more often than
/// users who can.
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

/// Whether and how times are summed up for a table, in addition to the histograms of every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// Not at all.
    #[default]
    None,
    /// Service times, to the nanosecond.
    Service,
    /// In whole milliseconds, including the time to connect, as LoadGen measures them.
    Coarse,
}

/// A sequence of steps: one iteration of it corresponds to a person's visit.
#[derive(Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// What happens to the remaining steps when a step has failed.
    pub after_failure: AfterFailure,
}

impl Scenario {
    /// Whether each iteration is exactly one exchange.
    pub fn is_one_exchange(&self) -> bool {
        let exchanges = self.steps.iter().filter(|step| matches!(step, Step::Exchange(_))).count();
        exchanges == 1 && !self.is_steered()
    }

    /// Whether what an iteration does depends on more than whether a step failed.
    pub fn is_steered(&self) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Control(_) => true,
            Step::Exchange(act) => {
                act.retry.is_some() || act.poll.is_some() || act.challenge.is_some()
            }
            Step::Pause(_) => false,
        })
    }
}

/// What happens to the rest of an iteration when one of its steps has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// The remaining steps are skipped, and counted as such.
    #[default]
    Skip,
    /// They are executed.
    GoOn,
}

/// One step of a scenario.
#[derive(Debug)]
pub enum Step {
    /// A pause: never an exchange, and in no step's latency.
    Pause(Pause),
    /// An exchange.
    Exchange(Box<ExchangeStep>),
    /// What decides which step comes next.
    Control(Control),
}

impl Step {
    /// Whether it makes a pause that takes time.
    pub fn pauses(&self) -> bool {
        match self {
            Self::Pause(pause) => pause.takes_time(),
            Self::Control(Control::Again(repetition)) => {
                repetition.pause.as_ref().is_some_and(Pause::takes_time)
            }
            Self::Exchange(act) => {
                let retry = act.retry.as_ref().and_then(|retry| retry.pause.as_ref());
                act.poll.is_some() || retry.is_some_and(Pause::takes_time)
            }
            Self::Control(_) => false,
        }
    }
}

/// One exchange of a scenario.
#[derive(Debug)]
pub struct ExchangeStep {
    /// The number of its operation, whose name is in [`Flow::operations`].
    pub operation: u16,
    /// What is sent.
    pub payload: Payload,
    /// What must hold of the answer.
    pub checks: Vec<Check>,
    /// What is extracted from the answer.
    pub extracts: Vec<Extract>,
    /// If the answer takes longer, it counts as exceeded.
    pub threshold: Option<Duration>,
    /// The maximum wait for the answer; if `None`, the rest of the run.
    pub timeout: Option<Duration>,
    /// The step is skipped if one of these variables has no value or an empty one.
    pub needs: Vec<Hole>,
    /// How it is tried again, if it is.
    pub retry: Option<Box<Retry>>,
    /// How it is repeated while the answer means "not yet".
    pub poll: Option<Box<Poll>>,
    /// The number of the operation under which answers are counted that demand a nonce in the proof of the request, if
    /// it has one (DPoP, RFC 9449 section 8): the step is then performed once more at once.
    pub challenge: Option<u16>,
    /// Whether it has a connection of its own: the one before it is closed.
    pub reconnects: bool,
}

impl ExchangeStep {
    /// Creates an exchange without checks that waits for its answer as long as the run allows.
    pub fn new(operation: u16, payload: Payload) -> Self {
        Self {
            operation,
            payload,
            checks: Vec::new(),
            extracts: Vec::new(),
            threshold: None,
            timeout: None,
            needs: Vec::new(),
            retry: None,
            poll: None,
            challenge: None,
            reconnects: false,
        }
    }

    /// Whether only the code of the answer is looked at.
    pub(super) fn is_unexamined(&self) -> bool {
        self.checks.is_empty()
            && self.extracts.is_empty()
            && self.poll.is_none()
            && self.challenge.is_none()
    }
}

/// What is sent.
#[derive(Debug)]
pub enum Payload {
    /// A request over HTTP.
    Http(Box<HttpExchange>),
    /// An LDAP operation.
    Ldap(Box<LdapExchange>),
    /// An exchange with a DHCP server; the user is the DHCP client.
    Dhcp(dhcp::Kind),
}

/// Which scenario an iteration executes.
#[derive(Debug, Default)]
pub enum Order {
    /// The scenarios in turn.
    #[default]
    Turns,
    /// A random one, with these weights, as a function of the seed and the iteration's number.
    Weights(Vec<u32>),
    /// Each user executes these rounds in order, and stops after the last.
    Rounds(Vec<Vec<Repeat>>),
}

/// A scenario and how many times it is repeated in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The scenario.
    pub scenario: usize,
    /// How many times.
    pub times: u64,
}

/// When users begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// All at once.
    #[default]
    Together,
    /// In groups, at equal intervals, as LoadGen starts its threads.
    Groups {
        /// The number of users in a group.
        size: u32,
        /// The interval between two groups.
        every: Duration,
    },
    /// One after the other, the last of them at the end of this time.
    Over(Duration),
}

/// How many iterations there are.
#[derive(Debug, Default)]
pub enum Iterations {
    /// As many as the time allows.
    #[default]
    Endless,
    /// This many for each user.
    Each(u64),
    /// This many in total for all users of this node.
    Shared(Pool),
}

/// A number of iterations that all users take from.
#[derive(Debug)]
pub struct Pool {
    count: u64,
    taken: AtomicU64,
}

impl Pool {
    /// Creates a pool of `count` iterations.
    pub fn new(count: u64) -> Self {
        Self { count, taken: AtomicU64::new(0) }
    }

    /// Takes one iteration. Returns whether there was one left.
    pub fn take(&self) -> bool {
        self.taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < self.count
    }

    /// Returns an iteration that was taken and not begun.
    pub(super) fn give_back(&self) {
        self.taken.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }
}
