//! Kea's own statistics beside a run's figures.

use brunt_testbed::KeaOptions;

use crate::brunt::Brunt;
use crate::network::v4;

#[test]
fn what_kea_counted_is_in_the_record() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let source = format!("kea:{}", kea.control().display());
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -p 3 -R 300 --monitor").arg(&source);
    let run = run.arg("10.77.0.1").run().went_well();
    let monitor = &run.record()["monitors"][0];
    assert_eq!((&monitor["source"], &monitor["failed"]), (&source.into(), &0.into()), "{run}");
    let readings = monitor["readings"].as_array().expect("it has readings");
    let of = |name: &str| {
        let reading = readings.iter().find(|reading| reading["name"] == name);
        let reading = reading.unwrap_or_else(|| panic!("{name}\n{run}"));
        (reading["first"].as_f64(), reading["last"].as_f64())
    };
    for (statistic, stage) in [
        ("pkt4-discover-received", "DISCOVER-OFFER sent"),
        ("pkt4-ack-sent", "REQUEST-ACK received"),
        ("subnet[1].assigned-addresses", "REQUEST-ACK received"),
    ] {
        assert_eq!(of(statistic), (Some(0.0), Some(run.tally(stage) as f64)), "{statistic}\n{run}");
    }
    assert!(run.notes.contains("Target's own figures (kea:"), "{run}");
}
