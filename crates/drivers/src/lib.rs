//! Sessions that carry out exchanges over the network.

mod chance;
mod counters;
pub mod dhcp;
pub mod flow;
pub mod http;
pub mod ldap;
pub mod lease;
pub mod names;
pub mod net;
pub mod resend;
pub mod secret;
