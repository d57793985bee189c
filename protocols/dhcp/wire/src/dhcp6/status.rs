//! The status codes of RFC 8415 section 21.13 and the option that contains one.

use super::{DecodeError, Opt};

/// Success.
pub const SUCCESS: u16 = 0;
/// The request failed, and the server does not say why.
pub const UNSPEC_FAIL: u16 = 1;
/// The server has no addresses for the client.
pub const NO_ADDRS_AVAIL: u16 = 2;
/// The server does not know this lease.
pub const NO_BINDING: u16 = 3;
/// The prefix of the address is not appropriate for the link.
pub const NOT_ON_LINK: u16 = 4;
/// The client must use multicast.
pub const USE_MULTICAST: u16 = 5;
/// The server has no prefixes for the client.
pub const NO_PREFIX_AVAIL: u16 = 6;

/// The name of a status code in RFC 8415, if it has one.
pub const fn name(code: u16) -> Option<&'static str> {
    Some(match code {
        SUCCESS => "Success",
        UNSPEC_FAIL => "UnspecFail",
        NO_ADDRS_AVAIL => "NoAddrsAvail",
        NO_BINDING => "NoBinding",
        NOT_ON_LINK => "NotOnLink",
        USE_MULTICAST => "UseMulticast",
        NO_PREFIX_AVAIL => "NoPrefixAvail",
        _ => return None,
    })
}

/// The contents of a status code option. A missing option means success (RFC 8415 section 21.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status<'a> {
    /// The code.
    pub code: u16,
    /// The message, in UTF-8 if the server follows the RFC.
    pub text: &'a [u8],
}

impl<'a> Status<'a> {
    /// Reads a status code option.
    pub fn parse(option: &Opt<'a>) -> Result<Self, DecodeError> {
        let (code, text) = option.data.split_first_chunk().ok_or(option.wrong_length())?;
        Ok(Self { code: u16::from_be_bytes(*code), text })
    }

    /// Whether the code is success.
    pub const fn is_success(&self) -> bool {
        self.code == SUCCESS
    }
}
