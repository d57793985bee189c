//! The files for the public `HdrHistogram` tools are read by those tools, not only by brunt.

use brunt_exchange::{Moment, Outcome, Stamps};
use brunt_record::{Catalogue, Histogram, Hlog, Interval, Own, Phase, write_hgrm};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Five seconds of 2,000 exchanges each, whose times spread over three decades.
fn intervals() -> Vec<Interval> {
    let seconds = (0..5).map(|second| {
        let mut interval = Interval::new(1, 0);
        interval.reset(second, Phase::Steady, Duration::from_secs(second));
        interval.to = Duration::from_secs(second + 1);
        for n in 0..2_000_u64 {
            let wait = 1_000_000 * (n % 10);
            let took = 20_000 + (second * 2_000 + n).pow(2) % 37_000_000;
            let [due, sent, ended] = [0, wait, wait + took].map(Moment::from_nanos);
            interval.record(
                0,
                Outcome::Ok(0),
                &Stamps { due, free: due, sent, ended },
                0,
                Own::default(),
            );
        }
        interval
    });
    seconds.collect()
}

/// What the log processor makes of `log`, with these further arguments: the distribution it writes.
fn processed(log: &Path, further: &[&str]) -> String {
    let out = log.with_extension("processed");
    let jar = brunt_testbed::peers().join("HdrHistogram-2.2.2.jar");
    let run = Command::new("java")
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(jar)
        .args(["org.HdrHistogram.HistogramLogProcessor", "-i"])
        .arg(log)
        .arg("-o")
        .arg(&out)
        .args(further)
        .output()
        .expect("java starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    fs::read_to_string(out.with_extension("processed.hgrm")).expect("the processor wrote it")
}

/// The rows of a distribution: value, percentile, count.
fn rows(text: &str) -> Vec<(f64, f64, u64)> {
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split_whitespace();
        let value = cells.next()?.parse().ok()?;
        Some((value, cells.next()?.parse().ok()?, cells.next()?.parse().ok()?))
    });
    rows.collect()
}

#[test]
fn hlog_is_read_by_the_java_log_processor() {
    if !brunt_testbed::require(&["java"]) {
        return;
    }
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run.hlog");
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let mut hlog = Hlog::new(Vec::new(), started, &Catalogue::new(["bind"], [])).unwrap();
    let (mut response, mut service) = (Histogram::new(), Histogram::new());
    for interval in intervals() {
        hlog.push(&interval).unwrap();
        response.merge(&interval.operations[0].response.due());
        service.merge(&interval.operations[0].service);
    }
    fs::write(&log, hlog.finish().unwrap()).unwrap();
    for (further, histogram) in [
        (&[][..], &response),
        (&["-tag", "bind"][..], &response),
        (&["-tag", "bind.service"][..], &service),
    ] {
        let theirs = processed(&log, further);
        let mut ours = Vec::new();
        write_hgrm(&mut ours, histogram, 0).unwrap();
        let ours = String::from_utf8(ours).unwrap();
        assert_eq!(
            ours.lines().next(),
            theirs.lines().find(|line| line.contains("Percentile")),
            "{theirs}"
        );
        let (ours, theirs) = (rows(&ours), rows(&theirs));
        assert!(ours.len() > 40, "{}", ours.len());
        assert_eq!(ours.len(), theirs.len());
        for (our, their) in ours.iter().zip(&theirs) {
            assert!((our.1 - their.1).abs() < 1e-10 && our.2 == their.2, "{our:?} {their:?}");
            // We never show more than the greatest value there was; they show the end of its bucket.
            assert!((our.0 - their.0).abs() <= their.0 / 1_000.0 + 0.0005, "{our:?} {their:?}");
        }
    }
}
