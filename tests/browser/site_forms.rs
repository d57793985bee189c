//! Input in the forms of a plan is never lost: not by a button that is pressed at once, not by an answer that arrives
//! late, and not by a part that was moved meanwhile. An error links to its field.

use std::thread;
use std::time::Duration;

use fantoccini::key::Key;
use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::brunt::Target;
use crate::site::{Site, looked_at, sign_in, sound};
use crate::site_plans::{field, says, text, type_over};
use crate::visit;

const USERS: &str = "[\"run\",\"users\"]";
/// Longer than any key here takes to be pressed.
const SLOWLY: u32 = 1_500;

/// A site with the plan that gets one page, in which the part `run` is open.
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
        let target = Target::start();
        visit::prepare(&browser, &site.origin, &target.url(""), "");
        let opened = Self { browser, site, _target: target, _directory: directory };
        opened.open("[\"run\"]", "run");
        Some(opened)
    }

    /// Opens a part of the plan.
    fn open(&self, path: &str, heading: &str) {
        self.browser.wait_for("return document.querySelector('.outline li')");
        self.browser.click(&field(&format!("go {path}")));
        self.browser.wait_for(&format!(
            "return document.querySelector('.part h3').textContent === {}",
            json!(heading)
        ));
    }

    /// From now on the server takes its time to say what a change makes of the plan.
    fn slowly(&self) {
        self.browser.run(&format!(
            "const real = window.fetch; window.fetch = async (...asked) => {{ \
             if (asked[0] === '/api/v1/edit') await new Promise((go) => setTimeout(go, {SLOWLY})); \
             return real(...asked); }}"
        ));
    }

    /// Types over what stands in a field, and stays in it.
    fn types(&self, path: &str, words: &str) {
        self.browser.run(&format!(
            "const field = document.querySelector({}); field.focus(); field.select()",
            json!(field(path))
        ));
        words.chars().for_each(|character| self.browser.press(character));
    }

    fn saved_as(&self, revision: u32) {
        self.browser.wait_for(&format!(
            "return document.querySelector('.note').textContent.includes('Revision {revision},')"
        ));
    }

    fn focused(&self) -> String {
        let key = self.browser.run("return document.activeElement.dataset.key || ''");
        key.as_str().unwrap_or_default().to_owned()
    }
}

const SAVE: &str = "form[data-plan] .acts button.main";

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn what_was_typed_last_is_saved_and_run() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    opened.slowly();
    opened.types(USERS, "31");
    browser.click(SAVE);
    opened.saved_as(2);
    assert!(text(browser).contains("users = 31"), "{}", text(browser));
    // By a key, which leaves no field.
    opened.open("[\"run\"]", "run");
    opened.slowly();
    opened.types(USERS, "32");
    browser.run(&format!("document.querySelector({}).click()", json!(SAVE)));
    opened.saved_as(3);
    assert!(text(browser).contains("users = 32"), "{}", text(browser));
    // The saved plan is run: a user who has typed something since is asked.
    opened.open("[\"run\"]", "run");
    opened.slowly();
    browser.run("window.confirm = (words) => { window.asked = words; return window.sure; }");
    for (number, button) in ["#run button.main", "#find button.main"].into_iter().enumerate() {
        browser.run("window.asked = ''");
        opened.types(USERS, &format!("3{}", 3 + number));
        browser.click(button);
        let asked = browser.wait_for("return window.asked");
        assert!(asked.as_str().is_some_and(|words| words.contains("unsaved changes")), "{asked}");
    }
    says(browser, "users = 34");
    // A button that is pressed twice is pressed once.
    browser.run(
        "window.sure = true; document.getElementById('duration').value = '1s'; sessionStorage.sent = 0; \
         addEventListener('submit', (event) => { if (!event.defaultPrevented) sessionStorage.sent++; })",
    );
    opened.types(USERS, "35");
    browser.run("const run = document.querySelector('#run button.main'); run.click(); run.click()");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    assert_eq!(browser.run("return sessionStorage.sent"), json!("1"));
    sound(browser, &opened.site.origin, "typed last");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn what_is_typed_stays_while_its_part_is_moved() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    browser.run(
        "const text = document.getElementById('text'); \
         text.value += '\\n[[scenario.steps]]\\nname = \"gone\"\\ndelete = \"/\"\\n'; \
         text.dispatchEvent(new Event('input')); document.querySelector('[data-tab=form]').click()",
    );
    browser.wait_for("return document.querySelectorAll('.outline .level2').length === 3");
    opened.open("[\"scenario\",0,\"steps\",0]", "Step 1: page");
    opened.slowly();
    // Twice, before the first is answered: the same step is moved again.
    let down = json!(field("down [\"scenario\",0,\"steps\",0]"));
    browser
        .run(&format!("const down = document.querySelector({down}); down.click(); down.click()"));
    opened.types("[\"scenario\",0,\"steps\",0,\"get\"]", "/pge");
    browser.press(Key::Left);
    browser.press(Key::Left);
    browser.wait_for("return document.querySelector('.part h3').textContent === 'Step 3: page'");
    assert_eq!(opened.focused(), "[\"scenario\",0,\"steps\",2,\"get\"]");
    browser.press('a');
    assert_eq!(browser.run("return document.activeElement.value"), "/page");
    let order = ["pause = ", "delete = ", "get = "].map(|word| text(browser).find(word));
    assert!(order.is_sorted() && order[0].is_some(), "{}", text(browser));
    // The part is left by the keyboard, and the field with it.
    browser.press(Key::Tab);
    says(browser, "get = \"/page\"");
    // One that is taken away takes along what was typed there.
    browser.run("document.querySelector('.part .danger').click()");
    opened.types("[\"scenario\",0,\"steps\",2,\"get\"]", "/none");
    browser.wait_for("return !document.getElementById('text').value.includes('get = ')");
    browser.click(SAVE);
    opened.saved_as(2);
    assert!(!text(browser).contains("/none"), "{}", text(browser));
    sound(browser, &opened.site.origin, "moved");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn what_cannot_be_is_not_saved_before_it_is_changed() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    type_over(browser, &field(USERS), "many");
    let fault_is_shown =
        "return document.querySelector('[data-edited]').textContent.includes('no whole number')";
    browser.wait_for(fault_is_shown);
    // The error stays visible, at the field where it was typed, whatever else is opened.
    opened.open("[\"scenario\",0,\"steps\",0]", "Step 1: page");
    assert_eq!(browser.run(fault_is_shown), json!(true));
    for button in [SAVE, "#run button.main", "#find button.main"] {
        browser.click(&field("go [\"scenario\",0]"));
        browser.wait_for("return document.activeElement.dataset.key === 'heading'");
        browser.click(button);
        browser
            .wait_for(&format!("return document.activeElement.dataset.key === {}", json!(USERS)));
        assert_eq!(browser.run("return document.activeElement.value"), "many");
        assert_eq!(browser.run("return document.activeElement.ariaInvalid"), "true");
        assert_eq!(browser.run(fault_is_shown), json!(true));
    }
    looked_at(browser, "refused");
    opened.saved_as(1);
    opened.types(USERS, "12");
    browser.click(SAVE);
    opened.saved_as(2);
    assert!(text(browser).contains("users = 12"), "{}", text(browser));
    // Or it is taken back.
    opened.open("[\"run\"]", "run");
    type_over(browser, &field(USERS), "few");
    browser.wait_for(fault_is_shown);
    browser.click("[data-undo]");
    browser.wait_for("return document.querySelector('[data-edited]').textContent === ''");
    let shown = format!("return document.querySelector({}).value", json!(field(USERS)));
    assert_eq!(browser.run(&shown), "12");
    assert!(text(browser).contains("users = 12"), "{}", text(browser));
    sound(browser, &opened.site.origin, "refused");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn a_button_that_is_pressed_slowly_after_typing_is_pressed() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    opened.types(USERS, "21");
    let place = browser.run(&format!(
        "const box = document.querySelector({}).getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2]",
        json!(field("down [\"scenario\",0,\"steps\",0]"))
    ));
    let mouse = |kind: &str, buttons: u32| {
        let event = json!({
            "type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": buttons, "clickCount": 1,
        });
        browser.devtools("Input.dispatchMouseEvent", &event);
    };
    browser.run(
        "const real = window.fetch; \
         window.fetch = async (...asked) => { \
             const answer = await real(...asked); window.answered = true; return answer; }",
    );
    // The field is left as the button goes down, and the answer comes before it goes up.
    mouse("mousePressed", 1);
    browser.wait_for("return window.answered");
    thread::park_timeout(Duration::from_millis(300));
    mouse("mouseReleased", 0);
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('pause') < text.indexOf('get =')",
    );
    says(browser, "users = 21");
}

/// Writes a text in place of the plan's.
fn written(browser: &Browser, from: &str, to: &str) {
    browser.run(&format!(
        "const text = document.getElementById('text'); text.value = text.value.replace({}, {}); \
         text.dispatchEvent(new Event('input'))",
        json!(from),
        json!(to)
    ));
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn what_is_wrong_leads_to_its_field() {
    let Some(opened) = Opened::start() else { return };
    let browser = &opened.browser;
    browser.click("[data-tab=source]");
    written(browser, "500ms", "soon");
    let pause = "[\"scenario\",0,\"steps\",1,\"pause\"]";
    let link = format!("#checked [data-field='{pause}']");
    browser.wait_for(&format!("return document.querySelector({})", json!(link)));
    // By keys.
    browser.run(&format!("document.querySelector({}).focus()", json!(link)));
    browser.press(Key::Enter);
    browser.wait_for(&format!("return document.activeElement.dataset.key === {}", json!(pause)));
    assert_eq!(browser.run("return document.getElementById('source').hidden"), json!(true));
    // What the server has drawn leads there as well.
    browser.click(SAVE);
    opened.saved_as(2);
    looked_at(browser, "wrong");
    browser.click(&link);
    browser.wait_for(&format!("return document.activeElement.dataset.key === {}", json!(pause)));
    type_over(browser, &field(pause), "500ms");
    says(browser, "500ms");
    // What is missing leads to where it is added.
    browser.click("[data-tab=source]");
    written(browser, "duration = \"30s\"\n", "");
    browser.wait_for(
        "return document.querySelector('#checked [data-field=\\'[\"run\",\"duration\"]\\']')",
    );
    browser.click("#checked [data-field]");
    browser.wait_for("return document.activeElement.dataset.key === 'name [\"run\"]'");
    assert_eq!(browser.run("return document.activeElement.value"), "duration");
    sound(browser, &opened.site.origin, "wrong");
}
