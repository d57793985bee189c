//! Sessions that carry out exchanges over the network.

pub mod ldap;
pub mod net;
pub mod secret;
