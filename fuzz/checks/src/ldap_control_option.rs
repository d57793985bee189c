//! Takes the text of a control option apart.

use brunt_ldap_wire::control::ControlOption;

/// Panics if the decoder treats this input otherwise.
pub fn check(text: &str) {
    match ControlOption::parse(text) {
        Ok(option) => assert!(option.oid.contains('.')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
