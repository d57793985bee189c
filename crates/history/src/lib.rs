//! What a run leaves in its directory: its files, its name, its figures, what people wrote about it.
//!
//! These are values and paths. The website keeps directories of them; the processes that it starts fill them.

mod about;
pub mod files;
mod id;
pub mod parts;
pub mod samples;
mod summary;

pub use about::{About, AboutError, MARKS_MAX, Mark, NOTE_MAX, Origin, TAGS_MAX, WORDS_MAX};
pub use files::{
    ABOUT, BROUGHT, DATA, EVENTS, EVENTS_KEPT, FIGURES, LOADGEN, LOG, OUTCOME, PAGE_KEPT, PAGE_MAX,
    PLAN, PROGRESS, RECORD, RECORD_KEPT, REQUEST, RunFiles, SMALL_MAX, STATE, STEPS_KEPT, SUMMARY,
    VIEW_KEPT, bounded,
};
pub use id::{IdError, RunId, sha256};
pub use parts::PageParts;
pub use summary::{
    Capacity, Figures, MeasuredStep, Objective, OperationFigures, SUMMARY_SCHEMA, Searched, Summary,
};
