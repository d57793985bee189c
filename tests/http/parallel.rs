//! Groups with `parallel`: requests that a server has at the same time, and what it counts is what the record counts.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::brunt::{Run, planned};
use crate::journeys::span;

/// A server that answers requests for `/at/N` only when it has N of them, and all others at once.
struct Meeting {
    url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    /// Requests by target, and the cookies of each.
    targets: BTreeMap<String, u64>,
    cookies: Vec<(String, String)>,
    /// How many wait, and how many groups have met.
    waiting: u64,
    met: u64,
    connections: u64,
}

impl Meeting {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::<State>::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for peer in listener.incoming().flatten() {
                shared.seen.lock().expect("no panic").connections += 1;
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(peer, &state));
            }
        });
        Self { url, state }
    }

    fn count(&self, start: &str) -> u64 {
        let seen = self.state.seen.lock().expect("no panic");
        let these = seen.targets.iter().filter(|(target, _)| target.starts_with(start));
        these.map(|(_, count)| count).sum()
    }

    fn connections(&self) -> u64 {
        self.state.seen.lock().expect("no panic").connections
    }

    fn cookies(&self, target: &str) -> Vec<String> {
        let seen = self.state.seen.lock().expect("no panic");
        let of = seen.cookies.iter().filter(|(known, _)| known == target);
        of.map(|(_, cookie)| cookie.clone()).collect()
    }

    fn plan(&self, run: &str, steps: &str) -> String {
        let url = &self.url;
        format!(
            "[run]\n{run}\n[http]\nbase = \"{url}\"\ncookies = true\n\
             [[scenario]]\nname = \"visit\"\nsteps = [{steps}]\n"
        )
    }

    fn run(&self, steps: &str) -> Run {
        planned(&self.plan("users = 1\niterations = { each = 5 }", steps)).run()
    }
}

fn serve(peer: TcpStream, state: &State) {
    let mut out = peer.try_clone().expect("a second handle");
    let mut peer = BufReader::new(peer);
    loop {
        let (mut line, mut field, mut cookie) = (String::new(), String::new(), String::new());
        if !peer.read_line(&mut line).is_ok_and(|read| read > 0) {
            return;
        }
        while peer.read_line(&mut field).is_ok_and(|read| read > 0) && field != "\r\n" {
            if let Some(given) = field.strip_prefix("Cookie: ") {
                given.trim().clone_into(&mut cookie);
            }
            field.clear();
        }
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        meet(&target, cookie, state);
        if target == "/never" {
            continue;
        }
        let (status, body) = match target.as_str() {
            "/none" => (404, "{}"),
            _ => (200, "{\"id\":7,\"other\":\"x\"}"),
        };
        let set = target.trim_start_matches('/').replace('/', "-");
        let head = format!(
            "HTTP/1.1 {status} Said\r\nSet-Cookie: {set}=1; Path=/\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        if out.write_all((head + body).as_bytes()).is_err() {
            return;
        }
    }
}

/// Counts a request, and waits until as many are there as its target says.
fn meet(target: &str, cookie: String, state: &State) {
    let mut seen = state.seen.lock().expect("no panic");
    *seen.targets.entry(target.to_owned()).or_default() += 1;
    seen.cookies.push((target.to_owned(), cookie));
    let Some(wanted) = target.strip_prefix("/at/").and_then(|rest| rest.split('/').next()) else {
        return;
    };
    let wanted: u64 = wanted.parse().expect("a number");
    let round = seen.met;
    seen.waiting += 1;
    if seen.waiting == wanted {
        (seen.waiting, seen.met) = (0, round + 1);
        state.changed.notify_all();
    }
    while seen.met == round {
        seen = state.changed.wait(seen).expect("no panic");
    }
}

#[test]
fn parallel_steps_are_at_the_server_at_once() {
    let site = Meeting::start();
    let steps = "{ name = \"page\", get = \"/page\" }, { name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/3/a\" }, { name = \"b\", get = \"/at/3/b\" }, \
                 { name = \"c\", get = \"/at/3/c\" }] }, { name = \"after\", get = \"/after\" }";
    let run = site.run(steps).went_well();
    for name in ["page", "a", "b", "c", "after"] {
        assert_eq!(run.count_of(name, "ok"), 5, "{name}: {run}");
    }
    assert_eq!((site.count("/at/3"), site.count("/after")), (15, 5), "{run}");
    assert_eq!(span(&run, "parts"), (5, 0, 0), "{run}");
    assert_eq!(run.part("iteration"), 5, "{run}");
    assert_eq!(site.connections(), 3, "{run}");
    // What the answers set is sent from the step after the group on.
    assert!(site.cookies("/at/3/b").iter().all(|cookie| cookie == "page=1"), "{run}");
    let after = site.cookies("/after");
    assert!(
        after.iter().all(|sent| sent.contains("at-3-a=1") && sent.contains("at-3-c=1")),
        "{after:?}"
    );
}

#[test]
fn parallel_number_limits_the_connections() {
    let site = Meeting::start();
    let part = |number: usize| format!("{{ name = \"part\", get = \"/at/2/{number}\" }}");
    let parts: Vec<String> = (0..6).map(part).collect();
    let steps = format!("{{ name = \"parts\", parallel = 2, steps = [{}] }}", parts.join(", "));
    let run = site.run(&steps).went_well();
    assert_eq!((run.count_of("part", "ok"), site.count("/at/2")), (30, 30), "{run}");
    assert_eq!(site.connections(), 2, "{run}");
    let check =
        planned(&site.plan("users = 1\niterations = { each = 5 }", &steps)).arg("--check").run();
    assert!(check.report.contains("performed at once, at most 2 at a time"), "{check}");
    assert!(check.report.contains("visit: at most 6 exchanges an iteration"), "{check}");
}

#[test]
fn parallel_failure_stops_only_later_steps() {
    let site = Meeting::start();
    let steps = "{ name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/3/a\", extract = { id = \"/id\" } }, \
                 { name = \"none\", get = \"/none\" }, \
                 { name = \"b\", get = \"/at/3/b\", \
                 extract = { missing = { json = \"/missing\", missing = \"fail\" } } }, \
                 { name = \"c\", get = \"/at/3/c\" }] }, { name = \"after\", get = \"/after/${id}\" }";
    let run = site.run(steps);
    let counts = ["a", "none", "b", "c"]
        .map(|name| (run.count_of(name, "ok"), run.count_of(name, "failed")));
    assert_eq!(counts, [(5, 0), (0, 5), (0, 5), (5, 0)], "{run}");
    assert_eq!((run.count_of("after", "skipped"), site.count("/after")), (5, 0), "{run}");
    assert_eq!((site.count("/at/3"), site.count("/none")), (15, 5), "{run}");
    assert_eq!(span(&run, "parts"), (0, 5, 0), "{run}");
    let samples = run.record()["samples"].to_string();
    assert!(samples.contains("missing") && samples.contains("/none\\n"), "{samples}");
    let once = planned(&site.plan("users = 1", steps)).arg("--once").run();
    for output in ["/at/3/a", "/none", "404", "2 failed"] {
        assert!(once.report.contains(output), "{output}: {once}");
    }
}

#[test]
fn parallel_group_skips_steps_by_condition() {
    let site = Meeting::start();
    let steps = "{ name = \"page\", get = \"/page\", extract = { id = \"/id\" } }, \
                 { name = \"parts\", parallel = true, steps = [\
                 { name = \"a\", get = \"/at/2/${id}\" }, { name = \"b\", get = \"/at/2/b\", needs = [\"id\"] }, \
                 { name = \"c\", get = \"/c\", when = [{ value = \"${none}\" }] }, \
                 { name = \"d\", get = \"/d\", needs = [\"none\"] }] }, \
                 { name = \"after\", get = \"/page\", extract = { none = { json = \"/other\" } } }";
    let run = site.run(steps);
    assert_eq!((site.count("/at/2/7"), site.count("/at/2/b")), (5, 5), "{run}");
    assert_eq!((site.count("/c"), site.count("/d"), site.count("/page")), (0, 0, 10), "{run}");
    assert_eq!((run.count_of("d", "skipped"), run.count_of("after", "ok")), (5, 5), "{run}");
    assert_eq!(run.tally("branch step 'c' passed over"), 5, "{run}");
    assert_eq!(span(&run, "parts"), (5, 0, 0), "{run}");
}

#[test]
fn parallel_timeout_gives_up_only_its_step() {
    let site = Meeting::start();
    let steps = |timeout: &str| {
        format!(
            "{{ name = \"parts\", parallel = true, steps = [{{ name = \"a\", get = \"/at/2/a\" }}, \
             {{ name = \"never\", get = \"/never\"{timeout} }}, {{ name = \"b\", get = \"/at/2/b\" }}] }}"
        )
    };
    let run = planned(
        &site.plan("users = 2\niterations = { each = 1 }", &steps(", timeout = \"200ms\"")),
    )
    .run();
    let counts = |run: &Run| {
        ["a", "never", "b"].map(|name| (run.count_of(name, "ok"), run.count_of(name, "timed_out")))
    };
    assert_eq!(counts(&run), [(2, 0), (0, 2), (2, 0)], "{run}");
    // A time-out is one of the group, too.
    assert_eq!(span(&run, "parts"), (0, 0, 0), "{run}");
    // The same when the time of all exchanges is over.
    let plan = site.plan("users = 2\niterations = { each = 1 }\ntimeout = \"300ms\"", &steps(""));
    let run = planned(&plan).run();
    assert_eq!(counts(&run), [(2, 0), (0, 2), (2, 0)], "{run}");
    assert_eq!(site.count("/never"), 4, "{run}");
}

#[test]
fn parallel_groups_in_an_open_load_lose_nothing() {
    let site = Meeting::start();
    let steps = "{ name = \"parts\", parallel = 6, steps = [{ name = \"a\", get = \"/a\" }, \
                 { name = \"b\", get = \"/b\" }, { name = \"c\", get = \"/c\" }] }";
    for run in ["users = 4\nrate = \"50/s\"\nduration = \"1s\"", "users = 3\nduration = \"500ms\""]
    {
        let before = site.count("/");
        let run = planned(&site.plan(run, steps)).run();
        let counts = ["a", "b", "c"].map(|name| run.count_of(name, "ok"));
        assert_eq!(counts.iter().sum::<u64>(), site.count("/") - before, "{run}");
        assert!(counts[0] > 0 && counts.iter().all(|count| *count == counts[0]), "{run}");
        assert_eq!(span(&run, "parts"), (counts[0], 0, 0), "{run}");
    }
}
