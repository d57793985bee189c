//! [`Kinds`]: how often the trouble was looked for in the right place, by kind of cause, in the form of the table that
//! docs/statistics.md has of simulated runs.

use brunt_bench_verdict::{Cause, Class, Finding};
use std::fmt;

/// Counts of runs by kind of cause, in the order of the table of causes.
#[derive(Debug, Default)]
pub(crate) struct Kinds(Vec<Kind>);

/// The runs of one kind.
#[derive(Debug)]
struct Kind {
    name: &'static str,
    class: Class,
    runs: u64,
    /// How many of them named no place, the target and the machine. A run that ended without a verdict is in none.
    named: [u64; Class::ALL.len()],
}

impl Kinds {
    /// Adds a run.
    pub(crate) fn add(&mut self, cause: &Cause, finding: Finding) {
        let place = self.0.iter().position(|kind| kind.name == cause.kind);
        let place = place.unwrap_or_else(|| {
            let (name, class) = (cause.kind, cause.class);
            self.0.push(Kind { name, class, runs: 0, named: Default::default() });
            self.0.len() - 1
        });
        let kind = &mut self.0[place];
        kind.runs += 1;
        if let Some(class) = Class::ALL.iter().position(|class| finding.is_right_for(*class)) {
            kind.named[class] += 1;
        }
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| cause | runs | no alarm | the target | the machine | right |")?;
        writeln!(f, "|---|---:|---:|---:|---:|---:|")?;
        for Kind { name, class, runs, named } in &self.0 {
            let [nothing, target, machine] = named;
            let right = named[*class as usize];
            let percent = 100.0 * right as f64 / *runs as f64;
            writeln!(f, "| {name} | {runs} | {nothing} | {target} | {machine} | {percent:.0} % |")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_bench_verdict::CAUSES;

    #[test]
    fn kinds_count_what_was_named_and_what_was_right() {
        let cause = |name: &str| CAUSES.iter().find(|cause| cause.name == name).unwrap();
        let mut kinds = Kinds::default();
        for (name, finding) in [
            ("idle-ldap-10", Finding::Valid),
            ("quota-of-10-percent", Finding::GeneratorLimited),
            ("idle-dhcp-10", Finding::TargetBlamed),
            ("quota-of-20-percent", Finding::Missed),
            ("quota-of-20-percent", Finding::Valid),
            ("quota-of-2-percent", Finding::Other),
        ] {
            kinds.add(cause(name), finding);
        }
        let shown = kinds.to_string();
        let rows: Vec<&str> = shown.lines().skip(2).collect();
        let expected =
            ["| none, open load | 2 | 1 | 1 | 0 | 50 % |", "| a quota | 4 | 1 | 1 | 1 | 25 % |"];
        assert_eq!(rows, expected);
    }
}
