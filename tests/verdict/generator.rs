//! A brunt in trouble: it names the cause of its trouble, and does not blame the target.

use brunt_record::Status;

use crate::judged::{Judged, alone, among_others};

/// Nothing was missing at the target.
fn the_target_was_there(judged: &Judged) {
    assert!(judged.record().away.is_empty(), "{judged}");
    assert!(!judged.said().contains("the target was away"), "{judged}");
}

/// It stood still for three seconds, which is in the record.
fn stood_still(name: &str) -> Option<Judged> {
    let judged = among_others(name)?;
    the_target_was_there(&judged);
    let record = judged.record();
    let longest = record.generator.stalls.iter().map(|stall| stall.lasted_s).fold(0.0, f64::max);
    assert!((2.8..=3.4).contains(&longest), "{longest}\n{judged}");
    Some(judged)
}

#[test]
fn stopped_for_three_seconds() {
    let Some(judged) = stood_still("brunt-stopped-ldap") else { return };
    let record = judged.record();
    assert_eq!(record.counts.ok, record.counts.planned, "{judged}");
    // What fell due meanwhile, and what was under way.
    let tainted = record.operations[0].tainted.map_or(0, |tainted| tainted.planned);
    assert!((560..=720).contains(&tainted), "{tainted}\n{judged}");
}

#[test]
fn stopped_for_three_seconds_at_two_searches_a_second() {
    stood_still("brunt-stopped-ldap-2");
}

#[test]
fn stopped_for_three_seconds_over_dhcp() {
    stood_still("brunt-stopped-dhcp");
}

#[test]
fn stopped_for_three_seconds_over_http() {
    stood_still("brunt-stopped-http");
}

#[test]
fn beside_two_others_on_its_core() {
    alone("core-hogged-ldap").iter().for_each(the_target_was_there);
}

#[test]
fn beside_two_others_on_its_core_over_dhcp() {
    alone("core-hogged-dhcp").iter().for_each(the_target_was_there);
}

#[test]
fn on_the_core_of_its_target() {
    alone("target-on-the-same-core").iter().for_each(the_target_was_there);
}

#[test]
fn with_a_quota_of_a_fifth_of_a_core() {
    let Some(judged) = among_others("quota-of-20-percent") else { return };
    the_target_was_there(&judged);
    let throttled = judged.record().generator.machine.throttled_share;
    assert!(throttled.is_some_and(|share| share > 0.1), "{throttled:?}\n{judged}");
}

#[test]
fn without_descriptors() {
    let Some(judged) = among_others("descriptors-short") else { return };
    the_target_was_there(&judged);
    let unready = &judged.record().connections.unready;
    assert!(!unready.is_empty(), "{judged}");
    assert!(judged.reasons(Status::GeneratorLimited).contains("300 sessions"), "{judged}");
}

#[test]
fn without_local_ports() {
    among_others("ports-short").iter().for_each(the_target_was_there);
}
