//! `brunt find-max` against targets whose limit follows from a script, with shortened seconds.
//!
//! The claims of the search are compared with the script's arithmetic, what it sent with the target's own log, and each
//! way of ending with what was arranged.

use std::collections::HashSet;
use std::net::TcpListener;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::Collection;
use rustix::process::Signal;

use crate::loadgen::target::RestTarget;
use crate::program::{Ended, Program, alone, among_others, binary, command, run, scratch};

/// A tenth of a second counts as one, so that minutes are seconds.
const SHORT: [&str; 6] = ["find-max", "--second", "100ms", "--confirm", "80s", "--quiet"];

/// The line of a server that serves 2,000 requests a second, each in half a millisecond, and has room for forty.
const CLIFF: &str = "[capacity]\nrate = 2000\nqueue = 40\n";

/// A search over `http`.
fn search(options: &[&str], load: &[&str]) -> Program {
    Program::start(command(binary()).args(SHORT).args(options).arg("--").arg("http").args(load))
}

fn searched(options: &[&str], load: &[&str]) -> Ended {
    search(options, load).wait()
}

/// A number behind these words in what was printed.
fn number_after(text: &str, words: &str) -> f64 {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no '{words}' in {text}"));
    let digits =
        rest.trim_start().chars().take_while(|it| it.is_ascii_digit() || ",.".contains(*it));
    let digits: String = digits.filter(|it| *it != ',').collect();
    digits
        .trim_end_matches('.')
        .parse()
        .unwrap_or_else(|_| panic!("no number after '{words}': {text}"))
}

/// A line that is served at a constant speed refuses what finds no room. With Poisson arrivals that is a percent of
/// all a little below its speed: the line is M/D/1 with room for 40, which holds as many as come until nearly all of
/// its time is used, and above its speed refuses the rest.
#[test]
fn a_cliff_is_found_a_little_below_its_edge() {
    let _quiet = alone();
    let target = RestTarget::scripted(CLIFF);
    let directory = scratch();
    let file = directory.path().join("found.json");
    let path = file.display().to_string();
    let url = format!("{}/bytes/10", target.base);
    let ended = searched(
        &["--slo", "errors<1%", "--from", "400/s", "--record", &path, "--seed", "7"],
        &["-c", "100", &url],
    );
    // On a busy machine the generator may be in the way, which is said and is not called the target's limit.
    if ended.code() == 4 {
        assert!(ended.stdout.contains("generator"), "{ended}");
        return;
    }
    let ended = ended.expect(0);
    let claim = number_after(&ended.stdout, "Bears");
    assert!((1_500.0..2_040.0).contains(&claim), "{claim}\n{ended}");
    let text = std::fs::read_to_string(&file).expect("the record is there");
    let found: Collection = serde_json::from_str(&text).expect("it is a collection");
    assert_eq!(found.subject, "find-max");
    let recorded = found.figures["claim"];
    assert!((recorded - claim).abs() <= 0.5 + recorded / 1_000.0, "{recorded} and {claim}");
    // The numbering of exchanges continues from record to record, so that no two steps have an exchange in common.
    let mut next = 0;
    for cell in &found.cells {
        let Some(record) = &cell.record else { continue };
        assert!(record.plan.first_exchange >= next, "{:?}", cell.labels);
        next = record.plan.first_exchange + record.conservation.counts.planned;
    }
    assert!(next > 1_000, "{next}");
}

/// Each iteration of a plan asks for a page of its own number. What the server was asked says whether any came twice.
#[test]
fn no_step_repeats_the_data_of_another() {
    let _among = among_others();
    let target = RestTarget::start();
    let directory = scratch();
    let plan = directory.path().join("visit.toml");
    let text = format!(
        "[run]\nusers = 20\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\n\
         [[scenario.steps]]\nname = \"page\"\nget = \"/bytes/10?n=${{run.iteration}}\"\n",
        target.base
    );
    std::fs::write(&plan, text).expect("a file can be written");
    let options = ["--slo", "p99<2s", "--slo", "achieved>=50%", "--from", "100/s", "--to", "200/s"];
    let mut words: Vec<&str> = SHORT.to_vec();
    words.extend(options);
    let plan = plan.display().to_string();
    words.extend(["--", "run", &plan]);
    let ended = run(words);
    let seen = target.stop();
    assert!(seen.len() > 500, "{}\n{ended}", seen.len());
    let mut different = HashSet::new();
    let again = seen.iter().enumerate().filter(|(_, it)| !different.insert(it.target.as_str()));
    let again: Vec<(usize, &str)> = again.map(|(at, it)| (at, it.target.as_str())).collect();
    assert_eq!(again, [], "of {}: {ended}", seen.len());
    // The rate that was allowed passes, and nothing is said of more.
    ended.expect(4);
}

#[test]
fn a_target_that_is_not_there_ends_it_with_5() {
    let _among = among_others();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).unwrap().port();
    let port = port.to_string();
    let ldap = [
        "authrate",
        "--noPropertiesFile",
        "-h",
        "127.0.0.1",
        "-p",
        &port,
        "-D",
        "uid=x",
        "-w",
        "x",
    ];
    let words = [&SHORT[..], &["--slo", "p99<20ms", "--"], &ldap].concat();
    run(words).expect(5);
    let url = format!("http://127.0.0.1:{port}/");
    searched(&["--slo", "p99<20ms"], &[&url]).expect(5);
}

/// Nobody listens there. What is wrong with an objective is known before that.
#[test]
fn an_objective_that_is_wrong_is_told_before_anything_is_sent() {
    let _among = among_others();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).unwrap().port();
    let port = port.to_string();
    let ldap = "authrate --noPropertiesFile -h 127.0.0.1 -D uid=x -w x -p";
    for (objective, why) in [
        ("p99<5", "p99 is compared with a value in us, ms or s, such as 20ms"),
        ("errors<5ms", "errors is compared with a value in % or without a unit, such as 0.1%"),
        ("search.p99<5ms", "the run has no operation \"search\"; it has bind"),
        ("p99<0.5x", "the factor must be above 1"),
        ("speed<5ms", "there is no figure \"speed\""),
    ] {
        let words = [&["find-max", "--slo", objective, "--"], &*words_of(ldap), &[&*port]].concat();
        let said = run(words).expect(2).said();
        assert!(said.contains(&format!("{objective:?}")) && said.contains(why), "{said}");
        assert!(!said.contains("connect"), "{said}");
    }
    let url = format!("http://127.0.0.1:{port}/");
    let said = run(["find-max", "--slo", "p99<5", "--", "http", &url]).expect(2).said();
    assert!(said.contains("such as 20ms"), "{said}");
}

fn words_of(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Thirty seconds are its five minutes.
#[test]
fn a_quick_search_ends_in_its_time_and_says_what_it_cannot_see() {
    let _quiet = alone();
    let target = RestTarget::scripted(CLIFF);
    let url = format!("{}/bytes/10", target.base);
    let quick = ["find-max", "--second", "100ms", "--quick", "--slo", "errors<1%", "--seed", "7"];
    let load = ["--from", "400/s", "--", "http", "-c", "100", &url];
    let clock = Monotonic::new();
    let ended = run([&quick[..], &load].concat());
    let took = clock.now().since_origin();
    assert!(took < Duration::from_secs(60), "{took:?}\n{ended}");
    let said = ended.said();
    assert!(said.contains("at most 5 minutes"), "{ended}");
    let unseen = "held for 60 s: events less often than every 6 s can be missed";
    assert!(said.contains(unseen), "{ended}");
    let last: Vec<&str> = ended.stdout.lines().rev().take_while(|line| !line.is_empty()).collect();
    assert!(last.iter().any(|line| line.starts_with("Result: ")), "{ended}");
    assert!(last.iter().any(|line| line.starts_with("Trust: ")), "{ended}");
    // On a busy machine the generator may be in the way, or nothing may be held for so long.
    if ended.code() == 0 {
        let claim = number_after(&ended.stdout, "Bears");
        assert!((1_000.0..2_040.0).contains(&claim), "{claim}\n{ended}");
    } else {
        assert!([4, 9].contains(&ended.code()), "{ended}");
    }
    // What is given beside it counts, and has its time.
    let longer = run([&quick[..], &["--confirm", "3m", "--to", "400/s"], &load].concat());
    let said = longer.said();
    assert!(said.contains("at most 7 minutes") && said.contains("held for 180 s"), "{longer}");
    let shorter = run([&quick[..], &["--budget", "1m"], &load].concat());
    assert!(shorter.said().contains("at most a minute"), "{shorter}");
    target.stop();
}

#[test]
fn an_address_that_is_not_allowed_is_refused_with_8() {
    let _among = among_others();
    // A documentation address, which no host has; nothing is sent to it.
    let ended = searched(&["--slo", "p99<20ms"], &["http://192.0.2.1:9/"]).expect(8);
    assert!(ended.said().contains("192.0.2.1:9") && ended.said().contains("--allow"), "{ended}");
    // A redirect to another port of this very machine goes no further than the fence.
    let target = RestTarget::start();
    let port = target.base.rsplit(':').next().unwrap_or_default().to_owned();
    let allow = format!("127.0.0.1:{port}");
    let url = format!("{}/bytes/10", target.base);
    run(["http", "-n", "5", "-c", "1", "--allow", &allow, &url]).expect(0);
    let ended = run(["http", "-n", "5", "-c", "1", "--allow", "127.0.0.1:1", &url]).expect(8);
    // It never began, so there is no report.
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.said().contains(&allow), "{ended}");
    assert_eq!(target.stop().len(), 5, "what was not allowed never came");
    let elsewhere = searched(&["--slo", "p99<20ms", "--allow", "10.0.0.0/8"], &[&url]).expect(2);
    assert!(elsewhere.said().contains("--to"), "{elsewhere}");
}

#[test]
fn what_writes_has_to_be_meant() {
    let _among = among_others();
    let target = RestTarget::start();
    let url = format!("{}/echo", target.base);
    let ended = searched(&["--slo", "p99<20ms"], &["-m", "POST", "-d", "body", &url]).expect(8);
    assert!(ended.said().contains("sends POST requests"), "{ended}");
    assert_eq!(target.stop().len(), 0);
}

#[test]
fn what_find_max_decides_itself_is_no_business_of_the_command() {
    let _among = among_others();
    for (load, named) in [
        (&["-q", "100", "http://127.0.0.1:9/"][..], "--rate"),
        (&["-n", "100", "http://127.0.0.1:9/"], "--requests"),
        (&["--record", "x", "http://127.0.0.1:9/"], "--record"),
    ] {
        let ended = searched(&["--slo", "p99<20ms"], load).expect(2);
        assert!(ended.said().contains(named), "{ended}");
    }
    let none = searched(&[], &["http://127.0.0.1:9/"]).expect(2);
    assert!(none.said().contains("--slo"), "{none}");
    searched(&["--slo", "max<1s"], &["http://127.0.0.1:9/"]).expect(2);
}

/// Answers take 30 ms, so none of a hundred is in time at any rate.
#[test]
fn where_no_rate_passes_it_ends_with_99() {
    let _among = among_others();
    let target = RestTarget::scripted("[[rule]]\naction = { delay = \"30ms\" }\n");
    let url = format!("{}/bytes/10", target.base);
    searched(&["--slo", "p99<20ms", "--from", "400/s"], &["-c", "50", &url]).expect(99);
    target.stop();
}

/// Ten connections to a server that takes 20 ms for each answer sustain 500 a second, which is their limit and not the
/// server's.
#[test]
fn connections_that_are_busy_give_a_floor_and_no_limit() {
    let _quiet = alone();
    let target = RestTarget::scripted("[[rule]]\naction = { delay = \"20ms\" }\n");
    let url = format!("{}/bytes/10", target.base);
    let ended = searched(&["--slo", "p99<300ms", "--from", "100/s"], &["-c", "10", &url]);
    assert_eq!(ended.code(), 4, "{ended}");
    assert!(ended.stdout.contains("connections"), "{ended}");
    target.stop();
}

/// Six seconds are too short to confirm anything.
#[test]
fn what_cannot_be_shown_is_not_claimed() {
    let _among = among_others();
    let target = RestTarget::scripted(CLIFF);
    let url = format!("{}/bytes/10", target.base);
    let options = ["--slo", "p99<20ms", "--from", "100/s", "--budget", "60s"];
    searched(&options, &["-c", "100", &url]).expect(9);
    target.stop();
}

#[test]
fn a_signal_ends_it_with_what_was_found() {
    let _among = among_others();
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let words = ["--second", "100ms", "--slo", "p99<2s", "--from", "50/s", "--to", "100/s"];
    let mut program = Program::start(
        command(binary()).arg("find-max").args(words).args(["--", "http", "-c", "20", &url]),
    );
    program.wait_until("a step of the ramp", |_, stderr| stderr.contains("ramp"));
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    assert!(ended.stdout.contains("ramp") || ended.stdout.contains("nterrupted"), "{ended}");
    target.stop();
}
