//! What an ADVERTISE or a REPLY offers or grants, compared with what the client wants.

use super::Wanted;
use brunt_dhcp_wire::dhcp6::{DecodeError, Ia, IaKind, Message};
use std::net::Ipv6Addr;

/// The leases of an answer that contains everything the client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer<'a> {
    /// The option with the addresses, as received; empty if the client wants no addresses.
    pub(super) addresses: &'a [u8],
    /// The option with the prefixes, as received; empty if the client wants no prefixes.
    pub(super) prefixes: &'a [u8],
    /// The first address, or the first prefix if the client wants no addresses.
    pub(super) address: Ipv6Addr,
    /// The earliest T1 in seconds.
    pub(super) t1: u32,
    /// The earliest T2 in seconds.
    pub(super) t2: u32,
    /// The shortest valid lifetime in seconds.
    pub(super) valid: u32,
}

/// Why an answer cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The answer contains this status.
    Status(u16),
    /// The answer does not contain what the client wants, and gives no reason.
    Nothing,
    /// The answer is malformed.
    Malformed(DecodeError),
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error)
    }
}

/// The first association of a kind, and its values.
#[derive(Clone, Copy)]
struct Association<'a> {
    whole: &'a [u8],
    address: Ipv6Addr,
    t1: u32,
    t2: u32,
    valid: u32,
}

/// Reads what the client wants from an answer.
pub(super) fn read<'a>(message: &Message<'a>, wanted: Wanted) -> Result<Offer<'a>, Refusal> {
    let status = message.status()?;
    if !status.is_success() {
        return Err(Refusal::Status(status.code));
    }
    let addresses = if wanted.addresses() { Some(association(message, IaKind::Na)?) } else { None };
    let prefixes = if wanted.prefixes() { Some(association(message, IaKind::Pd)?) } else { None };
    let first = addresses.or(prefixes).ok_or(Refusal::Nothing)?;
    let other = prefixes.unwrap_or(first);
    Ok(Offer {
        addresses: addresses.map_or(&[], |it| it.whole),
        prefixes: prefixes.map_or(&[], |it| it.whole),
        address: first.address,
        t1: first.t1.min(other.t1),
        t2: first.t2.min(other.t2),
        valid: first.valid.min(other.valid),
    })
}

/// The first status that is not success, of the message or of an association.
pub(super) fn status(message: &Message<'_>) -> Result<u16, DecodeError> {
    let status = message.status()?;
    if !status.is_success() {
        return Ok(status.code);
    }
    for association in message.associations() {
        let status = association?.status()?;
        if !status.is_success() {
            return Ok(status.code);
        }
    }
    Ok(status.code)
}

fn association<'a>(message: &Message<'a>, kind: IaKind) -> Result<Association<'a>, Refusal> {
    let option = message.option(kind.code()).ok_or(Refusal::Nothing)?;
    let ia = Ia::parse(&option)?.ok_or(Refusal::Nothing)?;
    let mut found: Option<(Ipv6Addr, u32, u32)> = None;
    let mut refused = 0;
    for lease in ia.leases() {
        let lease = lease?;
        let status = lease.status()?;
        if !status.is_success() {
            refused = status.code;
        } else if lease.valid > 0 {
            let (address, preferred, valid) = found.unwrap_or((lease.address, u32::MAX, u32::MAX));
            found = Some((address, preferred.min(lease.preferred), valid.min(lease.valid)));
        }
    }
    let status = ia.status()?;
    if !status.is_success() {
        return Err(Refusal::Status(status.code));
    }
    let Some((address, preferred, valid)) = found else {
        return Err(if refused == 0 { Refusal::Nothing } else { Refusal::Status(refused) });
    };
    let (t1, t2) = times(&ia, preferred);
    Ok(Association { whole: option.whole, address, t1, t2, valid })
}

/// T1 and T2; if the server leaves them to the client, half and four fifths of the preferred
/// lifetime (RFC 8415 section 21.4).
fn times(ia: &Ia<'_>, preferred: u32) -> (u32, u32) {
    let part = |of: u64| {
        if preferred == u32::MAX { preferred } else { (u64::from(preferred) * of / 10) as u32 }
    };
    let t1 = if ia.t1 == 0 { part(5) } else { ia.t1 };
    let t2 = if ia.t2 == 0 { part(8).max(t1) } else { ia.t2 };
    (t1.min(t2), t2)
}
