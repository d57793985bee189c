//! Reasons as data: every effect, with its cause, its remedy and its words, from a run in which it was arranged.

use super::*;
use crate::Noun;

/// The only reason of a run, which reads the same after it was written.
fn the_reason(run: &Run) -> Reason {
    let verdict = judge(run);
    let [reason] = verdict.reasons.as_slice() else { panic!("one reason: {verdict:?}") };
    let text = serde_json::to_string(reason).unwrap();
    assert_eq!(&serde_json::from_str::<Reason>(&text).unwrap(), reason);
    reason.clone()
}

#[track_caller]
fn assert_reason(run: &Run, effect: Effect, cause: Option<Cause>, remedy: Option<Remedy>) {
    let reason = the_reason(run);
    assert_eq!((reason.effect, reason.cause, reason.remedy), (Some(effect), cause, remedy));
    assert_eq!(reason.node, None);
}

/// A run on a machine that was changed in this way.
fn on(exchange: fn(u64) -> ([u64; 4], u64), change: impl Fn(&mut Generator)) -> Run {
    let mut run = run(|_| 100, exchange);
    change(&mut run.generator);
    run
}

/// What a run with a late percentile gives as the cause.
#[track_caller]
fn assert_cause(change: impl Fn(&mut Generator), cause: Cause, remedy: Remedy) {
    let reason = the_reason(&on(late, change));
    let moved = matches!(
        reason.effect,
        Some(Effect::PercentileMoved { ref operation, us, without_own_us, .. })
            if operation == "bind" && us > without_own_us
    );
    assert!(moved, "{reason:?}");
    assert_eq!((reason.cause, reason.remedy), (Some(cause), Some(remedy)));
}

#[test]
fn cause_has_its_figures_and_a_remedy() {
    assert_cause(
        |g| g.machine.throttled_share = Some(0.4),
        Cause::CpuQuota { share: 0.4 },
        Remedy::RaiseQuota,
    );
    assert_cause(
        |g| g.machine.steal_share = Some(0.08),
        Cause::Steal { share: 0.08 },
        Remedy::UnsharedMachine,
    );
    assert_cause(
        |g| g.cpu_share_max = Some(0.97),
        Cause::BusyWorker { share: 0.97 },
        Remedy::MoreWorkers,
    );
    let one_core = |g: &mut Generator| {
        g.cpu_share_max = Some(0.97);
        g.machine.cores = 1;
    };
    assert_cause(one_core, Cause::BusyWorker { share: 0.97 }, Remedy::LargerMachine);
    assert_cause(
        |g| g.waited_share_max = Some(0.12),
        Cause::NotScheduled { share: 0.12, others_share: Some(0.01) },
        Remedy::StopOthers,
    );
    let stall = |from_s, lasted_s| StallRecord { node: None, from_s, lasted_s };
    assert_cause(
        |g| g.stalls = vec![stall(2.0, 0.5), stall(4.0, 2.5)],
        Cause::Paused { at_s: 4.0, lasted_s: 2.5, times: 2, total_s: 3.0 },
        Remedy::RunAgain,
    );
    let disturbed = TimerRecord { disturbed: 40, ..TimerRecord::default() };
    assert_cause(|g| g.timer = disturbed, Cause::TimerDisturbed { wake_ups: 40 }, Remedy::FreeCore);
    let unseen = |g: &mut Generator| {
        (g.waited_share_max, g.machine.others_share) = (None, None);
        g.machine.unseen = true;
    };
    assert_cause(unseen, Cause::Unknown, Remedy::MountProc);
    let mut local = on(late, |g| g.waited_share_max = Some(0.3));
    local.plan.target = Some("ldap://localhost:1389".to_owned());
    assert_eq!(the_reason(&local).remedy, Some(Remedy::SeparateFromTarget));
}

#[test]
fn load_that_was_not_made_is_an_effect() {
    let mut short = on(prompt, |g| g.cpu_share_max = Some(0.97));
    let busy = || (Some(Cause::BusyWorker { share: 0.97 }), Some(Remedy::MoreWorkers));
    short.rates.achieved = Some(60.0);
    let effect = Effect::LoadNotMade { made_per_second: 60.0, scheduled_per_second: 100.0 };
    let (cause, remedy) = busy();
    assert_reason(&short, effect, cause, remedy);
    short.plan.mode = crate::Mode::Closed;
    let (cause, remedy) = busy();
    assert_reason(&short, Effect::LoopLimited, cause, remedy);
}

#[test]
fn limits_of_this_machine_are_effects() {
    let mut drops = run(|_| 100, prompt);
    drops.measured.health.socket_drops = 50;
    let effect = Effect::RepliesDropped { count: 50 };
    assert_reason(&drops, effect, None, Some(Remedy::RaiseReceiveBuffer));
    let mut ports = run(|_| 100, prompt);
    ports.measured.operations[0].codes.add(Outcome::Failed(Class::Ports, 99), 4);
    assert_reason(&ports, Effect::NoLocalPort { count: 4 }, None, Some(Remedy::MorePorts));
    let mut files = run(|_| 100, prompt);
    files.unready.add(Outcome::Failed(Class::Descriptors, 24), 715);
    let effect = Effect::NoDescriptor { sessions: 10, failed: 715 };
    assert_reason(&files, effect, Some(Cause::OpenFiles), Some(Remedy::RaiseOpenFiles));
    let text = "this process reached its limit of open files: 10 sessions need connections, and 715 attempts or \
                operations failed without a file descriptor; raise the limit (ulimit -n)";
    assert_eq!(the_reason(&files).text, text);
    let mut unsent = run(|_| 100, prompt);
    unsent.measured.operations[0].codes.add(Outcome::Failed(Class::Unsent, 101), 30);
    let effect = Effect::NotSent { count: 30, due: 1_000 };
    let cause = Some(Cause::System { errno: 101 });
    assert_reason(&unsent, effect, cause, Some(Remedy::CheckRoute));
    let mut paused = run(|_| 100, prompt);
    let stall = StallRecord { from_s: 3.0, lasted_s: 0.4, ..StallRecord::default() };
    paused.generator.stalls = vec![stall];
    let operation = &mut paused.measured.operations[0];
    (operation.counts.timed_out, operation.tainted.timed_out) = (166, 164);
    let reasons = judge(&paused).reasons;
    let missed = Some(Effect::MissedWhilePaused { count: 164, timed_out: 166 });
    let reason = reasons.iter().find(|reason| reason.effect == missed).expect("it is named");
    let cause = Cause::Paused { at_s: 3.0, lasted_s: 0.4, times: 1, total_s: 0.4 };
    assert_eq!((&reason.cause, &reason.remedy), (&Some(cause), &Some(Remedy::RunAgain)));
}

#[test]
fn what_is_missing_from_a_run_is_an_effect() {
    let signal = || Cause::Signal { signal: "SIGINT".to_owned(), after_s: 3.0 };
    let mut cut = run(|_| 100, prompt);
    let remedy = || Some(Remedy::Proposed { what: "wait".to_owned() });
    cut.interrupted = Some(EarlyEnd { cause: signal(), remedy: remedy() });
    assert_reason(&cut, Effect::CutShort, Some(signal()), remedy());
    assert_eq!(the_reason(&cut).text, "the run was interrupted: ended by SIGINT after 3.0 s; wait");
    let mut refused = run(|_| 100, prompt);
    refused.measured.operations[0].codes.add(Outcome::Failed(Class::Connect, 111), 7);
    assert_reason(&refused, Effect::ConnectionsLost { count: 7, due: 1_000 }, None, None);
    let mut in_flight = run(|_| 100, prompt);
    in_flight.measured.operations[0].counts.cut_off = 3;
    in_flight.measured.operations[0].counts.sent += 3;
    in_flight.measured.planned += 3;
    in_flight.rates.drained_s = 2.5;
    assert_reason(&in_flight, Effect::Unfinished { count: 3, after_s: 2.5 }, None, None);
    let mut silent = run(|_| 100, prompt);
    silent.measured.operations[0].counts.ok = 0;
    silent.measured.operations[0].counts.timed_out = 1_000;
    assert_reason(&silent, Effect::NothingAnswered { due: 1_000 }, None, None);
    let mut unbalanced = run(|_| 100, prompt);
    unbalanced.measured.planned += 3;
    let effect = the_reason(&unbalanced).effect;
    assert!(matches!(effect, Some(Effect::NotAccounted { .. })), "{effect:?}");
}

#[test]
fn absences_are_an_effect_with_the_first_few() {
    let absence = |from: u32| Away {
        from_s: from.into(),
        to_s: Some(f64::from(from) + 1.0),
        recovered_after_s: Some(0.0),
        ..Away::default()
    };
    let mut away = run(|_| 100, prompt);
    away.away = [1, 3, 5, 7].map(absence).to_vec();
    away.measured.planned += 9;
    let counts = &mut away.measured.operations[0].counts;
    (counts.sent, counts.timed_out) = (counts.sent + 9, 9);
    away.present = Some("2 answers came later");
    let effect = Effect::TargetAway {
        absences: [1, 3, 5].map(absence).to_vec(),
        times: 4,
        unanswered: 9,
        unconnected: 0,
        late: Some("2 answers came later".to_owned()),
    };
    assert_reason(&away, effect, None, None);
    let reason = the_reason(&away);
    assert_eq!(
        reason.text,
        "the target stopped responding: away 1.0 s to 2.0 s; away 3.0 s to 4.0 s; away 5.0 s to 6.0 s; and 1 more \
         times; 2 answers came later; 9 operations had no answer, 0 lost their connection or could not connect"
    );
    let brief = "the target stopped responding: away 1.0 s to 2.0 s";
    assert_eq!(reason.brief(&Noun::default()), brief);
    away.away = vec![Away { from_s: 2.0, ..Away::default() }];
    let effect = Effect::AnsweredLate { unanswered: 9, absences: away.away.clone(), times: 1 };
    let seen = Cause::Seen { what: "2 answers came later".to_owned() };
    assert_reason(&away, effect, Some(seen), None);
    let text = "the target was there, but 9 operations had no answer in time: 2 answers came later; no answer at all, \
                from 2.0 s to the end";
    assert_eq!(the_reason(&away).text, text);
}

#[test]
fn drift_is_an_effect_with_both_rates() {
    let drifting = run(|second| 100 + 10 * second, prompt);
    let effect = Effect::Drifted { first_per_second: 110.0, last_per_second: 180.0 };
    assert_reason(&drifting, effect, None, Some(Remedy::RunLonger));
    let reason = the_reason(&drifting);
    let brief = "throughput drifted from 110.0/s in the first third to 180.0/s in the last";
    assert_eq!(reason.text, format!("{brief}: warm up longer, or run longer"));
    assert_eq!(reason.brief(&Noun::default()), brief);
}

#[test]
fn reason_in_brief_has_neither_remedy_nor_details() {
    let paused = the_reason(&on(late, |g| {
        g.stalls = vec![StallRecord { node: None, from_s: 4.1, lasted_s: 3.0 }];
    }));
    let brief = paused.brief(&Noun::default());
    assert!(brief.ends_with("brunt was paused for 3.0 s at 4.1 s"), "{brief}");
    let remedy = "; it was stopped or paused with its machine: run it again without interruption";
    assert_eq!(paused.text, format!("{brief}{remedy}"));
}

#[test]
fn reason_of_an_older_version_has_only_words() {
    let old = r#"{"status": "partial", "text": "the run was interrupted: SIGINT; wait"}"#;
    let old: Reason = serde_json::from_str(old).unwrap();
    let text = "the run was interrupted: SIGINT; wait";
    assert_eq!(old, Reason::from_text(Status::Partial, text));
    assert_eq!(old.brief(&Noun::default()), "the run was interrupted: SIGINT");
    let written = serde_json::to_value(&old).unwrap();
    assert_eq!(written, serde_json::json!({"status": "partial", "text": text}));
}

#[test]
fn reason_of_a_newer_version_keeps_its_words() {
    let new = r#"{"status": "partial", "text": "the moon was full; wait", "effect": {"kind": "tide", "m": 3},
                  "cause": {"kind": "moon", "phase": "full"}, "remedy": {"kind": "wait", "days": 14}}"#;
    let new: Reason = serde_json::from_str(new).unwrap();
    assert_eq!((&new.effect, &new.cause), (&Some(Effect::Other), &Some(Cause::Other)));
    assert_eq!(new.remedy, Some(Remedy::Other));
    assert_eq!(new.brief(&Noun::default()), "the moon was full");
}

#[test]
fn own_part_alone_is_recognised_in_older_records_too() {
    let blamed = judge(&on(late, |g| g.cpu_share_max = Some(0.97)));
    assert!(blamed.is_of_own_part_alone());
    let mut old = blamed;
    for reason in &mut old.reasons {
        *reason = Reason::from_text(reason.status, reason.text.clone());
    }
    assert!(old.is_of_own_part_alone());
    old.reasons[0].text = "60/s of the 100/s that were scheduled were carried out".to_owned();
    assert!(!old.is_of_own_part_alone());
}
