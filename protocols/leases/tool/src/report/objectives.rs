//! The results of the objectives: every run is evaluated against each of them.

use super::runs::{Naming, Runs};
use brunt_record::{SloOutcome, SloResult};
use brunt_report::figure::fixed;
use brunt_report::page::{Page, Table, Tone};

/// Adds a table, if there were objectives. A row stands for all runs of one thing.
pub(super) fn add<'a>(page: &mut Page, runs: &[Runs<'a>], naming: &Naming<'a>) {
    let mut table = Table::new("Objectives")
        .names(["Objective", "Of"])
        .figures(["Least", "Greatest", "Met"])
        .names([""]);
    for runs in runs {
        let records = runs.cells.iter().filter_map(|cell| cell.record.as_ref());
        let results: Vec<&SloResult> = records.flat_map(|record| &record.slo).collect();
        let mut listed: Vec<&str> = Vec::new();
        for first in &results {
            if listed.contains(&first.expr.as_str()) {
                continue;
            }
            listed.push(&first.expr);
            let same = || results.iter().filter(|result| result.expr == first.expr);
            let values = || same().filter_map(|result| result.value);
            let [least, greatest] = [values().reduce(f64::min), values().reduce(f64::max)];
            let of_all = |outcome| same().filter(|result| result.outcome == outcome).count();
            let (met, missed, all) =
                (of_all(SloOutcome::Met), of_all(SloOutcome::Missed), same().count());
            let value = |value: Option<f64>| match value {
                Some(_) => format!("{} {}", fixed(value, 3), first.unit).trim_end().to_owned(),
                None => fixed(None, 3),
            };
            let (tone, word) = match (met, missed) {
                (met, _) if met == all => (Tone::Plain, SloOutcome::Met.word()),
                (_, 0) => (Tone::Doubtful, SloOutcome::Undecided.word()),
                _ => (Tone::Doubtful, SloOutcome::Missed.word()),
            };
            let share = format!("{met} of {all}");
            let of = naming.of(runs);
            let cells = [first.expr.clone(), of, value(least), value(greatest), share];
            table.row(tone, cells.into_iter().chain([word.to_owned()]));
        }
    }
    page.table(table);
}
