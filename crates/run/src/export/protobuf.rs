//! [`Message`]: writes a message of Protocol Buffers, field by field, and [`fields`] reads one.
//!
//! Only what OTLP metrics consist of: texts, messages, and numbers of 64 bits. What equals the default of its type is
//! left out, as proto3 has it, except where a field states that it is present.

/// A message being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

/// The ways in which a value follows its field's number.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LENGTH: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    /// The message as bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn text(self, field: u32, text: &str) -> Self {
        if text.is_empty() { self } else { self.bytes(field, text.as_bytes()) }
    }

    /// A text that is written even if it is empty.
    pub(super) fn present_text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// A message within this one. A repeated field is written once for each of its messages.
    pub(super) fn message(self, field: u32, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    pub(super) fn messages(self, field: u32, messages: impl IntoIterator<Item = Self>) -> Self {
        messages.into_iter().fold(self, |whole, message| whole.message(field, &message))
    }

    /// A whole number or the value of an enumeration; `true` is 1.
    pub(super) fn number(mut self, field: u32, number: u64) -> Self {
        if number != 0 {
            self.tag(field, VARINT);
            self.varint(number);
        }
        self
    }

    pub(super) fn fixed(self, field: u32, number: u64) -> Self {
        if number == 0 { self } else { self.present(field, number.to_le_bytes()) }
    }

    /// A number of 64 bits that is written even if it is 0.
    pub(super) fn present(mut self, field: u32, number: [u8; 8]) -> Self {
        self.tag(field, FIXED64);
        self.0.extend(number);
        self
    }

    /// Several numbers of 64 bits in one field.
    pub(super) fn packed(self, field: u32, numbers: impl Iterator<Item = [u8; 8]>) -> Self {
        let bytes: Vec<u8> = numbers.flatten().collect();
        if bytes.is_empty() { self } else { self.bytes(field, &bytes) }
    }

    /// Several numbers of variable length in one field.
    pub(super) fn packed_numbers(self, field: u32, numbers: impl Iterator<Item = u64>) -> Self {
        let mut all = Self::default();
        numbers.for_each(|number| all.varint(number));
        if all.0.is_empty() { self } else { self.message(field, &all) }
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, LENGTH);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn tag(&mut self, field: u32, wire: u64) {
        self.varint(u64::from(field << 3) | wire);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message by number, up to the first that is not valid. Those of 32 bits are left out.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u64, Value<'_>)> {
    std::iter::from_fn(move || {
        loop {
            let tag = take_varint(&mut bytes)?;
            let value = match tag & 7 {
                VARINT => Value::Number(take_varint(&mut bytes)?),
                FIXED64 => Value::Number(u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?)),
                LENGTH => {
                    let length = usize::try_from(take_varint(&mut bytes)?).ok()?;
                    Value::Bytes(take(&mut bytes, length)?)
                }
                FIXED32 => {
                    take(&mut bytes, 4)?;
                    continue;
                }
                _ => return None,
            };
            return Some((tag >> 3, value));
        }
    })
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let byte = take(bytes, 1)?[0];
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protobuf_fields_round_trip() {
        let inner = Message::default().text(1, "a").text(2, "");
        let numbers = [1, u64::MAX].map(u64::to_le_bytes);
        let message = Message::default()
            .message(1, &inner)
            .number(2, 300)
            .number(3, 0)
            .fixed(4, u64::MAX)
            .present(5, 0_f64.to_le_bytes())
            .packed(600, numbers.into_iter());
        let bytes = message.into_bytes();
        let read: Vec<_> = fields(&bytes).collect();
        assert_eq!(
            read,
            [
                (1, Value::Bytes(b"\x0a\x01a")),
                (2, Value::Number(300)),
                (4, Value::Number(u64::MAX)),
                (5, Value::Number(0)),
                (600, Value::Bytes(&numbers.concat())),
            ]
        );
        for length in 0..bytes.len() {
            assert!(fields(&bytes[..length]).count() < read.len(), "{length}");
        }
        assert_eq!(fields(b"\x0d1234\x10\x07").collect::<Vec<_>>(), [(2, Value::Number(7))]);
        assert_eq!(fields(b"\x0b").count() + fields(&[0xff; 20]).count(), 0);
    }
}
