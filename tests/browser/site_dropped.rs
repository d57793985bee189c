//! A directory of LoadGen's files that is dropped into the browser, as a file manager does, and changed by a form: the
//! resulting run has the report that `brunt loadgen` prints for a directory that was changed by hand.

use std::fs;
use std::path::Path;

use brunt_testbed::{loadgen_counts, loadgen_tree};
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::site_plans::{SAVE, field, open_line, says, type_over};
use brunt_test_program::{Target, brunt};

/// Writes a tree for a target into a directory, in which one task has this limit in milliseconds.
fn written(directory: &Path, target: &Target, limit: u32) {
    for (path, text) in loadgen_tree(&target.url("")) {
        let text = text.replace("{\"other\":4000}", &format!("{{\"other\":{limit}}}"));
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("a tree")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    // What file managers leave lying about is no part of it.
    fs::write(directory.join(".DS_Store"), "x").expect("a file");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn dropped_loadgen_directory_gives_the_report_of_loadgen() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (own, other) = (Target::start("rest"), Target::start("rest"));
    let printed = directory.path().join("printed");
    written(&printed, &own, 3_000);
    let job = printed.join("jobs/job.json");
    let printed = brunt("loadgen --config").arg(&job).run();
    let expected = loadgen_counts(&printed.stdout);
    assert!(
        expected.iter().any(|line| line.contains("other") && line.contains("3000ms")),
        "{expected:#?}"
    );
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let at = other.url("").trim_start_matches("http://").to_owned();
    browser.open(&format!("{origin}/targets"));
    fill(&browser, "#name", "api");
    fill(&browser, "#allow", &at);
    browser.run(&format!(
        "document.getElementById('settings').value = {}",
        json!(format!("BASE=http://{at}\nADMINUSERPASSWORD=password"))
    ));
    browser.click("#add button.main");
    browser.wait_for("return [...document.querySelectorAll('tbody th')].length > 0");
    // The directory itself, as a user drags it.
    let dropped = directory.path().join("LoadGen");
    written(&dropped, &other, 4_000);
    browser.open(&format!("{origin}/plans/import"));
    browser.drop_path(&dropped, "form[data-import]");
    browser.wait_for("return document.querySelector('[data-dropped]').textContent === '9 files'");
    looked_at(&browser, "dropped");
    browser.click("form[data-import] button.main");
    browser.wait_for("return document.querySelector('.steps li')");
    // The limit of a task, by its form.
    open_line(&browser, &field("add:[\"scenario\",0,\"steps\",3]"));
    let limit = field("[\"scenario\",0,\"steps\",3,\"threshold\"]");
    browser.wait_for(&format!("return document.querySelector({})", json!(limit)));
    type_over(&browser, &limit, "3s");
    says(&browser, "threshold = \"3s\"");
    browser.click(SAVE);
    browser.wait_for("return document.querySelector('main').textContent.includes('Revision 2')");
    // A job that ends with its iterations is given a time here.
    browser.wait_for("return document.querySelector('#checked p')");
    browser.run("document.querySelector('#run [name=duration]').value = '30s'");
    browser.click("button[name=save]");
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
    );
    sound(&browser, origin, "dropped");
    browser.run(
        "window.report = ''; fetch(location.pathname + '/loadgen').then(async answer => { \
           window.report = await answer.text(); })",
    );
    let report = browser.wait_for("return window.report");
    assert_eq!(loadgen_counts(report.as_str().expect("a text")), expected, "{report}");
}
