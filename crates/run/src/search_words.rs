//! [`search_words`]: what to type for a search of the highest rate of a load, for whoever proposes one.

use crate::load::{Caller, Load};
use crate::options::pacing::Pacing;
use crate::options::row::{Row, dashed};
use crate::options::run_options;

/// The options of every run that hold for each run of a search.
const KEPT: [&str; 2] = ["abort-on", "dscp"];
/// The option of every run that a search has itself.
const OF_SEARCH: &str = "allow";

/// The words after `brunt find-max`, but for objectives and limits: its own, then `--` and the command line of the load
/// without what a search decides itself. There are none if a search cannot repeat the load.
pub fn search_words(load: &dyn Load) -> Vec<String> {
    let typed = &load.output().typed;
    let pacing: Vec<Pacing> = load.pacing().into_iter().filter(|it| it.given).collect();
    let refused = load.refuses(Caller::Search, typed.get(1..).unwrap_or_default()).is_err();
    let essential = pacing.iter().any(|it| it.spelled.is_empty());
    if typed.is_empty() || refused || essential || load.output().run.node.is_some() {
        return Vec::new();
    }
    let (mut search, mut kept) = (Vec::new(), Vec::new());
    let mut rest = typed.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            kept.push(word.clone());
            kept.extend(rest.by_ref().cloned());
            break;
        }
        let (name, is_attached) = named(word);
        let row = of_every_run(name);
        let takes_word = match (pacing.iter().find(|it| it.is_typed(name)), row) {
            (Some(pacing), _) => pacing.takes_word,
            (None, Some(row)) => row.takes_word(),
            (None, None) => {
                kept.push(word.clone());
                continue;
            }
        };
        let value = if takes_word && !is_attached { rest.next() } else { None };
        let words = std::iter::once(word).chain(value).cloned();
        match row {
            Some(row) if KEPT.contains(&row.name) => kept.extend(words),
            Some(row) if row.name == OF_SEARCH => search.extend(words),
            _ => {}
        }
    }
    search.push("--".to_owned());
    search.extend(kept);
    search
}

/// The name in a word, and whether its value is attached.
fn named(word: &str) -> (&str, bool) {
    if word.starts_with("--") {
        return word.split_once('=').map_or((word, false), |(name, _)| (name, true));
    }
    match word.char_indices().nth(2) {
        Some((end, _)) if word.starts_with('-') => (&word[..end], true),
        _ => (word, false),
    }
}

fn of_every_run(name: &str) -> Option<&'static Row> {
    run_options::rows().iter().find(|row| dashed(row.name).eq_ignore_ascii_case(name))
}
