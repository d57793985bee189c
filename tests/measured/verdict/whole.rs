//! When a run is complete: exchanges that were requested one by one are waited for, and a run without an end of its own
//! is ended by its user.

use std::time::Duration;

use super::REAL_TROUBLE;
use super::judged::judge;
use brunt_testbed::measured;

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn a_count_waits_as_long_as_each_may_take() {
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
fn without_a_time_out_the_drain_cuts_off_what_is_in_flight() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("count-of-endless-exchanges") else { return };
        assert_eq!(judged.record().counts.cut_off, 2, "{judged}");
    });
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn without_an_end_of_its_own_it_is_whole_when_interrupted() {
    measured(REAL_TROUBLE, || {
        let Some(judged) = judge("endless-until-interrupted") else { return };
        let record = judged.record();
        assert!(record.counts.ok > 50 && record.counts.ok == record.counts.planned, "{judged}");
    });
}
