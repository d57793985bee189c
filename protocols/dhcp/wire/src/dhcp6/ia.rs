//! Identity associations: the options in which leases are requested and granted.

use super::{DecodeError, Opt, Options, Status, code};
use std::net::Ipv6Addr;

/// The length of the fixed part of an `IA_NA` or `IA_PD`: IAID, T1 and T2.
const FIXED_LENGTH: usize = 12;

/// The length of the fixed part of an `IA_TA`: only the IAID.
const FIXED_LENGTH_TA: usize = 4;

/// What an association contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IaKind {
    /// Addresses that are not temporary.
    Na,
    /// Temporary addresses.
    Ta,
    /// Delegated prefixes.
    Pd,
}

impl IaKind {
    /// The kind of an option's code, if it is an association.
    pub const fn new(code: u16) -> Option<Self> {
        Some(match code {
            code::IA_NA => Self::Na,
            code::IA_TA => Self::Ta,
            code::IA_PD => Self::Pd,
            _ => return None,
        })
    }

    /// The code of the option.
    pub const fn code(self) -> u16 {
        match self {
            Self::Na => code::IA_NA,
            Self::Ta => code::IA_TA,
            Self::Pd => code::IA_PD,
        }
    }

    /// The code of the options inside that contain the leases.
    pub const fn lease_code(self) -> u16 {
        match self {
            Self::Na | Self::Ta => code::IAADDR,
            Self::Pd => code::IAPREFIX,
        }
    }
}

/// An identity association (RFC 8415 sections 21.4, 21.5 and 21.21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ia<'a> {
    /// What it contains.
    pub kind: IaKind,
    /// Its number, which the client chooses.
    pub iaid: u32,
    /// When to renew, in seconds; 0 leaves it to the client. An `IA_TA` has no such time.
    pub t1: u32,
    /// When to rebind, in seconds; 0 leaves it to the client. An `IA_TA` has no such time.
    pub t2: u32,
    /// The option that contains it.
    pub option: Opt<'a>,
    /// The options inside.
    pub options: Options<'a>,
}

impl<'a> Ia<'a> {
    /// Parses an association; `None` if the option is not one.
    pub fn parse(option: &Opt<'a>) -> Result<Option<Self>, DecodeError> {
        let Some(kind) = IaKind::new(option.code) else { return Ok(None) };
        let fixed = if kind == IaKind::Ta { FIXED_LENGTH_TA } else { FIXED_LENGTH };
        let options = option.nested(fixed)?;
        let word = |at| word(option.data, at).unwrap_or_default();
        let (t1, t2) = if kind == IaKind::Ta { (0, 0) } else { (word(4), word(8)) };
        Ok(Some(Self { kind, iaid: word(0), t1, t2, option: *option, options }))
    }

    /// The addresses or prefixes inside, each parsed when it is reached.
    pub fn leases(&self) -> impl Iterator<Item = Result<Lease<'a>, DecodeError>> + use<'a> {
        let code = self.kind.lease_code();
        self.options
            .iter()
            .filter(move |option| option.code == code)
            .map(|option| Lease::parse(&option))
    }

    /// The status; success if there is none.
    pub fn status(&self) -> Result<Status<'a>, DecodeError> {
        status_in(self.options)
    }
}

/// An address or a prefix with its lifetimes (RFC 8415 sections 21.6 and 21.22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease<'a> {
    /// The address, or the first address of the prefix.
    pub address: Ipv6Addr,
    /// The length of the prefix in bits: 128 for an address.
    pub bits: u8,
    /// The preferred lifetime in seconds.
    pub preferred: u32,
    /// The valid lifetime in seconds; 0 withdraws the lease.
    pub valid: u32,
    /// The options inside.
    pub options: Options<'a>,
}

impl<'a> Lease<'a> {
    fn parse(option: &Opt<'a>) -> Result<Self, DecodeError> {
        let data = option.data;
        let short = || option.wrong_length();
        if option.code == code::IAADDR {
            let (address, rest) = data.split_first_chunk::<16>().ok_or_else(short)?;
            let options = option.nested(24)?;
            let word = |at| word(rest, at).unwrap_or_default();
            let (preferred, valid) = (word(0), word(4));
            let address = Ipv6Addr::from(*address);
            return Ok(Self { address, bits: 128, preferred, valid, options });
        }
        let options = option.nested(25)?;
        let word = |at| word(data, at).unwrap_or_default();
        let bits = data.get(8).copied().unwrap_or_default();
        if bits > 128 {
            return Err(DecodeError::PrefixLength { offset: option.offset, bits });
        }
        let address = data.get(9..).and_then(<[u8]>::first_chunk::<16>).ok_or_else(short)?;
        let (preferred, valid) = (word(0), word(4));
        Ok(Self { address: Ipv6Addr::from(*address), bits, preferred, valid, options })
    }

    /// The status; success if there is none.
    pub fn status(&self) -> Result<Status<'a>, DecodeError> {
        status_in(self.options)
    }
}

/// The status among these options; success if there is none.
pub(super) fn status_in(options: Options<'_>) -> Result<Status<'_>, DecodeError> {
    options.find(code::STATUS_CODE).map_or(Ok(Status::default()), |option| Status::parse(&option))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
