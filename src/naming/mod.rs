//! What each protocol calls the outcome of an exchange: its own codes, in its own words.
//!
//! A run of one tool may speak several protocols, so these names are no tool's own.

pub(crate) mod dhcp;
pub(crate) mod http;
pub(crate) mod ldap;
