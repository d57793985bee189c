//! The website without a mouse: from the link that a first start prints to a run of the user's own, only by keyboard.

use fantoccini::key::Key;

use crate::browser::Browser;
use crate::site::{PASSWORD, Site, looked_at, sound};
use brunt_test_program::Target;

/// Elements of a page that are reached before one is lost.
const STEPS_MAX: usize = 120;

/// Goes on with Tab until this has the focus, which must be seen to have it.
pub(crate) fn tab_to(browser: &Browser, css: &str) {
    let is_there = format!("return document.activeElement.matches({css:?})");
    for _ in 0..STEPS_MAX {
        if browser.run(&is_there) == true {
            let seen = "const style = getComputedStyle(document.activeElement); \
                        return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0";
            assert_eq!(browser.run(seen), true, "nobody sees that {css} has the focus");
            return;
        }
        browser.press(Key::Tab);
    }
    panic!("{css} is not reached by Tab");
}

fn write(browser: &Browser, css: &str, text: &str) {
    tab_to(browser, css);
    text.chars().for_each(|character| browser.press(character));
}

pub(crate) fn press(browser: &Browser, css: &str) {
    tab_to(browser, css);
    browser.press(Key::Enter);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn first_start_to_first_run_works_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    let target = Target::start("rest");
    let base = target.url("");
    browser.open(&site.link);
    browser.wait_for("return location.hash === '' && document.getElementById('link').value");
    write(&browser, "#password", PASSWORD);
    write(&browser, "#again", PASSWORD);
    browser.press(Key::Enter);
    browser.wait_for("return location.pathname === '/' && document.querySelector('.empty')");
    // Whoever does not see the page skips what every page begins with.
    browser.press(Key::Tab);
    assert_eq!(browser.run("return document.activeElement.className"), "skip");
    press(&browser, "nav.places a[href='/targets']");
    browser.wait_for("return location.pathname === '/targets' && document.querySelector('#add')");
    write(&browser, "#name", "Built in");
    write(&browser, "#allow", base.trim_start_matches("http://"));
    write(&browser, "#settings", &format!("BASE={base}/openam/json"));
    press(&browser, "#add button.main");
    browser.wait_for("return document.querySelector('table.cards')");
    press(&browser, "nav.places a[href='/']");
    browser.wait_for("return location.pathname === '/' && document.querySelector('.head .b')");
    press(&browser, ".head a[href^='/plans']");
    browser.wait_for("return location.pathname === '/plans' && document.querySelector('#add')");
    write(&browser, "#name", "By keys");
    tab_to(&browser, "#template");
    browser.press(Key::Down);
    browser.press(Key::Down);
    press(&browser, "#add button.main");
    browser.wait_for("return document.querySelector('#checked .met')");
    // The text does not hold the focus.
    press(&browser, "button[value=text]");
    tab_to(&browser, "#text");
    write(&browser, "#duration", "2s");
    press(&browser, "button[name=save]");
    browser.wait_for("return location.pathname.startsWith('/live/')");
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
    );
    assert!(browser.text(".lead").contains("None of"), "{}", browser.text(".lead"));
    // It is named, found and read again.
    press(&browser, "a[href='#about']");
    write(&browser, "#about #name", "Named by keys");
    press(&browser, "#about button.main");
    browser.wait_for("return document.querySelector('.given')");
    browser.open(&format!("{origin}/runs"));
    browser.press('/');
    "named".chars().for_each(|character| browser.press(character));
    browser.press(Key::Enter);
    browser.wait_for("return new URLSearchParams(location.search).get('q') === 'named'");
    browser.press('j');
    looked_at(&browser, "keys");
    browser.press(Key::Enter);
    browser.wait_for("return location.pathname.startsWith('/runs/')");
    sound(&browser, origin, "by keys");
}
