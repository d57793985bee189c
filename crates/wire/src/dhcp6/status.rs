//! How it went: the status codes of RFC 8415 section 21.13 and the option that carries one.

use super::{DecodeError, Opt};

/// It went well.
pub const SUCCESS: u16 = 0;
/// It failed, and the server does not say why.
pub const UNSPEC_FAIL: u16 = 1;
/// The server has no addresses for the client.
pub const NO_ADDRS_AVAIL: u16 = 2;
/// The server knows of no such lease.
pub const NO_BINDING: u16 = 3;
/// The prefix of the address does not fit the link.
pub const NOT_ON_LINK: u16 = 4;
/// The client is to ask by multicast.
pub const USE_MULTICAST: u16 = 5;
/// The server has no prefixes for the client.
pub const NO_PREFIX_AVAIL: u16 = 6;

/// The name of a status code in RFC 8415, if it has one there.
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

/// What a status code option says. Where there is none, it went well (RFC 8415 section 21.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status<'a> {
    /// The code.
    pub code: u16,
    /// The words, UTF-8 if the server keeps to the rules.
    pub text: &'a [u8],
}

impl<'a> Status<'a> {
    /// Reads a status code option.
    pub fn parse(option: &Opt<'a>) -> Result<Self, DecodeError> {
        let (code, text) = option.data.split_first_chunk().ok_or(option.wrong_length())?;
        Ok(Self { code: u16::from_be_bytes(*code), text })
    }

    /// Whether it went well.
    pub const fn is_success(&self) -> bool {
        self.code == SUCCESS
    }
}
