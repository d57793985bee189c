//! The common beginning of tests of a site's runs, made by its forms: a target that is listed, and the plan that gets
//! one page of it.

use crate::browser::Browser;
use crate::site::fill;

/// Lists a target that may get so many exchanges a second, or any number, and makes the plan that gets one page of it.
pub(crate) fn prepare(browser: &Browser, origin: &str, base: &str, rate: &str) {
    browser.open(&format!("{origin}/targets"));
    fill(browser, "#name", "Built in");
    fill(browser, "#allow", base.trim_start_matches("http://"));
    fill(browser, "#settings", &format!("BASE={base}"));
    fill(browser, "#rate", rate);
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('table.cards')");
    plan(browser, origin);
}

/// Makes the plan that gets one page.
pub(crate) fn plan(browser: &Browser, origin: &str) {
    browser.open(&format!("{origin}/plans"));
    fill(browser, "#name", "Visit");
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('#checked p')");
}
