//! The command lines of the LDAP tools: their grammar, options and texts.

pub mod defaults;
pub mod dialect;
#[cfg(test)]
pub(crate) mod docs;
pub mod help;
pub mod makeldif;
pub mod opendj;
pub mod properties;
pub mod prose;
pub mod rate;
pub mod redact;
pub mod secrets;
pub mod table;
pub mod tool;
pub mod words;
