//! A DHCP server in memory, for DHCPv4 and DHCPv6.
//!
//! It is written to cost as little as a server can, so that what remains when brunt is pointed at it
//! is brunt itself: a thread for each address, datagrams read and sent by the batch, nothing allocated
//! for a client that was seen before. It keeps to the RFCs wherever a load generator could tell, and
//! misbehaves when told to.
//!
//! It is not a DHCP server for a network: no lease survives it, every link has the same pools, and it
//! does not look whether anybody uses an address already.

mod batch;
mod config;
mod handler;
mod leases;
mod pool;
mod script;
mod server;
mod socket;
mod stats;
mod v4;
mod v6;
mod words;
mod worker;

pub use config::{Config, V4, V6};
pub use handler::Lease;
pub use leases::State;
pub use pool::{Pool4, Pool6, PoolError, PrefixPool};
pub use script::{Script, ScriptError};
pub use server::{Running, Server, StartError};
pub use stats::{Stats, Tally};
pub use words::{Act, Answer, Family};
