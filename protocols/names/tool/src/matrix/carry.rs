//! Carries a plan out: sends requests to the cells, one step after the other, and keeps their answers.
//!
//! A back end that fails is dropped for that number of users, with its reason in a cell of the result, and the others
//! continue: after an hour of measuring, three tables of four are useful. On a signal everything ends at once and the
//! results so far are kept. This module does not depend on how a cell carries out a request.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_record::Cell;

use super::found;
use super::plan::{Action, Lookup, Order, Participant, PathChoice, Provisioning, Step};
use super::progress::Progress;
use super::sandbox_access::{SandboxAccess, SandboxFactory};
use super::words::{self, Pass};
use crate::sandbox::{
    Answer, Cache, Daemon, Data, Isolation, Reader, Request, SandboxAccessError, Source, Spec,
    Statistics, Way,
};

/// How much longer than its own limit a program inside may take before the cell is ended.
const GRACE: Duration = Duration::from_secs(120);
/// Sizes at which calls are sampled, and how many calls.
const SAMPLES: (u32, u32) = (5, 25);

/// How cells are made, and the time limits in them.
#[derive(Clone, Debug)]
pub(super) struct SandboxSettings {
    pub isolation: Isolation,
    pub data: Data,
    /// The lines of nsswitch.conf, in place of the default ones.
    pub nsswitch: Option<String>,
    /// How long one lookup may take.
    pub timeout: Duration,
    /// How long a pass of lookups may take.
    pub limit: Duration,
    pub seed: u64,
}

/// The outcome of a plan.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub cells: Vec<Cell>,
    pub facts: BTreeMap<String, String>,
    pub figures: BTreeMap<String, f64>,
    /// Whether a signal ended it.
    pub interrupted: bool,
    /// Whether something could not be measured.
    pub lost: bool,
}

/// The cells of a plan while it is carried out.
pub(super) struct Bench<'a> {
    pub sandboxes: &'a dyn SandboxFactory,
    pub ground: &'a SandboxSettings,
    pub measured: &'a [Participant],
    pub lookups: u32,
    pub open: Vec<Option<OpenSandbox>>,
    pub outcome: Outcome,
}

/// An open cell.
pub(super) struct OpenSandbox {
    pub sandbox: Box<dyn SandboxAccess>,
    pub url: Option<String>,
}

/// Why a step failed.
#[derive(Debug)]
pub(super) enum StepFailure {
    /// A signal.
    Interrupted,
    /// The cell refused the request, and is still usable.
    Refused(String),
    /// The cell has ended.
    Lost(String),
}

impl<'a> Bench<'a> {
    /// A bench without open cells.
    pub(super) fn new(
        sandboxes: &'a dyn SandboxFactory,
        ground: &'a SandboxSettings,
        measured: &'a [Participant],
        lookups: u32,
    ) -> Self {
        let open = measured.iter().map(|_| None).collect();
        Self { sandboxes, ground, measured, lookups, open, outcome: Outcome::default() }
    }

    /// Carries out a whole plan.
    pub(super) fn carry_out(mut self, order: &Order, progress: &mut Progress) -> Outcome {
        for step in order.steps(self.measured) {
            if self.open[step.participant].is_none() && step.act != Action::Open {
                progress.begin(String::new(), order.expected(self.measured, &step));
                continue;
            }
            progress.begin(self.message(&step, order.passes), order.expected(self.measured, &step));
            match self.step(&step, progress) {
                Ok(()) => {}
                Err(StepFailure::Interrupted) => {
                    self.outcome.interrupted = true;
                    break;
                }
                Err(failure) => self.lose(&step, failure),
            }
        }
        progress.finish();
        self.outcome
    }

    fn step(&mut self, step: &Step, progress: &mut Progress) -> Result<(), StepFailure> {
        match step.act {
            Action::Open => self.enter(step.participant, progress),
            Action::Close => {
                self.open[step.participant] = None;
                Ok(())
            }
            Action::Insert(options) => self.insert(step, options, progress),
            Action::Delete(options) => self.delete(step, options, progress),
            Action::MakeFiles => {
                let files = self.lookups.min(step.users);
                self.request(
                    step.participant,
                    &Request::MakeFiles { users: 0..step.users, files },
                    GRACE,
                    progress,
                )?;
                self.baseline(step, progress)
            }
            Action::Forget => self.forget(step.participant, progress),
            Action::Look(lookup) => self.look_up(step, lookup, progress),
        }
    }

    /// Opens a cell and starts its back end.
    pub(super) fn enter(
        &mut self,
        participant: usize,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let Participant { label, backend, .. } = &self.measured[participant];
        let spec = Spec {
            data: self.ground.data.clone(),
            isolation: self.ground.isolation,
            mark: format!("{}-{participant}", std::process::id()),
        };
        let sandbox =
            self.sandboxes.open(&spec).map_err(|error| StepFailure::Lost(error.to_string()))?;
        self.open[participant] = Some(OpenSandbox { sandbox, url: None });
        let mut backend = backend.clone();
        if self.ground.nsswitch.is_some() {
            backend.switch.clone_from(&self.ground.nsswitch);
        }
        let Answer::Started(started) =
            self.request(participant, &Request::Start(backend), GRACE, progress)?
        else {
            return Err(unexpected());
        };
        for (program, version) in started.versions {
            self.outcome.facts.insert(format!("version/{program}"), version);
        }
        for note in started.notes {
            self.outcome.facts.insert(format!("note/{label}"), note);
        }
        if let Some(place) = &mut self.open[participant] {
            place.url = started.url;
        }
        if !self.outcome.figures.contains_key("fsync_p50_us") {
            let fsync = self.statistics(participant, progress)?.fsync;
            let figures = [("p50", fsync.p50_us), ("p99", fsync.p99_us), ("max", fsync.max_us)];
            let named = figures.map(|(name, figure)| (format!("fsync_{name}_us"), figure));
            self.outcome.figures.extend(named);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        step: &Step,
        options: Provisioning,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let users = 0..step.users;
        let patience = patience(step.users);
        let answer = match options {
            Provisioning::By(way) => {
                self.request(step.participant, &Request::Insert { way, users }, patience, progress)?
            }
            Provisioning::Sampled => {
                let (points, calls) = SAMPLES;
                let request = Request::Sample { users, points, calls };
                self.request(step.participant, &request, patience, progress)?
            }
        };
        let mut cell = self.work("insert", step, options);
        let mut removed = None;
        match answer {
            Answer::Provisioned(done) => cell = found::provisioned(cell, &done),
            Answer::Sampled(sampled) => {
                cell = found::estimated(cell, &sampled.insert);
                let delete = self.work("delete", step, options);
                removed = Some(found::estimated(delete, &sampled.delete));
            }
            _ => return Err(unexpected()),
        }
        self.count(step.participant, &mut cell, step.users, progress)?;
        self.keep(cell);
        if let Some(cell) = removed {
            self.keep(cell);
        }
        Ok(())
    }

    fn delete(
        &mut self,
        step: &Step,
        options: Provisioning,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        // An estimate with the insertion need not be repeated, but the users must be removed.
        let way = match options {
            Provisioning::By(way) => way,
            Provisioning::Sampled => Way::Bulk,
        };
        let request = Request::Delete { way, users: 0..step.users };
        let answer = self.request(step.participant, &request, patience(step.users), progress)?;
        let Answer::Provisioned(done) = answer else { return Err(unexpected()) };
        let mut cell = found::provisioned(self.work("delete", step, options), &done);
        self.count(step.participant, &mut cell, 0, progress)?;
        if options != Provisioning::Sampled {
            self.keep(cell);
        }
        Ok(())
    }

    /// Compares the counts of the system's tools with the expected ones.
    fn count(
        &mut self,
        participant: usize,
        cell: &mut Cell,
        expected: u32,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let Answer::Counted(counted) =
            self.request(participant, &Request::Count, self.patience(), progress)?
        else {
            return Err(unexpected());
        };
        found::counted(cell, &counted, expected);
        Ok(())
    }

    /// Measures the cost of listing the files without any names.
    fn baseline(&mut self, step: &Step, progress: &mut Progress) -> Result<(), StepFailure> {
        let request = Request::List { numeric: true, limit_s: self.ground.limit.as_secs_f64() };
        let answer = self.request(step.participant, &request, self.patience(), progress)?;
        let Answer::Listed(listed) = answer else { return Err(unexpected()) };
        let least = self.outcome.figures.entry("ls_numeric_s".to_owned()).or_insert(listed.seconds);
        *least = least.min(listed.seconds);
        Ok(())
    }

    /// Restarts every daemon that caches answers.
    pub(super) fn forget(
        &mut self,
        participant: usize,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let backend = &self.measured[participant].backend;
        let sssd = matches!(backend.source, Source::Ldap { reader: Reader::Sssd, .. });
        let nscd = matches!(backend.cache, Some(Cache::Nscd(_) | Cache::Unscd(_)));
        for (there, daemon) in [(sssd, Daemon::Sssd), (nscd, Daemon::Nscd)] {
            if there {
                self.request(participant, &Request::Restart(daemon), GRACE, progress)?;
            }
        }
        Ok(())
    }

    fn look_up(
        &mut self,
        step: &Step,
        lookup: Lookup,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let participant = &self.measured[step.participant];
        let files = self.lookups.min(step.users);
        let limit_s = self.ground.limit.as_secs_f64();
        let request = if lookup.path == PathChoice::Ls {
            Request::List { numeric: false, limit_s }
        } else {
            let url = self.open[step.participant].as_ref().and_then(|place| place.url.clone());
            let pass = Pass {
                users: step.users,
                keys: files,
                url: url.as_deref(),
                seed: self.ground.seed,
                timeout_s: self.ground.timeout.as_secs_f64(),
            };
            Request::Resolve {
                words: words::words(&pass, lookup, words::LookupLoad::Once),
                limit_s,
            }
        };
        let before = self.statistics(step.participant, progress)?;
        let answer = self.request(step.participant, &request, self.patience(), progress)?;
        let after = self.statistics(step.participant, progress)?;
        let mut cell = found::labels(&participant.label, step.users, step.pass, lookup);
        let expected = u64::from(files * lookup.keys.each());
        cell = match answer {
            Answer::Listed(listed) => found::listed(cell, &listed, files),
            Answer::Ran(ran) => found::looked(cell, &ran, expected),
            _ => return Err(unexpected()),
        };
        found::between(&mut cell, &before, &after, participant.remembers());
        self.keep(cell);
        Ok(())
    }

    pub(super) fn statistics(
        &mut self,
        participant: usize,
        progress: &mut Progress,
    ) -> Result<Statistics, StepFailure> {
        match self.request(participant, &Request::Statistics, self.patience(), progress)? {
            Answer::Statistics(statistics) => Ok(statistics),
            _ => Err(unexpected()),
        }
    }

    pub(super) fn request(
        &mut self,
        participant: usize,
        request: &Request,
        patience: Duration,
        progress: &mut Progress,
    ) -> Result<Answer, StepFailure> {
        let Some(place) = &mut self.open[participant] else {
            return Err(StepFailure::Lost("it has ended".to_owned()));
        };
        let answer = place.sandbox.request(request, patience, progress);
        if !progress.goes_on() {
            return Err(StepFailure::Interrupted);
        }
        answer.map_err(|error| match error {
            SandboxAccessError::Refused(why) => StepFailure::Refused(why),
            lost => StepFailure::Lost(lost.to_string()),
        })
    }

    /// How long to wait for a program that has a limit of its own.
    pub(super) fn patience(&self) -> Duration {
        self.ground.limit + GRACE
    }

    pub(super) fn keep(&mut self, cell: Cell) {
        self.outcome.lost |= found::is_invalid(&cell);
        self.outcome.cells.push(cell);
    }

    /// Records the reason for a failed step where its figures would be.
    fn lose(&mut self, step: &Step, failure: StepFailure) {
        let (why, gone) = match failure {
            StepFailure::Refused(why) => {
                (why, matches!(step.act, Action::Open | Action::Insert(_)))
            }
            StepFailure::Lost(why) => (why, true),
            StepFailure::Interrupted => return,
        };
        let mut cell = match step.act {
            Action::Look(lookup) => {
                found::labels(&self.measured[step.participant].label, step.users, step.pass, lookup)
            }
            Action::Delete(options) => self.work("delete", step, options),
            Action::Insert(options) => self.work("insert", step, options),
            _ => Cell::new([
                ("kind", "environment".to_owned()),
                ("backend", self.measured[step.participant].label.clone()),
                ("users", step.users.to_string()),
            ]),
        };
        let rest = if gone { "; nothing more was measured of it" } else { "" };
        found::invalid(&mut cell, format!("failed to {why}{rest}"));
        self.keep(cell);
        if gone {
            self.open[step.participant] = None;
        }
    }

    fn work(&self, kind: &str, step: &Step, options: Provisioning) -> Cell {
        Cell::new([
            ("kind", kind.to_owned()),
            ("backend", self.measured[step.participant].label.clone()),
            ("users", step.users.to_string()),
            ("way", options.name().to_owned()),
            ("run", "1".to_owned()),
        ])
    }

    fn message(&self, step: &Step, passes: u32) -> String {
        let what = match step.act {
            Action::Open => "starting".to_owned(),
            Action::Insert(options) => format!("inserting ({})", options.name()),
            Action::Delete(options) => format!("deleting ({})", options.name()),
            Action::MakeFiles => "making files".to_owned(),
            Action::Forget => "restarting what remembers".to_owned(),
            Action::Close => "ending".to_owned(),
            Action::Look(Lookup { path, keys, temperature, .. }) => format!(
                "looking up by {} ({}, {}), pass {} of {passes}",
                path.name(),
                keys.name(),
                temperature.name(),
                step.pass
            ),
        };
        format!("{}, {} users: {what}", self.measured[step.participant].label, step.users)
    }
}

/// How long adding or removing users may take: long enough for slow machines, but bounded.
fn patience(users: u32) -> Duration {
    GRACE + Duration::from_secs(2) * users
}

pub(super) fn unexpected() -> StepFailure {
    StepFailure::Lost("decode an answer to another request".to_owned())
}
