//! What is a protocol's own: each tool makes a job of its command line and prints what belongs to it.
//!
//! Tools know [`run`](crate::run), [`cli`](crate::cli), [`naming`](crate::naming) and [`console`](crate::console), and
//! never each other.

pub(crate) mod dhcp;
pub(crate) mod flow;
pub(crate) mod ldap;
pub(crate) mod leases;
pub(crate) mod names;
