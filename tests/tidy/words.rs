//! Words that readers do not know, in texts that they see: pages, helps and messages.
//!
//! Only phrases that have no other meaning are here, so that a hit is never a false alarm. Comments and tests are not
//! read by users.

use crate::files;

/// What is not written, and what is.
const INSTEAD: &[(&str, &str)] = &[
    ("fell due", "was scheduled"),
    ("falls due", "is scheduled"),
    ("fallen due", "was due"),
    ("beyond chance", "statistically significant"),
    ("signs you in", "one-time sign-in link"),
    ("makes load", "generates load"),
    ("in good order", "shuts down gracefully"),
    ("In more detail", "Additional statistics"),
    ("Figures for other tools", "Exporting metrics"),
    ("111 connect", "connection refused"),
    ("the target was away", "the target stopped responding"),
    ("generator's own part", "delay added by brunt"),
    ("unstressed", "unloaded"),
];

/// Pages for people who work on brunt, and the page of what has changed.
const NOT_FOR_USERS: [&str; 6] = [
    "docs/architecture/",
    "docs/decisions/",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "bench/",
];

/// Whether a line of source holds a text that is not a comment, and not what a test says when it fails.
fn is_message(line: &str) -> bool {
    line.contains('"') && !line.trim_start().starts_with("//") && !line.contains("assert")
}

#[test]
fn user_texts_contain_no_unknown_words() {
    let pages = files("md").into_iter().chain(files("txt")).map(|(file, text)| (file, text, false));
    let pages = pages.filter(|(file, ..)| !NOT_FOR_USERS.iter().any(|not| file.starts_with(not)));
    let messages = files("rs").into_iter().filter(|(file, _)| {
        (file.starts_with("crates/") || file.starts_with("protocols/")) && !file.contains("/tests")
    });
    let messages = messages.map(|(file, text)| {
        let program = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        (file, program, true)
    });
    let mut found = Vec::new();
    for (file, text, source) in pages.chain(messages) {
        let shown = text.lines().enumerate().filter(|(_, line)| !source || is_message(line));
        for (number, line) in shown {
            let words = INSTEAD.iter().filter(|(word, _)| line.contains(word));
            found.extend(words.map(|(word, instead)| {
                format!("{file}:{}: instead of '{word}' write '{instead}'", number + 1)
            }));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
