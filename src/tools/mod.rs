//! The protocol-specific tools: each makes a job from its command line and prints its own results.
//!
//! Tools depend on [`run`](brunt_run), [`cli`](crate::cli) and [`console`](brunt_run::console),
//! and never on each other.

pub(crate) mod dhcp;
pub(crate) mod flow;
pub(crate) mod ldap;
pub(crate) mod leases;
pub(crate) mod names;
