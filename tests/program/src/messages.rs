//! What a run of perfdhcp counted beside exchanges: the messages of its stages.

use brunt_record::Record;
use brunt_testbed::printed;

use crate::Ended;

/// How a message of a stage can end, in the words of the tallies.
pub const ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// What a run counted.
pub trait Counted {
    /// The record, once its books are seen to balance for exchanges as well as for messages of each stage.
    fn balanced(&self) -> Record;
    /// A number on a line of a stage's block on standard output.
    fn line(&self, stage: &str, line: &str) -> u64;
}

impl Counted for Ended {
    fn balanced(&self) -> Record {
        let record = self.record();
        let names = record.tallies.iter().map(|tally| tally.name.as_str());
        for stage in names.filter_map(|name| name.strip_suffix(" resent")) {
            let ends = ENDS.iter().map(|end| tally(&record, &format!("{stage} {end}")));
            let sent = tally(&record, &format!("{stage} sent"));
            assert_eq!(sent, ends.sum::<u64>(), "{stage}: {:?}\n{self}", counted(&record));
        }
        record
    }

    fn line(&self, stage: &str, line: &str) -> u64 {
        printed(&self.stdout, stage, line).unwrap_or_else(|| panic!("no {line} of {stage}\n{self}"))
    }
}

/// One of the counts beside exchanges.
pub fn tally(record: &Record, name: &str) -> u64 {
    let found = record.tallies.iter().find(|tally| tally.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).count
}

/// All counts beside exchanges that are not zero.
pub fn counted(record: &Record) -> Vec<(&str, u64)> {
    let some = record.tallies.iter().filter(|tally| tally.count > 0);
    some.map(|tally| (tally.name.as_str(), tally.count)).collect()
}
