//! The pages of the site that no other test here covers, each empty and with content: they fit the screen, and nothing
//! prevents a user from reading them.

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::site_plans::{button, open_line};
use crate::visit;
use brunt_test_program::Target;

/// Presses the button of the form that adds something, and waits for what it leads to.
fn add(browser: &Browser, shown: &str) {
    browser.click("#add button.main");
    browser.wait_for(&format!("return document.querySelector({shown:?})"));
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn remaining_pages_are_readable_empty_and_filled() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let seen = |path: &str, name: &str| {
        browser.open(&format!("{origin}{path}"));
        looked_at(&browser, name);
        sound(&browser, origin, name);
    };
    for name in [
        "plans",
        "steps",
        "hooks",
        "schedules",
        "secrets",
        "shares",
        "settings",
        "queue",
        "runs",
        "annotations",
        "site",
    ] {
        seen(&format!("/{name}"), &format!("{name}-empty"));
    }
    let target = Target::start("rest");
    visit::prepare(&browser, origin, &target.url(""), "");
    for (path, name) in [("/tests/p1", "test-empty"), ("/tests/p1/runs", "test-runs-empty")] {
        seen(path, name);
    }
    filled(&browser, origin);
    for (path, name) in [
        ("/plans", "plans"),
        ("/plans/1/revisions", "revisions"),
        ("/steps", "steps"),
        ("/tests/p1/schedule", "test-schedule"),
        ("/schedules/1", "schedule"),
        ("/tests/p1/limit", "test-limit"),
    ] {
        seen(path, name);
    }
    ran(&browser, origin);
    // A missing plan is reported on a page as well.
    browser.open(&format!("{origin}/plans/99"));
    looked_at(&browser, "missing");
}

/// A step of the library, a webhook, a schedule that calls it, a secret.
fn filled(browser: &Browser, origin: &str) {
    browser.open(&format!("{origin}/plans/1"));
    browser.wait_for("return document.querySelector('.steps li')");
    let keep = button("keep:[\"scenario\",0,\"steps\",0]");
    open_line(browser, &keep);
    browser.click(&keep);
    browser.wait_for("return document.querySelector('[name^=\"library:\"]')");
    browser.open(&format!("{origin}/hooks"));
    fill(browser, "#name", "CI of the directory, which is told of every night");
    fill(browser, "#url", "https://ci.example.com/a-hook-with-a-name-that-is-rather-long/brunt");
    add(browser, "[data-copy]");
    looked_at(browser, "hook-added");
    sound(browser, origin, "hook-added");
    browser.open(&format!("{origin}/schedules"));
    browser.click(".when label:has([value=days])");
    browser.run("document.getElementById('hook').selectedIndex = 1");
    add(browser, "form[action='/schedules/remove']");
    looked_at(browser, "schedules");
    sound(browser, origin, "schedules");
    browser.open(&format!("{origin}/secrets"));
    fill(browser, "#name", "PASSWORD");
    fill(browser, "#value", "not shown");
    add(browser, "form[action='/secrets/end']");
    looked_at(browser, "secrets");
    sound(browser, origin, "secrets");
}

/// Thresholds that a run proposes, a trend, a link that is shared.
fn ran(browser: &Browser, origin: &str) {
    browser.open(&format!("{origin}/plans/1"));
    fill(browser, "#duration", "1s");
    browser.click("button[formaction$='/thresholds']");
    // The page of the plan contains this text as well, and is open until the run has been submitted.
    browser.wait_for(
        "return location.pathname.endsWith('/thresholds') \
         && document.querySelector('textarea[name=text]')",
    );
    looked_at(browser, "thresholds");
    sound(browser, origin, "thresholds");
    browser.open(&format!("{origin}/runs"));
    browser.click("table.runs tbody a");
    browser.wait_for("return window.brunt && brunt.charts().length");
    let trend = browser.run("return document.querySelector('a[href^=\"/trends\"]').href");
    let days = "form[action='/shares'] button";
    browser.run(&format!(
        "document.querySelector({days:?}).closest('details')?.setAttribute('open', '')"
    ));
    browser.click(days);
    browser.wait_for("return document.querySelector('[data-link]')");
    looked_at(browser, "shared-link");
    let link = browser.text("[data-link]");
    for (address, name) in
        [(trend.as_str().unwrap_or_default(), "trends"), (link.as_str(), "shared")]
    {
        browser.open(address);
        looked_at(browser, name);
        sound(browser, origin, name);
    }
    browser.open(&format!("{origin}/shares"));
    looked_at(browser, "shares");
    sound(browser, origin, "shares");
}
