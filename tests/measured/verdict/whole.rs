//! When a run is complete: exchanges that were requested one by one are waited for, and a run without an end of its own
//! is ended by its user.

use std::time::Duration;

use super::REAL_TROUBLE;
use super::judged::judge;
use brunt_testbed::measured;

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn counted_run_waits_for_long_exchanges() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("count-of-long-exchanges") else { return };
        let record = judged.record();
        assert_eq!((record.counts.ok, record.counts.planned), (2, 2), "{judged}");
        let least = record.operations[0].service.histogram().expect("times").min();
        assert!(least >= Some(Duration::from_secs(11)), "{least:?}\n{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn counted_run_without_timeout_is_cut_off_by_the_drain() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("count-of-endless-exchanges") else { return };
        assert_eq!(judged.record().counts.cut_off, 2, "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn endless_run_is_complete_when_interrupted() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("endless-until-interrupted") else { return };
        let record = judged.record();
        assert!(record.counts.ok > 50 && record.counts.ok == record.counts.planned, "{judged}");
    });
}
