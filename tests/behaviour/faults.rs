//! Machines that fail while brunt measures: a full disk, a disk that cannot write, SIGKILL at any moment, a clock that
//! is set, a crash that could leave secrets behind.
//!
//! Every file that a run reported as written exists afterwards, and none is incomplete.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{require, skip, until};
use rustix::process::{Resource, Signal, getrlimit, setrlimit};
use serde_json::Value;

use brunt_test_program::{Program, RestTarget, Target, Trial, binary, brunt, command, scratch};

/// So many runs are killed.
const KILLS: u64 = 50;
/// And so many at a time.
const AT_ONCE: u64 = 10;

/// A shell in a mount namespace of its own.
fn shell(script: &str) -> Command {
    let mut shell = command(Path::new("unshare"));
    shell.args(["--mount", "sh", "-c", script, "sh"]);
    shell
}

#[test]
fn full_disk_keeps_the_old_file_and_no_partial_new_one() {
    if !require(&["root", "unshare"]) {
        return;
    }
    let (directory, target) = (scratch(), Target::start("rest"));
    let url = format!("http://{}/sleep?ms=1", target.address());
    // A file system of its own, on which there is room for neither.
    let script = r#"set -e
        disk=$1; shift
        mount -t tmpfs -o size=64k none "$disk"
        printf old >"$disk/run.json"
        head -c 40000 /dev/zero >"$disk/ballast"
        code=0
        "$@" || code=$?
        echo "== $(cd "$disk" && ls -A | sort | tr '\n' ' ')"
        echo "== $(cat "$disk/run.json")"
        tail -c 1 "$disk/run.ndjson" | od -c | head -n 1
        wc -l <"$disk/run.ndjson"
        exit $code"#;
    let disk = directory.path().display().to_string();
    let mut full = shell(script);
    full.arg(&disk).arg(binary());
    full.args(["http", "-c", "2", "-q", "100", "-z", "2s", "--interval", "20ms", "--quiet"]);
    full.args(["--details", &url]);
    for (option, name) in [("--record", "json"), ("--html", "html"), ("--events", "ndjson")] {
        full.args([option, &format!("{disk}/run.{name}")]);
    }
    let ended = Program::start(&mut full).wait().expect(1);
    for what in ["the record", "--html", "--events"] {
        assert!(ended.output().contains(what), "nothing is said of the {what}: {ended}");
    }
    assert!(ended.stderr.matches("No space left on device").count() >= 3, "{ended}");
    assert!(ended.stdout.contains("Outcomes"), "the figures are on the screen: {ended}");
    assert!(ended.stdout.contains("== ballast run.json run.ndjson \n"), "{ended}");
    assert!(ended.stdout.contains("== old\n"), "{ended}");
    assert!(ended.stdout.contains("0000000  \\n"), "the events end in a whole line: {ended}");
}

#[test]
fn write_error_is_reported_before_anything_is_sent() {
    let target = RestTarget::start();
    let url = format!("{}/sleep?ms=1", target.base);
    // Nothing is at the address 0 of a process, and writing there is an error of the device: EIO.
    for option in ["--events", "--hlog"] {
        let ended = brunt("http -q 100 -z 2s --quiet").args([&url, option, "/proc/self/mem"]);
        let ended = ended.run().expect(1);
        assert!(ended.output().contains("Input/output error"), "{ended}");
    }
    assert_eq!(target.stop().len(), 0);
}

/// The end of the last interval in an event file, and the exchanges that its lines count.
fn progress_of(events: &Path) -> (f64, u64) {
    let text = fs::read_to_string(events).unwrap_or_default();
    // The last line may be half of one.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines =
        whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("a whole line"));
    let mut last = (0.0_f64, 0);
    for line in lines.filter(|line| line["type"] == "interval") {
        let end = line["to_ns"].as_f64().expect("an end") / 1e9;
        let operations = line["operations"].as_array().expect("operations");
        let ok = operations.iter().filter_map(|one| one["counts"]["ok"].as_u64()).sum::<u64>();
        last = (last.0.max(end), last.1 + ok);
    }
    last
}

/// A run that is killed at its moment; what is wrong with what it left.
fn killed(directory: &Path, address: &str, number: u64) -> Result<(), String> {
    let [record, events, html] =
        ["json", "ndjson", "html"].map(|kind| directory.join(format!("{number}.{kind}")));
    let line = "http -c 2 -q 200 -z 2s --quiet --interval 100ms --seed";
    let run = brunt(line).arg(number.to_string()).arg(format!("http://{address}/sleep?ms=1"));
    let run = run.arg("--record").arg(&record).arg("--events").arg(&events).arg("--html");
    let run = run.arg(&html).start();
    // Half of the moments count from the start of the process, the others from that of the run.
    if number.is_multiple_of(2) {
        assert!(until(Duration::from_secs(60), || events.exists()), "run {number} does not start");
    }
    // Moments from before the first line to after the last, spread by the golden ratio.
    let share = (number as f64 * 0.618_034).fract();
    let moment = Duration::from_secs_f64(2.6 * share);
    until(moment, || false);
    // What a reader sees at this moment was written.
    let (second, seen) = progress_of(&events);
    run.signal(Signal::KILL);
    drop(run);
    let left = |what: &str| Err(format!("run {number}, killed after {moment:?}: {what}"));
    let (last, kept) = progress_of(&events);
    if last < second || kept < seen {
        return left(&format!("had told of {seen} exchanges, and left {kept}"));
    }
    if record.exists() && Record::read(&record).is_err() {
        return left("left a part of a record");
    }
    if html.exists()
        && !fs::read_to_string(&html).is_ok_and(|page| page.trim_end().ends_with("</html>"))
    {
        return left("left a part of a page");
    }
    if last == 0.0 {
        return Ok(());
    }
    let report = brunt("report --format json").arg(&events).run();
    let found: Value = serde_json::from_str(&report.stdout)
        .map_err(|error| format!("run {number}: {error}: {report}"))?;
    let whole = found["conservation"]["counts"]["ok"].as_u64().unwrap_or_default();
    if whole < kept {
        return left(&format!("left {kept} exchanges, of which the report has {whole}"));
    }
    Ok(())
}

#[test]
fn sigkill_at_any_moment_keeps_what_was_written() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let (path, address) = (directory.path(), target.address());
    let mut wrong = Vec::new();
    for first in (0..KILLS).step_by(AT_ONCE as usize) {
        std::thread::scope(|scope| {
            let runs: Vec<_> = (first..first + AT_ONCE)
                .map(|number| scope.spawn(move || killed(path, address, number)))
                .collect();
            let ended = runs.into_iter().map(|run| run.join().expect("it does not panic"));
            wrong.extend(ended.filter_map(Result::err));
        });
    }
    assert_eq!(wrong, Vec::<String>::new());
    // The moments were such that there was something to lose: before any line, in the middle, and after the end.
    let events = |number: &u64| progress_of(&path.join(format!("{number}.ndjson"))).1 > 0;
    let (begun, whole) = (
        (0..KILLS).filter(events).count(),
        (0..KILLS).filter(|number| path.join(format!("{number}.json")).exists()).count(),
    );
    assert!(
        begun > 20 && whole < KILLS as usize,
        "{begun} runs had told something, {whole} had ended"
    );
}

/// The library by which faketime shows a process another time, if it is installed.
fn faketime() -> Option<PathBuf> {
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let path = Path::new("/usr/lib").join(triple).join("faketime/libfaketime.so.1");
    if !path.exists() {
        skip("no libfaketime.so.1");
        return None;
    }
    Some(path)
}

#[test]
fn clock_changes_alter_no_figure() {
    let Some(library) = faketime() else { return };
    let (directory, target) = (scratch(), Target::start("rest"));
    let [record, events, clock] =
        ["run.json", "run.ndjson", "clock"].map(|name| directory.path().join(name));
    fs::write(&clock, "+0").expect("a file");
    let run = brunt("http -c 2 -q 100 -z 4s --quiet").arg(target.url("/sleep?ms=1"));
    let run = run.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &clock);
    let run = run.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let run = run.arg("--record").arg(&record).arg("--events").arg(&events).start();
    // An hour forward after the first second, two back after the second.
    for (second, step) in [(1.0, "+3600"), (2.0, "-3600")] {
        assert!(until(Duration::from_secs(60), || progress_of(&events).0 >= second), "{second}");
        fs::write(&clock, step).expect("a file");
    }
    let ended = run.wait().expect(0);
    // The clock of this process was really set.
    let mut date = Command::new("date");
    date.arg("+%s").env("LD_PRELOAD", faketime().expect("it was there"));
    date.env("FAKETIME_TIMESTAMP_FILE", &clock).env("FAKETIME_NO_CACHE", "1");
    let shown = String::from_utf8(date.output().expect("it runs").stdout).expect("a number");
    let shown: i64 = shown.trim().parse().expect("a number");
    assert!((shown - jiff::Timestamp::now().as_second() + 3600).abs() < 60, "{shown}");
    let record = Record::read(&record).expect("a record");
    assert_eq!((record.counts.planned, record.counts.ok), (400, 400), "{ended}");
    let (last, kept) = progress_of(&events);
    assert!((3.9..15.0).contains(&last) && kept == 400, "{last} s, {kept} exchanges");
    let lines = fs::read_to_string(&events).expect("events");
    let slowest = lines.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).expect("a line");
        line["operations"][0]["response"]["ok"]["max_ns"].as_u64()
    });
    // No exchange took an hour, or less than nothing.
    assert!(slowest.max().is_some_and(|most| most < 10_000_000_000), "{lines}");
}

/// Whether a process that is ended by SIGABRT in this directory leaves a file of its memory.
fn leaves_its_memory(directory: &Path, program: Trial) -> bool {
    fs::create_dir_all(directory).expect("a directory");
    let run = program.within(directory).start();
    assert!(until(Duration::from_secs(60), || !run.printed().is_empty()), "it does not start");
    run.signal(Signal::ABORT);
    // A file of memory is written before the process has ended.
    let _ = run.wait();
    let mut files = fs::read_dir(directory).expect("a directory").flatten();
    files.any(|file| file.file_name().to_string_lossy().starts_with("core"))
}

#[test]
fn crash_leaves_no_core_file_with_secrets() {
    let mut limit = getrlimit(Resource::Core);
    limit.current = limit.maximum;
    setrlimit(Resource::Core, limit).expect("as much as is allowed");
    let directory = scratch();
    let target = brunt("target rest --listen 127.0.0.1:0");
    assert!(!leaves_its_memory(&directory.path().join("brunt"), target));
    // Where core files are written into the directory of a process, another program's is.
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if pattern.starts_with("core") && limit.maximum != Some(0) {
        let other = Trial::new(Command::new("sh"));
        let other = other.args(["-c", "echo there; while :; do :; done"]);
        assert!(leaves_its_memory(&directory.path().join("other"), other));
    }
}
