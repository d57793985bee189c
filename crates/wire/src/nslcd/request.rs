//! What can be asked: [`Request`].

use super::VERSION;
use crate::account::TEXT_MAX;

/// What is asked for. Numbers are the `NSLCD_ACTION_…` of `nslcd.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Request {
    /// A group by name.
    GroupByName = 0x0004_0001,
    /// A group by number.
    GroupById = 0x0004_0002,
    /// The groups of a user by name, as `initgroups` wants them.
    Memberships = 0x0004_0006,
    /// A user by name.
    UserByName = 0x0008_0001,
    /// A user by number.
    UserById = 0x0008_0002,
}

impl Request {
    /// Writes the request for a name behind what is in `into`. Nothing is written, and `false` returned, where the name
    /// is longer than any the daemon would hold.
    pub fn write(self, name: &[u8], into: &mut Vec<u8>) -> bool {
        if name.len() > TEXT_MAX {
            return false;
        }
        self.head(into);
        into.extend_from_slice(&(name.len() as u32).to_be_bytes());
        into.extend_from_slice(name);
        true
    }

    /// Writes the request for a number.
    pub fn write_id(self, id: u32, into: &mut Vec<u8>) {
        self.head(into);
        into.extend_from_slice(&id.to_be_bytes());
    }

    fn head(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&VERSION.to_be_bytes());
        into.extend_from_slice(&(self as u32).to_be_bytes());
    }
}
