//! The messages of the steady phase, for the summary of a run: the counts that belong to its latencies and rates.
//!
//! The report on standard output counts a ramp as well, so the heading of this table names the phase that it is about.
//! It is made from a record, so that `brunt report` prints what the run printed.

use crate::grid::Grid;
use crate::screen::Screen;
use brunt_record::Record;

/// The columns of the table for each stage: the word of the tally, and the title. The ends of a message come first, so
/// that a reader can add them up: the number of messages sent is the sum of all except the last.
const COLUMNS: [(&str, &str); 8] = [
    ("sent", "sent"),
    ("received", "received"),
    ("naks", "NAKs"),
    ("unusable", "rejected"),
    ("drops", "drops"),
    ("cut off", "pending"),
    ("unasked", "unasked"),
    ("late", "late"),
];
/// How wide columns are where there is room.
const ROOMY: usize = 9;

/// The table, with its title above it; nothing if the record is not of a run of DHCP or sent nothing.
pub(crate) fn messages(record: &Record, screen: Screen) -> Option<String> {
    let count = |name: &str| {
        let found = record.tallies.iter().find(|tally| tally.name == name);
        found.map(|tally| tally.count)
    };
    let titles = record.tallies.iter().filter_map(|tally| tally.name.strip_suffix(" unasked"));
    let rows = titles.filter_map(|title| {
        let counts = COLUMNS.map(|(word, _)| count(&format!("{title} {word}")));
        (counts[0]? > 0).then_some((title, counts))
    });
    let mut grid = Grid::new("", COLUMNS.map(|(_, title)| title), ROOMY);
    let mut some = false;
    for (title, counts) in rows {
        some = true;
        grid.row(title, "", counts.map(|count| count.unwrap_or(0).to_string()));
    }
    let title = screen.dress("1", "Messages of the steady phase");
    some.then(|| format!("\n{title}\n{}", grid.text(screen)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::TallyRecord;

    #[test]
    fn messages_list_each_stage_that_sent_something() {
        let mut record = measured(&[]);
        assert_eq!(messages(&record, Screen::default()), None, "a run of LDAP");
        let tally = |name: &str, count| TallyRecord { name: name.to_owned(), count };
        record.tallies = vec![
            tally("DISCOVER-OFFER sent", 200),
            tally("DISCOVER-OFFER received", 170),
            tally("DISCOVER-OFFER drops", 20),
            tally("DISCOVER-OFFER naks", 1),
            tally("DISCOVER-OFFER unusable", 2),
            tally("DISCOVER-OFFER cut off", 3),
            tally("DISCOVER-OFFER unasked", 4),
            tally("DISCOVER-OFFER late", 5),
            tally("RELEASE sent", 0),
            tally("RELEASE unasked", 0),
        ];
        let text = messages(&record, Screen::default()).unwrap();
        assert_eq!(
            text,
            "
Messages of the steady phase
                         sent received NAKs rejected drops pending unasked late
DISCOVER-OFFER            200      170    1        2    20       3       4    5
"
        );
        record.tallies[0].count = 0;
        assert_eq!(messages(&record, Screen::default()), None, "nothing was sent");
    }
}
