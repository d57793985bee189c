//! [`NamesSession`]: asks the questions of a run on its own road and holds each answer against what is known.

use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::{BlockingSession, Class, Outcome, Part, Ticket, Watch};

use super::question::Judgement;
use super::questions::Questions;
use super::road::Road;
use super::roads::Roads;
use super::trouble::Trouble;
use crate::net::backoff;

/// The parts sessions report: connecting, where a connection is kept.
pub const PARTS: &[&str] = &["connect"];
/// The code of a lookup that found what was asked for.
pub const FOUND: u32 = 0;
/// The code of a lookup that rightly found nothing.
pub const ABSENT: u32 = 1;
/// Codes of [`Class::Check`].
const UNRESOLVED: u32 = 1;
const UNEXPECTED: u32 = 2;
const WRONG: u32 = 3;
/// The longest that one call of `ready` waits.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// One thread's lookups.
pub struct NamesSession {
    questions: Arc<Questions>,
    road: Box<dyn Road>,
    number: u32,
    seed: u64,
    failures: u32,
    trouble: Option<Trouble>,
}

impl NamesSession {
    /// The session with this number.
    pub fn new(questions: &Arc<Questions>, roads: &Roads, number: u32, seed: u64) -> Self {
        let (questions, road) = (Arc::clone(questions), roads.open());
        Self { questions, road, number, seed, failures: 0, trouble: None }
    }
}

impl BlockingSession for NamesSession {
    fn is_ready(&self) -> bool {
        self.road.is_ready()
    }

    fn ready(&mut self, watch: &mut Watch<'_>) {
        if self.road.is_ready() {
            return;
        }
        if self.failures > 0 {
            pause(backoff::delay(self.seed, self.number, self.failures - 1));
        }
        let began = watch.now();
        match self.road.ready() {
            Ok(()) => {
                watch.part(Part(0), watch.now() - began);
                (self.failures, self.trouble) = (0, None);
            }
            Err(trouble) => {
                self.failures = self.failures.saturating_add(1);
                self.trouble = Some(trouble);
            }
        }
    }

    fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let (operation, question) = self.questions.question(ticket.number);
        watch.operation(operation);
        if let Some(trouble) = self.trouble.take() {
            return failed(&trouble, watch);
        }
        let judgement = match self.road.ask(&question) {
            Ok(answer) => question.judge(answer),
            Err(trouble) => return failed(&trouble, watch),
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
        self.road.close();
    }
}

fn failed(trouble: &Trouble, watch: &mut Watch<'_>) -> Outcome {
    if trouble.is_before_asking() {
        watch.never_sent();
    }
    watch.explain(format_args!("failed to {trouble}"));
    trouble.outcome()
}

/// What an outcome of a lookup is called.
pub fn outcome_name(roads: &Roads, outcome: Outcome) -> String {
    let word = match outcome {
        Outcome::Ok(FOUND) => "found",
        Outcome::Ok(_) => "absent",
        Outcome::Failed(Class::Check, UNRESOLVED) => "unresolved",
        Outcome::Failed(Class::Check, UNEXPECTED) => "unexpected",
        Outcome::Failed(Class::Check, WRONG) => "wrong",
        Outcome::Failed(Class::Check, Trouble::OFF) => "not cached",
        Outcome::Failed(Class::Check, Trouble::KEY) => "key too long",
        Outcome::Failed(Class::Result, code) => return roads.name_of(code),
        Outcome::Failed(class, _) => class.word(),
        Outcome::TimedOut => "timed out",
        Outcome::CutOff => "cut off",
        Outcome::Skipped => "skipped",
    };
    word.to_owned()
}

/// Waits before the next attempt to connect; this thread has nothing else to do.
#[expect(clippy::disallowed_methods, reason = "a back-off of a thread that serves nobody else")]
fn pause(time: Duration) {
    std::thread::sleep(time.min(LONGEST_WAIT));
}

#[cfg(test)]
mod tests;
