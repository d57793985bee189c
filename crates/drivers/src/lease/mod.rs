//! Stores of leases, and sessions that work on them.
//!
//! | piece | what it is |
//! |---|---|
//! | [`Lease`], [`Leases`] | leases, as a pure function of their numbers |
//! | [`Depot`], [`Store`] | where leases lie, and one thread's way in |
//! | [`Trouble`] | why a store did not do what was asked |

mod leases;
mod store;
mod trouble;

pub use leases::{
    BASE_PREFIX, BASE_V4, BASE_V6, Contents, Durability, Family, Identity, Lease, Leases, Schema,
    Statements,
};
pub use store::{Depot, Renewal, Store};
pub use trouble::{Trouble, sqlstate, sqlstate_text};
