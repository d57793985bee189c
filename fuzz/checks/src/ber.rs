//! Walks whatever elements there are; what is read must be written back the same, lengths aside.

use brunt_ldap_wire::ber::{DecodeError, Reader, Writer, element_length};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let whole = element_length(bytes, 1 << 24);
    let first = Reader::new(bytes).element();
    if let (Ok(Some(length)), Ok(element)) = (&whole, &first) {
        assert_eq!(*length, element.content_offset + element.content.len());
    }
    let _ = walk(Reader::new(bytes));
}

fn walk(mut reader: Reader<'_>) -> Result<(), DecodeError> {
    while !reader.is_empty() {
        let before = reader.offset();
        let element = reader.element()?;
        assert!(reader.offset() > before, "every step goes forward");
        let _ = (element.integer(), element.boolean());
        let mut out = Vec::new();
        Writer::new(&mut out).primitive(element.tag, element.content);
        let again = Reader::new(&out).element().expect("what was written can be read");
        assert_eq!((again.tag, again.content), (element.tag, element.content));
        // Only what is marked as constructed is made of elements.
        if element.tag & 0x20 != 0 {
            let _ = walk(reader.inside(&element)?);
        }
    }
    Ok(())
}
