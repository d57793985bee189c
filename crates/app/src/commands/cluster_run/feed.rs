//! [`Feed`]: reads the event stream of one agent's run as the event file that it is.
//!
//! The stream of an agent is an event file in pieces, so the common reader of event files reads it, with all its
//! checks. The reader pulls lines, while pieces arrive when the agent sends them; so each stream has a thread that
//! waits for them. The values are also added up: if an agent is lost, a record is made from what it had sent.

use brunt_exchange::{Named, Outcome};
use brunt_record::events::{Event, EventError, EventReader};
use brunt_record::{Cause, Ending, Head, Interval, Measured, Record, SloError};
use std::collections::HashMap;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

/// How many pieces can wait to be read before the agent must send them again.
const PIECES_MAX: usize = 16;

/// Why the stream of an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("failed to {0}")]
    Read(#[from] EventError),
    #[error("failed to {0}")]
    Record(#[from] SloError),
    #[error("failed to read the report of an agent: its intervals do not match its record")]
    Mismatch,
}

/// A part of an agent's stream that has been read.
#[derive(Debug)]
pub(super) enum StreamPart {
    /// What is known before its run.
    Head(Box<Head>),
    /// What was measured in one step, and the names of the outcomes in it.
    Interval(Box<Interval>, HashMap<(usize, Outcome), Named>),
    /// The stream ended, or is not an event stream.
    Over(Result<Box<AgentStream>, StreamError>),
}

/// Everything that an agent's run has sent.
#[derive(Debug)]
pub(super) struct AgentStream {
    head: Head,
    measured: Measured,
    names: HashMap<(usize, Outcome), Named>,
    /// The record that the run made, if its stream reached its end.
    whole: Option<Box<Record>>,
}

/// Reads the stream of one agent.
#[derive(Debug)]
pub(super) struct Feed {
    pieces: Option<SyncSender<Vec<u8>>>,
}

impl Feed {
    /// Begins to read. `fed` is called on a thread of its own, and may block.
    pub(super) fn start(
        label: &str,
        fed: impl FnMut(StreamPart) + Send + 'static,
    ) -> io::Result<Self> {
        let (pieces, incoming) = sync_channel(PIECES_MAX);
        let path = PathBuf::from(label);
        let read = move || read(&path, Pieces { incoming, rest: io::Cursor::default() }, fed);
        // The thread ends when nothing more can arrive, and reports how the stream ended.
        std::thread::Builder::new().name("feed".to_owned()).spawn(read)?;
        Ok(Self { pieces: Some(pieces) })
    }

    /// Adds the next piece of the stream, and returns whether there was room for it.
    pub(super) fn offer(&self, piece: Vec<u8>) -> bool {
        let Some(pieces) = &self.pieces else { return true };
        match pieces.try_send(piece) {
            Err(TrySendError::Full(_)) => false,
            // If reading has failed, that was reported, and further pieces are of no use.
            Ok(()) | Err(TrySendError::Disconnected(_)) => true,
        }
    }

    /// Marks the end of the stream.
    pub(super) fn close(&mut self) {
        self.pieces = None;
    }
}

impl AgentStream {
    /// What was known before the run.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// What was measured, as far as it was received.
    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The record that the run made; if the end of the run was not received, a record of what was, cut short for this
    /// reason.
    pub(super) fn record(&self, cut: &str) -> Result<Record, StreamError> {
        let totals = &self.measured.totals;
        let Some(whole) = &self.whole else {
            let names = |operation, outcome| {
                self.names.get(&(operation, outcome)).cloned().unwrap_or_default()
            };
            let ending =
                Ending::so_far(totals).cut_short(Cause::AgentLost { what: cut.to_owned() }.into());
            let conclusion = self.measured.conclusion(self.head.clone(), &names, ending);
            return Ok(conclusion.record()?);
        };
        let counts = totals.measured().map(|measured| measured.counts()).unwrap_or_default();
        if (counts, totals.counts()) == (whole.counts, whole.conservation.counts) {
            return Ok(Record::clone(whole));
        }
        Err(StreamError::Mismatch)
    }
}

fn read(path: &Path, pieces: Pieces, mut fed: impl FnMut(StreamPart)) {
    let mut events = EventReader::new(path, BufReader::new(pieces));
    let head = match events.head() {
        Ok(head) => head,
        Err(error) => return fed(StreamPart::Over(Err(error.into()))),
    };
    fed(StreamPart::Head(Box::new(head.clone())));
    let mut tale =
        AgentStream { head, measured: Measured::default(), names: HashMap::new(), whole: None };
    loop {
        match events.next_event() {
            Ok(Some(Event::Interval(interval))) => {
                tale.measured.absorb(&interval);
                let names = names(&interval, |operation, outcome| events.name(operation, outcome));
                tale.names.extend(names.iter().map(|(key, name)| (*key, name.clone())));
                fed(StreamPart::Interval(interval, names));
            }
            Ok(Some(Event::End { record, .. })) => tale.whole = Some(record),
            Ok(Some(_)) => {}
            Ok(None) => return fed(StreamPart::Over(Ok(Box::new(tale)))),
            Err(error) => return fed(StreamPart::Over(Err(error.into()))),
        }
    }
}

/// The names of the outcomes of an interval.
fn names(
    interval: &Interval,
    name: impl Fn(usize, Outcome) -> Named,
) -> HashMap<(usize, Outcome), Named> {
    let of_operation = |(number, codes): (usize, Vec<(Outcome, u64)>)| {
        codes.into_iter().map(move |(outcome, _)| (number, outcome)).collect::<Vec<_>>()
    };
    let operations =
        interval.operations.iter().map(|operation| operation.codes.sorted()).enumerate();
    let unready = [(0, interval.unready.sorted())];
    let keys = operations.chain(unready).flat_map(of_operation);
    keys.map(|(number, outcome)| ((number, outcome), name(number, outcome))).collect()
}

/// The pieces of a stream, read as a file.
struct Pieces {
    incoming: Receiver<Vec<u8>>,
    rest: io::Cursor<Vec<u8>>,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.rest.read(into)?;
            if read > 0 {
                return Ok(read);
            }
            match self.incoming.recv() {
                Ok(piece) => self.rest = io::Cursor::new(piece),
                Err(_) => return Ok(0),
            }
        }
    }
}
