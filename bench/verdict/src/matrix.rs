//! The [`Matrix`]: the class of cause that was arranged, and brunt's verdict.

use brunt_bench_verdict::{Class, Finding, Observation};
use std::collections::BTreeMap;
use std::fmt;

/// Counts of runs by what was arranged and what was reported.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    counts: BTreeMap<(Class, Finding), u64>,
    quiet: u64,
    alarms: u64,
}

impl Matrix {
    /// Adds a run.
    pub(crate) fn add(&mut self, class: Class, observed: &Observation) {
        *self.counts.entry((class, observed.finding())).or_default() += 1;
        if class == Class::Nothing {
            self.quiet += 1;
            self.alarms += u64::from(observed.alarms());
        }
    }

    fn count(&self, class: Class, finding: Finding) -> u64 {
        self.counts.get(&(class, finding)).copied().unwrap_or(0)
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| arranged \\ reported |")?;
        Finding::ALL.iter().try_for_each(|finding| write!(f, " {} |", finding.word()))?;
        write!(f, " right |\n|---|{}---:|\n", "---:|".repeat(Finding::ALL.len()))?;
        for class in Class::ALL {
            write!(f, "| {} |", class.word())?;
            let (mut right, mut all) = (0, 0);
            for finding in Finding::ALL {
                let count = self.count(class, finding);
                write!(f, " {count} |")?;
                all += count;
                right += if finding.is_right_for(class) { count } else { 0 };
            }
            writeln!(f, " {right} of {all} |")?;
        }
        let Self { quiet, alarms, .. } = self;
        if *quiet > 0 {
            let share = 100.0 * *alarms as f64 / *quiet as f64;
            write!(f, "\nFalse alarms: {alarms} of {quiet} runs without trouble ({share:.1} %)")?;
            if *alarms == 0 {
                // The rule of three: what may be true, with 95 % confidence, where nothing was seen.
                write!(
                    f,
                    "; by the rule of three at most {:.1} %",
                    (300.0 / *quiet as f64).min(100.0)
                )?;
            }
            writeln!(f, ".")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(status: &str, exit: i32) -> Observation {
        Observation { status: status.to_owned(), exit: Some(exit), ..Observation::default() }
    }

    #[test]
    fn matrix_counts_runs_by_class() {
        let mut matrix = Matrix::default();
        matrix.add(Class::Nothing, &observed("valid", 0));
        matrix.add(Class::Nothing, &observed("valid", 0));
        matrix.add(Class::Nothing, &observed("generator-limited", 4));
        matrix.add(Class::Nothing, &observed("valid", 5));
        matrix.add(Class::Target, &observed("partial", 5));
        matrix.add(Class::Generator, &observed("unstable", 0));
        let shown = matrix.to_string();
        assert!(shown.contains("| none | 3 | 0 | 0 | 1 | 0 | 0 | 3 of 4 |"), "{shown}");
        assert!(shown.contains("| target | 0 | 0 | 1 | 0 | 0 | 0 | 1 of 1 |"), "{shown}");
        assert!(
            shown.contains("| generator, machine | 0 | 0 | 0 | 0 | 0 | 1 | 0 of 1 |"),
            "{shown}"
        );
        assert!(shown.contains("False alarms: 2 of 4 runs without trouble (50.0 %)."), "{shown}");
    }

    #[test]
    fn matrix_without_alarms_states_the_rule_of_three() {
        let mut matrix = Matrix::default();
        (0..100).for_each(|_| matrix.add(Class::Nothing, &observed("valid", 0)));
        assert!(matrix.to_string().contains(
            "0 of 100 runs without trouble (0.0 %); by the rule of three at most 3.0 %."
        ));
    }
}
