//! Text that was typed and not sent: leaving its page asks, sending it does not, and an error keeps it at its field.

use fantoccini::key::Key;
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in};
use crate::site_plans::text;
use crate::visit;
use brunt_test_program::Target;

/// Whether leaving the page would ask.
const ASKS: &str = "const leaves = new Event('beforeunload', { cancelable: true }); dispatchEvent(leaves); \
                    return leaves.defaultPrevented";

/// Remembers whether the page asked when it was left.
fn watch(browser: &Browser) {
    browser.run(
        "sessionStorage.asked = 'not left'; \
         addEventListener('beforeunload', (event) => { sessionStorage.asked = event.defaultPrevented; })",
    );
}

fn requested(browser: &Browser) -> String {
    browser.run("return sessionStorage.asked").as_str().unwrap_or_default().to_owned()
}

/// Types over what stands in a field.
fn retype(browser: &Browser, css: &str, words: &str) {
    let field = json!(css);
    browser.run(&format!(
        "document.querySelector({field}).focus(); document.querySelector({field}).select()"
    ));
    words.chars().for_each(|character| browser.press(character));
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn unsaved_input_is_protected_and_errors_stay_at_their_field() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    browser.open(&format!("{origin}/targets"));
    let asks = || browser.run(ASKS) == json!(true);
    assert!(!asks());
    fill(&browser, "#name", "Staging");
    assert!(asks());
    (0.."Staging".len()).for_each(|_| browser.press(Key::Backspace));
    assert!(!asks(), "it is as it was");
    fill(&browser, "#name", "Staging");
    fill(&browser, "#allow", "nowhere");
    watch(&browser);
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('#allow-fault')");
    assert_eq!(requested(&browser), "false", "sending asks nothing");
    assert_eq!(browser.run("return document.activeElement.id"), "allow");
    assert_eq!(browser.run("return document.querySelector('#name').value"), "Staging");
    assert!(browser.text("#allow-fault").contains("'nowhere' is not a network"));
    assert_eq!(
        browser.run("return document.querySelectorAll('nav.places a').length > 3"),
        json!(true)
    );
    assert!(asks(), "it is still not saved");
    looked_at(&browser, "form-error");
    retype(&browser, "#allow", "127.0.0.1:1");
    watch(&browser);
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('table.cards')");
    assert_eq!(requested(&browser), "false");
    assert!(!asks());
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_save_and_run_button_leaves_nothing_unsaved() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let target = Target::start("rest");
    visit::prepare(&browser, origin, &target.url(""), "");
    let asks = || browser.run(ASKS) == json!(true);
    assert!(!asks(), "the forms of a plan are no input");
    browser.click("button[value=text]");
    browser.wait_for("return document.querySelector('#source')");
    browser.run(
        "const text = document.getElementById('text'); text.value += '# a line of mine\\n'; \
         text.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    assert!(asks());
    fill(&browser, "#duration", "never");
    watch(&browser);
    browser.click("button[name=save]");
    browser.wait_for("return document.querySelector('#duration-fault')");
    assert_eq!(requested(&browser), "false");
    looked_at(&browser, "plan-error");
    assert!(browser.text("main").contains("Revision 2,"), "{}", browser.text("main"));
    assert!(browser.text("#duration-fault").starts_with("The plan is saved."));
    assert_eq!(browser.run("return document.querySelector('#duration').value"), "never");
    retype(&browser, "#duration", "1s");
    browser.click("button[name=save]");
    browser.wait_for("return /^.(live|runs)./.test(location.pathname)");
    browser.open(&format!("{origin}/plans/1"));
    assert!(text(&browser).contains("# a line of mine"), "{}", text(&browser));
}
