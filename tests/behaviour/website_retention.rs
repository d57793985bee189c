//! The rule by which runs are removed, on a site that is killed in the middle of it: the next one removes the rest, and
//! nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_test_program::{run, scratch};
use brunt_testbed::until;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::website::{api, end, record, serve, site};

const PATIENCE: Duration = Duration::from_secs(90);
/// How many runs there are, and how many of those that may be removed are kept.
const RUNS: usize = 480;
const KEPT: usize = 20;

fn ids(directory: &Path, part: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(directory.join(part)).expect("a directory").map_while(Result::ok);
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Copies of a run, each stored a minute later than the one before. Every tenth is a baseline, and the first is pinned.
/// Returns their ids, and those that no rule removes.
fn copied(directory: &Path, of: &str) -> (Vec<String>, BTreeSet<String>) {
    let runs = directory.join("runs");
    let (mut all, mut kept) = (Vec::new(), BTreeSet::new());
    for number in 0..RUNS {
        let id = format!("{number:024}");
        let to = runs.join(&id);
        fs::create_dir(&to).expect("a directory");
        for file in fs::read_dir(runs.join(of)).expect("a run").map_while(Result::ok) {
            let copy = to.join(file.file_name());
            if file.file_name() == "about.json" {
                fs::copy(file.path(), copy).expect("a copy");
            } else {
                fs::hard_link(file.path(), copy).expect("a link");
            }
        }
        let about = fs::read(to.join("about.json")).expect("about.json");
        let mut about: Value = serde_json::from_slice(&about).expect("JSON");
        let at = format!("2026-01-01T{:02}:{:02}:00Z", number / 60, number % 60);
        about["origin"]["at"] = json!(at);
        about["baseline"] = json!(number % 10 == 9);
        about["pin"] = json!(number == 0);
        fs::write(to.join("about.json"), about.to_string()).expect("about.json");
        if number % 10 == 9 || number == 0 {
            kept.insert(id.clone());
        }
        all.push(id);
    }
    (all, kept)
}

fn database(directory: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(directory.join("brunt.db")).expect("a database")
}

/// Has the database keep the site from noting a further removal once it has noted so many, so that the site is in the
/// middle of it for as long as it runs.
fn hold_after(directory: &Path, removed: usize) {
    let hold = format!(
        "DROP TRIGGER IF EXISTS held; DROP VIEW IF EXISTS endless;
         CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n;
         CREATE TRIGGER held BEFORE INSERT ON audit
         WHEN NEW.act = 'delete run' AND (SELECT count(*) FROM audit WHERE who = 'retention') >= {removed}
         BEGIN SELECT count(*) FROM endless; END;"
    );
    database(directory).execute_batch(&hold).expect("a trigger");
}

#[test]
fn retention_interrupted_removes_exactly_the_expired_runs() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    let token = visitor.token("push");
    let file = record(directory.path(), &target, ("run.json", "1"));
    let key = directory.path().join("token");
    fs::write(&key, token).expect("a token");
    let (file, key) = (file.display().to_string(), key.display().to_string());
    let to = format!("http://{}", visitor.at);
    let pushed = run(["push", &file, "--to", &to, "--token-file", &key]);
    assert_eq!(pushed.code(), 0, "{pushed}");
    end(program);
    let first = ids(&at, "runs").pop_first().expect("a run");
    let (all, mut wanted) = copied(&at, &first);
    fs::remove_dir_all(at.join("runs").join(&first)).expect("it is there");
    let dir = at.display().to_string();
    let indexed = run(["serve", "--dir", &dir, "--reindex"]);
    assert_eq!(indexed.code(), 0, "{indexed}");
    // All began at the same moment, so the last of the test is that with the last id, which is a baseline.
    let removable = all.iter().filter(|id| !wanted.contains(*id)).cloned().collect::<Vec<_>>();
    wanted.extend(removable[removable.len() - KEPT..].iter().cloned());
    let rule = json!({ "days": null, "runs": KEPT, "gib": null, "tagged": false });
    fs::write(at.join("retention.json"), rule.to_string()).expect("a rule");
    // It begins at once, and is killed when it has removed some, at two moments.
    for removed in [15, 30] {
        hold_after(&at, removed);
        let killed = serve(&at).start();
        assert!(until(PATIENCE, || ids(&at, "runs").len() < RUNS - removed));
        killed.signal(Signal::KILL);
        drop(killed);
        let left = ids(&at, "runs").len();
        assert!(left > wanted.len(), "it was not in the middle: {left}");
    }
    database(&at).execute_batch("DROP TRIGGER held; DROP VIEW endless").expect("they are there");
    let left = ids(&at, "runs");
    assert!(wanted.is_subset(&left), "{:?}", wanted.difference(&left));
    let (program, mut next) = site(&at);
    next.cookie.clone_from(&visitor.cookie);
    assert!(until(PATIENCE, || ids(&at, "runs").len() <= wanted.len()));
    assert_eq!(ids(&at, "runs"), wanted);
    // Nothing is left half removed, and the lists and the pages agree with the directory.
    let mut page = String::new();
    let is_said = until(PATIENCE, || {
        page = next.ask("GET", "/site", "", "").1;
        page.contains(&format!("{} runs are stored", wanted.len()))
    });
    assert!(is_said, "{page}");
    assert!(until(PATIENCE, || ids(&at, "incoming").is_empty()), "{:?}", ids(&at, "incoming"));
    for id in &wanted {
        let (head, _) = next.ask("GET", &format!("/runs/{id}"), "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{id}: {head}");
    }
    end(program);
    // Each removal has a line of the audit trail.
    let file = database(&at);
    let ask = "SELECT what FROM audit WHERE who = 'retention'";
    let mut lines = file.prepare(ask).expect("a query");
    let lines = lines.query_map([], |row| row.get::<_, String>(0)).expect("lines");
    let removed: BTreeSet<String> =
        lines.map_while(Result::ok).map(|what| what[..24].to_owned()).collect();
    let gone: BTreeSet<String> = all.into_iter().filter(|id| !wanted.contains(id)).collect();
    assert_eq!(removed, gone);
}
