//! The highest rate of a target, found through the website: requested in the form of a plan, watched, and read on its
//! page, whose figures are those of the record.

use std::path::Path;

use brunt_capacity::rate;
use brunt_record::{Collection, Document};
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::visit;
use brunt_test_program::{Target, brunt};

/// A site in which a tenth of a second counts as one.
fn start(directory: &Path) -> Site {
    Site::new(brunt("serve --listen 127.0.0.1:0 --search-second 100ms --dir").arg(directory))
}

/// Makes the plan that is searched with, whose target may get 200 exchanges a second.
fn prepare(browser: &Browser, origin: &str, base: &str) {
    visit::prepare(browser, origin, base, "200");
    // Held for four seconds, which are forty of these.
    browser.click("button[value=text]");
    browser.wait_for("return document.querySelector('#source')");
    browser.run(
        "const text = document.getElementById('text'); \
         text.value += '\\n[find-max]\\nconfirm = \"40s\"\\n'; \
         text.form.requestSubmit()",
    );
    browser.wait_for("return document.querySelector('#state').textContent.includes('Revision 2')");
}

/// Requests a search from 100/s on, and waits until it is running.
fn begin(browser: &Browser) {
    browser.run("document.getElementById('find-objectives').value = ''");
    fill(browser, "#find-objectives", "p90<2s");
    fill(browser, "#find-from", "100/s");
    browser.click("#find button.main");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    browser.wait_for(
        "return document.querySelector('[data-state]').textContent === 'searching' && \
         document.querySelector('.lead').textContent.startsWith('Testing')",
    );
}

/// The one record that a site has.
fn kept(site: &Path, id: &str) -> Collection {
    let path = site.join("runs").join(id).join("record.json.gz");
    match Document::read(&path) {
        Ok(Document::Collection(collection)) => *collection,
        other => panic!("{}: {other:?}", path.display()),
    }
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn find_max_in_the_browser_shows_its_record() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("site");
    let site = start(&at);
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start("rest");
    prepare(&browser, origin, &target.url(""));
    looked_at(&browser, "search-form");
    begin(&browser);
    browser.wait_for("return document.querySelectorAll('#steps-so-far tbody tr').length >= 2");
    looked_at(&browser, "search-live");
    // Each is waited for as long as a page may take.
    for steps in [4, 5] {
        browser.wait_for(&format!(
            "return document.querySelectorAll('#steps-so-far tbody tr').length >= {steps} || \
             location.pathname.startsWith('/runs/')"
        ));
    }
    browser.wait_for("return location.pathname.startsWith('/runs/')");
    let path = browser.run("return location.pathname");
    let id = path.as_str().and_then(|path| path.rsplit('/').next()).expect("an id").to_owned();
    let found = kept(&at, &id);
    // The ceiling of the target stopped it, or a busy generator; the page says what the record does.
    let floor = found.figures.get("floor").copied().expect("something was in the way");
    assert!(floor > 0.0 && floor <= 200.0, "{floor}");
    assert!(found.cells.iter().all(|cell| cell.figure("rate").is_none_or(|rate| rate <= 200.0)));
    let lead = browser.text(".lead");
    assert!(lead.starts_with(&format!("Sustains at least {}", rate(floor))), "{lead} for {floor}");
    let steps = browser.run(
        "return [...document.querySelectorAll('details')].find(it => it.textContent.includes('All steps')) \
         .querySelectorAll('tbody tr').length",
    );
    assert_eq!(steps, json!(found.cells.len()));
    let shown = browser.run("return document.querySelector('table.data tbody').textContent");
    // On a busy machine there may be more steps before it.
    let ramp = found.cells.iter().position(|cell| cell.label("kind") == Some("ramp"));
    let ramp = ramp.expect("rates were tried");
    let achieved = found.cells[ramp].figure("achieved").expect("it was held");
    let shown = shown.as_str().unwrap_or_default();
    assert!(shown.contains(&format!("{achieved:.1}")), "{shown} for {achieved}");
    looked_at(&browser, "search-page");
    sized(&browser);
    browser.click("#steps summary");
    let step = ramp + 1;
    browser.click(&format!("#steps li:nth-child({step}) a"));
    browser.wait_for("return window.brunt && brunt.charts().length > 1");
    let given = browser.text(".given");
    assert!(given.starts_with(&format!("Step {step}: ramp")), "{given}");
    looked_at(&browser, "search-step");
    sound(&browser, origin, "search");
    browser.open(&format!("{origin}/runs"));
    assert!(
        browser.text("table.runs").contains("sustains at least"),
        "{}",
        browser.text("table.runs")
    );
    looked_at(&browser, "search-list");
    // Another one is stopped by its button.
    browser.open(&format!("{origin}/plans/1"));
    begin(&browser);
    browser.click("form[action$='/stop'] button");
    browser.wait_for("return location.pathname.startsWith('/runs/')");
    let lead = browser.text(".lead");
    assert!(lead.starts_with("Interrupted before anything could be claimed"), "{lead}");
    sound(&browser, origin, "stopped");
}

/// The page of the limit, and the number of servers for a peak.
fn sized(browser: &Browser) {
    let page = browser.run("return location.href");
    browser.run("location.pathname += '/limit'");
    browser.wait_for("return document.querySelector('.limit .over svg')");
    looked_at(browser, "limit");
    browser.run("document.getElementById('peak').value = 'many'");
    browser.click(".limit form button");
    browser.wait_for("return document.querySelector('.limit .missed')");
    assert_eq!(browser.run("return document.getElementById('peak').value"), "many");
    browser.run("document.getElementById('peak').value = '10,000'");
    browser.click(".limit form button");
    browser.wait_for("return document.querySelector('.limit aside .lead')");
    assert!(browser.text(".limit aside").contains("servers for 10,000 a second"));
    browser.open(page.as_str().unwrap_or_default());
}
