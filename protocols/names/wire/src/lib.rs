//! The protocols of the caches of name services, nscd and nslcd, as bytes.
//!
//! Everything decoded here comes from another process and is not trusted: lengths are limited, and malformed input
//! results in an error with an offset, never in a panic.
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
pub mod nscd;
pub mod nslcd;
