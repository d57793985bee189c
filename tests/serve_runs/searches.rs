//! Searches for the highest rate: how one proceeds, how it is kept, what ends it, and what it may not do.
//!
//! The results of a search are compared with the server's counts, and its rates with the ceiling of its target. A tenth
//! of a second counts as one, so that minutes are seconds.

use brunt_capacity::rate;
use brunt_envelope::{Grant, RunSpec, Search};
use brunt_history::{PROGRESS, RECORD_KEPT, RunId};
use brunt_record::{Collection, Document};
use brunt_serve::child::ChildError;
use brunt_serve::queue::{RunRequest, State};
use brunt_web::watch::Watcher;

use crate::counted::Counted;
use crate::site::{Site, children, request};

/// The most exchanges a second that the target of these tests may get.
const CEILING: f64 = 200.0;

fn plan(server: &Counted) -> String {
    format!(
        "[find-max]\nconfirm = \"40s\"\n[http]\nbase = \"http://{}\"\n[[scenario]]\nname = \"s\"\n\
         steps = [{{ get = \"/\" }}]\n",
        server.at()
    )
}

fn search() -> Search {
    Search {
        objectives: ["p90<2s", "achieved>=50%"].map(str::to_owned).into(),
        from: Some("100/s".to_owned()),
        second: Some("100ms".to_owned()),
        ..Search::default()
    }
}

/// A search within this ceiling.
fn requested(server: &Counted, search: Search) -> RunRequest {
    let RunRequest { mut requested, about } = request(&plan(server), &[server.at().to_string()]);
    requested.search = Some(search);
    requested.grant.rate_max = Some(CEILING);
    requested.grant.users_max = Some(20);
    requested.grant.seconds_max = Some(3_600);
    RunRequest { requested, about }
}

fn collection(site: &Site, id: &RunId) -> Collection {
    match Document::read(&site.history.files(id).path(RECORD_KEPT)) {
        Ok(Document::Collection(collection)) => *collection,
        other => panic!("no search: {other:?}"),
    }
}

/// How many exchanges its steps sent.
fn sent(collection: &Collection) -> u64 {
    let records = collection.cells.iter().filter_map(|cell| cell.record.as_ref());
    records.map(|record| record.conservation.counts.sent).sum()
}

/// The sections that a watcher receives, until the stream ends.
fn sections(mut watcher: Watcher) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let mut received = Vec::new();
    while let Some(event) = runtime.block_on(watcher.next()) {
        let text = String::from_utf8(event.to_vec()).expect("events are text");
        received.extend(text.strip_prefix("event: sections\n").map(str::to_owned));
    }
    received
}

#[test]
fn search_is_followed_stored_and_limited_by_its_grant() {
    let (site, server) = (Site::new(), Counted::start());
    // More than the target's grant allows, but not more than it can sustain.
    let wanted = Search { to: Some("5k/s".to_owned()), ..search() };
    let id = site.queue().submit(requested(&server, wanted)).expect("it is taken");
    let watcher = site.queue().watch(&id).and_then(|watch| watch.open(None));
    let watcher = watcher.expect("there is room");
    let watching = std::thread::spawn(move || sections(watcher));
    site.wait(&id, |status| status.state == State::Searching);
    let status = site.end(&id);
    assert_eq!((status.state, status.exit), (State::Done, Some(4)), "{status:?}");
    let found = collection(&site, &id);
    assert_eq!(sent(&found), server.requests(), "the server counted otherwise");
    // On a busy machine the generator may be in the way before the ceiling is.
    let floor = found.figures.get("floor").copied().expect("something was in the way");
    assert!(floor > 0.0 && floor <= CEILING, "{floor}");
    let found_words = format!("Sustains at least {}", rate(floor));
    for cell in &found.cells {
        let tried = cell.figure("rate").unwrap_or_default();
        assert!(tried <= CEILING, "{:?}", cell.labels);
        // A single session has no requested rate, but is limited to the ceiling as well.
        if cell.label("kind") == Some("baseline") {
            let alone = cell.figure("achieved").expect("it was measured");
            assert!(alone > 0.0 && alone <= CEILING, "{alone}");
        }
        let record = cell.record.as_ref().expect("each step is a run");
        assert!(record.plan.sessions <= 20, "{}", record.plan.sessions);
    }
    let entry = site.history.entry(&id).unwrap().expect("it is kept");
    let capacity = entry.summary.capacity.expect("it is a search");
    assert_eq!((capacity.at_least, capacity.rate), (true, Some(floor)));
    assert!(["floor", "unstable"].contains(&capacity.word.as_str()), "{}", capacity.word);
    assert_eq!(capacity.steps.len(), found.cells.len());
    // Each step has the page of a run, and there is none behind the last.
    let directory = site.history.files(&id);
    for (number, cell) in (1..).zip(&found.cells) {
        let step = children().step(directory.directory(), number).expect("it is there");
        let all: String = step.page.sections.into_iter().map(|(_, html)| html).collect();
        let sent = cell.record.as_ref().map(|record| record.counts.sent);
        let sent = brunt_report::figure::thousands(sent.unwrap_or_default());
        assert!(all.contains(&sent) && step.view.is_some(), "{sent}: {all}");
    }
    for number in [0, found.cells.len() + 1] {
        let none = children().step(directory.directory(), number);
        assert!(matches!(none, Err(ChildError::Declined(_))), "{none:?}");
    }
    assert!(entry.summary.sentence.starts_with(&found_words), "{}", entry.summary.sentence);
    let page = site.history.page(&id).unwrap().expect("it has a page");
    let all: String = page.sections.iter().map(|(_, html)| html.as_str()).collect();
    for words in [found_words.as_str(), "Confidence", "Not tested", "All steps, in order of time"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(site.history.view(&id).unwrap().is_none(), "only a run has a view");
    assert!(!site.history.files(&id).path(PROGRESS).exists());
    // Whoever watched saw rates and reasons, and the page at the end.
    let received = watching.join().expect("it reads");
    assert!(
        received.iter().any(|html| html.contains("Testing one session (baseline)")),
        "{received:?}"
    );
    // Whoever watches gets what is newest, so on a busy machine a short step may not be seen.
    let ramp = found.cells.iter().filter(|cell| cell.label("kind") == Some("ramp"));
    let mut testing = ramp.filter_map(|cell| cell.figure("rate"));
    let told = |words: &str| received.iter().any(|html| html.contains(words));
    let seen = testing.any(|tried| told(&format!("Testing {} (ramp)", rate(tried))));
    assert!(seen, "{received:?}");
    assert!(received.last().is_some_and(|html| html.contains(&found_words)), "{received:?}");
}

#[test]
fn search_stopped_early_keeps_its_steps() {
    let (site, server) = (Site::new(), Counted::start());
    let id = site.queue().submit(requested(&server, search())).expect("it is taken");
    // The second server finds it, as it finds a run.
    site.wait(&id, |status| status.state == State::Searching && status.reached_s >= 4.0);
    let site = site.restarted();
    site.wait(&id, |status| status.state == State::Searching);
    site.queue().stop(&id, "ada").expect("it goes on");
    let status = site.end(&id);
    assert_eq!((status.state, status.reason.as_str()), (State::Stopped, "stopped by ada"));
    let found = collection(&site, &id);
    assert_eq!(found.facts.get("answer").map(String::as_str), Some("interrupted"));
    assert!(!found.cells.is_empty() && sent(&found) <= server.requests());
    let entry = site.history.entry(&id).unwrap().expect("it is kept");
    assert_eq!(entry.summary.capacity.expect("it is a search").rate, None);
    // No part of it is still running.
    let after = server.requests();
    std::thread::park_timeout(std::time::Duration::from_millis(300));
    assert_eq!(server.requests(), after);
}

#[test]
fn search_reaches_only_its_target() {
    let (site, canary) = (Site::new(), Counted::start());
    let RunRequest { mut requested, about } = requested(&canary, search());
    requested.grant.allow = vec!["127.0.0.1:9".to_owned()];
    let id = site.queue().submit(RunRequest { requested, about }).expect("it is taken");
    let status = site.end(&id);
    assert_eq!((status.state, status.exit), (State::Failed, Some(8)), "{status:?}");
    assert_eq!(canary.connections(), 0);
}

#[test]
fn search_is_validated_before_submission() {
    let server = Counted::start();
    let plain = plan(&server);
    let posts = plain.replace("get =", "post =");
    let output = |plan: &str, search: Search, grant: Grant| {
        let requested =
            RunSpec { plan: plan.to_owned(), search: Some(search), grant, ..RunSpec::default() };
        let checked = children().check(&requested, None).expect("a child answers");
        checked.findings.first().map(|finding| finding.text.clone()).unwrap_or_default()
    };
    let here = || Grant { allow: vec![server.at().to_string()], ..Grant::default() };
    let there = || Grant { allow: vec!["10.1.0.0/24:80".to_owned()], ..Grant::default() };
    assert_eq!(output(&plain, search(), here()), "");
    let none = Search { objectives: Vec::new(), ..search() };
    assert!(output(&plain, none, here()).contains("has to meet"));
    let odd = Search { objectives: vec!["max<1s".to_owned()], ..search() };
    assert!(!output(&plain, odd, here()).is_empty());
    let odd = Search { from: Some("fast".to_owned()), ..search() };
    let why = output(&plain, odd, here());
    assert!(why.contains("fast") && !why.contains('\n'), "{why}");
    let paced = format!("[run]\nrate = \"5/s\"\n{plain}");
    assert!(output(&paced, search(), here()).contains("run.rate"));
    assert!(output(&posts, search(), here()).contains("POST"));
    assert_eq!(output(&posts, Search { writes: true, ..search() }, here()), "");
    assert!(output(&plain, search(), there()).contains("highest rate"));
    assert_eq!(output(&plain, search(), Grant { rate_max: Some(9.0), ..there() }), "");
    let brief = Grant { seconds_max: Some(60), ..here() };
    assert!(output(&plain, search(), brief).contains("60 s"));
    let crowd = format!("[run]\nusers = 30\n{plain}");
    assert!(output(&crowd, search(), Grant { users_max: Some(20), ..here() }).contains("30"));
}
