//! A search whose steps have records: every verdict is derived again from the records only.

use crate::chance::Chance;
use crate::server::{Design, PLAIN, Server};
use brunt_capacity::{
    Answer, Goals, Measured, Order, Origin, Outcome, Reading, Second, Settings, Trial, Verdict,
    find, recheck,
};
use brunt_exchange::{Moment, Outcome as Exchanged, Stamps};
use brunt_record::{
    Catalogue, Collection, Conclusion, Ending, Head, Interval, Own, Phase, Plan, Record, Series,
    Timing, Tool, Totals,
};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

struct Recorded {
    server: Server,
    chance: Chance,
    now: f64,
}

/// The intervals of a run, and what is made of them.
struct Run {
    names: Vec<String>,
    totals: Totals,
    series: Series,
    open: VecDeque<Interval>,
    seconds_done: u64,
}

impl Run {
    fn new() -> Self {
        Self {
            names: vec!["bind".to_owned()],
            totals: Totals::new(),
            series: Series::new(),
            open: VecDeque::new(),
            seconds_done: 0,
        }
    }

    /// Records an exchange in the second in which it ended, counted from the start of the steady phase.
    fn record(&mut self, due: f64, ended: f64, refused: bool) {
        let Some(number) = (ended as u64).checked_sub(self.seconds_done) else { return };
        while self.open.len() as u64 <= number && number < 4_096 {
            self.open.push_back(Interval::new(1, 0));
        }
        let nanos = |at: f64| Moment::from_nanos((at * 1e9) as u64);
        // The engine's moments begin before the steady phase.
        let (due, ended) = (nanos(due + 100.0), nanos(ended + 100.0));
        let stamps = Stamps { due, free: due, sent: due, ended };
        let outcome = if refused {
            Exchanged::Failed(brunt_exchange::Class::Result, 51)
        } else {
            Exchanged::Ok(0)
        };
        if let Some(interval) = self.open.get_mut(number as usize) {
            interval.record(0, outcome, &stamps, 0, Own::default());
            interval.plan();
        }
    }

    /// The next second, complete.
    fn second(&mut self, order: &Order) -> Second {
        let mut interval = self.open.pop_front().unwrap_or_else(|| Interval::new(1, 0));
        (interval.index, interval.phase) = (self.seconds_done, Phase::Steady);
        (interval.from, interval.to) =
            (Duration::from_secs(self.seconds_done), Duration::from_secs(self.seconds_done + 1));
        self.seconds_done += 1;
        self.totals.absorb(&interval);
        self.series.push(&interval);
        order.objectives.second(&interval, &self.names)
    }

    fn record_of(&self, rate: Option<f64>) -> Record {
        let over = Duration::from_secs(self.seconds_done);
        let timing = Timing { from: Duration::ZERO, to: over, over, ..Timing::default() };
        let plan = rate.map_or_else(|| Plan::closed(1, 7), |rate| Plan::open(rate, 1, 7));
        let tool = Tool { name: "brunt".to_owned(), version: "0".to_owned() };
        let head = Head::new(
            "a".repeat(32),
            jiff::Timestamp::UNIX_EPOCH,
            tool,
            plan,
            Catalogue::new(["bind"], []),
        );
        let conclusion = Conclusion {
            head,
            names: &|_, outcome| format!("{outcome:?}").into(),
            totals: &self.totals,
            series: &self.series,
            ending: Ending::planned(timing),
        };
        let mut record = conclusion.record().expect("it can be had");
        // A closed loop is as fast as this machine, by the rules for a single run.
        record.verdict = brunt_record::Verdict::default();
        record
    }
}

impl Trial for Recorded {
    fn step(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Outcome {
        let mut run = Run::new();
        let began = self.now;
        self.now += order.idle.as_secs_f64();
        let start = self.now + order.warm_up.as_secs_f64();
        let mut due = self.now;
        for second in 1..=order.seconds {
            while due < start + f64::from(second) {
                let ended = self.server.serve(due);
                run.record(due - start, ended.unwrap_or(due) - start, ended.is_none());
                due = match order.rate {
                    Some(rate) => due + self.chance.exponential() / rate,
                    None => ended.unwrap_or(due + 1e-3),
                };
            }
            self.now = start + f64::from(second);
            if judge(&run.second(order)).is_break() {
                break;
            }
        }
        let record = run.record_of(order.rate);
        let measured = Measured::new(&record, &["bind.p99".to_owned()]).expect("it can be had");
        Outcome {
            took_s: self.now - began,
            measured,
            record: Some(Box::new(record)),
            ..Outcome::default()
        }
    }
}

fn searched(design: Design, goal: &str) -> Collection {
    let goals = Goals::parse([goal]).expect("it can be had");
    let mut trial = Recorded { server: Server::new(design, 3), chance: Chance::new(3), now: 0.0 };
    let found = find(&goals, &Settings { confirm_s: 60, ..Settings::default() }, &mut trial);
    let facts =
        [("connections", "50"), ("noun", "binds")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    found.collection(Origin { facts: facts.into(), ..Origin::default() })
}

#[test]
fn achieved_of_a_pausing_session_is_a_rate() {
    let mut run = Run::new();
    run.record(0.1, 0.2, false);
    let mut interval = run.open.pop_front().expect("the second in which it ended");
    interval.phase = Phase::Steady;
    run.totals.absorb(&interval);
    let mut record = run.record_of(None);
    (record.rates.achieved, record.rates.seconds) = (None, 0.5);
    let achieved = |record: &Record| Measured::new(record, &[]).expect("it can be had").achieved;
    assert_eq!(achieved(&record), Some(2.0));
    record.plan.mode = brunt_record::Mode::Open;
    assert_eq!(achieved(&record), None);
}

#[test]
fn verdicts_follow_from_the_records() {
    for (design, goal) in [
        (PLAIN, "bind.p99<20ms"),
        (Design { room: Some(40), ..PLAIN }, "errors<0.1%"),
        (PLAIN, "mean<4ms"),
        (PLAIN, "bind.p99<5x"),
    ] {
        let collection = searched(design, goal);
        let checked = recheck(&collection).unwrap();
        assert!(checked.steps.len() > 5, "{goal}: {checked:?}");
        for step in &checked.steps {
            assert_eq!(step.claimed, step.found, "{goal}: {:?}", collection.cells[step.cell].notes);
            let z = collection.cells[step.cell].figure("z").unwrap();
            let worst = step.evidence.worst().unwrap();
            assert!((worst.z - z).abs() < 1e-9 * z.abs().max(1.0), "{goal}: {} and {z}", worst.z);
        }
        assert!(checked.agrees, "{goal}: {checked:?} {:?}", collection.facts);
    }
}

#[test]
fn verdict_that_contradicts_its_record_is_found() {
    let mut collection = searched(PLAIN, "bind.p99<20ms");
    let failed =
        collection.cells.iter_mut().find(|cell| cell.label("verdict") == Some("fail")).unwrap();
    failed.labels.insert("verdict".to_owned(), "pass".to_owned());
    let checked = recheck(&collection).unwrap();
    assert!(!checked.agrees);
    let wrong: Vec<_> = checked.steps.iter().filter(|step| step.claimed != step.found).collect();
    assert_eq!((wrong.len(), wrong[0].claimed, wrong[0].found), (1, Verdict::Pass, Verdict::Fail));
}

#[test]
fn sentence_states_the_confirmed_rate_and_margin() {
    let collection = searched(PLAIN, "bind.p99<20ms");
    let reading = Reading::from_collection(&collection).unwrap();
    let Answer::Claim { rate, fails_at: Some(fails), confirmed_s } = reading.answer else {
        panic!("{:?}", reading.answer)
    };
    // By hand: an M/M/1 queue of 1,000/s has 1 % later than 20 ms at 1,000 - ln(100) / 0.02 = 769.7/s.
    assert!((650.0..785.0).contains(&rate) && fails > rate, "{rate} {fails}");
    let sentence = reading.sentence();
    let confirmation = reading.confirmation(rate).unwrap();
    let p99 = confirmation.record().unwrap().operations[0].response.percentiles[4];
    assert!((p99.percentile - 99.0).abs() < 1e-9 && p99.us < 20_000.0, "{p99:?}");
    let p99_ms = if p99.us >= 10_000.0 {
        format!("{:.1}", p99.us / 1e3)
    } else {
        format!("{:.2}", p99.us / 1e3)
    };
    let start = format!(
        "Sustains {rate:.0} binds/s (confirmed {confirmed_s:.0} s, Poisson, 50 connections): \
         bind.p99 {p99_ms} ms < 20 ms; fails at {fails:.0}/s (bind.p99 "
    );
    assert!(sentence.starts_with(&start), "{sentence}\n{start}");
    assert!(sentence.contains("; recovers within "), "{sentence}");
}
