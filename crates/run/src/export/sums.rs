//! [`Sums`]: the figures of a run for other tools, added up from its intervals in memory that does not grow with it.
//!
//! Sums are by phase, as in the record: the record's figures of operations are the sum of the steady phase and the
//! drain. Operations, codes, parts and tallies beyond a fixed number share one value of their label.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_exchange::Outcome;
use brunt_record::{Catalogue, Codes, Counts, Head, Interval, Names, Operation, Phase};

use super::family;
use super::labels::{self, Labels, OTHER};
use super::semantic::Semantic;
use super::snapshot::{Snapshot, Value};
use super::times::Times;

/// The most operations with values of their own.
const OPERATIONS_MAX: usize = 50;
/// The most groups, which are the spans of a catalogue, with values of their own.
const GROUPS_MAX: usize = 50;
/// The most codes with values of their own, over all operations.
const CODES_MAX: usize = 32;
/// The most parts.
const PARTS_MAX: usize = 16;
/// The most tallies.
const TALLIES_MAX: usize = 64;
/// The most workers.
const WORKERS_MAX: usize = 32;

/// How exchanges end, in the terms of the record.
const OUTCOMES: [&str; 5] = ["ok", "failed", "timed-out", "cut-off", "skipped"];

/// The sums of a run so far.
pub(super) struct Sums<'a> {
    names: Names<'a>,
    /// Whether durations are counted by powers of a base, too.
    powers: bool,
    /// What OpenTelemetry calls each operation.
    semantics: Vec<Option<Semantic>>,
    run: Vec<String>,
    target: [Option<f64>; 2],
    sessions: u64,
    catalogue: Shown,
    phases: BTreeMap<Phase, PhaseSums>,
    workers: BTreeMap<usize, [Duration; 2]>,
    stalled: Duration,
    socket_drops: u64,
    last: Option<Last>,
}

/// The labels, and which of them each item of the catalogue has.
struct Shown {
    operations: Labels,
    groups: Labels,
    codes: Labels,
    parts: Labels,
    tallies: Labels,
    of_operation: Vec<usize>,
    of_group: Vec<usize>,
    of_part: Vec<usize>,
    of_tally: Vec<usize>,
}

/// Figures of the last interval only.
struct Last {
    phase: Phase,
    to: Duration,
    backlog: u64,
    in_flight: u64,
}

/// The sums of one phase.
#[derive(Default)]
struct PhaseSums {
    operations: BTreeMap<usize, OperationSums>,
    groups: BTreeMap<usize, OperationSums>,
    parts: BTreeMap<usize, Times>,
    tallies: BTreeMap<usize, u64>,
    due: u64,
    dropped: u64,
    dropped_wait: Times,
    lag: Times,
    lateness: Times,
    orphans: u64,
    reconnected: u64,
    resent: u64,
}

/// The sums of one operation or group, or of all that share its label.
#[derive(Default)]
struct OperationSums {
    ended: Counts,
    response: Times,
    service: Times,
    /// The parts of the service times that ended in an answer or a failure, and in a time-out.
    answered: Times,
    unanswered: Times,
    /// By class and the number of the code's label.
    codes: BTreeMap<(&'static str, usize), u64>,
}

impl<'a> Sums<'a> {
    /// Empty sums for the run with this head.
    pub(super) fn new(head: &Head, names: Names<'a>) -> Self {
        let target = head.plan.target.as_deref().unwrap_or_default();
        let node = head.node.as_ref().map_or_else(String::new, ToString::to_string);
        let run = [head.run.as_str(), &head.tool.version, head.plan.mode.word(), target, &node];
        let catalogue = Shown::new(&head.catalogue);
        // If a counter first appears with its first count, queries see no increase; so it starts at 0.
        let zero = |label: &usize| (*label, OperationSums::default());
        let steady = PhaseSums {
            operations: catalogue.of_operation.iter().map(zero).collect(),
            groups: catalogue.of_group.iter().map(zero).collect(),
            ..PhaseSums::default()
        };
        Self {
            names,
            powers: false,
            semantics: Vec::new(),
            run: run.map(labels::value).to_vec(),
            target: [head.plan.target_rate, head.plan.target_iterations],
            sessions: head.plan.sessions,
            catalogue,
            phases: BTreeMap::from([(Phase::Steady, steady)]),
            workers: BTreeMap::new(),
            stalled: Duration::ZERO,
            socket_drops: 0,
            last: None,
        }
    }

    /// The same with what is wanted for OpenTelemetry: powers of a base, and its own names.
    pub(super) fn for_opentelemetry(self, powers: bool, semantics: &[Option<Semantic>]) -> Self {
        Self { powers, semantics: semantics.to_vec(), ..self }
    }

    /// Adds an interval.
    pub(super) fn absorb(&mut self, interval: &Interval) {
        let phase = self.phases.entry(interval.phase).or_default();
        phase.absorb(interval, &mut self.catalogue, (self.names, self.powers));
        for load in &interval.health.workers {
            let sums = self.workers.entry(usize::from(load.worker).min(WORKERS_MAX)).or_default();
            sums[0] += load.cpu;
            sums[1] += load.waited;
        }
        self.stalled += interval.health.stalled;
        self.socket_drops += interval.health.socket_drops;
        let behind = self.last.as_ref().is_some_and(|last| last.to > interval.to);
        if !behind {
            self.last = Some(Last {
                phase: interval.phase,
                to: interval.to,
                backlog: interval.backlog_peak,
                in_flight: interval.in_flight,
            });
        }
    }

    /// The figures as they are now.
    pub(super) fn snapshot(&self, finished: bool) -> Snapshot {
        let mut shown = Snapshot { finished, ..Snapshot::default() };
        self.of_the_run(&mut shown);
        self.of_exchanges(&mut shown);
        self.of_times(&mut shown);
        self.of_requests(&mut shown);
        self.of_the_driver(&mut shown);
        self.of_the_generator(&mut shown);
        shown
    }

    fn of_the_run(&self, shown: &mut Snapshot) {
        shown.add(family::RUN, [(self.run.clone(), Value::Count(1))]);
        let elapsed = self.last.as_ref().map_or(0, |last| last.to.as_nanos());
        shown.one(family::ELAPSED, Value::Nanos(elapsed));
        shown.one(family::FINISHED, Value::Count(shown.finished.into()));
        let now = self.last.as_ref().map(|last| last.phase);
        let is_now = |phase: Phase| Value::Count((now == Some(phase)).into());
        shown.add(
            family::PHASE,
            Phase::ALL.map(|phase| (vec![phase.word().to_owned()], is_now(phase))),
        );
        for (family, requested) in
            [family::TARGET_RATE, family::TARGET_ITERATIONS].into_iter().zip(self.target)
        {
            shown.add(family, requested.map(|requested| (Vec::new(), Value::Number(requested))));
        }
        shown.one(family::SESSIONS, Value::Count(self.sessions));
    }

    fn of_exchanges(&self, shown: &mut Snapshot) {
        shown.add(family::DUE, self.by_phase(|sums| Value::Count(sums.due)));
        shown.add(family::EXCHANGES, self.by_operation(OperationSums::outcomes));
        shown.add(family::DROPPED, self.by_phase(|sums| Value::Count(sums.dropped)));
        let codes = |sums: &OperationSums| sums.codes(&self.catalogue.codes);
        shown.add(family::CODES, self.by_operation(codes));
        shown.add(family::GROUPS, self.by_group(OperationSums::outcomes));
        shown.add(family::GROUP_CODES, self.by_group(codes));
        let items = self.by_operation(|sums| vec![(Vec::new(), Value::Count(sums.ended.items))]);
        shown.add(family::ITEMS, items);
    }

    fn of_times(&self, shown: &mut Snapshot) {
        let times = |times: &Times| Value::Times(Box::new(times.clone()));
        let response = self.by_operation(|sums| vec![(Vec::new(), times(&sums.response))]);
        shown.add(family::RESPONSE, response);
        let service = self.by_operation(|sums| vec![(Vec::new(), times(&sums.service))]);
        shown.add(family::SERVICE, service);
        let whole = self.by_group(|sums| vec![(Vec::new(), times(&sums.response))]);
        shown.add(family::GROUP_TIME, whole);
        shown.add(family::DROPPED_WAIT, self.by_phase(|sums| times(&sums.dropped_wait)));
        let parts = self.phases.iter().flat_map(|(phase, sums)| {
            let label = |part| vec![self.catalogue.parts.value(part).to_owned(), word(*phase)];
            sums.parts.iter().map(move |(part, took)| (label(*part), times(took)))
        });
        shown.add(family::PART, parts);
        shown.add(family::LAG, self.by_phase(|sums| times(&sums.lag)));
        shown.add(family::LATENESS, self.by_phase(|sums| times(&sums.lateness)));
    }

    /// The requests under the names of OpenTelemetry's conventions. What was in flight at the end is left out.
    fn of_requests(&self, shown: &mut Snapshot) {
        let mut points = Vec::new();
        for (phase, sums) in &self.phases {
            for (label, sums) in &sums.operations {
                let number = self.catalogue.of_operation.iter().position(|it| it == label);
                let semantic = number.and_then(|number| self.semantics.get(number)?.as_ref());
                let Some(semantic) = semantic else { continue };
                let name = self.catalogue.operations.value(*label);
                for (error, times) in [("", &sums.answered), ("timeout", &sums.unanswered)] {
                    if times.count() > 0 {
                        let labels = semantic.labels(error, name, &word(*phase));
                        points.push((labels, Value::Times(Box::new(times.clone()))));
                    }
                }
            }
        }
        shown.add(family::HTTP_CLIENT, points);
    }

    fn of_the_driver(&self, shown: &mut Snapshot) {
        if let Some(last) = &self.last {
            shown.one(family::BACKLOG, Value::Count(last.backlog));
            shown.one(family::IN_FLIGHT, Value::Count(last.in_flight));
        }
        for (family, count) in [
            (family::ORPHANS, (|sums| sums.orphans) as fn(&PhaseSums) -> u64),
            (family::RECONNECTED, |sums| sums.reconnected),
            (family::RESENT, |sums| sums.resent),
        ] {
            shown.add(family, self.by_phase(|sums| Value::Count(count(sums))));
        }
        let tallies = self.phases.iter().flat_map(|(phase, sums)| {
            let label = |tally| vec![self.catalogue.tallies.value(tally).to_owned(), word(*phase)];
            sums.tallies.iter().map(move |(tally, count)| (label(*tally), Value::Count(*count)))
        });
        shown.add(family::TALLIES, tallies);
    }

    fn of_the_generator(&self, shown: &mut Snapshot) {
        for (at, family) in [family::CPU, family::WAITED].into_iter().enumerate() {
            let used = self.workers.iter().map(|(worker, used)| {
                let beyond = *worker == WORKERS_MAX;
                let name = if beyond { OTHER.to_owned() } else { worker.to_string() };
                (vec![name], Value::Nanos(used[at].as_nanos()))
            });
            shown.add(family, used);
        }
        shown.one(family::STALLED, Value::Nanos(self.stalled.as_nanos()));
        shown.one(family::SOCKET_DROPS, Value::Count(self.socket_drops));
    }

    fn by_phase(
        &self,
        value: impl Fn(&PhaseSums) -> Value,
    ) -> impl Iterator<Item = (Vec<String>, Value)> {
        let shown =
            self.phases.iter().filter(|(_, sums)| sums.due > 0 || !sums.operations.is_empty());
        shown.map(move |(phase, sums)| (vec![word(*phase)], value(sums)))
    }

    /// The points of each operation; the given labels come between the operation and the phase.
    fn by_operation(
        &self,
        points: impl Fn(&OperationSums) -> Vec<(Vec<String>, Value)>,
    ) -> Vec<(Vec<String>, Value)> {
        self.of_each(&self.catalogue.operations, |sums| &sums.operations, points)
    }

    /// The same of each group. What groups consist of is in the operations, so the two share no family of metrics.
    fn by_group(
        &self,
        points: impl Fn(&OperationSums) -> Vec<(Vec<String>, Value)>,
    ) -> Vec<(Vec<String>, Value)> {
        self.of_each(&self.catalogue.groups, |sums| &sums.groups, points)
    }

    fn of_each(
        &self,
        names: &Labels,
        measured: impl Fn(&PhaseSums) -> &BTreeMap<usize, OperationSums>,
        points: impl Fn(&OperationSums) -> Vec<(Vec<String>, Value)>,
    ) -> Vec<(Vec<String>, Value)> {
        let mut all = Vec::new();
        for (phase, sums) in &self.phases {
            for (number, sums) in measured(sums) {
                let name = names.value(*number);
                all.extend(points(sums).into_iter().map(|(mut labels, value)| {
                    labels.insert(0, name.to_owned());
                    labels.push(word(*phase));
                    (labels, value)
                }));
            }
        }
        all
    }
}

fn word(phase: Phase) -> String {
    phase.word().to_owned()
}

impl PhaseSums {
    fn absorb(
        &mut self,
        interval: &Interval,
        catalogue: &mut Shown,
        (names, powers): (Names<'_>, bool),
    ) {
        let operations = interval.operations.len();
        for (number, measured) in interval.measured() {
            if measured.codes.total() == 0 {
                continue;
            }
            let sums = match number.checked_sub(operations) {
                None => self.operations.entry(label(&catalogue.of_operation, number)),
                Some(span) => self.groups.entry(label(&catalogue.of_group, span)),
            };
            let sums = sums.or_default();
            sums.absorb(measured, powers);
            sums.count_codes(&measured.codes, &mut catalogue.codes, |outcome| {
                names(number, outcome).name
            });
        }
        for (number, took) in interval.parts.iter().enumerate().filter(|(_, took)| !took.is_empty())
        {
            let label = label(&catalogue.of_part, number);
            self.parts.entry(label).or_default().add_to(took, powers);
        }
        for (number, count) in interval.tallies.iter().enumerate() {
            let label = label(&catalogue.of_tally, number);
            *self.tallies.entry(label).or_default() += count;
        }
        self.due += interval.planned;
        self.dropped += interval.dropped;
        self.dropped_wait.add_to(&interval.dropped_after, powers);
        self.lag.add_to(&interval.lag, powers);
        self.lateness.add_to(&interval.lateness, powers);
        self.orphans += interval.orphans;
        self.reconnected += interval.reconnected;
        self.resent += interval.resent;
    }
}

impl OperationSums {
    fn outcomes(&self) -> Vec<(Vec<String>, Value)> {
        let Counts { ok, failed, timed_out, cut_off, skipped, .. } = self.ended;
        let counts = OUTCOMES.into_iter().zip([ok, failed, timed_out, cut_off, skipped]);
        counts.map(|(outcome, count)| (vec![outcome.to_owned()], Value::Count(count))).collect()
    }

    fn codes(&self, names: &Labels) -> Vec<(Vec<String>, Value)> {
        let code = |((class, code), count): (&(&str, usize), &u64)| {
            (vec![(*class).to_owned(), names.value(*code).to_owned()], Value::Count(*count))
        };
        self.codes.iter().map(code).collect()
    }

    fn absorb(&mut self, measured: &Operation, powers: bool) {
        self.ended.merge(&measured.counts);
        let response = &measured.response;
        for times in [&response.ok, &response.failed, &response.timed_out, &response.cut_off] {
            self.response.add_to(times, powers);
        }
        for times in [&measured.service, &measured.service_timed_out, &measured.service_cut_off] {
            self.service.add_to(times, powers);
        }
        self.answered.add_to(&measured.service, powers);
        self.unanswered.add_to(&measured.service_timed_out, powers);
    }

    fn count_codes(&mut self, met: &Codes, labels: &mut Labels, name: impl Fn(Outcome) -> String) {
        for (outcome, count) in met.sorted() {
            let label = labels.number(&name(outcome));
            *self.codes.entry((class(outcome), label)).or_default() += count;
        }
        if met.other() > 0 {
            *self.codes.entry((OTHER, labels.number(OTHER))).or_default() += met.other();
        }
    }
}

/// The class of an outcome, as the record calls it.
const fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok(_) => "ok",
        Outcome::Failed(class, _) => class.word(),
        Outcome::TimedOut => "timed-out",
        Outcome::CutOff => "cut-off",
        Outcome::Skipped => "skipped",
    }
}

impl Shown {
    fn new(catalogue: &Catalogue) -> Self {
        let (operations, of_operation) = numbered(&catalogue.operations, OPERATIONS_MAX);
        let (groups, of_group) = numbered(&catalogue.spans, GROUPS_MAX);
        let (parts, of_part) = numbered(&catalogue.parts, PARTS_MAX);
        let (tallies, of_tally) = numbered(&catalogue.tallies, TALLIES_MAX);
        let codes = Labels::new(CODES_MAX);
        Self {
            operations,
            groups,
            codes,
            parts,
            tallies,
            of_operation,
            of_group,
            of_part,
            of_tally,
        }
    }
}

/// The label of the item with this number. An item that is in no catalogue is a bug here, and counts with the first.
fn label(labels: &[usize], number: usize) -> usize {
    debug_assert!(number < labels.len(), "{number} is not in the catalogue");
    labels.get(number).copied().unwrap_or_default()
}

fn numbered(names: &[String], most: usize) -> (Labels, Vec<usize>) {
    let mut labels = Labels::new(most);
    let numbers = names.iter().map(|name| labels.number(name)).collect();
    (labels, numbers)
}

#[cfg(test)]
mod tests;
