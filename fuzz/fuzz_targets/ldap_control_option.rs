//! Takes the text of a control option apart.

#![no_main]

use brunt_wire::ldap::control::ControlOption;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match ControlOption::parse(text) {
        Ok(option) => assert!(option.oid.contains('.')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
