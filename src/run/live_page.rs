//! [`LivePage`]: the page of a run in browsers, while the run goes on and once it is over (`--web`).
//!
//! What a tab shows is made here of the stream and of what was measured so far, as the page of a record is: the last
//! thing that tabs are given is that page. Words and tables are of a provisional record, which costs time; so it is
//! made for somebody who looks, and never takes more than a small share of the time there is.

use std::time::Duration;

use brunt_engine::Plan;
use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::{Head, Interval, Measured, Names, Record};
use brunt_report::run::{Told, page_so_far, record_so_far};
use brunt_report::view::{LiveView, Update, View};
use serde::Serialize;

use super::observer::{Observer, Trouble};
use super::quiet_thread;
use crate::cli::web::WebAddress;
use crate::console;
use crate::web::Server;

const SCRIPT: &str = include_str!("live_page.js");
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
    view: LiveView,
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
        let page = page_so_far(head, &empty).map_err(|error| format!("failed to {error}"))?;
        let page = page.live_html(SCRIPT);
        let spawn = |act: Box<dyn FnOnce() + Send>| quiet_thread::spawn("web", pinned, act);
        let server = Server::start(at, page, &spawn)?;
        server.show(&json(&begun));
        console::say(&format!("web: {}", server.address()));
        if !at.is_private() {
            console::note(
                "anyone who can reach this machine and knows that address can watch the run, and the connection is \
                 not encrypted",
            );
        }
        let clock = Monotonic::new();
        let view = LiveView::default();
        Ok(Self { server, head, names, clock, view, next: Moment::ZERO })
    }

    /// Where it is, with its token.
    pub(super) fn address(&self) -> &str {
        self.server.address()
    }

    /// Gives every tab the page of the record, and waits a little until they have it.
    pub(super) fn end(self, record: &Record) -> Result<(), String> {
        let page = brunt_report::run::page(record).map_err(|error| format!("failed to {error}"))?;
        self.server.show(&json(&page.view));
        self.server.tell(&json(&Told::of(&page)));
        Ok(())
    }

    /// Tells words, tables and spectra of what was measured so far, if somebody looks and it is time.
    fn tell(&mut self, measured: &Measured) -> Result<(), Trouble> {
        let began = self.clock.now();
        if began < self.next || !self.server.is_watched() {
            return Ok(());
        }
        let record = so_far(self.head, self.names, measured).map_err(Trouble::Failed)?;
        let told = Told::so_far(self.head, &record);
        let told = told.map_err(|error| Trouble::Failed(format!("failed to {error}")))?;
        self.server.tell(&json(&told));
        let ended = self.clock.now();
        self.next = ended + EVERY.max((ended - began) * SHARE);
        Ok(())
    }
}

/// The record of a run of which this was measured so far.
fn so_far(head: &Head, names: Names<'_>, measured: &Measured) -> Result<Record, String> {
    record_so_far(head, names, measured).map_err(|error| format!("failed to {error}"))
}

impl Observer for LivePage<'_> {
    fn interval(&mut self, interval: &Interval, so_far: &Measured) -> Result<(), Trouble> {
        match self.view.interval(self.head, interval, so_far.series.steps()) {
            Update::View(view) => self.server.show(&json(&view)),
            Update::Row(row) => self.server.append(&json(&row)),
        }
        self.tell(so_far)
    }
}

/// JSON of one line; what is shown here has no map whose keys are no text.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
