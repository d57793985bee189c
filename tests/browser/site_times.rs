//! Times on the pages of the site: in the time zone of the browser, or in UTC for whoever chose that.

use std::fs;

use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, push, sign_in, sound, token};
use crate::virtual_runs::VirtualRun;

/// The time of the only run in the list, and what its title says.
fn shown(browser: &Browser, origin: &str) -> [String; 2] {
    browser.open(&format!("{origin}/runs"));
    let time = "document.querySelector('table.runs tbody time')";
    let told = browser.wait_for(&format!("return {time} && [{time}.textContent, {time}.title]"));
    [0, 1].map(|at| told[at].as_str().unwrap_or_default().to_owned())
}

/// Chooses how times are shown, on the page of the account.
fn choose(browser: &Browser, origin: &str, zone: &str) {
    browser.open(&format!("{origin}/account"));
    browser.run(&format!("document.querySelector('#times [name=zone][value={zone}]').click()"));
    browser.run("window.stayed = true");
    browser.click("#times form button");
    browser.wait_for("return !window.stayed && document.querySelector('#times form')");
    let chosen = "return document.querySelector('#times [name=zone]:checked').value";
    assert_eq!(browser.run(chosen), zone);
}

#[test]
fn times_are_local_unless_utc_is_chosen() {
    let Some(browser) = Browser::start() else { return };
    // Half an hour off, and already tomorrow when the run began.
    let zone = json!({ "timezoneId": "Asia/Kolkata" });
    browser.devtools("Emulation.setTimezoneOverride", &zone);
    let directory = tempfile::tempdir().expect("a directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let (file, secret) = (directory.path().join("run.json"), directory.path().join("token"));
    fs::write(&secret, token(&browser, origin)).expect("a token");
    let run = VirtualRun { path: "/", rate: "20", micros: 2_000, started: "2026-11-27T20:00:00Z" };
    run.record(&file);
    let (code, output) = push(origin, &secret, &file, &["--name", "Visit"]);
    assert_eq!(code, 0, "{output}");
    let is_local = |[text, title]: [String; 2]| {
        assert!(text.contains("28 Nov") && text.ends_with("01:30"), "{text}");
        assert_eq!(title, "2026-11-27 20:00:00 UTC");
    };
    is_local(shown(&browser, origin));
    assert!(
        browser.text("[data-zone]").contains("those of this browser"),
        "{}",
        browser.text("[data-zone]")
    );
    choose(&browser, origin, "utc");
    let [text, title] = shown(&browser, origin);
    assert!(text.contains("27 Nov") && text.ends_with("20:00 UTC"), "{text}");
    assert_eq!(title, "2026-11-27 20:00:00 UTC");
    assert_eq!(browser.text("[data-zone]"), "Times are in UTC.");
    // Until it is chosen otherwise again.
    choose(&browser, origin, "browser");
    is_local(shown(&browser, origin));
    sound(&browser, origin, "times");
}
