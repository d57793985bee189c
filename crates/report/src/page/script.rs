//! What a page runs: uPlot and our own script, as one text whose hash the page's policy names.
//!
//! The files are read at build time and joined; there is nothing to install and no build step. A browser runs only this
//! text, so text from a server stays text even if our code forgot to escape it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};

/// The charts library, as published by its authors (`vendor/uplot/README.md`).
const UPLOT: &str = include_str!("../../vendor/uplot/uPlot.iife.min.js");
pub(super) const UPLOT_STYLE: &str = include_str!("../../vendor/uplot/uPlot.min.css");

/// Our own files, in the order of their dependencies.
const OWN: [&str; 11] = [
    include_str!("js/figures.js"),
    include_str!("js/elements.js"),
    include_str!("js/rows.js"),
    include_str!("js/axes.js"),
    include_str!("js/frame.js"),
    include_str!("js/time.js"),
    include_str!("js/spectrum.js"),
    include_str!("js/tree.js"),
    include_str!("js/tables.js"),
    include_str!("js/window.js"),
    include_str!("js/page.js"),
];

/// The script of a page: with charts where it has a view, and then the further code.
pub(super) fn script(with_charts: bool, more: &str) -> String {
    let mut text = String::from("\"use strict\";\n");
    if with_charts {
        text.push_str(UPLOT);
    }
    text.push_str("\n(() => {\n");
    text.extend(OWN.iter().flat_map(|file| code(file)));
    text.push_str("})();\n");
    if !more.is_empty() {
        text.extend(code(more));
        text.push('\n');
    }
    text
}

/// The lines of a script of ours without its comments, which explain it to us and not to a browser: a fifth of it. A
/// comment has lines of its own and begins with `//` or `/**`.
pub(super) fn code(script: &str) -> impl Iterator<Item = &str> {
    let mut within = false;
    script.split_inclusive('\n').filter(move |line| {
        let line = line.trim();
        let begins = line.starts_with("/**");
        let comment = within || begins || line.starts_with("//");
        within = (within || begins) && !line.ends_with("*/");
        !comment
    })
}

/// The name of a script in a policy.
pub(super) fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(script)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_comments_are_removed() {
        let text = "// first\nlet a = 1; // kept\n/** one */\n  /** two\n   *  lines */\nlet b = \"//\";\n";
        assert_eq!(code(text).collect::<String>(), "let a = 1; // kept\nlet b = \"//\";\n");
        for file in OWN {
            // A text over several lines could contain one that looks like a comment.
            let code: String = code(file).collect();
            assert!(code.lines().all(|line| line.matches('`').count() % 2 == 0), "{code}");
            assert!(code.trim().ends_with(['}', ';']), "{code}");
        }
    }

    fn digest(text: &str) -> String {
        use std::fmt::Write as _;
        let mut digest = String::new();
        for byte in Sha256::digest(text) {
            let _ = write!(digest, "{byte:02x}");
        }
        digest
    }

    #[test]
    fn vendored_script_equals_its_publication() {
        let readme = include_str!("../../vendor/uplot/README.md");
        let licence = include_str!("../../vendor/uplot/LICENSE");
        for (name, text) in
            [("uPlot.iife.min.js", UPLOT), ("uPlot.min.css", UPLOT_STYLE), ("LICENSE", licence)]
        {
            let line = format!("{}  {name}", digest(text));
            assert!(readme.contains(&line), "{line}");
        }
        assert!(licence.starts_with("The MIT License (MIT)"));
    }

    #[test]
    fn script_cannot_end_its_element_or_use_the_network() {
        let text = script(true, "");
        assert!(!text.contains("</script") && !text.contains("<!--"));
        let own: String = OWN.concat();
        for word in ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "http:", "https:"]
        {
            let outside = own.replace("http://www.w3.org/2000/svg", "");
            assert!(!outside.contains(word), "{word}");
        }
    }
}
