//! LDAP version 3 (RFC 4511): requests are compiled and written, answers scanned; for a server, requests are decoded
//! and answers written.
//!
//! A client compiles a [`request`] into a [`Skeleton`], encodes it with a [`Template`], finds the answer with
//! [`response::frame`] and scans it with [`response::scan`]. A server decodes a [`message::Message`] and writes a
//! [`reply`].
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

pub mod ber;
pub mod code;
pub mod control;
pub mod dn;
pub mod filter;
pub mod message;
pub mod op;
pub mod reply;
pub mod request;
pub mod response;
mod skeleton;
mod template;

pub use skeleton::Skeleton;
pub use template::Template;

pub use crate::ber::{Piece, Text, Values};
