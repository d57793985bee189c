//! What the targets that speak over TCP have in common: doors and threads, a connection's bytes, and a certificate.
//!
//! A thread accepts and deals connections out in turn; what is said on them, only the target knows.

pub(crate) mod accepted;
pub(crate) mod house;
pub(crate) mod listener;
pub(crate) mod stream;
pub(crate) mod tls;
