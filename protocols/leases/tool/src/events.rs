//! [`Events`]: the event file of a comparison (`--events`), which contains the lines of all its runs.
//!
//! If it can no longer be written, the comparison continues without it, and its exit code reflects that.

use std::io;
use std::path::Path;

use brunt_record::events::{GatheredLog, SharedLog};
use brunt_record::{Cell, Collection};
use brunt_run::{Console, FileError, WriteFailures};

/// An event file, if one is requested and as long as it can be written.
#[derive(Debug)]
pub(crate) struct Events {
    console: Console,
    log: Option<GatheredLog>,
    losses: WriteFailures,
}

impl Events {
    /// No file.
    pub(crate) fn none(console: &Console) -> Self {
        Self { console: console.clone(), log: None, losses: WriteFailures::new(console) }
    }

    /// Opens the file.
    pub(crate) fn create(path: Option<&Path>, console: &Console) -> Result<Self, FileError> {
        let log = path.map(|path| {
            let log = if path == Path::new("-") {
                Ok(GatheredLog::new(SharedLog::new(Box::new(console.writer()))))
            } else {
                GatheredLog::create(path)
            };
            log.map_err(|error| FileError::unwritable("--events", path, error))
        });
        Ok(Self { log: log.transpose()?, ..Self::none(console) })
    }

    /// The log to which the next run writes its lines.
    pub(crate) fn shared(&self) -> Option<SharedLog> {
        self.log.as_ref().map(GatheredLog::shared)
    }

    /// Writes the beginning, before any measurement.
    pub(crate) fn begin(&mut self, collection: &Collection) {
        self.write(|log| log.begin(collection));
    }

    /// Marks the beginning of a run, whose cell will have these labels.
    pub(crate) fn cell(&mut self, labels: &[(&'static str, String)]) {
        let owned = labels.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        let labels = owned.collect();
        self.write(|log| log.cell(labels));
    }

    /// Marks the end of a run, with what it could not write.
    pub(crate) fn run(&mut self, losses: &WriteFailures) {
        if !losses.is_empty() {
            self.log = None;
            self.losses.add(losses);
        }
    }

    /// Writes a complete cell.
    pub(crate) fn cell_end(&mut self, cell: &Cell) {
        self.write(|log| log.cell_end(cell));
    }

    /// Marks the end of the cells, and returns what could not be written.
    pub(crate) fn end(mut self) -> WriteFailures {
        if let Some(Err(error)) = self.log.take().map(GatheredLog::end) {
            self.losses.keep(Err(FileError::Events(error)));
        }
        self.losses
    }

    fn write(&mut self, act: impl FnOnce(&mut GatheredLog) -> io::Result<()>) {
        let Some(log) = &mut self.log else { return };
        if let Err(error) = act(log) {
            self.log = None;
            let why = FileError::Events(error);
            self.console.note(&format!("{why}; the comparison continues without it"));
            self.losses.keep(Err(why));
        }
    }
}
