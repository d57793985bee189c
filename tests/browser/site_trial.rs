//! From the address that `brunt serve --trial` prints to a first run that can be trusted, by mouse. This test also
//! makes the picture in README.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_test_program::brunt;
use brunt_testbed::inconclusive;

use crate::browser::{Browser, Look};
use crate::site::{Site, looked_at, sound, stop};

/// The picture in README.
const PICTURE: &str = "docs/images/trial.webp";
/// What loads at once wherever README is read.
const PICTURE_MAX: u64 = 150 << 10;
/// Runs after which a machine is too busy for a figure that can be trusted.
const TRIES: usize = 5;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Keeps the upper part of the page, if it was asked for.
fn pictured(browser: &Browser) {
    if std::env::var_os("BRUNT_BLESS").is_none() {
        return;
    }
    browser.look(Look::Light);
    let path = browser.screenshot_of("trial", 1280.0, 1180.0);
    fs::copy(path, root().join(PICTURE)).expect("the picture is kept");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn trial_leads_to_a_first_valid_run() {
    let Some(browser) = Browser::start() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let serve = brunt("serve --trial --listen 127.0.0.1:0");
    let site = Site::new(serve.env("XDG_RUNTIME_DIR", scratch.path()));
    let origin = site.origin.as_str();
    // The address is all that is needed.
    browser.open(&site.link);
    browser.wait_for("return location.pathname === '/' && document.querySelector('.choice')");
    assert!(browser.text(".trial").contains("removed when the trial ends"));
    looked_at(&browser, "trial");
    sound(&browser, origin, "trial");
    // What it opens is used up.
    browser.open(&format!("{origin}/welcome"));
    looked_at(&browser, "trial-gate");
    for number in 0..TRIES {
        browser.open(origin);
        if number == 0 {
            browser.click(".choice a");
        } else {
            browser.open(&format!("{origin}/plans/1#run"));
            browser.run("document.getElementById('duration').value = '6s'");
        }
        browser.wait_for("return document.querySelector('#checked .met')");
        if number == 0 {
            looked_at(&browser, "trial-plan");
            browser.run("document.getElementById('duration').value = '10m'");
        }
        browser.click("button[name=save]");
        browser.wait_for("return location.pathname.startsWith('/live/')");
        browser.wait_for("return window.brunt && brunt.charts().length > 1");
        if number == 0 {
            looked_at(&browser, "trial-live");
            stop(&browser);
        }
        browser.wait_for(
            "return location.pathname.startsWith('/runs/') && window.brunt && brunt.charts().length",
        );
        assert!(browser.text(".lead").contains("None of"), "{}", browser.text(".lead"));
        let is_valid = browser.text(".lead").contains("Passed");
        if !is_valid && number + 1 < TRIES {
            continue;
        }
        looked_at(&browser, "trial-run");
        sound(&browser, origin, "trial-run");
        if is_valid {
            pictured(&browser);
        } else {
            inconclusive(&format!("this machine was too late for all {TRIES} runs"));
        }
        return;
    }
}

#[test]
fn readme_screenshot_exists_and_is_small() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(readme.contains(PICTURE), "README.md does not show {PICTURE}");
    let length = fs::metadata(root().join(Path::new(PICTURE))).expect("the picture").len();
    assert!(length < PICTURE_MAX, "{length} bytes");
}
