//! A plan that is built on the website: imported, changed by its forms by mouse and by keyboard, given a step of the
//! library. The changes of the forms appear in the text, and comments stay.

use fantoccini::key::Key;
use serde_json::json;

use crate::browser::Browser;
use crate::site::{Site, fill, looked_at, sign_in, sound};
use crate::visit;

const COMMENT: &str = "# One page, asked for by users who wait a moment between two requests.";

/// The field of a key path.
pub(crate) fn field(path: &str) -> String {
    format!("[data-key='{path}']")
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
        "return document.getElementById('text').value.includes({})",
        json!(words)
    ));
}

/// Writes over what stands in a field, by keys, and leaves it by Enter.
pub(crate) fn type_over(browser: &Browser, css: &str, words: &str) {
    browser.run(&format!(
        "const field = document.querySelector({}); field.focus(); field.select()",
        json!(css)
    ));
    words.chars().for_each(|character| browser.press(character));
    browser.press(Key::Enter);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn a_plan_is_imported_and_changed_by_forms() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    imported(&browser, origin);
    built_by_mouse(&browser, origin);
    moved_by_dragging(&browser);
    changed_by_keys(&browser);
    sound(&browser, origin, "builder");
    browser.click("form[data-plan] .acts button.main");
    browser.wait_for("return document.querySelector('.note').textContent.includes('Revision 2')");
    let saved = text(&browser);
    assert!(saved.contains("/deep") && saved.contains("users = 25"), "{saved}");
    browser.click("[data-tab=source]");
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
    browser.wait_for(
        "return document.querySelector('.told') && document.querySelector('.outline li')",
    );
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
    browser.wait_for("return document.querySelector('.outline li')");
    says(browser, "/pets");
}

fn built_by_mouse(browser: &Browser, origin: &str) {
    // Built by mouse.
    visit::plan(browser, origin);
    browser.wait_for("return document.querySelector('.outline li')");
    browser.click(&field("go [\"run\"]"));
    browser.wait_for("return document.querySelector('.part h3').textContent === 'run'");
    looked_at(browser, "builder");
    type_over(browser, &field("[\"run\",\"users\"]"), "25");
    says(browser, "users = 25");
    browser.run(&format!(
        "const names = document.querySelector({}); names.value = 'think'; names.dispatchEvent(new Event('change'))",
        json!(field("name [\"run\"]"))
    ));
    browser.click(".adding button");
    says(browser, "think = ");
    browser.click(&field("down [\"scenario\",0,\"steps\",0]"));
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('pause') < text.indexOf('get =')",
    );
    assert!(text(browser).starts_with(COMMENT), "{}", text(browser));
    browser.click("[data-undo]");
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('pause') > text.indexOf('get =')",
    );
}

/// Steps in the order of the text, by what they begin with.
fn order(browser: &Browser) -> Vec<String> {
    let text = text(browser);
    let mut found: Vec<(usize, &str)> = ["get = ", "pause = ", "delete = "]
        .iter()
        .filter_map(|word| Some((text.find(word)?, *word)))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, word)| word.to_owned()).collect()
}

/// A step is taken by its grip and let go elsewhere; Escape leaves it where it was.
fn moved_by_dragging(browser: &Browser) {
    let item = |step: usize| format!(".outline li[data-path='[\"scenario\",0,\"steps\",{step}]']");
    browser.run(
        "const text = document.getElementById('text'); \
         text.value += '\\n# The last.\\n[[scenario.steps]]\\nname = \"gone\"\\ndelete = \"/\"\\n'; \
         text.dispatchEvent(new Event('input')); document.querySelector('[data-tab=form]').click()",
    );
    browser.wait_for(&format!("return document.querySelector({})", json!(item(2))));
    assert_eq!(order(browser), ["get = ", "pause = ", "delete = "]);
    browser.drag(&format!("{} .grip", item(2)), &item(0), 0.1);
    says(browser, "delete");
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('delete =') < text.indexOf('get =')",
    );
    assert_eq!(order(browser), ["delete = ", "get = ", "pause = "]);
    // Its comment went with it, and the plan's stayed.
    let said = text(browser);
    assert!(
        said.starts_with(COMMENT) && said.find("# The last.") < said.find("delete ="),
        "{said}"
    );
    browser.wait_for(&format!("return document.querySelector({})", json!(item(2))));
    // Downwards, behind the last one.
    browser.drag(&format!("{} .grip", item(0)), &item(2), 0.9);
    browser.wait_for(
        "const text = document.getElementById('text').value; return text.indexOf('delete =') > text.indexOf('pause =')",
    );
    assert_eq!(order(browser), ["get = ", "pause = ", "delete = "]);
    browser.wait_for(&format!("return document.querySelector({})", json!(item(2))));
    // Within itself it stays where it is.
    let before = text(browser);
    browser.drag(&format!("{} .grip", item(1)), &item(1), 0.9);
    assert_eq!(text(browser), before);
    assert_eq!(
        browser.run("return document.querySelectorAll('.moving,.above,.below').length"),
        json!(0)
    );
    // Taken away again, by Undo.
    for order in ["delete =') < text.indexOf('get =", "delete =') > text.indexOf('pause ="] {
        browser.click("[data-undo]");
        browser.wait_for(&format!(
            "const text = document.getElementById('text').value; return text.indexOf('{order}')"
        ));
    }
    browser.run(
        "const text = document.getElementById('text'); text.value = text.value.split('\\n# The last.')[0]; \
         text.dispatchEvent(new Event('input')); document.querySelector('[data-tab=form]').click()",
    );
    browser.wait_for(&format!("return !document.querySelector({})", json!(item(2))));
}

fn changed_by_keys(browser: &Browser) {
    // By keyboard: to the step and its field only by Tab and Enter.
    browser.run(&format!(
        "document.querySelector({}).focus()",
        json!(field("go [\"scenario\",0,\"steps\",0]"))
    ));
    browser.press(Key::Enter);
    browser.wait_for("return document.activeElement.dataset.key === 'heading'");
    for _ in 0..20 {
        browser.press(Key::Tab);
        if browser.run("return document.activeElement.dataset.key")
            == json!("[\"scenario\",0,\"steps\",0,\"get\"]")
        {
            break;
        }
    }
    "/deep".chars().for_each(|character| browser.press(character));
    browser.press(Key::Enter);
    says(browser, "/deep");
    assert_eq!(
        browser.run("return document.activeElement.dataset.key"),
        json!("[\"scenario\",0,\"steps\",0,\"get\"]")
    );
    // An invalid value is reported, and changes nothing.
    let before = text(browser);
    browser.click(&field("go [\"run\"]"));
    browser.wait_for("return document.querySelector('.part h3').textContent === 'run'");
    type_over(browser, &field("[\"run\",\"users\"]"), "many");
    browser.wait_for(
        "return document.querySelector('[data-edited]').textContent.includes('no whole number')",
    );
    assert_eq!(text(browser), before);
    // It is not saved before that is changed or taken back.
    browser.click("form[data-plan] .acts button.main");
    browser.wait_for("return document.activeElement.ariaInvalid === 'true'");
    browser.click("[data-undo]");
    browser.wait_for("return document.querySelector('[data-edited]').textContent === ''");
    assert_eq!(text(browser), before);
}
