//! Sessions that speak LDAP.

pub mod sasl;
