//! The page of a run in progress, and the updates that it receives: [`LiveUpdate`].
//!
//! The process that makes a run and a process that follows its events show the same page: words and tables of a
//! provisional record, with the wording for a run that is not over.

use super::{OBJECTIVES, live_page};
use crate::figure::NONE;
use crate::page::{Block, Page, Tone, Verdict};
use crate::view::{Spectrum, View};
use brunt_record::{Ending, Head, HistogramError, Measured, Names, Record, SloError};
use serde::Serialize;

/// What a live page receives beside rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LiveUpdate {
    /// The inner HTML of each section, by its id.
    pub sections: Vec<(String, String)>,
    /// The spectra of the view, for the whole run.
    pub spectra: Vec<Spectrum>,
}

impl LiveUpdate {
    /// The update for a run of which a provisional record was made.
    pub fn so_far(head: &Head, record: &Record) -> Result<Self, HistogramError> {
        let sections = page_so_far(head, record)?.sections();
        Ok(Self { sections, spectra: View::spectra_of(record)? })
    }

    /// The update for a run that is over, from its page.
    pub fn new(page: &Page) -> Self {
        let spectra = page.view.as_ref().map(|view| view.spectra.clone()).unwrap_or_default();
        Self { sections: page.sections(), spectra }
    }
}

/// The record of a run of which this was measured so far.
pub fn record_so_far(
    head: &Head,
    names: Names<'_>,
    measured: &Measured,
) -> Result<Record, SloError> {
    let ending = Ending::so_far(&measured.totals, None);
    measured.conclusion(head.clone(), names, ending).record()
}

/// The page of a run in progress.
pub fn page_so_far(head: &Head, record: &Record) -> Result<Page, HistogramError> {
    let mut page = live_page(record, View::begun(head))?;
    let is_empty = record.counts.due() == 0;
    page.blocks.iter_mut().for_each(|block| provisional(block, is_empty));
    Ok(page)
}

/// Changes the wording for a finished run into that for a run in progress.
fn provisional(block: &mut Block, is_empty: bool) {
    match block {
        Block::Lead(words) if is_empty => "The run has begun.".clone_into(words),
        Block::Lead(words) => *words = format!("So far: {words}"),
        Block::Verdict(verdict) if is_empty => {
            let (word, meaning) = ("Running", "Nothing of the steady phase was measured yet.");
            *verdict = Verdict {
                word: word.to_owned(),
                meaning: meaning.to_owned(),
                ..Verdict::default()
            };
        }
        // Before the window an objective is neither met nor missed.
        Block::Table(table) if is_empty && table.caption == OBJECTIVES => {
            table.columns.truncate(3);
            for row in &mut table.rows {
                row.tone = Tone::Plain;
                row.cells.truncate(1);
                row.cells.extend(["not yet".to_owned(), NONE.to_owned()]);
            }
        }
        Block::Verdict(verdict) => {
            verdict.word.push_str(" so far");
            "This would be the verdict if the run ended now.".clone_into(&mut verdict.meaning);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Row;
    use crate::summary::tests::measured;
    use brunt_record::Counts;

    /// The rows of objectives of a run in progress.
    fn objectives(record: &Record) -> Vec<Row> {
        let mut page = live_page(record, View::default()).unwrap();
        let is_empty = record.counts.due() == 0;
        page.blocks.iter_mut().for_each(|block| provisional(block, is_empty));
        let mut tables = page.blocks.into_iter().filter_map(|block| match block {
            Block::Table(table) if table.caption == OBJECTIVES => Some(table.rows),
            _ => None,
        });
        tables.next_back().expect("the objectives")
    }

    #[test]
    fn before_the_window_objectives_are_not_judged_yet() {
        let mut record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
        let judged = objectives(&record);
        assert_eq!(judged[0].cells[..2], ["bind.ok.p99<1ms", "missed"]);
        record.counts = Counts::default();
        let cells: Vec<Vec<String>> =
            objectives(&record).into_iter().map(|row| row.cells).collect();
        assert_eq!(
            cells,
            [["bind.ok.p99<1ms", "not yet", NONE], ["goodput>=70%", "not yet", NONE]]
        );
    }
}
