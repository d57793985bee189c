//! DHCP for IPv4 and IPv6: simulated clients request, keep and release leases.
//!
//! What a client sends and receives is a [`Dialogue`]: a state machine over bytes that depends on neither a socket nor
//! a clock, so that every path through it can be tested without them. The hub owns a worker's socket, runs the
//! dialogues of all its sessions concurrently, matches replies by transaction id, tracks the drop times, and counts
//! what belongs to no exchange.

pub mod captures;
mod client;
mod describe;
pub mod dialogue;
pub mod endpoint;
pub mod expectation;
pub mod family;
pub mod field;
pub mod hexfile;
mod hub;
pub mod leases;
pub mod lifecycle;
pub mod limits;
pub mod link;
pub mod listfile;
pub mod mix;
pub mod naming;
pub mod population;
pub mod presence;
pub mod rising;
pub mod run;
mod session;
pub mod setup;
mod shared;
pub mod silence;
pub mod stage;
pub mod tally;
pub mod task;
pub mod template;
#[cfg(test)]
mod toy;
mod unique;
pub mod v4;
pub mod v6;
pub mod varied;

pub use captures::{CaptureOptions, Captures};
pub use client::{DhcpAccess, DhcpClient};
pub use dialogue::{
    Anomaly, Dialogue, Ending, ExchangeRequest, OutgoingMessage, ReceivedReply, Rejected, Step,
};
pub use endpoint::{DhcpEndpoint, DhcpEndpointError, EndpointSetup};
pub use lifecycle::{LifecycleOptions, PowerCut};
pub use limits::{DropLimit, Halt, Limits, Reason};
pub use mix::Mix;
pub use population::Population;
pub use presence::FleetChanges;
pub use rising::Rising;
pub use run::{Dhcp, Unmatched};
pub use session::{LEASE_LIFE, Session};
pub use setup::{Opener, Setup};
pub use silence::Silence;
pub use stage::{Kind, Stage};
pub use task::Task;
pub use template::{Offsets, Template};
