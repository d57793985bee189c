//! A [`Lap`]: the result of one phase in one run of a contender, timed as a whole.

/// One phase of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Lap {
    /// Its name.
    pub phase: String,
    /// How many operations.
    pub operations: u64,
    /// Of the phase as a whole.
    pub seconds: f64,
    /// How many did what was asked: rows written, names found. So it is seen that both did the same.
    pub done: u64,
}

impl Lap {
    /// The laps in what a bare program says: `create 1000 0.123456789 1000`, a line for each phase.
    pub fn all_in(output: &str) -> Vec<Self> {
        output.lines().filter_map(Self::in_line).collect()
    }

    fn in_line(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let phase = words.next()?.to_owned();
        let operations = words.next()?.parse().ok()?;
        let seconds = words.next()?.parse().ok()?;
        let done = words.next()?.parse().ok()?;
        Some(Self { phase, operations, seconds, done })
    }

    /// The wall time of one operation.
    pub fn each_us(&self) -> f64 {
        self.seconds * 1e6 / self.operations as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_parsed_from_the_output() {
        let laps = Lap::all_in("library 3.50.2\ncreate 1000 0.25 1000\nsearch 2000 0.002 1801\n");
        assert_eq!(laps.len(), 2);
        assert_eq!((laps[1].phase.as_str(), laps[1].done), ("search", 1_801));
        assert!((laps[0].each_us() - 250.0).abs() < 1e-9);
    }
}
