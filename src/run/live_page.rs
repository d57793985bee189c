//! [`LivePage`]: the page of a run in browsers, while the run goes on and once it is over (`--web`).
//!
//! What a tab shows is made here of the stream and of what was measured so far, as the page of a record is: the last
//! thing that tabs are given is that page. Words and tables are of a provisional record, which costs time; so it is
//! made for somebody who looks, and never takes more than a small share of the time there is.

use std::time::Duration;

use brunt_engine::Plan;
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Ending, Head, Interval, Measured, Names, Record};
use brunt_report::page::{Block, Page, Verdict};
use brunt_report::view::{ROWS_MAX, Slice, Spectrum, View};
use serde::Serialize;

use super::observer::{Observer, Trouble};
use crate::cli::web::WebAddress;
use crate::console;
use crate::web::Server;

const SCRIPT: &str = include_str!("live_page.js");
/// The most rows that are added to a view before it is made anew of fewer.
const APPENDED_MAX: usize = 2 * ROWS_MAX;
/// How often words and tables are made anew.
const EVERY: Duration = Duration::from_secs(2);
/// The most of its time that the run's collector may spend on them is one in so many.
const SHARE: u32 = 50;

/// Shows a run in browsers.
pub(super) struct LivePage<'a> {
    server: Server,
    head: &'a Head,
    names: Names<'a>,
    clock: Monotonic,
    /// How many rows the view has, and when the last of them ended.
    rows: usize,
    shown_to: Duration,
    /// When words and tables may be made next.
    next: Moment,
}

impl<'a> LivePage<'a> {
    /// Begins to serve the page, and says where it is. The error says what failed.
    pub(super) fn start(
        at: WebAddress,
        head: &'a Head,
        names: Names<'a>,
        load: &Plan,
    ) -> Result<Self, String> {
        let pinned = if load.settings().pin { load.workers() } else { 0 };
        let begun = View::begun(head);
        let empty = so_far(head, names, &Measured::default())?;
        let page = page_so_far(head, &empty)?.live_html(SCRIPT);
        let server = Server::start(at, page, pinned)?;
        server.show(&json(&begun));
        console::say(&format!("web: {}", server.address()));
        if !at.is_private() {
            console::note(
                "everybody who can reach this machine and knows that address can watch the run, and what is sent is \
                 not encrypted",
            );
        }
        let clock = Monotonic::new();
        let (rows, shown_to) = (0, Duration::ZERO);
        Ok(Self { server, head, names, clock, rows, shown_to, next: Moment::ZERO })
    }

    /// Gives every tab the page of the record, and waits a little until they have it.
    pub(super) fn end(self, record: &Record) -> Result<(), String> {
        let page = brunt_report::run::page(record).map_err(|error| format!("failed to {error}"))?;
        let view = page.view.as_ref();
        self.server.show(&json(&view));
        self.server.tell(&json(&Told {
            sections: page.sections(),
            spectra: view.map(|view| view.spectra.clone()).unwrap_or_default(),
        }));
        Ok(())
    }

    /// Tells words, tables and spectra of what was measured so far, if somebody looks and it is time.
    fn tell(&mut self, measured: &Measured) -> Result<(), Trouble> {
        let began = self.clock.now();
        if began < self.next || !self.server.is_watched() {
            return Ok(());
        }
        let record = so_far(self.head, self.names, measured).map_err(Trouble::Failed)?;
        let sections = page_so_far(self.head, &record).map_err(Trouble::Failed)?.sections();
        let spectra = View::spectra_of(&record);
        let spectra = spectra.map_err(|error| Trouble::Failed(format!("failed to {error}")))?;
        self.server.tell(&json(&Told { sections, spectra }));
        let ended = self.clock.now();
        self.next = ended + EVERY.max((ended - began) * SHARE);
        Ok(())
    }
}

/// What tabs are told beside rows.
#[derive(Serialize)]
struct Told {
    /// The inner HTML of each section, by its id.
    sections: Vec<(String, String)>,
    /// What the view has of the whole run.
    spectra: Vec<Spectrum>,
}

/// The record of a run of which this was measured so far.
fn so_far(head: &Head, names: Names<'_>, measured: &Measured) -> Result<Record, String> {
    let ending = Ending::so_far(&measured.totals, None);
    let record = measured.conclusion(head.clone(), names, ending).record();
    record.map_err(|error| format!("failed to {error}"))
}

/// The page of a run that goes on.
fn page_so_far(head: &Head, record: &Record) -> Result<Page, String> {
    let page = brunt_report::run::live_page(record, View::begun(head));
    let mut page = page.map_err(|error| format!("failed to {error}"))?;
    let is_empty = record.counts.due() == 0;
    page.blocks.iter_mut().for_each(|block| provisional(block, is_empty));
    Ok(page)
}

/// What a finished run would say of itself, said of one that goes on.
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
        Block::Verdict(verdict) => {
            verdict.word.push_str(" so far");
            "This would be found if the run ended now.".clone_into(&mut verdict.meaning);
        }
        _ => {}
    }
}

impl Observer for LivePage<'_> {
    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), Trouble> {
        // What ends late of an earlier phase lies beside a row that tabs have; and there may be too many rows.
        if interval.from < self.shown_to || self.rows >= APPENDED_MAX {
            let view = View::so_far(self.head, so_far.series.steps());
            self.rows = view.rows.len();
            self.server.show(&json(&view));
        } else {
            let operations = View::begun(self.head).operations.len();
            let numbers: Vec<usize> = (0..operations).collect();
            self.server.append(&json(&Slice::of_interval(interval).row(&numbers)));
            self.rows += 1;
        }
        self.shown_to = self.shown_to.max(interval.to);
        self.tell(so_far)
    }
}

/// JSON of one line; what is shown here has no map whose keys are no text.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
