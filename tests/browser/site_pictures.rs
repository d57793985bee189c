//! The pictures of the website in docs/website.md, of a site whose runs are always the same. `BRUNT_BLESS=1` renews
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::browser::{Browser, Look};
use crate::site::{Site, push, sign_in, token};
use crate::virtual_runs::VirtualRun;
use crate::visit;

/// Where the pictures are.
const PICTURES: &str = "docs/images";
/// What the page loads at most, in bytes.
const ALL_MAX: u64 = 400 << 10;
const WIDTH: f64 = 1280.0;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Nightly runs of two loads, the first of which are baselines. One load became slower on the way.
fn uploaded((browser, origin): (&Browser, &str), directory: &Path, token: &Path) {
    let commits = ["4f2a91c", "b17e2d0", "9c04f6a", "e83b5d1"];
    for day in 10..22_u64 {
        // Nights differ a little, and from the eighteenth on each answer takes longer.
        let micros = 11_000 + day * 7_919 % 900 + if day < 18 { 0 } else { 5_000 };
        let users = VirtualRun {
            path: "/users/7",
            rate: "100",
            micros,
            started: &format!("2026-11-{day}T02:30:00Z"),
        };
        let search = VirtualRun {
            path: "/users?q=smith",
            rate: "40",
            micros: 14_000 + day * 6_841 % 1_500,
            started: &format!("2026-11-{day}T03:30:00Z"),
        };
        for (run, name) in [(users, "Read a user"), (search, "Search for users")] {
            let file = directory.join("run.json");
            run.record(&file);
            let commit = commits[(day as usize - 10) / 3];
            let (code, output) = push(
                origin,
                token,
                &file,
                &["--name", name, "--commit", commit, "--tag", "nightly"],
            );
            assert_eq!(code, 0, "{output}");
            if day == 10 {
                browser.open(output.split_whitespace().next().expect("an address"));
                browser.click("#about [name=baseline]");
                browser.click("#about button.main");
                browser.wait_for(
                    "return document.querySelector('.said').textContent.includes('baseline')",
                );
            }
        }
    }
}

/// Takes a picture of the upper part of a page, and keeps it if it was asked for.
fn pictured(browser: &Browser, name: &str, height: f64) {
    browser.look(Look::Light);
    let path = browser.screenshot_of(&format!("site-{name}"), WIDTH, height);
    if std::env::var_os("BRUNT_BLESS").is_some() {
        let kept = root().join(PICTURES).join(format!("site-{name}.webp"));
        fs::copy(path, kept).expect("the picture is kept");
    }
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn screenshots_of_the_website_are_made() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    visit::prepare(&browser, origin, "http://10.1.0.7:8080", "");
    let file = directory.path().join("token");
    fs::write(&file, token(&browser, origin)).unwrap();
    uploaded((&browser, origin), directory.path(), &file);
    browser.open(&format!("{origin}/tests/p1/schedule"));
    browser.run("document.getElementById('zone').value = 'Europe/Berlin'");
    browser.click("#add button.main");
    browser.wait_for("return document.querySelector('.schedule')");
    pictured(&browser, "schedule", 676.0);

    browser.open(origin);
    browser.wait_for("return document.querySelectorAll('svg').length > 2");
    pictured(&browser, "tests", 536.0);
    let tests = "return [...document.querySelectorAll('a[href^=\"/tests/l\"]')]";
    let test = browser.run(&format!("{tests}.find(one => one.textContent === 'Read a user').href"));
    browser.open(test.as_str().expect("an address"));
    browser.wait_for("return document.querySelector('main svg, main canvas')");
    pictured(&browser, "trend", 800.0);

    browser.open(&format!("{origin}/runs?q=read"));
    let runs = "const all = [...document.querySelectorAll('table.runs tbody input[type=checkbox]')]; \
                return [all[0], all[all.length - 1]].map(one => 'run=' + one.value).join('&')";
    let pair = browser.run(runs);
    browser.open(&format!("{origin}/compare?{}", pair.as_str().expect("two runs")));
    browser.wait_for(
        "return document.querySelector('main svg, main canvas') && document.querySelector('table.data')",
    );
    pictured(&browser, "compare", 836.0);

    browser.open(&format!("{origin}/plans/1"));
    browser.wait_for("return document.querySelector('#checked .met')");
    pictured(&browser, "plan", 900.0);
}

#[test]
fn screenshots_in_docs_are_small_and_described() {
    let page = fs::read_to_string(root().join("docs/website.md")).expect("a page");
    let picture = Regex::new(r"!\[([^\]]*)\]\(images/(site-[a-z]+\.webp)\)").expect("it is one");
    let shown: Vec<(&str, &str)> = picture
        .captures_iter(&page)
        .map(|it| it.extract().1)
        .map(|[text, file]| (text, file))
        .collect();
    assert!(shown.iter().all(|(text, _)| text.len() > 20), "{shown:?}");
    let files = fs::read_dir(root().join(PICTURES)).expect("pictures").flatten();
    let mut names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with("site-"));
    names.sort();
    let mut wanted: Vec<&str> = shown.iter().map(|(_, file)| *file).collect();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
    let bytes =
        |name: &String| fs::metadata(root().join(PICTURES).join(name)).expect("a picture").len();
    let all: u64 = names.iter().map(bytes).sum();
    assert!((1..ALL_MAX).contains(&all), "{all} bytes");
}
