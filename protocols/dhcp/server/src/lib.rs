//! A DHCP server in memory, for DHCPv4 and DHCPv6.
//!
//! It costs as little CPU time as possible, so that a run against it measures brunt itself: a thread for each address,
//! datagrams read and sent in batches, nothing allocated for a known client. It follows the RFCs wherever a load
//! generator could notice, and misbehaves as a script says.
//!
//! It is not a DHCP server for a network: leases are not stored, every link has the same pools, and it does not check
//! whether an address is in use.

mod batch;
mod config;
mod handler;
mod handlers;
#[cfg(feature = "memory")]
mod in_memory;
mod leases;
mod pool;
mod script;
mod server;
mod socket;
mod start_error;
mod stats;
mod v4;
mod v6;
mod words;
mod worker;

pub use config::{Config, V4, V6};
pub use handler::Lease;
#[cfg(feature = "memory")]
pub use in_memory::InMemory;
pub use leases::State;
pub use pool::{Pool4, Pool6, PoolError, PrefixPool};
pub use script::{Script, ScriptError};
pub use server::{Running, Server};
pub use start_error::StartError;
pub use stats::{Stats, Tally};
pub use words::{Answer, Family, RequestKind};
