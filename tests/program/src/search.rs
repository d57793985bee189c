//! A search by `brunt find-max` over `http`, with shortened seconds.

use crate::{Ended, Program, binary, command};

/// A tenth of a second counts as one, so that minutes are seconds.
pub const SHORT: [&str; 5] = ["find-max", "--second", "100ms", "--confirm", "80s"];

/// The line of a server that serves 2,000 requests a second, each in half a millisecond, and has room for forty.
pub const CLIFF: &str = "[capacity]\nrate = 2000\nqueue = 40\n";

/// A search over `http`.
pub fn search(options: &[&str], load: &[&str]) -> Program {
    Program::start(command(binary()).args(SHORT).args(options).arg("--").arg("http").args(load))
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
