//! What an administrator keeps an eye on: whether the site lives, its figures, its disk, and how long runs are kept.

use brunt_history::Summary;

use super::*;
use crate::retention::carry_out;

const DAY: i64 = 86_400;

/// A run that was stored so many days ago.
fn stored(server: &Server, number: u32, days: i64, change: impl FnOnce(&mut About)) {
    let at = jiff::Timestamp::from_second(NOW - days * DAY).unwrap().to_string();
    let mut about = About { name: format!("run {number}"), ..About::default() };
    about.origin.at = at;
    change(&mut about);
    let id = format!("{number:024x}").parse().unwrap();
    let summary = Summary { load: "a load".to_owned(), ..samples::summary() };
    let entry = Entry { id, summary, about };
    let files = server.app.history.files(&entry.id);
    std::fs::create_dir(files.directory()).unwrap();
    files.write(brunt_history::SUMMARY, &entry.summary).unwrap();
    files.write(brunt_history::ABOUT, &entry.about).unwrap();
    server.app.store.put_run(&entry).unwrap();
}

/// The numbers of the runs that are stored, in the index and as directories.
fn left(server: &Server) -> Vec<u32> {
    let mut ids: Vec<String> =
        server.app.history.ids().unwrap().iter().map(|id| id.as_str().to_owned()).collect();
    ids.sort_unstable();
    for id in &ids {
        assert!(server.app.store.run(id).unwrap().is_some(), "{id} is in no list");
    }
    assert_eq!(server.app.store.count_runs().unwrap(), ids.len() as u64);
    ids.iter().map(|id| u32::from_str_radix(id, 16).unwrap()).collect()
}

#[test]
fn retention_removes_old_runs_except_pinned_and_baselines() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    for number in 1..=4 {
        stored(&server, number, i64::from(number) * 10, |_| ());
    }
    stored(&server, 5, 100, |about| about.pin = true);
    stored(&server, 6, 100, |about| about.baseline = true);
    stored(&server, 7, 100, |about| about.tags = vec!["release".to_owned()]);
    stored(&server, 8, 100, |about| about.tags = vec!["scheduled".to_owned()]);
    stored(&server, 9, 100, |_| ());
    let shared = format!("run={:024x}&days=5", 9);
    assert_eq!(server.send(&ada, "/shares", &shared).status, 200);
    assert_eq!(carry_out(&server.app).unwrap(), 0, "without a rule all are kept");
    let page = server.see(&ada, "/site").body;
    assert!(page.contains("9 runs are stored. The site keeps <strong>all runs"), "{page}");
    // What it removes at once is said before.
    let requested = server.send(&ada, "/site/retention", "days=35");
    assert!(
        requested.status == 422 && requested.body.contains("this removes 2 runs now"),
        "{}",
        requested.body
    );
    assert!(
        requested.body.contains("value=\"35\"") && requested.body.contains("name=\"sure\""),
        "{}",
        requested.body
    );
    assert_eq!(left(&server).len(), 9);
    assert_eq!(server.send(&ada, "/site/retention", "days=35&sure=1").status, 303);
    assert_eq!(left(&server), [1, 2, 3, 5, 6, 7, 9]);
    assert_eq!(server.send(&ada, "/site/retention", "days=35&runs=2&sure=1").status, 303);
    assert_eq!(left(&server), [1, 2, 5, 6, 7, 9]);
    let page = server.see(&ada, "/site").body;
    assert!(page.contains("35 days, the newest 2 runs"), "{page}");
    let next = page.split("These go next:").nth(1).and_then(|rest| rest.split("</ul>").next());
    let next = next.unwrap_or_default();
    let oldest = format!("<a href=\"/runs/{:024x}\">run 2</a>, at the latest", 2);
    assert!(next.contains(&oldest) && !next.contains("run 6") && !next.contains("run 9"), "{next}");
    assert_eq!(server.send(&ada, "/site/retention", "days=35&tagged=1&sure=1").status, 303);
    assert_eq!(left(&server), [1, 2, 5, 6, 9]);
    // A run that is stored later is removed when its time has come, unless it is the last of its test.
    stored(&server, 10, 36, |_| ());
    stored(&server, 11, 36, |_| ());
    assert_eq!((carry_out(&server.app).unwrap(), left(&server)), (1, vec![1, 2, 5, 6, 9, 11]));
    let lines = server.app.store.audit(100).unwrap();
    let removed = lines.iter().filter(|line| line.act == "delete run" && line.who == "retention");
    assert_eq!(removed.count(), 5);
    let set: Vec<&str> =
        lines.iter().filter(|it| it.act == "set retention").map(|it| it.what.as_str()).collect();
    assert_eq!(set[1..], ["35 days, the newest 2 runs", "35 days"], "{set:?}");
    let figures = server.see(&ada, "/metrics").body;
    assert!(figures.contains("\nbrunt_site_runs_removed_total 5\n"), "{figures}");
}

#[test]
fn health_is_public_and_metrics_are_for_administrators() {
    let server = Server::start();
    server.run(EVIL);
    let (ada, rae) = (server.user("ada", Role::Admin), server.user("rae", Role::Runner));
    let lives = server.see(&Client::Nobody, "/healthz");
    assert_eq!((lives.status, lives.body.as_str()), (200, "ok\n"));
    assert_eq!(lives.header("cache-control"), Some("no-store"));
    let ready = server.see(&Client::Nobody, "/readyz");
    assert!(
        ready.status == 200 || ready.body == "not ready: the disk is nearly full\n",
        "{}",
        ready.body
    );
    // A program that lacks a token is told so, and is not sent to a page.
    let nobody = server.see(&Client::Nobody, "/metrics");
    assert_eq!(
        (nobody.status, nobody.header("content-type")),
        (401, Some("application/problem+json"))
    );
    for (client, status) in [
        (server.session(ada), 200),
        (server.token(ada, Scope::Read), 200),
        (server.token(ada, Scope::Push), 403),
        (server.session(rae), 403),
        (server.token(rae, Scope::Read), 403),
    ] {
        assert_eq!(server.see(&client, "/metrics").status, status);
    }
    let reply = server.see(&server.token(ada, Scope::Read), "/metrics");
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in ["brunt_site_runs 1", "brunt_site_users 2", "brunt_site_runs_active 0"] {
        assert!(reply.body.lines().any(|one| one == line), "{line}: {}", reply.body);
    }
    let responses = reply
        .body
        .lines()
        .find(|line| line.starts_with("brunt_site_responses_total{class=\"4xx\"} "));
    assert_eq!(responses, Some("brunt_site_responses_total{class=\"4xx\"} 4"), "{}", reply.body);
    let secret = ["ada", "rae", "alert"].iter().find(|word| reply.body.contains(**word));
    assert_eq!(secret, None, "{}", reply.body);
    for line in reply.body.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("brunt_site_") && value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn site_dashboard_queries_have_figures() {
    let server = Server::start();
    let reply = server.see(&server.token(server.user("ada", Role::Admin), Scope::Read), "/metrics");
    let known: Vec<&str> =
        reply.body.lines().filter_map(|line| line.split(['{', ' ']).next()).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../extras/grafana/site.json");
    let dashboard: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let queries = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries: Vec<&str> = queries.map(|target| target["expr"].as_str().unwrap()).collect();
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let requested = queries.iter().flat_map(|query| query.split(word));
    let requested: Vec<&str> = requested.filter(|name| name.starts_with("brunt_")).collect();
    assert!(requested.len() >= queries.len(), "{queries:?}");
    for name in requested {
        assert!(known.contains(&name), "{name}");
    }
}

#[test]
fn full_disk_is_reported_without_losing_input() {
    let server = Server::start();
    let id = server.run("a run");
    let ada = server.session(server.user("ada", Role::Admin));
    assert_eq!(server.send(&ada, "/plans", "name=nightly&template=0").status, 303);
    // SQLite says the same of a disk that is full.
    let full = |pages: u32| {
        let set = |file: &rusqlite::Transaction<'_>| {
            Ok(file.pragma_update(None, "max_page_count", pages)?)
        };
        server.app.store.write(set).unwrap();
    };
    full(1);
    let text = "typed-".repeat(10_000);
    let reply = server.send(&ada, "/plans/1", &format!("after=1&text={text}"));
    assert_eq!(reply.status, 507, "{}", reply.body);
    assert!(reply.body.contains("The disk of this site is full"), "{}", reply.body);
    assert!(reply.body.contains(&format!("\n{text}</textarea>")) && reply.body.contains("places"));
    assert_eq!(server.app.store.plan(1).unwrap().unwrap().revision, 1);
    // The directory of a run and its entry in the lists still say the same.
    let note = "x".repeat(15_000);
    let reply = server.send(&ada, &format!("/runs/{id}/about"), &format!("name=other&note={note}"));
    assert_eq!(reply.status, 507, "{}", reply.body);
    let run = id.parse().unwrap();
    let of_index = server.app.store.run(&id).unwrap().unwrap();
    assert_eq!(server.app.history.entry(&run).unwrap().unwrap(), of_index);
    assert_eq!(of_index.about.name, "a run");
    // Pages are still read, and there is room again afterwards.
    assert_eq!(server.see(&ada, "/plans/1").status, 200);
    full(1 << 30);
    assert_eq!(server.send(&ada, "/plans/1", &format!("after=1&text={text}")).status, 303);
}

#[test]
fn webhook_to_a_barred_address_is_refused() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    for (host, port) in
        [("169.254.169.254", 80), ("[fe80::1]", 80), ("224.0.0.1", 80), ("0.0.0.0", 80)]
    {
        let network = format!("name=t&allow={host}:{port}&users=1&seconds=9&days=1");
        assert_eq!(server.send(&ada, "/targets", &network).status, 422, "{host}");
        let reply = server.send(&ada, "/hooks", &format!("name=ci&url=http://{host}:{port}/x"));
        assert_eq!(reply.status, 422, "{host}");
        let fault = reply.body.split("id=\"url-fault\">").nth(1).unwrap_or_default();
        assert!(fault.contains("nothing of this site is sent to"), "{host}: {}", reply.body);
    }
    assert_eq!(server.app.store.hooks().unwrap(), []);
}

#[test]
fn interrupted_removal_is_completed() {
    let server = Server::start();
    for number in 1..=3 {
        stored(&server, number, 10, |_| ());
    }
    // The process ended after the directory was moved away.
    let gone = server.app.history.files(&format!("{:024x}", 2).parse().unwrap());
    let moved = server.directory.path().join("incoming/half");
    std::fs::rename(gone.directory(), &moved).unwrap();
    drop(History::open(server.directory.path()).unwrap());
    assert!(!moved.exists(), "what was moved is removed");
    crate::retention::complete(&server.app).unwrap();
    assert_eq!(left(&server), [1, 3]);
    let line = &server.app.store.audit(1).unwrap()[0];
    assert_eq!((line.who.as_str(), line.act.as_str()), ("retention", "forget run"));
    crate::retention::complete(&server.app).unwrap();
    assert_eq!(server.app.store.audit(9).unwrap().len(), 1);
}

#[test]
fn size_limit_removes_the_oldest_runs() {
    let server = Server::start();
    for number in 1..=3 {
        stored(&server, number, 10 - i64::from(number), |about| about.pin = number == 1);
        let id = format!("{number:024x}").parse().unwrap();
        // A hole has a length and needs no room.
        let file = std::fs::File::create(server.app.history.files(&id).path("large")).unwrap();
        file.set_len(2 << 30).unwrap();
    }
    let due = |gib| {
        let rule = crate::retention::Retention { gib: Some(gib), ..Default::default() };
        let due = rule.due(&server.app).unwrap();
        due.iter().map(|id| u32::from_str_radix(id.as_str(), 16).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((due(7), due(5)), (vec![], vec![2]));
    // The pinned run and the last run of the test are kept, whatever they need.
    assert_eq!(due(1), [2]);
}
