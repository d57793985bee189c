//! A schedule by mouse and keyboard: times that are not understood come back with a proposal, then it is paused,
//! changed, resumed and run at once.

use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in};
use crate::site_plans::only_refused;
use crate::visit;
use brunt_test_program::Target;

const TAB: &str = "/tests/p1/schedule";

/// Waits for the tab of the test, which says this of its schedule.
fn says(browser: &Browser, words: &str) {
    browser.wait_for(&format!(
        "return location.pathname === {} && document.querySelector('.schedule')?.textContent.includes({})",
        json!(TAB),
        json!(words)
    ));
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn schedule_is_corrected_paused_changed_and_run_now() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start("rest");
    visit::prepare(&browser, origin, &target.url(""), "");
    browser.open(&format!("{origin}{TAB}"));
    let zone = browser.run("return document.getElementById('zone').value");
    let own = browser.run("return new Intl.DateTimeFormat().resolvedOptions().timeZone");
    assert_eq!(zone, own, "a new schedule is in the time zone of the browser");
    // Only the fields of the chosen preset are shown.
    let is_shown = "return ['at', 'day', 'minute', 'times'].filter(\
                    (name) => document.getElementById(name).offsetParent !== null)";
    assert_eq!(browser.run(is_shown), json!(["at"]));
    browser.click(".when label:has([value=own])");
    assert_eq!(browser.run(is_shown), json!(["times"]));
    fill(&browser, "#times", "every day at 2");
    fill(&browser, "#duration", "3s");
    browser.click("#add button.main");
    browser.wait_for("return document.getElementById('times-fault')");
    assert_eq!(browser.run("return document.activeElement.id"), json!("times"));
    assert_eq!(browser.run("return document.getElementById('times').value"), "every day at 2");
    assert_eq!(browser.run("return document.getElementById('duration').value"), "3s");
    looked_at(&browser, "schedule-refused");
    browser.click("button[name=use]");
    says(&browser, "Every night at 02:00");
    looked_at(&browser, "schedule-added");
    browser.click("form[action='/schedules/pause'] button");
    says(&browser, "It starts no runs");
    browser.click(".schedule a[href$='#change']");
    browser.wait_for("return location.pathname === '/schedules/1'");
    assert_eq!(browser.run("return document.getElementById('at').value"), "02:00");
    browser.click(".when label:has([value=week])");
    browser.run("document.getElementById('day').value = '5'");
    looked_at(&browser, "schedule-changed");
    browser.click("#change button.main");
    says(&browser, "Every Friday at 02:00");
    says(&browser, "It starts no runs");
    browser.click("form[action='/schedules/pause'] button");
    says(&browser, "Next: ");
    let local = "return [...document.querySelectorAll('.schedule time')].every(\
                 (time) => time.title.endsWith('UTC') && /^Fri /.test(time.textContent))";
    assert_eq!(browser.run(local), true, "{}", browser.text(".schedule"));
    browser.click("form[action='/schedules/run'] button");
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
    );
    browser.open(&format!("{origin}{TAB}"));
    let ran = browser
        .run("return document.querySelectorAll('.schedule tbody a[href^=\"/runs/\"]').length");
    assert_eq!(ran, json!(1), "{}", browser.text(".schedule"));
    looked_at(&browser, "schedule-ran");
    only_refused(&browser);
}
