//! Fields of HTTP/2: never a panic, a bounded table, the same result from the same state, and fields that are written
//! are read.

use brunt_http_wire::http2::{FieldDecoder, FieldError, field};

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// Panics if the decoder treats this input otherwise.
pub fn check(blocks: Vec<&[u8]>) {
    let (mut one, mut two) = (FieldDecoder::default(), FieldDecoder::default());
    for block in blocks {
        let before = one.changes();
        let fields = decoded(&mut one, block);
        assert_eq!(fields, decoded(&mut two, block));
        let Ok(fields) = fields else { return };
        if one.changes() == before {
            assert_eq!(decoded(&mut one, block).as_ref(), Ok(&fields), "the table is the same");
        }
        let mut written = Vec::new();
        for (name, value) in &fields {
            field(&mut written, name, value);
        }
        let read = decoded(&mut FieldDecoder::default(), &written).expect("they were written");
        let lower = fields.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        assert!(lower.eq(read));
    }
}

fn decoded(decoder: &mut FieldDecoder, block: &[u8]) -> Result<Fields, FieldError> {
    let mut fields = Vec::new();
    decoder.decode(block, &mut |name: &[u8], value: &[u8]| {
        fields.push((name.to_vec(), value.to_vec()));
    })?;
    Ok(fields)
}
