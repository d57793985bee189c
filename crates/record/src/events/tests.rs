//! Event files of synthetic runs: nothing is lost on the way, and every cut or error is reported.

use super::*;
use crate::{
    Catalogue, Counts, Document, Ending, Head, Interval, Machine, Measured, Node, Own, Phase, Plan,
    Record, Sample, Sign, Stall, Status, Timing, Tool, WorkerLoad, run_id,
};
use brunt_exchange::{Class, Meaning, Moment, Named, Outcome, Part, Stamps, Unreached};
use proptest::prelude::*;
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECONDS: u64 = 22;
const SHORT: u64 = 6;

/// The written bytes, visible to the test.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    pub(super) fn text(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

fn name(operation: usize, outcome: Outcome) -> Named {
    match outcome {
        Outcome::Failed(Class::Result, 49) => {
            Named { name: "invalidCredentials".to_owned(), meaning: Some(Meaning::RefusedLogin) }
        }
        Outcome::Failed(Class::Connect, 111) => "ECONNREFUSED".into(),
        other => format!("{operation}: {other:?}").into(),
    }
}

/// A sequence of numbers that looks random and is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn outcome(kind: u64) -> Outcome {
    match kind {
        0..=5 => Outcome::Ok(kind as u32 % 2),
        6 => Outcome::Failed(Class::Result, 49),
        7 => Outcome::Failed(Class::Connect, 111),
        8 => Outcome::TimedOut,
        9 => Outcome::Skipped,
        10 => Outcome::Failed(Class::Ports, 0),
        _ => Outcome::CutOff,
    }
}

/// What occurs in a run: everything that an interval can contain, or so little that hundreds of files are read quickly.
#[derive(Clone, Copy, PartialEq)]
enum Life {
    Full,
    Quiet,
}

fn step(index: u64, phase: Phase, life: Life, numbers: &mut Numbers) -> Interval {
    let (operations, outcomes) = if life == Life::Full { (2, 12) } else { (1, 7) };
    let mut made = Interval::new(2, 2);
    made.reset(index, phase, Duration::from_secs(index));
    made.to = Duration::from_nanos((index + 1) * 1_000_000_000 + numbers.below(999));
    for _ in 0..numbers.below(40) {
        let (operation, outcome) =
            (numbers.below(operations) as u16, outcome(numbers.below(outcomes)));
        let due = numbers.below(1_000);
        let sent = due + numbers.below(300_000);
        let most = if numbers.below(20) == 0 { 90_000_000_000 } else { 9_000_000 };
        let ended = sent + numbers.below(most);
        let [due, free, sent, ended] = [due, due, sent, ended].map(Moment::from_nanos);
        let own = if life == Life::Full { numbers.below(200_000) } else { 0 };
        let waited = Duration::from_nanos(own);
        let own = Own { waited, tainted: numbers.below(10) == 0 };
        let stamps = Stamps { due, free, sent, ended };
        made.record(operation, outcome, &stamps, numbers.below(4), own);
        made.plan();
        made.due_in(index.saturating_sub(numbers.below(3))).settle(outcome, 1);
    }
    for _ in 0..numbers.below(if life == Life::Full { 3 } else { 1 }) {
        made.plan();
        made.drop_after(Duration::from_nanos(numbers.below(5_000_000)), numbers.below(2) == 0);
    }
    let slot = index as u32 * 10;
    made.presence.note(slot, Sign::Answered);
    made.presence.note(slot + 3, Sign::ALL[numbers.below(6) as usize]);
    made.presence.unanswered(slot + 3, true, numbers.below(2) == 0);
    made.part(Part(1), Duration::from_nanos(numbers.below(8_000_000)));
    [made.backlog_peak, made.in_flight, made.orphans, made.reconnected, made.resent] =
        [0; 5].map(|_: u64| numbers.below(9));
    made.unready.add(Outcome::Failed(Class::Connect, 111), numbers.below(3) + 1);
    made.tally(numbers.below(3) as usize, numbers.below(100));
    for worker in 0..2 {
        let [cpu, wall, waited] = [0; 3].map(|_: u64| Duration::from_nanos(numbers.below(1 << 30)));
        made.health.record(WorkerLoad {
            node: 0,
            worker,
            cpu,
            wall,
            waited,
            runs: numbers.below(99),
            unseen: false,
        });
    }
    let [wall, others, steal, throttled, pressure] =
        [0; 5].map(|_: u64| Duration::from_nanos(numbers.below(1 << 30)));
    let lasted = Duration::from_nanos(numbers.below(1 << 28));
    let stall = Stall { node: 0, from: made.from, lasted };
    let machine = Machine { wall, cores: 2, others, steal, throttled, pressure, unseen: false };
    made.health.observe(&machine, &[stall]);
    made.health.socket_drops = numbers.below(2);
    let text = format!("refused \"ü\"\n{index}");
    let outcome = Outcome::Failed(Class::Result, 49);
    let [address, error] = ["192.0.2.1:389", "no answer"].map(str::to_owned);
    let unreached = Unreached { address, error };
    made.samples.push(Sample {
        operation: 1,
        outcome,
        at: made.from,
        text,
        unreached: Some(unreached),
        sent: Some("cn=a".to_owned()),
        answer: Some("500\nretry-after: 3".to_owned()),
    });
    made
}

fn head() -> Head {
    let tool = Tool { name: "brunt".into(), version: "0.1.0".into() };
    let started = "2026-01-02T03:04:05.678901Z".parse().unwrap();
    let catalogue = Catalogue::new(["bind", "search"], ["connect", "tls"]);
    let catalogue = catalogue.with_tallies(["sent", "late"]);
    Head {
        node: Some(Node::even(1, 3)),
        ceiling: Some(123_456.789_012_345_67),
        percentiles: vec![50.0, 99.9, 99.99],
        objectives: vec!["bind.p99<20ms".parse().unwrap(), "errors<50%".parse().unwrap()],
        ..Head::new(run_id(), started, tool, Plan::open(1.0 / 3.0, 4, 9), catalogue)
    }
}

fn intervals(seconds: u64) -> Vec<Interval> {
    let mut numbers = Numbers(7);
    let life = if seconds == SECONDS { Life::Full } else { Life::Quiet };
    let steps = (0..seconds).map(|index| {
        let phase = match index {
            0 => Phase::Prepare,
            1 => Phase::WarmUp,
            20.. => Phase::Drain,
            _ => Phase::Steady,
        };
        step(index, phase, life, &mut numbers)
    });
    steps.collect()
}

fn ending() -> Ending {
    let timing = Timing {
        from: Duration::from_nanos(2_000_000_001),
        to: Duration::from_secs(20),
        over: Duration::from_secs(SECONDS),
        ..Timing::default()
    };
    Ending { remark: Some("as planned".to_owned()), ..Ending::planned(timing) }
}

/// The event file of a run, and the record that the run made.
fn run(seconds: u64) -> (Vec<u8>, Record) {
    let out = Shared::default();
    let record = recorded(seconds, Box::new(out.clone()), true).unwrap();
    (out.text(), record)
}

/// Writes the events of a run, and returns the record that it made if it came to an end.
pub(super) fn recorded(seconds: u64, out: Box<dyn Write + Send>, ends: bool) -> Option<Record> {
    let mut log = EventLog::new(out, head(), &name).unwrap();
    let mut measured = Measured::default();
    for interval in intervals(seconds) {
        log.interval(&interval).unwrap();
        measured.absorb(&interval);
    }
    let record = measured.conclusion(head(), &name, ending()).record().unwrap();
    let record = Record { run: log.head().run.clone().into(), ..record };
    if !ends {
        return None;
    }
    log.end(&ending(), &record).unwrap();
    Some(record)
}

fn replay(text: &[u8]) -> Result<Replay<&[u8]>, ReplayError> {
    Replay::read(Path::new("run.events"), text)
}

fn lines(text: &[u8]) -> Vec<Value> {
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn interval_line_round_trips(seed in any::<u64>(), index in 0u64..1_000_000) {
        let measured = step(index, Phase::ALL[seed as usize % 5], Life::Full, &mut Numbers(seed));
        let text = written(&IntervalLine::new(&measured, &name));
        let line: IntervalLine = serde_json::from_str(&text).unwrap();
        let read = line.interval().unwrap();
        prop_assert_eq!(&read, &measured);
        prop_assert_eq!(written(&IntervalLine::new(&read, &name)), text);
    }
}

#[test]
fn record_from_events_equals_the_record_of_the_run() {
    let (text, record) = run(SECONDS);
    let replay = replay(&text).unwrap();
    assert_eq!(written(&replay.record().unwrap()), written(&record));
    // The record is not only the one in the last line: it follows from the lines before.
    assert_eq!(written(&replay.made(ending()).unwrap()), written(&record));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.events");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(Document::read(&path).unwrap(), Document::Record(Box::new(record)));
}

#[test]
fn file_cut_anywhere_makes_a_partial_record() {
    let (text, record) = run(SHORT);
    let (all, mut numbers) = (intervals(SHORT), Numbers(3));
    let ends: Vec<usize> =
        text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let kinds: Vec<String> =
        lines(&text).iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    for place in 0..200 {
        let room = (text.len() - 1 - ends[0]) as u64;
        // The last line is as long as all others together, and is cut as well.
        let cut = ends[0] + numbers.below(if place % 4 == 0 { room } else { room / 2 }) as usize;
        let known =
            ends.iter().zip(&kinds).filter(|(end, kind)| **end <= cut + 1 && *kind == "interval");
        let mut counts = Counts::default();
        all.iter().take(known.count()).for_each(|interval| counts.merge(&interval.counts()));
        let partial = replay(&text[..cut]).unwrap().record().unwrap();
        assert_eq!(partial.conservation.counts, counts, "cut at {cut}");
        assert!(partial.verdict.status >= Status::Partial, "{:?}", partial.verdict);
        let reasons: Vec<&str> =
            partial.verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert!(reasons.iter().any(|text| text.contains("without an end")), "{reasons:?}");
        assert!(!reasons.iter().any(|text| text.contains("failed to account")), "{reasons:?}");
        assert_eq!((&partial.run, &partial.node), (&record.run, &record.node));
    }
    // Only its line feed is missing: the run is whole.
    assert_eq!(replay(&text[..text.len() - 1]).unwrap().record().unwrap(), record);
}

#[test]
fn file_cut_in_its_head_is_reported() {
    let (text, _) = run(SHORT);
    let end = text.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in [0, 1, 30, end / 2, end - 1] {
        let error = replay(&text[..cut]).err().unwrap().to_string();
        assert!(error.contains("run.events") && error.contains("within its first line"), "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.events");
    std::fs::write(&path, &text[..end / 2]).unwrap();
    assert!(Document::read(&path).unwrap_err().to_string().contains("within its first line"));
    std::fs::write(&path, &text[..=end]).unwrap();
    let Document::Record(record) = Document::read(&path).unwrap() else { panic!("no record") };
    assert_eq!(record.verdict.status, Status::Partial);
}

#[test]
fn lines_are_numbered_and_verdicts_come_between() {
    let (text, record) = run(SECONDS);
    let lines = lines(&text);
    let numbers: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..lines.len() as u64).collect::<Vec<_>>());
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!([of("head"), of("interval"), of("verdict"), of("end")], [1, 22, 2, 1]);
    assert_eq!(
        (&lines[0]["schema"], &lines[0]["plan"]["seed"]),
        (&"brunt-events/1".into(), &9.into())
    );
    assert_eq!(lines[25]["record"]["run"], record.run.unwrap());
    // Exchanges that have not ended yet in a run in progress are not lost.
    let verdict_text = |line: &Value| line["verdict"].to_string();
    assert!(!lines.iter().any(|line| verdict_text(line).contains("failed to account")));
    let bind = &lines[10]["operations"][0];
    let ok = bind["response"]["ok"]["count"].as_u64();
    assert_eq!(ok, bind["counts"]["ok"].as_u64());
    let codes = bind["codes"].as_array().unwrap();
    assert!(codes.iter().any(|code| code["name"] == "0: Ok(0)"), "{codes:?}");
}

#[test]
fn interval_line_is_written_before_the_next_interval() {
    let out = Shared::default();
    let mut log = EventLog::new(Box::new(out.clone()), head(), &name).unwrap();
    for (taken, interval) in (1..).zip(&intervals(SHORT)) {
        log.interval(interval).unwrap();
        assert_eq!(lines(&out.text()).len(), taken + 1);
    }
}

#[test]
fn file_is_truncated_and_readable_while_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.events");
    let counted = || match Document::read(&path).unwrap() {
        Document::Record(record) => record.conservation.counts,
        Document::Collection(_) => panic!("it is of one run"),
    };
    let mut log = EventLog::create(&path, head(), &name).unwrap();
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let mut counts = Counts::default();
    for interval in intervals(SHORT).iter().take(3) {
        log.interval(interval).unwrap();
        counts.merge(&interval.counts());
        assert_eq!(counted(), counts);
    }
    drop(EventLog::create(&path, head(), &name).unwrap());
    assert_eq!(counted(), Counts::default());
}

#[test]
fn closed_reader_does_not_end_the_run() {
    struct Gone(u32);
    impl Write for Gone {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            assert!(self.0 < 4, "it is written to after it said that nobody reads");
            if self.0 == 3 { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(bytes.len()) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut log = EventLog::new(Box::new(Gone(0)), head(), &name).unwrap();
    for interval in intervals(SHORT) {
        log.interval(&interval).unwrap();
    }
}

type Change<'a> = &'a dyn Fn(&mut Vec<Value>);

/// The error for a run whose lines `change` has changed.
fn refused(change: impl Fn(&mut Vec<Value>)) -> String {
    let mut lines = lines(&run(SHORT).0);
    change(&mut lines);
    let text: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    let replayed = replay(&text).and_then(|replay| replay.record());
    replayed.expect_err("it passed").to_string()
}

#[test]
fn invalid_lines_are_refused_with_their_number() {
    let cases: [(&str, Change); 14] = [
        ("line 6: it has number 6 where 5", &|lines| drop(lines.remove(5))),
        ("line 1: it is of type \"interval\"", &|lines| drop(lines.remove(0))),
        ("\"brunt-events/9\"", &|lines| lines[0]["schema"] = "brunt-events/9".into()),
        ("there is no figure", &|lines| lines[0]["objectives"][0] = "bind.p9x<1ms".into()),
        ("has no operation", &|lines| lines[0]["catalogue"]["operations"][0] = "unbind".into()),
        ("2 operations, and the head names 3", &|lines| {
            lines[0]["catalogue"]["operations"] = vec!["bind", "search", "third"].into();
        }),
        ("line 4: the number 2000000000000 is larger", &|lines| {
            lines[3]["operations"][0]["counts"]["ok"] = 2_000_000_000_000_u64.into();
        }),
        ("line 4: the number", &|lines| lines[3]["health"]["machine"]["cores"] = u32::MAX.into()),
        ("its count does not fit", &|lines| lines[3]["lag"]["count"] = 100_000.into()),
        ("its sum does not fit", &|lines| lines[3]["lag"]["max_ns"] = 1.into()),
        ("not base64", &|lines| lines[3]["lag"]["hdr_v2"] = "?".into()),
        ("no class of outcomes \"weary\"", &|lines| {
            lines[3]["unready"][0]["class"] = "weary".into();
        }),
        ("line 6: it cannot be understood", &|lines| lines[5] = "nothing".into()),
        ("where the same run belongs", &|lines| {
            let mut head = lines[0].clone();
            head["seq"] = 4.into();
            lines[4] = head;
        }),
    ];
    for (expected, change) in cases {
        let output = refused(change);
        assert!(output.contains(expected) && output.contains("run.events"), "{expected}: {output}");
    }
    let changed = refused(|lines| {
        let ok = &mut lines[5]["operations"][0]["counts"]["sent"];
        *ok = (ok.as_u64().unwrap() + 1).into();
    });
    assert!(changed.contains("lines were changed"), "{changed}");
    let after = refused(|lines| {
        let mut line = lines[1].clone();
        line["seq"] = lines.len().into();
        lines.push(line);
    });
    assert!(after.contains("where the end of the file belongs"), "{after}");
}

#[test]
fn line_types_of_later_versions_are_skipped() {
    let (text, record) = run(SHORT);
    let mut lines = lines(&text);
    let at = lines.len() - 1;
    lines[at]["seq"] = (at + 1).into();
    lines.insert(at, serde_json::json!({ "seq": at, "type": "mark", "text": "failover" }));
    let text: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    assert_eq!(replay(&text).unwrap().record().unwrap(), record);
}

#[test]
fn damaged_file_never_panics() {
    let (text, _) = run(SHORT);
    let mut numbers = Numbers(11);
    let end = text.len() / 2;
    for _ in 0..80 {
        let mut damaged = text[..end].to_vec();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(end as u64) as usize;
            damaged[at] = b"0123456789\"{}[],:-e\0\n"[numbers.below(21) as usize];
        }
        if let Ok(replay) = replay(&damaged) {
            let _ = replay.record();
        }
    }
}

#[test]
fn lines_match_the_published_schema() {
    let schema: Value = serde_json::from_str(&events_schema()).unwrap();
    assert_eq!(schema["$id"], crate::schema_id(EVENTS_SCHEMA));
    let text = schema.to_string();
    for line in lines(&run(SHORT).0) {
        for field in line.as_object().unwrap().keys() {
            assert!(text.contains(&format!("\"{field}\":")), "{field}");
        }
    }
}
