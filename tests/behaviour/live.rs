//! The live view on a real terminal: its content, its low cost, and the restored terminal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_record::Record;
use brunt_testbed::{BASE_DN, Slapd, until};
use rustix::process::{Signal, kill_process};

use brunt_test_program::{Terminal, binary, brunt, scratch, searching, slapd};

/// The figure behind a word.
fn after(screen: &str, word: &str) -> f64 {
    let rest = screen.split(word).nth(1).unwrap_or_else(|| panic!("no {word}\n{screen}"));
    let figure = rest.split_whitespace().next().unwrap_or_default().replace(',', "");
    figure.parse().unwrap_or_else(|_| panic!("{word} {figure}\n{screen}"))
}

/// How many searches the view says have succeeded.
fn succeeded(screen: &str) -> u64 {
    let row = screen.split("Operation").nth(1).and_then(|rest| rest.split("search").nth(1));
    let ok = row.and_then(|row| row.split_whitespace().nth(1)).unwrap_or_default().replace(',', "");
    ok.parse().unwrap_or_else(|_| panic!("{row:?}\n{screen}"))
}

#[test]
fn live_view_shows_the_run_and_restores_the_terminal() {
    let Some(slapd) = slapd(20) else { return };
    for size in [(80, 24), (200, 50)] {
        let Some(terminal) = Terminal::new(size) else { return };
        let directory = scratch();
        let record = directory.path().join("record.json");
        let before = slapd.operations();
        terminal.enter("echo before $((6 * 7))");
        terminal
            .enter(&searching(&slapd, &format!("--slo 'p99<20s' --record {}", record.display())));
        let screen = terminal.wait("figures", |screen| {
            screen.contains("met p99<20s")
                && screen.contains("success")
                && after(screen, "goodput") > 0.0
        });
        assert!(terminal.has_view());
        for words in [
            "searchrate",
            "Per second",
            "Response",
            "Service",
            "Generator",
            "? help",
            "no end of its own",
        ] {
            assert!(screen.contains(words), "no {words} on\n{screen}");
        }
        // The rate that was asked for, however busy the machine is; and what the server has answered by now.
        assert!((80.0..=120.0).contains(&after(&screen, "offered")), "{screen}");
        let shown = succeeded(&screen);
        let seen = slapd.operations().since(&before).searches;
        assert!(shown > 0 && shown <= seen, "{shown} of {seen}\n{screen}");
        assert!(!screen.contains("before 42"), "{screen}");

        terminal.key("?");
        terminal.wait("help", |screen| screen.contains("hold the picture"));
        terminal.key("?");
        terminal.key("p");
        let held = terminal.wait("a pause", |screen| screen.contains("view paused"));
        until(Duration::from_millis(1_500), || false);
        assert_eq!(succeeded(&terminal.screen()), succeeded(&held), "the picture is held");
        terminal.key("p");
        let shown = succeeded(&held);
        terminal
            .wait("the run", |screen| !screen.contains("view paused") && succeeded(screen) > shown);
        terminal.key("o");
        terminal.wait("the operation", |screen| screen.contains("> search"));

        terminal.key("s");
        terminal.check_given_back();
        let all = terminal.everything();
        for words in ["before 42", "Throughput", "searchrate at ldap://", "\nnext  "] {
            assert!(all.contains(words), "no {words} in\n{all}");
        }
        let counts = Record::read(&record).expect("a record").counts;
        assert_eq!(slapd.operations().since(&before).searches, counts.ok, "{counts:?}");
    }
}

#[test]
fn live_view_keeps_the_meaning_of_signals() {
    let Some(slapd) = slapd(20) else { return };
    let Some(terminal) = Terminal::new((80, 24)) else { return };
    let shown = |screen: &str| screen.contains("Generator:") && screen.contains("success");
    let code = |expected: u32| {
        terminal.enter("echo code $code end");
        terminal.wait("the exit code", |screen| screen.contains(&format!("code {expected} end")));
    };

    // ^Z gives the terminal to the shell, and fg gives it back; then ^C.
    terminal.enter(&format!("{}; code=$?", searching(&slapd, "")));
    let screen = terminal.wait("figures", shown);
    terminal.key("C-z");
    terminal.check_given_back();
    terminal.enter("fg");
    terminal.wait("the view again", |text| shown(text) && succeeded(text) > succeeded(&screen));
    assert!(terminal.has_view());
    terminal.key("C-c");
    terminal.check_given_back();

    terminal.enter(&format!("{}; code=$?", searching(&slapd, "")));
    terminal.wait("figures", shown);
    terminal.key("C-c");
    terminal.check_given_back();
    code(130);

    terminal.enter(&format!("{}; code=$?", searching(&slapd, "")));
    terminal.wait("figures", shown);
    kill_process(terminal.process(), Signal::TERM).expect("it runs");
    terminal.check_given_back();
    code(143);

    // With answers that never come: the first asks, the second ends it.
    terminal.enter(&format!("{}; code=$?", searching(&slapd, "--drainTimeout 60000")));
    terminal.wait("figures", shown);
    slapd.pause();
    until(Duration::from_millis(500), || false);
    terminal.key("C-c");
    terminal.wait("an answer", |screen| screen.contains("^C again") || screen.contains("^C ends"));
    terminal.key("C-c");
    terminal.check_given_back();
    code(130);
    slapd.resume();
}

/// A plan of one user who searches fifty times a second, for so long.
fn plan(slapd: &Slapd, directory: &Path, duration: &str) -> PathBuf {
    let path = directory.join("plan.toml");
    let text = format!(
        "[run]\nusers = 1\nduration = \"{duration}\"\n\n[ldap]\nserver = \"ldap://127.0.0.1:{}\"\n\n[[scenario]]\n\
         [[scenario.steps]]\nldap.search = {{ base = \"{BASE_DN}\", scope = \"base\", filter = \"(objectClass=*)\" }}\n\
         [[scenario.steps]]\npause = \"20ms\"\n",
        slapd.port()
    );
    std::fs::write(&path, text).expect("a directory to write to");
    path
}

#[test]
fn live_view_starts_by_itself_for_long_runs() {
    let Some(slapd) = slapd(20) else { return };
    let Some(terminal) = Terminal::new((80, 24)) else { return };
    let directory = scratch();
    let plan = plan(&slapd, directory.path(), "8s");
    let run = |number: u32, more: &str| {
        terminal.enter(&format!(
            "{} run {} {more}; echo over $((number + {number}))",
            binary().display(),
            plan.display()
        ));
        let mut viewed = false;
        terminal.wait("the end", |screen| {
            viewed |= screen.contains("p pause view");
            screen.lines().any(|line| line == format!("over {number}"))
        });
        viewed
    };
    assert!(run(1, ""));
    assert!(!run(2, "--no-live"));
    assert!(!run(3, "--duration 3s"));
    assert!(run(4, "--duration 3s --live"));
    assert!(!run(5, "--quiet"));
    terminal.check_given_back();
}

#[test]
fn live_writes_progress_lines_to_a_log() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let plan = plan(&slapd, directory.path(), "7s");
    let run = |more: &[&str]| brunt("run").arg(&plan).args(more).run().expect(0);
    let ended = run(&[]);
    let lines: Vec<&str> = ended.stderr.lines().filter(|line| line.contains(" of 7 s: ")).collect();
    assert_eq!(lines.len(), 1, "{ended}");
    assert!(lines[0].contains("in flight, 0 errors"), "{ended}");
    assert!(!ended.stderr.contains('\u{1b}'), "{ended}");
    let quiet = run(&["--quiet"]);
    assert!(!quiet.stderr.contains("in flight"), "{quiet}");
    // What was asked for and cannot be is said.
    let requested = run(&["--live", "--duration", "1s"]);
    assert!(requested.output().contains("--live: standard error is not a terminal"), "{requested}");
}
