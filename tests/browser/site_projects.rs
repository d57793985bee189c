//! Projects by mouse and keyboard: one is added, and a test is moved to it.

use fantoccini::key::Key;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn project_is_added_and_test_moved_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    browser.open(&format!("{origin}/projects"));
    looked_at(&browser, "projects-none");
    fill(&browser, "#groups", "load-team");
    fill(&browser, "#name", "Directory");
    browser.press(Key::Enter);
    browser.wait_for("return location.pathname === '/projects/1'");
    looked_at(&browser, "project");
    browser.open(&format!("{origin}/plans"));
    fill(&browser, "#name", "Visit");
    browser.press(Key::Enter);
    browser.wait_for("return location.pathname === '/plans/1'");
    assert_eq!(browser.text("details.project summary"), "Seen by: everybody");
    browser.run("document.querySelector('details.project summary').focus()");
    browser.press(Key::Enter);
    browser.press(Key::Tab);
    // A choice takes the first letter of its words.
    browser.press('D');
    browser.press(Key::Tab);
    browser.press(Key::Enter);
    browser.wait_for(
        "return location.pathname === '/tests/p1' && \
         document.querySelector('details.project summary').textContent === 'Seen by: Directory'",
    );
    browser.click("details.project summary");
    looked_at(&browser, "project-of-test");
    browser.open(&format!("{origin}/projects"));
    let row = browser.text("table.cards tbody tr");
    assert!(row.contains("Directory") && row.contains("load-team") && row.contains('1'), "{row}");
    looked_at(&browser, "projects");
    sound(&browser, origin, "projects");
}
