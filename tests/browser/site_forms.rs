//! Input in the form of a plan is never lost: not by a button that is pressed at once, and not by a value that is
//! wrong. An error links to its field.

use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::site::{Site, looked_at, sign_in, sound};
use crate::site_plans::{SAVE, button, field, only_refused, open_line, says, text, type_over};
use crate::visit;
use brunt_test_program::Target;

const USERS: &str = "load.people.users";

/// A site with the plan that gets one page.
struct Opened {
    browser: Browser,
    site: Site,
    _target: Target,
    _directory: TempDir,
}

impl Opened {
    fn start() -> Option<Self> {
        let browser = Browser::start()?;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let site = Site::start(&directory.path().join("site"));
        sign_in(&browser, &site);
        let target = Target::start("rest");
        visit::prepare(&browser, &site.origin, &target.url(""), "");
        Some(Self { browser, site, _target: target, _directory: directory })
    }

    /// Types over what stands in a field, and stays in it.
    fn types(&self, name: &str, words: &str) {
        open_line(&self.browser, &field(name));
        self.browser.run(&format!(
            "const field = document.querySelector({}); field.focus(); field.select()",
            json!(field(name))
        ));
        words.chars().for_each(|character| self.browser.press(character));
    }

    fn saved_as(&self, revision: u32) {
        self.browser.wait_for(&format!(
            "return document.querySelector('#state').textContent.includes('Revision {revision},')"
        ));
    }
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_form_saves_and_runs_the_last_input() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    opened.types(USERS, "31");
    browser.click(SAVE);
    opened.saved_as(2);
    assert!(text(browser).contains("users = 31"), "{}", text(browser));
    // By a key, which leaves no field.
    opened.types(USERS, "32");
    browser.run(&format!("document.querySelector({}).click()", json!(SAVE)));
    opened.saved_as(3);
    assert!(text(browser).contains("users = 32"), "{}", text(browser));
    // The saved plan is run: a user who has typed something since is asked.
    browser.run("window.confirm = (words) => { window.asked = words; return window.sure; }");
    type_over(browser, &field(USERS), "33");
    says(browser, "users = 33");
    for button in ["button[data-saved]", "#find button.main"] {
        browser.run("window.asked = ''");
        browser.click(button);
        let requested = browser.wait_for("return window.asked");
        assert!(
            requested.as_str().is_some_and(|words| words.contains("unsaved changes")),
            "{requested}"
        );
    }
    // A button that is pressed twice is pressed once.
    browser.run(
        "document.getElementById('duration').value = '1s'; sessionStorage.sent = 0; \
         addEventListener('submit', (event) => { if (!event.defaultPrevented) sessionStorage.sent++; })",
    );
    browser
        .run("const run = document.querySelector('button[name=save]'); run.click(); run.click()");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    assert_eq!(browser.run("return sessionStorage.sent"), json!("1"));
    sound(browser, &opened.site.origin, "typed last");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_form_refuses_invalid_values_until_corrected() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    let seed = "[\"run\",\"users\"]";
    type_over(browser, &field(seed), "many");
    let is_shown =
        "return document.querySelector('#faults').textContent.includes('no whole number')";
    browser.wait_for(is_shown);
    for button in [SAVE, "button[name=save]"] {
        browser.click(button);
        browser.wait_for(is_shown);
        let shown = format!("return document.querySelector({}).value", json!(field(seed)));
        assert_eq!(browser.run(&shown), "many");
        let invalid = format!("return document.querySelector({}).ariaInvalid", json!(field(seed)));
        assert_eq!(browser.run(&invalid), "true");
    }
    looked_at(browser, "refused");
    opened.saved_as(1);
    type_over(browser, &field(seed), "12");
    says(browser, "users = 12");
    browser.click(SAVE);
    opened.saved_as(2);
    assert!(text(browser).contains("users = 12"), "{}", text(browser));
    // Or it is taken back.
    type_over(browser, &field(seed), "few");
    browser.wait_for(is_shown);
    browser.click(&button("undo"));
    browser.wait_for("return document.querySelector('#faults').textContent === ''");
    assert!(text(browser).contains("users = 12"), "{}", text(browser));
    only_refused(browser);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_errors_link_to_their_field() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    browser.click(&button("text"));
    browser.wait_for("return document.querySelector('#source')");
    browser.run(
        "const text = document.getElementById('text'); text.value = text.value.replace('500ms', 'soon'); \
         text.dispatchEvent(new Event('input'))",
    );
    browser.wait_for("return document.querySelector('#checked .missed')");
    browser.click(&button("form"));
    let pause = "[\"scenario\",0,\"steps\",1,\"pause\"]";
    browser.wait_for(&format!("return document.querySelector({})", json!(field(pause))));
    looked_at(browser, "wrong");
    browser.click("#checked a");
    assert_eq!(browser.run("return document.activeElement.name"), json!(pause));
    type_over(browser, &field(pause), "500ms");
    says(browser, "500ms");
    browser.wait_for("return document.querySelector('#checked .met')");
    sound(browser, &opened.site.origin, "wrong");
}
