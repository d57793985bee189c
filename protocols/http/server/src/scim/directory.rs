//! [`Directory`]: the users and groups.

use super::store::{Kind, Store};

/// All users and groups.
#[derive(Debug)]
pub(crate) struct Directory {
    users: Store,
    groups: Store,
}

impl Directory {
    pub(crate) fn new() -> Self {
        Self { users: Store::new(Kind::User), groups: Store::new(Kind::Group) }
    }

    pub(super) fn store(&self, endpoint: &str) -> Option<&Store> {
        match endpoint {
            "Users" => Some(&self.users),
            "Groups" => Some(&self.groups),
            _ => None,
        }
    }
}
