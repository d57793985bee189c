//! When the target stopped responding: exchanges waited for it and none was answered.
//!
//! Absences are found while the run is in progress, slot by slot ([`Presence`]), in memory that does not grow with the
//! run. Whether a silence is long enough to be called an absence depends on how long the target usually takes, and on
//! whether the generator itself stood still at that time. Both are known only at the end, so every silence of a second
//! or more is kept until then.

use crate::presence::{Presence, SLOT, Sign, Slot};
use crate::{Histogram, Stall, health};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// A silence shorter than this is a pause, which the response times show.
pub const AWAY_MIN: Duration = Duration::from_secs(1);
/// A silence must outlast the usual service time by this factor. A target that takes long is slow, not away.
pub(crate) const AWAY_SERVICES: u32 = 10;
/// Where exchanges were given up in a silence, at least this many must have been sent in it and ended without an
/// answer. One or two are lost packets, and the last lost packet of a run is always followed by silence. This minimum
/// does not apply if every session waited.
pub(crate) const LOST_MIN: u32 = 3;
/// The most silences kept.
const KEPT_MAX: usize = 64;
/// Slots may come this much out of order: a worker that is held up reports late, and the last step of a worker lasts
/// until all that it had in flight has ended, which may be minutes after the last step of another.
const REORDER: u32 = 1_200;

/// How long the target usually takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usual {
    /// The median service time.
    pub median: Duration,
    /// The service time that one of ten exchanges exceeds.
    pub p90: Duration,
}

impl Usual {
    /// The times of these exchanges.
    pub fn new(service: &Histogram) -> Self {
        let at = |share| service.quantile(share).unwrap_or_default();
        Self { median: at(0.5), p90: at(0.9) }
    }

    /// The times of a target that takes this long for everything.
    pub fn always(time: Duration) -> Self {
        Self { median: time, p90: time }
    }
}

/// A time in which the target answered nothing although exchanges waited for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Away {
    /// When it began, in seconds since the origin of the run, to a tenth of a second: the first exchange that waited
    /// without an answer was due or in flight.
    pub from_s: f64,
    /// When it ended: the target took a connection again, or answered. Null if it never did.
    pub to_s: Option<f64>,
    /// The time from `to_s` to the first answer, in seconds.
    pub answered_after_s: Option<f64>,
    /// From the first answer until no exchange waited for a session any more, in seconds: the time
    /// to recover. Null if that was not reached within the run.
    pub recovered_after_s: Option<f64>,
    /// Whether the target had answered before.
    pub answered_before: bool,
}

/// Finds absences in a stream of slots.
#[derive(Clone, Debug, Default)]
pub struct Absences {
    /// Slots into which other workers' slots may still be merged.
    recent: BTreeMap<u32, Presence>,
    answered_before: bool,
    silence: Option<Silence>,
    /// Whether the backlog of the last silence kept is still being served.
    recovering: bool,
    kept: Vec<Silence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Silence {
    from: u32,
    connected: Option<u32>,
    answered: Option<u32>,
    recovered: Option<u32>,
    answered_before: bool,
    /// Whether exchanges were given up in it, and how many were sent in it and ended without an answer.
    gave_up: bool,
    lost: u32,
    /// Whether every session waited at once.
    everyone: bool,
}

impl Absences {
    /// Takes in the slots of one step.
    pub fn absorb(&mut self, presence: &Presence) {
        for slot in presence.slots() {
            let mut single = Presence::default();
            single.merge_slot(*slot);
            self.recent.entry(slot.number).or_default().merge(&single);
        }
        let Some((&newest, _)) = self.recent.last_key_value() else { return };
        let settled = newest.saturating_sub(REORDER);
        while let Some(entry) = self.recent.first_entry().filter(|entry| *entry.key() < settled) {
            entry.remove().slots().iter().for_each(|slot| self.step(*slot));
        }
    }

    /// The absences of the run: silences that are longer than the target usually takes and that the generator did not
    /// cause. If the generator `lacked` ports or descriptors, its exchanges wait for those, so only requests that were
    /// sent and not answered prove an absence. Once nothing becomes due any more, from `until` on, most sessions have
    /// no request to send, so a silence that begins then is the slow answer of a few unless every session waits.
    ///
    /// `usual` is how long the target takes, without what it answered at a moment: exchanges that waited in a silence
    /// end together right after it, and at a low rate they would be a large share of all.
    pub fn found(
        &self,
        usual: &dyn Fn(Option<Duration>) -> Usual,
        stalls: &[Stall],
        lacked: bool,
        until: Duration,
    ) -> Vec<Away> {
        let mut all = self.clone();
        let last = self.recent.last_key_value().map_or(0, |(number, _)| *number);
        for presence in std::mem::take(&mut all.recent).into_values() {
            presence.slots().iter().for_each(|slot| all.step(*slot));
        }
        let open = all.silence.take();
        let silences = all.kept.into_iter().chain(open);
        let silences = silences.filter(|silence| {
            let idle = SLOT * (silence.from + 1) > until;
            silence.is_of_all(lacked, idle) && !silence.is_slow_start()
        });
        let long = silences.filter(|silence| {
            let (from, to) = (SLOT * silence.from, SLOT * silence.answered.unwrap_or(last + 1));
            to.saturating_sub(from).saturating_sub(health::overlap(stalls, from, to))
                >= silence.long(usual)
        });
        long.map(Silence::away).collect()
    }

    fn step(&mut self, slot: Slot) {
        let number = slot.number;
        if slot.has(Sign::Answered) {
            if let Some(mut silence) = self.silence.take() {
                silence.answered = Some(number);
                self.recovering = false;
                if SLOT * number.saturating_sub(silence.from) >= AWAY_MIN
                    && self.kept.len() < KEPT_MAX
                {
                    self.kept.push(silence);
                    self.recovering = true;
                }
            }
            self.answered_before = true;
            if self.recovering && !slot.has(Sign::Backlog) {
                self.recovering = false;
                self.kept.last_mut().into_iter().for_each(|kept| kept.recovered = Some(number));
            }
            return;
        }
        if slot.has(Sign::Wanted) && self.silence.is_none() {
            let answered_before = self.answered_before;
            let unknown = Silence {
                from: number,
                connected: None,
                answered: None,
                recovered: None,
                answered_before,
                gave_up: false,
                lost: 0,
                everyone: false,
            };
            self.silence = Some(unknown);
        }
        if let Some(silence) = self.silence.as_mut() {
            silence.gave_up |= slot.has(Sign::GaveUp);
            silence.everyone |= slot.has(Sign::Everyone);
            silence.lost = silence.lost.saturating_add(slot.lost());
            if slot.lost() > 0 {
                // A target that accepted a connection and then lost a request was not back yet.
                silence.connected = None;
            }
        }
        let connected = slot.has(Sign::Connected) && slot.lost() == 0;
        if let Some(silence) = self.silence.as_mut().filter(|_| connected) {
            // A target that accepts connections and answers nothing is also away.
            silence.connected.get_or_insert(number);
        }
    }
}

impl Silence {
    /// Whether the target itself was silent, and not only the path of a few exchanges to it. If sessions may be `idle`,
    /// those that wait do not speak for the others.
    fn is_of_all(&self, lacked: bool, idle: bool) -> bool {
        self.lost >= LOST_MIN || (!lacked && (self.everyone || !(self.gave_up || idle)))
    }

    /// Whether only the first answers took long and all of them arrived: the target had to load something first.
    fn is_slow_start(&self) -> bool {
        !self.answered_before && self.answered.is_some() && !self.gave_up && self.lost == 0
    }

    /// How long it must last to be an absence. If everything was answered in the end, the few exchanges that were in
    /// flight may all have been among the slow ones.
    fn long(&self, usual: &dyn Fn(Option<Duration>) -> Usual) -> Duration {
        let all_answered = self.answered.is_some() && !self.gave_up && self.lost == 0;
        let usual = usual(self.answered.filter(|_| all_answered).map(|slot| SLOT * slot));
        let service = if all_answered { usual.p90 } else { usual.median };
        AWAY_MIN.max(service * AWAY_SERVICES)
    }

    fn away(self) -> Away {
        let seconds = |slots: u32| (SLOT * slots).as_secs_f64();
        let back = self.answered.map(|answered| self.connected.unwrap_or(answered).min(answered));
        Away {
            from_s: seconds(self.from),
            to_s: back.map(seconds),
            answered_after_s: self
                .answered
                .zip(back)
                .map(|(answered, back)| seconds(answered - back)),
            recovered_after_s: self
                .recovered
                .zip(self.answered)
                .map(|(recovered, answered)| seconds(recovered.saturating_sub(answered))),
            answered_before: self.answered_before,
        }
    }
}

impl Away {
    /// The absence in the words of a report.
    pub fn words(&self) -> String {
        let Some(to) = self.to_s else {
            return if self.answered_before {
                format!("no answer from {:.1} s to the end", self.from_s)
            } else {
                format!("no answer at all, from {:.1} s to the end", self.from_s)
            };
        };
        let mut words = format!("away {:.1} s to {to:.1} s", self.from_s);
        if let Some(after) = self.answered_after_s.filter(|after| *after > 0.0) {
            let _ = write!(words, ", answered again after {after:.1} s");
        }
        match self.recovered_after_s {
            Some(after) if after > 0.0 => {
                let _ = write!(words, ", had caught up {after:.1} s later");
            }
            Some(_) => {}
            None => words.push_str(", had not caught up when the run ended"),
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter for each slot: A answered, W wanted, C connected (and wanted), B answered with a backlog, a dot
    /// nothing.
    fn found(slots: &str, median: Duration, stalls: &[Stall]) -> Vec<Away> {
        let mut absences = Absences::default();
        for (number, letter) in (0..).zip(slots.chars()) {
            let mut presence = Presence::default();
            let signs: &[Sign] = match letter {
                'A' => &[Sign::Answered],
                'W' => &[Sign::Wanted],
                'C' => &[Sign::Connected, Sign::Wanted],
                'B' => &[Sign::Answered, Sign::Backlog, Sign::Wanted],
                _ => &[],
            };
            for sign in signs {
                presence.note(number, *sign);
            }
            absences.absorb(&presence);
        }
        absences.found(&|_| Usual::always(median), stalls, false, Duration::MAX)
    }

    fn words(slots: &str) -> Vec<String> {
        found(slots, Duration::from_millis(1), &[]).iter().map(Away::words).collect()
    }

    #[test]
    fn absence_accounts_for_late_reports_of_a_worker() {
        let worker = |slots: &[(u32, Sign)]| {
            let mut presence = Presence::default();
            for (number, sign) in slots {
                presence.note(*number, *sign);
            }
            (0..3).for_each(|_| presence.unanswered(119, true, true));
            presence
        };
        let first = worker(&[(17, Sign::Answered), (19, Sign::Answered)]);
        let last = worker(&[(17, Sign::Answered), (18, Sign::Wanted)]);
        let mut absences = Absences::default();
        absences.absorb(&first);
        absences.absorb(&last);
        let usual = |_| Usual::always(Duration::from_millis(1));
        let found = absences.found(&usual, &[], false, Duration::from_millis(1_950));
        assert_eq!(found, [], "it answered in the slot after the one in which it was waited for");
    }

    #[test]
    fn absence_requires_waiting_exchanges() {
        assert_eq!(words(&"A".repeat(50)), [""; 0]);
        assert_eq!(words(&("A".repeat(5) + &".".repeat(40) + "A")), [""; 0]);
        assert_eq!(words(&("A".repeat(5) + &"W".repeat(9) + "AAA")), [""; 0], "under a second");
    }

    #[test]
    fn absence_has_a_start_and_an_end() {
        let hung = "A".repeat(60) + &"W".repeat(40);
        assert_eq!(words(&hung), ["no answer from 6.0 s to the end"]);
        let never = "W".repeat(40);
        assert_eq!(words(&never), ["no answer at all, from 0.0 s to the end"]);
        let restarted = "A".repeat(40) + &"W".repeat(12) + "CWW" + "BBBB" + &"A".repeat(9);
        assert_eq!(
            words(&restarted),
            ["away 4.0 s to 5.2 s, answered again after 0.3 s, had caught up 0.4 s later"]
        );
        // Refused once a second: nothing is seen between the attempts.
        let refused = "A".repeat(10) + &"W.........".repeat(4) + "AA";
        assert_eq!(words(&refused), ["away 1.0 s to 5.0 s"]);
    }

    #[test]
    fn absence_excludes_slow_first_answers() {
        assert_eq!(words(&("W".repeat(14) + "AAAA")), [""; 0]);
        assert_eq!(words(&("AA".to_owned() + &"W".repeat(14) + "AAAA")).len(), 1);
    }

    #[test]
    fn absence_with_all_sessions_waiting_needs_one_exchange() {
        let with = |everyone: bool| {
            let mut absences = Absences::default();
            let mut presence = Presence::default();
            presence.note(3, Sign::Answered);
            (4..40).for_each(|number| presence.note(number, Sign::Wanted));
            if everyone {
                presence.note(20, Sign::Everyone);
            }
            presence.unanswered(40, true, true);
            absences.absorb(&presence);
            absences
                .found(&|_| Usual::always(Duration::from_millis(1)), &[], false, Duration::MAX)
                .len()
        };
        assert_eq!((with(false), with(true)), (0, 1));
    }

    #[test]
    fn absence_continues_while_connections_are_only_accepted() {
        let mut absences = Absences::default();
        let mut presence = Presence::default();
        presence.note(27, Sign::Answered);
        for number in 28..50 {
            presence.note(number, Sign::Connected);
            presence.note(number, Sign::Wanted);
            presence.unanswered(number, false, true);
        }
        presence.note(51, Sign::Connected);
        presence.note(51, Sign::Wanted);
        presence.note(52, Sign::Answered);
        absences.absorb(&presence);
        let found =
            absences.found(&|_| Usual::always(Duration::from_millis(1)), &[], false, Duration::MAX);
        let words: Vec<_> = found.iter().map(Away::words).collect();
        assert_eq!(words, ["away 2.8 s to 5.1 s, answered again after 0.1 s"]);
    }

    #[test]
    fn absence_after_the_load_ends_requires_all_sessions_waiting() {
        let with = |until: u64, everyone: bool| {
            let mut absences = Absences::default();
            let mut presence = Presence::default();
            presence.note(3, Sign::Answered);
            (4..40).for_each(|number| presence.note(number, Sign::Wanted));
            if everyone {
                presence.note(4, Sign::Everyone);
            }
            presence.note(40, Sign::Answered);
            absences.absorb(&presence);
            let until = Duration::from_millis(until);
            absences.found(&|_| Usual::always(Duration::from_millis(1)), &[], false, until).len()
        };
        // The silence begins at 400 ms.
        assert_eq!([350, 499, 500, 900].map(|until| with(until, false)), [0, 0, 1, 1]);
        assert_eq!([350, 900].map(|until| with(until, true)), [1, 1]);
    }

    #[test]
    fn absence_followed_by_all_answers_must_exceed_slow_exchanges() {
        let with = |lost: u32, p90: u64| {
            let mut absences = Absences::default();
            let mut presence = Presence::default();
            presence.note(3, Sign::Answered);
            (4..24).for_each(|number| presence.note(number, Sign::Wanted));
            presence.note(4, Sign::Everyone);
            (0..lost).for_each(|_| presence.unanswered(20, false, true));
            presence.note(24, Sign::Answered);
            absences.absorb(&presence);
            let usual = Usual { p90: Duration::from_millis(p90), ..Usual::default() };
            absences.found(&|_| usual, &[], false, Duration::MAX).len()
        };
        // The silence lasts 2 seconds.
        assert_eq!([0, 200, 201].map(|p90| with(0, p90)), [1, 1, 0]);
        assert_eq!([0, 200, 201].map(|p90| with(1, p90)), [1, 1, 1]);
    }

    /// The length of a silence does not show how long what was answered at its end took.
    #[test]
    fn absence_does_not_raise_the_usual_latency() {
        let slots = format!("{}{}{}", "A".repeat(10), "W".repeat(30), "A".repeat(10));
        let mut absences = Absences::default();
        for (number, letter) in (0..).zip(slots.chars()) {
            let mut presence = Presence::default();
            let sign = if letter == 'A' { Sign::Answered } else { Sign::Wanted };
            presence.note(number, sign);
            absences.absorb(&presence);
        }
        let usual = |answered: Option<Duration>| {
            assert_eq!(answered, Some(Duration::from_secs(4)), "the end of the silence");
            Usual::always(Duration::from_millis(2))
        };
        assert_eq!(absences.found(&usual, &[], false, Duration::MAX).len(), 1);
    }

    #[test]
    fn absence_excludes_a_few_lost_exchanges() {
        let with = |lost: u32, late: bool, lacked: bool| {
            let mut absences = Absences::default();
            let mut presence = Presence::default();
            (0..20).for_each(|number| presence.note(number, Sign::Answered));
            (20..35).for_each(|number| presence.note(number, Sign::Wanted));
            // Sent before the last answer, and lost.
            presence.unanswered(25, true, false);
            (0..lost).for_each(|_| presence.unanswered(35, true, true));
            if late {
                presence.note(36, Sign::Answered);
            }
            absences.absorb(&presence);
            absences
                .found(&|_| Usual::always(Duration::from_millis(1)), &[], lacked, Duration::MAX)
                .len()
        };
        assert_eq!([0, 1, 2, 3, 50].map(|lost| with(lost, false, false)), [0, 0, 0, 1, 1]);
        assert_eq!([1, 3].map(|lost| with(lost, true, true)), [0, 1]);
    }

    #[test]
    fn absence_excludes_waiting_for_descriptors() {
        let mut absences = Absences::default();
        let mut presence = Presence::default();
        presence.note(4, Sign::Answered);
        (5..20).for_each(|number| presence.note(number, Sign::Wanted));
        presence.note(20, Sign::Answered);
        absences.absorb(&presence);
        let found = |lacked| {
            absences
                .found(&|_| Usual::always(Duration::from_millis(1)), &[], lacked, Duration::MAX)
                .len()
        };
        assert_eq!((found(false), found(true)), (1, 0));
    }

    #[test]
    fn absence_excludes_slow_targets_and_stalled_generators() {
        let slow = "WWWWWWWWWWWWWWWWWWWA".repeat(5);
        assert_eq!(found(&slow, Duration::from_secs(2), &[]), []);
        assert_eq!(
            found(&slow, Duration::from_millis(1), &[]).len(),
            4,
            "the first is a slow start"
        );
        let stopped = "A".repeat(10) + "W" + &".".repeat(30) + "BAA";
        let (from, lasted) = (Duration::from_millis(1_050), Duration::from_secs(3));
        let stall = Stall { node: 0, from, lasted };
        assert_eq!(found(&stopped, Duration::from_millis(1), &[stall]), []);
        assert_eq!(found(&stopped, Duration::from_millis(1), &[]).len(), 1);
    }
}
