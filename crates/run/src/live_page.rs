//! [`LivePage`]: the page of a run in browsers, during the run and when it is over (`--web`).
//!
//! The content of a tab is made here from the stream and from what was measured so far, in the way the page of a record
//! is; the last content that tabs receive is that page. Texts and tables come from a provisional record, which takes
//! time to make; so they are made only while a tab is open, and never take more than a small share of the time.

use std::time::Duration;

use brunt_engine::Plan;
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Head, HistogramError, Interval, Measured, Names, Record, SloError};
use brunt_report::run::{LiveUpdate, page_so_far, record_so_far};
use brunt_report::view::{LiveView, Update, View};
use serde::Serialize;

use super::observer::{Observer, ObserverFailure};
use super::quiet_thread;
use crate::console::Console;
use crate::options::web::WebAddress;
use crate::web::{ServeError, Server};

const SCRIPT: &str = include_str!("live_page.js");
/// How often texts and tables are made.
const EVERY: Duration = Duration::from_secs(2);
/// The run's collector may spend at most one part in this number of its time on them.
const SHARE: u32 = 50;

/// Why a run cannot be shown in browsers.
#[derive(Debug, thiserror::Error)]
pub enum LivePageError {
    /// An objective cannot be judged.
    #[error("failed to {0}")]
    Record(#[from] SloError),
    /// A histogram cannot be read.
    #[error("failed to {0}")]
    Page(#[from] HistogramError),
    /// The page cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Shows a run in browsers.
pub(crate) struct LivePage<'a> {
    server: Server,
    head: &'a Head,
    names: Names<'a>,
    clock: Monotonic,
    view: LiveView,
    /// When texts and tables may be made next.
    next: Moment,
}

impl<'a> LivePage<'a> {
    /// Begins to serve the page, and prints its address. The error is what failed.
    pub(crate) fn start(
        at: WebAddress,
        head: &'a Head,
        names: Names<'a>,
        load: &Plan,
        console: &Console,
    ) -> Result<Self, LivePageError> {
        let pinned = if load.settings().pin { load.workers() } else { 0 };
        let begun = View::begun(head);
        let empty = record_so_far(head, names, &Measured::default())?;
        let page = page_so_far(head, &empty)?.live_html(SCRIPT);
        let spawn = |act: Box<dyn FnOnce() + Send>| quiet_thread::spawn("web", pinned, act);
        let server = Server::start(at, page, &spawn)?;
        server.show(&json(&begun));
        console.announce(&format!("web: {}", server.address()));
        if !at.is_private() {
            console.note(
                "anyone who can reach this machine and knows that address can watch the run, and the connection is \
                 not encrypted",
            );
        }
        let clock = Monotonic::new();
        let view = LiveView::default();
        Ok(Self { server, head, names, clock, view, next: Moment::ZERO })
    }

    /// Its address, with its token.
    pub(crate) fn address(&self) -> &str {
        self.server.address()
    }

    /// Sends the page of the record to every tab, and waits briefly until they have received it.
    pub(crate) fn end(self, record: &Record) -> Result<(), LivePageError> {
        let page = brunt_report::run::page(record)?;
        self.server.show(&json(&page.view));
        self.server.report(&json(&LiveUpdate::new(&page)));
        Ok(())
    }

    /// Sends texts, tables and spectra of what was measured so far, if a tab is open and they are due.
    fn report(&mut self, measured: &Measured) -> Result<(), LivePageError> {
        let began = self.clock.now();
        if began < self.next || !self.server.is_watched() {
            return Ok(());
        }
        let record = record_so_far(self.head, self.names, measured)?;
        let update = LiveUpdate::so_far(self.head, &record)?;
        self.server.report(&json(&update));
        let ended = self.clock.now();
        self.next = ended + EVERY.max((ended - began) * SHARE);
        Ok(())
    }
}

impl Observer for LivePage<'_> {
    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), ObserverFailure> {
        match self.view.interval(self.head, interval, so_far.series.steps()) {
            Update::View(view) => self.server.show(&json(&view)),
            Update::Row(row) => self.server.append(&json(&row)),
        }
        self.report(so_far).map_err(ObserverFailure::failed)
    }
}

/// JSON in one line; it cannot fail, since no map here has keys other than text.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
