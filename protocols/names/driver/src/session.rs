//! [`NamesSession`]: looks up the names of a run on its own path and compares each answer with the expected one.

use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::{BlockingSession, Class, Named, Outcome, Part, Ticket, Watch};
use brunt_net::kept::Kept;
use brunt_net::opening::Opening;
use brunt_net::resend::{Unanswered, reopening, repeating};

use super::access_path::AccessPath;
use super::access_paths::AccessPaths;
use super::error::LookupError;
use super::question::{Judgement, Question};
use super::questions::Questions;

/// The parts sessions report: connecting, if a connection is kept, and opening a connection again that was closed
/// meanwhile.
pub const PARTS: &[&str] = &["connect", "reconnect"];
const CONNECT: Part = Part(0);
const RECONNECT: Part = Part(1);
/// The code of a lookup that found the entry.
pub const FOUND: u32 = 0;
/// The code of a lookup that found nothing, as expected.
pub const ABSENT: u32 = 1;
/// The code of [`Class::Check`] for a lookup that found nothing where an entry should be.
pub const UNRESOLVED: u32 = 1;
const UNEXPECTED: u32 = 2;
const WRONG: u32 = 3;

/// One thread's lookups.
pub struct NamesSession {
    questions: Arc<Questions>,
    path_state: PathState,
}

/// The path of a session, and its state.
struct PathState {
    path: Box<dyn AccessPath>,
    number: u32,
    seed: u64,
    kept: Kept,
    failure: Option<LookupError>,
    /// Whether a connection that lapsed is not open again yet.
    lapsed: bool,
}

impl NamesSession {
    /// The session with this number.
    pub fn new(questions: &Arc<Questions>, paths: &AccessPaths, number: u32, seed: u64) -> Self {
        let (questions, path) = (Arc::clone(questions), paths.open());
        let (kept, failure, lapsed) = (Kept::default(), None, false);
        let path_state = PathState { path, number, seed, kept, failure, lapsed };
        Self { questions, path_state }
    }
}

impl PathState {
    /// Opens what stays open between lookups. Returns whether it is open.
    fn open(&mut self, watch: &mut Watch<'_>) -> bool {
        let opening = Opening::begin(self.lapsed, watch);
        match self.path.ready() {
            Ok(()) => {
                let took = watch.now() - opening.began();
                self.kept.reached(took);
                self.kept.succeeded();
                opening.part(CONNECT, took, watch);
                opening.succeeded(RECONNECT, watch);
                (self.lapsed, self.failure) = (false, None);
                true
            }
            Err(failure) => {
                self.kept.failed();
                watch.not_ready(failure.outcome());
                self.failure = Some(failure);
                false
            }
        }
    }

    /// Checks, after a pause, whether the connection was closed meanwhile, and opens it again.
    fn poll(&mut self, watch: &mut Watch<'_>) {
        if self.kept.pause(watch.sent_at()).is_some() && self.path.has_lapsed() {
            self.lapsed = true;
            reopening(watch, |watch| self.open(watch));
        }
    }

    /// Carries out a lookup, and repeats it if the connection was closed within a round trip, before any part of an
    /// answer arrived.
    fn look_up(
        &mut self,
        question: &Question<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Judgement, LookupError> {
        let look_up =
            |state: &mut Self| state.path.look_up(question).map(|answer| question.judge(answer));
        repeating(self, watch, look_up, |state, _, watch| state.reopens(watch))
    }

    /// Opens the connection again for a lookup that failed, if it may be repeated.
    fn reopens(&mut self, watch: &mut Watch<'_>) -> bool {
        let in_flight = watch.sent_at().map_or(Duration::ZERO, |sent| watch.now() - sent);
        let round_trip = self.kept.round_trip();
        let request = Unanswered { kept: true, in_flight, round_trip, safe: true };
        if !self.path.unanswered().is_some_and(|rule| rule.repeats(&request)) {
            return false;
        }
        self.lapsed = true;
        let opened = self.open(watch);
        // If no connection can be opened, the question has failed on its first connection.
        self.failure = None;
        opened
    }
}

impl BlockingSession for NamesSession {
    fn is_ready(&self) -> bool {
        self.path_state.path.is_ready()
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        let path_state = &mut self.path_state;
        if path_state.path.is_ready() {
            return;
        }
        path_state.kept.rest_blocking(path_state.seed, path_state.number);
        path_state.open(watch);
    }

    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let (operation, question) = self.questions.question(ticket.number);
        watch.operation(operation);
        self.path_state.poll(watch);
        if let Some(failure) = self.path_state.failure.take() {
            return failed(&failure, watch);
        }
        let judgement = match self.path_state.look_up(&question, watch) {
            Ok(judgement) => judgement,
            Err(failure) => return failed(&failure, watch),
        };
        let (code, what) = match judgement {
            Judgement::Found => return Outcome::Ok(FOUND),
            Judgement::Absent => return Outcome::Ok(ABSENT),
            Judgement::Unresolved => (UNRESOLVED, "is not found, and there should be one"),
            Judgement::Unexpected => (UNEXPECTED, "is found, and there should be none"),
            Judgement::Wrong => (WRONG, "has another number, name or groups than is known"),
        };
        if watch.wants_text() {
            let (by, name) = (question.by.word(), question.name.to_string_lossy());
            match question.id {
                Some(id) if question.by.is_by_id() => {
                    watch.explain(format_args!("{by} {id} {what}"));
                }
                _ => watch.explain(format_args!("{by} {name} {what}")),
            }
        }
        Outcome::Failed(Class::Check, code)
    }

    fn close(&mut self) {
        self.path_state.path.close();
    }
}

fn failed(failure: &LookupError, watch: &mut Watch<'_>) -> Outcome {
    if failure.is_before_request() {
        watch.never_sent();
    }
    watch.explain(format_args!("failed to {failure}"));
    if let LookupError::Connect { to, error } = failure {
        watch.could_not_reach(to, error);
    }
    failure.outcome()
}

/// The name of an outcome of a lookup, and what it means.
pub fn outcome_named(paths: &AccessPaths, outcome: Outcome) -> Named {
    let word = match outcome {
        Outcome::Ok(FOUND) => "found",
        Outcome::Ok(_) => "absent",
        Outcome::Failed(Class::Check, UNRESOLVED) => "unresolved",
        Outcome::Failed(Class::Check, UNEXPECTED) => "unexpected",
        Outcome::Failed(Class::Check, WRONG) => "wrong",
        Outcome::Failed(Class::Check, LookupError::OFF) => "not cached",
        Outcome::Failed(Class::Check, LookupError::KEY) => "key too long",
        Outcome::Failed(Class::Result, code) => {
            return Named { name: paths.name_of(code), meaning: paths.meaning_of(code) };
        }
        Outcome::Failed(class, _) => class.word(),
        Outcome::TimedOut => "timed out",
        Outcome::CutOff => "cut off",
        Outcome::Skipped => "skipped",
    };
    word.into()
}

#[cfg(test)]
mod tests;
