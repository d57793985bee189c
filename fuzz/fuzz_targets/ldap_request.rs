//! libFuzzer's program for `brunt_fuzz_checks::ldap_request`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| brunt_fuzz_checks::ldap_request::check(bytes));
