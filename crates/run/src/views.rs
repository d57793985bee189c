//! [`Views`]: the observers that every run may have, for every tool: progress, the live view, the live page, and
//! figures for other tools.
//!
//! An observer that an option requests and that needs only the intervals is one line in [`Views::open`].

use brunt_engine::Stop;
use brunt_record::{Head, Names, Record};

use super::export::{ExportError, Exports, LastScrape};
use super::job::Job;
use super::live_page::{LivePage, LivePageError};
use super::observer::Observer;
use super::progress::Progress;
use super::write_failures::WriteFailures;
use crate::live_view::Live;
use crate::options::output;
use crate::world::World;

/// Why a view of a run cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The figures for other tools.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The live page.
    #[error(transparent)]
    Page(#[from] LivePageError),
}

/// The observers of any run, as far as they are requested.
pub(crate) struct Views<'a> {
    /// Those that need only the intervals.
    plain: Vec<Box<dyn Observer + 'a>>,
    page: Option<LivePage<'a>>,
    exports: Option<Exports<'a>>,
}

impl<'a> Views<'a> {
    /// Opens those that are requested, before the run begins. The error says which one failed.
    pub(crate) fn open(
        job: &Job,
        (head, names): (&'a Head, Names<'a>),
        stop: &Stop,
        quiet: bool,
        world: &World,
    ) -> Result<Self, ViewError> {
        let (output, workers) = (&job.output, job.load.workers());
        let console = &world.console;
        let exports =
            Exports::open(output, (head, names), (workers, &job.semantics), quiet, world)?;
        let page = output.run.web.map(|at| LivePage::start(at, head, names, &job.load, console));
        let page = page.transpose()?;
        let figures = output.progress == output::Progress::Figures;
        let progress = figures.then(|| Progress::new(job.load.lasting(), console));
        let live =
            Live::open(job, (head, names), stop, page.as_ref().map(LivePage::address), console);
        let mut plain: Vec<Box<dyn Observer + 'a>> = Vec::new();
        plain.extend(progress.map(boxed));
        plain.extend(live.map(boxed));
        Ok(Self { plain, page, exports })
    }

    /// The observers of a tool, and these.
    pub(crate) fn with<'o>(
        &'o mut self,
        tool: &'o mut [&mut dyn Observer],
    ) -> Vec<&'o mut dyn Observer>
    where
        'a: 'o,
    {
        let Self { plain, page, exports } = self;
        let tool = tool.iter_mut().map(|observer| &mut **observer as &mut dyn Observer);
        tool.chain(plain.iter_mut().map(|it| &mut **it as &mut dyn Observer))
            .chain(page.as_mut().map(|it| it as &mut dyn Observer))
            .chain(exports.as_mut().map(|it| it as &mut dyn Observer))
            .collect()
    }

    /// Shows the result of the run in the views that are still open.
    pub(crate) fn close(
        self,
        record: &Record,
        stop: &Stop,
        losses: &mut WriteFailures,
    ) -> LastScrape {
        if let Some(page) = self.page {
            losses.keep(page.end(record));
        }
        self.exports.map(|exports| exports.close(stop, losses)).unwrap_or_default()
    }
}

fn boxed<'a>(observer: impl Observer + 'a) -> Box<dyn Observer + 'a> {
    Box::new(observer)
}
