//! What agents and a coordinator tell each other.
//!
//! Every message is a request of an agent and its answer, because core NATS promises nothing: what matters is asked
//! again until it is answered. An agent that waits asks for work ([`Join`], answered by an [`Order`]); an agent that
//! has an order reports ([`Report`]) and is told what to do ([`Word`]). A report carries a piece of the event lines of
//! its run by their place in the stream, and a word says how far they arrived, so nothing is taken twice and nothing is
//! skipped. All of it comes from a network, so reading is bounded and an error is a value.

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
pub use piece::{Wanted, read_piece, write_piece};
pub use report::{ClockReport, Report, Stage, Wish, Word};
pub use sealed::{Sealed, SealedError, Sealing, Trust};

/// The version of the protocol. Agents and coordinators of different versions refuse each other.
pub const PROTOCOL: u32 = 1;

/// Where agents of a pool ask for work.
pub fn hello(pool: &Name) -> String {
    format!("b1.{pool}.hello")
}

/// Where all agents of a run report.
pub fn reports(run: &str, epoch: u32) -> String {
    format!("b1.{run}.{epoch}.up.*")
}

/// Where one agent of a run reports.
pub fn report_of(run: &str, epoch: u32, agent: &Name) -> String {
    format!("b1.{run}.{epoch}.up.{agent}")
}

/// Where all agents of all runs report. Whoever only listens there sees who is busy.
pub const ANY_REPORTS: &str = "b1.*.*.up.*";

/// Which run a report is of, and which agent sent it, by its subject.
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

/// Where agents of a run ask for pieces of the files that their orders bring.
pub fn wanted(run: &str, epoch: u32) -> String {
    format!("b1.{run}.{epoch}.get.*")
}

/// Where one agent of a run asks for them.
pub fn wanted_by(run: &str, epoch: u32, agent: &Name) -> String {
    format!("b1.{run}.{epoch}.get.{agent}")
}

/// Whether this may be the id of a run: it becomes a part of a subject and of names of files.
pub fn is_run(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
