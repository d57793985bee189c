//! The records of a lease file as text: writing one with each change, and reading it back.
//!
//! Two formats. [`Format::Csv`] has the columns of Kea's memfile backend, so that Kea itself reads such a file;
//! [`Format::Block`] is the block of text of 2012. In both, a record with a valid lifetime of 0 says that the lease was
//! deleted, and the last record of an address counts. All values that a client can choose are written so that they
//! cannot end a column or a record: octets as pairs of digits, and special octets of a name as `&#x` and two digits,
//! which is Kea's own escape.

use super::index::Columns;
use crate::leases::Family;
use std::io::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// How records are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Kea's format: a line of columns separated by commas.
    #[default]
    Csv,
    /// The format of the guide of 2012: a block of lines.
    Block,
}

/// The first line of a file of Kea's leases of IPv4.
const HEADER_V4: &str = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,\
                         user_context\n";
/// The first line of a file of Kea's leases of IPv6.
const HEADER_V6: &str = "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,\
                         fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source\n";

/// A record that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) address: u128,
    pub(super) hardware: Vec<u8>,
    pub(super) client_id: Vec<u8>,
    pub(super) hostname: Vec<u8>,
    pub(super) valid_lifetime: u32,
    pub(super) cltt: i64,
    pub(super) subnet: u32,
}

impl Parsed {
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns {
            address: self.address,
            hardware: &self.hardware,
            client_id: &self.client_id,
            hostname: &self.hostname,
            valid_lifetime: self.valid_lifetime,
            cltt: self.cltt,
            subnet: self.subnet,
        }
    }
}

impl Format {
    /// The beginning of a file.
    pub(super) fn header(self, family: Family) -> &'static str {
        match (self, family) {
            (Self::Block, _) => "",
            (Self::Csv, Family::V4) => HEADER_V4,
            (Self::Csv, Family::V6 | Family::Prefix) => HEADER_V6,
        }
    }

    /// The line that ends a record; `None` if every line ends one.
    pub(super) fn last_line(self) -> Option<&'static [u8]> {
        match self {
            Self::Csv => None,
            Self::Block => Some(b"};\n"),
        }
    }

    /// Appends a record.
    pub(super) fn write(self, family: Family, lease: &Columns<'_>, out: &mut Vec<u8>) {
        match (self, family) {
            (Self::Csv, Family::V4) => write_csv4(lease, out),
            (Self::Csv, Family::V6 | Family::Prefix) => write_csv6(family, lease, out),
            (Self::Block, _) => write_block(family, lease, out),
        }
    }

    /// Reads a record with the end of its last line.
    pub(super) fn read(self, family: Family, text: &[u8]) -> Result<Parsed, RecordError> {
        let text = std::str::from_utf8(text).map_err(|_| RecordError::Encoding)?;
        let text = text.strip_suffix('\n').ok_or(RecordError::Unfinished)?;
        match (self, family) {
            (Self::Csv, Family::V4) => read_csv4(text),
            (Self::Csv, Family::V6 | Family::Prefix) => read_csv6(family, text),
            (Self::Block, _) => read_block(family, text),
        }
    }
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RecordError {
    #[error("octets that are no text")]
    Encoding,
    #[error("the record does not end")]
    Unfinished,
    #[error("{found} columns and not {expected}")]
    Columns { found: usize, expected: usize },
    #[error("lease type, IAID, prefix length and flags are {found} and not {expected}")]
    Fixed { found: String, expected: &'static str },
    #[error("{column} is {text:?}")]
    Column { column: String, text: String },
    #[error("{column} is {text:?}, which is not kept here")]
    NotKept { column: String, text: String },
    #[error("a user context, which is not kept here")]
    Context,
    #[error("an end before the beginning of time")]
    End,
    #[error("a block that does not begin with 'lease'")]
    BlockStart,
    #[error("no '{{' behind the address")]
    NoBrace,
    #[error("a block that does not end with '}};'")]
    BlockEnd,
    #[error("a line that does not end with ';'")]
    LineEnd,
    #[error("a line without a value")]
    NoValue,
    #[error("a line {0:?} that no record has")]
    Line(String),
    #[error("{0} lines in the block and not 10")]
    Lines(usize),
    #[error("the name is {0:?}")]
    Name(String),
    #[error("a name of more than 255 octets")]
    LongName,
}

impl RecordError {
    fn column(column: &str, text: &str) -> Self {
        Self::Column { column: column.to_owned(), text: text.to_owned() }
    }
}

fn write_csv4(lease: &Columns<'_>, out: &mut Vec<u8>) {
    write_address4(lease.address, out);
    out.push(b',');
    write_octets(lease.hardware, out);
    out.push(b',');
    write_octets(lease.client_id, out);
    out.push(b',');
    write_times(lease, out);
    out.extend_from_slice(b",0,0,");
    write_name(lease.hostname, out);
    out.extend_from_slice(b",0,\n");
}

fn write_csv6(family: Family, lease: &Columns<'_>, out: &mut Vec<u8>) {
    write_address6(lease.address, out);
    out.push(b',');
    write_octets(lease.client_id, out);
    out.push(b',');
    write_times(lease, out);
    out.push(b',');
    write_number(lease.valid_lifetime, out);
    out.extend_from_slice(fixed6(family).as_bytes());
    write_name(lease.hostname, out);
    out.push(b',');
    write_octets(lease.hardware, out);
    out.extend_from_slice(b",0,,1,0\n");
}

/// The columns between the preferred lifetime and the name: type, IAID, length of the prefix, and the flags of names.
fn fixed6(family: Family) -> &'static str {
    if family == Family::Prefix { ",2,1,64,0,0," } else { ",0,1,128,0,0," }
}

/// Valid lifetime, end and subnet.
fn write_times(lease: &Columns<'_>, out: &mut Vec<u8>) {
    write_number(lease.valid_lifetime, out);
    out.push(b',');
    write_number(lease.cltt.saturating_add(i64::from(lease.valid_lifetime)), out);
    out.push(b',');
    write_number(lease.subnet, out);
}

fn write_block(family: Family, lease: &Columns<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"lease ");
    match family {
        Family::V4 => write_number(lease.address, out),
        Family::V6 | Family::Prefix => write_address6(lease.address, out),
    }
    out.extend_from_slice(b" {\n  hw-addr ");
    write_octets(lease.hardware, out);
    out.extend_from_slice(b";\n  client-id ");
    write_octets(lease.client_id, out);
    out.extend_from_slice(b";\n  valid-lifetime ");
    write_number(lease.valid_lifetime, out);
    out.extend_from_slice(b";\n  recycle-time 0;\n  cltt ");
    write_number(lease.cltt, out);
    out.extend_from_slice(b";\n  pool-id ");
    write_number(lease.subnet, out);
    out.extend_from_slice(b";\n  fixed false;\n  hostname ");
    write_name(lease.hostname, out);
    out.extend_from_slice(b";\n  fqdn_fwd true;\n  fqdn_rev true;\n};\n");
}

fn write_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn write_address4(address: u128, out: &mut Vec<u8>) {
    let [a, b, c, d] = (address as u32).to_be_bytes();
    for octet in [a, b, c] {
        write_number(octet, out);
        out.push(b'.');
    }
    write_number(d, out);
}

fn write_address6(address: u128, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{}", Ipv6Addr::from(address));
}

/// Every octet as two digits and a colon.
const PAIRS: [[u8; 3]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[b':'; 3]; 256];
    let mut octet = 0;
    while octet < 256 {
        pairs[octet][0] = digits[octet >> 4];
        pairs[octet][1] = digits[octet & 15];
        octet += 1;
    }
    pairs
};

/// Octets as pairs of digits with colons between them.
fn write_octets(octets: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 3 * octets.len(), 0);
    for (pair, octet) in out[start..].chunks_exact_mut(3).zip(octets) {
        pair.copy_from_slice(&PAIRS[usize::from(*octet)]);
    }
    if !octets.is_empty() {
        out.pop();
    }
}

fn write_name(name: &[u8], out: &mut Vec<u8>) {
    for octet in name {
        if octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'-' | b'_') {
            out.push(*octet);
        } else {
            out.extend_from_slice(b"&#x");
            out.extend_from_slice(&PAIRS[usize::from(*octet)][..2]);
        }
    }
}

fn read_csv4(line: &str) -> Result<Parsed, RecordError> {
    let columns: Vec<&str> = line.split(',').collect();
    let [address, hardware, client, valid, end, subnet, fwd, rev, name, state, context] =
        columns[..]
    else {
        return Err(RecordError::Columns { found: columns.len(), expected: 11 });
    };
    only_zero(&[("fqdn_fwd", fwd), ("fqdn_rev", rev), ("state", state)])?;
    only_empty(context)?;
    let address: Ipv4Addr = number("address", address)?;
    lease(u128::from(address.to_bits()), [hardware, client, name], [valid, end, subnet])
}

fn read_csv6(family: Family, line: &str) -> Result<Parsed, RecordError> {
    let columns: Vec<&str> = line.split(',').collect();
    let [
        address,
        duid,
        valid,
        end,
        subnet,
        _,
        kind,
        iaid,
        length,
        fwd,
        rev,
        name,
        hw,
        state,
        context,
        _,
        _,
    ] = columns[..]
    else {
        return Err(RecordError::Columns { found: columns.len(), expected: 17 });
    };
    only_zero(&[("state", state)])?;
    only_empty(context)?;
    let fixed = format!(",{kind},{iaid},{length},{fwd},{rev},");
    if fixed != fixed6(family) {
        return Err(RecordError::Fixed { found: fixed, expected: fixed6(family) });
    }
    let address: Ipv6Addr = number("address", address)?;
    lease(address.to_bits(), [hw, duid, name], [valid, end, subnet])
}

/// A lease of columns that both families have, as Kea writes them.
fn lease(
    address: u128,
    [hardware, client, name]: [&str; 3],
    [valid, end, subnet]: [&str; 3],
) -> Result<Parsed, RecordError> {
    let valid_lifetime: u32 = number("valid_lifetime", valid)?;
    let end: i64 = number("expire", end)?;
    let before = end.checked_sub(i64::from(valid_lifetime));
    Ok(Parsed {
        address,
        hardware: octets("hwaddr", hardware)?,
        client_id: octets("client_id or duid", client)?,
        hostname: plain(name)?,
        valid_lifetime,
        cltt: before.ok_or(RecordError::End)?,
        subnet: number("subnet_id", subnet)?,
    })
}

fn read_block(family: Family, text: &str) -> Result<Parsed, RecordError> {
    let text = text.strip_prefix("lease ").ok_or(RecordError::BlockStart)?;
    let (address, text) = text.split_once(" {\n").ok_or(RecordError::NoBrace)?;
    let text = text.strip_suffix("\n};").ok_or(RecordError::BlockEnd)?;
    let mut lease = Parsed {
        address: match family {
            Family::V4 => u128::from(number::<u32>("address", address)?),
            Family::V6 | Family::Prefix => number::<Ipv6Addr>("address", address)?.to_bits(),
        },
        ..Parsed::default()
    };
    let mut seen = 0;
    for line in text.lines() {
        let line = line.trim_start().strip_suffix(';').ok_or(RecordError::LineEnd)?;
        let (word, value) = line.split_once(' ').ok_or(RecordError::NoValue)?;
        match word {
            "hw-addr" => lease.hardware = octets(word, value)?,
            "client-id" => lease.client_id = octets(word, value)?,
            "valid-lifetime" => lease.valid_lifetime = number(word, value)?,
            "cltt" => lease.cltt = number(word, value)?,
            "pool-id" => lease.subnet = number(word, value)?,
            "hostname" => lease.hostname = plain(value)?,
            "recycle-time" | "fixed" | "fqdn_fwd" | "fqdn_rev" => {}
            _ => return Err(RecordError::Line(word.to_owned())),
        }
        seen += 1;
    }
    if seen == 10 { Ok(lease) } else { Err(RecordError::Lines(seen)) }
}

fn number<T: FromStr>(column: &str, text: &str) -> Result<T, RecordError> {
    text.parse().map_err(|_| RecordError::column(column, text))
}

fn only_zero(columns: &[(&str, &str)]) -> Result<(), RecordError> {
    match columns.iter().find(|(_, value)| *value != "0") {
        Some((column, text)) => {
            let (column, text) = ((*column).to_owned(), (*text).to_owned());
            Err(RecordError::NotKept { column, text })
        }
        None => Ok(()),
    }
}

fn only_empty(context: &str) -> Result<(), RecordError> {
    if context.is_empty() { Ok(()) } else { Err(RecordError::Context) }
}

fn octets(column: &str, text: &str) -> Result<Vec<u8>, RecordError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let read: Option<Vec<u8>> = text.split(':').map(pair).collect();
    read.filter(|octets| octets.len() <= 255).ok_or_else(|| RecordError::column(column, text))
}

/// Two digits as an octet.
fn pair(digits: &str) -> Option<u8> {
    let plain = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    plain.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// A name with its escapes decoded.
fn plain(text: &str) -> Result<Vec<u8>, RecordError> {
    let mut pieces = text.split("&#x");
    let mut name = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let escaped = piece.get(..2).and_then(pair);
        name.push(escaped.ok_or_else(|| RecordError::Name(text.to_owned()))?);
        name.extend_from_slice(&piece.as_bytes()[2..]);
    }
    if name.len() <= 255 { Ok(name) } else { Err(RecordError::LongName) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FAMILIES: [Family; 3] = [Family::V4, Family::V6, Family::Prefix];

    fn example(family: Family) -> Parsed {
        let address = match family {
            Family::V4 => 0xC0A8_0001,
            Family::V6 | Family::Prefix => 0x2001_0db8_0000_0005_0000_0000_0000_0000,
        };
        Parsed {
            address,
            hardware: vec![2, 0, 0, 0, 0, 0xaf],
            client_id: vec![1, 0xff],
            hostname: b"foo,bar".to_vec(),
            valid_lifetime: 4_000,
            cltt: 1_600_000_000,
            subnet: 7,
        }
    }

    #[test]
    fn record_lines_equal_kea() {
        let mut out = Vec::new();
        Format::Csv.write(Family::V4, &example(Family::V4).columns(), &mut out);
        let v4 = "192.168.0.1,02:00:00:00:00:af,01:ff,4000,1600004000,7,0,0,foo&#x2cbar,0,\n";
        assert_eq!(String::from_utf8(out.split_off(0)).unwrap(), v4);
        Format::Csv.write(Family::Prefix, &example(Family::Prefix).columns(), &mut out);
        let v6 = "2001:db8:0:5::,01:ff,4000,1600004000,7,4000,2,1,64,0,0,foo&#x2cbar,02:00:00:00:00:af,0,,1,0\n";
        assert_eq!(String::from_utf8(out).unwrap(), v6);
        let commas = |text: &str| text.matches(',').count();
        assert_eq!((commas(HEADER_V4), commas(HEADER_V6)), (commas(v4), commas(v6)));
    }

    #[test]
    fn record_errors_are_refused() {
        for line in [
            "",
            "\n",
            "1.0.0.1,,,1,2,3,0,0,foo,0\n",
            "1.0.0.1,,,1,2,3,0,0,foo,1,\n",
            "1.0.0.1,,,1,2,3,0,0,foo,0,{}\n",
            "1.0.0.1,0,,1,2,3,0,0,foo,0,\n",
            "1.0.0.1,+1,,1,2,3,0,0,foo,0,\n",
            "1.0.0.1,,,-1,2,3,0,0,foo,0,\n",
            "1.0.0.1,,,1,-9223372036854775808,3,0,0,foo,0,\n",
            "1.0.0.1,,,1,2,3,0,0,foo&#x,0,\n",
            "1.0.0.1,,,1,2,3,0,0,foo&#x\u{e9},0,\n",
            "1.0.0,,,1,2,3,0,0,foo,0,\n",
        ] {
            assert!(Format::Csv.read(Family::V4, line.as_bytes()).is_err(), "{line:?}");
        }
        assert!(Format::Csv.read(Family::V4, b"1.0.0.1,,,1,2,3,0,0,foo,0,\n").is_ok());
    }

    proptest! {
        #[test]
        fn record_values_cannot_forge_another_record(
            address in any::<u32>(),
            hardware in proptest::collection::vec(any::<u8>(), 0..20),
            client_id in proptest::collection::vec(any::<u8>(), 0..140),
            hostname in proptest::collection::vec(any::<u8>(), 0..60),
            valid_lifetime in any::<u32>(),
            cltt in 0..i64::from(u32::MAX),
            subnet in any::<u32>(),
        ) {
            for family in FAMILIES {
                let address = match family {
                    Family::V4 => u128::from(address),
                    Family::V6 | Family::Prefix => u128::from(address) << 64,
                };
                let lease = Parsed {
                    address, hardware: hardware.clone(), client_id: client_id.clone(),
                    hostname: hostname.clone(), valid_lifetime, cltt, subnet,
                };
                for (format, lines) in [(Format::Csv, 1), (Format::Block, 12)] {
                    let mut out = Vec::new();
                    format.write(family, &lease.columns(), &mut out);
                    let text = std::str::from_utf8(&out).unwrap();
                    prop_assert_eq!(text.lines().count(), lines);
                    prop_assert_eq!(&format.read(family, &out).unwrap(), &lease);
                    // Cut off at any position, it is not a record.
                    for end in 0..out.len() {
                        prop_assert!(format.read(family, &out[..end]).is_err());
                    }
                }
            }
        }

        #[test]
        fn record_parser_accepts_arbitrary_text(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            for family in FAMILIES {
                for format in [Format::Csv, Format::Block] {
                    let _ = format.read(family, &text);
                }
            }
        }
    }
}
