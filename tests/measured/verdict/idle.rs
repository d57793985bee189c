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
fn of_one_search_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-1");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_10_searches_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-10");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_50_searches_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-50");
    });
}

#[test]
fn of_200_searches_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-200");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_1000_searches_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-ldap-1000");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_10_leases_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-10");
    });
}

#[test]
fn of_50_leases_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-50");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_1000_leases_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-dhcp-1000");
    });
}

#[test]
fn of_50_requests_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-http-50");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_1000_requests_a_second() {
    measured(REAL_TROUBLE, || {
        nobody_is_blamed("idle-http-1000");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_a_server_that_closes_idle_connections() {
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
fn of_memfile_within_brunt() {
    measured(REAL_TROUBLE, || {
        judge("store-in-process-memfile").iter().for_each(a_store_may_use_the_core);
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn of_sqlite_within_brunt() {
    measured(REAL_TROUBLE, || {
        judge("store-in-process-sqlite").iter().for_each(a_store_may_use_the_core);
    });
}
