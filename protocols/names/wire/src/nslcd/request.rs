//! The requests: [`Request`].

use super::VERSION;
use crate::account::TEXT_MAX;

/// What is requested. Numbers are the `NSLCD_ACTION_…` of `nslcd.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Request {
    /// A group by name.
    GroupByName = 0x0004_0001,
    /// A group by id.
    GroupById = 0x0004_0002,
    /// The groups of a user by name, as `initgroups` needs them.
    Memberships = 0x0004_0006,
    /// A user by name.
    UserByName = 0x0008_0001,
    /// A user by id.
    UserById = 0x0008_0002,
}

impl Request {
    /// Appends the request for a name to `into`. If the name is longer than any that the daemon could know, nothing is
    /// written and `false` is returned.
    pub fn write(self, name: &[u8], into: &mut Vec<u8>) -> bool {
        if name.len() > TEXT_MAX {
            return false;
        }
        self.head(into);
        into.extend_from_slice(&(name.len() as u32).to_be_bytes());
        into.extend_from_slice(name);
        true
    }

    /// Writes the request for an id.
    pub fn write_id(self, id: u32, into: &mut Vec<u8>) {
        self.head(into);
        into.extend_from_slice(&id.to_be_bytes());
    }

    fn head(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&VERSION.to_be_bytes());
        into.extend_from_slice(&(self as u32).to_be_bytes());
    }
}
