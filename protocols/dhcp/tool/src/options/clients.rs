//! The clients: `-b`, `-M`, `-R`, `-u`.

use std::num::NonZeroU32;

use brunt_dhcp_driver::family::Family;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::Clients;
use super::syntax::{exclusive, refused};
use super::varied::digits;

/// The MAC address of the first client by default.
pub(super) const MAC: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

/// The allowed lengths of a DUID: those of the original tool. RFC 8415 allows up to 130.
const DUID_LENGTHS: std::ops::RangeInclusive<usize> = 6..=64;

pub(super) fn read(
    values: &Values,
    family: Family,
    notes: &mut Vec<String>,
) -> Result<Clients, UsageError> {
    exclusive(values, "M", "b", "addresses come either from the file or from a base")?;
    let (mut mac, mut duid) = (MAC, None);
    for base in values.all("b") {
        let (kind, value) = base.split_once('=').unwrap_or_default();
        match kind.to_ascii_lowercase().as_str() {
            "mac" | "ether" => mac = mac_address(value).ok_or_else(|| bad_mac(base))?,
            "duid" => duid = Some(duid_of(value).ok_or_else(|| bad_duid(base))?),
            _ => return Err(refused("b", base, "mac=, ether= or duid= and a value")),
        }
    }
    if duid.is_some() && family == Family::V4 {
        notes.push("-b duid= has no effect: DHCPv4 identifies clients by MAC address".to_owned());
    }
    Ok(Clients {
        count: values.whole("R").and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN),
        mac,
        duid,
        macs: values.path("M"),
        unique: values.has("u"),
    })
}

/// Six bytes of one or two hexadecimal digits, with one or two colons between them.
fn mac_address(text: &str) -> Option<[u8; 6]> {
    let separator = if text.contains("::") { "::" } else { ":" };
    let bytes: Option<Vec<u8>> = text
        .split(separator)
        .map(|byte| {
            let plain =
                (1..=2).contains(&byte.len()) && byte.bytes().all(|it| it.is_ascii_hexdigit());
            u8::from_str_radix(byte, 16).ok().filter(|_| plain)
        })
        .collect();
    bytes?.try_into().ok()
}

fn duid_of(text: &str) -> Option<Vec<u8>> {
    digits(text).ok().filter(|bytes| DUID_LENGTHS.contains(&bytes.len()))
}

fn bad_mac(base: &str) -> UsageError {
    refused("b", base, "six bytes in hexadecimal, such as mac=00:0c:01:02:03:04")
}

fn bad_duid(base: &str) -> UsageError {
    let (least, most) = (DUID_LENGTHS.start(), DUID_LENGTHS.end());
    refused(
        "b",
        base,
        &format!("{least} to {most} bytes in hexadecimal, such as duid=000300010c0102030405"),
    )
}
