//! Lease backends, and sessions that work on them.
//!
//! | piece | what it is |
//! |---|---|
//! | [`Lease`], [`Leases`] | leases, as a pure function of their numbers |
//! | [`Backend`], [`Connection`] | a store of leases, and one thread's access to it |
//! | [`sql`] | the tables and statements of SQL stores |
//! | [`sqlite`] | leases in a database of `SQLite` |
//! | [`memfile`] | leases in memory and in a file of their changes |
//! | [`probe`] | how long a disk takes until a write is safe |
//! | [`redb`] | leases in an embedded key-value store |
//! | [`Guarded`] | a store whose panics become failures |
//! | [`BackendError`] | why a store did not carry out a request |
//! | [`Work`] | what a run does, and the lease of each operation |
//! | [`LeaseSessions`], [`LeaseSession`] | sessions that do the work on a store |

mod backend;
mod error;
mod leases;
pub mod memfile;
pub mod mysql;
mod panics;
pub mod postgres;
pub mod probe;
pub mod redb;
mod session;
mod share;
pub mod sql;
pub mod sqlite;
mod workload;

pub use backend::{Backend, Connection, Renewal};
pub use error::{BackendError, sqlstate, sqlstate_text};
pub use leases::{
    BASE_PREFIX, BASE_V4, BASE_V6, Contents, Durability, Family, Identity, Lease, Leases, Schema,
    Statements,
};
pub use panics::Guarded;
pub use session::{LeaseSession, LeaseSessions, PARTS};
pub use workload::{By, Draw, HIT, MISS, Mix, Search, Work, operations, outcome_name};
