//! A [`VariedOption`]: an option of DHCPv4 by which servers tell clients apart.
//!
//! Whether its value fits and its code may have one is found out when packets are composed, and not known here.

use crate::dhcp::varied::Pattern;

/// An option that differs from client to client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariedOption {
    /// Its code.
    pub code: u8,
    /// The sub-option of it, for relay agent information (82); several make one option.
    pub sub: Option<u8>,
    /// Its value.
    pub value: Pattern,
}
