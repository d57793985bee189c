//! The directory of a site as an older version left it: it is opened, every page and the API answer, and its runs can
//! be read. One of a newer version is refused; an upgrade that is killed leaves a directory that can be opened.

use std::fs::{self, DirBuilder, File};
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::until;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::website::{Visitor, api, between, end, record, serve, site};
use brunt_test_program::{run, scratch};

/// The database of the first version.
const FIRST: &str = include_str!("../../crates/serve/src/store/001_begin.sql");
/// What the first version had in the directory of a run.
const FILES: [&str; 5] =
    ["record.json.gz", "summary.json", "about.json", "view.json.gz", "page.json.gz"];
const PATIENCE: Duration = Duration::from_secs(180);

/// A directory that is as the first version left it.
struct Older {
    directory: TempDir,
    /// Its runs.
    runs: Vec<String>,
    /// A session and a token of its administrator.
    cookie: String,
    token: String,
}

impl Older {
    /// What people had there: a target, a plan, and two uploaded runs.
    fn made() -> Self {
        let directory = scratch();
        let (_api, target) = api();
        let (program, visitor) = site(&directory.path().join("new"));
        let fields = "name=api&allow=127.0.0.1:80&settings=&users=9&seconds=60&days=3000";
        visitor.send("/targets", "/targets", fields);
        visitor.send("/plans", "/plans", "name=visit&template=0");
        let token = visitor.token("read");
        let push = visitor.token("push");
        let mut runs = Vec::new();
        for named in [("a.json", "1"), ("b.json", "2")] {
            let text = fs::read_to_string(record(directory.path(), &target, named)).expect("text");
            let by = format!("Authorization: Bearer {push}\r\n");
            let (head, output) = visitor.ask("PUT", "/api/v1/records?tag=nightly", &by, &text);
            assert!(head.starts_with("HTTP/1.1 201"), "{head}\n{output}");
            runs.push(between(&output, "\"id\":\"", "\"").to_owned());
        }
        end(program);
        let older = Self { directory, runs, cookie: visitor.cookie, token };
        older.made_older();
        older
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("site")
    }

    fn database(&self) -> Connection {
        Connection::open(self.path().join("brunt.db")).expect("a database")
    }

    /// Makes a directory of the first version of one of this version.
    fn made_older(&self) {
        let (from, to) = (self.directory.path().join("new"), self.path());
        DirBuilder::new().mode(0o700).create(&to).expect("a directory");
        fs::copy(from.join("audit.key"), to.join("audit.key")).expect("a key");
        for id in &self.runs {
            let [from, to] = [&from, &to].map(|site| site.join("runs").join(id));
            fs::create_dir_all(&to).expect("a directory");
            for name in FILES {
                fs::copy(from.join(name), to.join(name)).expect("a file");
            }
            rewritten(&to.join("record.json.gz"), |record| {
                let fields = record.as_object_mut().expect("an object");
                assert!(fields.remove("outcome").is_some());
            });
            rewritten(&to.join("summary.json"), |summary| {
                let fields = summary.as_object_mut().expect("an object");
                assert!(fields.remove("outcome").is_some() && fields.remove("capacity").is_some());
            });
            rewritten(&to.join("page.json.gz"), |page| {
                page["sections"] = json!([["top", "<h1>Run</h1>"]]);
            });
        }
        let mut options = File::options();
        options.append(true).create(true).mode(0o600);
        options.open(to.join("brunt.db")).expect("a file");
        let database = self.database();
        database.execute_batch(FIRST).expect("the first version");
        database.pragma_update(None, "user_version", 1).expect("a version");
        filled(&database, &from.join("brunt.db"));
    }

    /// Whether everything is there, in the version of this program.
    fn is_whole(&self, runs: i64) -> bool {
        let database = self.database();
        let sound: String =
            database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a word");
        let count = |table: &str| -> i64 {
            let ask = format!("SELECT count(*) FROM {table}");
            database.query_row(&ask, [], |row| row.get(0)).expect("a number")
        };
        sound == "ok" && version(&database) > 1 && count("run") == runs && count("user") == 1
    }
}

fn version(database: &Connection) -> i64 {
    database.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

/// Changes a JSON document, which may be compressed.
fn rewritten(path: &Path, change: impl FnOnce(&mut Value)) {
    let file = File::open(path).expect("a file");
    let is_packed = path.extension().is_some_and(|end| end == "gz");
    let mut text = String::new();
    let read = if is_packed {
        GzDecoder::new(file).read_to_string(&mut text)
    } else {
        (&file).read_to_string(&mut text)
    };
    read.expect("text");
    let mut document = serde_json::from_str(&text).expect("JSON");
    change(&mut document);
    let file = File::create(path).expect("a file");
    if is_packed {
        let mut packed = GzEncoder::new(file, Compression::fast());
        serde_json::to_writer(&mut packed, &document).expect("it is ours");
        packed.finish().expect("it is ours");
    } else {
        serde_json::to_writer(file, &document).expect("it is ours");
    }
}

/// Copies from a newer database what an older one has columns for.
fn filled(older: &Connection, newer: &Path) {
    older.execute_batch("PRAGMA foreign_keys = OFF").expect("a setting");
    older.execute("ATTACH ?1 AS newer", [newer.display().to_string()]).expect("a database");
    let names = |ask: &str, of: &[&str]| -> Vec<String> {
        let mut found = older.prepare(ask).expect("a query");
        let rows = found.query_map(rusqlite::params_from_iter(of), |row| row.get(0)).expect("rows");
        rows.map(|name| name.expect("a name")).collect()
    };
    // Except those that the index of words has for itself.
    let tables =
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT GLOB 'run_text_*'";
    for table in names(tables, &[]) {
        let columns = names("SELECT name FROM pragma_table_info(?1)", &[&table]).join(", ");
        let copy =
            format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}");
        older.execute(&copy, []).unwrap_or_else(|error| panic!("{copy}: {error}"));
    }
    older
        .execute("UPDATE run SET summary = json_remove(summary, '$.outcome', '$.capacity')", [])
        .expect("JSON");
    older.execute_batch("DETACH newer").expect("it is attached");
}

/// Every page that reads.
fn pages(visitor: &Visitor, older: &Older) {
    let [first, second] = [&older.runs[0], &older.runs[1]];
    let (_, home) = visitor.ask("GET", "/", "", "");
    let test = format!("/tests/l{}", between(&home, "href=\"/tests/l", "\""));
    let plain = "/ /queue /runs /runs?tag=nightly /tests/p1 /tests/p1/schedule /tests/p1/limit /plans /plans/1 \
                 /plans/1/revisions /plans/import /schedules /annotations /steps /targets /secrets /hooks /people \
                 /provider /audit /site /shares /account /settings /api";
    let run = ["", "/record", "/html", "/csv"].map(|part| format!("/runs/{first}{part}"));
    let others = [format!("{test}/runs"), test, format!("/compare?run={first}&run={second}")];
    let plain = plain.split(' ').map(str::to_owned);
    for path in plain.chain(run).chain(others) {
        let (head, body) = visitor.ask("GET", &path, "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}\n{body}");
    }
}

/// Every request of the API that reads what the first version had.
fn requests(visitor: &Visitor, older: &Older) {
    let [first, second] = [&older.runs[0], &older.runs[1]];
    let read = |path: &str| visitor.api(&older.token, path);
    let document: Value = serde_json::from_str(&read("/api/v1/openapi.json")).expect("JSON");
    let parts = [("id", first.as_str()), ("plan", "1"), ("target", "1"), ("revision", "1")];
    let mut count = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let fill = |path: String, (name, value): &(&str, &str)| {
            path.replace(&format!("{{{name}}}"), value)
        };
        let mut path = parts.iter().fold(path.clone(), fill);
        // Neither of these was a baseline or made here, and there is no trend of two runs.
        let is_none = ["/baselines/", "/runs/", "/trends"].iter().any(|part| path.contains(part));
        if !methods["get"].is_object() || path.contains('{') || is_none {
            continue;
        }
        if path.ends_with("/compare") {
            path = format!("{path}?run={first}&run={second}");
        }
        read(&path);
        count += 1;
    }
    assert!(count > 12, "{count}");
}

#[test]
fn first_version_directory_is_upgraded_completely() {
    let older = Older::made();
    let at = older.path();
    let kept = at.join("runs").join(&older.runs[0]).join("record.json.gz");
    let wanted = run(["report", "--format", "csv", kept.to_str().expect("UTF-8")]).expect(0).stdout;
    let (program, mut visitor) = site(&at);
    visitor.cookie.clone_from(&older.cookie);
    pages(&visitor, &older);
    requests(&visitor, &older);
    let csv = visitor.api(&older.token, &format!("/api/v1/records/{}/csv", older.runs[0]));
    assert_eq!(csv, wanted);
    // What could not be made then is made now.
    let (head, body) = visitor.send("/secrets", "/secrets", "target=1&name=PASSWORD&value=s3cret");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    end(program);
    assert!(older.is_whole(2));
    let copy = Connection::open(at.join("brunt.db.1")).expect("a copy");
    assert_eq!(version(&copy), 1);
    let reindexed = run(["serve", "--reindex", "--dir", at.to_str().expect("UTF-8")]).expect(0);
    assert!(reindexed.stdout.contains("2 runs are in the index"), "{reindexed}");
    // Back to what the older version had.
    for name in ["brunt.db-wal", "brunt.db-shm"] {
        let _ = fs::remove_file(at.join(name));
    }
    fs::rename(at.join("brunt.db.1"), at.join("brunt.db")).expect("a copy");
    assert_eq!(version(&older.database()), 1);
    let reindexed = run(["serve", "--reindex", "--dir", at.to_str().expect("UTF-8")]).expect(0);
    assert!(reindexed.stdout.contains("2 runs are in the index"), "{reindexed}");
    // A newer version may have anything there, so this one leaves it alone.
    older.database().pragma_update(None, "user_version", 99).expect("a version");
    let refused = run(["serve", "--listen", "127.0.0.1:0", "--dir", at.to_str().expect("UTF-8")]);
    let output = refused.output();
    assert!(
        refused.code() != 0
            && output.contains("version 99")
            && output.contains("use a newer brunt"),
        "{refused}"
    );
    assert_eq!(version(&older.database()), 99);
}

#[test]
fn killed_upgrade_leaves_an_openable_directory() {
    const RUNS: i64 = 1_500;
    let older = Older::made();
    let at = older.path();
    // So many that the upgrade takes a while.
    let many = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1 - 2)
        INSERT INTO run SELECT printf('%024x', n), started, target, load, verdict, missed, pinned, baseline, revision,
        summary, about FROM n, (SELECT * FROM run LIMIT 1)";
    older.database().execute(many, [RUNS]).expect("rows");
    let bytes = |name: &str| fs::metadata(at.join(name)).map_or(0, |file| file.len());
    // While the copy is made, while the file is changed, and once more.
    for (name, least) in [("brunt.db.1", 1), ("brunt.db-wal", 1 << 16), ("brunt.db-wal", 1 << 20)] {
        let program = serve(&at).start();
        assert!(until(PATIENCE, || bytes(name) >= least), "{name}");
        program.signal(Signal::KILL);
        program.wait();
    }
    let opened = run(["serve", "--verify-audit", "--dir", at.to_str().expect("UTF-8")]).expect(0);
    assert!(opened.stdout.contains("lines are unchanged"), "{opened}");
    assert!(older.is_whole(RUNS));
}
