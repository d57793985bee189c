//! A run in progress on the website, seen by several users: one opens it late, one reloads the page, one loses the
//! network for five seconds. All see the same points, and for all it becomes the page of the run.

use std::thread;
use std::time::Duration;

use crate::browser::Browser;
use crate::live::{at_least, points, same};
use crate::relay::Relay;
use crate::site::{Site, fill, sign_in, sound};
use crate::visit;
use brunt_test_program::Target;

const AWAY: Duration = Duration::from_secs(5);

/// Starts a run of the plan that gets one page; the path of its page.
fn begin(browser: &Browser, origin: &str, base: &str) -> String {
    visit::prepare(browser, origin, base, "");
    browser.wait_for("return document.querySelector('#checked .met')");
    fill(browser, "#duration", "20s");
    browser.click("button[name=save]");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    let path = browser.run("return location.pathname");
    path.as_str().expect("a path").to_owned()
}

/// Marks a moment, which loads the page again. The moment is that at which the form was opened.
fn marked(browser: &Browser) {
    browser.click("[data-moment] summary");
    browser.wait_for("return document.activeElement.name === 'label'");
    // As if the label had been typed for another second: the run has begun two seconds ago.
    browser.run(
        "const now = performance.now.bind(performance); performance.now = () => now() + 1_000; window.stayed = true",
    );
    "backup began".chars().for_each(|character| browser.press(character));
    browser.click("[data-moment] button");
    browser.wait_for("return !window.stayed && window.brunt && brunt.charts().length > 1");
    let ago = browser.run(
        "const [one] = JSON.parse(document.getElementById('annotations')?.textContent ?? '[]'); \
         const said = document.querySelector('#happened time'); \
         return one?.label === 'backup began' && (Date.now() - new Date(said.dateTime)) / 1000",
    );
    assert!(ago.as_f64().is_some_and(|ago| ago >= 1.0), "{ago}");
}

/// The page in its order: title, progress, what came of it so far, figures, and the rest below them.
fn arranged(browser: &Browser) {
    browser.wait_for("return document.querySelector('.run > #latency')");
    let tops = browser.run(
        "return ['#top h1', '.going', '#top .lead', '#top .trust', '#result', '#latency'].map((css) => \
           Math.round(document.querySelector(`.run ${css}`).getBoundingClientRect().top))",
    );
    let tops = tops.as_array().expect("places").iter();
    let tops: Vec<i64> = tops.filter_map(serde_json::Value::as_i64).collect();
    assert!(tops.len() == 6 && tops.is_sorted_by(|above, below| above < below), "{tops:?}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn live_run_shows_the_same_points_to_late_and_returning_tabs() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start("rest");
    let live = begin(&browser, origin, &target.url(""));
    at_least(&browser, 2);
    marked(&browser);
    arranged(&browser);
    let first = at_least(&browser, 3);
    // Another tab, by a way that can be cut.
    let relay = Relay::to(&format!("{origin}/"));
    browser.open_tab();
    browser.open(&format!("{}{}", relay.address().trim_end_matches('/'), live));
    let late = at_least(&browser, first.len());
    assert!(same(&first, &late[..first.len()]), "{first:?}\n{late:?}");
    relay.cut();
    browser.wait_for("return document.querySelector('[data-reason]').textContent.includes('lost')");
    let then = points(&browser, "rates", "achieved").len();
    thread::park_timeout(AWAY);
    let away = points(&browser, "rates", "achieved").len();
    assert!(away <= then + 1, "offline, {then} points became {away}");
    relay.mend();
    let back = at_least(&browser, then + 4);
    let offline = browser.console_errors();
    assert!(offline.iter().all(|error| error.contains("net::ERR_")), "{offline:?}");
    browser.use_tab(0);
    let stayed = at_least(&browser, back.len());
    assert!(same(&back, &stayed[..back.len()]), "{back:?}\n{stayed:?}");
    for tab in [1, 0] {
        browser.use_tab(tab);
        browser.wait_for(
            "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
        );
        let shown = points(&browser, "rates", "achieved");
        // The points shown during the run equal those of the record.
        assert!(same(&back, &shown[..back.len()]), "{back:?}\n{shown:?}");
    }
    browser.requests();
    sound(&browser, origin, "live");
}
