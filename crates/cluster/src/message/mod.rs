//! The messages between agents and a coordinator.
//!
//! Every message is a request of an agent or its answer, because core NATS guarantees no delivery: an important request
//! is repeated until it is answered. An agent that waits requests work ([`Join`], answered by an [`Order`]); an agent
//! that has an order reports ([`Report`]) and receives an instruction ([`Word`]). A report contains a piece of the
//! event lines of its run with its position in the stream, and a word says how much has arrived, so nothing is taken
//! twice and nothing is skipped. All of it is received from a network, so reading is bounded and an error is a value.

mod frame;
mod name;
mod order;
mod piece;
mod report;
mod sealed;

pub use frame::{FrameError, PAYLOAD_MAX, PIECE_MAX, Piece, read_head, read_report, write_report};
pub use name::{Name, NameError};
pub(crate) use order::printable;
pub use order::{Join, Offer, Order, Permits, Step};
pub use piece::{NoPiece, Wanted, read_piece, write_piece};
pub use report::{ClockReport, Instruction, Report, Stage, Word};
pub use sealed::{Sealed, SealedError, Sealing, Trust};

/// The version of the protocol. Agents and coordinators of different versions refuse each other.
pub const PROTOCOL: u32 = 1;

/// The subject on which agents of a pool request work.
pub fn hello(pool: &Name) -> String {
    format!("b1.{pool}.hello")
}

/// The subject of the reports of all agents of a run.
pub fn reports(run: &str, epoch: u32) -> String {
    format!("b1.{run}.{epoch}.up.*")
}

/// The subject of the reports of one agent of a run.
pub fn report_of(run: &str, epoch: u32, agent: &Name) -> String {
    format!("b1.{run}.{epoch}.up.{agent}")
}

/// The subject of the reports of all agents of all runs. A client that only listens there sees which agents are busy.
pub const ANY_REPORTS: &str = "b1.*.*.up.*";

/// The run and the agent of a report, from its subject.
pub fn reporter(subject: &str) -> Option<(&str, Name)> {
    let mut parts = subject.split('.');
    let (Some("b1"), Some(run), Some(_), Some("up"), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    is_run(run).then_some(())?;
    Some((run, name.parse().ok()?))
}

/// The subject on which agents of a run request pieces of the files of their orders.
pub fn wanted(run: &str, epoch: u32) -> String {
    format!("b1.{run}.{epoch}.get.*")
}

/// The subject on which one agent of a run requests them.
pub fn wanted_by(run: &str, epoch: u32, agent: &Name) -> String {
    format!("b1.{run}.{epoch}.get.{agent}")
}

/// Whether this may be the id of a run: it becomes a part of a subject and of names of files.
pub fn is_run(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
