//! [`Share`]: an agent's share of one run, from its order until the coordinator has received everything.
//!
//! The share has a lease: its driver reports at least every [`REPORT_EVERY`], and if no answer arrives for [`LEASE`]
//! the share ends by itself, so that no load outlives its coordinator. Event lines that were not acknowledged are kept
//! and sent again.

use super::{Offset, Outbox};
use crate::message::{ClockReport, Instruction, Name, Order, Piece, Report, Stage, Word};
use std::time::Duration;

/// The longest interval between two reports of an agent.
pub const REPORT_EVERY: Duration = Duration::from_millis(250);
/// How long an agent continues without an answer from the coordinator.
pub const LEASE: Duration = Duration::from_secs(5);
/// How long an agent tries to deliver the events of its finished run while the coordinator does not answer.
const LINGER: Duration = Duration::from_secs(20);
/// The number of answers by which the clocks are compared before a run begins.
const PROBES: usize = 8;
/// How often clocks are compared until then.
const PROBE_EVERY: Duration = Duration::from_millis(20);

/// What the driver of a share must do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Order the run to begin at this moment of the agent's clock.
    Start(Duration),
    /// Order the run to begin no further exchanges.
    Stop,
    /// End the run at once.
    Abort,
    /// The share is over, delivered or given up: accept other orders.
    Leave {
        /// Whether the coordinator has received everything.
        delivered: bool,
    },
}

/// A share of a run. Times are of the agent's monotonic clock, since its origin.
#[derive(Debug)]
pub struct Share {
    order: Order,
    agent: Name,
    stage: Stage,
    outbox: Outbox,
    offset: Offset,
    /// When the coordinator's last answer arrived.
    heard: Duration,
    /// Which of the coordinator's wishes were already carried out.
    stopped: bool,
    aborted: bool,
    /// Why the agent itself ended the run.
    why: Option<String>,
    ended: Option<Duration>,
    left: bool,
}

impl Share {
    /// The share that an order gives to this agent.
    pub fn new(order: Order, agent: Name, now: Duration) -> Self {
        Self {
            order,
            agent,
            stage: Stage::Preparing,
            outbox: Outbox::default(),
            offset: Offset::default(),
            heard: now,
            stopped: false,
            aborted: false,
            why: None,
            ended: None,
            left: false,
        }
    }

    /// What was ordered.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The current stage of the share.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The subject on which it reports.
    pub fn subject(&self) -> String {
        crate::message::report_of(&self.order.run, self.order.epoch, &self.agent)
    }

    /// The subject on which it requests the files of its order.
    pub fn wanted(&self) -> String {
        crate::message::wanted_by(&self.order.run, self.order.epoch, &self.agent)
    }

    /// Records that the agent refuses the order.
    pub fn refuse(&mut self, why: String, now: Duration) {
        self.stage = Stage::Refused { why };
        self.ended = Some(now);
    }

    /// Takes event lines that the run has written.
    pub fn push_output(&mut self, lines: &[u8]) {
        if !self.outbox.push(lines) {
            self.end_by_itself("the coordinator took nothing of what the run told for too long");
        }
    }

    /// Records that all sessions of the run are connected.
    pub fn ready(&mut self) {
        if self.stage == Stage::Preparing {
            self.stage = Stage::Ready;
        }
    }

    /// Records that the run is over.
    pub fn ended(&mut self, code: Option<i32>, now: Duration) {
        self.stage = Stage::Ended { code, why: self.why.clone() };
        self.ended = Some(now);
    }

    /// The next report, with its piece of the stream. The wall clock is in microseconds.
    pub fn report(&self, now: Duration, wall_us: i64) -> (Report, Piece) {
        let (at, piece) = self.outbox.piece();
        let measured = self.offset.offset().zip(self.offset.round_trip());
        let clock = measured.map(|(offset_ns, round_trip_ns)| ClockReport {
            wall_us,
            offset_ns,
            round_trip_ns,
        });
        let report = Report {
            nonce: self.order.nonce.clone(),
            stage: self.stage.clone(),
            sent_ns: nanos(now),
            at,
            total: self.outbox.total(),
            wall_ms: wall_us / 1_000,
            clock,
        };
        (report, piece)
    }

    /// How long to wait before the next report, once one was answered.
    pub fn pause(&self) -> Duration {
        match self.stage {
            _ if !self.outbox.is_empty() => Duration::ZERO,
            Stage::Preparing | Stage::Ready if self.offset.observed() < PROBES => PROBE_EVERY,
            Stage::Ended { .. } | Stage::Refused { .. } => PROBE_EVERY,
            _ => REPORT_EVERY,
        }
    }

    /// Takes the answer to a report. Answers for other agents are ignored.
    pub fn answered(&mut self, word: &Word, now: Duration) -> Vec<Action> {
        let order = &self.order;
        let ours = (&word.run, word.epoch, &word.nonce) == (&order.run, order.epoch, &order.nonce);
        if !ours || word.answers_ns > nanos(now) {
            return Vec::new();
        }
        self.heard = now;
        self.outbox.arrived(word.arrived);
        self.offset.observe(word.answers_ns, word.now_ns, nanos(now));
        match word.wish {
            Instruction::Wait => Vec::new(),
            Instruction::Start { at_ns } => self.start(at_ns, now),
            Instruction::Stop => self.stop().into_iter().collect(),
            Instruction::Abort => self.abort(),
            Instruction::Leave => self.leave(true),
        }
    }

    /// Takes the current time, and returns what is due.
    pub fn tick(&mut self, now: Duration) -> Vec<Action> {
        let unheard = now.saturating_sub(self.heard);
        if let Some(ended) = self.ended {
            let since = unheard.min(now.saturating_sub(ended));
            return if since > LINGER { self.leave(false) } else { Vec::new() };
        }
        if unheard > 3 * LEASE {
            return self.abort();
        }
        if unheard > LEASE {
            self.end_by_itself("the coordinator was not heard for 5 s");
        }
        if self.why.is_some() { self.stop().into_iter().collect() } else { Vec::new() }
    }

    /// The agent's own process must end, so the run ends first.
    pub fn end_by_itself(&mut self, why: &str) {
        self.why.get_or_insert_with(|| why.to_owned());
    }

    fn start(&mut self, at_ns: u64, now: Duration) -> Vec<Action> {
        if self.stage != Stage::Ready || self.stopped {
            return Vec::new();
        }
        let Some(at) = self.offset.ours(at_ns).map(Duration::from_nanos) else { return Vec::new() };
        if at <= now {
            // It would begin late and send everything that was due by then at once.
            self.end_by_itself("it heard too late when to begin");
            return self.stop().into_iter().collect();
        }
        self.stage = Stage::Running;
        vec![Action::Start(at)]
    }

    fn stop(&mut self) -> Option<Action> {
        let first = !self.stopped && self.ended.is_none();
        self.stopped |= first;
        first.then_some(Action::Stop)
    }

    fn abort(&mut self) -> Vec<Action> {
        let mut acts: Vec<Action> = self.stop().into_iter().collect();
        if !self.aborted && self.ended.is_none() {
            self.aborted = true;
            acts.push(Action::Abort);
        }
        acts
    }

    fn leave(&mut self, delivered: bool) -> Vec<Action> {
        if self.ended.is_none() {
            // The coordinator has no more use for the run.
            return self.abort();
        }
        if self.left {
            return Vec::new();
        }
        self.left = true;
        vec![Action::Leave { delivered: delivered && self.outbox.is_empty() }]
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Manifest;

    fn share() -> Share {
        let order = Order {
            run: "ab".to_owned(),
            epoch: 1,
            nonce: "n".to_owned(),
            rank: 0,
            of: 2,
            weights: Vec::new(),
            seed: 7,
            argv: vec!["http".to_owned()],
            files: Manifest::default(),
            step: None,
        };
        Share::new(order, "a".parse().unwrap(), Duration::ZERO)
    }

    fn word(share: &Share, sent_ms: u64, wish: Instruction) -> Word {
        let (report, _) = share.report(Duration::from_millis(sent_ms), 0);
        Word {
            run: "ab".to_owned(),
            epoch: 1,
            nonce: report.nonce,
            answers_ns: report.sent_ns,
            now_ns: report.sent_ns + 1_000_000_000,
            arrived: 0,
            wish,
        }
    }

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn share_begins_at_its_moment() {
        let mut share = share();
        let start = Instruction::Start { at_ns: 4_000_000_000 };
        assert_eq!(share.answered(&word(&share, 10, start), ms(10)), [], "it is not ready");
        share.ready();
        assert_eq!(share.answered(&word(&share, 20, start), ms(20)), [Action::Start(ms(3_000))]);
        assert_eq!(share.answered(&word(&share, 30, start), ms(30)), [], "it was told");
        assert_eq!(share.stage(), &Stage::Running);
    }

    #[test]
    fn share_refuses_a_start_in_the_past() {
        let mut share = share();
        share.ready();
        let late = word(&share, 20, Instruction::Start { at_ns: 1_010_000_000 });
        assert_eq!(share.answered(&late, ms(20)), [Action::Stop]);
        share.ended(Some(0), ms(30));
        assert!(
            matches!(share.stage(), Stage::Ended { why: Some(why), .. } if why.contains("late"))
        );
    }

    #[test]
    fn share_without_contact_stops_within_the_lease() {
        let mut share = share();
        share.ready();
        share.push_output(b"line\n");
        assert_eq!(share.answered(&word(&share, 100, Instruction::Wait), ms(100)), []);
        assert_eq!(share.tick(ms(5_100)), []);
        assert_eq!(share.tick(ms(5_101)), [Action::Stop]);
        assert_eq!(share.tick(ms(5_200)), [], "once is enough");
        assert_eq!(share.tick(ms(15_101)), [Action::Abort]);
        share.ended(Some(130), ms(15_200));
        let arrived = Word { arrived: 5, ..word(&share, 20_000, Instruction::Leave) };
        assert_eq!(share.answered(&arrived, ms(20_001)), [Action::Leave { delivered: true }]);
    }

    #[test]
    fn share_gives_up_undelivered_lines_in_the_end() {
        let mut share = share();
        share.push_output(b"line\n");
        share.ended(Some(0), ms(1_000));
        assert_eq!(share.tick(ms(21_000)), []);
        assert_eq!(share.tick(ms(21_001)), [Action::Leave { delivered: false }]);
    }

    #[test]
    fn share_ignores_instructions_for_others() {
        let mut share = share();
        let stop = word(&share, 10, Instruction::Stop);
        for word in [
            Word { run: "cd".to_owned(), ..stop.clone() },
            Word { epoch: 2, ..stop.clone() },
            Word { nonce: "m".to_owned(), ..stop.clone() },
            Word { answers_ns: 20_000_000, ..stop.clone() },
        ] {
            assert_eq!(share.answered(&word, ms(10)), []);
        }
        assert_eq!(share.answered(&stop, ms(10)), [Action::Stop]);
        let abort = word(&share, 11, Instruction::Abort);
        assert_eq!(share.answered(&abort, ms(11)), [Action::Abort]);
    }
}
