//! Lookups of users and groups: through the system's name service, and at each layer below it.
//!
//! | piece | what it is |
//! |---|---|
//! | [`By`], [`Question`], [`Expected`] | the question, and the right answer |
//! | [`Keys`] | users or groups to look up |
//! | [`Distribution`], [`Sampler`] | which of them are looked up and how often |
//! | [`Questions`] | every question of a run, as a pure function of its number |
//! | [`AccessPath`], [`AccessPaths`] | how names are looked up: through the C library, a daemon's socket, a directory |
//! | [`Conversation`](conversation::Conversation) | requests to a directory, one at a time |
//! | [`NamesSession`] | a session that looks up names and compares the answers |
//!
//! A lookup is successful only if it returns the right answer: every answer is compared with the known values of the
//! key, so that a service that lost half its users does not appear to be fast.

mod access_path;
mod access_paths;
pub mod conversation;
mod distribution;
mod error;
mod keys;
mod ldap;
mod nscd;
mod nslcd;
pub mod nss;
mod question;
mod questions;
mod session;
mod socket;

pub use access_path::AccessPath;
pub use access_paths::AccessPaths;
pub use distribution::{Distribution, Sampler};
pub use error::LookupError;
pub use keys::{ABSENT_FROM, KEYS_MAX, Keys, KeysError};
pub use ldap::{Directory, DirectoryError, Search as DirectorySearch};
pub use nscd::SOCKET as NSCD_SOCKET;
pub use nslcd::SOCKET as NSLCD_SOCKET;
pub use question::{Answer, By, Expected, Question};
pub use questions::{Part, Questions, QuestionsError};
pub use session::{ABSENT, FOUND, NamesSession, PARTS, UNRESOLVED, outcome_named};
