//! [`Model`]: everything the view can show, in memory that does not grow with the run.

use std::time::Duration;

use brunt_exchange::{Layout, inert};
use brunt_record::{Counts, Phase};

use super::digest::{Code, Digest, OPERATIONS_MAX, OperationDigest, Times};
use super::history::{History, Point};
use super::keys::Key;
use super::provisional_verdict::ProvisionalVerdict;

/// The spans of time that charts can show, in seconds, and their names; the last is the whole run.
const WINDOWS: [(f64, &str); 5] = [
    (60.0, "last minute"),
    (300.0, "last 5 min"),
    (900.0, "last 15 min"),
    (3_600.0, "last hour"),
    (f64::INFINITY, "whole run"),
];
/// A chart never shows less than this, so that the first second of a run is not stretched.
const SPAN_MIN: f64 = 20.0;
/// How many different outcomes of an operation are listed separately.
const CODES_MAX: usize = 24;
/// How long the view keeps counting seconds after the last interval.
const GUESSED_MAX: Duration = Duration::from_secs(5);

/// What is known of a run before it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The name of the run: a command, and a plan.
    pub title: String,
    /// The target.
    pub target: String,
    /// The names of the operations, followed by those of the spans.
    pub operations: Vec<String>,
    /// How long exchanges become due, if that is known.
    pub lasting: Option<Duration>,
    /// The number of exchanges after which the run ends, if it has one.
    pub count: Option<u64>,
    /// How many objectives there are.
    pub objectives: usize,
    /// Local ports that the run needs, and that are available.
    pub ports: Option<(u64, u64)>,
    /// The address of the run's page, if it has one: the line that was printed above is no longer visible.
    pub page: Option<String>,
}

/// The figures of one operation, or one span, since the measured phase began.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Its number in the catalogue.
    pub number: usize,
    /// Whether it is a span, whose exchanges are in other rows too.
    pub is_span: bool,
    /// The counts since then.
    pub counts: Counts,
    /// How exchanges ended since then.
    pub codes: Vec<Code>,
    /// Answers per second in the last interval.
    pub rate: f64,
    /// Its times in the last interval in which something ended.
    pub times: Times,
    /// Its times and rates; none if there are too many operations.
    pub history: Option<History>,
}

impl Row {
    fn count(&mut self, digest: &OperationDigest) {
        self.counts.merge(&digest.counts);
        for code in &digest.codes {
            let name = inert(&code.name, Layout::Line);
            match self.codes.iter().position(|known| known.name == name) {
                Some(at) => self.codes[at].count += code.count,
                None if self.codes.len() < CODES_MAX => {
                    self.codes.push(Code { name, ..code.clone() });
                }
                None => self.count_other(code.count),
            }
        }
    }

    fn count_other(&mut self, count: u64) {
        if let Some(last) = self.codes.last_mut() {
            if last.name != "other" {
                (last.name, last.ok) = ("other".to_owned(), false);
            }
            last.count += count;
        }
    }
}

/// What the user chose to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choice {
    /// The chosen window, if one was chosen.
    window: Option<usize>,
    /// The index of the operation among the rows; none for all operations together.
    operation: Option<usize>,
    /// Whether the help on keys is shown.
    pub help: bool,
    /// Whether the run is stopping.
    pub stopping: bool,
    /// Whether the picture is frozen.
    pub paused: bool,
}

/// Everything the view can show.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub about: About,
    pub history: History,
    /// Operations and spans that did something, in the order of the catalogue.
    pub rows: Vec<Row>,
    /// The last interval.
    pub latest: Option<Digest>,
    /// The counts since the measured phase began.
    pub counts: Counts,
    /// The total number of exchanges that became due, as counted by a limit.
    planned: u64,
    /// Datagrams that sockets lost.
    pub socket_drops: u64,
    /// Exchanges for which this machine had no port or descriptor.
    pub lacked: u64,
    /// How long the generator was stalled.
    pub stalled: Duration,
    pub standing: Option<ProvisionalVerdict>,
    /// The target's last failure message.
    pub failure: Option<String>,
    /// The program's last message.
    pub message: Option<String>,
    /// The number of intervals so far: the data from intervals changes only when this does.
    revision: u64,
    /// When the last interval arrived, on the clock of the view.
    seen: Duration,
    /// Whether the measured phase has begun.
    measuring: bool,
}

impl Model {
    /// An empty model. Texts are made safe for the terminal here and where they enter the model.
    pub(super) fn new(mut about: About) -> Self {
        let calm = |text: &mut String| *text = inert(text, Layout::Line);
        calm(&mut about.title);
        calm(&mut about.target);
        about.operations.iter_mut().for_each(calm);
        Self {
            about,
            history: History::default(),
            rows: Vec::new(),
            latest: None,
            counts: Counts::default(),
            planned: 0,
            socket_drops: 0,
            lacked: 0,
            stalled: Duration::ZERO,
            standing: None,
            failure: None,
            message: None,
            revision: 0,
            seen: Duration::ZERO,
            measuring: false,
        }
    }

    /// Adds an interval, which arrived at `now` on the clock of the view.
    pub(super) fn add(&mut self, mut digest: Digest, now: Duration) {
        if digest.phase == Phase::Steady && !self.measuring {
            // Earlier intervals are not part of the run's figures.
            self.measuring = true;
            self.counts = Counts::default();
            for row in &mut self.rows {
                (row.counts, row.codes) = (Counts::default(), Vec::new());
            }
        }
        self.counts.merge(&digest.counts);
        self.planned += digest.counts.planned;
        self.socket_drops += digest.generator.socket_drops;
        self.lacked += digest.generator.lacked;
        self.stalled += digest.generator.stalled;
        if let Some(mut standing) = digest.standing.take() {
            let objectives = standing.objectives.iter_mut().map(|one| &mut one.objective);
            let texts = standing.reasons.iter_mut().chain(objectives);
            texts.for_each(|text| *text = inert(text, Layout::Line));
            self.standing = Some(standing);
        }
        if let Some(failure) = digest.failure.take() {
            self.failure = Some(inert(&failure, Layout::Line));
        }
        self.rows.iter_mut().for_each(|row| row.rate = 0.0);
        for operation in &digest.operations {
            self.operation(operation, &digest);
        }
        self.history.push(point(&digest, digest.counts, digest.answered, digest.times));
        self.revision += 1;
        self.seen = now;
        self.latest = Some(digest);
    }

    fn operation(&mut self, operation: &OperationDigest, digest: &Digest) {
        let number = operation.number;
        let at = self.rows.binary_search_by_key(&number, |row| row.number);
        let at = at.unwrap_or_else(|at| {
            let history = (number < OPERATIONS_MAX).then(History::default);
            let is_span = operation.is_span;
            self.rows.insert(at, Row { number, is_span, history, ..Row::default() });
            at
        });
        let row = &mut self.rows[at];
        row.count(operation);
        row.rate = operation.answered as f64 / digest.seconds();
        row.times = operation.times;
        if let Some(history) = &mut row.history {
            history.push(point(digest, operation.counts, operation.answered, operation.times));
        }
    }

    /// How many intervals the model contains.
    pub(super) const fn revision(&self) -> u64 {
        self.revision
    }

    /// How far the run is, on the clock of the view.
    pub(super) fn elapsed(&self, now: Duration) -> Duration {
        let Some(latest) = &self.latest else { return Duration::ZERO };
        let elapsed = latest.to + now.saturating_sub(self.seen).min(GUESSED_MAX);
        self.about.lasting.map_or(elapsed, |all| elapsed.min(all.max(latest.to)))
    }

    /// How much of it is done, from 0 to 1, and the seconds until it ends; none for a run without an end.
    pub(super) fn progress(&self, now: Duration) -> Option<(f64, f64)> {
        let elapsed = self.elapsed(now).as_secs_f64();
        let timed = self.about.lasting.map(|all| {
            let all = all.as_secs_f64();
            let done = if all > 0.0 { elapsed / all } else { 1.0 };
            (done, (all - elapsed).max(0.0))
        });
        let counted = self.about.count.filter(|_| self.planned > 0).map(|all| {
            let (done, all) = (self.planned as f64, all.max(1) as f64);
            (done / all, (all - done).max(0.0) * elapsed / done)
        });
        // The limit that is reached first.
        let sooner = |a: (f64, f64), b: (f64, f64)| if a.1 <= b.1 { a } else { b };
        let first = timed.into_iter().chain(counted).reduce(sooner);
        first.map(|(done, left)| (done.clamp(0.0, 1.0), left))
    }

    /// The operation that was chosen; none if all of them are shown.
    pub(super) fn chosen(&self, choice: &Choice) -> Option<&Row> {
        self.rows.get(choice.operation?)
    }

    /// The name of an operation.
    pub(super) fn name(&self, row: &Row) -> &str {
        self.about.operations.get(row.number).map_or("unnamed", String::as_str)
    }

    /// The span of time that charts show, in seconds, and its name.
    pub(super) fn window(&self, choice: &Choice) -> (f64, f64, &'static str) {
        let last = self.history.last().map_or(0.0, |point| point.to);
        let (span, name) = WINDOWS[choice.window.unwrap_or_else(|| self.usual_window())];
        let span = span.min(last.max(SPAN_MIN));
        let from = (last - span).max(0.0);
        (from, from + span, name)
    }

    /// Five minutes, or the whole run if it is not much longer.
    fn usual_window(&self) -> usize {
        let short = self.about.lasting.is_some_and(|all| all <= Duration::from_secs(900));
        if short { WINDOWS.len() - 1 } else { 1 }
    }
}

impl Choice {
    /// Applies a key; returns whether it stops the run.
    pub(super) fn press(&mut self, key: Key, model: &Model) -> bool {
        match key {
            Key::Window => {
                let at = self.window.unwrap_or_else(|| model.usual_window());
                self.window = Some((at + 1) % WINDOWS.len());
            }
            Key::Next | Key::Previous => self.step(key, model.rows.len()),
            Key::Help => self.help = !self.help,
            Key::Stop => return !std::mem::replace(&mut self.stopping, true),
            Key::Pause => self.paused = !self.paused,
            Key::Other => self.help = false,
        }
        false
    }

    /// The view of all operations comes before the first and after the last.
    fn step(&mut self, key: Key, rows: usize) {
        let at = self.operation.map_or(0, |at| (at + 1).min(rows));
        let step = if key == Key::Next { 1 } else { rows };
        self.operation = ((at + step) % (rows + 1)).checked_sub(1);
    }
}

fn point(digest: &Digest, counts: Counts, answered: u64, times: Times) -> Point {
    let seconds = digest.seconds();
    Point {
        from: digest.from.as_secs_f64(),
        to: digest.to.as_secs_f64(),
        offered: counts.planned as f64 / seconds,
        answered: answered as f64 / seconds,
        goodput: counts.ok as f64 / seconds,
        times,
    }
}
