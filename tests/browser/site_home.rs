//! A person's way from a first run to a second and to their comparison, through the first page.

use serde_json::json;

use crate::browser::Browser;
use crate::brunt::Target;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::visit;

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

#[test]
fn from_a_first_run_to_a_second_and_to_their_comparison() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start();
    visit::prepare(&browser, origin, &target.url(""), "");
    let text = json!(PLAN);
    browser.run(&format!(
        "const form = document.querySelector('.bar input[name=form]').value; \
         fetch('/plans/1', {{ method: 'POST', body: new URLSearchParams({{ form, after: 1, text: {text} }}) }}) \
           .then((answer) => {{ window.saved = answer.ok; }})"
    ));
    browser.wait_for("return window.saved");
    // Before the first run, the first page offers the plan.
    browser.open(origin);
    looked_at(&browser, "home-first");
    browser.click(".choice a");
    browser.wait_for("return document.querySelector('#checked .met')");
    browser.click("button[name=save]");
    ended(&browser);
    browser.click("#about [name=baseline]");
    browser.click("#about button.main");
    browser.wait_for("return document.querySelector('.said').textContent.includes('baseline')");
    // Then it has the test, whose button runs it again.
    browser.open(origin);
    assert_eq!(browser.run("return document.querySelectorAll('table.tests tbody tr').length"), 1);
    let local = "return [...document.querySelectorAll('.tests time')].every(\
                 (time) => time.title.endsWith('UTC') && time.textContent.startsWith('today '))";
    assert_eq!(browser.run(local), true, "{}", browser.text("table.tests"));
    browser.click("table.tests td:last-child button");
    ended(&browser);
    browser.open(origin);
    looked_at(&browser, "home");
    sound(&browser, origin, "home");
    // It is found by a word, and its page leads to the comparison.
    fill(&browser, "#q", "visit");
    browser.click(".find button");
    browser.wait_for("return location.search === '?find=visit'");
    browser.click("table.tests tbody th a");
    browser.wait_for("return location.pathname === '/tests/p1'");
    looked_at(&browser, "test");
    browser.click(".subs a[href$='/runs']");
    browser.wait_for("return document.querySelectorAll('table.runs tbody tr').length === 2");
    looked_at(&browser, "test-runs");
    browser.click(".head a[href^='/compare']");
    browser.wait_for(
        "return location.pathname === '/compare' && document.querySelector('table.data')",
    );
    sound(&browser, origin, "compared");
}
