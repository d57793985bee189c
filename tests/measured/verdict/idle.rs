//! A target without trouble: no part is blamed, at any rate.

use brunt_record::Status;

use super::REAL_TROUBLE;
use super::judged::{Judged, judge};
use brunt_testbed::measured;

/// Nothing is missing from the run, and a worker that waits for its timer is not called busy.
fn nobody_is_blamed(name: &str) {
    let Some(judged) = judge(name) else { return };
    let record = judged.record();
    assert!(record.away.is_empty() && record.counts.ok == record.counts.planned, "{judged}");
    assert!(record.counts.planned > 0, "{judged}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_ldap_at_1_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-1");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_ldap_at_10_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-10");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_ldap_at_50_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-50");
    });
}

#[test]
fn idle_ldap_at_200_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-200");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_ldap_at_1000_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-1000");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_dhcp_at_10_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-10");
    });
}

#[test]
fn idle_dhcp_at_50_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-50");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_dhcp_at_1000_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-1000");
    });
}

#[test]
fn idle_http_at_50_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-http-50");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_http_at_1000_per_second_blames_nothing() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-http-1000");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn idle_connections_closed_by_the_server_blame_nothing() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("closes-idle-connections") else { return };
        let record = judged.record();
        assert_eq!((record.counts.failed, record.counts.dropped), (0, 0), "{judged}");
        assert!(record.connections.reconnected > 0, "{judged}");
    });
}

/// What is measured runs in the worker itself, which is busy as it should be.
fn a_store_may_use_the_core(judged: &Judged) {
    for record in judged.records() {
        let reasons = judged.reasons(Status::GeneratorLimited);
        assert!(!reasons.contains("busiest worker"), "{judged}");
        assert!(record.generator.in_process && record.counts.ok > 0, "{judged}");
    }
}

#[test]
fn memfile_store_in_process_blames_nothing() {
    measured(REAL_TROUBLE, || {
        judge("store-in-process-memfile").iter().for_each(a_store_may_use_the_core);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn sqlite_store_in_process_blames_nothing() {
    measured(REAL_TROUBLE, || {
        judge("store-in-process-sqlite").iter().for_each(a_store_may_use_the_core);
    });
}
