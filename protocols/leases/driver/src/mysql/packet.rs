//! The elements of the packets of MySQL's protocol: [`Reader`] parses them, and [`Value`] is the content of a column.
//!
//! The server is not trusted: every length is compared with the octets present, and a mismatch is an error. Source: the
//! MySQL manual, "Client/Server Protocol".

/// A packet that does not follow the protocol, with a description of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

/// Parses a packet from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.number(1)? as u8)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(self.number(2)? as u16)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(self.number(4)? as u32)
    }

    /// A number of `octets` octets, the lowest first.
    fn number(&mut self, octets: usize) -> Result<u64, Malformed> {
        Ok(self.bytes(octets)?.iter().rev().fold(0, |sum, octet| sum << 8 | u64::from(*octet)))
    }

    /// A length-encoded number.
    pub(super) fn length(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            short @ ..=0xfa => Ok(short.into()),
            0xfc => self.number(2),
            0xfd => self.number(3),
            0xfe => self.number(8),
            _ => Err(Malformed("a length in it is none")),
        }
    }

    /// Text preceded by its length.
    pub(super) fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.length()?;
        self.bytes(usize::try_from(length).map_err(|_| Malformed("it ends too early"))?)
    }

    /// Text that ends with a zero or with the packet.
    pub(super) fn until_zero(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|octet| *octet == 0).unwrap_or(self.0.len());
        let text = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        text
    }
}

/// The content of a column of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    UInt(u64),
    Bytes(&'a [u8]),
    /// A fraction or a time, which is not used here.
    Other,
}

/// A kind of column of the binary protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    kind: u8,
    unsigned: bool,
}

const UNSIGNED: u16 = 0x20;

impl Column {
    /// Reads a column from its definition.
    pub(super) fn read(packet: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(packet);
        for _ in 0..6 {
            reader.text()?;
        }
        reader.length()?;
        reader.bytes(2 + 4)?;
        let (kind, flags) = (reader.u8()?, reader.u16()?);
        Ok(Self { kind, unsigned: flags & UNSIGNED != 0 })
    }

    fn value<'a>(self, reader: &mut Reader<'a>) -> Result<Value<'a>, Malformed> {
        let octets = match self.kind {
            1 => 1,
            2 | 13 => 2,
            3 | 9 => 4,
            8 => 8,
            4 => return reader.bytes(4).map(|_| Value::Other),
            5 => return reader.bytes(8).map(|_| Value::Other),
            6 => return Ok(Value::Null),
            7 | 10 | 11 | 12 => {
                let length = reader.u8()?;
                return reader.bytes(length.into()).map(|_| Value::Other);
            }
            _ => return reader.text().map(Value::Bytes),
        };
        let number = reader.number(octets)?;
        if self.unsigned {
            return Ok(Value::UInt(number));
        }
        let unused = 64 - 8 * octets as u32;
        Ok(Value::Int((number << unused).cast_signed() >> unused))
    }
}

/// Reads a row of the binary protocol to its last column, and calls `see` with each.
pub(super) fn binary_row<'a>(
    packet: &'a [u8],
    columns: &[Column],
    mut see: impl FnMut(usize, Value<'a>),
) -> Result<(), Malformed> {
    let mut reader = Reader(packet);
    reader.u8()?;
    let nulls = reader.bytes((columns.len() + 7 + 2) / 8)?;
    for (number, column) in columns.iter().enumerate() {
        let bit = number + 2;
        let null = nulls[bit / 8] & (1 << (bit % 8)) != 0;
        see(number, if null { Value::Null } else { column.value(&mut reader)? });
    }
    Ok(())
}

/// The same for the text protocol.
pub(super) fn text_row<'a>(
    packet: &'a [u8],
    columns: usize,
    mut see: impl FnMut(usize, Value<'a>),
) -> Result<(), Malformed> {
    let mut reader = Reader(packet);
    for number in 0..columns {
        if reader.0.first() == Some(&0xfb) {
            reader.u8()?;
            see(number, Value::Null);
        } else {
            see(number, Value::Bytes(reader.text()?));
        }
    }
    Ok(())
}

/// Appends a length-encoded number.
pub(super) fn put_length(out: &mut Vec<u8>, length: usize) {
    let octets = (length as u64).to_le_bytes();
    match length {
        0..=0xfa => out.push(octets[0]),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&octets[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&octets[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&octets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_lengths_round_trip() {
        for length in [0, 250, 251, 65_535, 65_536, 16_777_215, 16_777_216] {
            let mut out = Vec::new();
            put_length(&mut out, length);
            assert_eq!(Reader(&out).length(), Ok(length as u64));
        }
        assert!(Reader(&[0xfb]).length().is_err() && Reader(&[]).length().is_err());
        // A text of 2^63 octets.
        assert!(Reader(&[0xfe, 0, 0, 0, 0, 0, 0, 0, 0x80, b'x']).text().is_err());
    }

    #[test]
    fn binary_row_is_read_by_its_column_types() {
        let column = |kind, unsigned| Column { kind, unsigned };
        let columns = [
            column(3, false),
            column(8, true),
            column(253, false),
            column(7, false),
            column(1, false),
            column(5, false),
        ];
        let mut packet = vec![0, 0b0100_0000];
        packet.extend_from_slice(&(-2_i32).to_le_bytes());
        packet.extend_from_slice(&u64::MAX.to_le_bytes());
        packet.extend_from_slice(b"\x02ab");
        packet.extend_from_slice(&[4, 1, 2, 3, 4]);
        packet.extend_from_slice(&1.5_f64.to_le_bytes());
        let mut seen = Vec::new();
        binary_row(&packet, &columns, |_, value| seen.push(value)).unwrap();
        let expected = [
            Value::Int(-2),
            Value::UInt(u64::MAX),
            Value::Bytes(b"ab"),
            Value::Other,
            Value::Null,
            Value::Other,
        ];
        assert_eq!(seen, expected);
        for cut in 0..packet.len() {
            assert!(binary_row(&packet[..cut], &columns, |_, _| ()).is_err(), "{cut}");
        }
    }

    #[test]
    fn text_row_may_contain_nulls() {
        let mut seen = Vec::new();
        text_row(b"\x0212\xfb\x00", 3, |_, value| seen.push(value)).unwrap();
        assert_eq!(seen, [Value::Bytes(b"12"), Value::Null, Value::Bytes(b"")]);
        assert!(text_row(b"\x0212", 2, |_, _| ()).is_err());
    }
}
