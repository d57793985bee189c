//! A run that is made on the website: a target is listed, a plan written and checked as it is typed, run, watched and
//! kept.

use fantoccini::key::Key;
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound, stop};
use brunt_test_program::Target;

/// The first page shows how far the run is, and keeps that current without being loaded again; then back to the run.
fn followed_on_the_first_page(browser: &Browser, origin: &str) {
    browser.open(origin);
    browser.run("window.stayed = true");
    let reached = "document.querySelector('.running [data-shown=of]').textContent";
    let before = browser.run(&format!("return {reached}"));
    browser.wait_for(&format!("return window.stayed && {reached} !== {before}"));
    browser.wait_for(
        "return document.querySelector('[data-shown=due]').textContent.startsWith(' of ')",
    );
    assert_eq!(browser.run("return document.querySelector('.running progress').value > 0"), true);
    looked_at(browser, "home-running");
    sound(browser, origin, "home-running");
    browser.click(".running a.big");
    browser.wait_for("return window.brunt && brunt.charts().length > 1");
}

#[test]
fn plan_is_checked_run_watched_and_stored() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start("rest");
    let base = target.url("");
    let address = base.trim_start_matches("http://").to_owned();
    browser.open(&format!("{origin}/targets"));
    looked_at(&browser, "targets-empty");
    fill(&browser, "#name", "Built in");
    fill(&browser, "#allow", &address);
    fill(&browser, "#settings", &format!("BASE={base}/openam/json"));
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('table.cards')");
    looked_at(&browser, "targets");
    browser.open(&format!("{origin}/plans"));
    fill(&browser, "#name", "Sign in");
    browser.run("document.getElementById('template').value = '2'");
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('#checked .met')");
    looked_at(&browser, "plan");
    browser.click("button[value=text]");
    // An error is reported while the plan is typed, with its line.
    browser.run(
        "const text = document.getElementById('text'); text.focus(); text.setSelectionRange(0, 0)",
    );
    "users = x".chars().for_each(|character| browser.press(character));
    browser.press(Key::Enter);
    browser.wait_for("return document.querySelector('#checked .missed')");
    looked_at(&browser, "plan-fault");
    browser.click("#checked [data-line]");
    assert_eq!(browser.run("return document.activeElement.id"), json!("text"));
    browser.click("button[value=undo]");
    browser.wait_for("return document.querySelector('#checked .met')");
    fill(&browser, "#duration", "10m");
    browser.click("button[name=save]");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    browser.wait_for("return window.brunt && brunt.charts().length > 1");
    looked_at(&browser, "live");
    sound(&browser, origin, "live");
    followed_on_the_first_page(&browser, origin);
    stop(&browser);
    looked_at(&browser, "run-made");
    assert!(browser.text(".lead").contains("None of"), "{}", browser.text(".lead"));
    browser.open(&format!("{origin}/runs"));
    assert_eq!(
        browser.run("return document.querySelectorAll('table.runs tbody tr').length"),
        json!(1)
    );
    sound(&browser, origin, "the end");
}
