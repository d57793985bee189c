//! The website, from its first start: a password is chosen, a token made, records are pushed, found, named, compared
//! and exported, by mouse and keyboard; it shows what the records contain.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_record::{Document, Record};
use brunt_test_program::{Program, Target, Trial, brunt, run};
use fantoccini::key::Key;
use serde_json::json;

use crate::browser::{Browser, Look, Violation};

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Site {
    running: Option<Program>,
    pub(crate) origin: String,
    pub(crate) link: String,
}

impl Site {
    pub(crate) fn start(directory: &Path) -> Self {
        Self::new(brunt("serve --listen 127.0.0.1:0 --dir").arg(directory))
    }

    /// A site that was started otherwise.
    pub(crate) fn new(trial: Trial) -> Self {
        let mut running = trial.start();
        let link = running.wait_for_url("serve: ");
        let origin = link.split("/welcome").next().expect("a part").to_owned();
        Self { running: Some(running), origin, link }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.interrupt();
            running.wait();
        }
    }
}

/// What every page of a site is held to.
pub(crate) fn sound(browser: &Browser, origin: &str, name: &str) {
    assert_eq!(browser.console_errors(), [""; 0], "{name}");
    let foreign: Vec<String> =
        browser.requests().into_iter().filter(|address| !address.starts_with(origin)).collect();
    assert_eq!(foreign, [""; 0], "{name}");
}

/// The page in every theme and size: nothing is wider than the screen, and nothing prevents a user from reading it.
pub(crate) fn looked_at(browser: &Browser, name: &str) {
    for look in [Look::Light, Look::Dark, Look::Phone] {
        browser.look(look);
        browser.screenshot(&format!("site-{name}-{look:?}").to_lowercase());
        let wide = browser.run("return document.documentElement.scrollWidth > innerWidth");
        assert_eq!(wide, json!(false), "{name} {look:?}");
        let serious: Vec<Violation> =
            browser.violations().into_iter().filter(Violation::is_serious).collect();
        assert_eq!(serious, [], "{name} {look:?}");
    }
    browser.look(Look::Light);
}

/// Stops the run whose page is open, and waits for what became of it. A run that is looked at must not end by itself:
/// its page would be left in the middle of a picture.
pub(crate) fn stop(browser: &Browser) {
    browser.click("form[action$='/stop'] button");
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
    );
}

pub(crate) fn fill(browser: &Browser, field: &str, text: &str) {
    browser.click(field);
    text.chars().for_each(|character| browser.press(character));
}

/// Chooses the password of the first administrator.
pub(crate) fn sign_in(browser: &Browser, site: &Site) {
    browser.open(&site.link);
    // The secret has left the address, so an address that was open does not load it again.
    browser.wait_for("return location.hash === '' && document.getElementById('link').value");
    fill(browser, "#password", PASSWORD);
    fill(browser, "#again", PASSWORD);
    browser.press(Key::Enter);
    browser.wait_for("return location.pathname === '/' && document.querySelector('.empty')");
}

fn record(directory: &Path, target: &Target, name: &str) -> (PathBuf, Record) {
    let path = directory.join(name);
    let words = "http -c 2 -z 3s -q 200 --quiet --slo p99<10s --record";
    brunt(words).arg(&path).arg(target.url("/")).run().expect(0);
    let Document::Record(record) = Document::read(&path).expect("a record") else {
        panic!("not one run")
    };
    (path, *record)
}

/// Makes a token that pushes, on the page of the account.
pub(crate) fn token(browser: &Browser, origin: &str) -> String {
    browser.open(&format!("{origin}/account"));
    fill(browser, "#name", "CI");
    browser.click("form[action='/account/tokens'] button.main");
    browser.wait_for("return document.querySelector('[data-copy]')");
    browser.text("[data-copy]")
}

/// Pushes a record; the exit code, and what is printed.
pub(crate) fn push(origin: &str, token: &Path, file: &Path, more: &[&str]) -> (i32, String) {
    let [token, file] = [token, file].map(|path| path.display().to_string());
    let words = ["push", file.as_str(), "--to", origin, "--token-file", token.as_str()];
    let ended = run([&words[..], more].concat());
    (ended.code(), ended.stdout)
}

/// The page of a comparison, whose runs are swapped.
fn compared(browser: &Browser) {
    // Both runs are short. The older one is the base, until they are swapped.
    let message = browser.text(".lead");
    assert!(message.contains("Too little was measured"), "{message}");
    assert!(browser.text(".pair .a").contains("the base"));
    looked_at(browser, "compare");
    let base = browser.text(".pair .a a");
    let first = "return document.querySelector('.pair .a a').href";
    let before = browser.run(first);
    browser.click(".pair a.button");
    browser.wait_for("return new URLSearchParams(location.search).has('base')");
    assert_eq!(browser.text(".pair .a a"), base);
    assert_ne!(browser.run(first), before);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn website_stores_finds_and_compares_runs() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    browser.open(&format!("{origin}/sign-in"));
    looked_at(&browser, "sign-in");
    sign_in(&browser, &site);
    looked_at(&browser, "empty");
    sound(&browser, origin, "empty");
    // A token for CI.
    let token_file = directory.path().join("token");
    fs::write(&token_file, token(&browser, origin)).unwrap();
    looked_at(&browser, "account");
    // Two runs of one load.
    let target = Target::start("rest");
    let (first, first_record) = record(directory.path(), &target, "first.json");
    let (second, _) = record(directory.path(), &target, "second.json");
    let push = |file: &Path, more: &[&str]| push(origin, &token_file, file, more);
    let (code, message) =
        push(&first, &["--tag", "nightly", "--commit", "4f2a91c", "--fail-on-regression"]);
    assert!(code == 0 && message.contains("baseline: none for this load"), "{message}");
    let (code, message) = push(&first, &[]);
    assert!(code == 0 && message.contains("already uploaded"), "{message}");
    // The page of the run says what the record does.
    let page = message.split_whitespace().next().expect("an address").to_owned();
    browser.open(&page);
    browser.wait_for("return window.brunt && brunt.charts().length");
    let shown = browser.text(".tiles");
    let achieved = first_record.rates.achieved.expect("a rate");
    assert!(shown.contains(&format!("{achieved:.1}")), "{shown} for {achieved}");
    assert!(browser.text(".said").contains("4f2a91c"));
    looked_at(&browser, "run");
    sound(&browser, origin, "run");
    browser.click("#about [name=baseline]");
    browser.click("#about button.main");
    browser.wait_for("return document.querySelector('.said').textContent.includes('baseline')");
    let (code, message) = push(&second, &["--fail-on-regression"]);
    assert!([0, 6].contains(&code) && message.contains("/compare?run="), "{code}: {message}");
    // Found by its tag, chosen and compared by keys.
    browser.open(&format!("{origin}/?tag=nightly"));
    assert_eq!(browser.run("return document.querySelectorAll('table.runs tbody tr').length"), 1);
    browser.open(&format!("{origin}/runs"));
    assert_eq!(browser.run("return document.querySelectorAll('table.runs tbody tr').length"), 2);
    for key in ['j', 'x', 'j', 'x'] {
        browser.press(key);
    }
    looked_at(&browser, "list");
    sound(&browser, origin, "list");
    browser.press('c');
    browser.wait_for(
        "return location.pathname === '/compare' && document.querySelector('table.data')",
    );
    compared(&browser);
    for path in ["/people", "/audit", "/settings", "/api"] {
        browser.open(&format!("{origin}{path}"));
        looked_at(&browser, &path[1..]);
    }
    assert!(browser.text("main").contains("openapi.json"));
    sound(&browser, origin, "the rest");
}
