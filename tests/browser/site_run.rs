//! The page of a run on the site, as far as it is seen without scrolling.

use std::fs;

use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, push, sign_in, token};
use crate::virtual_runs::VirtualRun;

#[test]
fn run_page_shows_both_charts_without_scrolling() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let (file, secret) = (directory.path().join("run.json"), directory.path().join("token"));
    fs::write(&secret, token(&browser, origin)).expect("a token");
    let run = VirtualRun { path: "/", rate: "20", micros: 2_000, started: "2026-11-27T20:00:00Z" };
    run.record(&file);
    let (code, output) = push(origin, &secret, &file, &["--name", "Visit", "--tag", "nightly"]);
    assert_eq!(code, 0, "{output}");
    let metrics = json!({ "width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    browser.open(output.split_whitespace().next().expect("an address"));
    browser.wait_for("return window.brunt && brunt.charts().length > 1");
    browser.screenshot("site-run-1440");
    let ends = browser.run(
        "return ['rates', 'latencies'].map((id) => \
           document.querySelector(`#result [data-plot=${id}] canvas`).getBoundingClientRect().bottom)",
    );
    let ends = [0, 1].map(|at| ends[at].as_f64().expect("a place"));
    assert!(ends[0] < ends[1] && ends[1] <= 900.0, "{ends:?}");
    // The table behind a chart has the whole width, and leaves the title where it is.
    browser.click("#result [data-plot=rates] summary");
    let places = browser.wait_for(
        "const figure = document.querySelector('#result [data-plot=rates]'); \
         const table = figure.querySelector('.tools .scroll'); \
         const box = (one) => one.getBoundingClientRect(); \
         return table && [box(table).top - box(figure.querySelector('canvas')).bottom, \
           box(figure.querySelector('figcaption')).top - box(figure).top]",
    );
    assert!(places[0].as_f64().is_some_and(|below| below >= 0.0), "{places}");
    assert!(places[1].as_f64().is_some_and(|above| above < 30.0), "{places}");
}
