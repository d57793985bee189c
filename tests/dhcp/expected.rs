//! Answers from a real Kea that are checked against expectations.

use brunt_testbed::KeaOptions;

use crate::brunt::Brunt;
use crate::network::{v4, v6};

#[test]
fn expect_accepts_matching_answers() {
    let Some((lan, _kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan)
        .typed("-4 -l lan0 -r 100 -n 20 -R 20 --expect 3=0x0a4d0001 --expect ack:53=0x05")
        .typed("--expect offer:53=0x02 --expect 54 10.77.0.1")
        .run();
    assert_eq!(run.went_well().count("ok"), 20);
    let Some((lan, _kea)) = v6(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan)
        .typed("-6 -l lan0 --lab -r 100 -n 20 -R 20 all")
        .typed("--expect advertise:23=0x20010db8007700000000000000000001 --expect reply:2")
        .run();
    assert_eq!(run.went_well().count("ok"), 20);
}

#[test]
fn expect_counts_mismatches_under_their_own_name() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run = Brunt::on(&lan)
        .typed("-4 -l lan0 --details -r 100 -n 20 -R 20 --expect 1 --expect ack:3=0x0a4d0002 10.77.0.1")
        .run()
        .expect(3);
    // They were answered, and the leases were given.
    assert_eq!(
        (run.tally("REQUEST-ACK received"), run.tally("REQUEST-ACK drops")),
        (20, 0),
        "{run}"
    );
    assert_eq!((run.count("ok"), kea.leases().len()), (0, 20), "{run}");
    assert_eq!(run.ends()[&("check".to_owned(), 2)], 20, "{run}");
    assert!(run.stderr.contains("answer without ack:3=0x0a4d0002"), "{run}");
    assert!(run.stderr.contains("the answer has 0x0a4d0001 [REQUEST-ACK]"), "{run}");
    // An OFFER that is not as expected is not followed.
    let run = "-4 -b mac=02:00:00:00:00:01 -l lan0 -r 100 -n 20 -R 20 --expect file=boot 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().expect(3);
    let sent = [run.tally("DISCOVER-OFFER received"), run.tally("REQUEST-ACK sent")];
    assert_eq!((sent, kea.leases().len()), ([20, 0], 20), "{run}");
}
