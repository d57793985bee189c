//! Sessions that carry out exchanges over the network.

pub mod ldap;
