//! What the other tests here rely on: an error on a page is noticed, and a page without one passes.

use std::fs;
use std::path::PathBuf;

use fantoccini::key::Key;
use serde_json::json;
use tempfile::TempDir;

use crate::browser::{Browser, Look, Violation};

const PLAIN: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Plain</title>\
                     <link rel=icon href=data:,><main><h1>Plain</h1><p>Nothing is wrong with it.</p></main></html>";

fn page(directory: &TempDir, text: &str) -> PathBuf {
    let path = directory.path().join("page.html");
    fs::write(&path, text).expect("the directory is there");
    path
}

fn rules(browser: &Browser) -> Vec<String> {
    browser.violations().into_iter().filter(Violation::is_serious).map(|one| one.rule).collect()
}

#[test]
fn plain_page_has_no_errors() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = page(&directory, PLAIN);
    browser.open_file(&path);
    assert_eq!(browser.text("h1"), "Plain");
    assert_eq!(browser.console_errors(), [""; 0]);
    assert_eq!(browser.requests(), [format!("file://{}", path.display())]);
    assert_eq!(rules(&browser), [""; 0]);
}

#[test]
fn page_errors_and_accessibility_faults_are_noticed() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pale = PLAIN.replace("<p>", "<p style='color:#ccc;background:#fff'>");
    browser.open_file(&page(&directory, &pale));
    assert_eq!(rules(&browser), ["color-contrast"]);
    let broken = PLAIN.replace("</main>", "</main><script>nothing.at.all()</script>");
    browser.open_file(&page(&directory, &broken));
    let errors = browser.console_errors();
    assert!(errors.len() == 1 && errors[0].contains("nothing is not defined"), "{errors:?}");
    // An error that was read is not returned again.
    assert_eq!(browser.console_errors(), [""; 0]);
    let reaching = "</main><img alt='' src=http://127.0.0.1:9/picture.png>";
    browser.requests();
    browser.open_file(&page(&directory, &PLAIN.replace("</main>", reaching)));
    let requests = browser.requests();
    assert!(requests.contains(&"http://127.0.0.1:9/picture.png".to_owned()), "{requests:?}");
    assert_eq!(browser.console_errors().len(), 1, "the picture is not there");
}

#[test]
fn themes_keys_and_tabs_reach_the_page() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let listening = "</main><script>keys = []; addEventListener('keydown', event => keys.push(event.key))</script>";
    browser.open_file(&page(&directory, &PLAIN.replace("</main>", listening)));
    let media = "return [innerWidth, devicePixelRatio, matchMedia('(prefers-color-scheme: dark)').matches, \
                 matchMedia('print').matches]";
    for (look, expected) in [
        (Look::Light, json!([1280, 1, false, false])),
        (Look::Dark, json!([1280, 1, true, false])),
        // A page that does not say how wide it is gets a telephone's usual 980.
        (Look::Phone, json!([980, 3, false, false])),
        (Look::Print, json!([1280, 1, false, true])),
    ] {
        browser.look(look);
        assert_eq!(browser.run(media), expected, "{look:?}");
    }
    browser.press('a');
    browser.press(Key::Escape);
    assert_eq!(browser.wait_for("return keys.length == 2 && keys"), json!(["a", "Escape"]));
    let picture = browser.screenshot("harness");
    assert_eq!(fs::read(picture).unwrap()[..4], *b"\x89PNG");
    browser.open_tab();
    assert_eq!(browser.run("return document.title"), "");
    browser.use_tab(0);
    browser.run(
        "document.querySelector('h1').onclick = event => event.target.textContent = 'Clicked'",
    );
    browser.click("h1");
    assert_eq!(browser.text("h1"), "Clicked");
}
