//! The branches of a plan, from its tallies: steps under a condition, and groups of which one is performed.
//!
//! They are found by their names, so they are in intervals, events and merged records without more.

use crate::TallyRecord;

/// A step or a group that is performed only under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCounts {
    /// What it is called: "group 'otp'".
    pub name: String,
    /// How many times it was performed.
    pub taken: u64,
    /// How many times it was passed over.
    pub passed_over: u64,
}

/// A group of which one step is performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceCounts {
    /// The name of the group.
    pub group: String,
    /// How many times it was come to.
    pub reached: u64,
    /// How many times each of its steps was performed.
    pub steps: Vec<(String, u64)>,
}

impl ChoiceCounts {
    /// How many times none of its steps was performed.
    pub fn none(&self) -> u64 {
        self.reached.saturating_sub(self.steps.iter().map(|(_, count)| count).sum())
    }
}

/// The branches in these tallies, in their order.
pub fn branches(tallies: &[TallyRecord]) -> Vec<BranchCounts> {
    let branch = |tally: &TallyRecord| {
        let name = tally.name.strip_prefix("branch ")?.strip_suffix(" taken")?;
        let passed = format!("branch {name} passed over");
        let passed = tallies.iter().find(|other| other.name == passed)?;
        let (taken, passed_over) = (tally.count, passed.count);
        Some(BranchCounts { name: name.to_owned(), taken, passed_over })
    };
    tallies.iter().filter_map(branch).collect()
}

/// The groups of which one step is performed in these tallies, in their order.
pub fn choices(tallies: &[TallyRecord]) -> Vec<ChoiceCounts> {
    let choice = |tally: &TallyRecord| {
        let group = tally.name.strip_prefix("choice ")?.strip_suffix(" reached")?;
        let start = format!("choice {group}: ");
        let steps = tallies
            .iter()
            .filter_map(|step| Some((step.name.strip_prefix(&start)?.to_owned(), step.count)));
        let steps = steps.collect();
        Some(ChoiceCounts { group: group.to_owned(), reached: tally.count, steps })
    };
    tallies.iter().filter_map(choice).collect()
}

/// How many iterations of each scenario began, in these tallies.
pub fn iterations(tallies: &[TallyRecord]) -> impl Iterator<Item = u64> + '_ {
    let begun = |tally: &&TallyRecord| {
        tally.name.starts_with("scenario ") && tally.name.ends_with(" begun")
    };
    tallies.iter().filter(begun).map(|tally| tally.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_and_choices_are_found_by_tally_names() {
        let tally = |name: &str, count| TallyRecord { name: name.to_owned(), count };
        let tallies = [
            tally("scenario visit begun", 20),
            tally("scenario visit completed", 19),
            tally("branch group 'otp' taken", 5),
            tally("branch group 'otp' passed over", 15),
            tally("choice end reached", 20),
            tally("choice end: logout", 12),
            tally("choice end: stay: a while", 5),
            tally("choice ending reached", 1),
        ];
        let otp = BranchCounts { name: "group 'otp'".to_owned(), taken: 5, passed_over: 15 };
        assert_eq!(branches(&tallies), [otp]);
        let [end, ending] = &choices(&tallies)[..] else { panic!("two choices") };
        assert_eq!((end.group.as_str(), end.reached, end.none()), ("end", 20, 3));
        assert_eq!(end.steps, [("logout".to_owned(), 12), ("stay: a while".to_owned(), 5)]);
        assert_eq!((ending.steps.len(), ending.none()), (0, 1));
        assert_eq!(iterations(&tallies).collect::<Vec<_>>(), [20]);
    }
}
