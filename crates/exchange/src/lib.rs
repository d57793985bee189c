//! The terms that all other crates share: [`Session`], [`Watch`], [`Stamps`], [`Outcome`], [`Clock`].
//!
//! The engine decides *when* an exchange is due, a driver decides *what* it does. Neither depends on the other; both
//! depend on this crate, which therefore depends on no other crate and on no protocol, histogram or schedule.
//!
//! # Terms
//!
//! | word | meaning |
//! |---|---|
//! | exchange | one request and its answer: the unit that is counted |
//! | operation | what an exchange does: a bind, a search, a discover |
//! | session | a connection, or a simulated client behind a shared socket: at most one exchange at a time |
//! | due | the moment the schedule wanted the exchange; in a closed loop, the moment the virtual user was free |
//! | response time | ended − due: what a user waits |
//! | service time | ended − sent: what the target took |
//! | lag | sent − due |
//! | lateness | sent − the later of due and the session being free: the part of the lag that the generator causes |
//! | think time | how long a virtual user pauses between two exchanges |
//! | part | a measured piece of work beside or within an exchange: connecting, a TLS handshake |
//! | dropped | due, but never sent: no session became free before the backlog was full or the run over |
//! | orphan | a reply that answers no exchange in flight |
//!
#![doc = include_str!("../README.md")]

mod blocking;
pub mod chance;
mod clock;
mod inert;
mod notation;
mod outcome;
mod session;
mod slots;
mod think;
mod watch;

pub use blocking::BlockingSession;
pub use clock::{Clock, Moment, Monotonic, Wait};
pub use inert::{Layout, inert, is_directional, is_inert, without_directions};
pub use notation::{decimal, duration};
pub use outcome::{Class, Meaning, Named, Outcome};
pub use session::{Session, Ticket, Want};
pub use slots::{Numbers, Slots, SlotsError};
pub use think::{ThinkTime, ThinkTimeError};
pub use watch::{Concurrent, Part, ShownExchange, Stamps, Unreached, Watch};
