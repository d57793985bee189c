//! The page of a run in progress, and the updates that it receives: [`LiveUpdate`].
//!
//! The process that makes a run and a process that follows its events show the same page: words and tables of a
//! provisional record, with the wording for a run that is not over.

use super::{goals, live_page};
use crate::page::{Block, Page, Tone, Verdict};
use crate::view::{Spectrum, View};
use brunt_record::{Ending, Head, HistogramError, Measured, Names, OutcomeTone, Record, SloError};
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
    let ending = Ending::so_far(&measured.totals);
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
        Block::Result(result) => {
            result.tone = OutcomeTone::Plain;
            if is_empty {
                "Running".clone_into(&mut result.word);
                "Nothing of the steady phase was measured yet.".clone_into(&mut result.words);
                result.more.clear();
            } else {
                "So far".clone_into(&mut result.word);
            }
        }
        Block::Trust(verdict) if is_empty => {
            let (word, meaning) = ("The run has begun", "its figures follow.");
            *verdict = Verdict {
                word: word.to_owned(),
                meaning: meaning.to_owned(),
                ..Verdict::default()
            };
        }
        Block::Trust(verdict) if verdict.tone == Tone::Plain => {
            "Nothing speaks against the figures so far".clone_into(&mut verdict.word);
            "objectives are judged at the end.".clone_into(&mut verdict.meaning);
        }
        Block::Trust(verdict) => verdict.word.push_str(", so far"),
        Block::Goals(all) => goals::provisional(all, is_empty),
        Block::Part("objectives", Some(title)) => "Objectives so far".clone_into(title),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::NONE;
    use crate::page::Goal;
    use crate::summary::tests::measured;
    use brunt_record::Counts;

    /// The page of a run in progress.
    fn so_far(record: &Record) -> Page {
        let mut page = live_page(record, View::default()).unwrap();
        let is_empty = record.counts.due() == 0;
        page.blocks.iter_mut().for_each(|block| provisional(block, is_empty));
        page
    }

    fn goals_of(page: Page) -> Vec<Goal> {
        let mut goals = page.blocks.into_iter().filter_map(|block| match block {
            Block::Goals(goals) => Some(goals),
            _ => None,
        });
        goals.next_back().expect("the objectives")
    }

    #[test]
    fn objectives_are_not_judged_before_the_window() {
        let mut record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
        let message = |record: &Record| -> Vec<[String; 3]> {
            let goals = goals_of(so_far(record)).into_iter();
            goals.map(|goal| [goal.text, goal.word, goal.found]).collect()
        };
        assert_eq!(message(&record)[0], ["bind.ok.p99<1ms", "missed so far", "3.00 ms"]);
        record.counts = Counts::default();
        assert_eq!(
            message(&record),
            [["bind.ok.p99<1ms", "not yet", NONE], ["goodput>=70%", "not yet", NONE]]
        );
    }

    #[test]
    fn run_in_progress_is_neither_good_nor_bad() {
        let mut record = measured(&["errors<1%"]);
        let lead = |record: &Record| match so_far(record).blocks.swap_remove(0) {
            Block::Result(result) => result,
            other => panic!("{other:?}"),
        };
        let result = lead(&record);
        assert_eq!((result.tone, result.word.as_str()), (OutcomeTone::Plain, "So far"));
        assert!(result.words.starts_with("55 operations a second offered"), "{}", result.words);
        record.counts = Counts::default();
        assert_eq!(lead(&record).word, "Running");
    }
}
