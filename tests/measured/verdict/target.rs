//! A target in trouble: its unavailability is reported, objectives are missed because of its users' waiting times, and
//! brunt does not attribute these to itself.

use brunt_record::Status;

use super::REAL_TROUBLE;
use super::judged::{Judged, judge};
use brunt_testbed::measured;

/// By how much an absence may be shorter than the target was stopped, in seconds: it is made of slots of 100 ms.
const SHORTER_S: f64 = 0.3;
/// By how much it may be longer: a target that may continue, or brunt, may have to wait for a core.
const LONGER_S: f64 = 1.0;

fn was_away(name: &str) -> Option<Judged> {
    let judged = judge(name)?;
    judged.away_meanwhile(SHORTER_S, LONGER_S);
    Some(judged)
}

/// All of what became due was answered in the end, and none of its waits is brunt's.
fn answers_all_after(name: &str) {
    let Some(judged) = was_away(name) else { return };
    let record = judged.record();
    assert_eq!(record.counts.ok, record.counts.planned, "{judged}");
    // Others may keep it from its core for a moment, but not for that long.
    let alone = judged.stood_still_alone();
    assert!(alone.iter().all(|lasted_s| *lasted_s < 1.0), "{judged}");
    let blamed = judged.reasons(Status::GeneratorLimited).contains("was paused");
    assert!(alone.is_empty() || !blamed, "{judged}");
}

/// From some time to the end there was no answer.
fn is_gone(name: &str) {
    let Some(judged) = judge(name) else { return };
    let record = judged.record();
    let [away] = record.away[..] else { panic!("{judged}") };
    assert!(away.answered_before && away.to_s.is_none(), "{away:?}\n{judged}");
    // The run begins when brunt is ready.
    let (from_s, to_s) = judged.first_acted();
    assert!((from_s - 1.5..to_s + 0.5).contains(&away.from_s), "{away:?}\n{judged}");
    assert!(record.counts.ok < record.counts.planned, "{judged}");
}

fn answers_too_late_or_badly(name: &str) -> Option<Judged> {
    let judged = judge(name)?;
    assert!(judged.record().away.is_empty(), "{judged}");
    Some(judged)
}

#[test]
fn target_stopped_for_three_seconds() {
    measured(REAL_TROUBLE, || {
        answers_all_after("target-stopped-ldap");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_stopped_at_two_searches_per_second() {
    measured(REAL_TROUBLE, || {
        // Nobody waits before half a second is over.
        let Some(judged) = judge("target-stopped-ldap-2") else { return };
        judged.away_meanwhile(SHORTER_S + 0.5, LONGER_S);
    });
}

#[test]
fn target_stopped_over_http() {
    measured(REAL_TROUBLE, || {
        answers_all_after("target-stopped-http");
    });
}

#[test]
fn target_stopped_over_dhcp() {
    measured(REAL_TROUBLE, || {
        was_away("target-stopped-dhcp");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_stopped_until_after_the_schedule() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("target-stopped-at-the-end") else { return };
        // It comes back while brunt still waits for what is in flight.
        let away = judged.away_meanwhile(SHORTER_S + 0.6, LONGER_S);
        assert!(away.to_s > Some(5.0), "{away:?}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_stopped_for_good() {
    measured(REAL_TROUBLE, || {
        is_gone("target-stopped-for-ever");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_stopped_for_good_without_objectives() {
    measured(REAL_TROUBLE, || {
        is_gone("target-stopped-for-ever-without-objectives");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_stopped_for_good_without_objectives_over_http() {
    measured(REAL_TROUBLE, || {
        is_gone("target-stopped-for-ever-http");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_killed() {
    measured(REAL_TROUBLE, || {
        is_gone("target-killed-ldap");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_killed_over_dhcp() {
    measured(REAL_TROUBLE, || {
        is_gone("target-killed-dhcp");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_killed_over_http() {
    measured(REAL_TROUBLE, || {
        is_gone("target-killed-http");
    });
}

/// It was away until it was started again, and what waited was served in the end.
fn comes_back(name: &str) {
    let Some(judged) = judge(name) else { return };
    let away = judged.away_meanwhile(SHORTER_S + 0.2, LONGER_S + 0.5);
    assert!(away.recovered_after_s.is_some(), "{away:?}\n{judged}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_restarted() {
    measured(REAL_TROUBLE, || {
        comes_back("target-restarted-ldap");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_restarted_over_http() {
    measured(REAL_TROUBLE, || {
        comes_back("target-restarted-http");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_restarted_without_objectives() {
    measured(REAL_TROUBLE, || {
        comes_back("target-restarted-without-objectives");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_accepts_but_never_answers() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("target-never-answers") else { return };
        let record = judged.record();
        assert!(record.counts.ok == 0 && !record.away[0].answered_before, "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_without_an_answer_in_under_a_second() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("not-one-answer") else { return };
        assert_eq!(
            (judged.record().counts.timed_out, judged.record().away.len()),
            (5, 0),
            "{judged}"
        );
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_refuses_every_connection() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("connection-refused") else { return };
        let record = judged.record();
        assert_eq!(record.counts.ok, 0, "{judged}");
        assert_eq!(record.rates.achieved, Some(0.0), "a refused connection is no answer\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_answers_503() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = answers_too_late_or_badly("all-answers-503") else { return };
        let counts = judged.record().counts;
        assert_eq!((counts.ok, counts.failed), (0, counts.planned), "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_drops_every_tenth_packet() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = answers_too_late_or_badly("packets-dropped-dhcp") else { return };
        let counts = judged.record().counts;
        assert_eq!(counts.timed_out, counts.planned / 10, "{judged}");
        assert_eq!(counts.ok + counts.timed_out, counts.planned, "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_receive_queue_overflows() {
    measured(REAL_TROUBLE, || {
        if let Some(judged) = &judge("queue-overflow-dhcp") {
            judged.away(1.5, 2.6);
        }
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_gets_twice_its_capacity() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = answers_too_late_or_badly("queue-overflow-http") else { return };
        let lag = judged.record().lag.histogram().expect("lag").mean().expect("a mean");
        let own = judged.record().lateness.histogram().expect("lateness").mean().expect("a mean");
        assert!(own * 10 < lag, "{own:?} of {lag:?}\n{judged}");
    });
}

/// Slow is not absent, and rates are those of the time in which exchanges became due.
fn is_slow(name: &str, rate: f64) {
    let Some(judged) = answers_too_late_or_badly(name) else { return };
    let (record, close) = (judged.record(), |found: Option<f64>| {
        found.is_some_and(|found| (found - rate).abs() <= rate / 200.0)
    });
    let rates = record.rates;
    assert!(close(rates.offered) && close(rates.achieved) && close(rates.goodput), "{judged}");
    assert_eq!(record.counts.ok, record.counts.planned, "{judged}");
    let service = record.operations[0].service.histogram().expect("service times");
    assert!(service.min().is_some_and(|least| least.as_millis() >= 300), "{judged}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_takes_300_ms() {
    measured(REAL_TROUBLE, || {
        is_slow("target-slow-ldap", 200.0);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_takes_300_ms_over_dhcp() {
    measured(REAL_TROUBLE, || {
        is_slow("target-slow-dhcp", 20.0);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_takes_300_ms_over_http() {
    measured(REAL_TROUBLE, || {
        is_slow("target-slow-http", 200.0);
    });
}

/// Its load is more than it, or the sessions, can carry; the target answers all the while.
fn is_overloaded(name: &str, limit: f64) {
    let Some(judged) = answers_too_late_or_badly(name) else { return };
    let record = judged.record();
    let achieved = record.rates.achieved.expect("a rate");
    // It may be slower than arithmetic, and answers that come in step may fall on either side of the window's end.
    assert!((0.3 * limit..=1.1 * limit).contains(&achieved), "{achieved} of {limit}\n{judged}");
    assert!(judged.output().contains("OVERLOADED"), "{judged}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_latency_exceeds_the_sessions() {
    measured(REAL_TROUBLE, || {
        // Ten sessions, 300 ms each.
        is_overloaded("sessions-short", 10.0 / 0.3);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_has_one_worker_for_twice_the_load() {
    measured(REAL_TROUBLE, || {
        is_overloaded("queue-at-the-target", 100.0);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_resets_requests_in_progress() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = answers_too_late_or_badly("requests-reset") else { return };
        let counts = judged.record().counts;
        assert_eq!(counts.ok + counts.failed, counts.planned, "{judged}");
        assert_eq!(counts.failed, counts.planned / 20, "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_is_a_proxy_without_upstreams() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("proxy-without-servers") else { return };
        let record = judged.record();
        assert_eq!((record.counts.ok, record.rates.achieved), (0, Some(0.0)), "{judged}");
        assert!(judged.reasons(Status::GeneratorLimited).is_empty(), "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn target_dies_in_the_second_half_of_a_closed_loop() {
    measured(REAL_TROUBLE, || {
        is_gone("dead-in-the-second-half");
    });
}
