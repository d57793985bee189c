//! The [`Plan`] of a run: the settings, checked once, so that no later step can fail with a usage error.
//!
//! [`Settings`] are filled in by a caller; a [`Plan`] has passed the check, with every default computed. Open and
//! closed are two loads that never mix: in the open model arrivals do not wait for answers, in the closed model only
//! answers start them. The plan must not know a protocol.

use crate::cores;
use crate::drain::Drain;
use crate::schedule::Schedule;
use crate::start::Start;
use brunt_exchange::{Slots, SlotsError, ThinkTime};
use std::time::Duration;

/// What makes exchanges start.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// The open model: a schedule, whatever the target does.
    Open(Schedule),
    /// The closed model: each session is a virtual user that starts an exchange once the previous one has ended and the
    /// think time is over.
    Closed(ThinkTime),
}

/// When a run ends by itself: at the first of the given limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopping {
    /// After this number of exchanges of the steady phase, over all workers, when the last one has ended.
    pub count: Option<u64>,
    /// Once this time has passed since the end of the warm-up.
    pub time: Option<Duration>,
    /// Counts the exchanges of the warm-up towards `count`, as the original rate tools do.
    pub count_includes_warm_up: bool,
}

/// This node's rank among those that share a run, and its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of this node, counted from 0.
    pub rank: u32,
    /// How many nodes there are.
    pub world: u32,
    /// Which exchanges are its own.
    pub slots: Slots,
    /// The number of its first session among those of all nodes.
    pub first_session: u32,
    /// How many sessions all nodes have together; none in a run that was not divided.
    pub all_sessions: Option<u32>,
}

impl Default for Node {
    fn default() -> Self {
        Self::even(0, 1)
    }
}

impl Node {
    /// One of several nodes with equal shares.
    pub fn even(rank: u32, world: u32) -> Self {
        Self { rank, world, slots: Slots::even(rank, world), first_session: 0, all_sessions: None }
    }

    /// One of the nodes that have these weights.
    pub fn weighted(rank: u32, weights: &[u32]) -> Result<Self, SlotsError> {
        let slots = Slots::weighted(rank, weights)?;
        let world = weights.len() as u32;
        Ok(Self { rank, world, slots, first_session: 0, all_sessions: None })
    }
}

/// The settings of a caller. [`Settings::open`] and [`Settings::closed`] fill in the defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What makes exchanges start.
    pub load: Load,
    /// How many sessions this node has.
    pub sessions: u32,
    /// When the run ends by itself.
    pub stop: Stopping,
    /// How long to run before the figures count. An open load warms up at its opening rate.
    pub warm_up: Duration,
    /// Threads with a runtime each; computed from cores and sessions if `None`.
    pub workers: Option<usize>,
    /// Whether each worker is pinned to a core of its own.
    pub pin: bool,
    /// How many due exchanges may wait for a free session, over all workers; two seconds' worth of
    /// the highest rate, and at least 1,024, if `None`.
    pub backlog: Option<usize>,
    /// How long an exchange may take; without limit if zero.
    pub operation_timeout: Duration,
    /// How long exchanges in flight, and those that wait for a session, may take once nothing more is due. If it is
    /// `None`, [`Plan::DRAIN`] applies, or after a count the time-out of each exchange.
    pub drain: Option<Duration>,
    /// How long the drain may still take from the moment at which the run is stopped; not limited further if it is
    /// `None`.
    pub drain_stopped: Option<Duration>,
    /// The length of an interval.
    pub interval: Duration,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of the first exchange. Runs that follow each other against one target continue the numbering, so that
    /// none repeats the users, entries and identities of an earlier one.
    pub first: u64,
    /// When the run begins.
    pub start: Start,
    /// This node's share of the run.
    pub node: Node,
    /// Whether intervals contain the texts of all failures instead of only the first few.
    pub explain_every: bool,
}

impl Settings {
    /// An open load with every default.
    pub fn open(schedule: Schedule, sessions: u32) -> Self {
        Self::new(Load::Open(schedule), sessions)
    }

    /// A closed load with every default.
    pub fn closed(think: ThinkTime, sessions: u32) -> Self {
        Self::new(Load::Closed(think), sessions)
    }

    /// A node's part of a run's settings: sessions and backlog. A rate and a count remain those of the whole run, of
    /// which a node carries out its own numbers. Connections carry `group` sessions each, and are not divided.
    pub fn shared(mut self, node: Node, group: u32) -> Result<Self, PlanError> {
        let group = group.max(1);
        let connections = self.sessions.div_ceil(group);
        let slots = &node.slots;
        let (before, own) = (slots.before(connections.into()), slots.of(connections.into()));
        if own == 0 && connections > 0 {
            let Node { rank, world, .. } = node;
            return Err(PlanError::IdleNode { rank, world, connections });
        }
        let bound = |connections: u64| {
            (connections * u64::from(group)).min(u64::from(self.sessions)) as u32
        };
        let (first, end) = (bound(before), bound(before + own));
        let share = node.slots.share();
        self.backlog = self.backlog.map(|most| ((most as f64 * share).ceil() as usize).max(1));
        let all_sessions = (node.world > 1).then_some(self.sessions);
        self.node = Node { first_session: first, all_sessions, ..node };
        self.sessions = end - first;
        Ok(self)
    }

    fn new(load: Load, sessions: u32) -> Self {
        Self {
            load,
            sessions,
            stop: Stopping::default(),
            warm_up: Duration::ZERO,
            workers: None,
            pin: true,
            backlog: None,
            operation_timeout: Duration::ZERO,
            drain: None,
            drain_stopped: None,
            interval: Duration::from_secs(1),
            seed: 0,
            first: 0,
            start: Start::WhenReady,
            node: Node::default(),
            explain_every: false,
        }
    }
}

/// Why settings are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// There is no session.
    #[error("plan the run: it has no session; ask for at least one connection")]
    NoSession,
    /// A schedule that opens with a trace has no rate to warm up at.
    #[error(
        "plan the run: a trace has no rate to warm up at; leave out the warm-up, or begin the stages with a rate"
    )]
    WarmUpOfTrace,
    /// A limit of zero, with which the run would be over before it begins.
    #[error("plan the run: it would stop after 0 {0}; leave the limit out for a run without one")]
    Nothing(&'static str),
    /// The interval is too short for a row.
    #[error("plan the run: an interval of {0:?} is too short; use at least 10 ms")]
    Interval(Duration),
    /// More workers than connections.
    #[error(
        "plan the run: {workers} workers for {connections} connections; use at least one worker and at most one per \
         connection"
    )]
    Workers {
        /// The requested workers.
        workers: usize,
        /// The number of connections.
        connections: u32,
    },
    /// More sessions than one machine can have.
    #[error(
        "plan the run: {0} sessions on one machine; ask for at most {max}, and share the run among nodes",
        max = Plan::SESSIONS_MAX
    )]
    Sessions(u32),
    /// A larger backlog than one machine can store.
    #[error("plan the run: a backlog of {0} operations; use at most {max}", max = Plan::BACKLOG_MAX)]
    Backlog(usize),
    /// The node would have no session.
    #[error(
        "plan the run: node {rank} of {world} would have no connection, as the nodes share {connections}; ask for at \
         least {world}"
    )]
    IdleNode {
        /// The rank of the node.
        rank: u32,
        /// The number of nodes.
        world: u32,
        /// The connections of the whole run.
        connections: u32,
    },
    /// The rank of the node is not in the run.
    #[error(
        "plan the run: node {rank} of {world}; nodes are counted from 0, so the rank must be below the number of nodes"
    )]
    Node {
        /// The requested rank.
        rank: u32,
        /// The number of nodes.
        world: u32,
    },
}

/// A valid plan of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    settings: Settings,
    workers: usize,
    group: u32,
    backlog: usize,
}

impl Plan {
    /// The shortest interval.
    pub const INTERVAL_MIN: Duration = Duration::from_millis(10);
    /// With fewer sessions than this per worker, another worker costs more than it gains.
    pub const SESSIONS_PER_WORKER: u32 = 16;
    /// The least default of the backlog.
    pub const BACKLOG_MIN: usize = 1_024;
    /// The most exchanges that may wait: they take some hundred megabytes.
    pub const BACKLOG_MAX: usize = 1 << 24;
    /// The most sessions of a node.
    pub const SESSIONS_MAX: u32 = 10_000_000;

    /// How long a run waits for exchanges in flight if the settings give no time.
    pub const DRAIN: Duration = Duration::from_secs(10);

    /// Checks settings for a factory whose connections carry `group` sessions each.
    pub fn new(mut settings: Settings, group: u32) -> Result<Self, PlanError> {
        let group = group.max(1);
        if settings.sessions == 0 {
            return Err(PlanError::NoSession);
        }
        if settings.sessions > Self::SESSIONS_MAX {
            return Err(PlanError::Sessions(settings.sessions));
        }
        if let Some(backlog) = settings.backlog.filter(|backlog| *backlog > Self::BACKLOG_MAX) {
            return Err(PlanError::Backlog(backlog));
        }
        if settings.stop.count == Some(0) {
            return Err(PlanError::Nothing("operations"));
        }
        if settings.stop.time.is_some_and(|time| time.is_zero()) {
            return Err(PlanError::Nothing("seconds"));
        }
        if settings.interval < Self::INTERVAL_MIN {
            return Err(PlanError::Interval(settings.interval));
        }
        let Node { rank, world, .. } = settings.node;
        if rank >= world {
            return Err(PlanError::Node { rank, world });
        }
        let connections = settings.sessions.div_ceil(group);
        let sensible = cores::allowed()
            .len()
            .min(connections as usize)
            .min(settings.sessions.div_ceil(Self::SESSIONS_PER_WORKER) as usize)
            .max(1);
        let workers = settings.workers.unwrap_or(sensible);
        if workers == 0 || workers > connections as usize {
            return Err(PlanError::Workers { workers, connections });
        }
        if let Load::Open(schedule) = settings.load {
            let warmed =
                schedule.after_warm_up(settings.warm_up).ok_or(PlanError::WarmUpOfTrace)?;
            settings.load = Load::Open(warmed);
        }
        let backlog = settings
            .backlog
            .unwrap_or_else(|| default_backlog(&settings.load, settings.node.slots.share()));
        Ok(Self { settings, workers, group, backlog })
    }

    /// This plan with other settings, for the same factory. The warm-up of an open load is in its schedule already, so
    /// a caller that changes one must set both.
    pub fn with(&self, change: impl FnOnce(&mut Settings)) -> Result<Self, PlanError> {
        let mut settings = self.settings.clone();
        change(&mut settings);
        Self::new(settings, self.group)
    }

    /// The same plan with another beginning.
    #[must_use]
    pub fn starting(&self, start: Start) -> Self {
        let mut plan = self.clone();
        plan.settings.start = start;
        plan
    }

    /// The same plan with exchanges numbered from `first`, and with another count if it had one.
    #[must_use]
    pub fn numbered_from(&self, first: u64, count: Option<u64>) -> Self {
        let mut plan = self.clone();
        (plan.settings.first, plan.settings.stop.count) = (first, count);
        plan
    }

    /// The same plan with a worker for each session.
    pub(crate) fn each_alone(&self) -> Self {
        Self { workers: self.settings.sessions as usize, group: 1, ..self.clone() }
    }

    /// The settings. An open schedule already begins with the warm-up.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// How many due exchanges may wait, over all workers.
    pub fn backlog(&self) -> usize {
        self.backlog
    }

    /// How many due exchanges may wait at one worker.
    pub(crate) fn backlog_of_worker(&self) -> usize {
        self.backlog.div_ceil(self.workers)
    }

    /// The sessions of one worker, counted from 0 on this node. The sessions of a connection stay
    /// together.
    pub(crate) fn sessions_of(&self, worker: usize) -> std::ops::Range<u32> {
        let connections = u64::from(self.settings.sessions.div_ceil(self.group));
        let bound = |worker: usize| {
            let connection = connections * worker as u64 / self.workers as u64;
            (connection * u64::from(self.group)).min(u64::from(self.settings.sessions)) as u32
        };
        bound(worker)..bound(worker + 1)
    }

    /// The first session of this node in the whole run.
    pub(crate) fn first_session(&self) -> u32 {
        self.settings.node.first_session
    }

    /// How long the run continues once nothing more is due.
    pub(crate) fn drain(&self) -> Drain {
        let Settings { drain, drain_stopped, .. } = self.settings;
        Drain { whole: drain.unwrap_or(Self::DRAIN), stopped: drain_stopped }
    }

    /// How long exchanges become due, from the origin of the run; `None` if only a count or a
    /// request ends it.
    pub fn lasting(&self) -> Option<Duration> {
        let timed = self.settings.stop.time.map(|time| self.steady_from() + time);
        let scheduled = match &self.settings.load {
            Load::Open(schedule) => schedule.lasting(),
            Load::Closed(_) => None,
        };
        timed.into_iter().chain(scheduled).min()
    }

    /// The phases from the origin of the run, each with the time at which it begins.
    pub fn phases(&self) -> Vec<(brunt_record::Phase, Duration)> {
        use brunt_record::Phase::{Steady, WarmUp};
        match &self.settings.load {
            Load::Open(schedule) => schedule.phases(),
            Load::Closed(_) if self.settings.warm_up.is_zero() => vec![(Steady, Duration::ZERO)],
            Load::Closed(_) => vec![(WarmUp, Duration::ZERO), (Steady, self.settings.warm_up)],
        }
    }

    /// How many of the counted exchanges belong to this node.
    pub(crate) fn count_of_node(&self) -> Option<u64> {
        self.settings.stop.count.map(|count| self.settings.node.slots.of(count))
    }

    /// When the phases that do not count against a time limit are over.
    fn steady_from(&self) -> Duration {
        self.settings.warm_up
    }
}

/// Two seconds of this node's highest rate: long enough to bridge a pause of the target, short enough that the
/// exchanges in it are not outdated.
fn default_backlog(load: &Load, share: f64) -> usize {
    match load {
        Load::Open(schedule) => {
            let peak = schedule.peak_per_second().unwrap_or(0.0) * share;
            ((peak * 2.0).ceil() as usize).clamp(Plan::BACKLOG_MIN, Plan::BACKLOG_MAX)
        }
        Load::Closed(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Rate;

    fn open(per_second: u64, sessions: u32) -> Settings {
        let rate = Rate::per_second(per_second).unwrap();
        Settings::open(Schedule::constant(rate, None).unwrap(), sessions)
    }

    #[test]
    fn sessions_of_a_connection_stay_on_one_worker() {
        for (sessions, group, workers) in [(10, 1, 3), (10, 4, 3), (64, 8, 5), (7, 2, 4)] {
            let settings = Settings { workers: Some(workers), ..open(1, sessions) };
            let plan = Plan::new(settings, group).unwrap();
            let ranges: Vec<_> = (0..workers).map(|worker| plan.sessions_of(worker)).collect();
            assert_eq!((ranges[0].start, ranges[workers - 1].end), (0, sessions));
            for pair in ranges.windows(2) {
                assert_eq!(pair[0].end, pair[1].start);
                assert_eq!(pair[0].end % group, 0);
                assert!(!pair[0].is_empty());
            }
        }
    }

    #[test]
    fn few_sessions_get_one_worker() {
        assert_eq!(Plan::new(open(1, 16), 1).unwrap().workers(), 1);
        let many = Plan::new(open(1, 10_000), 1).unwrap();
        assert_eq!(many.workers(), cores::allowed().len().min(625));
    }

    #[test]
    fn backlog_holds_two_seconds() {
        assert_eq!(Plan::new(open(20_000, 1), 1).unwrap().backlog(), 40_000);
        assert_eq!(Plan::new(open(10, 1), 1).unwrap().backlog(), 1_024);
    }

    #[test]
    fn time_limit_starts_after_the_warm_up() {
        let mut settings = open(10, 1);
        settings.warm_up = Duration::from_secs(3);
        settings.stop.time = Some(Duration::from_secs(6));
        let plan = Plan::new(settings, 1).unwrap();
        assert_eq!(plan.lasting(), Some(Duration::from_secs(9)));
        assert_eq!(plan.phases()[1].1, Duration::from_secs(3));
    }

    #[test]
    fn nodes_share_a_count_exactly() {
        for (count, world) in [(10, 3), (1, 4), (100, 7)] {
            let share = |rank| {
                let mut settings = open(1, 1);
                settings.node = Node::even(rank, world);
                settings.stop.count = Some(count);
                Plan::new(settings, 1).unwrap().count_of_node().unwrap()
            };
            assert_eq!((0..world).map(share).sum::<u64>(), count);
        }
    }

    #[test]
    fn nodes_share_sessions_by_whole_connections() {
        for (sessions, group, weights) in [
            (10, 1, vec![1, 1, 1]),
            (40, 4, vec![3, 1, 1, 1]),
            (41, 4, vec![1, 5]),
            (7, 2, vec![2, 1]),
        ] {
            let mut first = 0;
            for rank in 0..weights.len() as u32 {
                let node = Node::weighted(rank, &weights).unwrap();
                let whole = Settings { backlog: Some(100), ..open(1, sessions) };
                let shared = whole.shared(node, group).unwrap();
                assert_eq!((shared.node.first_session, first % group), (first, 0));
                let share = shared.node.slots.share();
                assert!((shared.backlog.unwrap() as f64 - 100.0 * share).abs() < 1.0);
                let fair = f64::from(sessions) * share;
                assert!((f64::from(shared.sessions) - fair).abs() <= f64::from(2 * group));
                first += shared.sessions;
            }
            assert_eq!(first, sessions);
        }
        let idle = open(1, 2).shared(Node::even(2, 3), 1).unwrap_err();
        assert_eq!(idle, PlanError::IdleNode { rank: 2, world: 3, connections: 2 });
        // Unchanged if the run has only one node.
        let (alone, requested) = (open(1, 5).shared(Node::default(), 2).unwrap(), open(1, 5));
        assert_eq!(alone, requested);
    }

    #[test]
    fn invalid_settings_are_refused() {
        let refused = |change: fn(&mut Settings)| {
            let mut settings = open(1, 2);
            change(&mut settings);
            Plan::new(settings, 2).unwrap_err()
        };
        assert_eq!(refused(|s| s.sessions = 0), PlanError::NoSession);
        let many = 4_000_000_000;
        assert_eq!(refused(|s| s.sessions = 4_000_000_000), PlanError::Sessions(many));
        assert_eq!(refused(|s| s.backlog = Some(4_000_000_000)), PlanError::Backlog(many as usize));
        assert_eq!(refused(|s| s.stop.count = Some(0)), PlanError::Nothing("operations"));
        let two = PlanError::Workers { workers: 2, connections: 1 };
        assert_eq!(refused(|s| s.workers = Some(2)), two);
        assert_eq!(refused(|s| s.node.rank = 1), PlanError::Node { rank: 1, world: 1 });
        let millisecond = Duration::from_millis(1);
        assert_eq!(
            refused(|s| s.interval = Duration::from_millis(1)),
            PlanError::Interval(millisecond)
        );
    }
}
