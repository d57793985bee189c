//! Reads bytes as the header by which a browser shows who somebody is.

use brunt_serve::cookie_values;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let Ok(header) = std::str::from_utf8(input) else { return };
    for name in ["brunt", "__Host-brunt"] {
        for value in cookie_values(header, name) {
            // It stands there, whole, and a header of it alone says the same.
            assert!(header.contains(name) && header.contains(&value));
            assert!(!value.contains(';'));
            let alone = format!("{name}={value}");
            assert_eq!(cookie_values(&alone, name).collect::<Vec<_>>(), [value]);
        }
    }
}
