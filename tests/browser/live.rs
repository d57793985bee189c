//! The live page of a run (`--web`): what tabs show during the run and when it is over, compared with the run's events
//! and record.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use brunt_test_program::{Target, brunt};
use brunt_testbed::{Hostile, core, until};
use serde_json::{Value, json};

use crate::browser::{Browser, Look, Violation};
use crate::brunt::{Shown, trial};
use crate::relay::Relay;

/// Longer than any run here.
const PATIENCE: Duration = Duration::from_secs(90);
const EVIL: &str = "</script><img src=x onerror=document.title='evil'>";
const OVER: &str = "return document.getElementById('live').textContent.includes('is over')";

/// The points of a line of a chart, as the page has them: seconds and values in turn.
pub(crate) fn points(browser: &Browser, chart: &str, line: &str) -> Vec<(f64, f64)> {
    let script = format!(
        "const found = brunt.charts().find(one => one.id === '{chart}');
         if (!found) return [];
         const at = found.chart.series.findIndex(series => (series.label || '').startsWith('{line}'));
         return at < 0 ? [] : found.chart.data[0].map((x, i) => [x, found.chart.data[at][i]]);"
    );
    let found = browser.run(&script);
    let pairs = found.as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |pair: &Value, place: usize| pair[place].as_f64().unwrap_or(f64::NAN);
    pairs.iter().map(|pair| (number(pair, 0), number(pair, 1))).collect()
}

/// Waits until a line has so many points, and returns those.
pub(crate) fn at_least(browser: &Browser, count: usize) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    let come = until(PATIENCE, || {
        found = points(browser, "rates", "achieved");
        found.len() >= count
    });
    assert!(come, "{count} points were to come: {found:?}");
    found
}

/// What the events of a run say it achieved: the middle of each interval, and exchanges a second.
fn achieved(events: &str) -> Vec<(f64, f64)> {
    let lines = events.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    let intervals = lines.filter(|line| line["type"] == "interval");
    let point = |line: Value| {
        let [from, to] = ["from_ns", "to_ns"].map(|key| line[key].as_f64().expect("a time") / 1e9);
        let operations = line["operations"].as_array().expect("operations");
        let counted = |name: &str| -> f64 {
            operations.iter().filter_map(|operation| operation["counts"][name].as_f64()).sum()
        };
        (f64::midpoint(from, to), (counted("ok") + counted("failed")) / (to - from))
    };
    intervals.map(point).collect()
}

/// Whether two lines are the same to the digits that a page has.
pub(crate) fn same(one: &[(f64, f64)], other: &[(f64, f64)]) -> bool {
    // An interval of no length has no rate.
    let near = |a: f64, b: f64| {
        (a.is_nan() && b.is_nan()) || (a - b).abs() <= 2e-3 * a.abs().max(b.abs()) + 2e-3
    };
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| near(one.0, other.0) && near(one.1, other.1))
}

/// No error is on the console, nothing but these pages was asked for anything, and axe-core finds nothing serious.
fn no_fault(browser: &Browser, pages: &[&str]) {
    assert_eq!(browser.console_errors(), [""; 0]);
    let requests = browser.requests();
    let own = |requested: &String| pages.iter().any(|page| requested.starts_with(page));
    assert!(requests.iter().all(own), "{requests:?}");
    let serious: Vec<Violation> =
        browser.violations().into_iter().filter(Violation::is_serious).collect();
    assert_eq!(serious, []);
}

#[test]
fn live_page_tabs_equal_the_events_and_become_the_report() {
    let Some(browser) = Browser::start() else { return };
    let target = Target::start("rest");
    let url = target.url("/sleep?ms=1");
    let directory = tempfile::tempdir().expect("a directory");
    let events = directory.path().join("run.ndjson");
    let run = trial(&["http", "-q", "200", "-c", "4", "-z", "22s", "--quiet", &url]);
    let run = Shown::new(run.arg("--events").arg(&events));
    let (relay, page) = (Relay::to(&run.page), run.page.clone());
    let relayed = relay.address().to_owned();
    browser.open(&relayed);
    at_least(&browser, 2);
    browser.screenshot("live-light");
    // A second tab, late.
    browser.open_tab();
    browser.open(&page);
    at_least(&browser, 2);
    // The first is offline for five seconds, of which it shows nothing until it is back.
    browser.use_tab(0);
    relay.cut();
    let then = points(&browser, "rates", "achieved").len();
    browser.use_tab(1);
    at_least(&browser, then + 5);
    browser.use_tab(0);
    let away = points(&browser, "rates", "achieved").len();
    assert!(away <= then + 1, "offline, {then} points became {away}");
    assert!(browser.text("#live").contains("Trying again"), "{}", browser.text("#live"));
    relay.mend();
    let first = at_least(&browser, then + 6);
    assert!(browser.text("#live").starts_with("Live"), "{}", browser.text("#live"));
    // The browser reports the lost connection, which is not an error of the page.
    let offline = browser.console_errors();
    assert!(offline.iter().all(|error| error.contains("net::ERR_")), "{offline:?}");
    browser.use_tab(1);
    let second = at_least(&browser, first.len());
    assert!(same(&first, &second[..first.len()]), "{first:?}\n{second:?}");
    browser.reload();
    let reloaded = at_least(&browser, first.len());
    assert!(same(&first, &reloaded[..first.len()]), "{first:?}\n{reloaded:?}");
    let so_far = achieved(&fs::read_to_string(&events).expect("events"));
    let common_len = first.len().min(so_far.len());
    assert!(same(&first[..common_len], &so_far[..common_len]), "{first:?}\n{so_far:?}");
    no_fault(&browser, &[&page, &relayed]);
    // Both become the report.
    for tab in [0, 1] {
        browser.use_tab(tab);
        browser.wait_for(OVER);
    }
    let ended = run.ended();
    let whole = achieved(&fs::read_to_string(&events).expect("events"));
    for tab in [0, 1] {
        browser.use_tab(tab);
        let shown = points(&browser, "rates", "achieved");
        assert!(same(&shown, &whole), "{shown:?}\n{whole:?}");
        figures(&browser, ended.json());
    }
    browser.screenshot("live-over");
    browser.look(Look::Dark);
    browser.screenshot("live-over-dark");
    browser.look(Look::Phone);
    browser.screenshot("live-over-phone");
    browser.look(Look::Light);
    no_fault(&browser, &[&page, &relayed]);
}

/// The figures of the finished page are the record's.
fn figures(browser: &Browser, record: &Value) {
    let tiles = browser.text(".tiles");
    let figure = browser.text("[data-figure=achieved]").replace(',', "");
    let figure = figure.split(' ').next().unwrap_or_default();
    let figure: f64 = figure.parse().unwrap_or_else(|_| panic!("achieved in {tiles}"));
    let offered = tiles.split("achieved of ").nth(1).and_then(|rest| rest.split("/s").next());
    let offered = offered.and_then(|rate| rate.replace(',', "").parse().ok());
    for (name, shown) in [("achieved", figure), ("offered", offered.expect("offered"))] {
        let rate = record["rates"][name].as_f64().expect("a rate");
        assert!((shown - rate).abs() <= 5e-3 * rate, "{name} is {rate}, and here {shown}");
    }
    let planned = record["counts"]["planned"].as_u64().expect("a count");
    let grouped = format!("{},{:03}", planned / 1_000, planned % 1_000);
    assert!(tiles.contains(&grouped), "{grouped} is not in {tiles}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn live_page_escapes_names_of_plans() {
    let Some(browser) = Browser::start() else { return };
    let target = Target::start("rest");
    let base = target.url("");
    let plan = format!(
        "[run]\nusers = 2\nrate = '50/s'\nduration = '6s'\n[http]\nbase = '{base}'\n[[scenario]]\nname = 'one'\n\
         [[scenario.steps]]\nname = \"{EVIL}\"\nget = '/sleep?ms=1'\n"
    );
    let run = trial(&["run", "--quiet"]);
    let path = run.file("plan.toml", &plan);
    let run = Shown::new(run.arg(path));
    browser.open(&run.page);
    browser.wait_for("return document.body.textContent.includes('onerror')");
    browser.wait_for(OVER);
    let words = browser.run("return document.body.textContent");
    assert!(words.as_str().is_some_and(|words| words.contains(EVIL)), "{words}");
    assert_eq!(browser.run("return document.querySelectorAll('img, main script').length"), 0);
    let title = browser.run("return document.title");
    assert!(title.as_str().is_some_and(|title| title.starts_with("run ")), "{title}");
    no_fault(&browser, &[&run.page]);
    run.ended();
}

/// Whether a chart of the page can be seen as the script drew it, and as a picture.
fn charts(browser: &Browser) -> Value {
    browser.run(
        "const seen = css => [...document.querySelectorAll(css)].some(one => one.getClientRects().length > 0);
         return [seen('.drawn canvas'), seen('.still svg')]",
    )
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn live_page_escapes_server_text_and_prints_charts() {
    let Some(browser) = Browser::start() else { return };
    let server = Hostile::start();
    // It is in progress for as long as that is looked at.
    let run =
        Shown::new(trial(&["http", "-q", "20", "-c", "2", "-z", "80s", "--quiet", &server.url()]));
    browser.open(&run.page);
    browser.wait_for("return document.body.textContent.includes('EVIL')");
    at_least(&browser, 3);
    let inert = |browser: &Browser| {
        let words = browser.run("return document.body.textContent");
        let words = words.as_str().expect("words");
        assert!(words.contains("EVIL") && words.contains("<img src=x"), "{words}");
        assert_eq!(Hostile::acting(words), [""; 0], "{words}");
        assert_eq!(browser.run("return document.querySelectorAll('img, main script').length"), 0);
        let title = browser.run("return document.title");
        assert!(title.as_str().is_some_and(|title| title.contains("http")), "{title}");
    };
    inert(&browser);
    // A run in progress has no pictures: when printed, its charts appear as they are drawn.
    assert_eq!(charts(&browser), json!([true, false]));
    browser.look(Look::Print);
    assert_eq!(charts(&browser), json!([true, false]));
    browser.print("live");
    browser.screenshot("live-print");
    browser.look(Look::Light);
    run.interrupt();
    browser.wait_for(OVER);
    inert(&browser);
    browser.look(Look::Print);
    assert_eq!(charts(&browser), json!([false, true]));
    browser.print("live-over");
    browser.look(Look::Light);
    no_fault(&browser, &[&run.page]);
    run.ended_with(130);
}

/// A connection that asked for the events of a page, and may never read them.
fn socket(page: &str) -> TcpStream {
    let rest = page.strip_prefix("http://").expect("an address");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request = format!("GET /{path}events HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it takes a request");
    stream
}

/// How many rows a tab was sent one after another, and how many it shows in the end: those of the last view, which has
/// all of the run, and what followed it. A message holds all that became ready since the last one; each is one chunk of
/// the response's body.
fn rows(events: &str) -> (usize, usize) {
    let (mut sent, mut shown) = (0, 0);
    for message in events.split("\n\n") {
        let data = message.lines().find_map(|line| line.strip_prefix("data: "));
        let data = data.map(|data| serde_json::from_str::<Value>(data).unwrap_or_default());
        let data = data.unwrap_or_default();
        if message.contains("event: view\n") {
            shown = data["rows"].as_array().expect("rows of a view").len();
        } else if message.contains("event: rows\n") {
            let more = data.as_array().expect("rows").len();
            (sent, shown) = (sent + more, shown + more);
        }
    }
    (sent, shown)
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn live_page_with_fifty_tabs_delays_no_interval() {
    // A run of eight seconds, whose tabs have to be there in its first two.
    let _core = core();
    let target = Target::start("rest");
    let url = target.url("/sleep?ms=1");
    let directory = tempfile::tempdir().expect("a directory");
    let events = directory.path().join("run.ndjson");
    let words = "http -q 500 -c 8 -z 8s --interval 100ms --quiet";
    let words: Vec<&str> = words.split(' ').chain([url.as_str()]).collect();
    let run = trial(&words);
    let run = Shown::new(run.arg("--events").arg(&events));
    let stuck: Vec<TcpStream> = (0..25).map(|_| socket(&run.page)).collect();
    let readers: Vec<_> = (0..25)
        .map(|_| {
            let mut stream = socket(&run.page);
            thread::spawn(move || {
                let mut text = String::new();
                let _ = stream.read_to_string(&mut text);
                text
            })
        })
        .collect();
    let mut most = 0;
    let ended = run.ended_after(|memory| most = memory);
    assert!((1..150 << 20).contains(&most), "{most} bytes");
    drop(stuck);
    for reader in readers {
        let text = reader.join().expect("it reads");
        assert!(text.contains("event: end"), "{} bytes without an end", text.len());
        // A tab that the server reached late gets its last rows as part of the view at the end.
        let (sent, shown) = rows(&text);
        assert!(sent >= 60 && shown >= 80, "{sent} rows, {shown} in the end");
    }
    // Every interval came, and came when it was over.
    let events = fs::read_to_string(&events).expect("events");
    assert!(achieved(&events).len() >= 80, "{}", achieved(&events).len());
    assert_eq!(ended.count("dropped"), 0, "{ended}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn live_page_reports_a_public_address_and_a_port_in_use() {
    let target = Target::start("rest");
    let url = target.url("/sleep?ms=1");
    let brunt = || brunt("http -n 10 --quiet").recorded().arg(&url);
    let open = brunt().arg("--web=0.0.0.0").run().went_well();
    assert!(open.stderr.contains("anyone who can reach this machine"), "{open}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = taken.local_addr().expect("an address");
    let web = format!("--web={at}");
    let refused = brunt().arg(web).run().expect(1);
    assert!(refused.stderr.contains("name another address with --web=ADDR"), "{refused}");
    assert!(refused.any_json().is_none(), "nothing was sent: {refused}");
}
