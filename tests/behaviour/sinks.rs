//! Each destination of results fails separately: every written file is complete, and no absent reader delays a run.
//! What is reported of a file that cannot be written is seen in virtual time (`tests/in_memory`).

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::until;
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::Signal;

use brunt_test_program::{Target, Trial, binary, brunt, scratch};

/// A run of some intervals, and words for its results.
fn line(target: &Target, results: &[(&str, &Path)]) -> Vec<String> {
    line_of(target, "2s", results)
}

/// The same of a run that would last so long.
fn line_of(target: &Target, length: &str, results: &[(&str, &Path)]) -> Vec<String> {
    let url = format!("http://{}/sleep?ms=1", target.address());
    let run = ["http", "-c", "2", "-q", "50", "-z", length, "--quiet", "--details", "--interval"];
    let run = run.into_iter().chain(["100ms", &url]);
    let files = results.iter().flat_map(|(option, path)| {
        [(*option).to_owned(), path.to_str().expect("a plain path").to_owned()]
    });
    run.map(str::to_owned).chain(files).collect()
}

fn pipe(path: PathBuf) -> PathBuf {
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("a named pipe");
    path
}

/// A disk that fills up during the run, simulated by a limit on the size of files.
#[test]
fn full_disk_leaves_whole_lines_in_logs_and_a_report() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let [hgrm, hlog, events] =
        ["run.hgrm", "run.hlog", "run.ndjson"].map(|name| directory.path().join(name));
    let results = [("--hgrm", &*hgrm), ("--hlog", &*hlog), ("--events", &*events)];
    let limited = Trial::new(Command::new("/bin/sh"));
    let limited = limited.args(["-c", "trap '' XFSZ; ulimit -f 14; exec \"$@\"", "sh"]);
    let ended = limited.arg(binary()).args(line(&target, &results)).run().expect(1);
    assert!(ended.stdout.contains("Outcomes"), "{ended}");
    assert!(ended.stdout.contains("planned"), "{ended}");
    for option in ["--hlog", "--events"] {
        let note = format!("failed to write {option}: File too large");
        assert!(ended.output().contains(&note), "{option}: {ended}");
    }
    assert!(fs::read_to_string(&hgrm).expect("a distribution").contains("#[Mean"), "{ended}");
    for path in [&hlog, &events] {
        let text = fs::read_to_string(path).expect("a log");
        assert!(text.lines().count() >= 3 && text.ends_with('\n'), "{}: {text:?}", path.display());
    }
    let report = |words: &str| brunt(words).arg(&events).run().expect(0);
    let followed = report("report --details");
    assert!(followed.stdout.contains("partial"), "{followed}");
    let short = report("report");
    assert!(short.stdout.contains("\nINCOMPLETE "), "{short}");
}

#[test]
fn closed_pipe_reader_blocks_nothing() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let [hlog, events, record] =
        ["hlog", "events", "record"].map(|name| pipe(directory.path().join(name)));
    let results = [("--hlog", &*hlog), ("--events", &*events), ("--record", &*record)];
    let run = brunt("").args(line(&target, &results)).start();
    for path in [&hlog, &events] {
        let mut first = String::new();
        let reader = File::open(path).expect("the other end");
        BufReader::new(reader).read_line(&mut first).expect("a line");
        assert!(first.contains("brunt-events/1") || first.contains("log format"), "{first}");
    }
    // Nobody reads the record.
    let ended = run.wait().expect(1);
    assert!(ended.stdout.contains("Outcomes"), "{ended}");
    assert!(ended.output().contains("no process has read from this pipe within 10 s"), "{ended}");
    assert!(!ended.stderr.contains("--hlog") && !ended.stderr.contains("--events"), "{ended}");
    assert!(fs::metadata(&record).is_ok_and(|found| found.file_type().is_fifo()), "{ended}");
}

#[test]
fn killed_run_leaves_whole_lines_in_its_hlog() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let hlog = directory.path().join("run.hlog");
    let run = brunt("").args(line_of(&target, "10m", &[("--hlog", &*hlog)])).start();
    let text = || fs::read_to_string(&hlog).unwrap_or_default();
    assert!(until(Duration::from_secs(90), || text().lines().count() >= 9), "{}", text());
    run.signal(Signal::KILL);
    drop(run);
    let text = text();
    assert!(text.ends_with('\n'), "{text:?}");
    for line in text.lines().filter(|line| !line.starts_with(['#', '"'])) {
        let fields = line.split(',').count();
        assert_eq!(fields, 4 + usize::from(line.starts_with("Tag=")), "{line}");
    }
}

#[test]
fn closed_terminal_ends_the_run_cleanly() {
    let (directory, target) = (scratch(), Target::start("rest"));
    let [path, hlog] = ["run.json", "run.hlog"].map(|name| directory.path().join(name));
    for (nohup, code) in [(false, 143), (true, 130)] {
        let words = line_of(&target, "10m", &[("--record", &*path), ("--hlog", &*hlog)]);
        // These tests may run where the signal is ignored already.
        let signal = if nohup { "--ignore-signal=HUP" } else { "--default-signal=HUP" };
        let run = Trial::new(Command::new("env")).arg(signal).arg(binary()).args(words).start();
        let lines = || fs::read_to_string(&hlog).unwrap_or_default().lines().count();
        assert!(until(Duration::from_secs(90), || lines() >= 6), "{} lines", lines());
        run.signal(Signal::HUP);
        if nohup {
            // It continues, until it is ended in another way.
            let lines_then = lines();
            assert!(until(Duration::from_secs(90), || lines() >= lines_then + 6), "{}", lines());
            run.signal(Signal::INT);
        }
        let ended = run.wait().expect(code);
        assert!(ended.stdout.contains("Outcomes"), "{ended}");
        let record = Record::read(&path).expect("a record");
        let reasons = &record.verdict.reasons;
        let says = |signal: &str| {
            let words = format!("ended by {signal} after");
            reasons.iter().any(|reason| reason.text.contains(&words))
        };
        assert_eq!((says("SIGHUP"), says("SIGINT")), (!nohup, nohup), "{ended}");
        fs::remove_file(&hlog).expect("a log");
    }
}
