//! The command lines of the tools for stores of leases.

pub mod leases;
pub mod ubench;
