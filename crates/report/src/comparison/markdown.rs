//! A comparison for a pull request: [`markdown`].
//!
//! Names come from files and plans of other people. In Markdown they must neither become markup nor mention a user, so
//! every character that is not a letter, a digit or harmless is written as a numeric character reference.

use super::document::Comparison;
use super::mismatch::differences;
use super::page::row;
use super::words;
use brunt_exchange::is_directional;
use std::fmt::Write;

/// The comparison as Markdown of GitHub.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = String::new();
    let dates = words::dates(comparison);
    let letters = || comparison.sides.iter().map(|side| side.letter.clone()).collect();
    let names: Vec<String> = dates.clone().unwrap_or_else(letters);
    let base = names.first().map(String::as_str).unwrap_or_default();
    let others = || comparison.pairs.iter().zip(names.iter().skip(1));
    for (pair, side) in others() {
        let message = match dates {
            Some(_) => {
                let (side, base) = (format!("The run of {side}"), format!("that of {base}"));
                words::sentence_of(comparison, pair, (&side, &base))
            }
            None => words::sentence(comparison, pair),
        };
        let _ = writeln!(text, "**{}**\n", inert(&message));
    }
    for doubt in words::doubts(comparison) {
        let _ = writeln!(text, "- cannot be trusted: {}", inert(&doubt));
    }
    for difference in differences(&comparison.unlike) {
        let _ = writeln!(text, "- {}", inert(&difference));
    }
    for (side, name) in comparison.sides.iter().zip(&names) {
        let _ = writeln!(text, "- {}: {}", inert(name), inert(&words::described(side)));
    }
    for (pair, side) in others() {
        let [base, side] = [base, side].map(inert);
        let _ = write!(
            text,
            "\n| operation | figure | {base} | {side} | change | interval | result |\n|---|---|--:|--:|--:|--:|---|\n"
        );
        for found in &pair.figures {
            let operation = found.operation.as_deref().map_or_else(String::new, inert);
            let [figure, baseline, value, change, interval, result] = row(found);
            let values = [baseline, value, change, interval].map(|cell| inert(&cell)).join(" | ");
            let result = if result == "~" { result } else { format!("**{}**", inert(&result)) };
            let _ = writeln!(text, "| {operation} | {figure} | {values} | {result} |");
        }
    }
    text.push('\n');
    for note in words::notes(comparison) {
        let _ = writeln!(text, "<sub>{}</sub>\n", inert(&note));
    }
    text
}

/// Text that stays text in Markdown.
pub(super) fn inert(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        match character {
            // A full stop makes a link of `www.example.com`, and two slashes make one of a URL.
            '.' if before == 'w' => safe.push_str("&#46;"),
            '/' if before == ':' => safe.push_str("&#47;"),
            _ if character.is_alphanumeric() || " .,:;?%+-()/'".contains(character) => {
                safe.push(character);
            }
            _ if character.is_control() || is_directional(character) => safe.push(' '),
            _ => {
                let _ = write!(safe, "&#{};", u32::from(character));
            }
        }
        before = character;
    }
    safe
}
