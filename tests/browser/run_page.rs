//! The page of a real run: it shows the record's figures, needs no network, and can be used with the keyboard, on
//! paper, on a phone and without scripts.

use std::path::PathBuf;

use brunt_record::{Document, Latency, Record};
use brunt_test_program::brunt;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::{Browser, Look, Violation};

/// A page, and the record it was made of: users who sign in, read and sign out, with several operations.
struct Shown {
    browser: Browser,
    record: Record,
    path: PathBuf,
    _directory: TempDir,
}

/// Runs, makes the page and opens it.
fn shown() -> Option<Shown> {
    let browser = Browser::start()?;
    let directory = tempfile::tempdir().expect("a temporary directory");
    for words in
        ["quickstart rest --duration 3s --output runs", "report runs/login.json --html page.html"]
    {
        brunt(words).within(directory.path()).run().expect(0);
    }
    let path = directory.path().join("page.html");
    let document = Document::read(&directory.path().join("runs/login.json"));
    let Document::Record(record) = document.expect("a record") else { panic!("not a record") };
    browser.open_file(&path);
    browser.wait_for("return brunt.charts().length");
    Some(Shown { browser, record: *record, path, _directory: directory })
}

/// A figure as it is shown, whatever stands around it.
fn number(text: &str) -> f64 {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("{text:?} is no figure"))
}

fn millis(latency: &Latency, quantile: f64) -> f64 {
    let histogram = latency.histogram().expect("a histogram");
    histogram.quantile(quantile).expect("a value").as_secs_f64() * 1e3
}

/// The cell of a table: of the row that begins with this name, under this title.
fn cell(browser: &Browser, caption: &str, first: &str, title: &str) -> f64 {
    let script = format!(
        "const table = [...document.querySelectorAll('table.data')]
           .find(one => one.caption.textContent.startsWith({caption:?}));
         const place = [...table.tHead.rows[0].cells].findIndex(one => one.textContent.trim() === {title:?});
         const row = [...table.tBodies[0].rows].find(one => one.cells[0].textContent === {first:?});
         return row.cells[place].textContent"
    );
    number(browser.run(&script).as_str().unwrap_or_default())
}

fn tile(browser: &Browser, key: &str) -> f64 {
    let script = format!("return document.querySelector('[data-figure={key}]').firstChild.data");
    number(browser.run(&script).as_str().unwrap_or_default())
}

fn figures(browser: &Browser, record: &Record) {
    let all = record.response.as_ref().expect("several operations");
    let operation = &record.operations[0];
    let name = operation.name.as_str();
    let (operations, outcomes) = ("Operations", "Outcomes");
    let part = &record.parts[0];
    let lag = "Waiting on our side";
    let rates = &record.rates;
    let achieved = rates.iterations.map_or(rates.achieved, |of| of.achieved);
    // The figures at the top have three digits.
    for (key, expected) in [("p50", millis(all, 0.5)), ("p99", millis(all, 0.99))] {
        let shown = tile(browser, key);
        assert!((shown - expected).abs() <= 0.0051 * expected, "{shown} for {expected}");
    }
    for (shown, expected) in [
        (tile(browser, "achieved"), achieved.expect("a rate")),
        (cell(browser, operations, name, &record.plan.noun.many), operation.counts.sent as f64),
        (
            cell(browser, operations, name, "mean"),
            operation.response.mean_us.expect("a mean") / 1e3,
        ),
        (cell(browser, operations, name, "p99.9"), millis(&operation.response, 0.999)),
        (cell(browser, outcomes, name, "count"), operation.codes[0].count as f64),
        (cell(browser, "Parts", &part.name, "count"), part.took.count as f64),
        (cell(browser, lag, "lag", "p99"), millis(&record.lag, 0.99)),
    ] {
        assert!(
            (shown - expected).abs() <= 0.051_f64.min(0.0006 * expected.max(1.0)).max(0.0006),
            "{shown} for {expected}"
        );
    }
}

const SCALES: &str = "return brunt.charts().filter(one => one.id !== 'spectrum')
                      .map(one => [one.chart.scales.x.min, one.chart.scales.x.max])";

/// From and to of every chart over time, which are the same in all.
fn reach(browser: &Browser) -> (f64, f64) {
    let scales = browser.run(SCALES);
    let scales = scales.as_array().expect("charts");
    assert!(scales.len() > 2 && scales.iter().all(|one| one == &scales[0]), "{scales:?}");
    (scales[0][0].as_f64().expect("a number"), scales[0][1].as_f64().expect("a number"))
}

/// Waits until the charts show more or less than they did.
fn other_reach(browser: &Browser, before: (f64, f64)) -> (f64, f64) {
    let (from, to) = before;
    browser.wait_for(&format!(
        "const all = (() => {{ {SCALES} }})();
         return all.every(one => one[0] === all[0][0] && one[1] === all[0][1])
           && (all[0][0] !== {from} || all[0][1] !== {to})"
    ));
    reach(browser)
}

fn keys_and_zoom(browser: &Browser) {
    let whole = reach(browser);
    browser.run("document.querySelector('[data-plot=rates] .canvas').focus()");
    browser.press(Key::Right);
    browser.press(Key::Right);
    let at = browser.wait_for("return document.querySelector('[data-plot=rates] .at').textContent");
    assert_eq!(
        browser
            .run("return document.querySelector('[data-plot=heat] .at').textContent.split(':')[0]"),
        at
    );
    let output =
        browser.run("return document.querySelector('[data-plot=rates] [aria-live]').textContent");
    assert!(output.as_str().is_some_and(|output| output.contains("achieved")), "{output}");
    let figures =
        "return [...document.querySelectorAll('[data-figure]')].map(one => one.firstChild.data)";
    let all = browser.run(figures);
    browser.press('+');
    let closer = other_reach(browser, whole);
    assert!(closer.1 - closer.0 < whole.1 - whole.0);
    part_of_the_run(browser);
    browser.press('0');
    assert_eq!(other_reach(browser, closer), whole);
    browser.wait_for("return !document.querySelector('.window')");
    assert_eq!(browser.run(figures), all);
    // A mouse that is drawn over the chart.
    browser.run(
        "const over = document.querySelector('[data-plot=latencies] .u-over');
         const box = over.getBoundingClientRect();
         const send = (kind, target, share) => target.dispatchEvent(new MouseEvent(kind, {
           bubbles: true, button: 0, view: window, movementX: 9,
           clientX: box.left + share * box.width, clientY: box.top + box.height / 2}));
         send('mousemove', over, 0.3); send('mousedown', over, 0.3); send('mousemove', over, 0.6);
         send('mouseup', document, 0.6)",
    );
    let drawn = other_reach(browser, whole);
    assert!(drawn.0 > whole.0 && drawn.1 < whole.1, "{drawn:?} of {whole:?}");
    browser.press(Key::Escape);
    assert_eq!(other_reach(browser, drawn), whole);
}

/// While the charts show a part of the run, so do the figures: they follow from the rows of that part.
fn part_of_the_run(browser: &Browser) {
    browser.wait_for("return document.querySelector('.window tbody tr')");
    let told = browser.run(
        "const view = JSON.parse(document.getElementById('view').textContent);
         const scale = brunt.charts()[0].chart.scales.x;
         const rows = view.rows.filter(row => row.t + row.d / 2 >= scale.min && row.t + row.d / 2 <= scale.max);
         const place = view.columns.findIndex(one => one.key === 'achieved');
         const seconds = rows.reduce((sum, row) => sum + row.d, 0);
         const expected = rows.reduce((sum, row) => sum + row.v[place] * row.d, 0) / seconds;
         const p99 = view.columns.findIndex(one => one.key === 'p99');
         const most = Math.max(...rows.map(row => row.v[p99]));
         return [rows.length < view.rows.length, expected,
           Number(document.querySelector('.window tbody td').textContent),
           Number(document.querySelector('[data-figure=achieved]').firstChild.data),
           most, Number(document.querySelector('[data-figure=p99]').firstChild.data)]",
    );
    let figure = |at: usize| told[at].as_f64().unwrap_or_else(|| panic!("{told}"));
    assert_eq!(told[0], json!(true), "{told}");
    for shown in [figure(2), figure(3)] {
        assert!((shown - figure(1)).abs() <= 6e-3 * figure(1), "{told}");
    }
    // The p99 of the part is at most the highest of its rows, to the width of a class.
    assert!(figure(5) > 0.0 && figure(5) <= 1.25 * figure(4), "{told}");
}

fn sorting(browser: &Browser) {
    let script = "const table = document.querySelector('#operations table');
                  const rows = [...table.tBodies[0].rows].map(one => one.cells[0].textContent);
                  const sent = [...table.tBodies[0].rows].filter(one => !one.matches('.beside'))
                    .map(one => Number(one.cells[1].textContent.replaceAll(',', '')));
                  return {rows, sent, sort: table.tHead.rows[0].cells[1].ariaSort}";
    let before = browser.run(script);
    browser.run("document.querySelectorAll('#operations thead .sort')[1].focus()");
    browser.press(Key::Enter);
    let after =
        browser.wait_for(&format!("const now = (() => {{ {script} }})(); return now.sort && now"));
    assert_eq!(after["sort"], "descending");
    let sent: Vec<f64> =
        after["sent"].as_array().expect("rows").iter().filter_map(Value::as_f64).collect();
    assert!(sent.windows(2).all(|pair| pair[0] >= pair[1]) && sent.len() > 2, "{sent:?}");
    let rows = after["rows"].as_array().expect("rows");
    // What is beside an operation goes with it.
    let is_service = |row: &Value| row == "service";
    assert_eq!(rows.len(), before["rows"].as_array().expect("rows").len());
    assert!(
        !is_service(&rows[0])
            && rows.windows(2).all(|pair| !(is_service(&pair[0]) && is_service(&pair[1]))),
        "{rows:?}"
    );
}

fn behind_the_charts(browser: &Browser, record: &Record) {
    browser.run("document.querySelector('[data-plot=rates] summary').click()");
    let rows =
        browser.wait_for("return document.querySelectorAll('[data-plot=rates] tbody tr').length");
    assert_eq!(rows, record.series.len());
    browser.run("document.querySelector('[data-choice] select').selectedIndex = 1");
    browser
        .run("document.querySelector('[data-choice] select').dispatchEvent(new Event('change'))");
    let name = &record.operations[0].name;
    assert_eq!(browser.text("[data-choice] option:checked"), *name);
    // The rates of one operation: what ended of it in each step.
    let shown = browser.run("return brunt.charts()[0].chart.data[1]");
    let steps = record.series.iter().zip(shown.as_array().expect("a line"));
    let mut compared = 0;
    for (step, shown) in steps {
        let seconds = step.to_s - step.from_s;
        // A step of no length has no rate.
        let Some(shown) = shown.as_f64().filter(|_| seconds > 0.0) else { continue };
        let expected = step.operations[0].counts.completed() as f64 / seconds;
        assert!((shown - expected).abs() <= 0.0006 * expected.max(1.0), "{shown} for {expected}");
        compared += 1;
    }
    assert!(compared >= 3, "{shown}");
    // So is the map: the counts behind it are those of the operation.
    browser.run("document.querySelector('[data-plot=heat] summary').click()");
    let counted = browser.wait_for(
        "const table = document.querySelector('[data-plot=heat] table');
         return table && [...table.tBodies[0].rows].flatMap(row => [...row.cells].slice(3))
           .reduce((sum, cell) => sum + Number(cell.textContent.replaceAll(',', '')), 0)",
    );
    let ended: u64 = record.series.iter().map(|step| step.operations[0].response.count).sum();
    assert_eq!(counted.as_f64(), Some(ended as f64));
}

/// A live page receives rows one after the other, and then texts: the charts are the same.
fn rows_that_come_later(browser: &Browser) {
    let drawn = "return JSON.stringify(brunt.charts().map(one => [one.id, one.chart.data]))";
    browser.run(
        "window.whole = JSON.parse(document.getElementById('view').textContent); brunt.show(whole)",
    );
    let whole = browser.run(drawn);
    browser.run(
        "window.whole = JSON.parse(document.getElementById('view').textContent);
         brunt.show({...whole, over: false, rows: [], spans: []});
         whole.rows.forEach(row => brunt.append(row));",
    );
    browser.wait_for(&format!("return (() => {{ {drawn} }})() === {whole}"));
    browser.run("brunt.sections({top: '<h1>Another</h1>'})");
    assert_eq!(browser.text("#top"), "Another");
}

fn serious(browser: &Browser) -> Vec<Violation> {
    browser.violations().into_iter().filter(Violation::is_serious).collect()
}

#[test]
fn run_page_shows_the_figures_and_works_by_keyboard() {
    let Some(shown) = shown() else { return };
    let Shown { browser, record, path, .. } = &shown;
    figures(browser, record);
    assert_eq!(serious(browser), []);
    keys_and_zoom(browser);
    sorting(browser);
    behind_the_charts(browser, record);
    rows_that_come_later(browser);
    assert_eq!(browser.console_errors(), [""; 0]);
    assert_eq!(browser.requests(), [format!("file://{}", path.display())]);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn run_page_fits_every_screen_and_theme() {
    let Some(shown) = shown() else { return };
    let Shown { browser, path, .. } = &shown;
    for look in [Look::Light, Look::Dark, Look::Phone, Look::Print] {
        browser.look(look);
        browser.open_file(path);
        browser.wait_for("return brunt.charts().length");
        let name = format!("run-{look:?}").to_lowercase();
        browser.screenshot(&name);
        assert_eq!(
            browser.run("return document.documentElement.scrollWidth > innerWidth"),
            json!(false),
            "{name}"
        );
        assert_eq!(serious(browser), [], "{name}");
        let is_paper = look == Look::Print;
        for (part, there) in [(".still svg", is_paper), (".drawn canvas", !is_paper)] {
            let script =
                format!("return document.querySelector('{part}').getClientRects().length > 0");
            assert_eq!(browser.run(&script), json!(there), "{part} in {name}");
        }
    }
    browser.look(Look::Light);
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    browser.open_file(path);
    for part in [".lead", ".trust", ".tiles", "table.data", "[data-plot=rates] .still svg .faint"] {
        assert!(!browser.text(part).is_empty(), "{part} without scripts");
    }
    assert_eq!(browser.console_errors(), [""; 0]);
}
