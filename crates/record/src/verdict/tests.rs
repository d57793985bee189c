//! Verdicts of runs whose cause is known.

mod drift;
mod limits;
mod percentiles;
mod reasons;

use super::*;
use crate::{
    Histogram, MachineRecord, Own, Phase, Presence, Series, Sign, StallRecord, TimerRecord,
    WorkerRecord,
};
use brunt_exchange::{Moment, Stamps};
use std::time::Duration;

const MS: u64 = 1_000_000;

/// A run of ten seconds, ready to be judged.
struct Run {
    measured: Interval,
    series: Series,
    plan: Plan,
    rates: Rates,
    generator: Generator,
    away: Vec<Away>,
    requested: Vec<f64>,
    unready: Codes,
    interrupted: Option<EarlyEnd>,
    present: Option<&'static str>,
}

/// Each second `rate(second)` exchanges with these stamps, in milliseconds, and this own part.
fn run(rate: impl Fn(u64) -> u64, exchange: impl Fn(u64) -> ([u64; 4], u64)) -> Run {
    let mut series = Series::new();
    let mut measured: Option<Interval> = None;
    let mut number = 0;
    for second in 0..10 {
        let mut interval = Interval::new(1, 0);
        interval.reset(second, Phase::Steady, Duration::from_secs(second));
        interval.to = Duration::from_secs(second + 1);
        for _ in 0..rate(second) {
            let (stamps, own) = exchange(number);
            let [due, free, sent, ended] = stamps.map(|ms| Moment::from_nanos(ms * MS));
            let own = Own { waited: Duration::from_millis(own), tainted: false };
            interval.record(0, Outcome::Ok(0), &Stamps { due, free, sent, ended }, 0, own);
            interval.plan();
            number += 1;
        }
        series.push(&interval);
        match &mut measured {
            Some(total) => total.append(&interval),
            None => measured = Some(interval),
        }
    }
    let offered = Some(number as f64 / 10.0);
    let rates = Rates {
        seconds: 10.0,
        target: offered,
        offered,
        achieved: offered,
        goodput: offered,
        ..Rates::default()
    };
    Run {
        measured: measured.unwrap(),
        series,
        plan: Plan { target: Some("ldap://192.0.2.1".to_owned()), ..Plan::open(100.0, 10, 7) },
        rates,
        generator: quiet(),
        away: Vec::new(),
        requested: Vec::new(),
        unready: Codes::default(),
        interrupted: None,
        present: None,
    }
}

/// A generator on an otherwise idle machine.
fn quiet() -> Generator {
    Generator {
        workers: vec![WorkerRecord {
            node: None,
            worker: 0,
            cpu_share: Some(0.03),
            waited_share: Some(0.001),
        }],
        cpu_share_max: Some(0.03),
        waited_share_max: Some(0.001),
        machine: MachineRecord { cores: 2, others_share: Some(0.01), ..MachineRecord::default() },
        timer: TimerRecord {
            samples: 250,
            p50_us: 60.0,
            p99_us: 400.0,
            max_us: 900.0,
            ..TimerRecord::default()
        },
        ..Generator::default()
    }
}

fn judge(run: &Run) -> Verdict {
    Verdict::new(&Evidence {
        measured: &run.measured,
        steps: run.series.steps(),
        counts: run.measured.counts(),
        plan: &run.plan,
        rates: &run.rates,
        generator: &run.generator,
        unready: &run.unready,
        away: &run.away,
        requested: &run.requested,
        names: &["bind".to_owned()],
        interrupted: run.interrupted.as_ref(),
        remark: None,
        present: run.present,
    })
}

fn only_reason(run: &Run) -> (Status, String) {
    let verdict = judge(run);
    assert_eq!(verdict.reasons.len(), 1, "{verdict:?}");
    (verdict.status, verdict.reasons[0].text.clone())
}

/// Sent at once, answered after a millisecond.
fn prompt(_: u64) -> ([u64; 4], u64) {
    ([10, 5, 10, 11], 0)
}

/// Half of the exchanges were sent 30 ms late.
fn late(n: u64) -> ([u64; 4], u64) {
    if n.is_multiple_of(2) { ([0, 0, 30, 31], 30) } else { prompt(n) }
}

#[test]
fn verdict_of_a_quiet_run_is_valid() {
    assert_eq!(judge(&run(|_| 100, prompt)), Verdict::default());
}

#[test]
fn verdict_does_not_blame_the_generator_for_a_stalled_target() {
    let mut stalled =
        run(|_| 100, |n| if n % 5 == 0 { ([0, 2_000, 2_000, 2_001], 0) } else { prompt(n) });
    stalled.measured.backlog_peak = 200;
    assert_eq!(judge(&stalled), Verdict::default());
}

#[test]
fn causes_are_named_with_a_remedy() {
    type Change = fn(&mut Generator);
    let causes: [(Change, &str, &str); 6] = [
        (
            |g| g.waited_share_max = Some(0.12),
            "was runnable but not scheduled 12% of the time",
            "stop what else runs",
        ),
        (|g| g.machine.throttled_share = Some(0.4), "CPU quota", "raise the quota"),
        (
            |g| g.machine.steal_share = Some(0.08),
            "kept 8% of its processor time (steal)",
            "not shared",
        ),
        (
            |g| g.cpu_share_max = Some(0.97),
            "busiest worker used 97% of its core",
            "use more workers",
        ),
        (
            |g| {
                g.cpu_share_max = Some(0.97);
                g.machine.cores = 1;
            },
            "busiest worker used 97% of its core",
            "use a larger machine",
        ),
        (
            |g| g.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 3.0 }],
            "brunt was paused for 3.0 s at 4.1 s",
            "run it again",
        ),
    ];
    for (change, text, remedy) in causes {
        let mut run = run(|_| 100, late);
        change(&mut run.generator);
        let (status, found) = only_reason(&run);
        assert_eq!(status, Status::GeneratorLimited, "{found}");
        assert!(found.contains(text) && found.contains(remedy), "{found}");
        assert!(found.contains("with and"), "the effect is told: {found}");
        assert!(judge(&run).is_of_own_part_alone(), "all was sent: {found}");
    }
    let mut local = run(|_| 100, late);
    local.plan.target = Some("ldap://localhost:1389".to_owned());
    local.generator.waited_share_max = Some(0.3);
    assert!(only_reason(&local).1.contains("the target is on this machine"));
}

#[test]
fn unreadable_counters_are_not_taken_for_zero() {
    let unseen = |exchange: fn(u64) -> ([u64; 4], u64)| {
        let mut hidden = run(|_| 100, exchange);
        hidden.generator.workers[0].waited_share = None;
        hidden.generator.waited_share_max = None;
        hidden.generator.machine =
            MachineRecord { cores: 2, unseen: true, ..MachineRecord::default() };
        hidden
    };
    let (status, why) = only_reason(&unseen(late));
    assert_eq!(status, Status::GeneratorLimited);
    assert!(why.contains("what else this machine did is not known: /proc cannot be read"), "{why}");
    let verdict = judge(&unseen(prompt));
    assert_eq!(verdict.status, Status::Valid);
    assert_eq!(verdict.notes, ["what else this machine did is not known: /proc cannot be read"]);
}

#[test]
fn steal_or_other_processes_is_named_by_its_share() {
    for (stolen, waited, others, text) in [
        (0.025, 0.36, 0.79, "was runnable but not scheduled 36%"),
        (0.2, 0.05, 0.79, "kept 20% of its processor time"),
        // Nobody else is there to be waited for.
        (0.08, 0.09, 0.01, "kept 8% of its processor time"),
    ] {
        let mut run = run(|_| 100, late);
        run.generator.machine.others_share = Some(others);
        run.generator.machine.steal_share = Some(stolen);
        run.generator.waited_share_max = Some(waited);
        let found = only_reason(&run).1;
        assert!(found.contains(text), "{found}");
    }
}

#[test]
fn short_waits_for_a_core_are_no_cause() {
    let micros = |n: u64| Moment::from_nanos(n * 1_000);
    // One exchange in `of` is sent `late` microseconds late, because its worker waited for a core.
    let judged = |of: u64, late: u64, share: f64| {
        let mut run = run(|_| 100, prompt);
        let mut interval = Interval::new(1, 0);
        for number in 0..1_000 {
            let late = if number % of == 0 { late } else { 0 };
            let sent = micros(late);
            let stamps =
                Stamps { due: micros(0), free: micros(0), sent, ended: micros(late + 200) };
            let own = Own { waited: Duration::from_micros(late), tainted: false };
            interval.record(0, Outcome::Ok(0), &stamps, 0, own);
            interval.plan();
        }
        interval.health.record(crate::WorkerLoad {
            node: 0,
            worker: 0,
            cpu: Duration::ZERO,
            wall: Duration::from_secs(10),
            waited: Duration::from_secs_f64(10.0 * share),
            runs: 1_000,
            unseen: false,
        });
        run.measured = interval;
        run.generator.waited_share_max = Some(share);
        judge(&run)
    };
    let shared = judged(50, 700, 0.002);
    assert_eq!(shared.status, Status::Valid, "{shared:?}");
    assert!(shared.own.iter().any(|part| part.ours), "{shared:?}");
    assert!(shared.notes[0].contains("p99 up to 0.70 ms too high"), "{shared:?}");
    for (of, late, share) in [(50, 1_200, 0.002), (50, 700, 0.05), (1, 700, 0.02)] {
        let limited = judged(of, late, share);
        assert_eq!(limited.status, Status::GeneratorLimited, "{late} us of 1 in {of}: {limited:?}");
        assert!(limited.reasons[0].text.contains("was runnable but not scheduled"), "{limited:?}");
    }
}

#[test]
fn cause_without_an_effect_is_not_blamed() {
    let mut busy = run(|_| 100, prompt);
    busy.generator.cpu_share_max = Some(0.97);
    busy.generator.waited_share_max = Some(0.5);
    busy.generator.machine.steal_share = Some(0.2);
    assert_eq!(judge(&busy).status, Status::Valid);
}

#[test]
fn lateness_within_the_timer_noise_is_not_blamed() {
    // 0.3 ms of 1.3: more than a tenth, less than the 0.4 ms by which this timer is late anyway.
    let micros = |n: u64| Moment::from_nanos(n * 1_000);
    let mut slight = run(|_| 100, prompt);
    let mut interval = Interval::new(1, 0);
    for _ in 0..1_000 {
        let stamps =
            Stamps { due: micros(0), free: micros(0), sent: micros(300), ended: micros(1_300) };
        interval.record(
            0,
            Outcome::Ok(0),
            &stamps,
            0,
            Own { waited: Duration::from_micros(300), tainted: false },
        );
        interval.plan();
    }
    slight.measured = interval;
    slight.generator.waited_share_max = Some(0.5);
    let verdict = judge(&slight);
    assert_eq!(verdict.status, Status::Valid, "{verdict:?}");
    assert!(verdict.own.iter().all(|part| !part.ours) && !verdict.own.is_empty());
    slight.generator.timer.p99_us = 100.0;
    assert_eq!(judge(&slight).status, Status::GeneratorLimited);
}

#[test]
fn load_not_made_needs_a_cause_in_the_generator() {
    let mut short = run(|_| 100, prompt);
    short.rates.achieved = Some(60.0);
    assert_eq!(judge(&short).status, Status::Valid, "the target did not keep up");
    short.generator.cpu_share_max = Some(0.97);
    let (status, text) = only_reason(&short);
    assert_eq!(status, Status::GeneratorLimited);
    assert!(text.contains("60/s of the 100/s that were scheduled"), "{text}");
    assert!(!judge(&short).is_of_own_part_alone(), "not all was sent");
    short.generator.in_process = true;
    assert_eq!(judge(&short).status, Status::Valid, "the processor time is the target's");
    let mut closed = run(|_| 100, prompt);
    closed.plan.mode = crate::Mode::Closed;
    assert_eq!(judge(&closed), Verdict::default());
    closed.generator.cpu_share_max = Some(0.97);
    assert_eq!(judge(&closed).status, Status::GeneratorLimited);
}

#[test]
fn target_refusing_connections_does_not_limit_the_generator() {
    let judged = |closed: u64| {
        let mut proxy = run(|_| 100, prompt);
        proxy.plan.mode = crate::Mode::Closed;
        proxy.generator.cpu_share_max = Some(0.97);
        for _ in 0..closed {
            let at = Moment::from_nanos(MS);
            let stamps = Stamps { due: at, free: at, sent: at, ended: at };
            let outcome = Outcome::Failed(Class::Closed, 0);
            proxy.measured.record(0, outcome, &stamps, 0, Own::default());
            proxy.measured.plan();
        }
        let limited = |reason: &Reason| reason.status == Status::GeneratorLimited;
        judge(&proxy).reasons.iter().any(limited)
    };
    // Of a thousand answers and these.
    assert_eq!([0, 900, 1_100].map(judged), [true, true, false]);
}

#[test]
fn timeouts_count_as_load_that_was_made() {
    let judged = |achieved, timed_out| {
        let mut late = run(|_| 100, prompt);
        late.rates.achieved = Some(achieved);
        late.generator.cpu_share_max = Some(0.97);
        late.measured.planned += timed_out;
        late.measured.operations[0].counts.sent += timed_out;
        late.measured.operations[0].counts.timed_out = timed_out;
        judge(&late).status
    };
    assert_eq!(judged(60.0, 400), Status::Valid);
    assert_eq!(judged(60.0, 300), Status::GeneratorLimited);
}

#[test]
fn quota_is_named_before_the_stalls_it_causes() {
    let mut throttled = run(|_| 100, late);
    throttled.generator.machine.throttled_share = Some(0.3);
    throttled.generator.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 0.08 }; 30];
    assert!(only_reason(&throttled).1.contains("CPU quota"));
    // A quota that stops brunt for half a second does not explain three seconds.
    throttled.generator.machine.throttled_share = Some(0.05);
    throttled.generator.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 3.0 }];
    assert!(only_reason(&throttled).1.contains("was paused for 3.0 s"));
}

#[test]
fn other_processes_are_named_before_the_stalls_they_cause() {
    let mut crowded = run(|_| 100, late);
    crowded.generator.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 0.08 }; 2];
    assert!(only_reason(&crowded).1.contains("was paused"));
    crowded.measured.health.record(crate::WorkerLoad {
        node: 0,
        worker: 0,
        cpu: Duration::ZERO,
        wall: Duration::from_secs(10),
        waited: Duration::from_millis(100),
        runs: 100,
        unseen: false,
    });
    assert!(only_reason(&crowded).1.contains("was runnable but not scheduled"));
    crowded.generator.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 3.0 }];
    assert!(only_reason(&crowded).1.contains("was paused for 3.0 s"));
}

#[test]
fn waiting_for_a_core_matters_relative_to_the_exchange() {
    let mut slow = run(|_| 100, |_| ([0, 0, 0, 300], 0));
    slow.plan.mode = crate::Mode::Closed;
    slow.generator.waited_share_max = Some(0.2);
    let load = |waited_ms, runs| crate::WorkerLoad {
        node: 0,
        worker: 0,
        cpu: Duration::ZERO,
        wall: Duration::from_secs(10),
        waited: Duration::from_millis(waited_ms),
        runs,
        unseen: false,
    };
    // Each of a thousand wake-ups waited 2 ms, compared with 300.
    slow.measured.health.record(load(2_000, 1_000));
    assert_eq!(judge(&slow).status, Status::Valid);
    slow.measured.health.workers.clear();
    slow.measured.health.record(load(2_000, 10));
    assert_eq!(judge(&slow).status, Status::GeneratorLimited);
}

/// A worker on the core of its target runs half of the time and waits for a quarter of it, 12 us at a time, while an
/// exchange of ten takes half a millisecond.
#[test]
fn sharing_a_core_with_the_target_limits_a_closed_loop() {
    let judged = |workers: &[(u64, u64)]| {
        let mut shared = run(|_| 100, prompt);
        shared.plan.mode = crate::Mode::Closed;
        let most = workers.iter().map(|(_, waited_ms)| *waited_ms).max().unwrap();
        shared.generator.waited_share_max = Some(most as f64 / 10_000.0);
        for (worker, (cpu_ms, waited_ms)) in (0..).zip(workers) {
            shared.measured.health.record(crate::WorkerLoad {
                node: 0,
                worker,
                cpu: Duration::from_millis(*cpu_ms),
                wall: Duration::from_secs(10),
                waited: Duration::from_millis(*waited_ms),
                runs: 200_000,
                unseen: false,
            });
        }
        judge(&shared)
    };
    let limited = judged(&[(4_900, 2_500)]);
    assert_eq!(limited.status, Status::GeneratorLimited, "{limited:?}");
    assert!(
        limited.reasons[0].text.contains("was runnable but not scheduled 25% of the time"),
        "{limited:?}"
    );
    // One that mostly sleeps is there when an answer is, and one that hardly waits has a core of its own; also both.
    let others: [&[(u64, u64)]; 3] =
        [&[(1_500, 2_500)], &[(7_500, 500)], &[(1_500, 2_500), (7_500, 500)]];
    for workers in others {
        let valid = judged(workers);
        assert_eq!(valid.status, Status::Valid, "{workers:?} ms: {valid:?}");
    }
}

#[test]
fn local_limits_count_only_once_they_cost_exchanges() {
    let mut drops = run(|_| 100, prompt);
    drops.measured.health.socket_drops = 1;
    let verdict = judge(&drops);
    assert_eq!((verdict.status, verdict.notes.len()), (Status::Valid, 1), "{verdict:?}");
    drops.measured.health.socket_drops = 50;
    assert!(only_reason(&drops).1.contains("net.core.rmem_max"));
    let mut ports = run(|_| 100, prompt);
    ports.measured.operations[0].codes.add(Outcome::Failed(Class::Ports, 99), 4);
    assert!(only_reason(&ports).1.contains("local port"));
    let mut files = run(|_| 100, prompt);
    files.unready.add(Outcome::Failed(Class::Descriptors, 24), 715);
    let (status, text) = only_reason(&files);
    assert_eq!(status, Status::GeneratorLimited);
    assert!(text.contains("715 attempts") && text.contains("ulimit -n"), "{text}");
}

#[test]
fn absent_target_is_named_instead_of_the_generator() {
    let mut absences = crate::Absences::default();
    let mut presence = Presence::default();
    (0..60).for_each(|slot| presence.note(slot, Sign::Answered));
    (60..100).for_each(|slot| presence.note(slot, Sign::Wanted));
    absences.absorb(&presence);
    let mut hung = run(|second| if second < 6 { 100 } else { 0 }, prompt);
    hung.away = absences.found(
        &|_| crate::Usual::always(Duration::from_millis(1)),
        &[],
        false,
        Duration::MAX,
    );
    hung.rates.achieved = Some(60.0);
    hung.measured.operations[0].counts.cut_off = 400;
    hung.generator.cpu_share_max = Some(0.97);
    let verdict = judge(&hung);
    let partial: Vec<_> =
        verdict.reasons.iter().filter(|reason| reason.status == Status::Partial).collect();
    assert!(partial[0].text.contains("no answer from 6.0 s to the end"), "{verdict:?}");
    assert!(
        verdict.reasons.iter().all(|reason| reason.status != Status::GeneratorLimited),
        "{verdict:?}"
    );
}

#[test]
fn exchanges_missed_by_a_stopped_generator_are_its_own() {
    let mut stopped = run(|_| 100, prompt);
    stopped.generator.stalls =
        vec![StallRecord { from_s: 3.0, lasted_s: 0.4, ..StallRecord::default() }];
    let operation = &mut stopped.measured.operations[0];
    (operation.counts.timed_out, operation.tainted.timed_out) = (166, 164);
    let verdict = judge(&stopped);
    let own = "brunt was paused for 0.4 s at 3.0 s; 164 of 166 operations without an answer";
    let reason = verdict.reasons.iter().find(|reason| reason.text.starts_with(own));
    assert_eq!(reason.unwrap().status, Status::GeneratorLimited, "{verdict:?}");
    stopped.measured.operations[0].tainted.timed_out = 1;
    let verdict = judge(&stopped);
    let few = "brunt was paused for 0.4 s at 3.0 s; 1 of 166 operations without an answer";
    assert!(verdict.notes.iter().any(|note| note.starts_with(few)), "{verdict:?}");
}

#[test]
fn send_errors_of_this_machine_do_not_blame_the_target() {
    let mut cut_off = run(|_| 100, prompt);
    let codes = &mut cut_off.measured.operations[0].codes;
    codes.add(Outcome::Failed(Class::Unsent, 101), 30);
    codes.add(Outcome::Failed(Class::Unsent, 1), 3);
    let (status, text) = only_reason(&cut_off);
    assert_eq!(status, Status::GeneratorLimited);
    assert!(text.starts_with("this machine could not send 33 of 1000 operations: Network is unr"));
    assert!(text.contains("the target had no part in this"), "{text}");
}

#[test]
fn late_answers_are_not_an_absence() {
    let mut absences = crate::Absences::default();
    let mut presence = Presence::default();
    (0..100).for_each(|slot| presence.note(slot, Sign::Wanted));
    absences.absorb(&presence);
    let mut slow = run(|_| 0, prompt);
    slow.away = absences.found(
        &|_| crate::Usual::always(Duration::from_millis(1)),
        &[],
        false,
        Duration::MAX,
    );
    assert!(!slow.away.is_empty());
    slow.measured.operations[0].counts.timed_out = 500;
    slow.present = Some("456 answers came later than the drop time");
    let verdict = judge(&slow);
    let partial = verdict.reasons.iter().find(|reason| reason.status == Status::Partial);
    let text = &partial.unwrap().text;
    assert!(!text.contains("was away"), "{text}");
    assert_eq!(verdict.present.as_deref(), slow.present);
    assert!(text.contains("456 answers came later") && text.contains("500 operations"), "{text}");
    // A server that was stopped answers what had waited for it once it continues.
    slow.away[0].to_s = Some(4.6);
    let verdict = judge(&slow);
    let partial = verdict.reasons.iter().find(|reason| reason.status == Status::Partial);
    let text = &partial.unwrap().text;
    assert!(text.starts_with("the target stopped responding: away 0.0 s to 4.6 s"), "{text}");
    assert!(text.contains("; 456 answers came later"), "{text}");
    assert_eq!(verdict.present, None);
}

#[test]
fn partial_run_states_its_reason() {
    let mut cut = run(|_| 100, prompt);
    cut.interrupted = Some(Cause::Signal { signal: "SIGINT".to_owned(), after_s: 3.0 }.into());
    assert_eq!(
        only_reason(&cut),
        (Status::Partial, "the run was interrupted: ended by SIGINT after 3.0 s".to_owned())
    );
    let mut refused = run(|_| 100, prompt);
    refused.measured.operations[0].codes.add(Outcome::Failed(Class::Connect, 111), 7);
    assert!(only_reason(&refused).1.contains("7 of 1000 operations lost their connection"));
    let mut in_flight = run(|_| 100, prompt);
    in_flight.measured.operations[0].counts.cut_off = 3;
    in_flight.measured.operations[0].counts.sent += 3;
    in_flight.measured.planned += 3;
    assert!(only_reason(&in_flight).1.contains("3 operations were still in flight"));
    let mut silent = run(|_| 100, prompt);
    silent.measured.operations[0].counts.ok = 0;
    silent.measured.operations[0].counts.timed_out = 1_000;
    assert!(only_reason(&silent).1.contains("none of 1000 operations was answered"));
    let mut unbalanced = run(|_| 100, prompt);
    unbalanced.measured.planned += 3;
    assert!(only_reason(&unbalanced).1.contains("account for every operation"));
}

#[test]
fn calibrated_ceiling_is_a_note() {
    let mut close = run(|_| 100, prompt);
    (close.generator.ceiling, close.generator.ceiling_ratio) = (Some(110.0), Some(0.91));
    let verdict = judge(&close);
    assert_eq!(verdict.status, Status::Valid);
    assert!(verdict.notes[0].contains("91% of the 110/s"), "{verdict:?}");
}

#[test]
fn cleared_response_times_are_separate_histograms() {
    let both = run(|_| 100, late);
    let response = &both.measured.operations[0].response;
    let sum = |histogram: &Histogram| histogram.sum_nanos() / u128::from(MS);
    assert_eq!((sum(&response.ok), sum(response.cleared())), (500 * 31 + 500, 1_000));
}
