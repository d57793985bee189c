//! Runs from their submission to their end: what watchers receive, how runs are stopped, and the result when a process
//! has been killed.

use std::fs::{self, File};
use std::future::Future;

use brunt_envelope::RunSpec;
use brunt_history::{EVENTS, EVENTS_KEPT, RECORD_KEPT, RunId};
use brunt_record::{Document, Status as Verdict};
use brunt_report::view::View;
use brunt_serve::queue::{PLAN_MAX, RunRequest, State, StopError, SubmitError, WAITING_MAX};
use brunt_test_program::brunt;
use brunt_web::watch::Watcher;
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};

use crate::counted::Counted;
use crate::site::{Site, request};

fn plan(server: &Counted, run: &str) -> String {
    format!(
        "[run]\n{run}\n[http]\nbase = \"http://{}\"\n[[scenario]]\nname = \"s\"\nsteps = [{{ get = \"/\" }}]\n",
        server.at()
    )
}

fn only(server: &Counted) -> Vec<String> {
    vec![server.at().to_string()]
}

fn now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(future)
}

/// Everything that a watcher receives, as names and data.
fn received_by(mut watcher: Watcher) -> Vec<(String, String)> {
    let mut events = Vec::new();
    while let Some(event) = now(watcher.next()) {
        let text = String::from_utf8(event.to_vec()).expect("events are text");
        let after = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        if let (Some(name), Some(data)) = (after("event: "), after("data: ")) {
            events.push((name.to_owned(), data.to_owned()));
        }
    }
    events
}

fn kill(site: &Site, id: &RunId) {
    let process = site.status(id).process.expect("it has a process");
    let pid = Pid::from_raw(process.pid.cast_signed()).expect("a process");
    kill_process(pid, Signal::KILL).expect("it can be killed");
}

#[test]
fn run_is_watched_by_a_hundred_and_agrees_with_its_target() {
    let (site, server) = (Site::new(), Counted::start());
    let id = site.submit(&plan(&server, "rate = \"100/s\"\nduration = \"2s\""), &only(&server));
    let watch = site.queue().watch(&id).expect("it can be watched");
    let mut watchers: Vec<Watcher> =
        (0..100).map(|_| watch.open(None).expect("there is room")).collect();
    let readers = watchers.split_off(50);
    let readers: Vec<_> = readers
        .into_iter()
        .map(|watcher| std::thread::spawn(move || received_by(watcher)))
        .collect();
    site.is_done(&id);
    let record = site.record(&id);
    assert_eq!(record.conservation.counts.sent, server.requests());
    assert_eq!((record.counts.planned, record.counts.ok, record.counts.dropped), (200, 200, 0));
    let entry = site.history.entry(&id).unwrap().expect("it is kept");
    assert_eq!((entry.summary.figures.due, entry.summary.figures.ok), (200, 200));
    assert_eq!(entry.about.origin.by, "ada");
    for reader in readers {
        let received = reader.join().expect("it reads");
        let of = |name: &str| {
            received.iter().filter(|it| it.0 == name).map(|it| it.1.as_str()).collect()
        };
        let (views, states): (Vec<&str>, Vec<&str>) = (of("view"), of("state"));
        assert!(
            states.last().is_some_and(|state| state.contains("\"state\":\"done\"")),
            "{states:?}"
        );
        assert_eq!(received.last().map(|it| it.0.as_str()), Some("end"));
        // The last view is that of the record, and so is what the page says.
        let view: View = serde_json::from_str(views.last().expect("a view")).expect("a view");
        assert!(view.over);
        assert_eq!(site.history.view(&id).unwrap().as_deref(), views.last().copied());
        let rows: u64 = view.rows.iter().map(|row| row.heat.iter().skip(1).sum::<u64>()).sum();
        assert_eq!(rows, server.requests());
    }
    // Watchers that never read have delayed nothing, and receive everything now.
    assert!(received_by(watchers.swap_remove(7)).len() >= 3);
    let page = site.history.page(&id).unwrap().expect("it has a page");
    assert!(page.sections.iter().any(|(id, html)| id == "top" && html.contains("100")), "{page:?}");
}

#[test]
fn stored_runs_are_readable_without_a_server() {
    let (site, server) = (Site::new(), Counted::start());
    let (id, status) = site.run(&plan(&server, "iterations = { each = 5 }"), &only(&server));
    assert_eq!(status.state, State::Done, "{status:?}");
    let files = site.history.files(&id);
    assert!(!files.path(EVENTS).exists(), "what is kept is packed");
    for kept in [RECORD_KEPT, EVENTS_KEPT] {
        let report = brunt("report --format json").arg(files.path(kept)).run().expect(0);
        let record: serde_json::Value = serde_json::from_str(&report.stdout).expect("it is JSON");
        assert_eq!(record["conservation"]["counts"]["sent"], server.requests());
    }
    let record = site.record(&id);
    assert!(record.command.starts_with(&["run".to_owned(), "plan.toml".to_owned()]), "{record:?}");
    assert_eq!(site.history.plan(&id).unwrap(), Some(plan(&server, "iterations = { each = 5 }")));
}

#[test]
fn stop_waits_for_exchanges_in_flight() {
    let (site, server) = (Site::new(), Counted::start());
    let id = site.submit(&plan(&server, "users = 3"), &only(&server));
    let waits = site.submit(&plan(&server, "users = 3"), &only(&server));
    site.wait(&id, |status| status.state == State::Steady && status.reached_s >= 1.0);
    assert_eq!(site.status(&waits).state, State::Queued);
    site.queue().stop(&waits, "eve").unwrap();
    site.queue().stop(&id, "ada").unwrap();
    let status = site.end(&id);
    assert_eq!((status.state, status.reason.as_str()), (State::Stopped, "stopped by ada"));
    let record = site.record(&id);
    let counts = record.conservation.counts;
    assert!(record.conservation.holds && counts.cut_off == 0, "{:?}", record.conservation);
    assert_eq!((counts.sent, counts.ok), (server.requests(), server.requests()));
    let waited = site.end(&waits);
    assert_eq!(waited.state, State::Stopped);
    assert!(waited.started.is_none() && waited.reason.contains("before it began"), "{waited:?}");
    assert_eq!(site.queue().stop(&id, "ada"), Err(StopError::Over(id.clone())));
    let unknown = RunId::new().unwrap();
    assert_eq!(site.queue().stop(&unknown, "ada"), Err(StopError::Unknown(unknown)));
}

#[test]
fn killed_process_is_marked_lost_and_the_next_run_begins() {
    let (site, server) = (Site::new(), Counted::start());
    let id = site.submit(&plan(&server, "users = 1"), &only(&server));
    let next = site.submit(&plan(&server, "iterations = { each = 3 }"), &only(&server));
    site.wait(&id, |status| status.state == State::Steady && status.reached_s >= 1.0);
    kill(&site, &id);
    let status = site.end(&id);
    assert_eq!(status.state, State::Lost, "{status:?}");
    assert!(status.reason.contains("SIGKILL"), "{}", status.reason);
    // What it had written by then is a record, which says so of itself.
    let record = site.record(&id);
    assert!(record.verdict.reasons.iter().any(|reason| reason.status == Verdict::Partial));
    assert!(record.conservation.counts.sent > 0);
    site.is_done(&next);
}

#[test]
fn run_outlives_its_server_and_is_adopted() {
    let (site, server) = (Site::new(), Counted::start());
    let id = site.submit(&plan(&server, "rate = \"50/s\"\nduration = \"3s\""), &only(&server));
    let next = site.submit(&plan(&server, "iterations = { each = 3 }"), &only(&server));
    site.wait(&id, |status| status.state == State::Steady);
    let before = site.status(&id).process;
    let site = site.restarted();
    assert_eq!(site.status(&id).process, before, "it is the same process");
    // A watcher that connects now receives everything from the beginning.
    let watcher =
        site.queue().watch(&id).and_then(|watch| watch.open(None)).expect("there is room");
    site.is_done(&id);
    let received = received_by(watcher);
    assert!(received.iter().any(|(name, data)| name == "view" && data.contains("\"over\":true")));
    let record = site.record(&id);
    assert_eq!((record.counts.planned, record.counts.ok), (150, 150));
    site.is_done(&next);
    assert_eq!(record.conservation.counts.sent + 3, server.requests());
    // It is still known when no part of it is running.
    let site = site.restarted();
    assert_eq!(site.status(&id).state, State::Done);
    let entry = site.history.entry(&id).unwrap().expect("it is kept");
    assert_eq!(site.history.find(&entry.summary.sha256), Some(id));
}

#[test]
fn runs_of_two_servers_on_one_machine_take_turns() {
    let (site, server) = (Site::new(), Counted::start());
    let held = File::create(&site.lock).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let id = site.submit(&plan(&server, "iterations = { each = 1 }"), &only(&server));
    let status = site.wait(&id, |status| !status.reason.is_empty());
    assert_eq!(status.state, State::Queued, "{status:?}");
    assert!(status.reason.contains("another brunt serve"), "{status:?}");
    assert_eq!(server.connections(), 0);
    drop(held);
    site.is_done(&id);
}

#[test]
fn queue_refuses_runs_beyond_its_limit() {
    let (site, server) = (Site::new(), Counted::start());
    let held = File::create(&site.lock).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let plan = plan(&server, "iterations = { each = 1 }");
    let long = request(&"#".repeat(PLAN_MAX + 1), &only(&server));
    assert!(matches!(site.queue().submit(long), Err(SubmitError::Long)));
    let ids: Vec<RunId> = (0..WAITING_MAX).map(|_| site.submit(&plan, &only(&server))).collect();
    let more = site.queue().submit(request(&plan, &only(&server)));
    assert!(matches!(more, Err(SubmitError::Full)), "{more:?}");
    // One that is cancelled makes room.
    site.queue().stop(&ids[7], "ada").unwrap();
    site.end(&ids[7]);
    site.submit(&plan, &only(&server));
    assert_eq!(server.connections(), 0);
}

#[test]
fn request_secrets_are_not_readable_by_others() {
    let (site, server) = (Site::new(), Counted::start());
    let canary = "canary-5b1e";
    let text = plan(&server, "users = 1").replace("get = \"/\"", "get = \"/${env:SECRET_PATH}\"");
    let RunRequest { requested, about } = request(&text, &only(&server));
    let variables = [("SECRET_PATH".to_owned(), canary.to_owned())].into();
    let requested = RunSpec { variables, ..requested };
    let id = site.queue().submit(RunRequest { requested, about }).unwrap();
    let status = site.wait(&id, |status| status.state == State::Steady);
    let pid = status.process.expect("it has a process").pid;
    let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).expect("it runs");
    assert_eq!(read("environ"), b"");
    let line = String::from_utf8(read("cmdline")).unwrap();
    assert!(line.ends_with("brunt\0serve-child\0") && !line.contains(canary), "{line}");
    site.queue().stop_now(&id, "ada").unwrap();
    let status = site.end(&id);
    assert_eq!(status.state, State::Stopped, "{status:?}");
    assert!(matches!(
        Document::read(&site.history.files(&id).path(RECORD_KEPT)),
        Ok(Document::Record(_))
    ));
}

#[test]
fn run_with_a_long_failing_target_ends_by_itself() {
    let (site, server) = (Site::new(), Counted::failing());
    let (id, status) = site.run(&plan(&server, "rate = \"5/s\""), &only(&server));
    assert_eq!((status.state, status.exit), (State::Stopped, Some(10)), "{status:?}");
    let record = site.record(&id);
    assert!(record.counts.failed >= 45 && record.counts.ok == 0, "{:?}", record.counts);
}

#[test]
fn run_that_cannot_begin_gives_its_reason() {
    let (site, server) = (Site::new(), Counted::start());
    let (_, status) = site.run("[run]\nusers = 0\n", &only(&server));
    assert_eq!((status.state, status.exit), (State::Failed, Some(2)), "{status:?}");
    assert!(status.reason.contains("plan.toml:2"), "{status:?}");
    let gone =
        plan(&server, "iterations = { each = 1 }").replace(&server.at().to_string(), "127.0.0.1:1");
    let (id, status) = site.run(&gone, &["127.0.0.1:1".to_owned()]);
    // Nothing worked, and that was measured.
    assert_eq!(status.exit, Some(1), "{status:?}");
    assert!(
        site.history.entry(&id).unwrap().is_some() || status.state == State::Failed,
        "{status:?}"
    );
    assert_eq!(server.connections(), 0);
}
