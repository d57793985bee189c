//! The site: built as `site/build` builds it, every link followed, and its search tested with likely words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_testbed::require;

use brunt_test_program::{binary, scratch};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What people look for, by the words of other tools too.
const WORDS: [&str; 8] = [
    "throughput",
    "header",
    "percentile",
    "concurrency",
    "latency",
    "threads",
    "jmeter",
    "timeout",
];

#[test]
fn site_links_and_search_terms_all_resolve() {
    // Whether the runs of the gallery meet their objectives does not matter here.
    if !require(&["mdbook"]) {
        return;
    }
    let directory = scratch();
    let run = Command::new(Path::new(ROOT).join("site/build"))
        .arg(directory.path())
        .env("BRUNT", binary())
        .env("SHORT", "1")
        .output()
        .expect("a script");
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{message}");
    let html = directory.path().join("html");
    let pages = pages(&html);
    assert!(pages.len() > 60, "{} pages", pages.len());
    assert_eq!(broken(&pages), Vec::<String>::new());
    let some = BTreeMap::from([(html.join("a.html"), r#"<a href="b.html">"#.to_owned())]);
    assert_eq!(broken(&some).len(), 1, "a link that leads nowhere is found");
    // Programs find every page by its list, as Markdown.
    let list = fs::read_to_string(html.join("llms.txt")).expect("a list");
    let named: Vec<&str> =
        list.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let lacking: Vec<_> = named.iter().filter(|path| !html.join(path).is_file()).collect();
    assert!(named.len() > 60 && lacking.is_empty(), "{} pages, without {lacking:?}", named.len());
    for report in ["binds", "storm", "stall", "dhcp", "leases"] {
        let page = fs::read_to_string(html.join(format!("gallery/{report}.html")));
        assert!(page.is_ok_and(|page| page.contains("</html>")), "{report}");
    }
    let index = search_index(&html);
    for word in WORDS {
        assert!(index.contains(word), "{word} is not found");
    }
}

/// Every page of `docs/` is a chapter, and every chapter a page.
#[test]
fn site_summary_lists_every_docs_page() {
    let summary = fs::read_to_string(Path::new(ROOT).join("site/SUMMARY.md")).expect("a summary");
    let listed: BTreeSet<String> = summary
        .split("](../docs/")
        .skip(1)
        .filter_map(|rest| rest.split(')').next().map(str::to_owned))
        .collect();
    let docs = Path::new(ROOT).join("docs");
    let there: BTreeSet<String> = files(&docs, "md")
        .iter()
        .map(|path| path.strip_prefix(&docs).expect("in docs").display().to_string())
        .collect();
    let forgotten: Vec<&String> = there.difference(&listed).collect();
    assert!(forgotten.is_empty(), "name these pages of docs/ in site/SUMMARY.md: {forgotten:?}");
    let gone: Vec<&String> = listed.difference(&there).collect();
    assert!(gone.is_empty(), "site/SUMMARY.md names what is not in docs/: {gone:?}");
}

/// Links to files or places of pages that are not there.
fn broken(pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let places: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(page, text)| (page, values(text, " id=\"").collect())).collect();
    let mut broken = Vec::new();
    for (page, text) in pages {
        for link in values(text, " href=\"").filter(|link| !link.contains(':')) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let beside = page.parent().expect("a directory");
            let to = if file.is_empty() { page.clone() } else { plain(&beside.join(file)) };
            let known = places.get(&to);
            let there = known.is_some_and(|of| place.is_empty() || of.contains(place))
                || known.is_none() && to.exists();
            if !there {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    broken
}

/// What stands between this and the next quote.
fn values<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next())
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = out.pop(),
            part => out.push(part),
        }
    }
    out
}

/// The chapters. All of them on one page, and the list of them, repeat their links from another directory.
fn pages(html: &Path) -> BTreeMap<PathBuf, String> {
    let own = |path: &PathBuf| {
        !["print.html", "toc.html", "404.html"].iter().any(|name| path.ends_with(name))
            && !path.starts_with(html.join("gallery"))
    };
    let pages = files(html, "html").into_iter().filter(own);
    pages.map(|path| (path.clone(), fs::read_to_string(path).expect("a page"))).collect()
}

fn search_index(html: &Path) -> String {
    let scripts = files(html, "js");
    let index = scripts.iter().find(|path| path.display().to_string().contains("searchindex"));
    fs::read_to_string(index.expect("a search index")).expect("text").to_lowercase()
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| {
            if path.is_dir() {
                files(&path, extension)
            } else {
                Vec::from_iter(path.extension().is_some_and(|it| it == extension).then_some(path))
            }
        })
        .collect()
}
