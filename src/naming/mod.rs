//! The names that each protocol gives to the outcome of an exchange: its own codes, in its own terms.
//!
//! A run of one tool may use several protocols, so these names belong to no tool.

pub(crate) mod dhcp;
pub(crate) mod http;
pub(crate) mod ldap;
