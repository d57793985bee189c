//! A [`VariedOption`]: a DHCPv4 option by which servers distinguish clients.
//!
//! Whether its value fits and its code may have one is checked when packets are composed, not here.

use crate::varied::Pattern;

/// An option that differs from client to client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariedOption {
    /// Its code.
    pub code: u8,
    /// Its sub-option, for relay agent information (82); several of these form one option.
    pub sub: Option<u8>,
    /// Its value.
    pub value: Pattern,
}
