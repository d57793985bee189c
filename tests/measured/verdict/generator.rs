//! A brunt in trouble: it names the cause of its trouble, and does not blame the target.

use brunt_record::Status;

use super::REAL_TROUBLE;
use super::judged::{Judged, judge};
use brunt_testbed::{measured, require};

/// Nothing was missing at the target.
fn the_target_was_there(judged: &Judged) {
    assert!(judged.record().away.is_empty(), "{judged}");
    assert!(!judged.output().contains("the target stopped responding"), "{judged}");
}

/// It stood still for as long as it was stopped, which is in the record.
fn stood_still(name: &str) -> Option<Judged> {
    let judged = judge(name)?;
    the_target_was_there(&judged);
    let record = judged.record();
    let longest = record.generator.stalls.iter().map(|stall| stall.lasted_s).fold(0.0, f64::max);
    let (least, most) = judged.acted();
    // Once it may continue, it may have to wait for a core.
    assert!((least - 0.15..=most + 1.0).contains(&longest), "{longest}\n{judged}");
    Some(judged)
}

#[test]
fn generator_stopped_for_three_seconds() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = stood_still("brunt-stopped-ldap") else { return };
        let record = judged.record();
        assert_eq!(record.counts.ok, record.counts.planned, "{judged}");
        // What became due meanwhile, and what was under way. On a busy machine it may have stood still at other times,
        // too.
        let end_s = record.rates.from_s + record.rates.seconds;
        let stalls = record.generator.stalls.iter();
        let due = stalls.map(|stall| {
            let to_s = (stall.from_s + stall.lasted_s).min(end_s);
            200.0 * (to_s - stall.from_s).max(0.0)
        });
        let (longest, all) =
            due.fold((0.0_f64, 0.0_f64), |(most, all), due| (most.max(due), all + due));
        let tainted = record.operations[0].tainted.map_or(0, |tainted| tainted.planned) as f64;
        assert!((longest - 40.0..=all + 120.0).contains(&tainted), "{tainted} of {all}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_stopped_at_two_searches_per_second() {
    measured(REAL_TROUBLE, || {
        stood_still("brunt-stopped-ldap-2");
    });
}

#[test]
fn generator_stopped_over_dhcp() {
    measured(REAL_TROUBLE, || {
        stood_still("brunt-stopped-dhcp");
    });
}

#[test]
fn generator_stopped_over_http() {
    measured(REAL_TROUBLE, || {
        stood_still("brunt-stopped-http");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_shares_its_core_with_two_processes() {
    measured(REAL_TROUBLE, || {
        judge("core-hogged-ldap").iter().for_each(the_target_was_there);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_shares_its_core_with_two_processes_over_dhcp() {
    measured(REAL_TROUBLE, || {
        judge("core-hogged-dhcp").iter().for_each(the_target_was_there);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_shares_its_core_with_the_target() {
    measured(REAL_TROUBLE, || {
        judge("target-on-the-same-core").iter().for_each(the_target_was_there);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_has_a_cpu_quota_of_20_percent() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("quota-of-20-percent") else { return };
        the_target_was_there(&judged);
        let throttled = judged.record().generator.machine.throttled_share;
        assert!(throttled.is_some_and(|share| share > 0.1), "{throttled:?}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_has_a_cpu_quota_of_10_percent() {
    measured(REAL_TROUBLE, || {
        judge("quota-of-10-percent").iter().for_each(the_target_was_there);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_has_a_cpu_quota_just_sufficient() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("quota-of-2-percent") else { return };
        // The quota also disturbs what the timer is measured by, and must not excuse itself.
        let timer = judged.record().generator.timer;
        assert!(timer.disturbed > 0 && timer.p99_us < 50_000.0, "{timer:?}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_without_proc() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("without-proc") else { return };
        the_target_was_there(&judged);
        let machine = judged.record().generator.machine;
        assert!(machine.unseen && machine.steal_share.is_none(), "{machine:?}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_loses_an_agent() {
    measured(REAL_TROUBLE, || {
        if !require(&["nats-server"]) {
            return;
        }
        let Some(judged) = judge("agent-lost") else { return };
        the_target_was_there(&judged);
        let record = judged.record();
        let lost = record.nodes.iter().filter(|node| node.lost_at_s.is_some()).count();
        assert_eq!((record.nodes.len(), lost), (2, 1), "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_runs_out_of_descriptors() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("descriptors-short") else { return };
        the_target_was_there(&judged);
        let unready = &judged.record().connections.unready;
        assert!(!unready.is_empty(), "{judged}");
        assert!(judged.reasons(Status::GeneratorLimited).contains("300 sessions"), "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn generator_runs_out_of_local_ports() {
    measured(REAL_TROUBLE, || {
        judge("ports-short").iter().for_each(the_target_was_there);
    });
}
