//! A plan that is made on the website: imported, changed by its lines by mouse and by keyboard, with an error on the
//! way, and run. The changes appear in the text, and comments stay.

use fantoccini::key::Key;
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::visit;
use brunt_test_program::Target;

const COMMENT: &str = "# One page, asked for by users who wait a moment between two requests.";
/// The button that saves.
pub(crate) const SAVE: &str = ".save > button:not([name])";

/// The field of a key path.
pub(crate) fn field(path: &str) -> String {
    format!("[name='{path}']")
}

/// The button of a plan that does this.
pub(crate) fn button(act: &str) -> String {
    format!("button[name=do][value='{act}']")
}

pub(crate) fn text(browser: &Browser) -> String {
    browser
        .run("return document.getElementById('text').value")
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Waits until the text has this.
pub(crate) fn says(browser: &Browser, words: &str) {
    browser.wait_for(&format!(
        "const [text, changes] = ['text', 'changes'].map((id) => document.getElementById(id)); \
         return text && (text.value.includes({0}) || changes.textContent.includes({0}))",
        json!(words)
    ));
}

/// The browser reports only that the site refused a form, which is what was tried.
pub(crate) fn only_refused(browser: &Browser) {
    let errors = browser.console_errors();
    let others: Vec<&String> =
        errors.iter().filter(|error| !error.contains("status of 422")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// Opens the line that contains this.
pub(crate) fn open_line(browser: &Browser, css: &str) {
    browser.wait_for(&format!("return document.querySelector({})", json!(css)));
    browser.run(&format!(
        "for (let at = document.querySelector({}).closest('details'); at; at = at.parentElement.closest('details')) \
         at.open = true",
        json!(css)
    ));
}

/// Writes over what stands in a field, by keys, and leaves it.
pub(crate) fn type_over(browser: &Browser, css: &str, words: &str) {
    open_line(browser, css);
    browser.run(&format!(
        "const field = document.querySelector({}); field.focus(); field.select()",
        json!(css)
    ));
    words.chars().for_each(|character| browser.press(character));
    browser.press(Key::Tab);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_is_imported_and_edited_by_lines() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    imported(&browser, origin);
    built_by_mouse(&browser, origin);
    changed_by_keys(&browser);
    sound(&browser, origin, "editor");
    browser.click(SAVE);
    browser.wait_for("return document.querySelector('#state').textContent.includes('Revision 2')");
    let saved = text(&browser);
    assert!(saved.contains("/deep") && saved.contains("users = 25"), "{saved}");
    browser.click(&button("text"));
    browser.wait_for("return document.querySelector('#source')");
    looked_at(&browser, "source");
    sound(&browser, origin, "the end");
}

/// Pastes a command line, and drops a document.
fn imported(browser: &Browser, origin: &str) {
    // Pasted.
    browser.open(&format!("{origin}/plans/import"));
    looked_at(browser, "import");
    fill(browser, "#text", "curl -H 'Authorization: Bearer abcdef' http://127.0.0.1:1/pets");
    browser.click("form[data-import] button.main");
    browser
        .wait_for("return document.querySelector('.told') && document.querySelector('.steps li')");
    looked_at(browser, "imported");
    assert!(!browser.text("main").contains("abcdef"));
    // Dropped.
    browser.open(&format!("{origin}/plans/import"));
    browser.run(
        "const given = new DataTransfer(); \
         const document_ = JSON.stringify({ openapi: '3.0.0', info: { title: 'Pets', version: '1' }, \
         servers: [{ url: 'http://127.0.0.1:1' }], paths: { '/pets': { get: { responses: { 200: {} } } } } }); \
         given.items.add(new File([document_], 'pets.json')); \
         const drop = new DragEvent('drop', { dataTransfer: given, bubbles: true }); \
         document.querySelector('form[data-import]').dispatchEvent(drop)",
    );
    browser.wait_for(
        "return document.querySelector('[data-dropped]').textContent.includes('pets.json')",
    );
    browser.click("form[data-import] button.main");
    browser.wait_for("return document.querySelector('.steps li')");
    says(browser, "/pets");
}

/// The drawn load is half as high when its highest point is dragged half way down.
fn dragged(browser: &Browser) {
    browser.run(&format!(
        "window.before = Number(document.querySelector({}).value); \
         const hand = [...document.querySelectorAll('.hand')].find((one) => one.getClientRects().length); \
         const box = hand.getBoundingClientRect(); \
         const picture = hand.ownerSVGElement; \
         const scale = picture.getBoundingClientRect().height / picture.viewBox.baseVal.height; \
         const at = (kind, clientY) => \
           hand.dispatchEvent(new PointerEvent(kind, {{ bubbles: true, cancelable: true, clientY }})); \
         at('pointerdown', box.y); \
         at('pointermove', box.y + hand.dataset.height / 2 * scale); \
         at('pointerup', box.y)",
        json!(field("load.people.users"))
    ));
    let users = browser.wait_for(&format!(
        "const now = Number(document.querySelector({}).value); return now < window.before * 0.7 && now",
        json!(field("load.people.users"))
    ));
    says(browser, &format!("users = {users}"));
}

fn built_by_mouse(browser: &Browser, origin: &str) {
    visit::plan(browser, origin);
    browser.wait_for("return document.querySelector('.steps li')");
    looked_at(browser, "editor");
    dragged(browser);
    type_over(browser, &field("load.people.users"), "25");
    says(browser, "users = 25");
    // A setting that is added has a field.
    open_line(browser, &field("add:[\"run\"]"));
    browser.run(&format!(
        "const names = document.querySelector({}); names.value = 'warm-up'; \
         names.dispatchEvent(new Event('change', {{ bubbles: true }}))",
        json!(field("add:[\"run\"]"))
    ));
    says(browser, "warm-up = ");
    browser.wait_for(&format!(
        "return document.querySelector({})",
        json!(field("[\"run\",\"warm-up\"]"))
    ));
    looked_at(browser, "editor-open");
    let step = "[\"scenario\",0,\"steps\",0]";
    open_line(browser, &button(&format!("down:{step}")));
    browser.click(&button(&format!("down:{step}")));
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('pause') < text.indexOf('get =')",
    );
    assert!(text(browser).starts_with(COMMENT), "{}", text(browser));
    assert!(text(browser).contains("users = 25"), "{}", text(browser));
    browser.click(&button("undo"));
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('pause') > text.indexOf('get =')",
    );
    step_dragged(browser);
    // A pause that is added is at the end, and taken away again.
    browser.click(&button("pause:[\"scenario\",0]"));
    browser.wait_for("return document.querySelectorAll('.steps li').length === 3");
    browser.click(&button("remove:[\"scenario\",0,\"steps\",2]"));
    browser.wait_for("return document.querySelectorAll('.steps li').length === 2");
}

/// The first step is dragged below the second with a mouse, and back above it with a finger.
fn step_dragged(browser: &Browser) {
    let place = |css: &str| {
        let script = format!(
            "const box = document.querySelector({}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]",
            json!(css)
        );
        let at = browser.run(&script);
        [0, 1].map(|of| at[of].as_f64().expect("a place"))
    };
    let in_sight = || {
        let second = "document.querySelector('.steps li:nth-child(2)')";
        browser
            .run(&format!("{second}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"));
    };
    let order = |first: &str, second: &str| {
        browser.wait_for(&format!(
            "const text = document.getElementById('text').value; return text.indexOf({}) < text.indexOf({})",
            json!(first),
            json!(second)
        ));
    };
    in_sight();
    let [x, from] = place(".steps li:nth-child(1) .grip");
    let below = place(".steps li:nth-child(2)")[1] + 20.0;
    for (kind, y) in [("mousePressed", from), ("mouseMoved", below), ("mouseReleased", below)] {
        let at = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
        browser.devtools("Input.dispatchMouseEvent", &at);
    }
    order("pause", "get =");
    browser.wait_for("return document.querySelector('.steps li:nth-child(2) .grip')");
    in_sight();
    let above = place(".steps li:nth-child(1)")[1] - 20.0;
    let [x, from] = place(".steps li:nth-child(2) .grip");
    for (kind, y) in [("touchStart", from), ("touchMove", above), ("touchEnd", 0.0)] {
        let points = if kind == "touchEnd" { json!([]) } else { json!([{ "x": x, "y": y }]) };
        browser
            .devtools("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
    }
    order("get =", "pause");
}

fn changed_by_keys(browser: &Browser) {
    // By keyboard: the line of a step is opened by Enter, and its field is reached by Tab.
    let step = "[\"scenario\",0,\"steps\",0]";
    browser.run("document.querySelector('.steps summary').focus()");
    browser.press(Key::Enter);
    let wanted = format!("{}\"get\"]", step.trim_end_matches(']').to_owned() + ",");
    for _ in 0..20 {
        browser.press(Key::Tab);
        if browser.run("return document.activeElement.name") == json!(wanted) {
            break;
        }
    }
    "deep".chars().for_each(|character| browser.press(character));
    browser.press(Key::Tab);
    says(browser, "deep");
    type_over(browser, &field(&wanted), "/deep");
    says(browser, "get = \"/deep\"");
}

/// A plan of one's own, with an error on the way.
pub(crate) fn mends_and_runs_a_plan(browser: &Browser) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(browser, &site);
    let target = Target::start("rest");
    visit::prepare(browser, origin, &target.url(""), "");
    // Another load: visits that begin when they are due, and how many of them.
    browser.run("document.getElementById('shape-ramp').click()");
    says(browser, "stages = ");
    type_over(browser, &field("load.ramp.rate"), "40");
    type_over(browser, &field("load.ramp.ramp"), "1 s");
    type_over(browser, &field("load.ramp.hold"), "9");
    browser.wait_for("return document.querySelector('#faults .warning')");
    browser.click(SAVE);
    browser.wait_for("return document.querySelector('#faults .warning')");
    looked_at(browser, "plan-error");
    let output = browser.text("#faults");
    assert!(output.contains("9 what? Add a unit."), "{output}");
    assert!(browser.text("#state").starts_with("Revision 1,"));
    // It is still there after another page was seen, and the line at the top leads to the field.
    browser.run("delete document.querySelector('form[data-plan]').dataset.unsaved");
    browser.run("for (const form of document.forms) form.dataset.left = ''");
    browser.open(&format!("{origin}/targets"));
    browser.open(&format!("{origin}/plans/1"));
    browser.click("#faults a");
    assert_eq!(browser.run("return document.activeElement.name"), "load.ramp.hold");
    assert_eq!(browser.run("return document.activeElement.value"), "9");
    // What was likely meant is one button away.
    browser.click("button[name=fix][value$='=9 s']");
    says(browser, "stages = \"ramp 0..40 over 1s, 40/s for 9s\"");
    browser.wait_for("return document.querySelector('#checked .met')");
    // It is tried before it is run, and nothing is saved by that.
    browser.click("button[formaction$='/once']");
    browser.wait_for("return document.querySelector('#tried pre')");
    assert!(browser.text("#tried").contains("GET"), "{}", browser.text("#tried"));
    assert!(browser.text("#state").contains("changed and not saved"), "{}", browser.text("#state"));
    looked_at(browser, "plan-tried");
    browser.click("button[name=save]");
    browser.wait_for("return /^.(live|runs)./.test(location.pathname)");
    browser.wait_for("return location.pathname.startsWith('/runs/')");
    browser.open(&format!("{origin}/plans/1"));
    assert!(browser.text("#state").starts_with("Revision 2,"), "{}", browser.text("#state"));
    assert!(browser.text("#target").contains("Built in (last used)"));
    only_refused(browser);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn plan_is_written_corrected_and_run() {
    let Some(browser) = Browser::start() else { return };
    mends_and_runs_a_plan(&browser);
}
