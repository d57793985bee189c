//! The lines that are printed before anything is measured.

use std::fmt::Write;

/// The lines before the run: the command in its plain spelling (a word for each switch and each
/// value), the scenario and, where several workers share the load, a remark about that. The
/// original tool's advice to use more threads is left out: it was bad advice.
pub(crate) fn banner(words: &[String], scenario: &str, workers: usize) -> String {
    let mut text = String::from("Running: perfdhcp");
    for word in words {
        text.push(' ');
        text.push_str(word);
    }
    let _ = write!(text, "\nScenario: {scenario}.\n");
    if workers > 1 {
        text.push_str("Multi-thread mode enabled.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_is_no_reason_to_warn() {
        let words = ["-4", "--scenario", "avalanche", "-R", "5"].map(str::to_owned);
        assert_eq!(
            banner(&words, "avalanche", 1),
            "Running: perfdhcp -4 --scenario avalanche -R 5\nScenario: avalanche.\n"
        );
    }
}
