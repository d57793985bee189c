//! libFuzzer's program for `brunt_fuzz_checks::ldap_control_option`.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| brunt_fuzz_checks::ldap_control_option::check(text));
