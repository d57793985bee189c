//! The branches of a plan: steps that were never performed, and the shares of the alternatives.

use crate::figure::{printable, thousands};
use crate::grid::Grid;
use crate::screen::Screen;
use brunt_record::{ChoiceCounts, Record, branches, choices, iterations};

/// How wide columns are where there is room.
const COLUMN: usize = 12;

/// A sentence for each step and group under a condition that was passed over each time, which is rarely intended.
pub fn passed_over(record: &Record) -> Vec<String> {
    let never = branches(&record.tallies).into_iter().filter(|it| it.taken == 0);
    let sentences = never.filter(|it| it.passed_over > 0).map(|it| {
        let times = it.passed_over;
        let each = iterations(&record.tallies).any(|begun| begun == times);
        match (times, each) {
            (1, _) => format!("{} was passed over", it.name),
            (_, true) => {
                format!("{} was passed over in all {} iterations", it.name, thousands(times))
            }
            (_, false) => format!("{} was passed over all {} times", it.name, thousands(times)),
        }
    });
    sentences.map(|text| printable(&text)).collect()
}

/// The groups of which one step is performed, with what was performed how often; empty if there is none.
pub(crate) fn chosen(record: &Record, screen: Screen) -> String {
    let choices = choices(&record.tallies);
    let mut grid = Grid::new("Choices", ["count", "share"], COLUMN);
    for choice in &choices {
        grid.row(&printable(&choice.group), "", [""; 0]);
        for (name, count, share) in shares(choice) {
            grid.row(&format!("  {}", printable(&name)), "", [count.to_string(), share]);
        }
    }
    if choices.is_empty() { String::new() } else { grid.text(screen) + "\n" }
}

/// What was performed of a group how often, with its share: its steps, and none of them, if that occurred.
pub(crate) fn shares(choice: &ChoiceCounts) -> Vec<(String, u64, String)> {
    let none = (choice.none() > 0).then(|| ("none of them".to_owned(), choice.none()));
    let all = choice.steps.iter().cloned().chain(none);
    let share = |count: u64| format!("{:.2}%", 100.0 * count as f64 / choice.reached.max(1) as f64);
    all.map(|(name, count)| (name, count, share(count))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::TallyRecord;

    fn record_of(tallies: &[(&str, u64)]) -> Record {
        let mut record = measured(&[]);
        let tally =
            |(name, count): &(&str, u64)| TallyRecord { name: (*name).to_owned(), count: *count };
        record.tallies = tallies.iter().map(tally).collect();
        record
    }

    #[test]
    fn skipped_branches_are_counted_in_iterations() {
        let branch = |passed| {
            let sentences = passed_over(&record_of(&[
                ("scenario visit begun", 5_000),
                ("branch group 'otp' taken", 0),
                ("branch group 'otp' passed over", passed),
                ("branch step 'page' taken", 1),
                ("branch step 'page' passed over", 4_999),
            ]));
            sentences.concat()
        };
        assert_eq!(branch(5_000), "group 'otp' was passed over in all 5,000 iterations");
        assert_eq!(branch(15_000), "group 'otp' was passed over all 15,000 times");
        assert_eq!(branch(1), "group 'otp' was passed over");
        assert_eq!(branch(0), "");
    }

    #[test]
    fn choice_shares_are_relative_to_the_group() {
        let record = record_of(&[
            ("choice end reached", 200),
            ("choice end: logout", 130),
            ("choice end: stay", 50),
        ]);
        let sentences = chosen(&record, Screen::default());
        let rows: Vec<Vec<&str>> =
            sentences.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["end"]);
        assert_eq!(rows[2], ["logout", "130", "65.00%"]);
        assert_eq!(rows[3], ["stay", "50", "25.00%"]);
        assert_eq!(rows[4], ["none", "of", "them", "20", "10.00%"]);
        assert_eq!(chosen(&record_of(&[]), Screen::default()), "");
    }
}
