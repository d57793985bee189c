//! The first page, the pages of tests, the lists of runs and the queue.

use brunt_history::Origin;
use brunt_record::RunOutcome;

use super::*;

/// A run as the index has it; `number` is its age in hours.
fn entry(number: usize, load: &str, plan: Option<&str>) -> Entry {
    let mut summary = samples::summary();
    summary.load = load.to_owned();
    summary.started = format!("2026-11-23T{:02}:00:00Z", 23 - number);
    summary.outcome = Some(RunOutcome::Passed);
    summary.figures.p99_ms = Some(8.0 + number as f64);
    summary.figures.goodput = Some(2_000.0);
    let origin = Origin {
        by: "ada".to_owned(),
        brought: plan.is_none(),
        plan: plan.map(str::to_owned),
        ..Origin::default()
    };
    let about = About { name: format!("Run {number}"), origin, ..About::default() };
    Entry { id: format!("{number:024x}").parse().unwrap(), summary, about }
}

fn with_plan() -> (Server, Client) {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    server.app.store.add_plan("Look-ups", "", ("ada", NOW)).unwrap();
    (server, ada)
}

#[test]
fn home_page_groups_runs_by_test() {
    let (server, ada) = with_plan();
    let first = server.see(&ada, "/").body;
    assert!(first.contains("class=\"empty\"") && first.contains("/plans/1#run"), "{first}");
    let put = |run: &Entry| server.app.store.put_run(run).unwrap();
    put(&entry(3, "x", None));
    put(&entry(2, "other", None));
    let shown = server.see(&ada, "/").body;
    assert!(shown.contains("/tests/lx") && shown.contains("/tests/lother"), "{shown}");
    // The first run of the plan has that load.
    put(&entry(1, "x", Some("Look-ups, revision 1")));
    put(&entry(0, "x", None));
    let shown = server.see(&ada, "/").body;
    assert!(!shown.contains("/tests/lx") && shown.contains("/tests/p1"), "{shown}");
    assert!(shown.contains("2 tests: none needs attention, nothing is running."), "{shown}");
    assert!(shown.contains("uploaded by ada") && shown.contains("<polyline"), "{shown}");
    assert!(!shown.contains("style="), "{shown}");
    let runs = server.see(&ada, "/tests/p1/runs").body;
    assert!(["Run 3", "Run 1", "Run 0"].iter().all(|name| runs.contains(name)), "{runs}");
    assert!(!runs.contains("Run 2") && runs.contains("Runs 3<"), "{runs}");
    for tab in ["", "/runs", "/schedule", "/limit"] {
        let reply = server.see(&ada, &format!("/tests/p1{tab}"));
        assert_eq!(reply.status, 200, "{tab}: {}", reply.body);
        assert_eq!(reply.body.matches("class=\"subs\"").count(), 1, "{tab}");
    }
    // A load without a plan has nothing to schedule.
    assert_eq!(server.see(&ada, "/tests/lother").status, 200);
    for missing in ["lother/schedule", "lother/limit", "p9", "p9/runs", "lnone", "x"] {
        assert_eq!(server.see(&ada, &format!("/tests/{missing}")).status, 404, "{missing}");
    }
}

#[test]
fn home_page_puts_runs_needing_attention_first() {
    let (server, ada) = with_plan();
    let mut bad = entry(5, "bad", None);
    bad.summary.outcome = Some(RunOutcome::NothingWorked);
    bad.about.origin.by = "bob".to_owned();
    server.app.store.put_run(&bad).unwrap();
    server.app.store.put_run(&entry(1, "good", None)).unwrap();
    let shown = server.see(&ada, "/").body;
    let at = |text: &str| shown.find(&format!("href=\"/tests/{text}\"")).unwrap();
    assert!(at("lbad") < at("lgood"), "{shown}");
    for (query, with, without) in [
        ("show=attention", "lbad", "lgood"),
        ("show=mine", "lgood", "lbad"),
        ("find=run+1", "lgood", "lbad"),
    ] {
        let shown = server.see(&ada, &format!("/?{query}")).body;
        let has = |test: &str| shown.contains(&format!("href=\"/tests/{test}\""));
        assert!(has(with) && !has(without), "{query}: {shown}");
    }
}

#[test]
fn home_page_redirects_old_list_addresses() {
    let (server, ada) = with_plan();
    for query in ["load=x", "tag=nightly&behind=2026~a", "q=a+b", "missed=1"] {
        let reply = server.see(&ada, &format!("/?{query}"));
        let wanted = format!("/runs?{query}");
        assert_eq!((reply.status, reply.header("location")), (303, Some(wanted.as_str())));
    }
    assert_eq!(server.see(&ada, "/?q=").status, 200);
}

#[test]
fn run_list_is_sorted_and_paged() {
    let (server, ada) = with_plan();
    for number in 0..23 {
        for more in 0..5 {
            let mut run = entry(number, "x", None);
            run.id = format!("{:024x}", number * 5 + more).parse().unwrap();
            run.about.name = format!("Run {}", number * 5 + more);
            server.app.store.put_run(&run).unwrap();
        }
    }
    let names = |body: &str| -> Vec<String> {
        let rows = body.split("aria-label=\"Compare ").skip(1);
        rows.map(|row| row.split('"').next().unwrap().to_owned()).collect()
    };
    let link = |body: &str, rel: &str| {
        let (_, rest) = body.split_once(&format!("rel=\"{rel}\" href=\"")).unwrap();
        rest.split('"').next().unwrap().replace("&amp;", "&")
    };
    for sort in ["/runs", "/runs?sort=p99", "/runs?sort=p99&up=1", "/tests/lx/runs?sort=goodput"] {
        let first = server.see(&ada, sort).body;
        let second = server.see(&ada, &link(&first, "next")).body;
        let third = server.see(&ada, &link(&second, "next")).body;
        let all: Vec<String> = [&first, &second, &third].iter().flat_map(|it| names(it)).collect();
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!((all.len(), different.len()), (115, 115), "{sort}");
        let back = server.see(&ada, &link(&third, "prev")).body;
        assert_eq!(names(&back), names(&second), "{sort}");
        let back = server.see(&ada, &link(&back, "prev")).body;
        assert_eq!(names(&back), names(&first), "{sort}");
        assert!(!back.contains("rel=\"prev\""), "{sort}");
    }
    let least = names(&server.see(&ada, "/runs?sort=p99&up=1").body);
    assert_eq!(least[0], "Run 0");
    assert_eq!(names(&server.see(&ada, "/runs?sort=p99").body)[0], "Run 114");
}

#[test]
fn settings_link_to_permitted_pages_only() {
    let server = Server::start();
    let vic = server.session(server.user("vic", Role::Viewer));
    let ada = server.session(server.user("ada", Role::Admin));
    let seen = server.see(&vic, "/settings").body;
    assert!(seen.contains("href=\"/api\"") && !seen.contains("href=\"/people\""), "{seen}");
    let people = server.see(&ada, "/people").body;
    assert!(people.contains("aria-label=\"Settings\"") && people.contains("href=\"/audit\""));
    let nobody = server.see(&Client::Nobody, "/sign-in").body;
    assert!(!nobody.contains("<nav"), "{nobody}");
}

#[test]
fn run_that_is_not_queued_cannot_be_put_first() {
    let server = Server::start();
    let id = server.run("a run");
    let ada = server.session(server.user("ada", Role::Admin));
    assert_eq!(server.send(&ada, &format!("/live/{id}/first"), "").status, 404);
    assert_eq!(server.send(&ada, "/live/x/first", "").status, 404);
    let shown = server.see(&ada, "/queue").body;
    assert!(shown.contains("Nothing runs, and nothing waits."), "{shown}");
}
