//! slapd closes connections that were idle for a second: this is not a failure, and no part is blamed.

use super::REAL_TROUBLE;
use brunt_record::Status;
use brunt_test_program::{at, brunt};
use brunt_testbed::{BASE_DN, Options, Slapd, measured, require};

#[test]
fn slapd_idle_timeout_is_not_a_failure() {
    measured(REAL_TROUBLE, || {
        if !require(&["slapd", "slapadd", "ldapsearch"]) {
            return;
        }
        let slapd =
            Slapd::start(Options { users: 10, idle_timeout: Some(1), ..Options::default() });
        let trial = brunt("searchrate").recorded().args(at(slapd.port())).args(["-b", BASE_DN]);
        let trial = trial.typed("-F -c 10 -M 1 -d 6 --slo errors==0 --slo max<500ms (uid=user.1)");
        let ended = trial.run().expect(0);
        let record = ended.record();
        assert_eq!((record.counts.failed, record.counts.ok), (0, record.counts.planned), "{ended}");
        assert!(record.connections.reconnected > 0 && record.away.is_empty(), "{ended}");
        assert_eq!(record.verdict.status, Status::Valid, "{ended}");
    });
}
