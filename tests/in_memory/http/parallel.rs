//! Groups with `parallel`: requests that a server has at the same time, and what it counts is what the record counts.

use std::sync::Arc;

use tokio::sync::watch::Sender;

use super::site::{Site, json};
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

/// The load of most tests.
const FIVE: &str = "users = 1\niterations = { each = 5 }";

/// A site that answers requests for `/at/N` only when it has N of them, those for `/never` never, and all others at
/// once.
fn meeting() -> Site {
    let gathered = Arc::new(Sender::new(0));
    Site::start(move |requested, _| {
        let gathered = Arc::clone(&gathered);
        Box::pin(async move {
            let target = requested.target();
            if let Some(rest) = target.strip_prefix("/at/") {
                let wanted = rest.split('/').next().and_then(|text| text.parse().ok());
                meet(&gathered, wanted.expect("a number")).await;
            }
            let (status, body) = match target {
                "/never" => return String::new(),
                "/none" => (404, "{}"),
                _ => (200, "{\"id\":7,\"other\":\"x\"}"),
            };
            let set = target.trim_start_matches('/').replace('/', "-");
            json(status, &format!("Set-Cookie: {set}=1; Path=/\r\n"), body)
        })
    })
}

/// The cookies of each request for a target.
fn cookies(site: &Site, target: &str) -> Vec<String> {
    let requested = site.requested("GET ").into_iter().filter(|one| one.target() == target);
    requested.map(|one| one.field("cookie").unwrap_or_default().to_owned()).collect()
}

fn plan_of(site: &Site, load: &str, steps: &str) -> String {
    site.plan(load, "cookies = true", &format!("steps = [{steps}]\n"))
}

fn visit(site: &Site, steps: &str) -> Ended {
    Plan::from_text(&plan_of(site, FIVE, steps)).run(&[])
}

/// Waits until as many have gathered, of all that ever came, as complete the group of this one.
async fn meet(gathered: &Sender<u64>, wanted: u64) {
    let mut number = 0;
    gathered.send_modify(|count| {
        *count += 1;
        number = *count;
    });
    let complete = number.div_ceil(wanted) * wanted;
    let met = gathered.subscribe().wait_for(|count| *count >= complete).await.is_ok();
    assert!(met, "the sender is ours");
}

#[test]
fn parallel_steps_are_at_the_server_at_once() {
    let site = meeting();
    let steps = "{ name = \"page\", get = \"/page\" }, { name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/3/a\" }, { name = \"b\", get = \"/at/3/b\" }, \
                 { name = \"c\", get = \"/at/3/c\" }] }, { name = \"after\", get = \"/after\" }";
    let run = visit(&site, steps).went_well();
    for name in ["page", "a", "b", "c", "after"] {
        assert_eq!(run.count_of(name, "ok"), 5, "{name}: {run}");
    }
    assert_eq!((site.count("/at/3"), site.count("/after")), (15, 5), "{run}");
    assert_eq!(run.span("parts"), (5, 0, 0), "{run}");
    assert_eq!(run.part("iteration"), 5, "{run}");
    assert_eq!(site.connections(), 3, "{run}");
    // What the answers set is sent from the step after the group on.
    assert!(cookies(&site, "/at/3/b").iter().all(|cookie| cookie == "page=1"), "{run}");
    let after = cookies(&site, "/after");
    assert!(
        after.iter().all(|sent| sent.contains("at-3-a=1") && sent.contains("at-3-c=1")),
        "{after:?}"
    );
}

#[test]
fn parallel_number_limits_the_connections() {
    let site = meeting();
    let part = |number: usize| format!("{{ name = \"part\", get = \"/at/2/{number}\" }}");
    let parts: Vec<String> = (0..6).map(part).collect();
    let steps = format!("{{ name = \"parts\", parallel = 2, steps = [{}] }}", parts.join(", "));
    let run = visit(&site, &steps).went_well();
    assert_eq!((run.count_of("part", "ok"), site.count("/at/2")), (30, 30), "{run}");
    assert_eq!(site.connections(), 2, "{run}");
    let check = Plan::from_text(&plan_of(&site, FIVE, &steps)).run(&["--check"]);
    assert!(check.stdout.contains("performed at once, at most 2 at a time"), "{check}");
    assert!(check.stdout.contains("visit: at most 6 exchanges an iteration"), "{check}");
}

#[test]
fn parallel_failure_stops_only_later_steps() {
    let site = meeting();
    let steps = "{ name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/3/a\", extract = { id = \"/id\" } }, \
                 { name = \"none\", get = \"/none\" }, \
                 { name = \"b\", get = \"/at/3/b\", \
                 extract = { missing = { json = \"/missing\", missing = \"fail\" } } }, \
                 { name = \"c\", get = \"/at/3/c\" }] }, { name = \"after\", get = \"/after/${id}\" }";
    let run = visit(&site, steps);
    let counts = ["a", "none", "b", "c"]
        .map(|name| (run.count_of(name, "ok"), run.count_of(name, "failed")));
    assert_eq!(counts, [(5, 0), (0, 5), (0, 5), (5, 0)], "{run}");
    assert_eq!((run.count_of("after", "skipped"), site.count("/after")), (5, 0), "{run}");
    assert_eq!((site.count("/at/3"), site.count("/none")), (15, 5), "{run}");
    assert_eq!(run.span("parts"), (0, 5, 0), "{run}");
    let samples = run.json()["samples"].to_string();
    assert!(samples.contains("missing") && samples.contains("/none\\n"), "{samples}");
    let once = Plan::from_text(&plan_of(&site, "users = 1", steps)).run(&["--once"]);
    for output in ["/at/3/a", "/none", "404", "2 failed"] {
        assert!(once.stdout.contains(output), "{output}: {once}");
    }
}

#[test]
fn parallel_group_skips_steps_by_condition() {
    let site = meeting();
    let steps = "{ name = \"page\", get = \"/page\", extract = { id = \"/id\" } }, \
                 { name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/2/${id}\" }, { name = \"b\", get = \"/at/2/b\", needs = [\"id\"] }, \
                 { name = \"c\", get = \"/c\", when = [{ value = \"${none}\" }] }, \
                 { name = \"d\", get = \"/d\", needs = [\"none\"] }] }, \
                 { name = \"after\", get = \"/page\", extract = { none = { json = \"/other\" } } }";
    let run = visit(&site, steps);
    assert_eq!((site.count("/at/2/7"), site.count("/at/2/b")), (5, 5), "{run}");
    assert_eq!((site.count("/c"), site.count("/d"), site.count("/page")), (0, 0, 10), "{run}");
    assert_eq!((run.count_of("d", "skipped"), run.count_of("after", "ok")), (5, 5), "{run}");
    assert_eq!(run.tally("branch step 'c' passed over"), 5, "{run}");
    assert_eq!(run.span("parts"), (5, 0, 0), "{run}");
}

#[test]
fn parallel_timeout_gives_up_only_its_step() {
    let site = meeting();
    let steps = |timeout: &str| {
        format!(
            "{{ name = \"parts\", parallel = true, steps = [{{ name = \"a\", get = \"/at/2/a\" }}, \
             {{ name = \"never\", get = \"/never\"{timeout} }}, {{ name = \"b\", get = \"/at/2/b\" }}] }}"
        )
    };
    let run = Plan::from_text(&plan_of(
        &site,
        "users = 2\niterations = { each = 1 }",
        &steps(", timeout = \"200ms\""),
    ))
    .run(&[]);
    let counts = |run: &Ended| {
        ["a", "never", "b"].map(|name| (run.count_of(name, "ok"), run.count_of(name, "timed_out")))
    };
    assert_eq!(counts(&run), [(2, 0), (0, 2), (2, 0)], "{run}");
    // A time-out is one of the group, too.
    assert_eq!(run.span("parts"), (0, 0, 0), "{run}");
    // The same when the time of all exchanges is over.
    let plan =
        plan_of(&site, "users = 2\niterations = { each = 1 }\ntimeout = \"300ms\"", &steps(""));
    let run = Plan::from_text(&plan).run(&[]);
    assert_eq!(counts(&run), [(2, 0), (0, 2), (2, 0)], "{run}");
    assert_eq!(site.count("/never"), 4, "{run}");
}

#[test]
fn parallel_groups_in_an_open_load_lose_nothing() {
    let site = meeting();
    let steps = "{ name = \"parts\", parallel = 6, steps = [{ name = \"a\", get = \"/a\" }, \
                 { name = \"b\", get = \"/b\" }, { name = \"c\", get = \"/c\" }] }";
    for run in ["users = 4\nrate = \"50/s\"\nduration = \"1s\"", "users = 3\nduration = \"500ms\""]
    {
        let before = site.count("/");
        let run = Plan::from_text(&plan_of(&site, run, steps)).run(&[]);
        let counts = ["a", "b", "c"].map(|name| run.count_of(name, "ok"));
        assert_eq!(counts.iter().sum::<u64>(), site.count("/") - before, "{run}");
        assert!(counts[0] > 0 && counts.iter().all(|count| *count == counts[0]), "{run}");
        assert_eq!(run.span("parts"), (counts[0], 0, 0), "{run}");
    }
}
