//! Relay agent information (RFC 3046): the sub-options inside option 82.

use super::DecodeError;

/// The circuit that the client is connected to.
pub const CIRCUIT_ID: u8 = 1;
/// The identity of the remote end of the circuit.
pub const REMOTE_ID: u8 = 2;
/// The subnet to choose from, if giaddr is not in it (RFC 3527).
pub const LINK_SELECTION: u8 = 5;
/// The subscriber, as identified by the relay agent (RFC 3993).
pub const SUBSCRIBER_ID: u8 = 6;
/// The server identifier that the client must use (RFC 5107).
pub const SERVER_ID_OVERRIDE: u8 = 11;

/// One sub-option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubOption<'a> {
    /// Its code.
    pub code: u8,
    /// Its value.
    pub value: &'a [u8],
}

/// The sub-options in the value of option 82. Offsets of errors are counted from its first byte, and after an error the
/// iteration ends. Neither pads nor ends occur here (RFC 3046 section 2.0).
pub fn sub_options(value: &[u8]) -> impl Iterator<Item = Result<SubOption<'_>, DecodeError>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = value.get(at..)?;
        let (&code, rest) = rest.split_first()?;
        let found = rest.split_first().and_then(|(&length, rest)| rest.get(..usize::from(length)));
        let Some(found) = found else {
            let offset = std::mem::replace(&mut at, value.len());
            return Some(Err(DecodeError::Truncated { offset, code }));
        };
        at += 2 + found.len();
        Some(Ok(SubOption { code, value: found }))
    })
}

/// Appends a sub-option to the value of option 82. A value longer than 255 bytes is truncated.
pub fn put(out: &mut Vec<u8>, code: u8, value: &[u8]) {
    let value = value.get(..255).unwrap_or(value);
    out.extend_from_slice(&[code, value.len() as u8]);
    out.extend_from_slice(value);
}
