//! LDAP, DHCP, HTTP and the sockets of name service caches as bytes: encode, patch in place, scan.
//!
//! A run sends the same few requests millions of times and looks at a few bytes of every answer. So
//! a request is compiled once into a skeleton whose leaves are filled in, and an answer is scanned
//! for what the run counts, the rest being decoded only where somebody asks for it. Measured, that
//! is the difference between microseconds and nanoseconds an exchange.
//!
//! This crate must not know a socket, a clock or a runtime, and depends on `httparse` alone. Whatever it
//! decodes comes from the network and is believed in nothing: lengths and depths are bounded, and
//! what is malformed is an error with an offset, never a panic.
//!
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod account;
pub mod ber;
pub mod dhcp4;
pub mod dhcp6;
pub mod http;
pub mod ldap;
pub mod nscd;
pub mod nslcd;
