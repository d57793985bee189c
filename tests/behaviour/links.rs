//! The original names: a link to the binary acts as the tool it is named after.

use std::os::unix::fs::symlink;

use brunt_record::{Record, RunOutcome, Status};
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};

use brunt_test_program::{Program, at, binary, command, ldap_tools, run, scratch, slapd};

#[test]
fn link_named_after_a_tool_is_that_tool() {
    let directory = scratch();
    for tool in ldap_tools() {
        let link = directory.path().join(tool);
        symlink(binary(), &link).unwrap();
        let named = run([tool, "--help"]).expect(0);
        for help in ["-H", "-?", "--help", "--HELP"] {
            let linked = Program::start(command(&link).arg(help)).wait().expect(0);
            assert!(linked.stdout.starts_with(&format!("Usage:  {tool} ")), "{linked}");
            assert_eq!((&linked.stdout, &linked.stderr), (&named.stdout, &String::new()));
        }
        let version = Program::start(command(&link).arg("-V")).wait().expect(0);
        assert_eq!(version.stdout, format!("brunt {}\n", env!("CARGO_PKG_VERSION")));
        // A command line that is wrong is wrong in the same words.
        let (linked, named) =
            (Program::start(command(&link).arg("--nonsense")).wait(), run([tool, "--nonsense"]));
        assert_eq!((linked.code(), named.code()), (89, 89));
        assert_eq!(linked.stderr, named.stderr);
        assert!(
            linked.stderr.ends_with(&format!("See \"{tool} --help\" to get more usage help\n"))
        );
    }
}

#[test]
fn link_named_after_a_tool_runs_its_load() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let dn = user_dn(1);
    let target = format!("description:{}", "{1}");
    let lines: [(&str, Vec<&str>); 3] = [
        ("authrate", vec!["-D", &dn, "-w", PASSWORD]),
        ("searchrate", vec!["-b", BASE_DN, "(uid=user.1)"]),
        ("modrate", vec!["-D", &dn, "-w", PASSWORD, "-b", &dn, "-g", "inc(1,9)", &target]),
    ];
    for (tool, line) in lines {
        let link = directory.path().join(tool);
        symlink(binary(), &link).unwrap();
        let before = slapd.operations();
        let words = [at(slapd.port()), vec!["-m".into(), "7".into()]].concat();
        let ended = Program::start(command(&link).args(words).args(line)).wait().expect(0);
        assert_eq!(ended.rows().len(), 1, "{ended}");
        let seen = slapd.operations().since(&before);
        let counted = match tool {
            "authrate" => seen.binds,
            "searchrate" => seen.searches,
            _ => seen.modifies,
        };
        assert_eq!(counted, 7, "{seen:?}\n{ended}");
    }
}

/// Scripts read both streams together, and cron mails what a job writes.
#[test]
fn link_in_a_script_prints_only_what_needs_attention() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let (link, path) = (directory.path().join("searchrate"), directory.path().join("record.json"));
    symlink(binary(), &link).unwrap();
    let search = |more: &[&str]| {
        let words = [at(slapd.port()), vec!["-m".into(), "7".into(), "--record".into()]].concat();
        let mut linked = command(&link);
        linked.args(words).arg(&path).args(more).args(["-b", BASE_DN, "(uid=user.1)"]);
        let ended = Program::start(&mut linked).wait();
        let record = Record::read(&path).unwrap();
        (ended, record.outcome(), record.verdict.status)
    };
    let (ended, outcome, status) = search(&[]);
    assert_eq!((ended.code(), ended.rows().len()), (0, 1), "{ended}");
    if (outcome, status) == (RunOutcome::Measured, Status::Valid) {
        assert_eq!(ended.stderr, "");
    } else {
        assert!(ended.stderr.starts_with(&outcome.words().to_uppercase()), "{ended}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended}");
    }
    // No search ends within a microsecond, whatever else is wrong with a run.
    let (ended, outcome, _) = search(&["--slo", "p50<1us"]);
    assert_eq!((ended.code(), ended.stderr.lines().count()), (99, 1), "{ended}");
    assert!(ended.stderr.starts_with(&outcome.words().to_uppercase()), "{ended}");
    let (ended, ..) = search(&["--summary"]);
    assert!(ended.stderr.contains("record: ") && ended.stderr.contains("next  "), "{ended}");
    // What could not be written is never held back.
    let (ended, ..) = search(&["--hgrm", "/nowhere/file"]);
    assert!(ended.code() != 0 && ended.stderr.contains("/nowhere/file"), "{ended}");
}
