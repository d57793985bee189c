//! A person's way from a first run to a second and to their comparison, through the first page.

use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::visit;
use brunt_test_program::Target;

/// A plan whose runs are short.
const PLAN: &str = "[run]\nusers = 2\nduration = \"2s\"\n\n[http]\nbase = \"${env:BASE}\"\n\n\
                    [[scenario]]\nname = \"visit\"\nsteps = [{ get = \"/\" }]\n";

/// Waits until the run whose page is open has become a finished one.
fn ended(browser: &Browser) {
    browser.wait_for(
        "return location.pathname.startsWith('/live/') || location.pathname.startsWith('/runs/')",
    );
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && window.brunt && brunt.charts().length",
    );
}

/// Signs in, lists a target, makes a plan whose runs are short, and opens the first page.
pub(crate) fn prepared(browser: &Browser, site: &Site, target: &Target) {
    let origin = site.origin.as_str();
    sign_in(browser, site);
    visit::prepare(browser, origin, &target.url(""), "");
    let text = json!(PLAN);
    browser.run(&format!(
        "const form = document.querySelector('.bar input[name=form]').value; \
         fetch('/plans/1', {{ method: 'POST', body: new URLSearchParams({{ form, after: 1, text: {text} }}) }}) \
           .then((answer) => {{ window.saved = answer.ok; }})"
    ));
    browser.wait_for("return window.saved");
    browser.open(origin);
}

/// Runs the plan that the first page offers, and returns the path of the run.
pub(crate) fn first_run(browser: &Browser) -> String {
    browser.click(".choice a");
    browser.wait_for("return document.querySelector('#checked .met')");
    browser.click("button[name=save]");
    ended(browser);
    browser.run("return location.pathname").as_str().expect("a path").to_owned()
}

/// Runs it again from the first page.
pub(crate) fn second_run(browser: &Browser, origin: &str) {
    browser.open(origin);
    browser.click("table.tests td:last-child button");
    ended(browser);
}

/// The whole way.
pub(crate) fn compares_two_runs(browser: &Browser) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    let target = Target::start("rest");
    prepared(browser, &site, &target);
    // Before the first run, the first page offers the plan.
    looked_at(browser, "home-first");
    first_run(browser);
    browser.click("#about [name=baseline]");
    browser.click("#about button.main");
    browser.wait_for("return document.querySelector('.said').textContent.includes('baseline')");
    // Then it has the test, whose button runs it again.
    browser.open(origin);
    assert_eq!(browser.run("return document.querySelectorAll('table.tests tbody tr').length"), 1);
    let local = "return [...document.querySelectorAll('.tests time')].every(\
                 (time) => time.title.endsWith('UTC') && time.textContent.startsWith('today '))";
    assert_eq!(browser.run(local), true, "{}", browser.text("table.tests"));
    second_run(browser, origin);
    browser.open(origin);
    looked_at(browser, "home");
    sound(browser, origin, "home");
    // It is found by a word, and its page leads to the comparison.
    fill(browser, "#q", "visit");
    browser.click(".find button");
    browser.wait_for("return location.search === '?find=visit'");
    browser.click("table.tests tbody th a");
    browser.wait_for("return location.pathname === '/tests/p1'");
    looked_at(browser, "test");
    browser.click(".subs a[href$='/runs']");
    browser.wait_for("return document.querySelectorAll('table.runs tbody tr').length === 2");
    looked_at(browser, "test-runs");
    browser.click(".head a[href^='/compare']");
    browser.wait_for(
        "return location.pathname === '/compare' && document.querySelector('table.data')",
    );
    // Times are those of the browser; the text for a pull request names the runs by theirs.
    assert_eq!(browser.run("return document.querySelectorAll('h1 time[title$=UTC]').length"), 2);
    assert_eq!(browser.text(".crumbs"), "Tests / Visit / comparison");
    browser.click(".head a[href='#share']");
    assert_eq!(browser.run("return document.querySelector('#share details').open"), true);
    assert!(browser.text("#markdown pre").contains(" UTC"), "{}", browser.text("#markdown"));
    sound(browser, origin, "compared");
}

#[test]
fn home_page_leads_to_two_runs_and_their_comparison() {
    let Some(browser) = Browser::start() else { return };
    compares_two_runs(&browser);
}
