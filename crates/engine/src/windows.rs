//! Windows, views and silences in virtual time: what is counted where, and what is reported of a target that never
//! answered.

use crate::conservation::by_due;
use crate::plan::{Settings, Stopping};
use crate::simulation::Step;
use crate::simulation::{ScriptedSessions, Simulated, ms, open, pass, simulate, simulate_with};
use crate::stop::Stop;
use crate::worker::Ended;
use brunt_exchange::{ThinkTime, Ticket};
use brunt_record::{Absences, Away, Counts, Phase, Series, Usual};
use std::time::Duration;

/// A target that answers in a millisecond, but from exchange `from` on only after `millis`.
fn stalling_from(from: u64, millis: u64) -> ScriptedSessions {
    ScriptedSessions::new(move |ticket: &Ticket| {
        Step::Answer(ms(if ticket.number == from { millis } else { 1 }))
    })
}

fn away(run: &Simulated) -> Vec<String> {
    let mut absences = Absences::default();
    run.intervals.iter().for_each(|interval| absences.absorb(&interval.presence));
    let until = run.finished.timing.to;
    absences.found(&|_| Usual::always(ms(1)), &[], false, until).iter().map(Away::words).collect()
}

/// The exchanges that became due in each step and their outcomes, as a series records them.
fn due_by_step(run: &Simulated) -> Vec<Counts> {
    let mut series = Series::new();
    run.intervals.iter().for_each(|interval| series.push(interval));
    let steady = series.steps().iter().filter(|step| step.phase == Phase::Steady);
    steady.map(|step| step.due).collect()
}

#[test]
fn window_is_that_of_the_schedule() {
    let delayed = simulate(open(200, 3, 100), &ScriptedSessions::answering_after(ms(300)));
    assert_eq!(delayed.finished.timing.window(), ms(3_000));
    assert_eq!(delayed.finished.timing.drained(), ms(295));
    assert_eq!(delayed.finished.lasted, ms(3_295));
    assert_eq!(delayed.steady().counts().ok, 600);
}

#[test]
fn window_of_a_count_ends_where_the_next_was_due() {
    let mut settings = open(200, 60, 4);
    settings.stop.count = Some(1_000);
    let run = simulate(settings, &stalling_from(900, 2_000));
    assert_eq!(run.finished.ended, Ended::Count);
    assert_eq!(run.finished.timing.window(), ms(5_000), "1,000 at 200 a second");
    assert!(run.finished.lasted > ms(6_000));
}

#[test]
fn window_of_a_closed_loop_ends_with_time_or_last_exchange() {
    let mut settings = Settings::closed(ThinkTime::None, 3);
    settings.stop.time = Some(ms(1_005));
    let timed = simulate(settings.clone(), &ScriptedSessions::answering_after(ms(10)));
    assert_eq!(timed.finished.timing.window(), ms(1_005));
    assert_eq!(timed.finished.counts.ok, 303, "those in flight are waited for");
    settings.stop.time = None;
    settings.stop.count = Some(30);
    let counted = simulate(settings, &ScriptedSessions::answering_after(ms(10)));
    // The last of thirty begins when 27 have ended.
    assert_eq!(counted.finished.timing.window(), ms(90));
    assert_eq!(counted.finished.lasted, ms(100));
}

#[test]
fn window_excludes_the_warm_up() {
    let settings = Settings { warm_up: ms(1_000), ..open(10, 2, 4) };
    let run = simulate(settings, &ScriptedSessions::answering_after(ms(150)));
    let timing = run.finished.timing;
    assert_eq!((timing.from, timing.to), (ms(1_000), ms(3_000)));
    // The last answer of the warm-up arrived in the steady phase, although the phase was over.
    let warm_up = run.total(Phase::WarmUp);
    assert_eq!((warm_up.from, warm_up.to), (ms(0), ms(1_000)));
    assert_eq!(warm_up.counts().ok, 10);
}

#[test]
fn window_ends_on_a_stop_request() {
    let stop = Stop::new();
    let handle = stop.clone();
    let meddle = async move {
        pass(ms(1_200)).await;
        handle.request();
    };
    let run =
        simulate_with(open(10, 60, 10), &ScriptedSessions::answering_after(ms(400)), &stop, meddle);
    let window = run.finished.timing.window();
    assert!(window >= ms(1_200) && window <= ms(1_250), "{window:?}");
    assert!(run.finished.timing.drained() >= ms(300));
}

#[test]
fn intervals_count_what_fell_due_and_what_ended() {
    // 500 a second at two sessions; the target stalls both at 0.6 s for 0.7 s.
    let stalling = |ticket: &Ticket| {
        Step::Answer(ms(if matches!(ticket.number, 300 | 301) { 700 } else { 1 }))
    };
    let run = simulate(open(500, 2, 2), &ScriptedSessions::new(stalling));
    let planned: Vec<(u64, u64)> =
        due_by_step(&run).iter().map(|due| (due.planned, due.ok)).collect();
    assert_eq!(planned, [(500, 500), (500, 500)]);
    let ended: Vec<u64> = run
        .intervals
        .iter()
        .filter(|interval| interval.phase == Phase::Steady)
        .map(|interval| interval.operations[0].counts.ok)
        .collect();
    assert_eq!(ended.iter().sum::<u64>(), 1_000);
    assert_eq!(ended[0], 300, "what fell due before the stall");
    assert_eq!(by_due(&run, Phase::Steady), run.steady().counts());
}

#[test]
fn hung_target_is_away_and_figures_include_all_due() {
    // From exchange 60 on nothing is answered. Ten a second for ten seconds, one session.
    let hanging =
        |ticket: &Ticket| if ticket.number < 60 { Step::Answer(ms(1)) } else { Step::Hang };
    let run = simulate(open(10, 10, 4), &ScriptedSessions::new(hanging));
    let (steady, counts) = (run.steady(), run.finished.counts);
    assert_eq!((counts.planned, counts.ok, counts.cut_off, counts.dropped), (100, 60, 4, 36));
    assert_eq!(away(&run), ["no answer from 6.0 s to the end"]);
    let response = &steady.operations[0].response;
    assert_eq!(response.due().count() + steady.dropped_after.count(), 100);
    // In flight since 6.0 s, cut off at 20 s; the last to wait had fallen due at 9.9 s.
    assert_eq!(response.cut_off.max(), Some(ms(14_000)));
    assert_eq!(steady.dropped_after.min(), Some(ms(10_100)));
}

#[test]
fn slow_last_answer_of_a_count_is_no_absence() {
    let closed = |sessions| {
        let mut settings = Settings::closed(ThinkTime::None, sessions);
        settings.stop.count = Some(2_000);
        settings
    };
    // Ten sessions carry out 2,000 exchanges; the last but twenty takes four seconds, all others are over long before.
    let straggling = stalling_from(1_980, 4_000);
    let run = simulate(closed(10), &straggling);
    assert_eq!(run.finished.counts.ok, 2_000);
    assert!(run.finished.timing.drained() > ms(3_900));
    assert_eq!(away(&run), [""; 0]);
    // The target answers no session: from the last ten on, or the only one.
    let silent = |from: u64| {
        ScriptedSessions::new(move |ticket: &Ticket| {
            Step::Answer(ms(if ticket.number >= from { 4_000 } else { 1 }))
        })
    };
    assert_eq!(away(&simulate(closed(10), &silent(1_990))).len(), 1);
    assert_eq!(away(&simulate(closed(1), &silent(1_999))).len(), 1);
}

#[test]
fn returning_target_is_reported_with_its_times() {
    let away_for = |ticket: &Ticket| {
        Step::Answer(if (30..34).contains(&ticket.number) { ms(2_500) } else { ms(1) })
    };
    let run = simulate(open(10, 8, 4), &ScriptedSessions::new(away_for));
    assert_eq!(away(&run), ["away 3.0 s to 5.5 s, had caught up 0.1 s later"]);
    let quick = simulate(open(10, 8, 4), &ScriptedSessions::answering_after(ms(30)));
    assert_eq!(away(&quick), [""; 0]);
}

#[test]
fn closed_loop_exchanges_have_their_own_time_to_end() {
    let slow = |ticket: &Ticket| Step::Answer(ms(if ticket.number == 19 { 25_000 } else { 10 }));
    let mut settings = Settings::closed(ThinkTime::None, 2);
    settings.operation_timeout = ms(30_000);
    settings.stop.count = Some(20);
    let run = simulate(settings.clone(), &ScriptedSessions::new(slow));
    assert_eq!((run.finished.counts.ok, run.finished.counts.cut_off), (20, 0));
    // A run with a time limit ends, however long an exchange may take.
    let mut timed = Settings { stop: Stopping::default(), ..settings.clone() };
    timed.stop.time = Some(ms(100));
    let ended = simulate(timed, &ScriptedSessions::new(slow));
    assert_eq!(ended.finished.counts.cut_off, 1);
    assert_eq!(ended.finished.over.as_secs(), 10);
    // With an explicit drain time, it waits no longer than that.
    settings.drain = Some(ms(3_000));
    let drained = simulate(settings.clone(), &ScriptedSessions::new(slow));
    assert_eq!((drained.finished.counts.ok, drained.finished.counts.cut_off), (19, 1));
    // Without a time-out of its own, an exchange may take as long as the run waits.
    (settings.drain, settings.operation_timeout) = (None, Duration::ZERO);
    let endless = simulate(settings, &ScriptedSessions::new(slow));
    assert_eq!((endless.finished.counts.ok, endless.finished.counts.cut_off), (19, 1));
}
