//! Parses a filter, with the bytes 0xfe and 0xff as slots. One without slots survives being shown and
//! being encoded.

use brunt_ldap_wire::ber::{Reader, Text};
use brunt_ldap_wire::filter::Filter;

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let mut text = Text::new();
    for byte in bytes {
        match byte {
            0xfe => text.push_slot(0),
            0xff => text.push_slot(1),
            _ => text.push_bytes(&[*byte]),
        }
    }
    let filter = match Filter::parse_text(&text) {
        Ok(filter) => filter,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let Some(encoded) = filter.node().to_bytes() else { return };
    let decoded =
        Filter::decode(&mut Reader::new(&encoded)).expect("what was parsed can be encoded");
    assert_eq!(Filter::<Text>::from(&decoded), filter);
    assert_eq!(Filter::parse(&filter.to_string()).expect("what was shown can be parsed"), filter);
}
