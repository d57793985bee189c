//! The tree of groups on the page of a run: its rows are folded and unfolded by mouse and by keyboard, stay so when a
//! live page makes the table anew, and are all there on paper.

use std::fmt::Write as _;
use std::fs;

use fantoccini::key::Key;
use serde_json::json;

use crate::browser::{Browser, Look, Violation};
use brunt_test_program::{Target, brunt};

/// The groups of a visit, the groups of each, and the steps of each of these: 33 rows.
const GROUPS: usize = 3;
const PARTS: usize = 2;
const STEPS: usize = 4;
const ROWS: usize = GROUPS * (1 + PARTS * (1 + STEPS));

/// A plan with these groups, in which each step has a name of its own.
fn plan(base: &str) -> String {
    let mut text = format!(
        "[run]\nusers = 1\niterations = {{ shared = 2 }}\n\n[http]\nbase = \"{base}\"\n\n\
         [[scenario]]\nname = \"visit\"\n"
    );
    for group in 0..GROUPS {
        let part = |part: usize| {
            let step = |step| {
                format!("{{ name = \"step {group}.{part}.{step}\", get = \"/sleep?ms=0\" }}")
            };
            let steps: Vec<String> = (0..STEPS).map(step).collect();
            format!("{{ name = \"part {group}.{part}\", steps = [{}] }}", steps.join(", "))
        };
        let parts: Vec<String> = (0..PARTS).map(part).collect();
        let _ = write!(
            text,
            "\n[[scenario.steps]]\nname = \"group {group}\"\nsteps = [{}]\n",
            parts.join(", ")
        );
    }
    text
}

/// The names of the rows that can be seen.
fn seen(browser: &Browser) -> Vec<String> {
    let rows = browser.run(
        "return [...document.querySelectorAll('table.tree tbody tr')].filter((row) => row.getClientRects().length) \
           .map((row) => row.cells[0].textContent)",
    );
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

/// A script that finds the button of a row.
fn button(name: &str) -> String {
    format!(
        "[...document.querySelectorAll('.fold')].find((one) => one.textContent === {})",
        json!(name)
    )
}

fn press(browser: &Browser, label: &str) {
    browser.run(&format!(
        "[...document.querySelectorAll('#operations button')].find((one) => one.textContent === {}).click()",
        json!(label)
    ));
}

#[test]
fn groups_stay_folded_when_the_page_updates() {
    let Some(browser) = Browser::start() else { return };
    let (directory, target) = (tempfile::tempdir().expect("a directory"), Target::start("rest"));
    let at = |name: &str| directory.path().join(name);
    fs::write(at("plan.toml"), plan(&target.url(""))).expect("a plan");
    brunt("run --quiet --record").arg(at("run.json")).arg(at("plan.toml")).run().expect(0);
    brunt("report").arg(at("run.json")).arg("--html").arg(at("page.html")).run().expect(0);
    browser.open_file(&at("page.html"));
    browser.wait_for("return document.querySelector('.fold')");
    // A long table begins with the parts of its outermost rows.
    let outer: Vec<String> = (0..GROUPS)
        .flat_map(|group| {
            let parts = (0..PARTS).map(move |part| format!("part {group}.{part}"));
            std::iter::once(format!("group {group}")).chain(parts)
        })
        .collect();
    assert_eq!(seen(&browser), outer);
    let serious: Vec<Violation> =
        browser.violations().into_iter().filter(Violation::is_serious).collect();
    assert_eq!(serious, []);
    // By mouse: the steps of one part. By keyboard: a whole group, with what is open in it.
    browser.run(&format!("{}.click()", button("part 0.1")));
    assert_eq!(seen(&browser).len(), outer.len() + STEPS);
    assert_eq!(seen(&browser)[3], "step 0.1.0");
    assert_eq!(browser.run(&format!("return {}.ariaExpanded", button("part 0.1"))), "true");
    browser.run(&format!("{}.focus()", button("group 0")));
    browser.press(Key::Enter);
    assert_eq!(seen(&browser), [&outer[..1], &outer[1 + PARTS..]].concat());
    assert_eq!(browser.run(&format!("return {}.ariaExpanded", button("group 0"))), "false");
    // A live page replaces the table by a new one: what a reader folded stays folded.
    browser.run(
        "const copy = document.getElementById('operations').cloneNode(true); \
         copy.querySelectorAll('.fold').forEach((one) => one.replaceWith(one.textContent)); \
         copy.querySelectorAll('.tools').forEach((one) => one.remove()); \
         copy.querySelectorAll('table').forEach((table) => delete table.dataset.alive); \
         copy.querySelectorAll('tr.folded').forEach((row) => row.classList.remove('folded')); \
         window.before = document.querySelector('table.tree'); \
         brunt.sections({ operations: copy.innerHTML })",
    );
    browser.wait_for("return document.querySelector('table.tree') !== window.before");
    assert_eq!(seen(&browser), [&outer[..1], &outer[1 + PARTS..]].concat());
    // Unfolded again, it is as it was.
    browser.run(&format!("{}.click()", button("group 0")));
    assert_eq!(seen(&browser).len(), outer.len() + STEPS);
    press(&browser, "Unfold all");
    assert_eq!(seen(&browser).len(), ROWS);
    press(&browser, "Fold all");
    assert_eq!(seen(&browser).len(), GROUPS);
    browser.look(Look::Print);
    assert_eq!(seen(&browser).len(), ROWS, "on paper");
    assert_eq!(browser.console_errors(), [""; 0]);
}
