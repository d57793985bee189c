//! What a website keeps through failures: a run whose site is killed, a comparison after the index was rebuilt, and a
//! regression that is reported to CI.

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_record::{Record, Status};
use brunt_testbed::{free_port, until};
use rustix::process::Signal;

use crate::website::{Visitor, api, between, end, record, site};
use brunt_test_program::{Ended, Program, brunt, run, scratch};

const PATIENCE: Duration = Duration::from_secs(90);

/// Lets a server be loaded.
fn list_target(visitor: &Visitor, target: &str) {
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}&users=10&seconds=60&days=1"
    );
    visitor.send("/targets", "/targets", &fields);
}

/// Begins a run of five seconds, and waits until it sends; its id.
fn begun(visitor: &Visitor, target: &str) -> String {
    list_target(visitor, target);
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", "target=1&duration=5s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let sends = "data-shown=\"state\">steady<";
    let going = until(PATIENCE, || visitor.ask("GET", "/queue", "", "").1.contains(sends));
    assert!(going);
    between(&head, "location: /live/", "\r\n").to_owned()
}

#[test]
fn killed_site_does_not_stop_its_run_and_the_next_finds_it() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    let id = begun(&visitor, &target);
    program.signal(Signal::KILL);
    drop(program);
    let (program, visitor) = {
        let (program, mut next) = site(&at);
        next.cookie = visitor.cookie;
        (program, next)
    };
    let (_, list) = visitor.ask("GET", "/", "", "");
    assert!(list.contains(&format!("/live/{id}")), "it goes on: {list}");
    let mut page = (String::new(), String::new());
    let done = until(PATIENCE, || {
        visitor.ask("GET", &format!("/live/{id}"), "", "");
        page = visitor.ask("GET", &format!("/runs/{id}"), "", "");
        page.0.starts_with("HTTP/1.1 200")
    });
    // It lasted as long as requested, whether or not it was watched.
    assert!(done && page.1.contains("None of ") && !page.1.contains("is incomplete"), "{page:?}");
    end(program);
}

#[test]
fn stopped_site_shows_a_run_that_ended_meanwhile() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    let id = begun(&visitor, &target);
    let (files, page) = (at.join("runs").join(&id), format!("/runs/{id}"));
    program.signal(Signal::STOP);
    // Nobody reads what it writes, and nothing of it is lost.
    let ended = until(PATIENCE, || files.join("outcome.json").is_file());
    assert!(ended, "it waits for a site that does not go on");
    let whole = Record::read(&files.join("record.json")).unwrap();
    assert!(whole.conservation.holds && whole.counts.failed == 0, "{:?}", whole.conservation);
    assert_ne!(whole.verdict.status, Status::Partial, "{:?}", whole.verdict);
    program.signal(Signal::CONT);
    let mut shown = (String::new(), String::new());
    let is_shown = until(PATIENCE, || {
        visitor.ask("GET", &format!("/live/{id}"), "", "");
        shown = visitor.ask("GET", &page, "", "");
        shown.0.starts_with("HTTP/1.1 200")
    });
    assert!(is_shown && shown.1.contains("None of "), "{shown:?}");
    // What the site says of it is what it had written by itself.
    let kept = Record::read(&files.join("record.json.gz")).unwrap();
    assert_eq!((kept.counts, kept.series.len()), (whole.counts, whole.series.len()));
    end(program);
}

#[test]
fn index_rebuild_keeps_comparisons() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    let token = directory.path().join("token");
    fs::write(&token, visitor.token("push")).unwrap();
    let origin = format!("http://{}", visitor.at);
    let mut ids = Vec::new();
    for (name, seed) in [("first.json", "1"), ("second.json", "2")] {
        let file = record(directory.path(), &target, (name, seed));
        let [file, token] = [&file, &token].map(|path| path.to_str().unwrap());
        let pushed = run(["push", file, "--to", &origin, "--token-file", token]).expect(0);
        ids.push(between(&pushed.stdout, "/runs/", "\n").to_owned());
    }
    let requested = [
        "/api/v1/records?q=127".to_owned(),
        format!("/api/v1/compare?run={}&run={}", ids[0], ids[1]),
        format!("/api/v1/records/{}/html", ids[1]),
    ];
    let read = visitor.token("read");
    let before = requested.each_ref().map(|path| visitor.api(&read, path));
    // Comparisons take what was made of a record as it was indexed, and say the same where that is missing.
    let made = |id: &String| {
        ["figures.json", "steps.json.gz"].map(|file| at.join("runs").join(id).join(file))
    };
    let kept: Vec<_> =
        ids.iter().flat_map(made).map(|path| (fs::read(&path).unwrap(), path)).collect();
    for (_, path) in &kept {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(requested.each_ref().map(|path| visitor.api(&read, path)), before);
    end(program);
    for ending in ["db", "db-wal", "db-shm"] {
        let _ = fs::remove_file(at.join("brunt").with_extension(ending));
    }
    run(["serve", "--reindex", "--dir", at.to_str().unwrap()]).expect(0);
    let (program, visitor) = site(&at);
    let read = visitor.token("read");
    let after = requested.each_ref().map(|path| visitor.api(&read, path));
    assert_eq!(after, before);
    assert!(kept.iter().all(|(bytes, path)| fs::read(path).unwrap() == *bytes));
    end(program);
}

/// What a site shows of all that it keeps.
const KEPT: [&str; 6] = ["/", "/people", "/targets", "/plans", "/plans/1/revisions", "/audit"];

fn pages(visitor: &Visitor, run: &str) -> Vec<String> {
    let shown = |path: &str| {
        let (head, page) = visitor.ask("GET", path, "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}\n{page}");
        page
    };
    KEPT.into_iter().chain([run]).map(shown).collect()
}

/// Copies a directory, as a backup does.
fn copied(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let onto = to.join(entry.file_name());
        if entry.file_type().expect("its kind").is_dir() {
            copied(&entry.path(), &onto);
        } else {
            fs::copy(entry.path(), onto).expect("a copy");
        }
    }
}

/// Serves a directory again for a user who had signed in before.
fn served(directory: &Path, cookie: &str) -> (Program, Visitor) {
    let (program, mut visitor) = site(directory);
    cookie.clone_into(&mut visitor.cookie);
    (program, visitor)
}

#[test]
fn site_copied_while_stopped_is_the_same_site() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    list_target(&visitor, &target);
    visitor.send("/people", "/people", "name=ada&role=runner");
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let text = "[run]%0Ausers%20%3D%203%0A";
    let (head, body) = visitor.send("/plans/1", "/plans/1", &format!("after=1&text={text}"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let token = directory.path().join("token");
    fs::write(&token, visitor.token("push")).unwrap();
    let file = record(directory.path(), &target, ("first.json", "1"));
    let [file, token] = [&file, &token].map(|path| path.to_str().unwrap());
    let origin = format!("http://{}", visitor.at);
    let words = ["push", file, "--to", &origin, "--token-file", token, "--tag", "nightly"];
    let run_page = between(&run(words).expect(0).stdout, &origin, "\n").to_owned();
    visitor.send(&run_page, &format!("{run_page}/about"), "name=First&baseline=1&tags=nightly");
    let before = pages(&visitor, &run_page);
    assert!(before[0].contains(&run_page), "{}", before[0]);
    for (page, what) in before.iter().zip(["First", "ada", "api", "visit", "users = 3", "add user"])
    {
        assert!(page.contains(what), "no {what} in {page}");
    }
    let cookie = visitor.cookie;
    end(program);
    // A restored copy works in another place, and accepts the password.
    let copy = directory.path().join("copy");
    copied(&at, &copy);
    let (program, visitor) = served(&copy, &cookie);
    assert_eq!(pages(&visitor, &run_page), before);
    let fields = "name=admin&password=correct-horse-battery";
    let (head, body) = visitor.ask("POST", "/sign-in", "", fields);
    assert!(head.starts_with("HTTP/1.1 303") && head.contains("set-cookie: "), "{head}\n{body}");
    end(program);
    let verified = run(["serve", "--verify-audit", "--dir", copy.to_str().unwrap()]).expect(0);
    assert!(verified.stdout.contains("lines are unchanged"), "{verified}");
    // Without the index of its runs, which is made again, and by which nothing else is changed.
    let again = directory.path().join("again");
    copied(&at, &again);
    let database = || rusqlite::Connection::open(again.join("brunt.db")).unwrap();
    database().execute_batch("DELETE FROM tag; DELETE FROM run_text; DELETE FROM run;").unwrap();
    let indexed = run(["serve", "--reindex", "--dir", again.to_str().unwrap()]).expect(0);
    assert!(indexed.stdout.contains("1 runs are in the index"), "{indexed}");
    let count = |table: &str| {
        let requested = format!("SELECT count(*) FROM {table}");
        database().query_row(&requested, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!([count("run"), count("tag"), count("run_text")], [1, 1, 1]);
    let (program, visitor) = served(&again, &cookie);
    assert_eq!(pages(&visitor, &run_page), before);
    end(program);
    let verified = run(["serve", "--verify-audit", "--dir", again.to_str().unwrap()]).expect(0);
    assert!(verified.stdout.contains("lines are unchanged"), "{verified}");
}

/// Runs that may be made of one load until the machine lets one be valid.
const TRIES: usize = 5;

/// Measures a server at a port, which answers according to a script, and pushes the record; repeats that if the machine
/// was too busy for a conclusion.
fn pushed((visitor, place): (&Visitor, &Path), (name, port): (&str, u16), script: &Path) -> Ended {
    let listen = format!("127.0.0.1:{port}");
    let target = brunt("target rest --listen").args([&listen, "--script"]);
    let mut server = target.arg(script).start();
    server.wait_for_lines(1);
    let [record, token] = [name, "token"].map(|file| place.join(file).display().to_string());
    let (url, origin) = (format!("http://{listen}/"), format!("http://{}", visitor.at));
    let mut last = None;
    for _ in 0..TRIES {
        let words = ["http", "-c", "10", "-q", "20", "-z", "5s", "--interval", "200ms", "--quiet"];
        run(words.into_iter().chain(["--record", &record, &url]));
        let words = ["push", &record, "--to", &origin, "--token-file", &token];
        let ended = run(words.into_iter().chain(["--fail-on-regression"]));
        let is_told = !ended.stdout.contains("verdict: ") && !ended.stdout.contains("not compared");
        last = Some(ended);
        if is_told {
            break;
        }
    }
    end(server);
    last.expect("one at least")
}

#[test]
fn push_exit_code_reports_a_regression() {
    let directory = scratch();
    let place = directory.path();
    let (program, visitor) = site(&place.join("site"));
    let delayed = |name: &str, delay: &str| {
        let script = place.join(name);
        fs::write(&script, format!("[[rule]]\naction = {{ delay = \"{delay}\" }}\n")).unwrap();
        script
    };
    // So slow that what a busy machine adds is little.
    let (normal, slow) = (delayed("normal.toml", "50ms"), delayed("slow.toml", "300ms"));
    fs::write(place.join("token"), visitor.token("push")).unwrap();
    // One load, on one server that has become slower.
    let port = free_port();
    let fast = pushed((&visitor, place), ("fast", port), &normal);
    assert_eq!(fast.code(), 0, "{fast}");
    let page = format!("/runs/{}", between(&fast.stdout, "/runs/", "\n"));
    let (head, _) = visitor.send(&page, &format!("{page}/about"), "baseline=1");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    let slower = pushed((&visitor, place), ("slow", port), &slow);
    assert_eq!(slower.code(), 6, "{slower}");
    assert!(slower.stdout.contains("/compare?run="), "{slower}");
    end(program);
}
