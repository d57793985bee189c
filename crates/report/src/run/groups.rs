//! The groups of steps of a run, as a tree: each with its groups and steps below it, with figures at each level.

use super::tables::{OPERATIONS_MAX, time_titles, times};
use crate::figure::thousands;
use crate::page::{Block, Page, Sparkline, Table, Tone, Tree};
use crate::summary::millis;
use crate::view::View;
use brunt_record::{Counts, HistogramError, OperationRecord, Record};
use std::time::Duration;

/// The most rows with a course over time, which take more room than their figures.
const COURSES_MAX: usize = 60;
/// The most points of a course.
const POINTS_MAX: usize = 40;

/// Adds the groups, if the run has any. `coarse` has their figures over time.
pub(super) fn add(
    page: &mut Page,
    record: &Record,
    coarse: Option<&View>,
) -> Result<(), HistogramError> {
    let measured = Measured::new(record);
    if record.spans.iter().all(|span| span.counts.planned == 0) {
        return Ok(());
    }
    let mut tree = Tree { course: "p99 over time".to_owned(), ..Tree::default() };
    tree.table = Table::new("Groups: times in milliseconds")
        .names(["group"])
        .figures(["count", "ok", "failed", "skipped"])
        .figures(time_titles());
    let rows = measured.rows();
    for (number, level) in rows.iter().take(OPERATIONS_MAX) {
        let one = measured.all[*number];
        let Counts { sent, ok, skipped, .. } = one.counts;
        let counts = [sent, ok, sent - ok, skipped].map(thousands);
        let first = [one.name.clone()].into_iter().chain(counts);
        tree.table.row(Tone::Plain, first.chain(times(&one.response)?));
        tree.levels.push(*level);
    }
    if let Some(coarse) = coarse {
        let drawn = rows.iter().take(COURSES_MAX.min(OPERATIONS_MAX));
        tree.sparklines = drawn.map(|(number, _)| course(coarse, *number)).collect();
    }
    if rows.len() > OPERATIONS_MAX {
        let more = rows.len() - OPERATIONS_MAX;
        tree.table.note(format!("{more} further rows are not shown; the record has them."));
    }
    tree.table.note(
        "A group lasts from the beginning of its first exchange to the end of its last. Below it are its groups and \
         steps. What has the same name in several groups is below the one that contains them all.",
    );
    page.push(Block::Tree(tree));
    Ok(())
}

/// All that is measured: the operations, then the spans.
struct Measured<'a> {
    all: Vec<&'a OperationRecord>,
    operations: usize,
}

impl<'a> Measured<'a> {
    fn new(record: &'a Record) -> Self {
        let all = record.operations.iter().chain(&record.spans).collect();
        Self { all, operations: record.operations.len() }
    }

    /// The numbers of what was met, each with its level, what contains others before them.
    fn rows(&self) -> Vec<(usize, usize)> {
        let mut rows = Vec::new();
        self.below(None, 0, &mut rows);
        rows
    }

    fn below(&self, group: Option<&str>, level: usize, rows: &mut Vec<(usize, usize)>) {
        // A record from elsewhere may have circles.
        if level > self.all.len() {
            return;
        }
        let mut parts: Vec<usize> = self.parts(group).collect();
        parts.retain(|number| self.is_met(*number, level));
        parts.sort_by_key(|number| self.place(*number, level));
        for number in parts {
            rows.push((number, level));
            if number >= self.operations {
                self.below(Some(&self.all[number].name), level + 1, rows);
            }
        }
    }

    /// What is in a group and in no group within it.
    fn parts<'b>(&'b self, group: Option<&'b str>) -> impl Iterator<Item = usize> + 'b {
        let numbered = self.all.iter().enumerate();
        numbered.filter(move |(_, one)| one.within.as_deref() == group).map(|(number, _)| number)
    }

    /// Whether it began. A group that never ended did, if one of its steps did.
    fn is_met(&self, number: usize, level: usize) -> bool {
        let one = self.all[number];
        let is_group = number >= self.operations && level <= self.all.len();
        one.counts.planned > 0
            || is_group && self.parts(Some(&one.name)).any(|part| self.is_met(part, level + 1))
    }

    /// Where it is among its neighbours: where its first step is, in the order of the plan. What has no steps is
    /// another figure of the step that its name begins with, or of the group itself.
    fn place(&self, number: usize, level: usize) -> Option<(usize, usize)> {
        if number < self.operations {
            return Some((number, 0));
        }
        let name = &*self.all[number].name;
        let is_of = |step: &&OperationRecord| {
            name.strip_prefix(&*step.name).is_some_and(|rest| rest.starts_with(' '))
        };
        let step = || self.all[..self.operations].iter().position(is_of).map(|step| (step, 1));
        self.first_step(name, level).map(|first| (first, 0)).or_else(step)
    }

    /// The number of the first step within a group.
    fn first_step(&self, group: &str, level: usize) -> Option<usize> {
        let first = |part: usize| {
            let is_step = part < self.operations;
            if is_step { Some(part) } else { self.first_step(&self.all[part].name, level + 1) }
        };
        let is_deep = level > self.all.len();
        self.parts(Some(group)).filter(|_| !is_deep).filter_map(first).min()
    }
}

/// The 99th percentile of one of what is measured, over time.
fn course(coarse: &View, number: usize) -> Sparkline {
    let Some(at) = coarse.own.iter().position(|column| column.key == "p99") else {
        return Sparkline::default();
    };
    let value = |own: &Vec<Vec<Option<f64>>>| own.get(number)?.get(at).copied().flatten();
    let values: Vec<Option<f64>> = coarse.rows.iter().map(|row| value(&row.own)).collect();
    let each = values.len().div_ceil(POINTS_MAX).max(1);
    let most = |values: &[Option<f64>]| values.iter().flatten().copied().reduce(f64::max);
    let values: Vec<Option<f64>> = values.chunks(each).map(most).collect();
    let known = || values.iter().flatten().copied();
    let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    let words = if least > most {
        "not measured".to_owned()
    } else {
        let [least, most] = [least, most].map(|ms| millis(Duration::from_secs_f64(ms / 1e3)));
        format!("between {least} and {most} ms")
    };
    Sparkline { values, words }
}
