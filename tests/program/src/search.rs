//! A search by `brunt find-max` over `http`, with shortened seconds.

use serde_json::Value;

use crate::{Ended, Program, brunt};

/// A tenth of a second counts as one, so that minutes are seconds.
pub const SHORT: [&str; 5] = ["find-max", "--second", "100ms", "--confirm", "80s"];

/// The line of a server that serves 2,000 requests a second, each in half a millisecond, and has room for forty.
pub const CLIFF: &str = "[capacity]\nrate = 2000\nqueue = 40\n";

/// A search over `http`.
pub fn search(options: &[&str], load: &[&str]) -> Program {
    brunt("").args(SHORT).args(options).typed("-- http").args(load).start()
}

/// The same search, carried out to its end.
pub fn searched(options: &[&str], load: &[&str]) -> Ended {
    search(options, load).wait()
}

/// Requires of a search that it named no limit: a rate that passed and none that failed, or, where a busy machine let
/// no step pass, no claim at all.
pub fn without_a_limit(ended: &Ended) {
    assert!([4, 9].contains(&ended.code()), "{ended}");
}

/// The figures of the longest step of a search of which both what the server counted and what it was sent are known,
/// and the one as a part of the other. A busy machine may have held no step for long, and moments at both ends of a
/// short one are a large part: whether it was a long one.
pub fn counted_by_server(ended: &Ended) -> (&Value, f64, bool) {
    let cells = ended.json()["cells"].as_array().expect("steps");
    let known =
        cells.iter().map(|cell| &cell["figures"]).filter(|it| it["server_counted"].is_f64());
    let figure = |it: &Value, name: &str| it[name].as_f64().unwrap_or_default();
    let judged = |it: &Value| figure(it, "judged_s");
    let longest = known.max_by(|a, b| judged(a).total_cmp(&judged(b))).expect("it was read");
    let ratio = figure(longest, "server_counted") / figure(longest, "achieved");
    (longest, ratio, judged(longest) >= 4.0)
}

/// A number behind these words in what was printed.
pub fn number_after(text: &str, words: &str) -> f64 {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no '{words}' in {text}"));
    let digits =
        rest.trim_start().chars().take_while(|it| it.is_ascii_digit() || ",.".contains(*it));
    let digits: String = digits.filter(|it| *it != ',').collect();
    digits
        .trim_end_matches('.')
        .parse()
        .unwrap_or_else(|_| panic!("no number after '{words}': {text}"))
}
