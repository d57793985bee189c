//! Sessions that carry out exchanges over the network.

pub mod dhcp;
pub mod flow;
pub mod http;
pub mod ldap;
pub mod lease;
pub mod names;
