//! UnboundID's tools and brunt in their dialect, with the same words on one slapd: titles, columns, exit codes,
//! failures by result code, and what the server saw.

use std::process::Command;

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, Slapd, peers, require, skip};

use crate::brunt::{Brunt, Run};
use crate::directory::{Directory, slapd};

const JAR: &str = "unboundid-ldapsdk-7.0.3.jar";

/// The class of a tool in the SDK.
fn class(tool: &str) -> &'static str {
    match tool {
        "authrate" => "AuthRate",
        "modrate" => "ModRate",
        "searchrate" => "SearchRate",
        _ => "SearchAndModRate",
    }
}

/// The original, if it is installed.
pub(crate) fn their(tool: &str) -> Brunt {
    let mut java = Command::new("java");
    // It ends before a better compiler or collector would help.
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]).arg(peers().join(JAR));
    java.arg(format!("com.unboundid.ldap.sdk.examples.{}", class(tool)));
    Brunt::new(java)
}

/// The same tool in brunt.
pub(crate) fn our(tool: &str) -> Brunt {
    brunt_test_program::brunt(tool).typed("--dialect unboundid --seed 7").recorded()
}

fn original(tool: &str, slapd: &Slapd) -> Brunt {
    their(tool).args(["-h", "127.0.0.1", "-p", &slapd.port().to_string()])
}

fn brunt(tool: &str, slapd: &Slapd) -> Brunt {
    our(tool).args(["-h", "127.0.0.1", "-p", &slapd.port().to_string()])
}

pub(crate) fn is_installed() -> bool {
    let there = peers().join(JAR).exists();
    if !there {
        skip(&format!("no {JAR}"));
    }
    there && require(&["java"])
}

/// The lines of a table: titles as they are, and of rows of figures how many cells and letters they have. In CSV the
/// letters depend on the figures.
fn shape(report: &str) -> Vec<String> {
    let shape = |line: &str| {
        if !line.contains('.') || line.contains("Warm-up") {
            line.to_owned()
        } else if line.contains(',') {
            format!("{} cells", line.split(',').count())
        } else {
            format!("{} cells in {} letters", line.split_whitespace().count(), line.len())
        }
    };
    report.lines().map(shape).collect()
}

/// The names of the failures on standard error.
fn failures(run: &Run) -> Vec<String> {
    let lines = run.stderr.lines().filter(|line| line.starts_with('\t'));
    let names = lines.map(|line| line.split(":  ").next().unwrap_or_default().to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// A run of the original that counted something: one that gets no core for its only second counts nothing in it.
fn counted_by_the_original(original: &dyn Fn() -> Brunt) -> Run {
    let is_idle = |run: &Run| {
        let rows = run.stdout.lines().filter(|row| row.trim_start().starts_with("0.000"));
        rows.count() > 0
    };
    let mut runs = std::iter::repeat_with(|| original().run()).take(10);
    let first = runs.next().expect("ten are made");
    if is_idle(&first) { runs.find(|run| !is_idle(run)).unwrap_or(first) } else { first }
}

/// Carries out a line in both, and compares what does not depend on how fast they are.
fn alike(tool: &str, slapd: &Slapd, line: &[&str], code: i32) -> (Run, Run) {
    let theirs = || original(tool, slapd).args(line);
    compared(&theirs, brunt(tool, slapd).args(line), code)
}

/// The same with lines of their own.
pub(crate) fn compared(theirs: &dyn Fn() -> Brunt, ours: Brunt, code: i32) -> (Run, Run) {
    let (theirs, ours) = (counted_by_the_original(theirs), ours.run());
    assert_eq!(theirs.code(), code, "{theirs}");
    assert_eq!(ours.code(), code, "{ours}");
    assert_eq!(shape(&ours.stdout), shape(&theirs.stdout), "{ours}\n{theirs}");
    assert_eq!(failures(&ours), failures(&theirs), "{ours}\n{theirs}");
    (ours, theirs)
}

#[test]
fn searchrate_output_equals_the_original() {
    let Some(slapd) = slapd(20) else { return };
    if !is_installed() {
        return;
    }
    let filter = "(uid=user.[0-19])";
    let line = ["-b", PEOPLE_DN, "-f", filter, "-t", "2", "-i", "1", "-I", "2", "-r", "40"];
    alike("searchrate", &slapd, &line, 0);
    let warmed =
        [&line[..], &["--warmUpIntervals", "1", "--timestampFormat", "with-date"]].concat();
    alike("searchrate", &slapd, &warmed, 0);
    alike("searchrate", &slapd, &[&line[..], &["-c", "-A", "cn"]].concat(), 0);
    let url = format!("ldap:///{BASE_DN}?cn?sub?{filter}");
    let line = ["--ldapURL", &url, "-i", "1", "-I", "1", "-a", "-O", "4", "-t", "2", "-r", "40"];
    alike("searchrate", &slapd, &line, 0);
    // A base that does not exist: 32 in every operation.
    let line =
        ["-b", "ou=nowhere,dc=example,dc=com", "-f", "(uid=a)", "-i", "1", "-I", "1", "-r", "20"];
    alike("searchrate", &slapd, &line, 32);
    alike("searchrate", &slapd, &[&line[..], &["--suppressErrorResultCodes"]].concat(), 32);
}

#[test]
fn authrate_binds_on_separate_connections() {
    let Some(slapd) = slapd(20) else { return };
    if !is_installed() {
        return;
    }
    let line = format!(
        "-D {ADMIN_DN} -w {PASSWORD} -b {PEOPLE_DN} -f (uid=user.[0-19]) -C {PASSWORD} -t 2 -i 1 -I 1 -r 40"
    );
    let line: Vec<&str> = line.split(' ').collect();
    let (ours, _) = alike("authrate", &slapd, &line, 0);
    assert_eq!(ours.part("search"), ours.count("ok"), "{ours}");
    let seen = slapd.saw(|| {
        brunt("authrate", &slapd).args(&line).run();
    });
    // One connection tests the parameters; each of two threads has two, bound when they open.
    assert_eq!((seen.connections, seen.binds - seen.searches), (5, 5), "{seen:?}");
}

#[test]
fn authrate_bind_only_and_failures_equal_the_original() {
    let Some(slapd) = slapd(20) else { return };
    if !is_installed() {
        return;
    }
    let only = [
        "-B",
        "-b",
        "uid=user.[0-19],ou=people,dc=example,dc=com",
        "-C",
        PASSWORD,
        "-i",
        "1",
        "-I",
        "1",
        "-r",
        "20",
    ];
    for kind in ["simple", "plain", "cram-md5", "digest-md5"] {
        let line = [&only[..], &["-a", kind]].concat();
        let expected = original("authrate", &slapd).args(&line).run().code();
        alike("authrate", &slapd, &line, expected);
    }
    let wrong = [
        "-B",
        "-b",
        "uid=user.[0-19],ou=people,dc=example,dc=com",
        "-C",
        "wrong",
        "-i",
        "1",
        "-I",
        "1",
        "-r",
        "20",
    ];
    alike("authrate", &slapd, &wrong, 49);
    let none =
        ["-b", PEOPLE_DN, "-f", "(uid=nobody)", "-C", PASSWORD, "-i", "1", "-I", "1", "-r", "20"];
    alike("authrate", &slapd, &none, 94);
    let several =
        ["-b", PEOPLE_DN, "-f", "(uid=user.1*)", "-C", PASSWORD, "-i", "1", "-I", "1", "-r", "20"];
    alike("authrate", &slapd, &several, 95);
}

#[test]
fn modrate_output_equals_the_original() {
    let Some(slapd) = slapd(20) else { return };
    if !is_installed() {
        return;
    }
    let who = ["-D", ADMIN_DN, "-w", PASSWORD];
    let load = ["-i", "1", "-I", "1", "-r", "40"];
    let target = "uid=user.[0-19],ou=people,dc=example,dc=com";
    let line = ["-b", target, "-A", "description", "-A", "title", "-l", "12", "-C", "abc"];
    alike("modrate", &slapd, &[&who[..], &load, &line].concat(), 0);
    let mut sent = 0;
    let seen = slapd.saw(|| {
        let ours = brunt("modrate", &slapd).args(who).args(load).args(line).run();
        sent = ours.count("ok");
    });
    assert_eq!((seen.modifies, seen.connections), (sent, 2), "{seen:?}");
    let line = ["-b", target, "-A", "uid", "--valuePattern", "other.[1-9]"];
    alike("modrate", &slapd, &[&who[..], &load, &line].concat(), 64);
    let line = ["-b", PEOPLE_DN, "-f", "(uid=user.[0-19])", "-m", "description", "-A", "cn", "-c"];
    let (ours, _) = alike("search-and-mod-rate", &slapd, &[&who[..], &load, &line].concat(), 0);
    assert_eq!(ours.json()["operations"].as_array().map_or(0, Vec::len), 2, "{ours}");
}

#[test]
fn startup_errors_exit_like_the_original() {
    let Some(slapd) = slapd(2) else { return };
    if !is_installed() {
        return;
    }
    for (line, code) in [
        (&["-b", BASE_DN][..], 89),
        (&["-f", "(uid=[1-"], 89),
        (&["-f", "(uid=a)", "-D", ADMIN_DN, "-w", "wrong"], 49),
        (&["-f", "(uid=a)", "-t", "0"], 89),
        (&["-f", "(uid=a)", "cn"], 89),
    ] {
        for run in [original("searchrate", &slapd), brunt("searchrate", &slapd)] {
            let run = run.args(line).args(["-i", "1", "-I", "1"]).run();
            assert_eq!((run.code(), run.stdout.as_str()), (code, ""), "{run}");
        }
    }
    // The original asks on standard output first.
    for run in [original("searchrate", &slapd), brunt("searchrate", &slapd)] {
        let run = run.args(["-f", "(uid=a)", "-D", ADMIN_DN]).run();
        assert_eq!(run.code(), 82, "{run}");
    }
    // The original finds out in every operation.
    let run = brunt("searchrate", &slapd).args(["-f", "(uid=a", "-I", "1"]).run();
    assert_eq!((run.code(), run.stdout.as_str()), (87, ""), "{run}");
}
