//! libFuzzer's program for `brunt_fuzz_checks::ldap_response`.

#![no_main]

libfuzzer_sys::fuzz_target!(|message: &[u8]| brunt_fuzz_checks::ldap_response::check(message));
