//! From the first page to a run, to its plan and to a comparison, only by keyboard: the focus is always seen, goes
//! through each page in the order in which it is read, and comes out of it again.

use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, sound};
use crate::site_home::{first_run, prepared, second_run};
use crate::site_keys::press;
use brunt_test_program::Target;

/// Elements of a page that can have the focus, at most.
const ELEMENTS_MAX: usize = 400;

/// Says what has the focus now: null at the end of the page, or what is wrong with it.
const STEP: &str = "\
    const now = document.activeElement; \
    const before = window.before ?? null; \
    window.before = now; \
    if (!now || now === document.body || (before && now.matches('.skip'))) return null; \
    const style = getComputedStyle(now); \
    const name = now.outerHTML.slice(0, 120); \
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) === 0) return 'not seen: ' + name; \
    const follows = Node.DOCUMENT_POSITION_FOLLOWING; \
    if (before && !(before.compareDocumentPosition(now) & follows)) return 'out of order: ' + name; \
    return ''";

/// Goes through the page that is open, from its beginning to its end.
fn goes_through(browser: &Browser, name: &str) {
    browser.reload();
    let mut found = Vec::new();
    for _ in 0..ELEMENTS_MAX {
        browser.press(fantoccini::key::Key::Tab);
        match browser.run(STEP) {
            serde_json::Value::Null => {
                assert_eq!(found, [""; 0], "{name}");
                return;
            }
            told if told == json!("") => {}
            told => found.push(told.as_str().unwrap_or_default().to_owned()),
        }
    }
    panic!("{name}: the focus does not come out of the page: {found:?}");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn home_run_plan_and_comparison_work_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    let target = Target::start("rest");
    prepared(&browser, &site, &target);
    first_run(&browser);
    second_run(&browser, origin);
    browser.open(origin);
    goes_through(&browser, "home");
    browser.open(origin);
    press(&browser, ".tests td small a[href^='/runs/']");
    browser.wait_for("return location.pathname.startsWith('/runs/') && brunt.charts().length");
    goes_through(&browser, "run");
    browser.reload();
    press(&browser, ".acts a[href^='/plans/']");
    browser.wait_for("return document.querySelector('#checked .met')");
    goes_through(&browser, "plan");
    browser.open(&format!("{origin}/tests/p1/runs"));
    // Both are chosen and compared.
    for key in ['j', 'x', 'j', 'x', 'c'] {
        browser.press(key);
    }
    browser.wait_for(
        "return location.pathname === '/compare' && document.querySelector('table.data')",
    );
    goes_through(&browser, "comparison");
    sound(&browser, origin, "by keys");
}
