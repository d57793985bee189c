//! DHCPv4 (RFC 2131) and DHCPv6 (RFC 8415) as bytes: encoding, patching in place, scanning.
//!
//! A run sends the same few messages millions of times and reads a few bytes of every answer. So a message is composed
//! once and its fields are patched, and an answer is only scanned for what the run counts. Everything decoded here
//! comes from the network and is not trusted: lengths are limited, and malformed input results in an error with an
//! offset.
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

pub mod dhcp4;
pub mod dhcp6;
