//! Summaries for tests.

use brunt_record::{Mode, RunOutcome, Status};

use super::{Figures, SUMMARY_SCHEMA, Summary};

/// The summary of a successful run.
pub fn summary() -> Summary {
    Summary {
        schema: SUMMARY_SCHEMA.to_owned(),
        sha256: String::new(),
        run: None,
        fingerprint: None,
        load: String::new(),
        started: "2026-11-23T10:00:00Z".to_owned(),
        tool: "brunt 0.1.0".to_owned(),
        command: vec!["brunt".to_owned(), "authrate".to_owned()],
        target: None,
        host: "h".to_owned(),
        cores: Some(2),
        mode: Mode::Open,
        sessions: 1,
        seconds: 10.0,
        sentence: "It was carried out.".to_owned(),
        outcome: Some(RunOutcome::Measured),
        verdict: Status::Valid,
        reasons: Vec::new(),
        objectives: Vec::new(),
        figures: Figures::default(),
        operations: Vec::new(),
        curve: Vec::new(),
        capacity: None,
    }
}
