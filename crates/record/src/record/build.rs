//! Makes a [`Record`] from what was measured. All arithmetic between an interval and a document is here.

use super::generator::{self, Seen};
use super::outcome::{class, codes};
use super::{
    Basis, ConnectionRecord, Conservation, Ending, Generator, Head, Mode, OperationRecord,
    PartRecord, PhaseRecord, Plan, Rates, Record, SCHEMA, SampleRecord, StepOperationRecord,
    StepRecord, TallyRecord, rate,
};
use crate::{
    Away, Codes, Counts, Evidence, Health, Histogram, Interval, Latency, Noun, Operation, Phase,
    Series, Slo, SloError, SloResult, Step, StepOperation, Totals, Usual, Verdict,
};
use brunt_exchange::{Named, Outcome};
use std::time::Duration;

/// In this time after a silence the exchanges that waited in it are answered.
const ANSWERED_TOGETHER: Duration = Duration::from_secs(1);

/// What the protocol knows of an outcome of the operation with this number.
pub type Names<'a> = &'a dyn Fn(usize, Outcome) -> Named;

/// Everything that a record is made from.
pub struct Conclusion<'a> {
    /// What was known before the run.
    pub head: Head,
    /// The names of outcomes, by operation.
    pub names: Names<'a>,
    /// What was measured, by phase.
    pub totals: &'a Totals,
    /// What was measured, over time.
    pub series: &'a Series,
    /// What is known now that it is over.
    pub ending: Ending,
}

/// What was measured, with its verdict.
struct Judged {
    measured: Interval,
    steady: Interval,
    rates: Rates,
    unready: Codes,
    away: Vec<Away>,
    generator: Generator,
    verdict: Verdict,
}

impl Conclusion<'_> {
    /// Makes the record. Fails if an objective is about something that the run did not have.
    pub fn record(self) -> Result<Record, SloError> {
        let Judged { measured, steady, rates, unready, away, generator, verdict } = self.judged();
        let counts = self.totals.counts();
        let imbalance = counts.conserved().err();
        let mut record = Record {
            schema: SCHEMA.to_owned(),
            phases: self.totals.phases().iter().map(|total| self.phase(total)).collect(),
            counts: measured.counts(),
            conservation: Conservation {
                counts,
                holds: imbalance.is_none(),
                imbalance: imbalance.map(|error| error.to_string()),
            },
            operations: self.operations(&measured, &steady, &rates),
            spans: self.spans(&measured, &steady, &rates),
            scenarios: Vec::new(),
            parts: self.parts(&measured),
            response: self.response(&measured),
            dropped_after: self.bounded(&Histogram::new(), &measured.dropped_after),
            dropped_tainted: measured.dropped_tainted,
            away,
            connections: ConnectionRecord {
                reconnected: measured.reconnected,
                resent: measured.resent,
                unready: codes(0, &unready, self.names),
            },
            lag: Latency::new(&measured.lag, &self.head.percentiles),
            lateness: Latency::new(&measured.lateness, &self.head.percentiles),
            backlog_peak: measured.backlog_peak,
            orphans: measured.orphans,
            tallies: self.tallies(&measured),
            series: self.series.steps().iter().map(|one| step(one, self.names)).collect(),
            generator,
            monitors: Vec::new(),
            samples: self.samples(),
            slo: Vec::new(),
            rates,
            pace: (self.head.node.is_some() && !steady.pace.is_empty())
                .then(|| steady.pace.to_text()),
            verdict,
            outcome: None,
            run: Some(self.head.run),
            node: self.head.node.clone(),
            nodes: Vec::new(),
            fingerprint: Some(self.head.fingerprint),
            tool: self.head.tool,
            started: self.head.started,
            command: self.head.command,
            search: self.head.search,
            plan: self.head.plan,
            environment: self.head.environment,
        };
        record.slo = evaluated(&self.head.objectives, &record)?;
        Ok(record.with_outcome())
    }

    /// The verdict that the run would get if it ended now.
    pub(crate) fn verdict(&self) -> Verdict {
        self.judged().verdict
    }

    /// Gathers the evidence for and against the figures, and judges them.
    fn judged(&self) -> Judged {
        let nothing =
            || Interval::new(self.head.catalogue.operations.len(), self.head.catalogue.parts.len());
        let measured = self.totals.measured().unwrap_or_else(nothing);
        let steady = self.totals.phase(Phase::Steady).cloned().unwrap_or_else(nothing);
        let rates = Rates::new(&steady, &self.ending.timing, &self.head.plan);
        let health = self.health();
        let away = self.away(&measured, &health);
        let mut unready = Codes::default();
        self.totals.phases().iter().for_each(|total| unready.merge(&total.unready));
        let generator = generator::record(&Seen {
            steady: &steady,
            health: &health,
            series: self.series,
            noise: self.ending.timing.noise,
            in_process: self.head.in_process,
            ports: self.head.ports,
            ceiling: self.head.ceiling,
            achieved: rates.achieved,
        });
        let requested: Vec<f64> = self.head.objectives.iter().filter_map(Slo::percentile).collect();
        let judged =
            if self.ending.settled { rates.clone() } else { self.settled(&rates, &steady) };
        let verdict = Verdict::new(&Evidence {
            measured: &measured,
            steps: self.series.steps(),
            counts: self.counts_so_far(),
            plan: &self.head.plan,
            rates: &judged,
            generator: &generator,
            unready: &unready,
            away: &away,
            requested: &requested,
            names: &self.head.catalogue.operations,
            interrupted: self.ending.early().as_ref(),
            remark: self.ending.remark.as_deref(),
            present: self.ending.present.as_deref(),
        });
        Judged { measured, steady, rates, unready, away, generator, verdict }
    }

    /// The counts of the whole run. Exchanges that have not ended yet are not lost.
    fn counts_so_far(&self) -> Counts {
        let counts = self.totals.counts();
        if self.ending.settled { counts } else { ended(counts) }
    }

    /// The rates without exchanges that have not ended yet, which cannot have been answered.
    fn settled(&self, rates: &Rates, steady: &Interval) -> Rates {
        let offered = rate(ended(steady.counts()).planned, self.ending.timing.window());
        Rates { offered, ..rates.clone() }
    }

    fn bounded(&self, known: &Histogram, bounds: &Histogram) -> Latency {
        Latency::with_bounds(known, bounds, &self.head.percentiles)
    }

    /// How the generator performed over all phases: a stall in the warm-up may still have an effect in the steady
    /// phase.
    fn health(&self) -> Health {
        let mut health = Health::default();
        self.totals.phases().iter().for_each(|total| health.merge(&total.health));
        health
    }

    fn away(&self, measured: &Interval, health: &Health) -> Vec<Away> {
        let usual = |answered| self.usual(measured, answered);
        let until = self.ending.timing.to;
        self.totals.absences().found(&usual, &health.stalls, self.lacked(), until)
    }

    /// How long the target usually takes, without what it answered within a second of this moment, if anything is left.
    fn usual(&self, measured: &Interval, answered: Option<Duration>) -> Usual {
        let mut others = Histogram::new();
        if let Some(at) = answered {
            let apart = |step: &&Step| step.to <= at || step.from > at + ANSWERED_TOGETHER;
            let steps = self.series.steps().iter().filter(|step| step.phase == Phase::Steady);
            for operation in steps.filter(apart).flat_map(|step| &step.operations) {
                others.merge(&operation.service());
            }
        }
        if others.is_empty() {
            measured.operations.iter().for_each(|operation| others.merge(&operation.service));
        }
        Usual::new(&others)
    }

    /// Whether the generator's own machine had too few ports or descriptors.
    fn lacked(&self) -> bool {
        let ours = |codes: &Codes| {
            codes
                .sorted()
                .into_iter()
                .any(|(outcome, _)| matches!(outcome, Outcome::Failed(class, _) if class.ours()))
        };
        self.totals.phases().iter().any(|total| {
            ours(&total.unready) || total.operations.iter().any(|operation| ours(&operation.codes))
        })
    }

    fn phase(&self, total: &Interval) -> PhaseRecord {
        let (from, to) = match total.phase {
            Phase::Steady => (self.ending.timing.from, self.ending.timing.to),
            Phase::Drain => (self.ending.timing.to, self.ending.timing.over),
            _ => (total.from, total.to),
        };
        let (from_s, to_s) = (seconds(from), seconds(to));
        PhaseRecord { name: total.phase, from_s, to_s, counts: total.counts() }
    }

    fn operations(
        &self,
        measured: &Interval,
        steady: &Interval,
        rates: &Rates,
    ) -> Vec<OperationRecord> {
        let operations = measured.operations.iter().enumerate().map(|(number, operation)| {
            let due = steady.operations.get(number);
            let rates = due.map_or([None; 2], |due| rates.of(number, due, steady));
            let name = self.head.catalogue.operation(number).to_owned();
            self.operation((number, name), operation, rates)
        });
        operations.collect()
    }

    /// The spans. The names of their outcomes follow those of the operations.
    fn spans(&self, measured: &Interval, steady: &Interval, rates: &Rates) -> Vec<OperationRecord> {
        let names = self.head.catalogue.spans.iter().zip(self.head.catalogue.operations.len()..);
        let nothing = Operation::new();
        let spans = names.enumerate().map(|(at, (name, number))| {
            let span = measured.spans.get(at).unwrap_or(&nothing);
            let goodput = rates.of_span(at, steady);
            self.operation((number, name.clone()), span, [None, goodput])
        });
        spans.collect()
    }

    fn operation(
        &self,
        (number, name): (usize, String),
        operation: &Operation,
        [achieved, goodput]: [Option<f64>; 2],
    ) -> OperationRecord {
        let (response, counts) = (&operation.response, operation.counts);
        let latency = |times: &Histogram| Latency::new(times, &self.head.percentiles);
        OperationRecord {
            name,
            within: self.head.catalogue.within(number).map(str::to_owned),
            counts,
            achieved,
            goodput,
            codes: codes(number, &operation.codes, self.names),
            response: self.bounded(&response.answered(), &response.censored()),
            ok: (counts.missed() > 0).then(|| latency(&response.ok)),
            ok_without_own: (response.cleared() != &response.ok)
                .then(|| latency(response.cleared())),
            service: self.bounded(&operation.service, &operation.service_censored()),
            tainted: (operation.tainted != Counts::default()).then_some(operation.tainted),
        }
    }

    /// The response time of all that was due; `None` where one operation has the same.
    fn response(&self, measured: &Interval) -> Option<Latency> {
        if measured.operations.len() == 1 && measured.dropped == 0 {
            return None;
        }
        let (mut known, mut bounds) = (Histogram::new(), measured.dropped_after.clone());
        for operation in &measured.operations {
            known.merge(&operation.response.answered());
            bounds.merge(&operation.response.censored());
        }
        Some(self.bounded(&known, &bounds))
    }

    /// Parts of what was measured, and of the preparation, in which most connections are opened.
    fn parts(&self, measured: &Interval) -> Vec<PartRecord> {
        let prepared = self.totals.phase(Phase::Prepare);
        let parts = (0..measured.parts.len()).map(|number| {
            let mut took = measured.parts[number].clone();
            prepared
                .and_then(|phase| phase.parts.get(number))
                .into_iter()
                .for_each(|part| took.merge(part));
            PartRecord {
                name: self.head.catalogue.part(number).to_owned(),
                took: Latency::new(&took, &self.head.percentiles),
            }
        });
        parts.collect()
    }

    fn tallies(&self, steady: &Interval) -> Vec<TallyRecord> {
        let counts = steady.tallies.iter().copied().chain(std::iter::repeat(0));
        let named = self.head.catalogue.tallies.iter().zip(counts);
        named.map(|(name, count)| TallyRecord { name: name.clone(), count }).collect()
    }

    fn samples(&self) -> Vec<SampleRecord> {
        let samples = self.totals.samples().iter().map(|sample| {
            let (class, code) = class(sample.outcome);
            SampleRecord {
                operation: self.head.catalogue.operation(usize::from(sample.operation)).to_owned(),
                class: class.to_owned(),
                code,
                at_s: seconds(sample.at),
                text: sample.text.clone(),
                address: sample.unreached.as_ref().map(|to| to.address.clone()),
                error: sample.error(),
                sent: sample.sent.clone(),
                answer: sample.answer.clone(),
            }
        });
        samples.collect()
    }
}

impl Plan {
    /// A closed loop of `sessions` virtual users, as fast as it goes.
    pub fn closed(sessions: u64, seed: u64) -> Self {
        Self {
            mode: Mode::Closed,
            target_rate: None,
            target_iterations: None,
            constant: true,
            stages_s: Vec::new(),
            sessions,
            seed,
            first_exchange: 0,
            latency_basis: Basis::Response,
            target: None,
            noun: Noun::default(),
        }
    }

    /// A constant arrival rate.
    pub fn open(target_rate: f64, sessions: u64, seed: u64) -> Self {
        Self { mode: Mode::Open, target_rate: Some(target_rate), ..Self::closed(sessions, seed) }
    }
}

/// Of these exchanges, those that have ended.
fn ended(counts: Counts) -> Counts {
    Counts { planned: counts.sent + counts.dropped + counts.skipped, ..counts }
}

/// The results of the objectives.
fn evaluated(objectives: &[Slo], record: &Record) -> Result<Vec<SloResult>, SloError> {
    objectives.iter().map(|slo| slo.evaluate(record)).collect()
}

/// A step lists three percentiles only: its histograms contain the others, and there are many steps.
fn step(step: &Step, names: Names<'_>) -> StepRecord {
    const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];
    let one = |(number, operation): (usize, &StepOperation)| StepOperationRecord {
        counts: operation.counts,
        codes: codes(number, &operation.codes, names),
        response: Latency::with_bounds(&operation.response(), &operation.censored(), &PERCENTILES),
        service: Latency::with_bounds(
            &operation.service(),
            &operation.service_censored(),
            &PERCENTILES,
        ),
    };
    let spans = (step.operations.len()..).zip(&step.spans);
    let mut ended = Counts { dropped: step.dropped, ..Counts::default() };
    step.operations.iter().for_each(|operation| ended.merge(&operation.counts));
    StepRecord {
        index: step.index,
        intervals: step.intervals,
        phase: step.phase,
        from_s: seconds(step.from),
        to_s: seconds(step.to),
        due: step.due,
        ended: Counts { planned: 0, ..ended },
        backlog_peak: step.backlog_peak,
        in_flight: step.in_flight,
        orphans: step.orphans,
        tallies: step.tallies.clone(),
        busiest: step.busiest,
        operations: step.operations.iter().enumerate().map(one).collect(),
        spans: spans.map(one).collect(),
        lag: Latency::new(&step.lag(), &PERCENTILES),
        lateness: Latency::new(&step.lateness(), &PERCENTILES),
    }
}

fn seconds(at: Duration) -> f64 {
    at.as_secs_f64()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Catalogue, Cause, Own, PortBudget, Sample, SloOutcome, Timing, Tool, WorkerLoad};
    use brunt_exchange::{Class, Meaning, Moment, Part, Stamps};

    const MS: u64 = 1_000_000;

    fn interval(second: u64) -> Interval {
        let mut interval = Interval::new(2, 1);
        interval.reset(second, Phase::Steady, Duration::from_secs(2 + second));
        interval.to = Duration::from_secs(3 + second);
        let stamps = |took| Stamps {
            due: Moment::ZERO,
            free: Moment::ZERO,
            sent: Moment::from_nanos(MS),
            ended: Moment::from_nanos(took * MS),
        };
        for n in 0..90 {
            let refused = second < 9 && n % 9 == 0 || second == 9 && n < 9;
            let outcome = if refused { Outcome::Failed(Class::Result, 49) } else { Outcome::Ok(0) };
            interval.record(0, outcome, &stamps(1), 0, Own::default());
        }
        (0..5).for_each(|_| interval.record(1, Outcome::Ok(0), &stamps(4), 2, Own::default()));
        (0..100).for_each(|_| interval.plan());
        (0..5).for_each(|_| interval.drop_after(Duration::from_millis(3), false));
        interval.backlog_peak = second;
        interval.health.record(WorkerLoad {
            node: 0,
            worker: 0,
            cpu: Duration::from_millis(100 * (second + 1) / 2),
            wall: Duration::from_secs(1),
            waited: Duration::ZERO,
            runs: 0,
            unseen: false,
        });
        interval
    }

    /// Ten steady seconds at 100/s: 900 binds of 1 ms, 99 of them refused, 50 searches of 4 ms with two entries each,
    /// 50 dropped. Every exchange was sent 1 ms late.
    pub(crate) fn measured() -> Record {
        let (mut totals, mut series) = (Totals::new(), Series::new());
        let mut prepare = Interval::new(2, 1);
        prepare.reset(0, Phase::Prepare, Duration::ZERO);
        prepare.to = Duration::from_secs(2);
        prepare.part(Part(0), Duration::from_millis(7));
        let outcome = Outcome::Failed(Class::Result, 49);
        prepare.samples.push(Sample {
            operation: 0,
            outcome,
            at: Duration::from_secs(1),
            text: "no".into(),
            unreached: None,
            sent: None,
            answer: None,
        });
        for interval in std::iter::once(prepare).chain((0..10).map(interval)) {
            totals.absorb(&interval);
            series.push(&interval);
        }
        let name = |_, outcome| match outcome {
            Outcome::Ok(0) => "success".into(),
            Outcome::Failed(Class::Result, 49) => {
                let meaning = Some(Meaning::RefusedLogin);
                Named { name: "invalidCredentials".to_owned(), meaning }
            }
            other => format!("{other:?}").into(),
        };
        let timing = Timing {
            from: Duration::from_secs(2),
            to: Duration::from_secs(12),
            over: Duration::from_secs(12),
            ..Timing::default()
        };
        let tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
        let started = "2026-01-02T03:04:05Z".parse().unwrap();
        let catalogue = Catalogue::new(["bind", "search"], ["connect"]);
        let conclusion = Conclusion {
            head: Head {
                command: vec!["brunt".into(), "authrate".into()],
                ports: Some(PortBudget { available: 28_232, needed: 600 }),
                ceiling: Some(950.0),
                objectives: vec!["bind.p99<20ms".parse().unwrap(), "dropped==0".parse().unwrap()],
                ..Head::new("a".repeat(32), started, tool, Plan::open(100.0, 10, 7), catalogue)
            },
            names: &name,
            totals: &totals,
            series: &series,
            ending: Ending::planned(timing),
        };
        conclusion.record().unwrap()
    }

    #[test]
    fn rates_target_offered_achieved_and_goodput_differ() {
        let rates = measured().rates;
        assert!((rates.seconds - 10.0).abs() < 1e-9);
        assert_eq!(rates.target, Some(100.0));
        assert_eq!(rates.offered, Some(100.0));
        assert_eq!(rates.achieved, Some(95.0));
        assert_eq!(rates.goodput, Some(85.1));
    }

    #[test]
    fn achieved_excludes_unanswered_exchanges() {
        let mut lost = interval(0);
        let now = Moment::ZERO;
        let stamps = Stamps { due: now, free: now, sent: now, ended: now };
        for outcome in [Outcome::Failed(Class::Connect, 111), Outcome::TimedOut] {
            lost.record(0, outcome, &stamps, 0, Own::default());
        }
        let achieved = |interval: &Interval| {
            let timing = Timing { to: Duration::from_secs(1), ..Timing::default() };
            Rates::new(interval, &timing, &Plan::closed(1, 0)).achieved.unwrap()
        };
        let before = achieved(&interval(0));
        assert!((achieved(&lost) - before).abs() < 1e-9);
        lost.record(0, Outcome::Failed(Class::Result, 49), &stamps, 0, Own::default());
        assert!((achieved(&lost) - before - 1.0).abs() < 1e-9);
    }

    #[test]
    fn operations_add_up_to_the_total() {
        let record = measured();
        assert_eq!(record.operations[0].counts.failed, 99);
        let codes: u64 = record.operations[0].codes.iter().map(|code| code.count).sum();
        assert_eq!(codes, 900);
        let refused = &record.operations[0].codes[1];
        assert_eq!(refused.name, "invalidCredentials");
        assert!(refused.means(Meaning::RefusedLogin) && !refused.means(Meaning::Busy));
        assert_eq!(record.operations[0].codes[0].meaning, None);
        assert_eq!(record.operations[1].counts.items, 100);
        assert_eq!(record.operations[1].achieved, Some(5.0));
        assert_eq!(record.counts.sent, 950);
        assert!(record.conservation.holds);
        let steps: u64 =
            record.series.iter().flat_map(|step| &step.operations).map(|o| o.counts.ok).sum();
        assert_eq!(steps, record.counts.ok);
    }

    #[test]
    fn generator_figures_are_recorded() {
        let record = measured();
        assert_eq!(record.parts[0].took.max_ns, Some(7_000_000));
        assert_eq!(record.lag.mean_us, Some(1_000.0));
        assert_eq!(record.backlog_peak, 9);
        // 50, 100, 150 … 500 ms of processor time in ten seconds.
        assert_eq!(record.generator.cpu_share_max, Some(0.275));
        assert_eq!(record.generator.cpu_share_peak, Some(0.5));
        assert_eq!(record.generator.ceiling_ratio, Some(0.1));
        assert_eq!(record.samples[0].text, "no");
        assert_eq!(
            record.slo.iter().map(|slo| slo.outcome == SloOutcome::Met).collect::<Vec<_>>(),
            [false, false]
        );
    }

    #[test]
    fn record_of_a_run_without_steady_phase_is_valid() {
        let (totals, series) = (Totals::new(), Series::new());
        let tool = Tool { name: "brunt".into(), version: "0".into() };
        let catalogue = Catalogue::new(["bind"], []);
        let (started, plan) = (jiff::Timestamp::UNIX_EPOCH, Plan::closed(1, 0));
        let signal = Cause::SignalAtOnce { signal: "SIGINT".to_owned() };
        let conclusion = Conclusion {
            head: Head::new(String::new(), started, tool, plan, catalogue),
            names: &|_, _| Named::default(),
            totals: &totals,
            series: &series,
            ending: Ending::planned(Timing::default()).cut_short(signal.into()),
        };
        let record = conclusion.record().unwrap();
        assert_eq!(record.rates.achieved, None);
        assert_eq!(record.verdict.status, crate::Status::Partial);
        assert!(!serde_json::to_string(&record).unwrap().contains("NaN"));
    }
}
