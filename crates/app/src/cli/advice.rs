//! Finds the part of `docs/troubleshooting.md` that explains a message: one look-up for all messages that stop a run.
//!
//! The page is the table. Its headings are texts of messages, with `…` for variable parts; a message that contains all
//! fixed parts of a heading, in their order, belongs to it. So the code that makes a message need not refer to the
//! page.

use std::sync::LazyLock;

use super::topics;

/// The topic whose page it is.
const TOPIC: &str = "troubleshooting";
/// The placeholder for variable parts of a message.
const ANY: char = '…';

/// A message that the page explains.
struct Known {
    /// The fixed parts of its text.
    fixed: Vec<&'static str>,
    anchor: &'static str,
}

static KNOWN: LazyLock<Vec<Known>> =
    LazyLock::new(|| headings().map(|(anchor, heading)| Known::new(anchor, heading)).collect());

/// The page.
fn page() -> &'static str {
    topics::page(TOPIC).unwrap_or_default()
}

/// The texts of messages among the headings, each with the short name that precedes it: an anchor that a forge makes
/// from a whole message would be unreadable.
fn headings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut anchor = "";
    page().lines().filter_map(move |line| {
        if let Some(id) =
            line.strip_prefix("<a id=\"").and_then(|rest| rest.strip_suffix("\"></a>"))
        {
            anchor = id;
        }
        Some((anchor, line.strip_prefix("### `")?.strip_suffix('`')?))
    })
}

impl Known {
    fn new(anchor: &'static str, heading: &'static str) -> Self {
        let fixed = heading.split(ANY).map(str::trim).filter(|part| part.len() > 1).collect();
        Self { fixed, anchor }
    }

    /// How many characters of a message are matched, if it is this one.
    fn is_in(&self, message: &str) -> Option<usize> {
        let mut rest = message;
        for part in &self.fixed {
            rest = rest.split_once(part)?.1;
        }
        Some(self.fixed.iter().map(|part| part.len()).sum())
    }
}

/// A message with a reference to its explanation, if there is one. The messages of the original tools end with a
/// reference to their help, which stays their last line.
pub(crate) fn explained(message: &str) -> String {
    let Some(place) = advice_for(message) else { return message.to_owned() };
    match message.rfind("\nSee \"") {
        Some(at) => format!("{}\n{place}{}", &message[..at], &message[at + 1..]),
        None => format!("{message}{place}"),
    }
}

/// The reference to a message's explanation, as a line of its own; none if the page does not have it.
fn advice_for(message: &str) -> Option<String> {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = KNOWN.iter().filter_map(|known| Some((known.is_in(&words)?, known)));
    let (_, known) = found.max_by_key(|(length, _)| *length)?;
    Some(format!("see 'brunt help {TOPIC} {}'\n", known.anchor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::quoted::ROOT;
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    /// The text of all string literals of the program: continued lines joined, placeholders as one character.
    fn source() -> String {
        let root = Path::new(ROOT);
        let mut text = String::new();
        let mut open = vec![root.join("protocols"), root.join("crates")];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).expect("a directory of the source").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|it| it == "rs")
                    && !path.ends_with("advice.rs")
                {
                    text.push_str(&fs::read_to_string(&path).expect("a file of the source"));
                }
            }
        }
        normalised(&text)
    }

    fn normalised(text: &str) -> String {
        let mut all = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '{']) {
            all.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(continued) = rest.strip_prefix("\\\n") {
                rest = continued.trim_start();
            } else if let Some(inside) = rest.strip_prefix('{')
                && let Some(end) =
                    inside.find(['}', '\n']).filter(|end| inside[*end..].starts_with('}'))
            {
                all.push(ANY);
                rest = &inside[end + 1..];
            } else {
                all.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        all.push_str(rest);
        all
    }

    #[test]
    fn headings_are_messages_of_the_program() {
        let source = source();
        let missing: Vec<&str> = headings()
            .map(|(_, heading)| heading)
            .filter(|heading| {
                // Digits in a heading may be a code that the program fills in.
                let fixed = |part: &&str| part.len() > 8;
                !heading.split(ANY).map(str::trim).filter(fixed).all(|part| source.contains(part))
            })
            .filter(|heading| !heading.starts_with("result 49"))
            .collect();
        assert!(missing.is_empty(), "no message says:\n{}", missing.join("\n"));
        assert!(headings().count() >= 40, "{}", headings().count());
    }

    #[test]
    fn headings_have_unique_anchors_and_fixed_words() {
        let mut places = HashSet::new();
        for (anchor, heading) in headings() {
            let known = Known::new(anchor, heading);
            assert!(!anchor.is_empty() && places.insert(anchor), "{heading}");
            assert!(known.fixed.iter().map(|part| part.len()).sum::<usize>() > 8, "{heading}");
        }
    }

    #[test]
    fn message_is_matched_to_its_heading() {
        let refused = "failed to reach the server: connect to 127.0.0.1:1: connection refused; \
                       is the server running and\n the port right?\n";
        let place = "see 'brunt help troubleshooting refused'\n";
        assert_eq!(advice_for(refused).as_deref(), Some(place));
        let limit = "refused: 10.0.0.1:389 may not be loaded like that: /etc/targets.toml allows \
                     10.0.0.0/8 at most 5/s\n";
        assert!(
            advice_for(limit).is_some_and(|it| it.contains("troubleshooting limit")),
            "{:?}",
            advice_for(limit)
        );
        assert_eq!(advice_for("the weather is fine"), None);
    }

    #[test]
    fn explanation_keeps_the_help_pointer_last() {
        let text = "An error occurred:  failed to read the stages: at column 3 stands 'x', expected a rate\n\n\
                    See \"authrate --help\" to get more usage help\n";
        let explained = explained(text);
        assert!(explained.contains("\nsee 'brunt help troubleshooting stages'"), "{explained}");
        assert!(
            explained.ends_with("\nSee \"authrate --help\" to get more usage help\n"),
            "{explained}"
        );
    }

    #[test]
    fn docs_links_and_anchors_resolve() {
        let docs = Path::new(ROOT).join("docs");
        for link in page().split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let text = fs::read_to_string(docs.join(file)).unwrap_or_else(|_| panic!("{link}"));
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let mut places = headings.map(topics::slug);
            assert!(place.is_empty() || places.any(|other| other == place), "{link}");
        }
    }
}
