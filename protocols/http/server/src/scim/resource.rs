//! [`Resource`]: a user or a group, as it is kept.

use std::sync::Arc;

use serde_json::{Map, Value};

/// A resource.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) number: u64,
    pub(super) version: u64,
    /// In seconds since 1970.
    pub(super) created: u64,
    pub(super) modified: u64,
    /// What clients wrote.
    pub(super) fields: Arc<Map<String, Value>>,
}

impl Resource {
    /// The identifier of a number.
    pub(super) fn id(number: u64) -> String {
        format!("{number:08x}-5c1d-4000-8000-000000000000")
    }

    /// The number of an identifier.
    pub(super) fn number(id: &str) -> Option<u64> {
        let number = u64::from_str_radix(id.split('-').next()?, 16).ok()?;
        (Self::id(number) == id).then_some(number)
    }

    /// The version as an entity tag.
    pub(super) fn tag(&self) -> String {
        format!("W/\"{}\"", self.version)
    }
}
