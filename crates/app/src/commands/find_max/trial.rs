//! [`Loader`]: makes the runs that a search orders, and watches each second of them.
//!
//! Each order is a run of its own with a stop of its own, and its numbering continues where the one before ended. The
//! search evaluates each second against the objectives; a run is ended as soon as the result is decided.

use std::ops::ControlFlow;
use std::time::Duration;

use brunt_capacity::{
    Ending, Kind, Measured as Figures, Objectives, Order, Outcome, Progress, Second,
    Step as Judged, Trial,
};
use brunt_engine::Ended;
use brunt_exchange::{Class, Clock as _, Meaning, Monotonic, Outcome as ExchangeOutcome};
use brunt_net::Network;
use brunt_record::{Interval, Measured, Phase, Record};
use brunt_run::World;
use brunt_run::options::run_options::RunOptions;
use brunt_run::{ExecutionError, Finished, Observer, ObserverFailure, Repeatable, Step, StepLoad};

use super::search_observer::SearchObserver;
use super::server::{Seen, ServerFigures};

/// How long what is in flight at the end of a step may take.
const DRAIN: Duration = Duration::from_secs(5);
/// If the share of refused logins exceeds that of the unloaded run by more than this, accounts may be locked.
const LOCKED_SHARE: f64 = 0.05;
/// If more than this share of exchanges is skipped, the actual rate was lower than the intended one.
const SKIPPED_SHARE: f64 = 0.001;
/// Why a search cannot begin if its load has no data.
const NO_DATA: &str =
    "a single session had nothing to work on: give the load data, such as leases with --preload";
/// A part of an interval that is shorter than this share of it does not count as a second.
const WHOLE: f64 = 0.9;

/// Makes the runs of a search.
pub(super) struct Loader<'a> {
    pub(super) load: &'a dyn Repeatable,
    pub(super) world: &'a World,
    network: &'a Network,
    pub(super) screen: Box<dyn SearchObserver + 'a>,
    /// The most iterations a second of a single session, where that is limited.
    pub(super) alone_under: Option<f64>,
    /// The figures that the goals are relative to.
    pub(super) relative_to: Vec<String>,
    /// The length of what counts as a second.
    pub(super) second: Duration,
    pub(super) server: Option<Box<dyn ServerFigures>>,
    clock: Monotonic,
    /// The number of the next exchange.
    next: u64,
    /// The share of logins that were refused in the unloaded run.
    refused_unstressed: Option<f64>,
    /// What failed for a reason other than the target.
    pub(super) failed: Option<String>,
    /// The number of exchanges that were answered in all steps together.
    pub(super) answered: u64,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        load: &'a dyn Repeatable,
        world: &'a World,
        network: &'a Network,
        screen: Box<dyn SearchObserver + 'a>,
    ) -> Self {
        Self {
            load,
            world,
            network,
            screen,
            alone_under: None,
            relative_to: Vec::new(),
            second: Duration::from_secs(1),
            server: None,
            clock: Monotonic::new(),
            next: 0,
            refused_unstressed: None,
            failed: None,
            answered: 0,
        }
    }

    /// A time as a number of the search's seconds.
    fn seconds(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.second.as_secs_f64()
    }

    fn scaled(&self, time: Duration) -> Duration {
        time.mul_f64(self.second.as_secs_f64())
    }

    fn step(&self, order: &Order) -> Step {
        Step {
            load: match (
                order.rate,
                self.alone_under.into_iter().chain(order.most).reduce(f64::min),
            ) {
                (Some(rate), _) => StepLoad::Poisson(rate),
                (None, Some(most)) => StepLoad::AloneUnder(most),
                (None, None) => StepLoad::Alone,
            },
            warm_up: self.scaled(order.warm_up),
            lasting: self.second * order.seconds.max(1),
            drain: DRAIN,
            interval: self.second,
            first: self.next,
            all_cores: order.all_cores,
            results: RunOptions::default(),
        }
    }

    /// Takes the measurements of a run.
    fn concluded(&mut self, order: &Order, finished: &Finished, seen: Seen) -> Outcome {
        let record = &finished.record;
        let counts = &record.conservation.counts;
        self.answered += counts.ok;
        // A user of the closed model makes iterations of its own: every n-th one, for n users.
        let users = match order.rate {
            None => self.load.subject().sessions.unwrap_or(1).max(1),
            Some(_) => 1,
        };
        // Workers learn at different moments that a step ends early, and a worker that continues leaves numbers out.
        let early = finished.engine.ended == Ended::Stopped;
        let margin = order.rate.filter(|_| early).map_or(0, |rate| rate.ceil() as u64);
        self.next += self.load.used(finished) * u64::from(users) + margin;
        let answered = unreachable(finished).is_none();
        // A user who ends it at once has seen neither a success nor a failure.
        let alone = order.kind == Kind::Baseline && finished.signal.is_none();
        if alone && counts.ok == 0 && counts.failed > 0 && answered {
            return self.broken(nothing_worked(record));
        }
        if alone && counts.sent == 0 && has_no_data(finished) {
            return self.broken(NO_DATA.to_owned());
        }
        let figures = match Figures::new(record, &self.relative_to) {
            Ok(figures) => figures,
            Err(error) => return self.broken(format!("failed to {error}")),
        };
        let limited = figures.limited.clone();
        let limited = limited.or_else(|| own_losses(finished)).or_else(|| without_data(record));
        let measured =
            Figures { server_cpu: seen.cores, server_counted: seen.counted, limited, ..figures };
        let ending = self.ending(finished);
        Outcome { measured, record: Some(Box::new(record.clone())), ending, took_s: 0.0 }
    }

    fn ending(&mut self, finished: &Finished) -> Ending {
        if finished.signal.is_some() {
            return Ending::Interrupted;
        }
        let record = &finished.record;
        if let Some(why) = &finished.aborted {
            return Ending::Protected(why.clone());
        }
        if let Some(why) = unreachable(finished) {
            return Ending::Unreachable(why);
        }
        let share = refused_logins(record);
        let usual = *self.refused_unstressed.get_or_insert(share);
        if share > usual + LOCKED_SHARE {
            return Ending::Protected(format!(
                "{:.0}% of the logins were refused, {:.0}% in the unloaded run: accounts may be locked",
                share * 100.0,
                usual * 100.0
            ));
        }
        Ending::Done
    }

    /// A run that could not be made ends the search: the target did not cause that. A run that the address policy kept
    /// back has no message of its own: the address policy knows the reason, and the program ends with it.
    fn not_made(&mut self, error: &ExecutionError) -> Outcome {
        let kept_out = matches!(error, ExecutionError::KeptOut(_));
        if let Some(refused) = self.network.address_policy().refused().filter(|_| kept_out) {
            return Outcome {
                ending: Ending::Protected(refused.to_string()),
                ..Outcome::default()
            };
        }
        self.broken(error.to_string())
    }

    /// A run that is no evidence ends the search.
    fn broken(&mut self, why: String) -> Outcome {
        self.failed = Some(why.clone());
        Outcome { ending: Ending::Protected(why), ..Outcome::default() }
    }
}

impl Trial for Loader<'_> {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        let began = self.clock.now();
        self.screen.begins(order);
        let idle = self.scaled(order.idle);
        if self.world.signals.wait(Some(idle)).is_some() {
            return Outcome { ending: Ending::Interrupted, ..Outcome::default() };
        }
        let step = Self::step(self, order);
        let mut watch = Watch {
            judge,
            objectives: &order.objectives,
            measured: &self.load.subject().measured,
            screen: self.screen.as_mut(),
            second: self.second,
            seconds: 0,
            of: order.seconds,
            done: false,
            server: self.server.as_mut(),
        };
        let finished = self.load.carry_out(&step, &mut [&mut watch], self.world);
        let seen = self.server.as_mut().map(|server| server.seen()).unwrap_or_default();
        let outcome = match finished {
            Ok(finished) => self.concluded(order, &finished, seen),
            Err(error) => self.not_made(&error),
        };
        Outcome { took_s: self.seconds(self.clock.now() - began), ..outcome }
    }

    fn judged(&mut self, step: &Judged, progress: &Progress) {
        self.screen.judged(step, progress);
    }
}

/// Why no session could be opened, if none could be.
fn unreachable(finished: &Finished) -> Option<String> {
    let counts = &finished.record.conservation.counts;
    if counts.ok > 0 {
        return None;
    }
    let phases = finished.measured.totals.phases();
    let codes = phases.iter().flat_map(|phase| &phase.operations);
    let connecting = |outcome| {
        matches!(outcome, ExchangeOutcome::Failed(Class::Connect | Class::Tls | Class::Closed, _))
    };
    let codes = codes.flat_map(|operation| operation.codes.sorted());
    let lost: u64 = codes.filter(|(outcome, _)| connecting(*outcome)).map(|(_, count)| count).sum();
    let away = lost > 0 || counts.planned > 0 && counts.failed == 0;
    away.then(|| {
        let reported = finished.record.samples.first().map(|sample| sample.text.clone());
        reported.unwrap_or_else(|| "nothing was answered".to_owned())
    })
}

/// Why no exchange of a single session succeeded: if none does, none will at any rate.
fn nothing_worked(record: &Record) -> String {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    let most = codes.max_by_key(|code| code.count);
    let what = most.map_or(String::new(), |code| format!(" ({})", code.name));
    format!(
        "a single session made {} {} and none succeeded{what}: first run the command without find-max",
        record.counts.due(),
        record.plan.noun.after(record.counts.due())
    )
}

/// What this machine lost itself, which would otherwise count against the target.
fn own_losses(finished: &Finished) -> Option<String> {
    let phases = finished.measured.totals.phases();
    let lost: u64 = phases.iter().map(|phase| phase.health.socket_drops).sum();
    (lost > 0).then(|| {
        format!(
            "{lost} datagrams were lost in brunt's own socket, so answers that arrived are missing"
        )
    })
}

/// Whether a session that could be opened had no data to work with: it skipped all that it began, or wanted nothing.
/// One that began nothing in its time, because this machine did not let it run, says nothing of its data.
fn has_no_data(finished: &Finished) -> bool {
    let (record, counts) = (&finished.record, &finished.record.counts);
    let skipped_all = counts.planned > 0 && counts.skipped == counts.planned;
    let wanted_nothing = counts.planned == 0 && finished.engine.ended == Ended::Exhausted;
    (skipped_all || wanted_nothing) && record.connections.unready.is_empty()
}

/// Why exchanges were not made for lack of data: the intended rate was not reached.
fn without_data(record: &Record) -> Option<String> {
    let counts = &record.counts;
    let share = counts.skipped as f64 / counts.planned.max(1) as f64;
    (share > SKIPPED_SHARE).then(|| {
        format!(
            "{:.1}% of the operations had nothing to work on: give the load more data, or a mix that returns as much \
             as it takes",
            100.0 * share
        )
    })
}

/// The share of exchanges that ended because a login was refused.
fn refused_logins(record: &Record) -> f64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    let refused = codes.filter(|code| code.means(Meaning::RefusedLogin));
    let refused: u64 = refused.map(|code| code.count).sum();
    refused as f64 / record.counts.due().max(1) as f64
}

/// Passes each whole second of a run to the judge, and ends the run when the judge has decided.
struct Watch<'w, 'j> {
    judge: &'w mut (dyn FnMut(&Second) -> ControlFlow<()> + 'j),
    objectives: &'w Objectives,
    measured: &'w [String],
    screen: &'w mut (dyn SearchObserver + 'w),
    second: Duration,
    seconds: u32,
    of: u32,
    done: bool,
    server: Option<&'w mut Box<dyn ServerFigures>>,
}

impl Observer for Watch<'_, '_> {
    fn is_quiet(&self) -> bool {
        true
    }

    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        self.screen.second(interval, self.seconds, self.of);
        let whole = interval.lasted().as_secs_f64() >= WHOLE * self.second.as_secs_f64();
        if interval.phase != Phase::Steady || !whole || self.done {
            return Ok(());
        }
        if let Some(server) = &mut self.server {
            server.poll();
        }
        self.seconds += 1;
        let mut second = self.objectives.second(interval, self.measured);
        second.seconds /= self.second.as_secs_f64();
        if (self.judge)(&second).is_break() {
            self.done = true;
            // No further exchange becomes due, and exchanges in flight are completed.
            return Err(ObserverFailure::Decided);
        }
        Ok(())
    }
}
