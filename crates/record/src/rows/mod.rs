//! [`Rows`]: merges the intervals of several sources row by row, into one stream.
//!
//! The sources are the workers of a machine, or the machines of a run ([`NodeRows`]). A row is one phase of one step.
//! It waits until every source has passed it, but only for a limited time: a delayed source must not keep the figures
//! of the others from the screen. An interval that arrives too late for its row is merged into the next one. So rows
//! are on time and in order, and their sums are exact whatever the order of the intervals. Time is an argument, counted
//! from any fixed moment, and nothing here blocks.

mod node;
mod received;
#[cfg(test)]
mod tests;

pub use node::{Missing, NodeRow, NodeRows, Receipt};

use crate::{Interval, Phase};
use std::collections::BTreeMap;
use std::time::Duration;

/// Identifies a row: rows are returned in this order.
type Key = (u64, Phase);

/// One row, with every interval that arrived in time for it, and those that arrived too late for earlier rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured, over all sources.
    pub interval: Interval,
    /// The source that owns its memory, for callers that return memory.
    pub source: usize,
    /// The sources that the row no longer waited for, in order.
    pub missing: Vec<usize>,
}

/// Intervals of several sources, merged row by row.
#[derive(Clone, Debug)]
pub struct Rows {
    patience: Duration,
    sources: Vec<Progress>,
    open: BTreeMap<Key, OpenRow>,
    /// The last row that was returned.
    last: Option<Key>,
    /// When the last of those ended.
    end: Duration,
}

/// How far a source has progressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Nothing,
    Past(Key),
    Over,
}

#[derive(Clone, Debug)]
struct OpenRow {
    since: Duration,
    interval: Interval,
    source: usize,
    /// Whether it includes an interval of this very step, which sets the bounds of the row.
    own: bool,
}

impl Rows {
    /// The most rows that are open at once. If there are more, the first rows are returned without waiting.
    pub const OPEN_MAX: usize = 1_024;

    /// Rows of this many sources, each of which waits at most this long from its first interval on.
    pub fn new(sources: usize, patience: Duration) -> Self {
        Self {
            patience,
            sources: vec![Progress::Nothing; sources],
            open: BTreeMap::new(),
            last: None,
            end: Duration::ZERO,
        }
    }

    /// Merges an interval into its row. Returns the interval if its memory is free again.
    pub fn lay(
        &mut self,
        source: usize,
        mut interval: Interval,
        now: Duration,
    ) -> Option<Interval> {
        let own = (interval.index, interval.phase);
        let key = self.row_of(own);
        if key != own {
            interval.index = key.0;
            // The interval is of a past moment; its source reports the current level.
            interval.in_flight = 0;
        }
        let Some(row) = self.open.get_mut(&key) else {
            if key != own {
                (interval.from, interval.to) = (self.end, self.end);
            }
            let row = OpenRow { since: now, interval, source, own: key == own };
            self.open.insert(key, row);
            return None;
        };
        if key != own {
            (interval.from, interval.to) = (row.interval.from, row.interval.to);
        } else if !row.own {
            (row.interval.from, row.interval.to) = (interval.from, interval.to);
            row.own = true;
        }
        row.interval.merge(&interval);
        Some(interval)
    }

    /// Notes that a source has delivered everything up to this row, this row included.
    pub fn reached(&mut self, source: usize, index: u64, phase: Phase) {
        if let Some(progress) = self.sources.get_mut(source)
            && *progress != Progress::Over
        {
            let before =
                if let Progress::Past(key) = *progress { key } else { (0, Phase::Prepare) };
            *progress = Progress::Past(before.max((index, phase)));
        }
    }

    /// Notes that nothing more is expected of a source. If it delivers more, that is still taken.
    pub fn over(&mut self, source: usize) {
        if let Some(progress) = self.sources.get_mut(source) {
            *progress = Progress::Over;
        }
    }

    /// Whether nothing more is expected of any source.
    pub fn is_over(&self) -> bool {
        self.sources.iter().all(|source| *source == Progress::Over)
    }

    /// The next row, if it is complete or has waited long enough.
    pub fn next(&mut self, now: Duration) -> Option<Row> {
        let first = self.open.first_entry()?;
        let key = *first.key();
        let missing = missing(&self.sources, key);
        if !missing.is_empty() && self.open.len() <= Self::OPEN_MAX && !self.is_overdue(now) {
            return None;
        }
        let (_, row) = self.open.pop_first()?;
        self.last = Some(key);
        self.end = self.end.max(row.interval.to);
        Some(Row { interval: row.interval, source: row.source, missing })
    }

    /// The step of the next row, if there is anything of it.
    pub fn next_index(&self) -> Option<u64> {
        self.open.first_key_value().map(|((index, _), _)| *index)
    }

    /// How long until the next row is returned even if sources are missing; none if no row is open.
    pub fn wait(&self, now: Duration) -> Option<Duration> {
        let oldest = self.open.values().map(|row| row.since).min()?;
        Some(oldest.saturating_add(self.patience).saturating_sub(now))
    }

    /// Whether any row has waited long enough: earlier rows are returned first.
    fn is_overdue(&self, now: Duration) -> bool {
        self.wait(now).is_some_and(|wait| wait.is_zero())
    }

    /// The row that an interval belongs to: its own, or the next one of its phase that was not yet returned.
    fn row_of(&self, own: Key) -> Key {
        match self.last {
            Some(last) if own <= last && own.1 > last.1 => (last.0, own.1),
            Some(last) if own <= last => (last.0.saturating_add(1), own.1),
            _ => own,
        }
    }
}

/// The sources that have not passed a row.
fn missing(sources: &[Progress], key: Key) -> Vec<usize> {
    let behind = |progress: &Progress| match progress {
        Progress::Nothing => true,
        Progress::Past(past) => *past < key,
        Progress::Over => false,
    };
    let missing = sources.iter().enumerate().filter(|(_, progress)| behind(progress));
    missing.map(|(source, _)| source).collect()
}
