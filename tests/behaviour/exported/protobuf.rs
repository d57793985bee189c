//! Protobuf by field numbers, as in the OTLP documents: a reader that shares no code with the writer.

/// A field of a message.
#[derive(Clone, Debug)]
pub(super) enum Field {
    Varint(u64),
    Fixed(u64),
    Bytes(Vec<u8>),
}

/// The fields of a message with their numbers.
#[derive(Clone, Debug)]
pub(super) struct Message(Vec<(u64, Field)>);

impl Message {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let (mut fields, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let key = varint(&mut rest);
            let field = match key & 7 {
                0 => Field::Varint(varint(&mut rest)),
                1 => Field::Fixed(fixed(&mut rest)),
                2 => {
                    let length = varint(&mut rest) as usize;
                    let (bytes, after) = rest.split_at(length);
                    rest = after;
                    Field::Bytes(bytes.to_vec())
                }
                other => panic!("no field has the wire type {other}"),
            };
            fields.push((key >> 3, field));
        }
        Self(fields)
    }

    fn all(&self, number: u64) -> impl Iterator<Item = &Field> {
        self.0.iter().filter(move |(known, _)| *known == number).map(|(_, field)| field)
    }

    /// The messages in this field.
    pub(super) fn messages(&self, number: u64) -> Vec<Self> {
        let read = |field: &Field| match field {
            Field::Bytes(bytes) => Self::read(bytes),
            other => panic!("{other:?} is no message"),
        };
        self.all(number).map(read).collect()
    }

    pub(super) fn text(&self, number: u64) -> String {
        match self.all(number).next() {
            Some(Field::Bytes(bytes)) => String::from_utf8(bytes.clone()).expect("UTF-8"),
            _ => String::new(),
        }
    }

    /// A number that is a varint or has eight bytes.
    pub(super) fn number(&self, number: u64) -> Option<u64> {
        self.all(number).next().map(|field| match field {
            Field::Varint(value) | Field::Fixed(value) => *value,
            Field::Bytes(bytes) => panic!("{bytes:?} is no number"),
        })
    }

    pub(super) fn double(&self, number: u64) -> Option<f64> {
        self.number(number).map(f64::from_bits)
    }

    /// Numbers of eight bytes, one after the other.
    pub(super) fn packed(&self, number: u64) -> Vec<u64> {
        let read = |field: &Field| match field {
            Field::Bytes(bytes) => bytes.chunks(8).map(|mut chunk| fixed(&mut chunk)).collect(),
            Field::Varint(value) | Field::Fixed(value) => vec![*value],
        };
        self.all(number).flat_map(read).collect()
    }
}

fn varint(rest: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, after) = rest.split_first().expect("a byte");
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return value;
        }
    }
}

fn fixed(rest: &mut &[u8]) -> u64 {
    let (bytes, after) = rest.split_at(8);
    *rest = after;
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}
